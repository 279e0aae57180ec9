// SPDX-License-Identifier: Apache-2.0
#include "io/output_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

#include "base/error.hpp"

namespace asterism {
void require_regular_target(const std::filesystem::path& path) {
  std::error_code ignored;
  const auto type = std::filesystem::status(path, ignored).type();
  if (type == std::filesystem::file_type::directory || std::filesystem::is_other(path, ignored))
    bad_input("{}: exists and cannot be replaced; expected the name of a new or a regular file", path.string());
}

bool sync_to_disk(const std::filesystem::path& path) noexcept {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  int status = fsync(file);
  while (status != 0 && errno == EINTR) status = fsync(file);
  const int error = status == 0 ? 0 : errno;
  close(file);
  errno = error;
  return status == 0 || error == EINVAL || error == ENOTSUP || error == EROFS;
}

PendingFile::PendingFile(std::filesystem::path path)
    : path_(std::move(path)), temporary_(path_.string() + fmt::format(".{}.part", getpid())) {
  require_regular_target(path_);
  registered_.emplace(temporary_.string());
}

PendingFile::~PendingFile() {
  if (temporary_.empty()) return;
  std::error_code ignored;
  std::filesystem::remove(temporary_, ignored);
}

void PendingFile::commit() {
  errno = 0;
  if (!sync_to_disk(temporary_)) failed("{}: cannot be written: {}", path_.string(), system_message(errno));
  std::error_code error;
  std::filesystem::rename(temporary_, path_, error);
  if (error) failed("{}: cannot be renamed to {} ({})", temporary_.string(), path_.string(), error.message());
  temporary_.clear();
  registered_.reset();
  const std::filesystem::path folder = path_.has_parent_path() ? path_.parent_path() : ".";
  errno = 0;
  if (!sync_to_disk(folder) && errno != EACCES)
    failed("{}: the folder cannot be brought to the disk: {}", path_.string(), system_message(errno));
}

bool write_at(int file, std::uint64_t at, std::size_t size, const char* bytes) {
  while (size > 0) {
    const ssize_t written = pwrite(file, bytes, size, static_cast<off_t>(at));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    at += static_cast<std::uint64_t>(written);
    bytes += written;
    size -= static_cast<std::size_t>(written);
  }
  return true;
}

OutputFile::OutputFile(std::filesystem::path path) : pending_(std::move(path)) {
  stream_.open(pending_.temporary(), std::ios::binary | std::ios::trunc);
  if (!stream_) bad_input("{}: cannot be written: {}", pending_.path().string(), system_message(errno));
}

void OutputFile::check() const {
  if (!stream_) failed("{}: cannot be written: {}", pending_.path().string(), system_message(errno));
}

void OutputFile::write(std::string_view bytes) {
  errno = 0;
  stream_.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  check();
}

std::int64_t OutputFile::position() {
  const std::streamoff at = stream_.tellp();
  check();
  return at;
}

void OutputFile::seek(std::int64_t position) {
  errno = 0;
  stream_.seekp(position);
  check();
}

void OutputFile::commit() {
  errno = 0;
  stream_.close();
  check();
  pending_.commit();
}

}  // namespace asterism

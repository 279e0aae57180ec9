#include "taskflows/runtime/output_file.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "taskflows/runtime/error.hpp"

namespace asterism {

PendingFile::PendingFile(std::filesystem::path path)
    : path_(std::move(path)), temporary_(path_.string() + fmt::format(".{}.part", getpid())) {
  std::error_code ignored;
  const auto type = std::filesystem::status(path_, ignored).type();
  if (type == std::filesystem::file_type::directory) {
    bad_input("{}: cannot be written: is a directory; expected the name of a file", path_.string());
  }
  if (std::filesystem::exists(path_, ignored) && type != std::filesystem::file_type::regular) {
    bad_input("{}: cannot be written: exists and is not a regular file", path_.string());
  }
}

PendingFile::~PendingFile() {
  if (temporary_.empty()) return;
  std::error_code ignored;
  std::filesystem::remove(temporary_, ignored);
}

void PendingFile::commit() {
  std::error_code error;
  std::filesystem::rename(temporary_, path_, error);
  if (error) failed("{}: cannot be renamed to {} ({})", temporary_.string(), path_.string(), error.message());
  temporary_.clear();
}

OutputFile::OutputFile(std::filesystem::path path) : pending_(std::move(path)) {
  stream_.open(pending_.temporary(), std::ios::binary | std::ios::trunc);
  if (!stream_) bad_input("{}: cannot be written ({})", pending_.path().string(), std::strerror(errno));
}

void OutputFile::write(std::string_view bytes) {
  errno = 0;
  if (!stream_.write(bytes.data(), static_cast<std::streamsize>(bytes.size()))) {
    failed("{}: cannot be written ({})", pending_.path().string(), std::strerror(errno == 0 ? EIO : errno));
  }
}

void OutputFile::commit() {
  stream_.close();
  if (!stream_) failed("{}: could not be written in full", pending_.path().string());
  pending_.commit();
}

}  // namespace asterism

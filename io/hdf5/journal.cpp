// SPDX-License-Identifier: Apache-2.0
#include "io/hdf5/journal.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "base/error.hpp"
#include "base/fingerprint.hpp"
#include "io/output_file.hpp"
#include "io/text_file.hpp"

namespace asterism {
namespace {

constexpr std::string_view mark = "asterism journal 2\n";
constexpr std::uint64_t page_size = Hdf5Transaction::page_size;
/// What a disk writes whole or not at all: a page that was being written may be old in one sector and new in the next.
constexpr std::uint64_t sector_size = 512;
constexpr std::size_t sectors = page_size / sector_size;

struct Header {
  std::uint64_t kept;
  std::uint64_t before;
  std::uint64_t after;
  std::uint64_t pages;
};

struct PageHeader {
  std::uint64_t at;
  std::uint64_t size;
  std::array<std::uint64_t, sectors> old;  ///< checksums of its sectors before
};

template <class T>
void append(std::string& text, const T& value) {
  text.append(reinterpret_cast<const char*>(&value), sizeof value);
}

/// False where the text is shorter.
template <class T>
bool take(std::string_view& text, T& value) {
  if (text.size() < sizeof value) return false;
  std::memcpy(&value, text.data(), sizeof value);
  text.remove_prefix(sizeof value);
  return true;
}

std::array<std::uint64_t, sectors> checksums_of(const char* page, std::uint64_t size) {
  std::array<std::uint64_t, sectors> sums{};
  for (std::size_t s = 0; s * sector_size < size; ++s)
    sums[s] = checksum(page + s * sector_size, std::min(sector_size, size - s * sector_size));
  return sums;
}

bool read_at(int file, std::uint64_t at, std::size_t size, char* bytes) {
  while (size > 0) {
    const ssize_t n = pread(file, bytes, size, static_cast<off_t>(at));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      if (n == 0) errno = EIO;
      return false;
    }
    at += static_cast<std::uint64_t>(n);
    bytes += n;
    size -= static_cast<std::size_t>(n);
  }
  return true;
}

/// Gives back its descriptor.
class OpenFile {
 public:
  explicit OpenFile(const std::filesystem::path& path) : descriptor(open(path.c_str(), O_RDWR | O_CLOEXEC)) {}
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  ~OpenFile() {
    if (descriptor >= 0) close(descriptor);
  }
  const int descriptor;
};

/// The pages of a journal one by one: visit(header, bytes) says whether to go on. False when they are not as a
/// transaction makes them.
template <class Visit>
bool for_pages(std::string_view text, const Header& header, const Visit& visit) {
  std::uint64_t next = 0;
  for (std::uint64_t p = 0; p < header.pages; ++p) {
    PageHeader page{};
    if (!take(text, page) || page.at % page_size != 0 || page.at < next || page.at >= header.kept ||
        page.size != std::min(page_size, header.kept - page.at) || text.size() < page.size)
      return false;
    next = page.at + page_size;
    if (!visit(page, text.data())) return false;
    text.remove_prefix(page.size);
  }
  return text.empty();
}

/// Whether every sector is as it was or, without a transaction that was rolled back, as it will be.
bool is_under_way(int file, const PageHeader& page, const char* bytes, bool rolled_back) {
  Hdf5Transaction::Page found{};
  if (!read_at(file, page.at, page.size, found.data())) return false;
  const auto now = checksums_of(found.data(), page.size);
  const auto then = checksums_of(bytes, page.size);
  for (std::size_t s = 0; s * sector_size < page.size; ++s)
    if (now[s] != page.old[s] && (rolled_back || now[s] != then[s])) return false;
  return true;
}

}  // namespace

std::filesystem::path Journal::of(const std::filesystem::path& file) {
  return file.string() + ".journal";
}

Journal::Journal(int file, const std::filesystem::path& name, std::uint64_t kept, std::uint64_t before,
                 std::uint64_t after, const Hdf5Transaction::Pages& pages)
    : text_(mark) {
  append(text_, Header{kept, before, after, pages.size()});
  for (const auto& [at, page] : pages) {
    const std::uint64_t size = std::min(page_size, kept - at);
    Hdf5Transaction::Page old{};
    if (!read_at(file, at, size, old.data())) failed("{}: cannot be read: {}", name.string(), system_message(errno));
    append(text_, PageHeader{at, size, checksums_of(old.data(), size)});
    text_.append(page.data(), size);
  }
  append(text_, checksum(text_.data(), text_.size()));
}

void Journal::write(const std::filesystem::path& path) const {
  OutputFile out(path);
  out.write(text_);
  out.commit();
}

void Journal::apply(const std::filesystem::path& journal, const std::filesystem::path& name) {
  const TextFile read(journal, "a journal of changes to an HDF5 file");
  const auto refuse = [&](const char* why) {
    bad_input("{}: {}; {} is unchanged: remove the journal, or put back the file that it is of", journal.string(), why,
              name.string());
  };
  std::string_view text = read.text;
  if (!text.starts_with("asterism journal ")) refuse("is no journal of this program");
  if (!text.starts_with(mark)) refuse("is a journal of another version");
  std::uint64_t sum = 0;
  if (text.size() < mark.size() + sizeof sum) refuse("is cut off");
  std::memcpy(&sum, text.data() + text.size() - sizeof sum, sizeof sum);
  text.remove_suffix(sizeof sum);
  if (checksum(text.data(), text.size()) != sum) refuse("is damaged: its checksum is another");
  text.remove_prefix(mark.size());
  Header header{};
  if (!take(text, header)) refuse("is cut off");
  const OpenFile file(name);
  if (file.descriptor < 0) bad_input("{}: cannot be written: {}", name.string(), system_message(errno));
  struct stat status = {};
  const auto size = fstat(file.descriptor, &status) == 0 ? static_cast<std::uint64_t>(status.st_size) : 0;
  // new bytes are there before the journal is, and are taken away where it cannot be written
  const bool rolled_back = size == header.kept && header.kept < header.after;
  const bool fits = header.kept <= header.before && header.after <= header.before &&
                    (size == header.before || size == header.after || rolled_back);
  if (!fits || !for_pages(text, header, [&](const PageHeader& page, const char* bytes) {
        return is_under_way(file.descriptor, page, bytes, rolled_back);
      }))
    refuse("was not written for this file");
  if (rolled_back) return;
  bool applied = for_pages(text, header, [&](const PageHeader& page, const char* bytes) {
    return write_at(file.descriptor, page.at, page.size, bytes);
  });
  applied = applied && ftruncate(file.descriptor, static_cast<off_t>(header.after)) == 0 && fsync(file.descriptor) == 0;
  if (!applied) failed("{}: cannot be completed from {}: {}", name.string(), journal.string(), system_message(errno));
}

void Hdf5Transaction::recover(const std::filesystem::path& file) {
  const std::filesystem::path journal = Journal::of(file);
  std::error_code error;
  if (!std::filesystem::exists(journal, error)) return;
  if (std::filesystem::exists(file, error)) {
    Journal::apply(journal, file);
  } else {
    const TextFile read(journal, "a journal of changes to an HDF5 file");
    if (!read.text.starts_with("asterism journal ")) bad_input("{}: is no journal of this program", journal.string());
  }
  std::filesystem::remove(journal);
}

}  // namespace asterism

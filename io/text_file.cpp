// SPDX-License-Identifier: Apache-2.0
#include "io/text_file.hpp"

#include <fcntl.h>
#include <libdeflate.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <new>
#include <system_error>
#include <utility>

#include "base/error.hpp"

namespace asterism {
/// A file mapped into memory for reading.
class TextFile::Mapping {
 public:
  Mapping(const std::string& name, const char* expected) {
    const int file = open(name.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);  // a FIFO must not block
    if (file < 0) bad_input("{}: cannot be read: {}; expected {}", name, system_message(errno), expected);
    struct stat status = {};
    const bool regular = fstat(file, &status) == 0 && S_ISREG(status.st_mode);
    size_ = static_cast<std::size_t>(status.st_size);
    if (regular && size_ > 0) data_ = mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file, 0);
    const std::string mapping_message = system_message(errno);
    close(file);
    if (S_ISDIR(status.st_mode)) bad_input("{}: is a directory; expected {}", name, expected);
    if (!regular) bad_input("{}: is not a regular file; expected {}", name, expected);
    if (size_ == 0) bad_input("{}: the file is empty; expected {}", name, expected);
    if (data_ == MAP_FAILED) bad_input("{}: cannot be mapped: {}", name, mapping_message);
    madvise(data_, size_, MADV_WILLNEED);
  }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  ~Mapping() { munmap(data_, size_); }

  [[nodiscard]] std::string_view text() const { return {static_cast<const char*>(data_), size_}; }

 private:
  void* data_ = MAP_FAILED;
  std::size_t size_ = 0;
};

TextFile::TextFile(const std::filesystem::path& path, const char* expected)
    : name(path.string()), mapping_(std::make_unique<Mapping>(name, expected)) {
  text = mapping_->text();
  if (text.starts_with("\x1f\x8b")) text = decompress(expected);
}

TextFile::~TextFile() = default;

/// Decompresses every member of a gzip file, one after the other.
std::string_view TextFile::decompress(const char* expected) {
  const std::unique_ptr<libdeflate_decompressor, decltype(&libdeflate_free_decompressor)> decompressor(
      libdeflate_alloc_decompressor(), libdeflate_free_decompressor);
  if (!decompressor) throw std::bad_alloc();
  // The last four bytes hold the length modulo 2^32 of the last member: exact for most files, and only a
  // first guess. deflate cannot expand more than 1032 times, which keeps a corrupt guess harmless.
  std::uint32_t last_length = 1;
  if (text.size() > 4) std::memcpy(&last_length, text.data() + text.size() - 4, 4);
  buffer_ = Array<char>(std::clamp<std::size_t>(last_length, 1, 1032 * text.size()));
  std::size_t consumed = 0;
  std::size_t produced = 0;
  while (consumed < text.size()) {
    std::size_t member_in = 0;
    std::size_t member_out = 0;
    const libdeflate_result result =
        libdeflate_gzip_decompress_ex(decompressor.get(), text.data() + consumed, text.size() - consumed,
                                      buffer_.data() + produced, buffer_.size() - produced, &member_in, &member_out);
    if (result == LIBDEFLATE_INSUFFICIENT_SPACE) {
      Array<char> larger(2 * buffer_.size() + 4 * (text.size() - consumed));
      std::memcpy(larger.data(), buffer_.data(), produced);
      buffer_ = std::move(larger);
      continue;
    }
    if (result != LIBDEFLATE_SUCCESS) {
      bad_input("{}: truncated or corrupt gzip data in the member at byte {} of {}", name, consumed, text.size());
    }
    consumed += member_in;
    produced += member_out;
  }
  if (produced == 0) bad_input("{}: the file is empty once decompressed; expected {}", name, expected);
  return {buffer_.data(), produced};
}

}  // namespace asterism

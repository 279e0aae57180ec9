// SPDX-License-Identifier: Apache-2.0
#include "io/line_stream.hpp"

#include <zlib.h>

#include <algorithm>
#include <cstring>

#include "io/text_words.hpp"

namespace asterism {

struct LineStream::File {
  gzFile handle;
};

namespace {
constexpr std::size_t chunk = 1 << 20;
constexpr std::size_t longest_line = 256u << 20;
}  // namespace

LineStream::LineStream(std::filesystem::path path) : path_(std::move(path)) {
  std::error_code error;
  if (std::filesystem::is_directory(path_, error)) bad_input("{}: is a folder, a file was expected", path_.string());
  gzFile handle = gzopen(path_.c_str(), "rb");
  if (!handle) bad_input("{}: cannot be opened ({})", path_.string(), std::strerror(errno));
  gzbuffer(handle, chunk);
  file_ = new File{handle};
  const auto size = std::filesystem::file_size(path_, error);
  size_ = error ? 0 : size;
  buffer_.resize(chunk);
}

LineStream::~LineStream() {
  gzclose(file_->handle);
  delete file_;
}

double LineStream::progress() const noexcept {
  const auto at = gzoffset(file_->handle);
  return size_ > 0 && at > 0 ? std::min(1.0, static_cast<double>(at) / static_cast<double>(size_)) : 0;
}

bool LineStream::fill() {
  if (begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  if (end_ == buffer_.size()) {
    if (buffer_.size() >= longest_line) fail("a line of more than {} MB: not a text file", longest_line >> 20);
    buffer_.resize(2 * buffer_.size());
  }
  const int got = gzread(file_->handle, buffer_.data() + end_,
                         static_cast<unsigned>(std::min<std::size_t>(buffer_.size() - end_, 1u << 30)));
  int code = Z_OK;
  if (got < 0 || (got == 0 && (gzerror(file_->handle, &code), code == Z_BUF_ERROR)))
    bad_input("{}: damaged or cut after line {} ({})", path_.string(), number_, gzerror(file_->handle, &code));
  end_ += static_cast<std::size_t>(got);
  return got > 0;
}

bool LineStream::next(std::string_view& line) {
  std::size_t searched = begin_;
  for (;;) {
    const void* const found = std::memchr(buffer_.data() + searched, '\n', end_ - searched);
    if (found) {
      const auto at = static_cast<std::size_t>(static_cast<const char*>(found) - buffer_.data());
      line = {buffer_.data() + begin_, at - begin_};
      begin_ = at + 1;
      ++number_;
      return true;
    }
    const std::size_t kept = end_ - begin_;
    if (!fill()) {
      if (end_ == begin_) return false;
      ++number_;
      fail("the file ends in the middle of a line: it was cut");
    }
    searched = begin_ + kept;
  }
}

bool next_quoted_field(std::string_view& rest, std::string_view& field) {
  std::size_t i = 0;
  while (i < rest.size() && is_blank(rest[i])) ++i;
  if (i == rest.size()) return false;
  std::size_t j = i;
  if (rest[i] == '"') {
    j = rest.find('"', i + 1);
    if (j == std::string_view::npos) j = rest.size();
    field = rest.substr(i + 1, j - i - 1);
    rest.remove_prefix(std::min(rest.size(), j + 1));
    return true;
  }
  while (j < rest.size() && !is_blank(rest[j])) ++j;
  field = rest.substr(i, j - i);
  rest.remove_prefix(j);
  return true;
}

}  // namespace asterism

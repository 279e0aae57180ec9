// SPDX-License-Identifier: Apache-2.0
// The text of a file, plain or gzip-compressed, in memory at once.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "base/array.hpp"

namespace asterism {

/// Maps a file and, when it begins as gzip does, decompresses all its members.
class TextFile {
 public:
  /// expected: what the file should be, for messages ("a gmsh mesh"). Throws Error (bad_input), one line naming the
  /// file: missing, unreadable, not a regular file, empty, or damaged gzip data.
  TextFile(const std::filesystem::path& path, const char* expected);
  ~TextFile();
  TextFile(const TextFile&) = delete;
  TextFile& operator=(const TextFile&) = delete;

  const std::string name;
  std::string_view text;

 private:
  class Mapping;
  std::string_view decompress(const char* expected);

  std::unique_ptr<Mapping> mapping_;
  Array<char> buffer_;
};

}  // namespace asterism

// SPDX-License-Identifier: Apache-2.0
// Several NumPy arrays in one file, as numpy.savez() and scipy.sparse.save_npz() write them: a ZIP archive of .npy
// files, stored or deflated.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "base/array.hpp"
#include "io/arrays/npy.hpp"

namespace asterism {

class NpzFile {
 public:
  /// Opens the archive. Throws Error (bad_input), one line naming the file: missing, no ZIP archive, damaged.
  explicit NpzFile(const std::filesystem::path& path);
  ~NpzFile();
  NpzFile(const NpzFile&) = delete;
  NpzFile& operator=(const NpzFile&) = delete;

  const std::string name;

  [[nodiscard]] bool has(const std::string& array) const;
  /// Reads an array ("data"), whose values stay as long as this object; its checksum is checked. expected: what it
  /// should be, for messages. Throws Error (bad_input): missing, damaged, encrypted, compressed in another way, or as
  /// parse_npy().
  NpyArray read(const std::string& array, std::string_view expected);

 private:
  void* archive_ = nullptr;
  std::map<std::string, Array<char>> bytes_;
};

}  // namespace asterism

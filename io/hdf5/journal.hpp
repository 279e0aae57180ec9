// SPDX-License-Identifier: Apache-2.0
// The journal of a transaction: the pages of a file that are about to change, as they will be, with checksums of what
// they were. It is complete on the disk before the first page is written, and removed after the last.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "io/hdf5/transaction.hpp"

namespace asterism {

class Journal {
 public:
  /// "FILE.journal"
  static std::filesystem::path of(const std::filesystem::path& file);

  /// kept: bytes in which pages change; before, after: bytes of the file, behind which more is, and what is left of
  /// them. Reads the pages as they are. Throws Error (failed).
  Journal(int file, const std::filesystem::path& name, std::uint64_t kept, std::uint64_t before, std::uint64_t after,
          const Hdf5Transaction::Pages& pages);
  /// Throws Error.
  void write(const std::filesystem::path& path) const;

  /// Completes the file. Throws Error: bad_input when the journal is damaged or was not written for this file, of which
  /// nothing changes then.
  static void apply(const std::filesystem::path& journal, const std::filesystem::path& file);

 private:
  std::string text_;
};

}  // namespace asterism

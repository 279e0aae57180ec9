// SPDX-License-Identifier: Apache-2.0
// One writer at a time: a second program that is to write a file is refused.
#pragma once

#include <filesystem>
#include <optional>

#include "io/temporary_files.hpp"

namespace asterism {

class OutputLock {
 public:
  /// Locks ".NAME.lock" beside the file, on all machines that see the folder, and removes the temporary files that
  /// killed programs left of it. Throws Error (bad_input) when another process has the lock. Where a lock cannot be
  /// made, as in a folder that cannot be written to, there is none.
  explicit OutputLock(const std::filesystem::path& file);
  ~OutputLock();
  OutputLock(const OutputLock&) = delete;
  OutputLock& operator=(const OutputLock&) = delete;

 private:
  std::filesystem::path lock_;
  int descriptor_ = -1;
  std::optional<TemporaryFile> registered_;
};

}  // namespace asterism

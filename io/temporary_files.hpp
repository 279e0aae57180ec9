// SPDX-License-Identifier: Apache-2.0
// Temporary files of this process, so that a signal's handler can remove them.
#pragma once

#include <string>

namespace asterism {

/// While it lives, remove_temporary_files() removes `path`. Beyond a fixed number of files it does nothing.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& path) noexcept;
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

 private:
  int slot_ = -1;
};

/// Removes the temporary files of this process, not those of a process that it was forked from. A signal's handler may
/// call it.
void remove_temporary_files() noexcept;

}  // namespace asterism

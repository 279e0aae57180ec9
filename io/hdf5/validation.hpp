// SPDX-License-Identifier: Apache-2.0
// HDF5's library crashes on some damaged files. A file that nothing is known about is read by a child process first.
#pragma once

#include <filesystem>

namespace asterism {

[[nodiscard]] bool begins_as_hdf5(const std::filesystem::path& file);

enum class Trust {
  harmless,  ///< HDF5 reads it without a crash
  whole,     ///< its checksums are right, which says more
};
/// Whether this process wrote the file or found it right, and it has not changed since.
[[nodiscard]] bool is_trusted(const std::filesystem::path& file, Trust wanted);
void trust(const std::filesystem::path& file, Trust found);

/// Throws Error (bad_input), one line naming the file, when HDF5's library crashes on it, takes 30 seconds for its
/// structure, or wants more than 1 GiB of memory. What HDF5 itself finds wrong is left to the reader.
void require_harmless_hdf5(const std::filesystem::path& file);

}  // namespace asterism

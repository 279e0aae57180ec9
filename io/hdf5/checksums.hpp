// SPDX-License-Identifier: Apache-2.0
// Checksums of a whole HDF5 file in a table behind its end, where HDF5 does not look: one for the values of each
// dataset, and one for what is between them, which is structure and attributes. A changed bit anywhere, in the table
// itself too, is seen before HDF5 opens the file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace asterism {

/// Bytes of a file.
struct NamedBytes {
  std::string name;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

/// Appends the table to a file that HDF5 has closed. `datasets`: in any order, without overlap. Reads the file with all
/// threads. Throws Error (failed) naming `shown`.
void append_checksums(const std::filesystem::path& file, const std::filesystem::path& shown,
                      std::vector<NamedBytes> datasets);

/// Throws Error (bad_input), one line naming the file and the dataset: bytes that are not those that were written, a
/// file that is cut off, or one without checksums, as older versions wrote them. The line names a whole predecessor
/// (--keep) if there is one. What was found right is not read again while the file stays as it is. A file that is
/// missing or no HDF5 file is left to Hdf5Input.
void require_checksums(const std::filesystem::path& file);

/// "FILE.1" for the file before, "FILE.2" for the one before that.
std::filesystem::path predecessor_of(const std::filesystem::path& file, int age);
/// Makes room for a new file: what is at `file` becomes FILE.1, FILE.1 becomes FILE.2, until there are `keep` with the
/// new one. The file stays at its place, too, until it is replaced.
void keep_predecessors(const std::filesystem::path& file, int keep);

/// How many checkpoints programs keep, the newest included: --keep.
int& checkpoints_to_keep() noexcept;

}  // namespace asterism

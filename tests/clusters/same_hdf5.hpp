// SPDX-License-Identifier: Apache-2.0
// Whether two HDF5 files are the same, but for the times at which datasets were made.
#pragma once

#include <cstddef>
#include <string>

namespace asterism::tests {

/// HDF5's object headers hold seconds in four bytes for each dataset, of which those of files written one after the
/// other differ in the last two at most.
inline bool same_but_for_times(const std::string& a, const std::string& b, std::size_t datasets) {
  if (a.size() != b.size()) return false;
  std::size_t differing = 0;
  for (std::size_t i = 0; i < a.size(); ++i) differing += a[i] == b[i] ? 0 : 1;
  return differing <= 2 * datasets;
}

}  // namespace asterism::tests

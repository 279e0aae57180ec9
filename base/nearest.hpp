// SPDX-License-Identifier: Apache-2.0
// The name that was meant, where one was misspelt.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

namespace asterism {

/// Levenshtein's distance: characters to insert, to remove or to replace.
inline std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0 : 1)});
      diagonal = above;
    }
  }
  return row[b.size()];
}

/// The one of `known` with the smallest distance to `name`, the first in the alphabet of several; empty: none has
/// fewer changes than `name` has characters.
inline std::string nearest(std::string_view name, const std::vector<std::string>& known) {
  std::string found;
  std::size_t fewest = name.size() + 1;
  for (const std::string& candidate : known) {
    const std::size_t changes = edit_distance(name, candidate);
    if (changes > fewest || (changes == fewest && !found.empty() && candidate >= found)) continue;
    fewest = changes;
    found = candidate;
  }
  return found;
}

}  // namespace asterism

// SPDX-License-Identifier: Apache-2.0
// What is wrong with a source tree, and which of it is known and being repaired.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace asterism::structure {

struct Complaint {
  std::string file;       ///< or a folder, ending in '/'; from the root of the tree
  int line = 0;           ///< counted from 1; 0: the file or folder as a whole
  std::string found;      ///< e.g. "includes \"schedulers/plugin.hpp\""
  std::string expected;   ///< e.g. "a file of base/, io/ or runtime/"
  std::string exception;  ///< the key under which a table of known exceptions names it
};

/// "file:line: found, expected ...".
std::string to_string(const Complaint& complaint);

/// How many complaints of a key are known.
using KnownExceptions = std::map<std::string, int>;

/// The complaints of each key that has more of them than are known, and a line for each key that has fewer: so that the
/// table, called `table` in messages, can only shrink.
std::vector<std::string> judge(const std::vector<Complaint>& complaints, const KnownExceptions& known,
                               const std::string& table);

}  // namespace asterism::structure

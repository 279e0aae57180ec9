// SPDX-License-Identifier: Apache-2.0
// The rules of the house: each takes a source tree and returns what breaks the rule.
#pragma once

#include <vector>

#include "tests/structure/checker/complaint.hpp"
#include "tests/structure/checker/source_tree.hpp"

namespace asterism::structure {

/// Every #include "..." names a file of the tree by its path from the root, of the same floor or one below; no method
/// includes another one; StarPU, MPI and hwloc are seen only where they may be. Key: the file.
std::vector<Complaint> check_floors(const SourceTree& tree);

/// Every method has the files of the contract, and a main.cpp of at most 60 lines. Key: the file.
std::vector<Complaint> check_contract(const SourceTree& tree);

/// At most 400 lines in a source file, 100 in a function, 25 source files in a folder. Keys: the file, "file:
/// function", the folder with '/' at its end.
std::vector<Complaint> check_sizes(const SourceTree& tree);

/// No file names a folder outside the repository. Key: the file.
std::vector<Complaint> check_outside_paths(const SourceTree& tree);

/// Comments stand by themselves: none begins with "Likewise", "The same." or "The same,", is a single sentence that
/// begins with "Of ", or ends in an ellipsis, except after a comma, as in "x, 2 x, ...". Key: the file.
std::vector<Complaint> check_comments(const SourceTree& tree);

/// Every source and script names the licence in its first line, or below that of its interpreter. Key: the file.
std::vector<Complaint> check_licences(const SourceTree& tree);

}  // namespace asterism::structure

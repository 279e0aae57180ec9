// SPDX-License-Identifier: Apache-2.0
// M2L operators kept on disk: computed once per kernel and accuracy, read by later runs.
#pragma once

#include <filesystem>
#include <vector>

#include "taskflows/fmm/problem.hpp"

namespace asterism::fmm {

/// The primitive operators of a homogeneous kernel for cells of half width 1: read from a file of the folder
/// "operators" of the cache (runtime/machine/known_rates.hpp), or computed and kept there. A file that is damaged, of
/// another version, or of a kernel with other values is ignored and replaced; one that cannot be written is no error.
/// Kernels that are not homogeneous have operators for each width of cells, which are not kept.
std::vector<PrimitiveOperator> primitive_operators_of(const Problem& problem, const Basis& basis, double half_width);

/// The operators between a periodic box and its farther images, kept in the same way (periodic/lattice_operator.hpp),
/// for every kernel that has them.
std::vector<PrimitiveOperator> lattice_operators_of(const Problem& problem, const Basis& basis, int periodic);

/// Whether the primitive ones need not be computed.
bool operators_are_kept(const Problem& problem);

/// The files that they are kept in; empty: none.
std::filesystem::path operator_file(const Problem& problem);
std::filesystem::path lattice_file(const Problem& problem, int periodic);

}  // namespace asterism::fmm

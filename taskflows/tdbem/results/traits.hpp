// SPDX-License-Identifier: Apache-2.0
// What a problem is, in words that files keep: a file of another problem is refused by the name of what differs.
#pragma once

#include <string>
#include <vector>

#include "io/hdf5/file.hpp"
#include "taskflows/tdbem/problem.hpp"

namespace asterism::tdbem {

/// Numbers in `value` have all their digits; long lists are a fingerprint.
struct Trait {
  std::string name, value;
};
using Traits = std::vector<Trait>;

const char* name_of(Boundary boundary);

/// A fingerprint of vertices and triangles in their order.
std::string fingerprint(const Surface& surface);

/// What the convolution matrices depend on, but the block size: boundary, speed, dt, unknowns, surface, quadrature; and
/// the precision, `bytes` of a number.
Traits matrix_traits(const Problem& problem, std::size_t bytes);
/// What the solution depends on besides: first step, waves, observers. Limits and the kind of solver are not among it.
Traits run_traits(const Problem& problem);

/// As attributes of the file.
void write(Hdf5Output& file, const Traits& traits);
/// Throws Error (bad_input), naming the file, the trait, what was found and what the run has.
void check_same(const Hdf5Input& file, const Traits& traits);
/// Throws Error (bad_input) unless the attribute `format` is `mark`; `what`: the kind of file that was expected.
void check_format(const Hdf5Input& file, const char* mark, const char* what);

}  // namespace asterism::tdbem

// SPDX-License-Identifier: Apache-2.0
// Judgement of a run: on the sphere against the exact series, elsewhere against plain marching; and the matrices
// against an identity that exact ones fulfil.
#pragma once

#include <cstdint>
#include <vector>

#include "base/verdict.hpp"
#include "taskflows/tdbem/cases.hpp"
#include "taskflows/tdbem/matrices/matrices.hpp"

namespace asterism::tdbem {

/// Steps whose values verify() wants, the first ones: all on the sphere, elsewhere as many as plain marching can do in
/// some seconds.
std::int64_t compared_steps(const ProblemCase& problem_case);

/// `values`: [step][unknown] of the first wave, from step `first`, with which a resumed run begins, to
/// compared_steps(). On the sphere they are compared with the exact series, from which the distance falls with the
/// square of the edges. All ranks call it together.
template <class T>
std::vector<Verdict> verify(const ProblemCase& problem_case, Matrices<T>& matrices, const std::vector<double>& values,
                            std::int64_t first);

}  // namespace asterism::tdbem

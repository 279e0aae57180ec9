// SPDX-License-Identifier: Apache-2.0
// Marching on in time as written in equation (2) of Bramas, Coulaud, Sylvand, Parallel Computing 49 (2015): one step
// after the other, one product of numbers after the other, in double precision, M^0 factorised. Shares the matrices
// with the task flow, and nothing else. Over several ranks, which call this together, each takes part with its slices.
#pragma once

#include <cstdint>
#include <vector>

#include "taskflows/tdbem/matrices/matrices.hpp"

namespace asterism::tdbem {

/// a^0 to a^(steps - 1) of a wave, by unknown: result[n][i].
template <class T>
std::vector<std::vector<double>> reference_march(const Problem& problem, Matrices<T>& matrices, std::int32_t wave,
                                                 std::int64_t steps);

/// What exact matrices make zero, sum_k M^k 1: a constant pressure on a rigid body scatters nothing, and what is
/// constant on a soft one drives nothing. Largest entry by that of all matrices.
template <class T>
double identity_error(const Problem& problem, Matrices<T>& matrices);

}  // namespace asterism::tdbem

// Is the answer right?
#pragma once

#include <vector>

#include "apps/common/verdict.hpp"
#include "apps/tdbem/arguments.hpp"
#include "taskflows/tdbem/simulation.hpp"

namespace asterism::apps::tdbem {

/// Steps of which verify() wants all values, the first ones.
std::int64_t compared_steps(const Case& of);

/// `values`: [step][unknown] of the first wave, compared_steps() of them. On the sphere with the exact series, whose
/// distance falls with the square of the edges; elsewhere with plain marching, and the matrices with what exact ones
/// fulfil.
template <class T>
std::vector<Verdict> verify(const Case& of, asterism::tdbem::Matrices<T>& matrices, const std::vector<double>& values);

}  // namespace asterism::apps::tdbem

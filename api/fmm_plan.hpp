// SPDX-License-Identifier: Apache-2.0
// The problem and the tree of an evaluator, and the session that suits them: the choices of asterism-fmm.
#pragma once

#include <asterism/fmm.hpp>

#include "api/session_state.hpp"
#include "taskflows/fmm/simulation.hpp"

namespace asterism::v0::fmm {

/// Throws Error (bad_input) for an option out of range.
void require_options(const Options& options);

/// Kernel, factor and accuracy. `sources`: so many first points act on the others alone; none: all act on all.
asterism::fmm::Problem problem_of(const Options& options, const asterism::fmm::Particles& points,
                                  std::optional<std::size_t> sources);

/// Completes the shape of the tree, where it is left open by rates of this machine, which are measured where they are
/// not kept; and starts the session unless it runs.
void choose_tree(Session::State& session, const Options& chosen, const asterism::fmm::Problem& problem,
                 const asterism::fmm::Particles& points, asterism::fmm::Options& options);

}  // namespace asterism::v0::fmm

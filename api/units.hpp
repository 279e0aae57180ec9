// SPDX-License-Identifier: Apache-2.0
// What simulations of time steps share: their units, the turns that calls take, arguments.
#pragma once

#include <asterism/precision.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>

#include "api/session_state.hpp"
#include "base/error.hpp"
#include "base/precision.hpp"
#include "io/mesh/mesh.hpp"
#include "runtime/machine/unit_choice.hpp"

namespace asterism::v0 {

/// The running session. One that does not run yet starts with the units that suit `work` as the method's program
/// chooses them, but for numbers of cores: the session outlives the simulation. `last` completes the options after
/// that. Rates are measured where GPUs leave something to choose and none are kept.
const asterism::Session& start_for(Session::State& session, const std::optional<StepWork>& work,
                                   const std::function<void(asterism::SessionOptions&)>& last,
                                   std::optional<double>& gpu_share);

/// Calls advance(n) until step() is `steps` larger, and progress(step()) after each `every` of them and after the last
/// one, outside of a call of the session. Throws Error (bad_input) for numbers below 0.
void in_turns(long steps, long every, const std::function<long()>& step, const std::function<void(long)>& advance,
              const std::function<void(long)>& progress);

/// What a simulation has; throws Error (bad_input) where it was moved from: "expected one with `what`".
template <class State>
State& state_in(const std::unique_ptr<State>& state, const char* what) {
  if (state == nullptr) bad_input("a simulation that was moved from: expected one with {}", what);
  return *state;
}

/// in_turns() of a state that has step() and advance().
template <class State>
void advance_in_turns(State& state, long steps, const std::function<void(long)>& progress, long every) {
  in_turns(
      steps, every, [&] { return state.step(); }, [&](long n) { state.advance(n); }, progress);
}

/// Submits steps begin + 1 to begin + steps by advance(n). After each multiple of `every`, check(step) looks at what
/// they have brought. Returns when all tasks have ended.
void advance_checked(long begin, long steps, long every, const std::function<void(long)>& advance,
                     const std::function<void(long)>& check);

/// As the house has it. Throws Error (bad_input) for half precision unless `half`.
asterism::Precision precision_of(Precision precision, bool half = false);

/// Throws Error (bad_input), naming `what`, for a length other than `expected`, where empty is allowed, too.
void require_length_or_none(const char* what, std::size_t found, std::size_t expected);

/// A surface in the caller's memory: x, y, z of each vertex, three vertices of each triangle. Throws Error (bad_input)
/// for lengths that three does not divide, coordinates that are not finite, vertices that do not exist.
mesh::TriangleMesh mesh_of(std::span<const double> vertices, std::span<const std::int32_t> triangles);

}  // namespace asterism::v0

// SPDX-License-Identifier: Apache-2.0
// What one task does of the time steps of a brick. The flow composes the description from named parts
// (taskflows/fdtd/flow.cpp), the task carries them out (advance.hpp), in this order:
//
//   planes of both fields from the neighbours of overlapping strips               overlap.receives
//   as many steps as go through memory in whole passes                            several_steps
//   each of the other steps, from E at n and H at n - 1/2:
//     ghosts of E in place; H(n + 1/2) = A H(n - 1/2) - B dt / mu0 rot E(n)       half[magnetic].ghosts, boxes
//     both fields in one pass, H of some cells and E where it needs no ghost      both_fields
//     layers of H for neighbours                                                  half[magnetic].sent
//     ghosts of H in place; E(n + 1) = A E(n) + B dt / eps0 rot H(n + 1/2)        half[electric].ghosts, boxes
//     changes of coupled edges, of this brick and those around, are added         coupling
//     layers of E for neighbours                                                  half[electric].sent
//     monitors and probes                                                         completes
//   planes of both fields for the neighbours of overlapping strips                overlap.sends
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "codelets/fdtd/kernels/kernel_hook.hpp"
#include "codelets/fdtd/kernels/kernels.hpp"
#include "codelets/fdtd/kernels/update/apart.hpp"
#include "runtime/buffers.hpp"

namespace asterism::fdtd {

/// The place of a field in arrays of two.
constexpr std::size_t number(Field field) {
  return static_cast<std::size_t>(field);
}

}  // namespace asterism::fdtd

namespace asterism::fdtd::codelets {

/// Up to `most` values. Trivially copyable, as arguments of tasks are.
template <class Value, std::size_t most>
class FixedList {
 public:
  void push_back(const Value& value) { values_[count_++] = value; }
  [[nodiscard]] std::size_t size() const { return count_; }
  [[nodiscard]] bool empty() const { return count_ == 0; }
  [[nodiscard]] const Value* begin() const { return values_.data(); }
  [[nodiscard]] const Value* end() const { return values_.data() + count_; }
  const Value& operator[](std::size_t n) const { return values_[n]; }

 private:
  std::array<Value, most> values_{};
  std::size_t count_ = 0;
};
using Axes = FixedList<std::int32_t, 3>;

/// A brick. Arrays of two have the electric field first.
struct Scheme {
  Grid grid{};
  Factors factors[2]{};
  bool media[2]{};      ///< are there materials?
  bool graded = false;  ///< is the mesh? Then factors are those of the smallest cells.
};

/// A current along an entry of E, which takes from it in each step.
struct PointSource {
  std::int32_t component = 0, i = 0, j = 0, k = 0;
  double scale = 0;                                        ///< change of E by a current moment of 1 A m
  const std::function<double(double)>* current = nullptr;  ///< A m at a time; called by any thread
};

/// Ghosts of the field whose curl is taken, before the first boxes of a half-step.
enum class Ghosts : std::int8_t { left_as_they_are, put_in_place };

/// The part of a task in a half-step of one field.
struct HalfStep {
  Ghosts ghosts = Ghosts::left_as_they_are;
  Axes received;                       ///< ghosts come from neighbours along these axes
  Axes wrapped;                        ///< the brick is its own neighbour along these axes
  bool begins = false;                 ///< are the boxes the first ones of the half-step?
  FixedList<Box, 6> boxes;             ///< cells to be updated
  std::span<const HookBinding> hooks;  ///< further kernels of these boxes
  Axes sent;                           ///< layers go to neighbours along these axes
};

/// One pass through memory for both half-steps (update_both).
struct BothFields {
  Box h_cells{};
  Box e_cells{};  ///< need no ghosts of H
};

/// One pass through memory for several steps (update_steps). GPUs need scratch arrays for it, CPUs do not.
struct SeveralSteps {
  std::int32_t steps_of_gpu = 0;
  bool scratch = false;              ///< are there scratch arrays?
  std::span<const Reach> reaches{};  ///< of hooks other than layers
  Box media{};                       ///< cells outside of which media are like the background
  const Apart* apart = nullptr;      ///< of half of a GPU's steps
};

/// What strips that overlap along x do before and after their steps: planes of all components of both fields, E first,
/// component by component, then what absorbing layers have there, from and to the neighbours below and above.
struct Overlap {
  std::int32_t planes = 0;  ///< that come from a neighbour; 0: no overlap
  std::int32_t first = 0;   ///< own planes: [first, end)
  std::int32_t end = 0;
  bool receives[2]{};  ///< from below, from above
  bool sends[2]{};     ///< downwards, upwards
};

/// Probes of a brick.
struct Recording {
  std::int32_t probes = 0;
  std::int32_t row = 0;                ///< of the record, of the first step
  const ProbePlace* places = nullptr;  ///< in main memory
};

struct AdvanceArgs {
  Work work;
  Scheme scheme;
  std::array<HalfStep, 2> half;
  std::optional<BothFields> both_fields;
  std::optional<SeveralSteps> several_steps;
  Overlap overlap;
  std::int64_t step = 0;   ///< steps that E has behind it
  std::int32_t steps = 1;  ///< more only without neighbours, or between two exchanges of overlaps
  double dt = 0;
  std::span<const PointSource> sources;
  std::span<const HookBinding> coupling;  ///< one, or none
  bool completes = false;                 ///< is the step complete with this task?
  Recording recording;

  /// Which fields a task of this description changes.
  [[nodiscard]] bool changes(Field field) const {
    const HalfStep& own = half[number(field)];
    const HalfStep& other = half[1 - number(field)];  // puts ghosts of this field in place
    const bool ghosts = other.ghosts == Ghosts::put_in_place &&
                        (field == Field::magnetic || !other.received.empty() || !other.wrapped.empty());
    const bool couples = field == Field::electric && !coupling.empty();
    return !own.boxes.empty() || couples || both_fields || overlap.receives[0] || overlap.receives[1] || ghosts;
  }
};

}  // namespace asterism::fdtd::codelets

// SPDX-License-Identifier: Apache-2.0
// The state of a march: all that it is resumed from.
#include <starpu.h>

#include <algorithm>

#include "base/error.hpp"
#include "runtime/ranks/ranks.hpp"
#include "taskflows/tdbem/simulation.hpp"

namespace asterism::tdbem {

template <class T>
typename Simulation<T>::Wanted Simulation<T>::wanted() const {
  const std::vector<Range>& blocks = matrices_.structure().blocks;
  const Range own = matrices_.own();
  Wanted w;
  if (own.size() > 0)
    w.history = {blocks[static_cast<std::size_t>(own.begin)].begin, blocks[static_cast<std::size_t>(own.end) - 1].end};
  w.begun = {parts_.front().row_begin, parts_.back().row_begin + parts_.back().rows};
  return w;
}

template <class T>
typename Simulation<T>::Rows Simulation<T>::own_history() {
  Rows rows{wanted().history, {}};
  const std::int64_t reach = shape_.reach;
  rows.values.resize(static_cast<std::size_t>(waves_ * rows.unknowns.size() * reach));
  for (const std::size_t b : matrices_.own_blocks()) {
    const Acquired held(windows_[b], STARPU_R);
    const auto* values = static_cast<const T*>(starpu_data_get_local_ptr(windows_[b]));
    const Range slices = matrices_.structure().blocks[b];
    for (std::int64_t w = 0; w < waves_; ++w)
      for (std::int64_t j = 0; j < slices.size(); ++j)
        std::copy_n(values + (w * slices.size() + j) * shape_.stride, reach,
                    rows.values.begin() + (w * rows.unknowns.size() + slices.begin + j - rows.unknowns.begin) * reach);
  }
  return rows;
}

/// Where ranks have sums of all rows, those of rank 0.
template <class T>
typename Simulation<T>::Rows Simulation<T>::own_begun() {
  Rows rows{wanted().begun, {}};
  if (distributed_sums_ && !distributed_sums_->own_rows() && !rank_group().is_root()) return {};
  rows.values.resize(static_cast<std::size_t>(waves_ * rows.unknowns.size() * width_));
  for (const Part& part : parts_) {
    const Acquired held(part.totals, STARPU_R);
    const auto* values = static_cast<const T*>(starpu_data_get_local_ptr(part.totals));
    const std::int64_t line = static_cast<std::int64_t>(part.rows) * width_;
    for (std::int64_t w = 0; w < waves_; ++w)
      std::copy_n(values + w * line, line,
                  rows.values.begin() + (w * rows.unknowns.size() + part.row_begin - rows.unknowns.begin) * width_);
  }
  return rows;
}

template <class T>
typename Simulation<T>::State Simulation<T>::state() {
  if (method_.ahead) begin_group();  // sums of the next group are part of the state
  State s;
  s.steps = steps_;
  s.reach = shape_.reach;
  s.history = own_history();
  s.begun = own_begun();
  const starpu_data_handle_t found = solutions(steps_ / method_.group + 1);
  const Acquired held(found, STARPU_R);
  const auto* values = static_cast<const T*>(starpu_data_get_local_ptr(found));
  for (std::int64_t w = 0; w < waves_; ++w)
    for (std::int64_t j = 0; j < unknowns_; ++j)
      for (std::int64_t g = 0; g < method_.group; ++g)
        s.last.push_back(steps_ > 0 ? values[(w * method_.group + g) * unknowns_ + j] : T(0));
  gather_observed_pressure();
  const std::size_t lines = rank_group().is_root() ? static_cast<std::size_t>(waves_) * problem_.observers.size() : 0;
  for (std::size_t l = 0; l < lines; ++l) {
    const double* const line = record_.data() + static_cast<std::ptrdiff_t>(l) * record_stride_;
    s.record.insert(s.record.end(), line, line + steps_);
  }
  return s;
}

namespace {

/// Those of `range` among them, a wave's one after the other: copy(wave, values of its first unknown).
template <class Rows, class Copy>
void for_waves(const Rows& rows, Range range, std::int64_t waves, std::int64_t places, const Copy& copy) {
  for (std::int64_t w = 0; w < waves; ++w)
    copy(w, rows.values.data() + (w * rows.unknowns.size() + range.begin - rows.unknowns.begin) * places);
}

bool has(Range rows, Range wanted) {
  return wanted.size() == 0 || (rows.begin <= wanted.begin && wanted.end <= rows.end);
}

}  // namespace

template <class T>
void Simulation<T>::set(const State& state) {
  const auto numbers = [&](std::int64_t unknowns, std::int64_t places) {
    return static_cast<std::size_t>(waves_ * unknowns * places);
  };
  if (state.reach != shape_.reach || state.begun.values.size() != numbers(state.begun.unknowns.size(), width_) ||
      state.history.values.size() != numbers(state.history.unknowns.size(), state.reach) ||
      state.last.size() != numbers(unknowns_, method_.group) || !has(state.history.unknowns, wanted().history) ||
      !has(state.begun.unknowns, wanted().begun))
    bad_input("a state of {} past steps, expected {}: of another problem or method", state.reach, shape_.reach);
  steps_ = state.steps;
  for (const std::size_t b : matrices_.own_blocks()) {
    const Acquired held(windows_[b], STARPU_W);
    auto* values = static_cast<T*>(starpu_data_get_local_ptr(windows_[b]));
    const Range slices = matrices_.structure().blocks[b];
    std::fill_n(values, waves_ * slices.size() * shape_.stride, T(0));
    for_waves(state.history, slices, waves_, state.reach, [&](std::int64_t w, const T* from) {
      for (std::int64_t j = 0; j < slices.size(); ++j)
        std::copy_n(from + j * state.reach, state.reach, values + (w * slices.size() + j) * shape_.stride);
    });
  }
  for (Part& part : parts_) {
    const Acquired held(part.totals, STARPU_W);
    auto* values = static_cast<T*>(starpu_data_get_local_ptr(part.totals));
    const std::int64_t line = static_cast<std::int64_t>(part.rows) * width_;
    for_waves(state.begun, {part.row_begin, part.row_begin + part.rows}, waves_, width_,
              [&](std::int64_t w, const T* from) { std::copy_n(from, line, values + w * line); });
  }
  begun_ = method_.ahead;
  // the guesses of the next group are extrapolated from the last values
  const starpu_data_handle_t last = solutions(steps_ / method_.group + 1);
  const Acquired held(last, STARPU_W);
  auto* values = static_cast<T*>(starpu_data_get_local_ptr(last));
  for (std::int64_t w = 0; w < waves_; ++w)
    for (std::int64_t g = 0; g < method_.group; ++g)
      for (std::int64_t j = 0; j < unknowns_; ++j)
        values[(w * method_.group + g) * unknowns_ + j] =
            state.last[static_cast<std::size_t>((w * unknowns_ + j) * method_.group + g)];
  record_stride_ = 0;
  record_.clear();
  reserve(steps_);
  gathered_until_ = steps_;  // what is known so far is not asked of the others again
  const std::size_t lines = state.record.empty() ? 0 : static_cast<std::size_t>(waves_) * problem_.observers.size();
  for (std::size_t l = 0; l < lines; ++l)
    std::copy_n(state.record.begin() + static_cast<std::ptrdiff_t>(l) * steps_, steps_,
                record_.begin() + static_cast<std::ptrdiff_t>(l) * record_stride_);
}

template class Simulation<float>;
template class Simulation<double>;

}  // namespace asterism::tdbem

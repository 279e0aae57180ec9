// What a march has left behind, all that it goes on from.
#include <starpu.h>

#include <algorithm>

#include "taskflows/runtime/cluster.hpp"
#include "taskflows/runtime/error.hpp"
#include "taskflows/tdbem/simulation.hpp"

namespace asterism::tdbem {

/// Of own blocks, one after the other: [wave][unknown][reach].
template <class T>
std::vector<T> Simulation<T>::own_history() {
  std::vector<T> history;
  for (const std::size_t b : matrices_.own_blocks()) {
    const Acquired held(windows_[b], STARPU_R);
    const auto* values = static_cast<const T*>(starpu_data_get_local_ptr(windows_[b]));
    const std::int64_t lines = static_cast<std::int64_t>(waves_) * matrices_.structure().clusters[b].size();
    for (std::int64_t line = 0; line < lines; ++line)
      history.insert(history.end(), values + line * shape_.stride, values + line * shape_.stride + shape_.reach);
  }
  return history;
}

/// Of the rows of parts, which follow each other: [wave][row][width].
template <class T>
std::vector<T> Simulation<T>::own_begun() {
  std::int64_t rows = 0;
  for (const Part& part : parts_) rows += part.rows;
  std::vector<T> begun(static_cast<std::size_t>(waves_ * rows * width_));
  for (const Part& part : parts_) {
    const Acquired held(part.totals, STARPU_R);
    const auto* values = static_cast<const T*>(starpu_data_get_local_ptr(part.totals));
    const std::int64_t line = static_cast<std::int64_t>(part.rows) * width_;
    for (std::int64_t w = 0; w < waves_; ++w)
      std::copy_n(values + w * line, line,
                  begun.begin() + (w * rows + part.row_begin - parts_.front().row_begin) * width_);
  }
  return begun;
}

template <class T>
typename Simulation<T>::State Simulation<T>::state() {
  if (method_.ahead) begin_group();  // sums of the next group are part of the state
  State s;
  s.steps = steps_;
  s.reach = shape_.reach;
  if (cluster().speaks())
    s.history.resize(static_cast<std::size_t>(waves_) * static_cast<std::size_t>(unknowns_) *
                     static_cast<std::size_t>(s.reach));
  const std::vector<T> own = own_history();
  cluster().collect(std::span<const T>(own), [&](int rank, std::span<const T> part) {
    const auto first = matrices_.dealt()[static_cast<std::size_t>(rank)];
    const auto end = matrices_.dealt()[static_cast<std::size_t>(rank) + 1];
    const T* from = part.data();
    for (std::int32_t b = first; b < end; ++b) {
      const Range slices = matrices_.structure().clusters[static_cast<std::size_t>(b)];
      for (std::int64_t w = 0; w < waves_; ++w, from += static_cast<std::int64_t>(slices.size()) * s.reach)
        std::copy_n(from, static_cast<std::int64_t>(slices.size()) * s.reach,
                    s.history.begin() + (w * unknowns_ + slices.begin) * s.reach);
    }
  });
  s.begun = own_begun();
  if (of_ranks_ && of_ranks_->own_rows()) {
    const std::vector<T> mine = std::move(s.begun);
    s.begun.assign(cluster().speaks() ? static_cast<std::size_t>(waves_) * static_cast<std::size_t>(unknowns_) *
                                            static_cast<std::size_t>(width_)
                                      : 0,
                   T(0));
    cluster().collect(std::span<const T>(mine), [&](int rank, std::span<const T> part) {
      const std::int64_t first = of_ranks_->begin()[static_cast<std::size_t>(rank)];
      const std::int64_t line = (of_ranks_->begin()[static_cast<std::size_t>(rank) + 1] - first) * width_;
      for (std::int64_t w = 0; w < waves_; ++w)
        std::copy_n(part.data() + w * line, line, s.begun.begin() + (w * unknowns_ + first) * width_);
    });
  }
  bring_heard_together();
  const std::size_t lines = static_cast<std::size_t>(waves_) * problem_.observers.size();
  for (std::size_t l = 0; l < lines; ++l) {
    const double* const line = record_.data() + static_cast<std::ptrdiff_t>(l) * record_stride_;
    s.record.insert(s.record.end(), line, line + steps_);
  }
  return s;
}

template <class T>
void Simulation<T>::set(const State& state) {
  if (state.reach != shape_.reach || state.begun.size() != static_cast<std::size_t>(waves_) *
                                                               static_cast<std::size_t>(unknowns_) *
                                                               static_cast<std::size_t>(width_))
    bad_input("a state of {} past steps, expected {}: of another problem or method", state.reach, shape_.reach);
  steps_ = state.steps;
  for (const std::size_t b : matrices_.own_blocks()) {
    const Acquired held(windows_[b], STARPU_W);
    auto* values = static_cast<T*>(starpu_data_get_local_ptr(windows_[b]));
    const Range slices = matrices_.structure().clusters[b];
    std::fill_n(values, waves_ * slices.size() * shape_.stride, T(0));
    for (std::int64_t w = 0; w < waves_; ++w)
      for (std::int64_t j = 0; j < slices.size(); ++j)
        std::copy_n(state.history.begin() + (w * unknowns_ + slices.begin + j) * state.reach, state.reach,
                    values + (w * slices.size() + j) * shape_.stride);
  }
  for (Part& part : parts_) {
    const Acquired held(part.totals, STARPU_W);
    auto* values = static_cast<T*>(starpu_data_get_local_ptr(part.totals));
    const std::int64_t line = static_cast<std::int64_t>(part.rows) * width_;
    for (std::int64_t w = 0; w < waves_; ++w)
      std::copy_n(state.begun.begin() + (w * unknowns_ + part.row_begin) * static_cast<std::int64_t>(width_), line,
                  values + w * line);
  }
  begun_ = method_.ahead;
  // the guesses of the next group go on from the last values
  const starpu_data_handle_t last = solutions(steps_ / method_.group + 1);
  const Acquired held(last, STARPU_W);
  auto* values = static_cast<T*>(starpu_data_get_local_ptr(last));
  for (std::int64_t w = 0; w < waves_; ++w)
    for (std::int64_t g = 0; g < method_.group; ++g)
      for (std::int64_t j = 0; j < unknowns_; ++j)
        values[(w * method_.group + g) * unknowns_ + j] =
            state.history[static_cast<std::size_t>((w * unknowns_ + j + 1) * state.reach - method_.group + g)];
  record_stride_ = 0;
  record_.clear();
  reserve(steps_);
  together_ = steps_;  // what is known so far is not asked of the others again
  const std::size_t lines = static_cast<std::size_t>(waves_) * problem_.observers.size();
  for (std::size_t l = 0; l < lines; ++l)
    std::copy_n(state.record.begin() + static_cast<std::ptrdiff_t>(l) * steps_, steps_,
                record_.begin() + static_cast<std::ptrdiff_t>(l) * record_stride_);
}

template class Simulation<float>;
template class Simulation<double>;

}  // namespace asterism::tdbem

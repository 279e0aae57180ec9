// SPDX-License-Identifier: Apache-2.0
// The sums s of a group of steps over several ranks: each has those by its own slices, of all rows, and all need what
// they add up to, as every rank solves M^0 a = s by itself. Sums of rows go to the rank that has these rows, in as many
// rounds as the number of ranks has bits, added up on the way (the transpose of J. Bruck's gather, see
// runtime/ranks/all_gather.hpp), or in one (ranks_send_at_once). They are gathered from there: all of a group, or,
// where ranks radiate into their own rows only, step by step. A rank sends twice its sums, and what it submits grows
// with the rounds only. Few ranks whose GPUs reach each other send all of their sums, and the right-hand sides of their
// rows, to each other instead, once. The order of additions follows from the rounds and the number of ranks.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "codelets/tdbem/codelets.hpp"
#include "runtime/handle.hpp"
#include "runtime/memory/host_memory.hpp"
#include "runtime/ranks/all_gather.hpp"
#include "runtime/submit.hpp"
#include "taskflows/tdbem/problem.hpp"

namespace asterism::tdbem {

/// An array of numbers of some rows that takes part in a sum.
struct Addend {
  starpu_data_handle_t handle;
  codelets::CombineArgs::Rows rows;
};

/// Submits sum = begun + all addends that have any of its rows, in their order. Returns the number of tasks: one but
/// for many addends.
template <class T>
std::int32_t submit_sum(starpu_data_handle_t sum, const TotalsShape& shape, Begun begun,
                        const std::vector<Addend>& addends, const TaskOptions& options);

template <class T>
class DistributedSums {
 public:
  /// Sums of `rows` rows. `radiation`: all_rows or own_rows. `pieces`: into so many pieces a rank cuts its rows. All
  /// ranks make it with the same arguments, but for `pieces`.
  DistributedSums(std::int32_t rows, std::int32_t group, std::int32_t waves, std::int32_t pieces, Radiation radiation);

  /// Submits what adds up `partials`, of this rank, with those of the others: sums() for tasks submitted then, of all
  /// rows or of this rank's. Returns the number of tasks.
  std::int32_t submit_sums(const std::vector<Addend>& partials, const TaskOptions& options);
  [[nodiscard]] const std::vector<Addend>& sums() const { return sums_; }

  /// Some of this rank's rows, whose right-hand sides others do not compute.
  struct Piece {
    std::int32_t row_begin = 0, rows = 0;
    std::vector<Handle> incident;  ///< of each wave: [row][g]
    HostBuffer<T> sums_memory, incident_memory;
    Handle sums, negated_incident;  ///< by row, of Radiation::all_rows
    std::vector<Handle> steps;      ///< of each wave, a step's, of Radiation::own_rows
  };
  [[nodiscard]] const std::vector<Piece>& pieces() const { return pieces_; }
  /// Submits what puts the right-hand sides l of all pieces together, as -l: incident(), of the rows that sums() have.
  /// Returns the number of tasks.
  std::int32_t submit_incident(const TaskOptions& options);
  [[nodiscard]] const std::vector<Addend>& incident() const { return incident_; }

  [[nodiscard]] bool own_rows() const { return radiation_ == Radiation::own_rows; }
  /// Radiation::own_rows: submits what gathers step g of a wave of the totals of all ranks' pieces, [wave][row][width]:
  /// all rows one after the other. Returns the number of tasks.
  std::int32_t submit_step(const std::vector<starpu_data_handle_t>& totals, std::int32_t width, std::int32_t g,
                           std::int32_t wave, const TaskOptions& options);
  [[nodiscard]] starpu_data_handle_t step(std::int32_t wave) const { return gathered_steps_[at(wave)]->all(); }
  /// The first row of each rank, and the end.
  [[nodiscard]] const std::vector<int>& begin() const { return begin_; }

  /// All data, for memory accounting.
  [[nodiscard]] std::vector<starpu_data_handle_t> data() const;

 private:
  /// Places of what exchange_all_rows sends.
  static constexpr std::size_t all_sums = 0, own_incident = 1;

  /// Sums of consecutive rows on their way from this rank to `other`, or from there.
  struct Message {
    std::int32_t row_begin = 0, rows = 0;
    int other = 0;
    HostBuffer<T> memory;
    Handle handle;
  };
  void exchange_at_once();
  void exchange_all_rows();
  std::int32_t submit_at_once(std::size_t what, const std::vector<Addend>& addends, const TaskOptions& options);
  void exchange_in_rounds();
  [[nodiscard]] std::vector<Message> messages(int from, int to, int round, std::int64_t tags) const;
  [[nodiscard]] Message message(int from, int to, int first, int last, std::int64_t tag) const;
  [[nodiscard]] TotalsShape shape(std::int32_t row_begin, std::int32_t rows, Arrangement arrangement) const;
  [[nodiscard]] Addend everywhere(const AllGather& gathered) const;
  void add_piece(std::int32_t begin, std::int32_t end, std::int32_t number);
  [[nodiscard]] static std::size_t at(std::int32_t wave) { return static_cast<std::size_t>(wave); }

  std::int32_t rows_, group_, waves_;
  Radiation radiation_;
  std::vector<int> begin_;                             ///< of each rank's rows, and the end
  std::vector<std::vector<Message>> sent_, received_;  ///< by round; or of exchange_all_rows
  std::vector<Piece> pieces_;
  std::unique_ptr<AllGather> gathered_sums_, gathered_incident_;  ///< Radiation::all_rows, in rounds
  std::vector<std::unique_ptr<AllGather>> gathered_steps_;        ///< of each wave, Radiation::own_rows
  std::vector<Addend> sums_, incident_;
};

}  // namespace asterism::tdbem

// SPDX-License-Identifier: Apache-2.0
#include "taskflows/tdbem/distributed_sums.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "runtime/ranks/ranks.hpp"

namespace asterism::tdbem {
namespace {

int rounds_of(int ranks) {
  int rounds = 0;
  while (1 << rounds < ranks) ++rounds;
  return rounds;
}

/// As many rows for each rank.
std::vector<int> equal_rows(std::int32_t rows) {
  std::vector<int> begin;
  const std::int64_t ranks = rank_group().ranks();
  for (std::int64_t rank = 0; rank <= ranks; ++rank) begin.push_back(static_cast<int>(rows * rank / ranks));
  return begin;
}

bool have_common_rows(const codelets::CombineArgs::Rows& rows, const TotalsShape& shape) {
  return rows.begin < shape.row_begin + shape.rows && shape.row_begin < rows.begin + rows.count;
}

/// Tells StarPU about a task that another rank runs, so that this rank sends or receives the datum.
template <class T>
void submit_for_rank(int rank, starpu_data_handle_t handle, starpu_data_access_mode mode) {
  submit(codelets::combine.of<T>(), codelets::CombineArgs{}, {{handle, mode}}, {.rank = rank});
}

}  // namespace

template <class T>
std::int32_t submit_sum(starpu_data_handle_t sum, const TotalsShape& shape, Begun begun,
                        const std::vector<Addend>& addends, const TaskOptions& options) {
  std::vector<Addend> some;
  for (const Addend& addend : addends)
    if (have_common_rows(addend.rows, shape)) some.push_back(addend);
  std::int32_t tasks = 0;
  for (std::size_t first = 0; first == 0 || first < some.size(); first += most_partials) {
    codelets::CombineArgs args;
    args.shape = shape;
    args.begun = first == 0 ? begun : Begun::present;
    std::vector<Access> accesses = {{sum, args.begun == Begun::nothing ? STARPU_W : STARPU_RW}};
    for (std::size_t a = first; a < std::min(first + most_partials, some.size()); ++a) {
      args.rows[args.partials++] = some[a].rows;
      accesses.push_back({some[a].handle, STARPU_R});
    }
    args.work.cells = shape.elements();
    args.work.variant = args.partials;
    // sum = begun + sum of these addends
    submit(codelets::combine.of<T>(), args, accesses, options);
    ++tasks;
  }
  return tasks;
}
template std::int32_t submit_sum<float>(starpu_data_handle_t, const TotalsShape&, Begun, const std::vector<Addend>&,
                                        const TaskOptions&);
template std::int32_t submit_sum<double>(starpu_data_handle_t, const TotalsShape&, Begun, const std::vector<Addend>&,
                                         const TaskOptions&);

template <class T>
DistributedSums<T>::DistributedSums(std::int32_t rows, std::int32_t group, std::int32_t waves, std::int32_t pieces,
                                    Radiation radiation)
    : rows_(rows), group_(group), waves_(waves), radiation_(radiation), begin_(equal_rows(rows)) {
  const int me = rank_group().rank();
  if (own_rows()) {
    for (std::int32_t w = 0; w < waves; ++w)
      gathered_steps_.push_back(std::make_unique<AllGather>(fmt::format("step_of_wave_{}", w), sizeof(T), begin_));
  } else {
    const std::size_t of_row = sizeof(T) * static_cast<std::size_t>(waves * group);
    if (!ranks_send_at_once()) {
      gathered_sums_ = std::make_unique<AllGather>("sums_of_ranks", of_row, begin_);
      gathered_incident_ = std::make_unique<AllGather>("incident_of_ranks", of_row, begin_);
      sums_ = {everywhere(*gathered_sums_)};
      incident_ = {everywhere(*gathered_incident_)};
    }
  }
  if (!ranks_send_at_once())
    exchange_in_rounds();
  else if (own_rows())
    exchange_at_once();
  else
    exchange_all_rows();
  const std::int32_t first = begin_[static_cast<std::size_t>(me)], end = begin_[static_cast<std::size_t>(me) + 1];
  pieces = std::clamp(pieces, 1, end - first);
  for (std::int64_t p = 0; p < pieces; ++p)
    add_piece(first + static_cast<std::int32_t>((end - first) * p / pieces),
              first + static_cast<std::int32_t>((end - first) * (p + 1) / pieces), static_cast<std::int32_t>(p));
}

template <class T>
void DistributedSums<T>::add_piece(std::int32_t begin, std::int32_t end, std::int32_t number) {
  Piece piece;
  piece.row_begin = begin;
  piece.rows = end - begin;
  const std::string name = fmt::format("own_rows_{}", number);
  const auto elements = static_cast<std::size_t>(piece.rows) * static_cast<std::size_t>(group_);
  const auto unplaced = [](std::size_t count, const std::string& called) {
    return Handle::temporary(nullptr, count, sizeof(T), called).kept_in_memory();
  };
  for (std::int32_t w = 0; w < waves_; ++w) {
    piece.incident.push_back(unplaced(elements, fmt::format("incident_{}_of_{}", w, name)));
    if (!own_rows()) continue;
    incident_.push_back({piece.incident.back(), {begin, piece.rows, Arrangement::incident, w}});
    piece.steps.push_back(unplaced(static_cast<std::size_t>(piece.rows), fmt::format("step_{}_of_{}", w, name)));
  }
  if (gathered_sums_) {
    const std::size_t all = elements * static_cast<std::size_t>(waves_);
    piece.sums_memory = HostBuffer<T>::of_tasks(all);
    piece.sums = Handle::temporary(piece.sums_memory.data(), all, sizeof(T), "sums_of_" + name);
    piece.incident_memory = HostBuffer<T>::of_tasks(all);
    piece.negated_incident =
        Handle::temporary(piece.incident_memory.data(), all, sizeof(T), "negated_incident_of_" + name);
  }
  pieces_.push_back(std::move(piece));
}

/// Every rank hands over to each other one what it has of the rows of that one.
template <class T>
void DistributedSums<T>::exchange_at_once() {
  const int ranks = rank_group().ranks();
  const int me = rank_group().rank();
  const std::int64_t tags = rank_group().allocate_tags(std::int64_t{ranks} * ranks);
  sent_.resize(1);
  received_.resize(1);
  for (int k = 1; k < ranks; ++k) {
    const int other = (me + k) % ranks;
    sent_[0].push_back(message(me, other, other, other + 1, tags + std::int64_t{me} * ranks + other));
    received_[0].push_back(message(other, me, me, me + 1, tags + std::int64_t{other} * ranks + me));
  }
}

/// Every rank hands over to each other one what it has of all rows, and the right-hand sides of its own: more bytes
/// from four ranks on, but no message waits for another one. The sums of all ranks are added in their order, everywhere
/// the same.
template <class T>
void DistributedSums<T>::exchange_all_rows() {
  const int ranks = rank_group().ranks();
  const int me = rank_group().rank();
  const std::int64_t tags = rank_group().allocate_tags(std::int64_t{2} * ranks);
  sent_.resize(2);
  received_.resize(2);
  for (int rank = 0; rank < ranks; ++rank) {
    const int to = rank == me ? (me + 1) % ranks : me;
    const auto add = [&](std::size_t k, int first, int last, std::vector<Addend>& addends) {
      std::vector<Message>& messages = rank == me ? sent_[k] : received_[k];
      messages.push_back(message(rank, to, first, last, tags + static_cast<std::int64_t>(k) * ranks + rank));
      const Message& m = messages.back();
      addends.push_back({m.handle, {m.row_begin, m.rows, Arrangement::by_wave, 0}});
    };
    add(all_sums, 0, ranks, sums_);
    add(own_incident, rank, rank + 1, incident_);
  }
}

/// In round k a rank hands over to the one 2^k further on what it has of the rows of that one and of those behind it,
/// up to 2^k ranks in all: later rounds bring them to where they belong.
template <class T>
void DistributedSums<T>::exchange_in_rounds() {
  const int ranks = rank_group().ranks();
  const int me = rank_group().rank();
  // rows of a round may go on at the first one after the last
  const std::int64_t tags = rank_group().allocate_tags(std::int64_t{2} * rounds_of(ranks) * ranks);
  for (int round = 0; round < rounds_of(ranks); ++round) {
    sent_.push_back(messages(me, (me + (1 << round)) % ranks, round, tags));
    received_.push_back(messages((me + ranks - (1 << round)) % ranks, me, round, tags));
  }
}

template <class T>
std::vector<typename DistributedSums<T>::Message> DistributedSums<T>::messages(int from, int to, int round,
                                                                               std::int64_t tags) const {
  const int ranks = rank_group().ranks();
  const int end = to + std::min(1 << round, ranks - (1 << round));
  std::vector<Message> all;
  for (const auto& [first, last] : {std::pair{to, std::min(end, ranks)}, std::pair{0, end - ranks}}) {
    if (first >= last) continue;
    const std::int64_t tag = tags + 2 * (std::int64_t{round} * ranks + from) + static_cast<std::int64_t>(all.size());
    all.push_back(message(from, to, first, last, tag));
  }
  return all;
}

/// With the rows of ranks [first, last).
template <class T>
typename DistributedSums<T>::Message DistributedSums<T>::message(int from, int to, int first, int last,
                                                                 std::int64_t tag) const {
  Message message;
  message.row_begin = begin_[static_cast<std::size_t>(first)];
  message.rows = begin_[static_cast<std::size_t>(last)] - message.row_begin;
  message.other = from == rank_group().rank() ? to : from;
  message.memory = HostBuffer<T>::of_tasks(
      static_cast<std::size_t>(shape(message.row_begin, message.rows, Arrangement::by_wave).elements()));
  message.handle = Handle::temporary(message.memory.data(), message.memory.size(), sizeof(T),
                                     fmt::format("sums_from_{}_to_{}", from, to))
                       .shared(from, tag);
  return message;
}

template <class T>
TotalsShape DistributedSums<T>::shape(std::int32_t row_begin, std::int32_t rows, Arrangement arrangement) const {
  return {row_begin, rows, group_, group_, waves_, arrangement};
}

template <class T>
Addend DistributedSums<T>::everywhere(const AllGather& gathered) const {
  return {gathered.all(), {0, rows_, Arrangement::by_row, 0}};
}

/// What is sent of exchange_all_rows, all_sums or own_incident: the sum of `addends`.
template <class T>
std::int32_t DistributedSums<T>::submit_at_once(std::size_t what, const std::vector<Addend>& addends,
                                                const TaskOptions& options) {
  const Message& mine = sent_[what][0];
  const std::int32_t tasks = submit_sum<T>(mine.handle, shape(mine.row_begin, mine.rows, Arrangement::by_wave),
                                           Begun::nothing, addends, options);
  for (const Message& theirs : received_[what]) {
    submit_for_rank<T>(theirs.other, mine.handle, STARPU_R);
    submit_for_rank<T>(theirs.other, theirs.handle, STARPU_W);
  }
  return tasks;
}

template <class T>
std::int32_t DistributedSums<T>::submit_sums(const std::vector<Addend>& partials, const TaskOptions& options) {
  if (!own_rows() && !gathered_sums_) return submit_at_once(all_sums, partials, options);
  std::vector<Addend> addends = partials;
  std::int32_t tasks = 0;
  for (std::size_t round = sent_.size(); round-- > 0;) {
    for (const Message& m : sent_[round]) {
      tasks +=
          submit_sum<T>(m.handle, shape(m.row_begin, m.rows, Arrangement::by_wave), Begun::nothing, addends, options);
      submit_for_rank<T>(m.other, m.handle, STARPU_R);
    }
    for (const Message& m : received_[round]) {
      submit_for_rank<T>(m.other, m.handle, STARPU_W);
      addends.push_back({m.handle, {m.row_begin, m.rows, Arrangement::by_wave, 0}});
    }
  }
  if (own_rows()) {
    sums_ = std::move(addends);
    return tasks;
  }
  std::vector<Access> mine;
  for (const Piece& p : pieces_) {
    tasks += submit_sum<T>(p.sums, shape(p.row_begin, p.rows, Arrangement::by_row), Begun::nothing, addends, options);
    mine.push_back({p.sums, STARPU_R});
  }
  gathered_sums_->submit(mine);
  return tasks + static_cast<std::int32_t>(sent_.size()) + 1;
}

template <class T>
std::int32_t DistributedSums<T>::submit_incident(const TaskOptions& options) {
  if (own_rows()) return 0;
  const auto incident_of = [&](const Piece& p) {
    std::vector<Addend> addends;
    for (std::int32_t w = 0; w < waves_; ++w)
      addends.push_back({p.incident[at(w)], {p.row_begin, p.rows, Arrangement::incident, w}});
    return addends;
  };
  if (!gathered_incident_) {
    std::vector<Addend> all;
    for (const Piece& p : pieces_)
      for (const Addend& addend : incident_of(p)) all.push_back(addend);
    return submit_at_once(own_incident, all, options);
  }
  std::int32_t tasks = 0;
  std::vector<Access> mine;
  for (const Piece& p : pieces_) {
    const std::vector<Addend> addends = incident_of(p);
    tasks += submit_sum<T>(p.negated_incident, shape(p.row_begin, p.rows, Arrangement::by_row), Begun::nothing, addends,
                           options);
    mine.push_back({p.negated_incident, STARPU_R});
  }
  gathered_incident_->submit(mine);
  return tasks + static_cast<std::int32_t>(sent_.size()) + 1;
}

template <class T>
std::int32_t DistributedSums<T>::submit_step(const std::vector<starpu_data_handle_t>& totals, std::int32_t width,
                                             std::int32_t g, std::int32_t wave, const TaskOptions& options) {
  std::int32_t tasks = 0;
  std::vector<Access> mine;
  for (std::size_t p = 0; p < pieces_.size(); ++p) {
    const Piece& piece = pieces_[p];
    const Addend step{totals[p],
                      {piece.row_begin, piece.rows, Arrangement::spaced, wave, wave * piece.rows * width + g, width}};
    tasks += submit_sum<T>(piece.steps[at(wave)], {piece.row_begin, piece.rows}, Begun::nothing, {step}, options);
    mine.push_back({piece.steps[at(wave)], STARPU_R});
  }
  gathered_steps_[at(wave)]->submit(mine);
  return tasks + static_cast<std::int32_t>(sent_.size()) + 1;
}

template <class T>
std::vector<starpu_data_handle_t> DistributedSums<T>::data() const {
  std::vector<starpu_data_handle_t> all;
  for (const auto* const gathered : {&gathered_sums_, &gathered_incident_})
    if (*gathered) all.push_back((*gathered)->all());
  for (const auto& gathered : gathered_steps_) all.push_back(gathered->all());
  for (const auto* const rounds : {&sent_, &received_})
    for (const std::vector<Message>& messages : *rounds)
      for (const Message& m : messages) all.push_back(m.handle);
  for (const Piece& p : pieces_) {
    for (const Handle* const handle : {&p.sums, &p.negated_incident})
      if (handle->get() != nullptr) all.push_back(*handle);
    all.insert(all.end(), p.incident.begin(), p.incident.end());
    all.insert(all.end(), p.steps.begin(), p.steps.end());
  }
  return all;
}

template class DistributedSums<float>;
template class DistributedSums<double>;

}  // namespace asterism::tdbem

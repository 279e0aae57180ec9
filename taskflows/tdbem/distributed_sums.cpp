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

/// The rank that runs it may be another: then this one sees to what is sent.
template <class T>
void look_at_task_of(int rank, starpu_data_handle_t handle, starpu_data_access_mode mode) {
  submit(codelets::combine<T>(), codelets::CombineArgs{}, {{handle, mode}}, {.rank = rank});
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
    TaskOptions of_task = options;
    of_task.flops = static_cast<double>(shape.elements()) * args.partials;
    submit(codelets::combine<T>(), args, accesses, of_task);
    ++tasks;
  }
  return tasks;
}
template std::int32_t submit_sum<float>(starpu_data_handle_t, const TotalsShape&, Begun, const std::vector<Addend>&,
                                        const TaskOptions&);
template std::int32_t submit_sum<double>(starpu_data_handle_t, const TotalsShape&, Begun, const std::vector<Addend>&,
                                         const TaskOptions&);

template <class T>
SumsOfRanks<T>::SumsOfRanks(std::int32_t rows, std::int32_t group, std::int32_t waves, std::int32_t pieces,
                            Radiation radiation)
    : rows_(rows), group_(group), waves_(waves), radiation_(radiation), begin_(equal_rows(rows)) {
  const int ranks = rank_group().ranks();
  const int me = rank_group().rank();
  if (own_rows()) {
    for (std::int32_t w = 0; w < waves; ++w)
      gathered_steps_.push_back(std::make_unique<AllGather>(fmt::format("step_of_wave_{}", w), sizeof(T), begin_));
  } else {
    const std::size_t of_row = sizeof(T) * static_cast<std::size_t>(waves * group);
    gathered_sums_ = std::make_unique<AllGather>("sums_of_ranks", of_row, begin_);
    gathered_light_ = std::make_unique<AllGather>("light_of_ranks", of_row, begin_);
    sums_ = {everywhere(*gathered_sums_)};
    light_ = {everywhere(*gathered_light_)};
  }
  // rows of a round may go on at the first one after the last
  const std::int64_t tags = rank_group().allocate_tags(std::int64_t{2} * rounds_of(ranks) * ranks);
  for (int round = 0; round < rounds_of(ranks); ++round) {
    sent_.push_back(messages(me, (me + (1 << round)) % ranks, round, tags));
    received_.push_back(messages((me + ranks - (1 << round)) % ranks, me, round, tags));
  }
  const std::int32_t first = begin_[static_cast<std::size_t>(me)], end = begin_[static_cast<std::size_t>(me) + 1];
  pieces = std::clamp(pieces, 1, end - first);
  for (std::int64_t p = 0; p < pieces; ++p)
    add_piece(first + static_cast<std::int32_t>((end - first) * p / pieces),
              first + static_cast<std::int32_t>((end - first) * (p + 1) / pieces), static_cast<std::int32_t>(p));
}

template <class T>
void SumsOfRanks<T>::add_piece(std::int32_t begin, std::int32_t end, std::int32_t number) {
  Piece piece;
  piece.row_begin = begin;
  piece.rows = end - begin;
  const std::string name = fmt::format("own_rows_{}", number);
  const auto elements = static_cast<std::size_t>(piece.rows) * static_cast<std::size_t>(group_);
  const auto unplaced = [](std::size_t count, const std::string& called) {
    return Handle::temporary(nullptr, count, sizeof(T), called).kept_in_memory();
  };
  for (std::int32_t w = 0; w < waves_; ++w) {
    piece.light.push_back(unplaced(elements, fmt::format("light_{}_of_{}", w, name)));
    if (!own_rows()) continue;
    light_.push_back({piece.light.back(), {begin, piece.rows, Arrangement::of_light, w}});
    piece.steps.push_back(unplaced(static_cast<std::size_t>(piece.rows), fmt::format("step_{}_of_{}", w, name)));
  }
  if (!own_rows()) {
    const std::size_t all = elements * static_cast<std::size_t>(waves_);
    piece.sums_memory = HostBuffer<T>::of_tasks(all);
    piece.sums = Handle::temporary(piece.sums_memory.data(), all, sizeof(T), "sums_of_" + name);
    piece.light_memory = HostBuffer<T>::of_tasks(all);
    piece.less_light = Handle::temporary(piece.light_memory.data(), all, sizeof(T), "less_light_of_" + name);
  }
  pieces_.push_back(std::move(piece));
}

/// In round k a rank hands over to the one 2^k further on what it has of the rows of that one and of those behind it,
/// up to 2^k ranks in all: later rounds bring them to where they belong.
template <class T>
std::vector<typename SumsOfRanks<T>::Message> SumsOfRanks<T>::messages(int from, int to, int round,
                                                                       std::int64_t tags) const {
  const int ranks = rank_group().ranks();
  const int end = to + std::min(1 << round, ranks - (1 << round));
  std::vector<Message> all;
  for (const auto& [first, last] : {std::pair{to, std::min(end, ranks)}, std::pair{0, end - ranks}}) {
    if (first >= last) continue;
    Message message;
    message.row_begin = begin_[static_cast<std::size_t>(first)];
    message.rows = begin_[static_cast<std::size_t>(last)] - message.row_begin;
    message.other = from == rank_group().rank() ? to : from;
    message.memory = HostBuffer<T>::of_tasks(
        static_cast<std::size_t>(shape(message.row_begin, message.rows, Arrangement::by_wave).elements()));
    const std::int64_t tag = tags + 2 * (std::int64_t{round} * ranks + from) + static_cast<std::int64_t>(all.size());
    message.handle = Handle::temporary(message.memory.data(), message.memory.size(), sizeof(T),
                                       fmt::format("sums_from_{}_to_{}", from, to))
                         .shared(from, tag);
    all.push_back(std::move(message));
  }
  return all;
}

template <class T>
TotalsShape SumsOfRanks<T>::shape(std::int32_t row_begin, std::int32_t rows, Arrangement arrangement) const {
  return {row_begin, rows, group_, group_, waves_, arrangement};
}

template <class T>
Addend SumsOfRanks<T>::everywhere(const AllGather& gathered) const {
  return {gathered.all(), {0, rows_, Arrangement::by_row, 0}};
}

template <class T>
std::int32_t SumsOfRanks<T>::submit_sums(const std::vector<Addend>& partials, const TaskOptions& options) {
  std::vector<Addend> addends = partials;
  std::int32_t tasks = 0;
  for (std::size_t round = sent_.size(); round-- > 0;) {
    for (const Message& m : sent_[round]) {
      tasks +=
          submit_sum<T>(m.handle, shape(m.row_begin, m.rows, Arrangement::by_wave), Begun::nothing, addends, options);
      look_at_task_of<T>(m.other, m.handle, STARPU_R);
    }
    for (const Message& m : received_[round]) {
      look_at_task_of<T>(m.other, m.handle, STARPU_W);
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
std::int32_t SumsOfRanks<T>::submit_light(const TaskOptions& options) {
  if (own_rows()) return 0;
  std::int32_t tasks = 0;
  std::vector<Access> mine;
  for (const Piece& p : pieces_) {
    std::vector<Addend> addends;
    for (std::int32_t w = 0; w < waves_; ++w)
      addends.push_back({p.light[at(w)], {p.row_begin, p.rows, Arrangement::of_light, w}});
    tasks +=
        submit_sum<T>(p.less_light, shape(p.row_begin, p.rows, Arrangement::by_row), Begun::nothing, addends, options);
    mine.push_back({p.less_light, STARPU_R});
  }
  gathered_light_->submit(mine);
  return tasks + static_cast<std::int32_t>(sent_.size()) + 1;
}

template <class T>
std::int32_t SumsOfRanks<T>::submit_step(const std::vector<starpu_data_handle_t>& totals, std::int32_t width,
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
std::vector<starpu_data_handle_t> SumsOfRanks<T>::data() const {
  std::vector<starpu_data_handle_t> all;
  for (const auto* const gathered : {&gathered_sums_, &gathered_light_})
    if (*gathered) all.push_back((*gathered)->all());
  for (const auto& gathered : gathered_steps_) all.push_back(gathered->all());
  for (const auto* const rounds : {&sent_, &received_})
    for (const std::vector<Message>& messages : *rounds)
      for (const Message& m : messages) all.push_back(m.handle);
  for (const Piece& p : pieces_) {
    for (const Handle* const handle : {&p.sums, &p.less_light})
      if (handle->get() != nullptr) all.push_back(*handle);
    all.insert(all.end(), p.light.begin(), p.light.end());
    all.insert(all.end(), p.steps.begin(), p.steps.end());
  }
  return all;
}

template class SumsOfRanks<float>;
template class SumsOfRanks<double>;

}  // namespace asterism::tdbem

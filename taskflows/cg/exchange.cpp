// SPDX-License-Identifier: Apache-2.0
#include "taskflows/cg/exchange.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <span>

#include "base/as_size.hpp"
#include "codelets/cg/codelets.hpp"
#include "runtime/machine/simulated_machine.hpp"
#include "runtime/ranks/ranks.hpp"
#include "taskflows/cg/acquired.hpp"

namespace asterism::cg {
Exchange::Exchange(const CsrMatrix& a, const Partition& partition, const Options& options)
    : partition_(partition),
      mode_(options.vector),
      transfer_(options.transfer),
      decomposition_(options.decomposition),
      pieces_(as_size(partition.blocks())),
      packing_(as_size(partition.blocks())) {
  const int blocks = partition.blocks();
  if (transfer_ == Transfer::packed) {
    double bytes = 0;
    for (int i = 0; i < blocks; ++i) {
      needed_.push_back(is_here(i) ? std::make_unique<NeededColumns>(a, partition.first(i), partition.first(i + 1))
                                   : nullptr);
      if (is_here(i)) bytes += 8.0 * static_cast<double>(needed_.back()->size());
    }
    for (const double of_rank : rank_group().all_gather(bytes)) bytes_exchanged_ += of_rank;
  } else {
    bytes_exchanged_ = 8.0 * static_cast<double>(a.n) * (blocks - 1);
  }
  index_memory_.resize(as_size(blocks));
  if (mode_ == VectorMode::pieces) {
    make_pieces(a);
    if (transfer_ == Transfer::packed) make_halos_of_pieces();
  } else {
    make_parent(a.n);
    if (mode_ == VectorMode::plan) share_pieces();
    if (transfer_ == Transfer::packed) make_copies_of_parent();
  }
}

Exchange::~Exchange() {
  if (mode_ == VectorMode::blocking && partitioned_) {
    starpu_task_wait_for_all();
    starpu_data_unpartition(parent_, STARPU_MAIN_RAM);
  }
  if (mode_ == VectorMode::plan)
    starpu_data_partition_clean(parent_, static_cast<unsigned>(pieces_.size()), pieces_.data());
}

bool Exchange::is_here(int i) const {
  return partition_.rank_begin.empty() || partition_.owner(i) == rank_group().rank();
}

/// One arena for all of p; packed 1D: one per block-row, p_i followed by its halo.
void Exchange::make_pieces(const CsrMatrix& a) {
  const int blocks = partition_.blocks();
  const bool full = transfer_ == Transfer::full;
  if (full) arenas_.push_back(std::make_unique<Arena>(static_cast<std::size_t>(a.n)));
  if (!full) arenas_.resize(as_size(blocks));
  for (int i = 0; i < blocks; ++i) {
    if (!is_here(i) && !full) continue;
    const auto rows = static_cast<std::size_t>(partition_.rows(i));
    if (!full) {
      const std::int64_t halo = decomposition_ == Decomposition::one_d ? needed_[as_size(i)]->size() : 0;
      arenas_[as_size(i)] = std::make_unique<Arena>(rows + static_cast<std::size_t>(halo));
    }
    Arena& arena = *(full ? arenas_.front() : arenas_[as_size(i)]);
    const auto offset = static_cast<std::size_t>(full ? partition_.first(i) : 0);
    owned_.push_back(arena.piece(offset, rows, fmt::format("p[{}]", i), Coordinates{i, i}));
    pieces_[as_size(i)] = owned_.back();
  }
  if (full) share_pieces();
}

/// Every rank reads every piece.
void Exchange::share_pieces() {
  if (partition_.rank_begin.empty()) return;
  const std::int64_t tags = rank_group().allocate_tags(partition_.blocks());
  for (int i = 0; i < partition_.blocks(); ++i) {
    share(pieces_[as_size(i)], partition_.owner(i), tags + i);
    if (!is_here(i)) neighbours_.push_back(i);
  }
}

Exchange::Needs Exchange::needs() const {
  const int blocks = partition_.blocks();
  Needs needs;
  // to other ranks: i, j, how many, and the columns
  std::vector<std::vector<std::int32_t>> to(as_size(rank_group().ranks()));
  for (int i = 0; i < blocks; ++i) {
    if (!is_here(i)) continue;
    for (int j = 0; j < blocks; ++j) {
      if (i == j) continue;
      std::vector<std::int32_t> columns = needed_[as_size(i)]->list(partition_.first(j), partition_.first(j + 1));
      if (columns.empty()) continue;
      if (!is_here(j)) {
        std::vector<std::int32_t>& message = to[as_size(partition_.owner(j))];
        message.insert(message.end(), {i, j, static_cast<std::int32_t>(columns.size())});
        message.insert(message.end(), columns.begin(), columns.end());
      }
      needs.emplace(std::pair(i, j), std::move(columns));
    }
  }
  if (partition_.rank_begin.empty()) return needs;
  for (const std::vector<std::int32_t>& message : rank_group().exchange(std::move(to)))
    for (auto at = message.begin(); at != message.end();) {
      const std::pair pair(at[0], at[1]);
      const std::int32_t count = at[2];
      needs.emplace(pair, std::vector<std::int32_t>(at + 3, at + 3 + count));
      at += 3 + count;
    }
  return needs;
}

void Exchange::make_halos_of_pieces() {
  const int blocks = partition_.blocks();
  const bool one_d = decomposition_ == Decomposition::one_d;
  const std::int64_t tags = rank_group().allocate_tags(std::int64_t{blocks} * blocks);
  std::vector<std::size_t> offset(as_size(blocks));
  std::set<int> elsewhere;
  for (const auto& [pair, columns] : needs()) {
    const auto [i, j] = pair;
    const std::string name = fmt::format("p[{}<-{}]", i, j);
    // the first coordinate is that of the block which packs
    const Coordinates where{j, i};
    // what a block-row of this rank receives lies behind its own piece
    Handle halo = one_d && is_here(i)
                      ? arenas_[as_size(i)]->piece(as_size(static_cast<int>(partition_.rows(i))) + offset[as_size(i)],
                                                   columns.size(), name, where)
                      : Handle::vector(nullptr, columns.size(), sizeof(double), name, where);
    offset[as_size(i)] += columns.size();
    if (!is_here(i) || !is_here(j)) {
      halo = std::move(halo).shared(partition_.owner(j), tags + std::int64_t{i} * blocks + j);
      elsewhere.insert(is_here(i) ? j : i);
    }
    halo_[pair] = halo;
    packing_[as_size(j)].outputs.push_back(halo);
    if (is_here(j)) index_memory_[as_size(j)].insert(index_memory_[as_size(j)].end(), columns.begin(), columns.end());
    owned_.push_back(std::move(halo));
  }
  neighbours_.assign(elsewhere.begin(), elsewhere.end());
  for (int j = 0; j < blocks; ++j) {
    if (packing_[as_size(j)].outputs.empty() || !is_here(j)) continue;
    owned_.push_back(Handle::vector(index_memory_[as_size(j)].data(), index_memory_[as_size(j)].size(),
                                    sizeof(std::int32_t), fmt::format("pack_index[{}]", j), Coordinates{j, j}));
    packing_[as_size(j)].index = owned_.back();
  }
}

/// p as one vector in main memory, with children for the vector operations.
void Exchange::make_parent(std::int64_t n) {
  const int blocks = partition_.blocks();
  memory_ = HostBuffer<double>(static_cast<std::size_t>(n));
  std::fill_n(memory_.data(), n, 0.0);
  parent_ = Handle::vector(memory_.data(), static_cast<std::size_t>(n), sizeof(double), "p");
  for (int i = 0; i < blocks; ++i) piece_lengths_.push_back(static_cast<std::uint32_t>(partition_.rows(i)));
  filter_.filter_func = starpu_vector_filter_list;
  filter_.nchildren = static_cast<unsigned>(blocks);
  filter_.filter_arg_ptr = piece_lengths_.data();
  if (mode_ == VectorMode::plan) {
    starpu_data_partition_plan(parent_, &filter_, pieces_.data());
    for (int i = 0; i < blocks; ++i) {
      starpu_data_set_name(pieces_[as_size(i)], fmt::format("p[{}]", i).c_str());
      starpu_data_set_coordinates(pieces_[as_size(i)], 2, i, i);
    }
  } else {
    after_product();
  }
}

/// Every block-row packs what it needs from the assembled vector: in 1D its own part and the rest, in one
/// vector; in 2D one vector for each block-column but its own.
void Exchange::make_copies_of_parent() {
  const int blocks = partition_.blocks();
  copy_.resize(as_size(blocks));
  for (int i = 0; i < blocks; ++i) {
    if (!is_here(i)) continue;
    std::vector<std::int32_t>& index = index_memory_[as_size(i)];
    if (decomposition_ == Decomposition::one_d) {
      index.resize(static_cast<std::size_t>(partition_.rows(i)));
      std::iota(index.begin(), index.end(), static_cast<std::int32_t>(partition_.first(i)));
      const std::vector<std::int32_t> rest = needed_[as_size(i)]->list(0, partition_.begin.back());
      index.insert(index.end(), rest.begin(), rest.end());
      owned_.push_back(
          Handle::vector(nullptr, index.size(), sizeof(double), fmt::format("p[{}<-]", i), Coordinates{i, i}));
      copy_[as_size(i)] = owned_.back();
      packing_[as_size(i)].outputs.push_back(owned_.back());
    } else {
      for (int j = 0; j < blocks; ++j) {
        if (i == j) continue;
        std::vector<std::int32_t> columns = needed_[as_size(i)]->list(partition_.first(j), partition_.first(j + 1));
        if (columns.empty()) continue;
        for (std::int32_t& column : columns) column += static_cast<std::int32_t>(partition_.first(j));
        owned_.push_back(
            Handle::vector(nullptr, columns.size(), sizeof(double), fmt::format("p[{}<-{}]", i, j), Coordinates{i, j}));
        halo_[{i, j}] = owned_.back();
        packing_[as_size(i)].outputs.push_back(owned_.back());
        index.insert(index.end(), columns.begin(), columns.end());
      }
    }
    if (index.empty()) continue;
    owned_.push_back(Handle::vector(index.data(), index.size(), sizeof(std::int32_t), fmt::format("pack_index[{}]", i),
                                    Coordinates{i, i}));
    packing_[as_size(i)].index = owned_.back();
  }
}

Exchange::Inputs Exchange::inputs(int i, int j) const {
  const bool one_d = decomposition_ == Decomposition::one_d;
  Inputs in;
  if (mode_ == VectorMode::pieces) {
    if (one_d && transfer_ == Transfer::full) {
      in.handles = pieces_;
      in.local = i;
    } else if (one_d) {
      in.handles.push_back(pieces_[as_size(i)]);
      for (auto of_row = halo_.lower_bound({i, 0}); of_row != halo_.end() && of_row->first.first == i; ++of_row)
        in.handles.push_back(of_row->second);
    } else {
      const bool packed = transfer_ == Transfer::packed;
      in.handles.push_back(i == j || !packed ? pieces_[as_size(j)] : halo(i, j));
      if (!packed) in.x_offset = partition_.first(j);
      if (i != j) in.handles.push_back(pieces_[as_size(i)]);
      in.local = i == j ? 0 : 1;
    }
    return in;
  }
  if (transfer_ == Transfer::packed && one_d) {
    in.handles.push_back(copy_[as_size(i)]);
  } else if (transfer_ == Transfer::packed && i != j) {
    in.handles = {halo(i, j), parent_.get()};
    in.local = 1;
    in.local_offset = partition_.first(i);
  } else {
    in.handles.push_back(parent_.get());
    in.x_offset = one_d ? 0 : partition_.first(j);
    in.local_offset = partition_.first(i);
  }
  return in;
}

std::vector<starpu_data_handle_t> Exchange::read_by(int i) const {
  std::vector<starpu_data_handle_t> handles;
  if (mode_ != VectorMode::pieces) return handles;  // all pieces were exchanged before the product
  if (transfer_ == Transfer::full) return pieces_;
  for (auto of_row = halo_.lower_bound({i, 0}); of_row != halo_.end() && of_row->first.first == i; ++of_row)
    handles.push_back(of_row->second);
  return handles;
}

void Exchange::receive_all() const {
  if (mode_ != VectorMode::pieces || transfer_ != Transfer::full) return;
  std::vector<Access> accesses;
  for (const starpu_data_handle_t piece : pieces_) accesses.push_back({piece, STARPU_R});
  exchange_data(accesses, rank_group().rank());
}

std::vector<starpu_data_handle_t> Exchange::written_by(int j) const {
  if (mode_ == VectorMode::pieces && transfer_ == Transfer::full) return {pieces_[as_size(j)]};
  return packing(j).outputs;
}

/// Blocking, over several ranks: what each has of the vector to the main memory of all.
void Exchange::gather_parent() {
  const int rank = rank_group().rank();
  const auto first_of = [&](int of) { return partition_.first(partition_.first_block(of)); };
  const Acquired<double> whole(parent_, STARPU_RW);
  const auto begin = static_cast<std::size_t>(first_of(rank));
  const std::span<const double> mine(whole.get() + begin, static_cast<std::size_t>(first_of(rank + 1)) - begin);
  const std::vector<double> nothing(simulated ? mine.size() : 0);  // whose values nobody has
  const auto parts = rank_group().all_gather(simulated ? std::span<const double>(nothing) : mine);
  for (int of = 0; of < rank_group().ranks() && !simulated; ++of)
    if (of != rank) std::ranges::copy(parts[as_size(of)], whole.get() + first_of(of));
}

/// Plan, over several ranks: every piece to every rank.
void Exchange::exchange_pieces() {
  const int rank = rank_group().rank();
  for (int i = 0; i < partition_.blocks(); ++i) {
    const std::vector<Access> read{{pieces_[as_size(i)], STARPU_R}};
    if (is_here(i)) {
      for (int other = 0; other < rank_group().ranks(); ++other)
        if (other != rank) exchange_data(read, other);
    } else {
      exchange_data(std::vector<Access>{{pieces_[as_size(i)], STARPU_W}}, partition_.owner(i));
      exchange_data(read, rank);
    }
  }
}

void Exchange::before_product() {
  const bool distributed = !partition_.rank_begin.empty();
  if (mode_ == VectorMode::blocking && partitioned_) {
    // StarPU 1.4.10 frees the children while the tasks that used them are still being terminated, and hangs or
    // worse about once in a thousand times; the tasks must have ended. The paper's call waits for them as well.
    starpu_task_wait_for_all();
    starpu_data_unpartition(parent_, STARPU_MAIN_RAM);
    partitioned_ = false;
    if (distributed) gather_parent();
  }
  if (mode_ == VectorMode::plan && distributed) exchange_pieces();
  const bool pieces = mode_ == VectorMode::pieces;
  for (int j = 0; j < partition_.blocks(); ++j) {
    const Packing& packing = packing_[as_size(j)];
    std::vector<Access> accesses;
    if (pieces && !is_here(j)) {  // another rank writes them
      for (const starpu_data_handle_t written : written_by(j)) accesses.push_back({written, STARPU_W});
      exchange_data(accesses, partition_.owner(j));
    }
    if (packing.outputs.empty() || !is_here(j)) continue;
    // p_ij <- the elements of p_j that block-row i needs
    accesses = {{packing.index, STARPU_R}, {pieces ? pieces_[as_size(j)] : parent_.get(), STARPU_R}};
    for (starpu_data_handle_t output : packing.outputs) accesses.push_back({output, STARPU_W});
    submit(codelets::pack, codelets::PackArgs{static_cast<std::int32_t>(packing.outputs.size())}, accesses);
  }
}

void Exchange::after_product() {
  if (mode_ != VectorMode::blocking || partitioned_) return;
  starpu_data_partition(parent_, &filter_);
  partitioned_ = true;
  for (int i = 0; i < partition_.blocks(); ++i) {
    pieces_[as_size(i)] = starpu_data_get_child(parent_, static_cast<unsigned>(i));
    starpu_data_set_name(pieces_[as_size(i)], fmt::format("p[{}]", i).c_str());
    starpu_data_set_coordinates(pieces_[as_size(i)], 2, i, i);
  }
}

}  // namespace asterism::cg

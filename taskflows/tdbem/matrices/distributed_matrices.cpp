// SPDX-License-Identifier: Apache-2.0
// What ranks find out together about the matrices: who has which blocks, what all have, M^0 and near pairs of all
// slices.
#include <algorithm>
#include <span>

#include "runtime/ranks/ranks.hpp"
#include "taskflows/tdbem/matrices/gather_from_ranks.hpp"
#include "taskflows/tdbem/matrices/matrices.hpp"

namespace asterism::tdbem {
namespace {

double sum_over_ranks(double mine) {
  double sum = 0;
  for (const double part : rank_group().all_gather(mine)) sum += part;
  return sum;
}

std::vector<std::size_t> numbers(Range range) {
  std::vector<std::size_t> all;
  for (std::int32_t n = range.begin; n < range.end; ++n) all.push_back(static_cast<std::size_t>(n));
  return all;
}

}  // namespace

// A rank finds the structure of as many blocks as the others first: only then it is known how many values they have,
// and which of them have to move.
template <class T>
void Matrices<T>::find_structure(std::int32_t block_size) {
  const Pause pause;  // the structure is found by the application's own threads
  structure_.blocks = blocks_of_unknowns(surface_.vertex_count, block_size);
  const auto blocks = static_cast<std::int64_t>(structure_.blocks.size());
  const RankGroup& ranks = asterism::rank_group();
  const auto equal = [&](int rank) { return static_cast<std::int32_t>(blocks * rank / ranks.ranks()); };
  take_blocks({equal(ranks.rank()), equal(ranks.rank() + 1)});
  first_blocks_ = equal_values(gather_from_ranks(values_of_blocks()), ranks.ranks());
  const auto rank = static_cast<std::size_t>(ranks.rank());
  take_blocks({first_blocks_[rank], first_blocks_[rank + 1]});
}

/// All panels become as wide as the longest row-vector of all ranks.
template <class T>
void Matrices<T>::widen_panels() {
  std::int32_t longest = 0;
  for (const std::int32_t of_rank : asterism::rank_group().all_gather(structure_.counts.longest))
    longest = std::max(longest, of_rank);
  structure_.counts = {};
  for (TileStructure& tile : structure_.tiles) {
    widen(tile, longest);
    structure_.counts.add(tile.counts);
  }
}

/// The structure of these blocks and no others; that of present ones is not looked for again.
template <class T>
void Matrices<T>::take_blocks(Range blocks) {
  const Range before = structure_.own;
  const Range kept = {std::clamp(before.begin, blocks.begin, blocks.end),
                      std::clamp(before.end, blocks.begin, blocks.end)};
  TiledStructure next{structure_.blocks, blocks, {}, {}, {}, {}};
  next.tiles.resize(next.blocks.size() * static_cast<std::size_t>(blocks.size()));
  next.point_pairs.resize(next.tiles.size());
  const auto take = [&](TiledStructure& from, Range part) {
    for (const std::size_t b : numbers(part))
      for (std::size_t row = 0; row < next.blocks.size(); ++row) {
        const std::size_t to = next.place(row, b);
        next.tiles[to] = std::move(from.tiles[from.place(row, b)]);
        next.counts.add(next.tiles[to].counts);
        // of two mirror images, the one on or above the diagonal
        std::int64_t& points = next.point_pairs[next.has_slices(row) && row > b ? next.place(b, row) : to];
        points = std::max(points, from.points(row, b));
      }
  };
  take(structure_, kept);
  for (const Range added : {Range{blocks.begin, kept.begin}, Range{kept.end, blocks.end}}) {
    if (added.size() == 0) continue;
    TiledStructure found = structure_of_own_blocks(surface_, rules_, discretisation_, next.blocks, added);
    if (found.fault.kind != LagFault::Kind::none) next.fault = found.fault;
    take(found, added);
  }
  for (const LagFault& fault : asterism::rank_group().all_gather(next.fault))
    if (fault.kind != LagFault::Kind::none) refuse(fault, discretisation_);
  structure_ = std::move(next);
}

template <class T>
std::vector<std::size_t> Matrices<T>::own_blocks() const {
  return numbers(own());
}

/// Values of each own block, without padding.
template <class T>
std::vector<std::int64_t> Matrices<T>::values_of_blocks() const {
  std::vector<std::int64_t> values;
  for (const std::size_t b : own_blocks()) {
    values.push_back(0);
    for (std::size_t row = 0; row < structure_.blocks.size(); ++row)
      values.back() += structure_.tiles[structure_.place(row, b)].counts.values;
  }
  return values;
}

/// What all ranks have together.
template <class T>
void Matrices<T>::count() {
  LagCounts all;
  for (const LagCounts& of_rank : asterism::rank_group().all_gather(structure_.counts)) all.add(of_rank);
  structure_.counts = all;
  double bytes = 0;
  for (const std::int64_t of_block : bytes_) bytes += static_cast<double>(of_block);
  all_bytes_ = sum_over_ranks(bytes);
  all_point_pairs_ = sum_over_ranks(static_cast<double>(own_point_pairs()));
}

/// M^0 of the columns of all ranks, which ascend with the ranks.
template <class T>
void Matrices<T>::gather_ranks() {
  const auto starts = asterism::rank_group().all_gather(std::span<const std::int64_t>(initial_.start));
  const auto columns = asterism::rank_group().all_gather(std::span<const std::int32_t>(initial_.column));
  const auto values = asterism::rank_group().all_gather(std::span<const double>(initial_.value));
  initial_ = {{0}, {}, {}};
  for (std::size_t row = 0; row + 1 < starts.front().size(); ++row) {
    for (std::size_t rank = 0; rank < starts.size(); ++rank) {
      const auto begin = static_cast<std::ptrdiff_t>(starts[rank][row]);
      const auto end = static_cast<std::ptrdiff_t>(starts[rank][row + 1]);
      initial_.column.insert(initial_.column.end(), columns[rank].begin() + begin, columns[rank].begin() + end);
      initial_.value.insert(initial_.value.end(), values[rank].begin() + begin, values[rank].begin() + end);
    }
    initial_.start.push_back(static_cast<std::int64_t>(initial_.column.size()));
  }
}

template <class T>
NearPairs<T> Matrices<T>::near(std::int32_t group) {
  NearPairs<T> near = own_near(group);
  if (!asterism::rank_group().distributed()) return near;
  near.pairs = gather_from_ranks(near.pairs);
  near.values = gather_from_ranks(near.values);
  return near;
}

template class Matrices<float>;
template class Matrices<double>;

}  // namespace asterism::tdbem

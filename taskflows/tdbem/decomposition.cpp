// SPDX-License-Identifier: Apache-2.0
#include "taskflows/tdbem/decomposition.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "codelets/tdbem/kernels/product/slices.hpp"

namespace asterism::tdbem {
namespace {

constexpr std::int32_t smallest_block = 64;
/// Sums of a larger tile leave the caches of a core.
constexpr std::int32_t largest_block = 256;
/// Rounds of the assembly keep half as many tasks at work as there are blocks.
constexpr std::int32_t blocks_per_unit = 2;
constexpr std::int32_t most_blocks = 128;
/// GPUs are slower the smaller blocks are (12,000 unknowns on an H200: 0.64 ms per step with 64, 0.41 with 256), but
/// are to have about as many.
constexpr std::int32_t blocks_per_gpu = 12;
/// Half as many cores assemble at a time. A GPU is little slower with so many (2,562 unknowns on an H200: 0.122 ms per
/// step with 41, 0.119 with 14).
constexpr std::int32_t blocks_for_assembly = 32;
/// Ranks have whole blocks, and about as many values: so many blocks each, for shares that differ by some per cent.
constexpr std::int32_t blocks_per_rank = 16;
/// Cores have the rows of whole blocks: smaller blocks than wanted are taken where the core with the most rows then has
/// fewer by some per cent, but not below this share of the size.
constexpr double worth_smaller_blocks = 0.95;
constexpr double smallest_share = 0.6;

std::vector<std::int64_t> rows_of(const std::vector<Range>& blocks) {
  std::vector<std::int64_t> rows;
  for (const Range& b : blocks) rows.push_back(b.size());
  return rows;
}

/// Rows of the core that has most of them.
std::int64_t most_rows(std::int32_t unknowns, std::int32_t block_size, std::int32_t cores) {
  const std::vector<Range> blocks = blocks_of_unknowns(unknowns, block_size);
  std::int64_t most = 0;
  std::size_t first = 0;
  for (const std::size_t end :
       equal_rows(blocks, std::min<std::size_t>(blocks.size(), static_cast<std::size_t>(cores)))) {
    most = std::max<std::int64_t>(most, blocks[end - 1].end - blocks[first].begin);
    first = end;
  }
  return most;
}

}  // namespace

const char* name_of(Sharing sharing) {
  switch (sharing) {
    case Sharing::intervals:
      return "intervals";
    case Sharing::gpus:
      return "gpus";
    default:
      return "scheduler";
  }
}

std::int32_t suitable_block_size(std::int32_t unknowns, std::int32_t cores, std::int32_t gpus, std::int32_t ranks) {
  const std::int32_t for_cores = std::min(blocks_per_unit * std::max(cores, 1), most_blocks);
  const std::int32_t at_least = ranks > 1 ? blocks_per_rank : std::min(for_cores, blocks_for_assembly);
  std::int32_t wanted = unknowns / ranks / std::max(gpus > 0 ? blocks_per_gpu * gpus : for_cores, at_least);
  if (gpus > 0 && ranks == 1) wanted += panel_rows / 2;  // rounds to the nearest number of panels, else down
  // small bodies are cut into enough blocks for all ranks
  const std::int32_t smallest = ranks > 1 && unknowns / ranks < 2 * smallest_block ? panel_rows : smallest_block;
  return std::clamp(wanted / panel_rows * panel_rows, smallest, largest_block);
}

std::int32_t block_size_for_cores(std::int32_t unknowns, std::int32_t wanted, std::int32_t cores) {
  const auto least = std::max(smallest_block, static_cast<std::int32_t>(wanted * smallest_share));
  std::int32_t best = 0;
  std::int64_t rows = 0;
  for (std::int32_t size = wanted; size >= least; size -= panel_rows)
    if (const std::int64_t most = most_rows(unknowns, size, cores);
        best == 0 || static_cast<double>(most) < worth_smaller_blocks * static_cast<double>(rows))
      best = size, rows = most;
  return best;
}

std::vector<Range> blocks_of_unknowns(std::int32_t unknowns, std::int32_t size) {
  if (unknowns < 1) bad_input("{} unknowns, expected at least one", unknowns);
  if (size < 1 || size % panel_rows != 0)
    bad_input("blocks of {} unknowns, expected a positive multiple of {}", size, panel_rows);
  std::vector<Range> ranges;
  for (std::int32_t begin = 0; begin < unknowns; begin += std::min(size, unknowns - begin))
    ranges.push_back({begin, begin + std::min(size, unknowns - begin)});
  return ranges;
}

std::vector<std::int32_t> equal_values(const std::vector<std::int64_t>& values, std::int32_t parts) {
  const auto blocks = static_cast<std::int32_t>(values.size());
  if (blocks < parts)
    bad_input("{} blocks of slices for {} processes: expected one for each at least, of fewer slices (--cluster)",
              blocks, parts);
  double all = 0;
  for (const std::int64_t v : values) all += static_cast<double>(v);
  std::vector<std::int32_t> begin{0};
  double before = 0;  // values of blocks before b
  for (std::int32_t b = 0, part = 1; part < parts; ++part) {
    const double wanted = all * part / parts;
    // a block goes to the part that has most of it, unless others would be left without any
    const auto half = [&] { return static_cast<double>(values[static_cast<std::size_t>(b)]) / 2; };
    while (b < begin.back() + 1 || (b < blocks - (parts - part) && before + half() < wanted))
      before += static_cast<double>(values[static_cast<std::size_t>(b++)]);
    begin.push_back(b);
  }
  begin.push_back(blocks);
  return begin;
}

std::vector<std::size_t> equal_rows(const std::vector<Range>& blocks, std::size_t parts) {
  const std::vector<std::int32_t> begins = equal_values(rows_of(blocks), static_cast<std::int32_t>(parts));
  return {begins.begin() + 1, begins.end()};
}

}  // namespace asterism::tdbem

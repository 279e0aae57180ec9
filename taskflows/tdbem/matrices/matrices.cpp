// SPDX-License-Identifier: Apache-2.0
#include "taskflows/tdbem/matrices/matrices.hpp"

#include <fmt/format.h>
#include <starpu.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <thread>

#include "runtime/machine/simulated_machine.hpp"
#include "runtime/memory/memory_limits.hpp"
#include "runtime/ranks/ranks.hpp"
#include "runtime/submit.hpp"
#include "taskflows/tdbem/matrices/assembly_order.hpp"

namespace asterism::tdbem {
namespace {

constexpr std::size_t line_bytes = 64;
/// Blocks are whole pages, as disks want them that are read past the kernel's cache (backend unistd_o_direct).
constexpr std::size_t page_bytes = 4096;
/// In whole pages.
std::size_t lines(std::int64_t bytes) {
  return (static_cast<std::size_t>(bytes) + page_bytes - 1) / page_bytes * (page_bytes / line_bytes);
}

}  // namespace

template <class T>
Matrices<T>::Matrices(const Problem& problem, std::int32_t block_size, Widths widths)
    : problem_(problem),
      surface_(problem.surface.view()),
      rules_(problem.rules),
      discretisation_{problem.boundary, problem.speed, problem.dt} {
  find_structure(block_size);
  if (widths == Widths::uniform) widen_panels();
  const std::size_t n = structure_.blocks.size();
  for (auto* const sizes : {&directory_, &bytes_, &values_, &padded_values_}) sizes->resize(n);
  places_.resize(n);
  initial_offset_.resize(n);
  of_block_.resize(n);
  handles_.resize(n);
  initial_handles_.resize(n);
  for (const std::size_t b : own_blocks()) lay_out(b);
  count();
  check_memory();
}

/// Where things are in a block, and its data.
template <class T>
void Matrices<T>::lay_out(std::size_t b) {
  const std::size_t n = structure_.blocks.size();
  initial_offset_[b].push_back(0);
  std::int64_t bytes = 0;
  for (std::size_t row = 0; row < n; ++row) {
    const TileStructure& tile = structure_.tiles[structure_.place(row, b)];
    const TileLayout layout = tile_layout<T>(tile);
    const auto at = [&](std::size_t offset) { return bytes + static_cast<std::int64_t>(offset); };
    places_[b].push_back({at(0), at(layout.start), at(layout.first), at(layout.length), tile.rows.begin,
                          tile.rows.size(), tile.slices.begin, tile.slices.size()});
    bytes += static_cast<std::int64_t>(layout.bytes);
    values_[b] += tile.counts.values;
    padded_values_[b] += tile.counts.padded_values;
    initial_offset_[b].push_back(initial_offset_[b].back() + static_cast<std::int64_t>(tile.initial_slice.size()));
    of_block_[b].push_back(&tile);
  }
  directory_[b] = bytes;
  bytes += static_cast<std::int64_t>(n * sizeof(PlacedTile));
  bytes_[b] = static_cast<std::int64_t>(lines(bytes) * line_bytes);
  handles_[b] = Handle::temporary(nullptr, lines(bytes), line_bytes, fmt::format("slices_{}", b));
  initial_handles_[b] =
      Handle::temporary(nullptr, static_cast<std::size_t>(std::max<std::int64_t>(initial_values(b), 1)), sizeof(double),
                        fmt::format("initial_{}", b))
          .kept_in_memory();
}

// A task of the assembly, which runs on cores, has two blocks. While all cores have theirs, one more block is on its
// way to or from the disk.
template <class T>
void Matrices<T>::check_memory() const {
  MemoryNeed need;
  std::int64_t largest = 0, initial = 0;
  for (const std::size_t b : own_blocks()) {
    need.all += bytes_[b];
    largest = std::max(largest, bytes_[b]);
    initial += initial_values(b) * static_cast<std::int64_t>(sizeof(double));
  }
  need.all += initial;
  need.at_once =
      std::min(need.all, initial + largest * (2 * std::max<std::int64_t>(starpu_cpu_worker_get_count(), 1) + 1));
  require_memory(need, "blocks of fewer slices (--cluster) or fewer cores (--cpus) need less");
}

template <class T>
void Matrices<T>::prepare() {
  for (const std::size_t b : own_blocks()) {
    codelets::PrepareArgs args;
    args.work.cells = bytes_[b];
    args.tiles = of_block_[b].data();
    args.places = places_[b].data();
    args.directory = directory_[b];
    args.count = static_cast<std::int32_t>(places_[b].size());
    args.bytes = bytes_[b];
    args.initial = initial_values(b);
    submit(codelets::prepare.of<T>(), args, {{handles_[b], STARPU_W}, {initial_handles_[b], STARPU_W}});
  }
}

/// Tiles (I, J) with their mirror images if both are here, then those whose mirror image is another rank's.
template <class T>
std::vector<std::pair<std::size_t, std::size_t>> Matrices<T>::tasks_of_assembly() const {
  const auto first = static_cast<std::size_t>(own().begin);
  auto pairs = pairs_by_cost(
      static_cast<std::size_t>(own().size()), starpu_cpu_worker_get_count(), [&](std::size_t i, std::size_t j) {
        return static_cast<double>(structure_.point_pairs[structure_.place(first + i, first + j)]);
      });
  for (auto& [i, j] : pairs) {
    i += first;
    j += first;
  }
  for (std::size_t row = 0; row < blocks(); ++row) {
    if (structure_.has_slices(row)) continue;
    for (const std::size_t b : own_blocks()) pairs.emplace_back(row, b);
  }
  return pairs;
}

template <class T>
std::int64_t Matrices<T>::own_point_pairs() const {
  std::int64_t sum = 0;
  for (const std::int64_t points : structure_.point_pairs) sum += points;
  return sum;
}

template <class T>
void Matrices<T>::assemble(const std::function<void(double)>& progress) {
  prepare();
  std::atomic<std::int64_t> done{0};
  struct Finished {
    std::atomic<std::int64_t>* done;
    std::int64_t points;
  };
  const auto pairs = tasks_of_assembly();
  std::vector<Finished> finished;
  finished.reserve(pairs.size());
  for (const auto& [i, j] : pairs) {
    codelets::AssembleArgs args;
    args.surface = &surface_;
    args.rules = &rules_;
    args.discretisation = &discretisation_;
    // tile (I, J) lies in the block of slices J, its mirror image in that of I
    const std::size_t row[2] = {i, j}, block[2] = {j, i};
    std::vector<Access> accesses;
    for (std::size_t side = 0; side < (i == j || !structure_.has_slices(i) ? 1U : 2U); ++side) {
      const std::size_t b = block[side];
      args.structure[side] = of_block_[b][row[side]];
      args.directory[side] = directory_[b];
      args.tile[side] = static_cast<std::int32_t>(row[side]);
      args.initial_offset[side] = initial_offset_[b][row[side]];
      accesses.push_back({handles_[b], STARPU_RW});
      accesses.push_back({initial_handles_[b], STARPU_RW});
    }
    const std::int64_t points = structure_.point_pairs[structure_.place(i, j)];
    args.work.cells = points;
    args.work.variant = i == j ? 1 : 0;
    finished.push_back({&done, points});
    TaskOptions options;
    options.done_argument = &finished.back();
    options.done = [](void* argument) {
      const auto& f = *static_cast<const Finished*>(argument);
      f.done->fetch_add(f.points);
    };
    submit(codelets::assemble.of<T>(), args, accesses, options);
  }
  const std::int64_t all = own_point_pairs();
  // sleeping would stop a simulated machine, whose time does not advance by itself
  for (std::int64_t now = 0; now < all && !simulated; now = done.load()) {
    progress(static_cast<double>(now) / static_cast<double>(all));
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  starpu_task_wait_for_all();
  gather();
}

template <class T>
void Matrices<T>::gather() {
  std::vector<std::vector<double>> initial(structure_.tiles.size());
  for (const std::size_t b : own_blocks()) {
    const Acquired held(initial_handles_[b], STARPU_R);
    const auto* values = static_cast<const double*>(starpu_data_get_local_ptr(initial_handles_[b]));
    for (std::size_t row = 0; row < blocks(); ++row)
      initial[structure_.place(row, b)].assign(values + initial_offset_[b][row], values + initial_offset_[b][row + 1]);
  }
  initial_ = gather_initial(structure_, initial);
  if (asterism::rank_group().distributed()) gather_ranks();
}

template <class T>
void Matrices<T>::get(const std::function<void(std::size_t, const void*, const double*)>& write) {
  for (const std::size_t b : own_blocks()) {
    const Acquired block(handles_[b], STARPU_R), initial(initial_handles_[b], STARPU_R);
    write(b, starpu_data_get_local_ptr(handles_[b]),
          static_cast<const double*>(starpu_data_get_local_ptr(initial_handles_[b])));
  }
}

template <class T>
void Matrices<T>::set(const std::function<void(std::size_t, void*, double*)>& read) {
  prepare();  // the arrays but the values are those of this structure, whatever the source says
  for (const std::size_t b : own_blocks()) {
    const Acquired block(handles_[b], STARPU_RW), initial(initial_handles_[b], STARPU_RW);
    read(b, starpu_data_get_local_ptr(handles_[b]),
         static_cast<double*>(starpu_data_get_local_ptr(initial_handles_[b])));
  }
  gather();
}

template <class T>
codelets::PartOfBlock Matrices<T>::place(std::size_t b, std::size_t first, std::size_t end) const {
  codelets::PartOfBlock p;
  p.directory = directory_[b];
  p.first_tile = static_cast<std::int32_t>(first);
  p.tiles = static_cast<std::int32_t>(end - first);
  p.slice_begin = structure_.blocks[b].begin;
  p.slices = structure_.blocks[b].size();
  for (std::size_t row = first; row < end; ++row)
    p.panels = std::max(p.panels, (structure_.blocks[row].size() + panel_rows - 1) / panel_rows);
  return p;
}

template <class T>
NearPairs<T> Matrices<T>::own_near(std::int32_t group) {
  NearPairs<T> near;
  near.lags = group - 1;
  std::vector<T> nothing;  // blocks of a simulated machine were not filled: pairs from their structure
  for (const std::size_t b : own_blocks()) {
    if (simulated) {
      for (const TileStructure* const tile : of_block_[b]) {
        nothing.resize(std::max(nothing.size(), static_cast<std::size_t>(tile->start.back()) * panel_rows));
        add_near_pairs(tile->view(nothing.data()), near);
      }
      continue;
    }
    const Acquired held(handles_[b], STARPU_R);
    const void* const bytes = starpu_data_get_local_ptr(handles_[b]);
    for (std::size_t row = 0; row < blocks(); ++row)
      add_near_pairs(tile_of_block<T>(bytes, directory_[b], static_cast<std::int32_t>(row)), near);
  }
  return near;
}

template class Matrices<float>;
template class Matrices<double>;

}  // namespace asterism::tdbem

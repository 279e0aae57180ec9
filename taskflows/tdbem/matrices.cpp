#include "taskflows/tdbem/matrices.hpp"

#include <fmt/format.h>
#include <starpu.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <thread>

#include "codelets/tdbem/pair_values.hpp"
#include "taskflows/runtime/memory_limits.hpp"
#include "taskflows/runtime/simulation.hpp"
#include "taskflows/runtime/submit.hpp"

namespace asterism::tdbem {
namespace {

constexpr std::size_t line_bytes = 64;
/// Blocks are whole pages, as disks want them that are read past the kernel's cache (backend unistd_o_direct).
constexpr std::size_t page_bytes = 4096;
constexpr std::int32_t smallest_cluster = 64;
/// Sums of a larger tile leave the caches of a core.
constexpr std::int32_t largest_cluster = 256;
/// Rounds of the assembly keep half as many tasks at work as there are blocks.
constexpr std::int32_t blocks_per_unit = 2;
constexpr std::int32_t most_blocks = 128;

/// In whole pages.
std::size_t lines(std::int64_t bytes) {
  return (static_cast<std::size_t>(bytes) + page_bytes - 1) / page_bytes * (page_bytes / line_bytes);
}

/// Pairs (I, J) of blocks in rounds without a block that occurs twice (the circle method of tournaments), those of a
/// block with itself first.
std::vector<std::pair<std::size_t, std::size_t>> tournament(std::size_t blocks) {
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (std::size_t b = 0; b < blocks; ++b) pairs.emplace_back(b, b);
  const std::size_t players = blocks + blocks % 2;  // with one that sits out
  for (std::size_t round = 0; round + 1 < players; ++round)
    for (std::size_t k = 0; k < players / 2; ++k) {
      const auto at = [&](std::size_t seat) { return seat == 0 ? 0 : 1 + (seat - 1 + round) % (players - 1); };
      const std::size_t a = at(k), b = at(players - 1 - k);
      if (a < blocks && b < blocks) pairs.emplace_back(std::min(a, b), std::max(a, b));
    }
  return pairs;
}

}  // namespace

std::int32_t suitable_cluster(std::int32_t unknowns, std::int32_t cores, std::int32_t gpus) {
  const std::int32_t units = std::max(cores + gpus, 1);
  const std::int32_t wanted = unknowns / std::min(blocks_per_unit * units, most_blocks);
  return std::clamp(wanted / panel_rows * panel_rows, smallest_cluster, largest_cluster);
}

template <class T>
Matrices<T>::Matrices(const Problem& problem, std::int32_t cluster)
    : problem_(problem),
      surface_(problem.surface.view()),
      rules_(problem.rules),
      discretisation_{problem.boundary, problem.speed, problem.dt} {
  {
    const Pause pause;  // the structure is found by the application's own threads
    structure_ = tiled_structure(surface_, rules_, discretisation_, clusters(surface_.vertex_count, cluster));
  }
  const std::size_t n = structure_.clusters.size();
  for (std::size_t b = 0; b < n; ++b) {
    std::vector<PlacedTile> places;
    std::vector<std::int64_t> offsets{0};
    std::vector<const TileStructure*> tiles;
    std::int64_t bytes = 0, values = 0;
    for (std::size_t row = 0; row < n; ++row) {
      const TileStructure& tile = structure_.tiles[structure_.place(row, b)];
      const TileLayout layout = tile_layout<T>(tile);
      const auto at = [&](std::size_t offset) { return bytes + static_cast<std::int64_t>(offset); };
      places.push_back({at(0), at(layout.start), at(layout.first), at(layout.length), tile.rows.begin, tile.rows.size(),
                        tile.slices.begin, tile.slices.size()});
      bytes += static_cast<std::int64_t>(layout.bytes);
      values += tile.counts.values;
      offsets.push_back(offsets.back() + static_cast<std::int64_t>(tile.initial_slice.size()));
      tiles.push_back(&tile);
    }
    directory_.push_back(bytes);
    bytes += static_cast<std::int64_t>(n * sizeof(PlacedTile));
    bytes_.push_back(static_cast<std::int64_t>(lines(bytes) * line_bytes));
    values_.push_back(values);
    places_.push_back(std::move(places));
    initial_offset_.push_back(std::move(offsets));
    of_block_.push_back(std::move(tiles));
    handles_.push_back(Handle::temporary(nullptr, lines(bytes), line_bytes, fmt::format("slices_{}", b)));
    initial_handles_.push_back(Handle::temporary(nullptr,
                                                 static_cast<std::size_t>(std::max<std::int64_t>(initial_values(b), 1)),
                                                 sizeof(double), fmt::format("initial_{}", b))
                                   .kept_in_memory());
  }
  check_memory();
}

// A task of the assembly, which runs on cores, has two blocks. While all cores have theirs, one more block is on its
// way to or from the disk.
template <class T>
void Matrices<T>::check_memory() const {
  MemoryNeed need;
  std::int64_t largest = 0, initial = 0;
  for (std::size_t b = 0; b < blocks(); ++b) {
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
  for (std::size_t b = 0; b < blocks(); ++b) {
    codelets::PrepareArgs args;
    args.work.cells = bytes_[b];
    args.tiles = of_block_[b].data();
    args.places = places_[b].data();
    args.directory = directory_[b];
    args.count = static_cast<std::int32_t>(places_[b].size());
    args.bytes = bytes_[b];
    args.initial = initial_values(b);
    submit(codelets::prepare<T>(), args, {{handles_[b], STARPU_W}, {initial_handles_[b], STARPU_W}});
  }
}

template <class T>
void Matrices<T>::assemble(const std::function<void(double)>& progress) {
  prepare();
  std::atomic<std::int64_t> done{0};
  struct Finished {
    std::atomic<std::int64_t>* done;
    std::int64_t points;
  };
  const auto pairs = tournament(blocks());
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
    for (std::size_t side = 0; side < (i == j ? 1U : 2U); ++side) {
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
    options.flops = static_cast<double>(points) * flops_of_point_pair;
    options.done_argument = &finished.back();
    options.done = [](void* argument) {
      const auto& f = *static_cast<const Finished*>(argument);
      f.done->fetch_add(f.points);
    };
    submit(codelets::assemble<T>(), args, accesses, options);
  }
  const double all = point_pairs();
  // sleeping would stop a simulated machine, whose time does not go on by itself
  for (std::int64_t now = 0; now < static_cast<std::int64_t>(all) && !simulated; now = done.load()) {
    progress(static_cast<double>(now) / all);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  starpu_task_wait_for_all();
  gather();
}

template <class T>
void Matrices<T>::gather() {
  std::vector<std::vector<double>> initial(structure_.tiles.size());
  for (std::size_t b = 0; b < blocks(); ++b) {
    const Acquired held(initial_handles_[b], STARPU_R);
    const auto* values = static_cast<const double*>(starpu_data_get_local_ptr(initial_handles_[b]));
    for (std::size_t row = 0; row < blocks(); ++row)
      initial[structure_.place(row, b)].assign(values + initial_offset_[b][row], values + initial_offset_[b][row + 1]);
  }
  initial_ = gather_initial(structure_, initial);
}

template <class T>
void Matrices<T>::get(const std::function<void(std::size_t, const void*, const double*)>& write) {
  for (std::size_t b = 0; b < blocks(); ++b) {
    const Acquired block(handles_[b], STARPU_R), initial(initial_handles_[b], STARPU_R);
    write(b, starpu_data_get_local_ptr(handles_[b]),
          static_cast<const double*>(starpu_data_get_local_ptr(initial_handles_[b])));
  }
}

template <class T>
void Matrices<T>::set(const std::function<void(std::size_t, void*, double*)>& read) {
  prepare();  // the arrays but the values are those of this structure, whatever the source says
  for (std::size_t b = 0; b < blocks(); ++b) {
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
  p.slice_begin = structure_.clusters[b].begin;
  p.slices = structure_.clusters[b].size();
  for (std::size_t row = first; row < end; ++row)
    p.panels = std::max(p.panels, (structure_.clusters[row].size() + panel_rows - 1) / panel_rows);
  return p;
}

template <class T>
double Matrices<T>::point_pairs() const {
  double sum = 0;
  for (const std::int64_t points : structure_.point_pairs) sum += static_cast<double>(points);
  return sum;
}

template <class T>
NearRows<T> Matrices<T>::near(std::size_t first, std::size_t end, std::int32_t group) {
  // blocks may not fit into memory together: tiles with near pairs, which are few, are copied one by one
  std::vector<std::vector<char>> copies;
  std::vector<Tile<T>> tiles;
  std::vector<T> nothing;
  for (std::size_t b = 0; b < blocks() && simulated; ++b)  // blocks were not filled: pairs from their structure
    for (std::size_t row = first; row < end; ++row) {
      const TileStructure& tile = *of_block_[b][row];
      nothing.resize(std::max(nothing.size(), static_cast<std::size_t>(tile.start.back()) * panel_rows));
    }
  for (std::size_t b = 0; b < blocks() && simulated; ++b)
    for (std::size_t row = first; row < end; ++row) tiles.push_back(of_block_[b][row]->view(nothing.data()));
  for (std::size_t b = 0; b < blocks() && !simulated; ++b) {
    const Acquired held(handles_[b], STARPU_R);
    const auto* const bytes = static_cast<const char*>(starpu_data_get_local_ptr(handles_[b]));
    for (std::size_t row = first; row < end; ++row) {
      const Tile<T> tile = tile_of_block<T>(bytes, directory_[b], static_cast<std::int32_t>(row));
      const std::int64_t vectors = static_cast<std::int64_t>(tile.panels()) * tile.slices * panel_rows;
      if (*std::min_element(tile.first, tile.first + vectors) >= group) continue;
      const PlacedTile& p = places_[b][row];
      const std::int64_t tile_end = row + 1 < blocks() ? places_[b][row + 1].values : directory_[b];
      const char* const copy = copies.emplace_back(bytes + p.values, bytes + tile_end).data();
      Tile<T> moved = tile;
      moved.start = reinterpret_cast<const std::uint32_t*>(copy + (p.start - p.values));
      moved.first = reinterpret_cast<const std::uint16_t*>(copy + (p.first - p.values));
      moved.length = reinterpret_cast<const std::uint8_t*>(copy + (p.length - p.values));
      moved.values = reinterpret_cast<const T*>(copy);
      tiles.push_back(moved);
    }
  }
  const std::int32_t begin = structure_.clusters[first].begin;
  return near_rows(tiles.data(), static_cast<std::int32_t>(tiles.size()), begin,
                   structure_.clusters[end - 1].end - begin, group);
}

template class Matrices<float>;
template class Matrices<double>;

}  // namespace asterism::tdbem

// SPDX-License-Identifier: Apache-2.0
#include "codelets/tdbem/codelets.hpp"

#include <algorithm>
#include <cstring>
#include <span>
#include <vector>

#include "codelets/tdbem/codelets_cuda.hpp"
#include "codelets/tdbem/kernels/costs.hpp"
#include "codelets/tdbem/kernels/product/block.hpp"
#include "codelets/tdbem/kernels/product/variants.hpp"
#include "codelets/tdbem/task_functions.hpp"

namespace asterism::tdbem::codelets {
namespace {

/// The tiles that a product takes of a block.
template <class T>
std::vector<Tile<T>> tiles_of(const void* block, const PartOfBlock& place) {
  std::vector<Tile<T>> tiles;
  for (std::int32_t t = 0; t < place.tiles; ++t)
    tiles.push_back(tile_of_block<T>(block, place.directory, place.first_tile + t));
  return tiles;
}

struct Cpu {
  static constexpr bool marches_at_once = false;
  template <class T>
  void zero(T* values, std::int64_t elements) const {
    std::fill_n(values, elements, T(0));
  }
  template <class T, class Scratch>
  void product(const ProductArgs& a, const void* const* blocks, const WindowsOfBlocks<T>& windows, const Sums<T>& sums,
               const Scratch& /*scratch*/) const {
    for (std::int32_t k = 0; k < a.blocks; ++k)
      cpu::product(tiles_of<T>(blocks[k], a.place[k]).data(), a.place[k].tiles, windows.of[k], sums);
  }
  template <class T>
  void full_blocks_product(const FullBlocksView<T>& blocks, const Windows<T>& windows, const Sums<T>& sums) const {
    cpu::full_blocks_product(blocks, windows, sums);
  }
  template <class T>
  void combine(const TotalsShape& shape, Begun begun, const PartialSums<T>* partials, std::int32_t count,
               T* totals) const {
    cpu::combine(shape, begun, partials, count, totals);
  }
  template <class T>
  void illuminate(const SurfaceView& surface, const Illumination& incident, const Steps& steps, std::int32_t begin,
                  std::int32_t end, T* out) const {
    cpu::illuminate(surface, incident, steps, begin, end, out);
  }
  template <class T>
  void right_hand_side(const TotalsShape& shape, std::int32_t g, const RightHandSide<T>& r) const {
    cpu::right_hand_side(shape, g, r);
  }
  template <class T>
  void solve(const SolveArgs& a, const CsrView<T>& m, const T* inverse, const Guess<T>& guess, T* rhs, T* answer,
             SolveTally* tally) const {
    if (a.direct != nullptr) {
      (*a.direct)(rhs);
      std::copy_n(rhs, a.rows, answer);
      add(*tally, {0, 0, Ending::converged}, a.step);
      return;
    }
    const tasks::SolveScratch<T> scratch(rhs, a.rows);
    cpu::extrapolate(a.rows, guess, answer);
    add(*tally, cpu::solve(m, inverse, a.limits, rhs, answer, scratch.workspace), a.step);
  }
  template <class T>
  void radiate(const NearRowsView<T>& near, std::int32_t g0, const Found<T>& found, const Sums<T>& sums,
               std::int32_t begin, std::int32_t end) const {
    cpu::radiate(near, g0, found, sums, begin, end);
  }
  template <class T>
  void move_on(const MovedBlocks<T>& windows, const Done<T>& done) const {
    for (std::int32_t k = 0; k < windows.count; ++k) cpu::move_on(windows.of[k], done);
  }
  template <class T>
  void observe(const ObserverView<T>& observers, const HistoryView<T>& history, std::int32_t steps, T* p) const {
    cpu::observe(observers, history, 0, observers.observers, steps, p);
  }
};

/// A scalar product per row-vector and summation vector (section 3.2), one wave after the other.
template <class T>
void scalar_products_of_blocks(void** b, void* arguments) {
  tasks::add_products<Cpu, T>(b, arguments,
                              [](const Cpu&, const ProductArgs& a, const void* const* blocks,
                                 const WindowsOfBlocks<T>& windows, const Sums<T>& sums, const auto&) {
                                for (std::int32_t k = 0; k < a.blocks; ++k) {
                                  const std::vector<Tile<T>> tiles = tiles_of<T>(blocks[k], a.place[k]);
                                  for (std::int32_t wave = 0; wave < a.waves; ++wave)
                                    cpu::scalar_products(tiles.data(), a.place[k].tiles, of_wave(windows.of[k], wave),
                                                         of_wave(sums, wave));
                                }
                              });
}

/// Row-vectors times matrices of past values (section 3.3, first optimisation), one wave after the other. The matrices
/// are made from the windows in each task.
template <class T>
void matrix_vector_products_of_blocks(void** b, void* arguments) {
  tasks::add_products<Cpu, T>(b, arguments,
                              [](const Cpu&, const ProductArgs& a, const void* const* blocks,
                                 const WindowsOfBlocks<T>& windows, const Sums<T>& sums, const auto&) {
                                std::vector<T> past;
                                for (std::int32_t k = 0; k < a.blocks; ++k) {
                                  const PartOfBlock& place = a.place[k];
                                  const std::vector<Tile<T>> tiles = tiles_of<T>(blocks[k], place);
                                  cpu::SeparateWindows<T> separate{nullptr, place.slice_begin, place.slices, a.shape};
                                  past.resize(static_cast<std::size_t>(cpu::separate_elements(separate)));
                                  for (std::int32_t wave = 0; wave < a.waves; ++wave) {
                                    cpu::separate(of_wave(windows.of[k], wave), separate, past.data());
                                    separate.values = past.data();
                                    cpu::matrix_vector_products(tiles.data(), place.tiles, separate,
                                                                of_wave(sums, wave));
                                  }
                                }
                              });
}

template <class T>
void cut_block(void** b, void* arguments) {
  const auto& a = as<CutArgs>(arguments);
  Buffers buffers(b);
  const char* const block = buffers.take<const char>();
  char* const to = buffers.take<char>();
  for (std::int32_t t = 0; t < a.count; ++t) {
    const FullBlocks<T> of_tile = full_blocks(tile_of_block<T>(block, a.directory, t), a.shape);
    std::copy(of_tile.slice.begin(), of_tile.slice.end(), reinterpret_cast<std::int32_t*>(to + a.places[t].slice));
    std::copy(of_tile.place.begin(), of_tile.place.end(), reinterpret_cast<BlockPlace*>(to + a.places[t].place));
    std::copy(of_tile.values.begin(), of_tile.values.end(), reinterpret_cast<T*>(to + a.places[t].values));
  }
}

template <class T>
void prepare_block(void** b, void* arguments) {
  const auto& a = as<PrepareArgs>(arguments);
  Buffers buffers(b);
  char* const block = buffers.take<char>();
  std::fill_n(buffers.take<double>(), a.initial, 0.0);
  std::memset(block, 0, static_cast<std::size_t>(a.bytes));
  std::memcpy(block + a.directory, a.places, static_cast<std::size_t>(a.count) * sizeof(PlacedTile));
  for (std::int32_t t = 0; t < a.count; ++t) {
    const TileStructure& s = *a.tiles[t];
    std::copy(s.start.begin(), s.start.end(), reinterpret_cast<std::uint32_t*>(block + a.places[t].start));
    std::copy(s.first.begin(), s.first.end(), reinterpret_cast<std::uint16_t*>(block + a.places[t].first));
    std::copy(s.length.begin(), s.length.end(), reinterpret_cast<std::uint8_t*>(block + a.places[t].length));
  }
}

template <class T>
void assemble_tile(void** b, void* arguments) {
  const auto& a = as<AssembleArgs>(arguments);
  Buffers buffers(b);
  TileTarget<T> target[2];
  const bool mirrored = a.structure[1] != nullptr;
  for (int side = 0; side < (mirrored ? 2 : 1); ++side) {
    char* const block = buffers.take<char>();
    double* const initial = buffers.take<double>();
    const TileStructure& s = *a.structure[side];
    target[side].tile = tile_of_block<T>(block, a.directory[side], a.tile[side]);
    target[side].values = const_cast<T*>(target[side].tile.values);
    target[side].initial_start = s.initial_start.data();
    target[side].initial_slice = s.initial_slice.data();
    target[side].initial = initial + a.initial_offset[side];
  }
  TileScratch scratch(*a.rules);
  tdbem::assemble(*a.surface, *a.rules, *a.discretisation, target[0], mirrored ? &target[1] : nullptr, scratch);
}

/// The class of a task in its performance model: what its arguments say of its work.
std::uint32_t class_of_work(starpu_task* task) {
  const Work& work = *static_cast<const Work*>(task->cl_arg);
  const auto cells = static_cast<std::uint64_t>(work.cells);
  return static_cast<std::uint32_t>(cells ^ cells >> 32) ^ static_cast<std::uint32_t>(work.variant) << 24;
}

/// Operations of a task by its arguments.
template <class Args, auto of>
double flops(const void* arguments, std::span<const Access> /*accesses*/) {
  return of(*static_cast<const Args*>(arguments));
}

template <class Args>
double cells(const Args& arguments) {
  return static_cast<double>(arguments.work.cells);
}

/// `cuda`: null for codelets of CPUs only. `flops`: null where the number of operations is not known before the task.
CodeletSpec spec(const char* name, starpu_cpu_func_t cpu, starpu_cuda_func_t cuda, TaskFlops flops = nullptr) {
  return {name, nullptr, cpu, cuda, flops, class_of_work};
}

template <class T>
CodeletSpec prepare_spec() {
  return spec("tdbem_prepare", prepare_block<T>, nullptr);
}

template <class T>
CodeletSpec assemble_spec() {
  return spec("tdbem_assemble", assemble_tile<T>, nullptr,
              flops<AssembleArgs, [](const auto& a) { return flops_of_point_pair * cells(a); }>);
}

CodeletSpec summation_spec(const char* name, starpu_cpu_func_t cpu, starpu_cuda_func_t cuda) {
  return spec(name, cpu, cuda,
              flops<ProductArgs, [](const auto& a) { return product_flops(a.values, a.shape.group, a.waves); }>);
}

template <class T>
CodeletSpec product_spec() {
  return summation_spec("tdbem_product", tasks::product<Cpu, T>, gpu::functions<T>().product);
}

template <class T>
CodeletSpec full_blocks_product_spec() {
  return summation_spec("tdbem_full_blocks_product", tasks::full_blocks_product<Cpu, T>,
                        gpu::functions<T>().full_blocks_product);
}

template <class T>
CodeletSpec scalar_products_spec() {
  return summation_spec("tdbem_scalar_products", scalar_products_of_blocks<T>, nullptr);
}

template <class T>
CodeletSpec matrix_vector_products_spec() {
  return summation_spec("tdbem_matrix_vector_products", matrix_vector_products_of_blocks<T>, nullptr);
}

template <class T>
CodeletSpec cut_spec() {
  return spec("tdbem_cut", cut_block<T>, nullptr);
}

template <class T>
CodeletSpec combine_spec() {
  return spec("tdbem_combine", tasks::combine<Cpu, T>, gpu::functions<T>().combine,
              flops<CombineArgs, [](const auto& a) { return combine_flops(a.shape.elements(), a.partials); }>);
}

template <class T>
CodeletSpec illuminate_spec() {
  return spec("tdbem_illuminate", tasks::illuminate<Cpu, T>, gpu::functions<T>().illuminate);
}

template <class T>
CodeletSpec solve_spec() {
  return spec("tdbem_solve", tasks::solve<Cpu, T>, gpu::functions<T>().solve);
}

template <class T>
CodeletSpec solve_directly_spec() {
  return spec("tdbem_solve_directly", tasks::solve<Cpu, T>, nullptr);
}

template <class T>
CodeletSpec radiate_spec() {
  return spec(
      "tdbem_radiate", tasks::radiate<Cpu, T>, gpu::functions<T>().radiate,
      flops<RadiateArgs, [](const auto& a) { return radiation_flops(a.work.cells, a.work.variant) * a.waves; }>);
}

template <class T>
CodeletSpec march_spec() {
  return spec("tdbem_march", tasks::march<Cpu, T>, gpu::functions<T>().march);
}

template <class T>
CodeletSpec move_on_spec() {
  return spec("tdbem_move_on", tasks::move_on<Cpu, T>, gpu::functions<T>().move_on);
}

template <class T>
CodeletSpec observe_spec() {
  return spec(
      "tdbem_observe", tasks::observe<Cpu, T>, gpu::functions<T>().observe,
      flops<ObserveArgs, [](const auto& a) { return observe_flops_per_weight * cells(a) * a.shape.group * a.waves; }>);
}

}  // namespace

PrecisionCodelet prepare(prepare_spec<float>(), prepare_spec<double>());
PrecisionCodelet assemble(assemble_spec<float>(), assemble_spec<double>());
PrecisionCodelet product(product_spec<float>(), product_spec<double>());
PrecisionCodelet full_blocks_product(full_blocks_product_spec<float>(), full_blocks_product_spec<double>());
PrecisionCodelet scalar_products(scalar_products_spec<float>(), scalar_products_spec<double>());
PrecisionCodelet matrix_vector_products(matrix_vector_products_spec<float>(), matrix_vector_products_spec<double>());
PrecisionCodelet cut(cut_spec<float>(), cut_spec<double>());
PrecisionCodelet combine(combine_spec<float>(), combine_spec<double>());
PrecisionCodelet illuminate(illuminate_spec<float>(), illuminate_spec<double>());
PrecisionCodelet solve(solve_spec<float>(), solve_spec<double>());
PrecisionCodelet solve_directly(solve_directly_spec<float>(), solve_directly_spec<double>());
PrecisionCodelet radiate(radiate_spec<float>(), radiate_spec<double>());
PrecisionCodelet march(march_spec<float>(), march_spec<double>());
PrecisionCodelet move_on(move_on_spec<float>(), move_on_spec<double>());
PrecisionCodelet observe(observe_spec<float>(), observe_spec<double>());

template <class T>
std::size_t product_scratch_bytes(const PartOfBlock& largest, std::int32_t group, std::int32_t waves) {
  std::size_t bytes = 0;
  for (std::int32_t blocks = 1; blocks <= most_blocks_at_once; ++blocks) {
    const std::int32_t tiles = blocks * largest.tiles;
    const ProductShape shape = product_shape(tiles, largest.panels, largest.slices);
    bytes = std::max(bytes, tasks::tile_bytes<T>(tiles) +
                                static_cast<std::size_t>(product_scratch(shape, group, waves)) * sizeof(T));
  }
  return bytes;
}
template std::size_t product_scratch_bytes<float>(const PartOfBlock&, std::int32_t, std::int32_t);
template std::size_t product_scratch_bytes<double>(const PartOfBlock&, std::int32_t, std::int32_t);

template <class T>
std::size_t solve_scratch_bytes(std::int32_t rows) {
  return tasks::SolveScratch<T>::bytes(rows);
}
template std::size_t solve_scratch_bytes<float>(std::int32_t);
template std::size_t solve_scratch_bytes<double>(std::int32_t);

}  // namespace asterism::tdbem::codelets

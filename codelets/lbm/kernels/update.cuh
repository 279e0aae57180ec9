// SPDX-License-Identifier: Apache-2.0
// Two cells side by side in the registers of a thread, all nineteen populations of each. The first one has an even x,
// so that a population of both is one word where it lies at the cells' own x: all of them in the alpha step, in the
// beta step those that do not move along x. At velocity walls a cell takes what comes back to it from where the
// half-step before left it, and pressure walls may return at once what they are sent, so that no pass over the walls is
// needed.
#pragma once

#include "codelets/lbm/kernels/boundary/sponge.hpp"
#include "codelets/lbm/kernels/cell.hpp"
#include "codelets/lbm/kernels/population_offsets.hpp"
#include "codelets/lbm/kernels/thread_cells.hpp"

namespace asterism::lbm::cuda {

/// What a kernel can do. `all`: a sponge and walls that return at once, too. `plain`: neither, with fewer registers;
/// that counts where lines are shortest, as loads of many threads have to be under way.
enum class Scope { plain, all };
template <class T>
inline constexpr bool has_plain_kernels = std::is_same_v<T, Float16>;
/// Threads of a block at most, and blocks of so many that a multiprocessor has at once.
template <class T>
inline constexpr int most_update_threads = std::is_same_v<T, Float16> ? 128 : 256;
template <class T, Scope scope>
inline constexpr int blocks_at_once = std::is_same_v<T, double>  ? 2
                                      : std::is_same_v<T, float> ? 3
                                      : scope == Scope::all      ? 7
                                                                 : 8;

/// Cells 2 n and 2 n + 1 along x for each n of the threads' cells, of which those in the box are updated.
struct ThreadPairs {
  ThreadCells pairs;
  std::int32_t x0[faces], x1[faces];
};

template <class BoxOf>
ThreadPairs thread_pairs(std::int32_t count, BoxOf box) {
  ThreadPairs t{};
  for (int k = 0; k < count; ++k) {
    t.x0[k] = box(k).x0;
    t.x1[k] = box(k).x1;
  }
  t.pairs = thread_cells(count, [&](int k) {
    Box b = box(k);
    b.x0 = b.x0 / 2;
    b.x1 = (b.x1 + 1) / 2;
    return b;
  });
  return t;
}

/// Parameters for populations of T, which are computed times scale_of<T>.
template <class T>
using ScaledParameters = Parameters<Arithmetic<T>, scale_of<T>>;
template <class T>
using ScaledFriction = Friction<Arithmetic<T>, scale_of<T>>;

/// A population of two cells.
template <class T>
struct alignas(2 * sizeof(T)) Two {
  T of[2];
};

template <class T>
ASTERISM_CELL void load_two(const T* from, Arithmetic<T>& first, Arithmetic<T>& second) {
#ifdef __CUDA_ARCH__
  if constexpr (std::is_same_v<T, Float16>) {
    const float2 both = __half22float2(*reinterpret_cast<const __half2*>(from));
    first = both.x;
    second = both.y;
    return;
  }
#endif
  const Two<T> both = *reinterpret_cast<const Two<T>*>(from);
  first = scaled_value_of(both.of[0]);
  second = scaled_value_of(both.of[1]);
}
template <class T>
ASTERISM_CELL void store_two(T* to, const Arithmetic<T>& first, const Arithmetic<T>& second) {
#ifdef __CUDA_ARCH__
  if constexpr (std::is_same_v<T, Float16>) {
    *reinterpret_cast<__half2*>(to) = __floats2half2_rn(first, second);
    return;
  }
#endif
  *reinterpret_cast<Two<T>*>(to) = {{stored_scaled<T>(first), stored_scaled<T>(second)}};
}

/// Takes the populations of two cells from their places. `words`: those that move along x, too, are words.
template <class T>
ASTERISM_CELL void take_two(const PopulationBytes& now, bool words, const T* cell, Arithmetic<T> (&f)[2][q]) {
  ASTERISM_UNROLL
  for (int i = 0; i < q; ++i)
    if (velocity(i).x == 0) load_two(&now.at(cell, i), f[0][i], f[1][i]);
  if (words) {
    ASTERISM_UNROLL
    for (int i = 0; i < q; ++i)
      if (velocity(i).x != 0) load_two(&now.at(cell, i), f[0][i], f[1][i]);
  } else {
    ASTERISM_UNROLL
    for (int i = 0; i < q; ++i) {
      if (velocity(i).x == 0) continue;
      const T* const place = &now.at(cell, i);
      f[0][i] = scaled_value_of(place[0]);
      f[1][i] = scaled_value_of(place[1]);
    }
  }
}

/// Leaves f*_i where f_opposite(i) was taken.
template <class T>
ASTERISM_CELL void leave_two(const PopulationBytes& now, bool words, const Arithmetic<T> (&f)[2][q], T* cell) {
  ASTERISM_UNROLL
  for (int i = 0; i < q; ++i)
    if (velocity(i).x == 0) store_two(&now.at(cell, opposite(i)), f[0][i], f[1][i]);
  if (words) {
    ASTERISM_UNROLL
    for (int i = 0; i < q; ++i)
      if (velocity(i).x != 0) store_two(&now.at(cell, opposite(i)), f[0][i], f[1][i]);
  } else {
    ASTERISM_UNROLL
    for (int i = 0; i < q; ++i) {
      if (velocity(i).x == 0) continue;
      T* const place = &now.at(cell, opposite(i));
      place[0] = stored_scaled<T>(f[0][i]);
      place[1] = stored_scaled<T>(f[1][i]);
    }
  }
}

/// What the sponge does to a cell, if it lies in it.
template <class T, int scale>
ASTERISM_CELL void rub_cell(const Friction<T, scale>& sponge, int x, int y, int z, T (&f)[q]) {
  if (x < sponge.begin) return;
  const auto halves = static_cast<T>(2 * (std::int64_t{x} - sponge.begin) + 1);
  rub(sponge, strength_at(sponge, halves), share_of_mean(sponge.profile, 0, y, z, {}), f);
}

template <class T, Relaxation relaxation, bool forced, Scope scope>
__global__ void __launch_bounds__(most_update_threads<T>, (blocks_at_once<T, scope>))
    update_kernel(const __grid_constant__ ScaledParameters<T> p, const __grid_constant__ ScaledFriction<T> sponge,
                  const __grid_constant__ PopulationBytes last, const __grid_constant__ PopulationBytes where,
                  const bool words, const __grid_constant__ Returns<Arithmetic<T>> returns,
                  const __grid_constant__ ReturnsAtOnce<Arithmetic<T>> at_once, const __grid_constant__ Brick brick,
                  const __grid_constant__ ThreadPairs threads, const std::uint8_t* __restrict__ solid, T* f) {
  const std::uint32_t number = blockIdx.x * blockDim.x + threadIdx.x;
  if (number >= threads.pairs.cells()) return;
  const ThreadCells::Cell here = threads.pairs.cell(number);
  const int x = 2 * here.x;
  const std::int64_t at = brick.cell(x, here.y, here.z);
  Two<std::uint8_t> solid_here{};  // solid cells are read, too, so that no load waits for this one
  if (solid != nullptr) solid_here = *reinterpret_cast<const Two<std::uint8_t>*>(solid + at);
  T* const cell = f + at;
  Arithmetic<T> v[2][q];
  take_two<T>(where, words, cell, v);
  const bool updated[2] = {x >= threads.x0[here.box] && solid_here.of[0] == 0,
                           x + 1 < threads.x1[here.box] && solid_here.of[1] == 0};
  ASTERISM_UNROLL
  for (int k = 0; k < 2; ++k) {
    if (returns.inside.has(x + k, here.y, here.z)) continue;
    const std::uint32_t walls = returns.walls & faces_at(brick, x + k, here.y, here.z);
    take_back(walls, last, cell + k, v[k]);
    if ((walls & returns.moving) != 0) carry<T>(returns, walls, v[k]);
  }
  ASTERISM_UNROLL
  for (int k = 0; k < 2; ++k) {
    collide<Arithmetic<T>, relaxation, forced>(p, v[k]);
    if constexpr (scope == Scope::plain) continue;
    if (sponge.begin < brick.nx) rub_cell(sponge, x + k, here.y, here.z, v[k]);
    if (at_once.walls != 0 && updated[k] && !at_once.inside.has(x + k, here.y, here.z))
      return_at_once(at_once, faces_at(brick, x + k, here.y, here.z), last, v[k], cell + k);
  }
  if (updated[0] && updated[1]) return leave_two<T>(where, words, v, cell);
  ASTERISM_UNROLL
  for (int k = 0; k < 2; ++k) {
    if (!updated[k]) continue;
    ASTERISM_UNROLL
    for (int i = 0; i < q; ++i) where.at(cell + k, opposite(i)) = stored_scaled<T>(v[k][i]);
  }
}

}  // namespace asterism::lbm::cuda

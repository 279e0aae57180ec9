// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "codelets/lbm/kernels/boundary/sponge.hpp"
#include "codelets/lbm/kernels/boundary/wall_rows.hpp"
#include "codelets/lbm/kernels/cell.hpp"
#include "codelets/lbm/kernels/kernels.hpp"
#include "codelets/lbm/kernels/lanes.hpp"

namespace asterism::lbm::cpu {
namespace {

template <class T>
struct Job {
  Half half;
  const Brick& brick;
  const Box& box;
  const Collision& collision;
  const std::uint8_t* solid;
  T* f;
  const WallRows<T>* walls;
  std::int32_t count;  ///< of walls
};

/// Prefetched, as nineteen streams are more than a core looks ahead in by itself.
template <class T>
constexpr int cells_ahead = 256 / sizeof(T);
template <class T>
constexpr int cells_of_line = std::max(cells_at_once<T>, static_cast<int>(64 / sizeof(T)));

template <class T>
using RowFriction = Friction<Arithmetic<T>, scale_of<T>>;

/// What the sponge does to cells of a row from x on, all in it.
template <class T>
ASTERISM_INLINE void rub_row(const RowFriction<T>& sponge, Arithmetic<T> share, int x, Cells<T> (&f)[q]) {
  Cells<T> halves{};
  for (int l = 0; l < cells_at_once<T>; ++l)
    halves[l] = static_cast<Arithmetic<T>>(2 * (std::int64_t{x} + l - sponge.begin) + 1);
  rub(sponge, strength_at(sponge, halves), share, f);
}

/// Rows to which walls give back together: a row whose first cells have just been written would wait for them.
constexpr int rows_together = 16;

/// Never inlined: the same for all instruction sets and models.
template <class T>
[[gnu::noinline]] void give_back(const Job<T>& job, int y0, int z) {
  const int y1 = std::min(y0 + rows_together, job.box.y1);
  for (std::int32_t w = 0; w < job.count; ++w)
    for (int y = y0; y < y1; ++y) job.walls[w].give_back(job.brick, y, z, job.f);
}

template <Conversion conversion, class T, Relaxation relaxation, bool forced>
ASTERISM_INLINE void update_run(const Parameters<Arithmetic<T>, scale_of<T>>& p, const RowFriction<T>& sponge,
                                Arithmetic<T> share, T* const* place, int begin, int end, const Job<T>& job) {
  const int width = job.box.x1 - job.box.x0;
  for (int x = begin, count = 0; x < end; x += count) {
    count = std::min(cells_at_once<T>, (x < sponge.begin && sponge.begin < end ? sponge.begin : end) - x);
    if ((x - begin) % cells_of_line<T> == 0) {
      const int next = x - job.box.x0 + cells_ahead<T>;  // from the first cell of the row on, or in later rows
      const int ahead = job.box.x0 + (next < width ? next : next / width * job.brick.pitch + next % width);
#pragma GCC unroll 19
      for (int i = 0; i < q; ++i) __builtin_prefetch(place[i] + ahead);
    }
    Cells<T> f[q];
    load<conversion, T>(place, x, count, f);
    collide<Arithmetic<T>, relaxation, forced>(p, f);
    if (x >= sponge.begin) rub_row<T>(sponge, share, x, f);
    store_opposite<conversion, T>(place, x, count, f);
  }
}

template <Conversion conversion, class T, Relaxation relaxation, bool forced>
ASTERISM_INLINE void update_box(const Job<T>& job) {
  const auto p = parameters<Arithmetic<T>, scale_of<T>>(job.collision);
  const auto sponge = friction<Arithmetic<T>, scale_of<T>>(job.collision.sponge);
  const PopulationOffsets where = population_offsets(job.half, job.brick);
  for (int z = job.box.z0; z < job.box.z1; ++z)
    for (int y = job.box.y0; y < job.box.y1; ++y) {
      if (job.count > 0 && (y - job.box.y0) % rows_together == 0) give_back(job, y, z);
      const std::int64_t row = job.brick.cell(0, y, z);
      const Arithmetic<T> share = share_of_mean(sponge.profile, 0, y, z, {});
      T* place[q];
      for (int i = 0; i < q; ++i) place[i] = job.f + row + where.offset[i];
      // the places of solid cells are in use by Links
      for (int x = job.box.x0; x < job.box.x1;) {
        const int begin = job.solid == nullptr ? x : find(job.solid + row, x, job.box.x1, false);
        x = job.solid == nullptr ? job.box.x1 : find(job.solid + row, begin, job.box.x1, true);
        update_run<conversion, T, relaxation, forced>(p, sponge, share, place, begin, x, job);
      }
    }
}

template <Conversion conversion, class T, bool forced>
ASTERISM_INLINE void update_relaxed(const Job<T>& job) {
  switch (relaxation(job.collision)) {
    case Relaxation::constant:
      return update_box<conversion, T, Relaxation::constant, forced>(job);
    case Relaxation::turbulent_bgk:
      return update_box<conversion, T, Relaxation::turbulent_bgk, forced>(job);
    case Relaxation::turbulent_trt:
      return update_box<conversion, T, Relaxation::turbulent_trt, forced>(job);
    case Relaxation::central:
      return update_box<conversion, T, Relaxation::central, forced>(job);
    case Relaxation::turbulent_central:
      return update_box<conversion, T, Relaxation::turbulent_central, forced>(job);
    case Relaxation::central_third:
      return update_box<conversion, T, Relaxation::central_third, forced>(job);
    case Relaxation::turbulent_central_third:
      return update_box<conversion, T, Relaxation::turbulent_central_third, forced>(job);
  }
}

template <Conversion conversion = Conversion::integers, class T>
ASTERISM_INLINE void update_any(const Job<T>& job) {
  if (forced(job.collision))
    update_relaxed<conversion, T, true>(job);
  else
    update_relaxed<conversion, T, false>(job);
}

ASTERISM_CLONES void update_rows(const Job<double>& job) {
  update_any(job);
}
ASTERISM_CLONES void update_rows(const Job<float>& job) {
  update_any(job);
}
// the conversions differ, so that the versions are chosen here
#ifdef ASTERISM_HAS_CLONES
[[gnu::target("arch=x86-64-v4")]] void update_by_avx512(const Job<Float16>& job) {
  update_any<Conversion::avx512>(job);
}
[[gnu::target("arch=x86-64-v3")]] void update_by_f16c(const Job<Float16>& job) {
  update_any<Conversion::f16c>(job);
}
#endif
void update_rows(const Job<Float16>& job) {
#ifdef ASTERISM_HAS_CLONES
  if (__builtin_cpu_supports("x86-64-v4") != 0) return update_by_avx512(job);
  if (__builtin_cpu_supports("x86-64-v3") != 0) return update_by_f16c(job);
#endif
  update_any(job);
}

}  // namespace

template <class T>
void update(Half half, const Brick& brick, const Box& box, const Collision& collision, const std::uint8_t* solid, T* f,
            const Wall* walls, std::int32_t count) {
  WallRows<T> rows[faces];
  for (std::int32_t w = 0; w < count; ++w) rows[w] = WallRows<T>(other(half), brick, walls[w], box);
  update_rows(Job<T>{half, brick, box, collision, solid, f, rows, count});
}

template void update(Half, const Brick&, const Box&, const Collision&, const std::uint8_t*, double*, const Wall*,
                     std::int32_t);
template void update(Half, const Brick&, const Box&, const Collision&, const std::uint8_t*, float*, const Wall*,
                     std::int32_t);
template void update(Half, const Brick&, const Box&, const Collision&, const std::uint8_t*, Float16*, const Wall*,
                     std::int32_t);

}  // namespace asterism::lbm::cpu

// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

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
};

/// Prefetched, as nineteen streams are more than a core looks ahead in by itself.
constexpr int bytes_ahead = 256;

template <class T, Relaxation relaxation, bool forced>
ASTERISM_INLINE void update_run(const Parameters<T>& p, T* const* place, int begin, int end) {
  for (int x = begin; x < end; x += width<T>) {
    const int count = std::min(width<T>, end - x);
#pragma GCC unroll 19
    for (int i = 0; i < q; ++i) __builtin_prefetch(reinterpret_cast<const char*>(place[i] + x) + bytes_ahead);
    Vector<T> f[q];
    load<T>(place, x, count, f);
    collide<T, relaxation, forced>(p, f);
    store_opposite<T>(place, x, count, f);
  }
}

template <class T, Relaxation relaxation, bool forced>
ASTERISM_INLINE void update_box(const Job<T>& job) {
  const Parameters<T> p = parameters<T>(job.collision);
  const PopulationOffsets where = population_offsets(job.half, job.brick);
  for (int z = job.box.z0; z < job.box.z1; ++z)
    for (int y = job.box.y0; y < job.box.y1; ++y) {
      const std::int64_t row = job.brick.cell(0, y, z);
      T* place[q];
      for (int i = 0; i < q; ++i) place[i] = job.f + row + where.offset[i];
      // the places of solid cells are in use by Links
      for (int x = job.box.x0; x < job.box.x1;) {
        const int begin = job.solid == nullptr ? x : find(job.solid + row, x, job.box.x1, false);
        x = job.solid == nullptr ? job.box.x1 : find(job.solid + row, begin, job.box.x1, true);
        update_run<T, relaxation, forced>(p, place, begin, x);
      }
    }
}

template <class T, bool forced>
ASTERISM_INLINE void update_relaxed(const Job<T>& job) {
  switch (relaxation(job.collision)) {
    case Relaxation::constant:
      return update_box<T, Relaxation::constant, forced>(job);
    case Relaxation::turbulent_bgk:
      return update_box<T, Relaxation::turbulent_bgk, forced>(job);
    case Relaxation::turbulent_trt:
      return update_box<T, Relaxation::turbulent_trt, forced>(job);
  }
}

template <class T>
ASTERISM_INLINE void update_any(const Job<T>& job) {
  if (forced(job.collision))
    update_relaxed<T, true>(job);
  else
    update_relaxed<T, false>(job);
}

}  // namespace

template <>
ASTERISM_CLONES void update(Half half, const Brick& brick, const Box& box, const Collision& collision,
                            const std::uint8_t* solid, double* f) {
  update_any<double>({half, brick, box, collision, solid, f});
}
template <>
ASTERISM_CLONES void update(Half half, const Brick& brick, const Box& box, const Collision& collision,
                            const std::uint8_t* solid, float* f) {
  update_any<float>({half, brick, box, collision, solid, f});
}

}  // namespace asterism::lbm::cpu

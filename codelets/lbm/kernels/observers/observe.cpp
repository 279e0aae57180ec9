// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "codelets/lbm/kernels/cell.hpp"
#include "codelets/lbm/kernels/kernels.hpp"
#include "codelets/lbm/kernels/lanes.hpp"
#include "codelets/lbm/kernels/observers/totals.hpp"

namespace asterism::lbm::cpu {
namespace {

template <class T>
struct View {
  Half next;
  const Brick& brick;
  const Box& box;
  const Collision& collision;
  const std::uint8_t* solid;
  const T* f;
};

/// sink(cell, count, flow) for `width` cells or fewer in a row, `cell` being Brick::cell of the first; in the order
/// x, y, z.
template <Conversion conversion, class T, class Sink>
ASTERISM_INLINE void observe_all(const View<T>& view, Sink& sink) {
  const auto p = parameters<Arithmetic<T>, scale_of<T>>(view.collision);
  const PopulationOffsets where = population_offsets(view.next, view.brick);
  for (int z = view.box.z0; z < view.box.z1; ++z)
    for (int y = view.box.y0; y < view.box.y1; ++y) {
      const std::int64_t row = view.brick.cell(0, y, z);
      const T* place[q];
      for (int i = 0; i < q; ++i) place[i] = view.f + row + where.offset[i];
      for (int x = view.box.x0; x < view.box.x1; x += cells_at_once<T>) {
        const int count = std::min(cells_at_once<T>, view.box.x1 - x);
        Cells<T> f[q];
        load<conversion, T>(place, x, count, f);
        // without a force, half of it is zero
        Flow<Cells<T>> now = flow<Arithmetic<T>, true>(p, f[0], pairs_of(f));
        if constexpr (scale_of<T> != 1) {
          constexpr auto per_scale = static_cast<Arithmetic<T>>(1. / scale_of<T>);
          now.excess = per_scale * now.excess;
          for (auto& m : now.momentum) m = per_scale * m;
        }
        sink.take(row + x, count, now);
      }
    }
}

template <class T>
struct Fields {
  const std::uint8_t* solid;
  std::int64_t cells;
  Arithmetic<T>* out;

  ASTERISM_INLINE void take(std::int64_t cell, int count, const Flow<Cells<T>>& flow) {
    for (int l = 0; l < count; ++l, ++out) {
      const bool fluid = solid == nullptr || solid[cell + l] == 0;
      out[0] = fluid ? flow.rho[l] : 1;
      for (int a = 0; a < 3; ++a) out[(a + 1) * cells] = fluid ? flow.u[a][l] : 0;
    }
  }
};

template <class T>
struct Sum {
  const std::uint8_t* solid;
  Totals totals;

  ASTERISM_INLINE void take(std::int64_t cell, int count, const Flow<Cells<T>>& flow) {
    for (int l = 0; l < count; ++l)
      if (solid == nullptr || solid[cell + l] == 0)
        add<Arithmetic<T>>(totals, flow.excess[l], {flow.momentum[0][l], flow.momentum[1][l], flow.momentum[2][l]},
                           {flow.u[0][l], flow.u[1][l], flow.u[2][l]});
  }
};

template <Conversion conversion = Conversion::integers, class T>
ASTERISM_INLINE void observe_into(const View<T>& view, Arithmetic<T>* out) {
  Fields<T> fields{view.solid, view.box.cells(), out};
  observe_all<conversion>(view, fields);
}

template <Conversion conversion = Conversion::integers, class T>
ASTERISM_INLINE Totals total_of(const View<T>& view) {
  Sum<T> sum{view.solid, {}};
  observe_all<conversion>(view, sum);
  return finished(sum.totals);
}

#ifdef ASTERISM_HAS_CLONES
[[gnu::target("arch=x86-64-v4")]] void observe_by_avx512(const View<Float16>& view, float* out) {
  observe_into<Conversion::avx512>(view, out);
}
[[gnu::target("arch=x86-64-v3")]] void observe_by_f16c(const View<Float16>& view, float* out) {
  observe_into<Conversion::f16c>(view, out);
}
[[gnu::target("arch=x86-64-v4")]] Totals total_by_avx512(const View<Float16>& view) {
  return total_of<Conversion::avx512>(view);
}
[[gnu::target("arch=x86-64-v3")]] Totals total_by_f16c(const View<Float16>& view) {
  return total_of<Conversion::f16c>(view);
}
#endif

}  // namespace

template <>
ASTERISM_CLONES void observe(Half next, const Brick& brick, const Box& box, const Collision& collision,
                             const std::uint8_t* solid, const double* f, double* out) {
  observe_into(View<double>{next, brick, box, collision, solid, f}, out);
}
template <>
ASTERISM_CLONES void observe(Half next, const Brick& brick, const Box& box, const Collision& collision,
                             const std::uint8_t* solid, const float* f, float* out) {
  observe_into(View<float>{next, brick, box, collision, solid, f}, out);
}
template <>
void observe(Half next, const Brick& brick, const Box& box, const Collision& collision, const std::uint8_t* solid,
             const Float16* f, float* out) {
  const View<Float16> view{next, brick, box, collision, solid, f};
#ifdef ASTERISM_HAS_CLONES
  if (__builtin_cpu_supports("x86-64-v4") != 0) return observe_by_avx512(view, out);
  if (__builtin_cpu_supports("x86-64-v3") != 0) return observe_by_f16c(view, out);
#endif
  observe_into(view, out);
}

template <>
ASTERISM_CLONES Totals total(Half next, const Brick& brick, const Box& box, const Collision& collision,
                             const std::uint8_t* solid, const double* f) {
  return total_of(View<double>{next, brick, box, collision, solid, f});
}
template <>
ASTERISM_CLONES Totals total(Half next, const Brick& brick, const Box& box, const Collision& collision,
                             const std::uint8_t* solid, const float* f) {
  return total_of(View<float>{next, brick, box, collision, solid, f});
}
template <>
Totals total(Half next, const Brick& brick, const Box& box, const Collision& collision, const std::uint8_t* solid,
             const Float16* f) {
  const View<Float16> view{next, brick, box, collision, solid, f};
#ifdef ASTERISM_HAS_CLONES
  if (__builtin_cpu_supports("x86-64-v4") != 0) return total_by_avx512(view);
  if (__builtin_cpu_supports("x86-64-v3") != 0) return total_by_f16c(view);
#endif
  return total_of(view);
}

template <class T>
void equilibrium(const Brick& brick, const Box& box, const Arithmetic<T>* fields, T* f) {
  using Number = Arithmetic<T>;
  const std::int64_t cells = box.cells();
  for (int z = box.z0; z < box.z1; ++z)
    for (int y = box.y0; y < box.y1; ++y)
      for (int x = box.x0; x < box.x1; ++x, ++fields) {
        const Number u[3] = {fields[cells], fields[2 * cells], fields[3 * cells]};
        Number cell[q];
        set_equilibrium<Number>(fields[0], u, cell);
        for (int i = 0; i < q; ++i) f[brick.at(i, x, y, z)] = stored<T>(cell[i]);
      }
}

template void equilibrium<double>(const Brick&, const Box&, const double*, double*);
template void equilibrium<float>(const Brick&, const Box&, const float*, float*);
template void equilibrium<Float16>(const Brick&, const Box&, const float*, Float16*);

}  // namespace asterism::lbm::cpu

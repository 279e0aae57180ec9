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
template <class T, class Sink>
ASTERISM_INLINE void observe_all(const View<T>& view, Sink& sink) {
  const auto p = parameters<Arithmetic<T>>(view.collision);
  const PopulationOffsets where = population_offsets(view.next, view.brick);
  for (int z = view.box.z0; z < view.box.z1; ++z)
    for (int y = view.box.y0; y < view.box.y1; ++y) {
      const std::int64_t row = view.brick.cell(0, y, z);
      const T* place[q];
      for (int i = 0; i < q; ++i) place[i] = view.f + row + where.offset[i];
      for (int x = view.box.x0; x < view.box.x1; x += cells_at_once<T>) {
        const int count = std::min(cells_at_once<T>, view.box.x1 - x);
        Cells<T> f[q];
        load<Conversion::integers, T>(place, x, count, f);
        // without a force, half of it is zero
        sink.take(row + x, count, flow<Arithmetic<T>, true>(p, f[0], pairs_of(f)));
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

template <class T>
ASTERISM_INLINE void observe_into(const View<T>& view, Arithmetic<T>* out) {
  Fields<T> fields{view.solid, view.box.cells(), out};
  observe_all(view, fields);
}

template <class T>
ASTERISM_INLINE Totals total_of(const View<T>& view) {
  Sum<T> sum{view.solid, {}};
  observe_all(view, sum);
  return finished(sum.totals);
}

}  // namespace

template <>
ASTERISM_CLONES void observe(Half next, const Brick& brick, const Box& box, const Collision& collision,
                             const std::uint8_t* solid, const double* f, double* out) {
  observe_into<double>({next, brick, box, collision, solid, f}, out);
}
template <>
ASTERISM_CLONES void observe(Half next, const Brick& brick, const Box& box, const Collision& collision,
                             const std::uint8_t* solid, const float* f, float* out) {
  observe_into<float>({next, brick, box, collision, solid, f}, out);
}
template <>
ASTERISM_CLONES void observe(Half next, const Brick& brick, const Box& box, const Collision& collision,
                             const std::uint8_t* solid, const Float16* f, float* out) {
  observe_into<Float16>({next, brick, box, collision, solid, f}, out);
}

template <>
ASTERISM_CLONES Totals total(Half next, const Brick& brick, const Box& box, const Collision& collision,
                             const std::uint8_t* solid, const double* f) {
  return total_of<double>({next, brick, box, collision, solid, f});
}
template <>
ASTERISM_CLONES Totals total(Half next, const Brick& brick, const Box& box, const Collision& collision,
                             const std::uint8_t* solid, const float* f) {
  return total_of<float>({next, brick, box, collision, solid, f});
}
template <>
ASTERISM_CLONES Totals total(Half next, const Brick& brick, const Box& box, const Collision& collision,
                             const std::uint8_t* solid, const Float16* f) {
  return total_of<Float16>({next, brick, box, collision, solid, f});
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

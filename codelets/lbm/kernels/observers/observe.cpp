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
  const Parameters<T> p = parameters<T>(view.collision);
  const PopulationOffsets where = population_offsets(view.next, view.brick);
  for (int z = view.box.z0; z < view.box.z1; ++z)
    for (int y = view.box.y0; y < view.box.y1; ++y) {
      const std::int64_t row = view.brick.cell(0, y, z);
      const T* place[q];
      for (int i = 0; i < q; ++i) place[i] = view.f + row + where.offset[i];
      for (int x = view.box.x0; x < view.box.x1; x += width<T>) {
        const int count = std::min(width<T>, view.box.x1 - x);
        Vector<T> f[q];
        load<T>(place, x, count, f);
        // without a force, half of it is zero
        sink.take(row + x, count, flow<T, true>(p, f[0], pairs_of(f)));
      }
    }
}

template <class T>
struct Fields {
  const std::uint8_t* solid;
  std::int64_t cells;
  T* out;

  ASTERISM_INLINE void take(std::int64_t cell, int count, const Flow<Vector<T>>& flow) {
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

  ASTERISM_INLINE void take(std::int64_t cell, int count, const Flow<Vector<T>>& flow) {
    for (int l = 0; l < count; ++l)
      if (solid == nullptr || solid[cell + l] == 0)
        add<T>(totals, flow.excess[l], {flow.momentum[0][l], flow.momentum[1][l], flow.momentum[2][l]},
               {flow.u[0][l], flow.u[1][l], flow.u[2][l]});
  }
};

template <class T>
ASTERISM_INLINE void observe_into(const View<T>& view, T* out) {
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
ASTERISM_CLONES Totals total(Half next, const Brick& brick, const Box& box, const Collision& collision,
                             const std::uint8_t* solid, const double* f) {
  return total_of<double>({next, brick, box, collision, solid, f});
}
template <>
ASTERISM_CLONES Totals total(Half next, const Brick& brick, const Box& box, const Collision& collision,
                             const std::uint8_t* solid, const float* f) {
  return total_of<float>({next, brick, box, collision, solid, f});
}

template <class T>
void equilibrium(const Brick& brick, const Box& box, const T* fields, T* f) {
  const std::int64_t cells = box.cells();
  for (int z = box.z0; z < box.z1; ++z)
    for (int y = box.y0; y < box.y1; ++y)
      for (int x = box.x0; x < box.x1; ++x, ++fields) {
        const T u[3] = {fields[cells], fields[2 * cells], fields[3 * cells]};
        T cell[q];
        set_equilibrium<T>(fields[0], u, cell);
        for (int i = 0; i < q; ++i) f[brick.at(i, x, y, z)] = cell[i];
      }
}

template void equilibrium(const Brick&, const Box&, const double*, double*);
template void equilibrium(const Brick&, const Box&, const float*, float*);

}  // namespace asterism::lbm::cpu

// SPDX-License-Identifier: Apache-2.0
// What a wall returns to one cell of the border layer, for CPUs and GPUs.
#pragma once

#include <algorithm>

#include "codelets/lbm/kernels/cell.hpp"
#include "codelets/lbm/kernels/population_offsets.hpp"

namespace asterism::lbm {

/// Shape of a wall's velocity along its face.
template <class T>
struct Profile {
  std::int32_t first[3], across[3];  ///< as Wall's; uniform: across = 0
  T per_square[3];                   ///< 3/2 over the square of `across`
};

template <class T>
Profile<T> profile(const Wall& wall) {
  Profile<T> p{};
  for (int axis = 0; axis < 3; ++axis) {
    p.first[axis] = wall.first[axis];
    p.across[axis] = wall.kind == Wall::Kind::parabola ? wall.across[axis] : 0;
    if (p.across[axis] > 0)
      p.per_square[axis] = static_cast<T>(1.5 / (static_cast<double>(p.across[axis]) * p.across[axis]));
  }
  return p;
}

/// A Wall for cells of T, computed in double.
template <class T>
struct Reflector {
  /// A direction that leaves through the face.
  struct Direction {
    std::int32_t j;
    Velocity c;
    T twice_w;
    T carried;  ///< 6 w_j c_j.u_w: what a moving wall takes from the population
  };
  bool pressure;
  std::int32_t axis, side;
  Direction direction[crossing];
  T excess, rho;
  Profile<T> profile;
};

template <class T>
Reflector<T> reflector(const Wall& wall) {
  Reflector<T> r{};
  r.pressure = wall.kind == Wall::Kind::pressure;
  r.axis = axis_of(wall.face);
  r.side = side_of(wall.face);
  r.excess = static_cast<T>(wall.rho - 1);
  r.rho = static_cast<T>(wall.rho);
  r.profile = profile<T>(wall);
  for (int k = 0; k < crossing; ++k) {
    const int j = leaving(wall.face).population[k];
    const Velocity c = velocity(j);
    const double cu = c.x * wall.u[0] + c.y * wall.u[1] + c.z * wall.u[2];
    r.direction[k] = {j, c, static_cast<T>(2 * weight(j)), static_cast<T>(6 * weight(j) * cu)};
  }
  return r;
}

/// Whether c leads from a cell of the brick through the face of a wall.
template <class T>
ASTERISM_CELL bool crosses(const Reflector<T>& wall, const Brick& brick, int x, int y, int z, const Velocity& c) {
  const int at = wall.axis == 0 ? x : wall.axis == 1 ? y : z;
  const int n = wall.axis == 0 ? brick.nx : wall.axis == 1 ? brick.ny : brick.nz;
  return component(c, wall.axis) == wall.side && at == (wall.side < 0 ? 0 : n - 1);
}

/// 6 s (1 - s) at s of the way along each axis across which u is a parabola, where the link c of a cell meets the wall:
/// s = (k + 1/2 + c / 2) / n at cell k of n.
template <class T>
ASTERISM_CELL T share_of_mean(const Profile<T>& wall, int x, int y, int z, const Velocity& c) {
  const int at[3] = {x, y, z};
  T share = 1;
  for (int axis = 0; axis < 3; ++axis) {
    if (wall.across[axis] == 0) continue;
    const std::int64_t halves = 2 * (std::int64_t{wall.first[axis]} + at[axis]) + 1 + component(c, axis);
    share = share * (wall.per_square[axis] * static_cast<T>(halves * (2 * std::int64_t{wall.across[axis]} - halves)));
  }
  return share;
}

/// The returns of walls[w] to a cell of its border layer. A direction that also leads through a later one of the
/// `count` walls is that one's, so all can be done in any order or at once. Nothing that is read here is written here.
template <class T>
ASTERISM_CELL void reflect_cell(const Reflector<Arithmetic<T>>* walls, int count, int w, const Brick& brick,
                                const PopulationOffsets& last, const PopulationOffsets& next, int x, int y, int z,
                                T* f) {
  using Number = Arithmetic<T>;
  const Reflector<Number>& wall = walls[w];
  T* const cell = f + brick.cell(x, y, z);
  Number u[3] = {};
  Number uu = 0;
  if (wall.pressure) {
    Number left[q];
    ASTERISM_UNROLL
    for (int i = 0; i < q; ++i) left[i] = value_of(cell[last.offset[opposite(i)]]);
    const Moments<Number> m = moments(left[0], pairs_of(left));
    const Number per_rho = static_cast<Number>(1) / (static_cast<Number>(1) + m.excess);
    for (int a = 0; a < 3; ++a) u[a] = m.momentum[a] * per_rho;
    uu = (u[0] * u[0] + u[1] * u[1]) + u[2] * u[2];
  }
  for (int k = 0; k < crossing; ++k) {
    const typename Reflector<Number>::Direction& d = wall.direction[k];
    bool own = true;
    for (int later = w + 1; later < count; ++later) own = own && !crosses(walls[later], brick, x, y, z, d.c);
    if (!own) continue;
    const Number sent = value_of(cell[last.offset[opposite(d.j)]]);
    Number returned = sent - d.carried * share_of_mean(wall.profile, x, y, z, d.c);
    if (wall.pressure) {
      const Number cu =
          (static_cast<Number>(d.c.x) * u[0] + static_cast<Number>(d.c.y) * u[1]) + static_cast<Number>(d.c.z) * u[2];
      returned = d.twice_w *
                     (wall.excess + wall.rho * (static_cast<Number>(4.5) * (cu * cu) - static_cast<Number>(1.5) * uu)) -
                 sent;
    }
    cell[next.offset[opposite(d.j)]] = stored<T>(returned);
  }
}

/// Cells of a brick beside none of some walls: [begin, begin + count) along each axis.
struct Inside {
  std::int32_t begin[3] = {};
  std::uint32_t count[3] = {};

  [[nodiscard]] ASTERISM_HOST_DEVICE bool has(int x, int y, int z) const {
    return static_cast<std::uint32_t>(x - begin[0]) < count[0] && static_cast<std::uint32_t>(y - begin[1]) < count[1] &&
           static_cast<std::uint32_t>(z - begin[2]) < count[2];
  }
};
/// `walls`: faces with one of them, as bits.
inline Inside inside(std::uint32_t walls, const Brick& brick) {
  Inside i;
  const std::int32_t n[3] = {brick.nx, brick.ny, brick.nz};
  for (int axis = 0; axis < 3; ++axis) {
    const int first = static_cast<int>(walls >> (2 * axis) & 1U), last = static_cast<int>(walls >> (2 * axis + 1) & 1U);
    i.begin[axis] = first;
    i.count[axis] = static_cast<std::uint32_t>(std::max(0, n[axis] - first - last));
  }
  return i;
}

/// Faces, as bits, at which a cell lies.
ASTERISM_CELL std::uint32_t faces_at(const Brick& brick, int x, int y, int z) {
  return (x == 0 ? 1U : 0U) | (x == brick.nx - 1 ? 2U : 0U) | (y == 0 ? 4U : 0U) | (y == brick.ny - 1 ? 8U : 0U) |
         (z == 0 ? 16U : 0U) | (z == brick.nz - 1 ? 32U : 0U);
}

/// What the next half-step of a brick needs to take the returns of its velocity walls from where the half-step before
/// left them, in place of a reflection.
template <class T>
struct Returns {
  std::uint32_t walls = 0;        ///< faces with a velocity wall, as bits
  std::uint32_t moving = 0;       ///< faces with one in motion
  std::int32_t rank[faces] = {};  ///< place in the list of walls, from 1; 0: no velocity wall
  T carried[q][3] = {};           ///< 6 w_j c_j.u_w of the wall that j meets along each axis, times the scale
  Inside inside;
};

/// `scale`: of populations, as in Parameters.
template <class T, int scale = 1>
Returns<T> returns(const Wall* walls, std::int32_t count, const Brick& brick) {
  Returns<T> r;
  for (std::int32_t w = 0; w < count; ++w) {
    if (walls[w].kind != Wall::Kind::velocity) continue;
    r.walls |= 1U << walls[w].face;
    r.rank[walls[w].face] = w + 1;
    const double* u = walls[w].u;
    if (u[0] != 0 || u[1] != 0 || u[2] != 0) r.moving |= 1U << walls[w].face;
    const Reflector<T> reflected = reflector<T>(walls[w]);
    for (const auto& d : reflected.direction) r.carried[d.j][reflected.axis] = static_cast<T>(scale) * d.carried;
  }
  r.inside = inside(r.walls, brick);
  return r;
}

/// Whether an update may return at once what a wall is sent: constant pressure across x, where a pass over the border
/// layer would read as many lines as cells.
constexpr bool may_return_at_once(const Wall& wall) {
  return wall.kind == Wall::Kind::pressure && axis_of(wall.face) == 0;
}

/// Walls that return within a half-step what it sends them, to where the next one takes it.
template <class T>
struct ReturnsAtOnce {
  std::uint32_t walls = 0;        ///< their faces, as bits
  std::int32_t rank[faces] = {};  ///< of any wall: its place in the list, from 1; 0: none
  T excess[2] = {}, rho[2] = {};
  Inside inside;
};

/// `walls`: all of the brick.
template <class T>
ReturnsAtOnce<T> returns_at_once(const Wall* walls, std::int32_t count, const Brick& brick) {
  ReturnsAtOnce<T> r;
  for (std::int32_t w = 0; w < count; ++w) {
    const int face = walls[w].face;
    r.rank[face] = w + 1;
    if (!may_return_at_once(walls[w])) continue;
    r.walls |= 1U << face;
    r.excess[face] = static_cast<T>(walls[w].rho - 1);
    r.rho[face] = static_cast<T>(walls[w].rho);
  }
  r.inside = inside(r.walls, brick);
  return r;
}

/// The first face that population j leaves through, and the last one: the same along an axis.
template <int j>
inline constexpr int first_face = velocity(j).x != 0   ? (velocity(j).x > 0 ? 1 : 0)
                                  : velocity(j).y != 0 ? (velocity(j).y > 0 ? 3 : 2)
                                                       : (velocity(j).z > 0 ? 5 : 4);
template <int j>
inline constexpr int last_face = velocity(j).z != 0   ? (velocity(j).z > 0 ? 5 : 4)
                                 : velocity(j).y != 0 ? (velocity(j).y > 0 ? 3 : 2)
                                                      : (velocity(j).x > 0 ? 1 : 0);

/// Takes what comes back to a cell from the walls at which it lies from where the half-step before left it, times the
/// scale.
template <class T, int i = 1>
ASTERISM_CELL void take_back(std::uint32_t walls, const PopulationBytes& last, const T* cell, Arithmetic<T> (&f)[q]) {
  constexpr int j = opposite(i);
  if ((walls & (1U << first_face<j> | 1U << last_face<j>)) != 0) f[i] = scaled_value_of(last.at(cell, i));
  if constexpr (i + 1 < q) take_back<T, i + 1>(walls, last, cell, f);
}

/// What walls in motion, the last one where j leads through several, take from the populations that came back; rounded
/// as where it is stored.
template <class T>
ASTERISM_CELL void carry(const Returns<Arithmetic<T>>& r, std::uint32_t walls, Arithmetic<T> (&f)[q]) {
  ASTERISM_UNROLL
  for (int i = 1; i < q; ++i) {
    std::int32_t rank = 0;
    Arithmetic<T> carried = 0;
    ASTERISM_UNROLL
    for (int axis = 0; axis < 3; ++axis) {
      const int c = component(velocity(opposite(i)), axis);
      const int face = 2 * axis + (c > 0 ? 1 : 0);
      if (c == 0 || (walls >> face & 1U) == 0 || r.rank[face] < rank) continue;
      rank = r.rank[face];
      carried = r.carried[opposite(i)][axis];
    }
    f[i] = scaled_value_of(stored_scaled<T>(f[i] - carried));
  }
}

/// What the wall across x returns of population j and those after it, where no later wall does; `at`: faces at which
/// the cell lies.
template <class T, int face, int j = 1>
ASTERISM_CELL void return_through(const ReturnsAtOnce<Arithmetic<T>>& r, std::uint32_t at, const PopulationBytes& next,
                                  const Arithmetic<T> (&u)[3], const Arithmetic<T>& uu, const Arithmetic<T> (&f)[q],
                                  T* cell) {
  using Number = Arithmetic<T>;
  constexpr int last = last_face<j>;
  if constexpr (first_face<j> == face) {
    if (last == face || (at >> last & 1U) == 0 || r.rank[last] < r.rank[face]) {
      constexpr Velocity c = velocity(j);
      const Number cu =
          (static_cast<Number>(c.x) * u[0] + static_cast<Number>(c.y) * u[1]) + static_cast<Number>(c.z) * u[2];
      const Number returned =
          static_cast<Number>(2 * weight(j)) *
              (r.excess[face] + r.rho[face] * (static_cast<Number>(4.5) * (cu * cu) - static_cast<Number>(1.5) * uu)) -
          static_cast<Number>(1. / scale_of<T>) * f[j];
      next.at(cell, opposite(j)) = stored<T>(returned);
    }
  }
  if constexpr (j + 1 < q) return_through<T, face, j + 1>(r, at, next, u, uu, f, cell);
}

/// To a cell at the faces `at`, some of them with one of these walls, that leaves the populations f, times the scale:
/// what reflect_cell() returns, at the places of the next half-step. Rounds f as where it is stored.
template <class T>
ASTERISM_CELL void return_at_once(const ReturnsAtOnce<Arithmetic<T>>& r, std::uint32_t at, const PopulationBytes& next,
                                  Arithmetic<T> (&f)[q], T* cell) {
  using Number = Arithmetic<T>;
  constexpr auto unit = static_cast<Number>(1. / scale_of<T>);
  ASTERISM_UNROLL
  for (int i = 0; i < q; ++i) f[i] = scaled_value_of(stored_scaled<T>(f[i]));
  const Moments<Number> m = moments(f[0], pairs_of(f));
  const Number per_rho = static_cast<Number>(1) / (static_cast<Number>(1) + unit * m.excess);
  const Number u[3] = {(unit * m.momentum[0]) * per_rho, (unit * m.momentum[1]) * per_rho,
                       (unit * m.momentum[2]) * per_rho};
  const Number uu = (u[0] * u[0] + u[1] * u[1]) + u[2] * u[2];
  if ((at & r.walls & 1U) != 0) return_through<T, 0>(r, at, next, u, uu, f, cell);
  if ((at & r.walls & 2U) != 0) return_through<T, 1>(r, at, next, u, uu, f, cell);
}

}  // namespace asterism::lbm

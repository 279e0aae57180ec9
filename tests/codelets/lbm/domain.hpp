// SPDX-License-Identifier: Apache-2.0
// One brick with walls, solid cells and, where it has no wall, itself as its neighbour: what the tests of the lattice
// Boltzmann kernels run.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "base/as_size.hpp"
#include "codelets/lbm/kernels/boundary/links.hpp"
#include "codelets/lbm/kernels/kernels.hpp"

namespace asterism::lbm {

/// A stored population.
template <class T>
T population(double value) {
  return stored<T>(static_cast<Arithmetic<T>>(value));
}

struct Setting {
  std::array<int, 3> n;
  Collision collision = {};
  std::vector<Wall> walls = {};
  std::vector<std::array<int, 3>> solid = {};
  /// Part of the link of a fluid cell in direction j that lies before the surface; null: half-way bounce-back
  double (*distance)(int x, int y, int z, int j) = nullptr;

  [[nodiscard]] bool has_wall(int face) const {
    bool found = false;
    for (const Wall& w : walls) found = found || w.face == face;
    return found;
  }
};

/// The transfers between opposite faces along an axis, from a face through which populations leave to the other side.
struct Exchange {
  Transfer from, to;
};
inline std::vector<Exchange> exchanges(const Setting& s, Half last, int axis) {
  std::vector<Exchange> found;
  if (s.has_wall(2 * axis)) return found;
  // after alpha later axes pass on what came along earlier ones, after beta the other way round
  std::array<std::array<int, 2>, 3> range{};
  for (int a = 0; a < 3; ++a) {
    const bool extended = last == Half::alpha ? a < axis : a > axis;
    range[as_size(a)] = {extended && !s.has_wall(2 * a) ? -1 : 0,
                         s.n[as_size(a)] + (extended && !s.has_wall(2 * a + 1) ? 1 : 0)};
  }
  for (const int face : {2 * axis, 2 * axis + 1}) {
    const int n = s.n[as_size(axis)];
    const bool upper = face % 2 == 1;
    // layers: the border that is left and the ghosts on the other side, or the ghosts and the other border
    const int from = last == Half::alpha ? (upper ? n - 1 : 0) : (upper ? n : -1);
    const int to = last == Half::alpha ? (upper ? -1 : n) : (upper ? 0 : n - 1);
    Exchange e{};
    for (int k = 0; k < crossing; ++k) {
      const int i = leaving(face).population[k];
      e.from.slots[k] = e.to.slots[k] = last == Half::alpha ? opposite(i) : i;
    }
    const auto layer = [&](int at) {
      auto r = range;
      r[as_size(axis)] = {at, at + 1};
      return Box{r[0][0], r[0][1], r[1][0], r[1][1], r[2][0], r[2][1]};
    };
    e.from.box = layer(from);
    e.to.box = layer(to);
    found.push_back(e);
  }
  return found;
}

/// Links to solid cells, those behind a periodic face having their mailbox in the ghosts.
struct LinkArrays {
  std::vector<std::int32_t> begin;
  std::vector<std::int64_t> fluid, solid;
  std::vector<double> share;

  LinkArrays(const Setting& s, const Brick& brick, const std::vector<std::uint8_t>& is_solid) {
    for (int j = 0; j < q; ++j) {
      begin.push_back(static_cast<std::int32_t>(fluid.size()));
      const Velocity c = velocity(j);
      for (int z = 0; z < brick.nz; ++z)
        for (int y = 0; y < brick.ny; ++y)
          for (int x = 0; x < brick.nx; ++x) {
            bool wall = false;
            for (int face = 0; face < faces; ++face) {
              const int at = (face / 2 == 0 ? x : face / 2 == 1 ? y : z) + component(c, face / 2);
              wall = wall || (s.has_wall(face) && (face % 2 == 0 ? at < 0 : at >= s.n[as_size(face / 2)]));
            }
            const std::int64_t there =
                brick.cell((x + c.x + s.n[0]) % s.n[0], (y + c.y + s.n[1]) % s.n[1], (z + c.z + s.n[2]) % s.n[2]);
            if (wall || is_solid[as_size(brick.cell(x, y, z))] != 0 || is_solid[as_size(there)] == 0) continue;
            fluid.push_back(brick.at(opposite(j), x, y, z));
            solid.push_back(brick.at(j, x + c.x, y + c.y, z + c.z));
            if (s.distance == nullptr) continue;
            bool behind = true;
            for (int face = 0; face < faces; ++face) {
              const int at = (face / 2 == 0 ? x : face / 2 == 1 ? y : z) - component(c, face / 2);
              behind = behind && !(s.has_wall(face) && (face % 2 == 0 ? at < 0 : at >= s.n[as_size(face / 2)]));
            }
            const std::int64_t back =
                brick.cell((x - c.x + s.n[0]) % s.n[0], (y - c.y + s.n[1]) % s.n[1], (z - c.z + s.n[2]) % s.n[2]);
            share.push_back(link_share(s.distance(x, y, z, j), behind && is_solid[as_size(back)] == 0));
          }
    }
    begin.push_back(static_cast<std::int32_t>(fluid.size()));
  }
  [[nodiscard]] Links view() const {
    Links l{};
    for (int j = 0; j <= q; ++j) l.begin[j] = begin[as_size(j)];
    l.fluid = fluid.data();
    l.solid = solid.data();
    l.share = share.empty() ? nullptr : share.data();
    return l;
  }
};

template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

template <class T>
class Domain {
 public:
  explicit Domain(const Setting& s)
      : setting(s),
        brick(make_brick(s.n[0], s.n[1], s.n[2], sizeof(T))),
        f(as_size(brick.elements()), population<T>(std::numeric_limits<double>::quiet_NaN())),
        solid(as_size(brick.slot), 0),
        links_((mark_solid(), s), brick, solid) {}

  /// Settled populations around equilibrium, of fluid cells only: the rest stays NaN.
  void randomize(unsigned seed, double size) {
    std::mt19937 generator(seed);
    std::uniform_real_distribution<double> value(-size, size);
    for (int z = 0; z < brick.nz; ++z)
      for (int y = 0; y < brick.ny; ++y)
        for (int x = 0; x < brick.nx; ++x)
          for (int i = 0; i < q; ++i) {
            const double v = weight(i) * value(generator);
            if (solid[as_size(brick.cell(x, y, z))] == 0) f[as_size(brick.at(i, x, y, z))] = population<T>(v);
          }
  }
  void rest() {
    const std::int64_t n = brick.interior().cells();
    std::vector<Arithmetic<T>> fields(as_size(4 * n), 0);
    std::fill_n(fields.begin(), n, Arithmetic<T>{1});
    cpu::equilibrium<T>(brick, brick.interior(), fields.data(), f.data());
  }

  void step() {
    update(brick.interior());
    finish();
  }
  void update(const Box& box) { cpu::update(half, brick, box, setting.collision, solid_cells(), f.data()); }
  /// What a half-step needs after its updates.
  void finish() {
    exchange();
    reflect();
  }
  /// What crosses the border.
  void exchange() {
    for (int axis = 0; axis < 3; ++axis) {
      const std::vector<Exchange> all = exchanges(setting, half, axis);
      if (all.empty()) continue;
      std::vector<T> arrays[2];
      for (std::size_t k = 0; k < 2; ++k) arrays[k].resize(as_size(all[k].from.elements()));
      T* data[] = {arrays[0].data(), arrays[1].data()};
      const Transfer from[] = {all[0].from, all[1].from};
      const Transfer to[] = {all[0].to, all[1].to};
      cpu::pack(brick, from, 2, f.data(), data);
      cpu::unpack(brick, to, 2, data, f.data());
    }
  }
  void reflect() {
    cpu::reflect(half, brick, setting.walls.data(), static_cast<std::int32_t>(setting.walls.size()), brick.interior(),
                 f.data());
    cpu::reflect(half, brick, links_.view(), f.data());
    half = half == Half::alpha ? Half::beta : Half::alpha;
  }

  [[nodiscard]] bool settled() const { return half == Half::alpha; }
  [[nodiscard]] const std::uint8_t* solid_cells() const { return setting.solid.empty() ? nullptr : solid.data(); }
  [[nodiscard]] Links links() const { return links_.view(); }
  [[nodiscard]] std::vector<Arithmetic<T>> observed(const Box& box) const {
    using Number = Arithmetic<T>;
    std::vector<Number> out(as_size(4 * box.cells()), std::numeric_limits<Number>::quiet_NaN());
    cpu::observe<T>(half, brick, box, setting.collision, solid_cells(), f.data(), out.data());
    return out;
  }
  [[nodiscard]] Totals totals() const {
    return cpu::total(half, brick, brick.interior(), setting.collision, solid_cells(), f.data());
  }

  Setting setting;
  Brick brick;
  std::vector<T> f;
  std::vector<std::uint8_t> solid;
  Half half = Half::alpha;  ///< the next

 private:
  void mark_solid() {
    for (const auto& x : setting.solid) solid[as_size(brick.cell(x[0], x[1], x[2]))] = 1;
  }
  LinkArrays links_;
};

}  // namespace asterism::lbm

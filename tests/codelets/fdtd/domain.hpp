// SPDX-License-Identifier: Apache-2.0
// A domain divided into sub-domains that exchange what the kernels need: what the tests of the finite-difference
// time-domain kernels run. Whatever no kernel may read is NaN.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "base/as_size.hpp"
#include "codelets/fdtd/kernels/kernels.hpp"

namespace asterism::fdtd {

inline constexpr double eps0 = 8.8541878128e-12;
inline constexpr double mu0 = 1.25663706212e-6;

/// The larger one; NaN is larger than any number.
inline double larger(double a, double b) {
  return std::isnan(a) || b <= a ? a : b;
}

struct Setting {
  std::array<int, 3> n;
  std::array<double, 3> d = {1e-3, 1.3e-3, 0.8e-3};
  /// Faces of the domain; neighbour: periodic, on both sides
  std::array<Face, 6> face = {};
  std::vector<Material> materials = {};
  std::vector<std::uint16_t> cells = {};  ///< material of each, z fastest; none: background
  double courant = 0.9;                   ///< time step over the limit of stability
  GradedMesh mesh = {};

  [[nodiscard]] double dt() const {
    const double c = 1 / std::sqrt(eps0 * mu0);
    return courant / (c * std::sqrt(1 / (d[0] * d[0]) + 1 / (d[1] * d[1]) + 1 / (d[2] * d[2])));
  }
  [[nodiscard]] Factors h_factors() const { return factors(dt(), mu0, {d[0], d[1], d[2]}); }
  [[nodiscard]] Factors e_factors() const { return factors(dt(), eps0, {d[0], d[1], d[2]}); }
};

/// In [-1, 1), of an entry of the domain.
inline double noise(int field, int c, int i, int j, int k) {
  std::uint64_t x = 0x9e3779b97f4a7c15U;
  for (const int v : {field, c, i, j, k}) {
    x = (x ^ static_cast<std::uint64_t>(v)) * 0xbf58476d1ce4e5b9U;
    x ^= x >> 29;
  }
  return static_cast<double>(x >> 11) * 0x1p-52 - 1;
}

template <class T>
struct Part {
  std::int32_t origin[3];
  Grid grid;
  std::vector<T> e, h;
  std::vector<std::uint16_t> e_index, h_index;
  std::vector<Coefficients<T>> e_table, h_table;
  std::vector<double> eps_r, mu_r;
  std::vector<T> e_lengths, h_lengths;  ///< inverse ones, of a graded mesh

  [[nodiscard]] Media<T> media(const std::vector<std::uint16_t>& index, const std::vector<Coefficients<T>>& table,
                               const std::vector<T>& lengths) const {
    Media<T> all{index.empty() ? nullptr : index.data(), table.data()};
    if (!lengths.empty()) all.set_inverse_lengths(grid, lengths.data());
    return all;
  }
  [[nodiscard]] Media<T> e_media() const { return media(e_index, e_table, e_lengths); }
  [[nodiscard]] Media<T> h_media() const { return media(h_index, h_table, h_lengths); }
  [[nodiscard]] std::vector<T>& field(Field f) { return f == Field::electric ? e : h; }
  [[nodiscard]] const std::vector<T>& field(Field f) const { return f == Field::electric ? e : h; }
  [[nodiscard]] Densities densities(const Setting& s) const {
    const double volume = s.d[0] * s.d[1] * s.d[2];
    return {0.5 * eps0 * volume, 0.5 * mu0 * volume, eps_r.empty() ? nullptr : eps_r.data(),
            mu_r.empty() ? nullptr : mu_r.data()};
  }
};

/// How a step is done.
enum class Passes { two, pieces, one };

/// What is left of `all` around `inner`.
inline std::vector<Box> around(const Box& all, const Box& inner) {
  if (inner.empty()) return {all};
  return {{all.x0, inner.x0, all.y0, all.y1, all.z0, all.z1},
          {inner.x1, all.x1, all.y0, all.y1, all.z0, all.z1},
          {inner.x0, inner.x1, all.y0, inner.y0, all.z0, all.z1},
          {inner.x0, inner.x1, inner.y1, all.y1, all.z0, all.z1},
          {inner.x0, inner.x1, inner.y0, inner.y1, all.z0, inner.z0},
          {inner.x0, inner.x1, inner.y0, inner.y1, inner.z1, all.z1}};
}

template <class T>
class Domain {
 public:
  using Cuts = std::array<std::vector<int>, 3>;

  /// `cuts`: where the domain is divided, along each axis.
  explicit Domain(const Setting& s, const Cuts& cuts = {}) : setting(s), cuts_(cuts) {
    for (std::size_t a = 0; a < 3; ++a) {
      cuts_[a].insert(cuts_[a].begin(), 0);
      cuts_[a].push_back(s.n[a]);
    }
    for (int x = 0; x < count(0); ++x)
      for (int y = 0; y < count(1); ++y)
        for (int z = 0; z < count(2); ++z) parts.push_back(make_part({x, y, z}));
  }

  /// value(field, c, i, j, k) of every entry that is updated, by its place in the domain.
  template <class Value>
  void set(const Value& value) {
    for (Part<T>& p : parts)
      for (const Field f : {Field::electric, Field::magnetic})
        for (int c = 0; c < 3; ++c) {
          const Box b = p.grid.entries(f, c, p.grid.cells());
          for (int i = b.x0; i < b.x1; ++i)
            for (int j = b.y0; j < b.y1; ++j)
              for (int k = b.z0; k < b.z1; ++k)
                p.field(f)[as_size(p.grid.at(c, i, j, k))] =
                    static_cast<T>(value(f, c, p.origin[0] + i, p.origin[1] + j, p.origin[2] + k));
        }
    exchange(Field::electric);
  }
  void randomize() {
    const double impedance = std::sqrt(mu0 / eps0);
    set([&](Field f, int c, int i, int j, int k) {
      return noise(static_cast<int>(f), c, i, j, k) / (f == Field::electric ? 1 : impedance);
    });
  }

  void step(Passes passes = Passes::two) {
    step(passes, [](Field, Part<T>&) {});
  }
  /// after(field, part): what else is done before a field is exchanged; nothing to H if both are done in one pass.
  template <class After>
  void step(Passes passes, const After& after) {
    for (Part<T>& p : parts) {
      const Box all = p.grid.cells();
      if (passes == Passes::two) update_h(p, all);
      if (passes == Passes::pieces)
        for (const Box& b : pieces(p.grid)) update_h(p, b);
      if (passes == Passes::one)
        cpu::update_both(p.grid, all, fusible(p.grid), setting.h_factors(), setting.e_factors(), p.h_media(),
                         p.e_media(), p.h.data(), p.e.data());
      after(Field::magnetic, p);
    }
    exchange(Field::magnetic);
    for (Part<T>& p : parts) {
      const Box all = p.grid.cells();
      cpu::reflect(p.grid, p.h.data());
      if (passes == Passes::two) update_e(p, all);
      if (passes == Passes::pieces)
        for (const Box& b : pieces(p.grid)) update_e(p, b);
      if (passes == Passes::one)
        for (const Box& b : around(all, fusible(p.grid))) update_e(p, b);
      after(Field::electric, p);
    }
    exchange(Field::electric);
  }

  [[nodiscard]] std::vector<Energy> energies(const Part<T>& p) const {
    std::vector<Energy> planes(as_size(p.grid.n[0]));
    cpu::energy(p.grid, p.grid.cells(), setting.h_factors(), p.h_media(), p.e_media(), p.densities(setting), p.h.data(),
                p.e.data(), planes.data());
    return planes;
  }
  [[nodiscard]] double energy() const {
    double sum = 0;
    for (const Part<T>& p : parts)
      for (const Energy& plane : energies(p)) sum += plane.electric + plane.magnetic;
    return sum;
  }

  /// Value of an entry that is updated.
  [[nodiscard]] T at(Field f, int c, int i, int j, int k) const {
    const int place[3] = {i, j, k};
    int p[3];
    for (std::size_t a = 0; a < 3; ++a) {
      p[a] = 0;
      while (p[a] + 1 < count(static_cast<int>(a)) && place[a] >= cuts_[a][as_size(p[a] + 1)]) ++p[a];
    }
    const Part<T>& part = parts[as_size((p[0] * count(1) + p[1]) * count(2) + p[2])];
    return part.field(f)[as_size(part.grid.at(c, i - part.origin[0], j - part.origin[1], k - part.origin[2]))];
  }

  /// Entries that differ between two divisions of one domain, bit by bit; NaN differs.
  [[nodiscard]] std::size_t differences(const Domain& other) const {
    std::size_t found = 0;
    each_entry([&](Field f, int c, int i, int j, int k) {
      const T a = at(f, c, i, j, k);
      const T b = other.at(f, c, i, j, k);
      if (!(a == b) || std::memcmp(&a, &b, sizeof(T)) != 0) ++found;
    });
    return found;
  }
  template <class Visit>
  void each_entry(const Visit& visit) const {
    for (const Part<T>& p : parts)
      for (const Field f : {Field::electric, Field::magnetic})
        for (int c = 0; c < 3; ++c) {
          const Box b = p.grid.entries(f, c, p.grid.cells());
          for (int i = b.x0; i < b.x1; ++i)
            for (int j = b.y0; j < b.y1; ++j)
              for (int k = b.z0; k < b.z1; ++k) visit(f, c, p.origin[0] + i, p.origin[1] + j, p.origin[2] + k);
        }
  }

  /// Ghosts from neighbours.
  void exchange(Field f) {
    for (int axis = 0; axis < 3; ++axis) {
      const bool periodic = setting.face[as_size(2 * axis)] == Face::neighbour;
      const int number = count(axis);
      for (std::size_t from = 0; from < parts.size(); ++from) {
        const int strides[3] = {count(1) * count(2), count(2), 1};
        const int place = static_cast<int>(from) / strides[axis] % number;
        int to = place + (f == Field::magnetic ? 1 : -1);
        if ((to < 0 || to == number) && !periodic) continue;
        to = (to + number) % number;
        Part<T>& source = parts[from];
        if (to == place) {
          cpu::wrap(source.grid, f, axis, source.field(f).data());
          continue;
        }
        Part<T>& target = parts[as_size(static_cast<int>(from) + (to - place) * strides[axis])];
        const Layer out = outgoing(source.grid, f, axis);
        std::vector<T> array(as_size(out.elements()));
        cpu::pack(source.grid, out, source.field(f).data(), array.data());
        cpu::unpack(target.grid, incoming(target.grid, f, axis), array.data(), target.field(f).data());
      }
    }
  }

  /// Border planes, then the rest, in no particular order.
  static std::vector<Box> pieces(const Grid& g) {
    Box inner = g.cells();
    std::int32_t* const range[3] = {&inner.x0, &inner.y0, &inner.z0};
    for (int a = 0; a < 3; ++a)
      if (g.n[a] > 2) {
        ++range[a][0];
        --range[a][1];
      }
    std::vector<Box> all = around(g.cells(), inner);
    if (g.n[1] > 4) {
      Box half = inner;
      half.y1 = inner.y0 = 3;
      all.push_back(inner);
      all.push_back(half);
    } else {
      all.push_back(inner);
    }
    return all;
  }

  Setting setting;
  std::vector<Part<T>> parts;

 private:
  [[nodiscard]] int count(int axis) const { return static_cast<int>(cuts_[as_size(axis)].size()) - 1; }

  Part<T> make_part(const std::array<int, 3>& place) {
    Part<T> p{};
    int n[3];
    Face face[6];
    for (int a = 0; a < 3; ++a) {
      const std::vector<int>& cut = cuts_[as_size(a)];
      const auto at = as_size(place[as_size(a)]);
      p.origin[a] = cut[at];
      n[a] = cut[at + 1] - cut[at];
      face[2 * a] = at == 0 ? setting.face[as_size(2 * a)] : Face::neighbour;
      face[2 * a + 1] = at + 2 == cut.size() ? setting.face[as_size(2 * a + 1)] : Face::neighbour;
    }
    p.grid = make_grid(n[0], n[1], n[2], face, sizeof(T));
    p.e.assign(as_size(p.grid.elements()), std::numeric_limits<T>::quiet_NaN());
    p.h = p.e;
    zero_conductors(p);
    if (setting.mesh.graded()) {
      const std::array<int, 3> origin{p.origin[0], p.origin[1], p.origin[2]};
      p.e_lengths = inverse_lengths<T>(setting.mesh, Field::electric, p.grid, origin);
      p.h_lengths = inverse_lengths<T>(setting.mesh, Field::magnetic, p.grid, origin);
    }
    if (setting.cells.empty()) return p;
    Cells cells{{setting.n[0], setting.n[1], setting.n[2]}, {}, setting.cells.data()};
    for (int a = 0; a < 3; ++a) cells.periodic[a] = setting.face[as_size(2 * a)] == Face::neighbour;
    p.e_index.assign(p.e.size(), 0xffff);
    p.h_index = p.e_index;
    for (const Medium& m :
         assign_media(Field::electric, p.grid, p.origin, cells, setting.materials, p.e_index.data())) {
      p.e_table.push_back(coefficients<T>(m, eps0, setting.dt()));
      p.eps_r.push_back(m.relative);
    }
    for (const Medium& m :
         assign_media(Field::magnetic, p.grid, p.origin, cells, setting.materials, p.h_index.data())) {
      p.h_table.push_back(coefficients<T>(m, mu0, setting.dt()));
      p.mu_r.push_back(m.relative);
    }
    return p;
  }
  /// Tangential E on electric conductors.
  static void zero_conductors(Part<T>& p) {
    const Grid& g = p.grid;
    for (int f = 0; f < 6; ++f) {
      if (g.face[f] != Face::electric) continue;
      const int axis = f / 2;
      for (int c = 0; c < 3; ++c) {
        if (c == axis) continue;
        for (int i = 0; i <= g.n[0]; ++i)
          for (int j = 0; j <= g.n[1]; ++j)
            for (int k = 0; k <= g.n[2]; ++k) {
              const int place[3] = {i, j, k};
              if (place[axis] == (f % 2 == 0 ? 0 : g.n[axis])) p.e[as_size(g.at(c, i, j, k))] = 0;
            }
      }
    }
  }

  void update_h(Part<T>& p, const Box& b) {
    cpu::update(Field::magnetic, p.grid, b, setting.h_factors(), p.h_media(), p.e.data(), p.h.data());
  }
  void update_e(Part<T>& p, const Box& b) {
    cpu::update(Field::electric, p.grid, b, setting.e_factors(), p.e_media(), p.h.data(), p.e.data());
  }

  Cuts cuts_;
};

}  // namespace asterism::fdtd

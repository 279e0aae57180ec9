// SPDX-License-Identifier: Apache-2.0
// A domain with absorbing layers and dispersive media, divided or not, with sources: what their tests run.
#pragma once

#include <cstring>
#include <stdexcept>
#include <utility>
#include <vector>

#include "base/as_size.hpp"
#include "codelets/fdtd/kernels/media/cpml.hpp"
#include "codelets/fdtd/kernels/media/dispersive.hpp"
#include "tests/codelets/fdtd/domain.hpp"

namespace asterism::fdtd {

template <class T>
class OpenDomain {
 public:
  /// What a part has beside its fields.
  struct Absorber {
    Layers layers;
    std::vector<T> psi[2][3];  ///< of a field and an axis
    [[nodiscard]] Psi<T> of(Field f) {
      auto& p = psi[static_cast<int>(f)];
      return {{p[0].data(), p[1].data(), p[2].data()}};
    }
  };

  struct Dispersion {
    DispersiveMedia<T> media;
    std::vector<T> state;
    [[nodiscard]] Poles<T> poles() const { return {media.ranges.data(), media.poles.data()}; }
  };

  /// `poles`: of each material.
  OpenDomain(const Setting& s, const Cpml& cpml, const typename Domain<T>::Cuts& cuts = {},
             const std::vector<std::vector<Pole>>& poles = {})
      : domain(s, cuts) {
    for (const Field f : {Field::electric, Field::magnetic})
      stretch[static_cast<int>(f)] = stretches<T>(f, cpml, {s.d[0], s.d[1], s.d[2]}, s.dt());
    for (const Part<T>& p : domain.parts) {
      Absorber a{};
      a.layers = layers_of(cpml, p.grid, p.origin, {s.n[0], s.n[1], s.n[2]});
      for (auto& psi : a.psi)
        for (int axis = 0; axis < 3; ++axis) psi[axis].assign(as_size(a.layers.elements(axis)), T{0});
      absorbers.push_back(std::move(a));
    }
    if (!poles.empty())
      for (Part<T>& p : domain.parts) dispersions.push_back(disperse_part(p, poles));
    domain.set([](Field, int, int, int, int) { return 0; });
  }

  void half_step(Field f, Passes passes) {
    const Setting& s = domain.setting;
    const Factors factors = f == Field::electric ? s.e_factors() : s.h_factors();
    for (std::size_t m = 0; m < domain.parts.size(); ++m) {
      Part<T>& p = domain.parts[m];
      const Media<T> media = f == Field::electric ? p.e_media() : p.h_media();
      const T* const from = p.field(f == Field::electric ? Field::magnetic : Field::electric).data();
      for (const Box& b : boxes(p, passes)) {
        const fdtd::Absorber<T> layers = absorber(m, f);
        // boxes of a division with the update, a whole part after it
        if (passes == Passes::two) cpu::update(f, p.grid, b, factors, media, from, p.field(f).data());
        if (passes == Passes::two) cpu::absorb(f, p.grid, b, factors, media, layers, from, p.field(f).data());
        if (passes != Passes::two) cpu::update(f, p.grid, b, factors, media, from, p.field(f).data(), layers);
      }
    }
  }
  void disperse(Passes passes) {
    for (std::size_t m = 0; m < dispersions.size(); ++m) {
      Part<T>& p = domain.parts[m];
      Dispersion& d = dispersions[m];
      for (const Box& b : boxes(p, passes))
        cpu::disperse(p.grid, b, p.e_media(), d.poles(), d.media.states, d.state.data(), p.e.data());
    }
  }
  void step(Passes passes = Passes::two) {
    half_step(Field::magnetic, passes);
    domain.exchange(Field::magnetic);
    for (Part<T>& p : domain.parts) cpu::reflect(p.grid, p.h.data());
    half_step(Field::electric, passes);
    for (const auto& [entry, value] : pending_) add_to_part(entry, value);
    pending_.clear();
    disperse(passes);
    domain.exchange(Field::electric);
  }
  /// The layers of a field in a part, as kernels take them.
  [[nodiscard]] fdtd::Absorber<T> absorber(std::size_t part, Field f) {
    return {&absorbers[part].layers, stretch[static_cast<int>(f)].data(), absorbers[part].of(f)};
  }
  /// Adds to an entry of E of the domain in the next step.
  void add(int c, int i, int j, int k, double value) { pending_.push_back({{c, i, j, k}, value}); }
  /// psi of an entry of the domain; 0 outside the layers.
  [[nodiscard]] T psi(Field f, int along, int c, int i, int j, int k) const {
    for (std::size_t m = 0; m < domain.parts.size(); ++m) {
      const Part<T>& p = domain.parts[m];
      const int at[3] = {i - p.origin[0], j - p.origin[1], k - p.origin[2]};
      const Box b = p.grid.entries(f, c, p.grid.cells());
      if (at[0] < b.x0 || at[0] >= b.x1 || at[1] < b.y0 || at[1] >= b.y1 || at[2] < b.z0 || at[2] >= b.z1) continue;
      const Layers& l = absorbers[m].layers;
      if (!l.axis[along].has(at[along])) return 0;
      return absorbers[m].psi[static_cast<int>(f)][along].at(as_size(l.at(along, c, at[0], at[1], at[2])));
    }
    throw std::out_of_range("no such entry");
  }

  Domain<T> domain;
  std::vector<Absorber> absorbers;
  std::vector<Stretch<T>> stretch[2];
  std::vector<Dispersion> dispersions;

 private:
  static std::vector<Box> boxes(const Part<T>& p, Passes passes) {
    return passes == Passes::two ? std::vector<Box>{p.grid.cells()} : Domain<T>::pieces(p.grid);
  }
  void add_to_part(const std::array<int, 4>& entry, double value) {
    for (Part<T>& p : domain.parts) {
      const int at[3] = {entry[1] - p.origin[0], entry[2] - p.origin[1], entry[3] - p.origin[2]};
      const Box b = p.grid.entries(Field::electric, entry[0], p.grid.cells());
      if (at[0] >= b.x0 && at[0] < b.x1 && at[1] >= b.y0 && at[1] < b.y1 && at[2] >= b.z0 && at[2] < b.z1)
        cpu::add(p.grid, entry[0], at[0], at[1], at[2], static_cast<T>(value), p.e.data());
    }
  }
  Dispersion disperse_part(Part<T>& p, const std::vector<std::vector<Pole>>& poles) const {
    const Setting& s = domain.setting;
    Cells cells{{s.n[0], s.n[1], s.n[2]}, {}, s.cells.data()};
    for (int a = 0; a < 3; ++a) cells.periodic[a] = s.face[as_size(2 * a)] == Face::neighbour;
    Dispersion d;
    d.media = assign_dispersive<T>(p.grid, p.origin, cells, s.materials, poles, eps0, s.dt(), p.e_index.data());
    p.e_table.clear();
    for (const Medium& m : d.media.media) p.e_table.push_back(coefficients<T>(m, eps0, s.dt()));
    d.state.assign(as_size(d.media.states.elements()), T{0});
    return d;
  }

  std::vector<std::pair<std::array<int, 4>, double>> pending_;
};

/// Entries of two domains whose psi is not the same.
template <class T>
std::size_t different_psi(const OpenDomain<T>& a, const OpenDomain<T>& b) {
  std::size_t found = 0;
  a.domain.each_entry([&](Field f, int c, int i, int j, int k) {
    for (int term = 1; term <= 2; ++term) {
      const int along = (c + term) % 3;
      const T u = a.psi(f, along, c, i, j, k);
      const T v = b.psi(f, along, c, i, j, k);
      if (std::memcmp(&u, &v, sizeof(T)) != 0) ++found;
    }
  });
  return found;
}

}  // namespace asterism::fdtd

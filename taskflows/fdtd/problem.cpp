// SPDX-License-Identifier: Apache-2.0
#include "taskflows/fdtd/problem.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <utility>

#include "base/error.hpp"
#include "taskflows/fdtd/physics/check.hpp"

namespace asterism::fdtd {
namespace {

void check_domain(const Problem& p) {
  constexpr int most = 1 << 20;
  for (const int n : p.cells)
    if (n < 1 || n > most)
      bad_input("a domain of {} x {} x {} cells: expected 1 to {} along each axis", p.cells[0], p.cells[1], p.cells[2],
                most);
  for (const double d : p.spacing)
    if (!(d > 0) || !std::isfinite(d))
      bad_input("spacing {} x {} x {} m: expected positive lengths", p.spacing[0], p.spacing[1], p.spacing[2]);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::vector<double>& planes = p.mesh.planes[axis];
    if (!planes.empty() && (planes.size() != static_cast<std::size_t>(p.cells[axis]) + 1 || planes[0] != 0 ||
                            std::adjacent_find(planes.begin(), planes.end(), std::greater_equal<>()) != planes.end()))
      bad_input(
          "a graded mesh with {} planes along {} for {} cells: expected ascending ones from 0, one more than cells",
          planes.size(), "xyz"[axis], p.cells[axis]);
    const bool lower = p.face[2 * axis] == Face::neighbour;
    const bool upper = p.face[2 * axis + 1] == Face::neighbour;
    if (lower != upper)
      bad_input("face {} is periodic and {} is not", face_names[2 * axis + (lower ? 0 : 1)],
                face_names[2 * axis + (lower ? 1 : 0)]);
  }
}

void check_materials(const Problem& p) {
  for (std::size_t m = 0; m < p.materials.size(); ++m) {
    const Material& material = p.materials[m];
    const auto positive = [&](const char* name, double value) {
      if (!(value > 0) || !std::isfinite(value)) bad_input("material {}: {} {}: expected more than 0", m, name, value);
    };
    const auto passive = [&](const char* name, double value) {
      if (!(value >= 0)) bad_input("material {}: {} {}: expected 0 or more", m, name, value);
    };
    positive("relative permittivity", material.eps_r);
    positive("relative permeability", material.mu_r);
    passive("conductivity", material.sigma);
    passive("magnetic loss", material.sigma_m);
  }
  if (p.material.empty()) return;
  if (static_cast<double>(p.material.size()) != cells_of(p))
    bad_input("materials of {} cells for a domain of {}", p.material.size(), cells_of(p));
  const std::uint16_t largest = *std::max_element(p.material.begin(), p.material.end());
  if (largest >= p.materials.size()) bad_input("a cell has material {}: there are {}", largest, p.materials.size());
}

/// Waves are fastest where the product of permittivity and permeability is least. Entries between cells have means of
/// both, which are no less than the least of each.
void check_time_step(const Problem& p) {
  if (!(p.dt > 0) || !std::isfinite(p.dt)) bad_input("time step {} s: expected more than 0", p.dt);
  constexpr double rounding = 1e-12;
  const double courant = courant_number(p);
  if (courant > 1 + rounding)
    bad_input("time step {:.6g} s is {:.6g} times the limit of stability (Courant number): expected at most 1", p.dt,
              courant);
  if (p.material.empty()) return;
  double eps = 1, mu = 1;
  for (const Material& m : p.materials) {
    eps = std::min(eps, m.eps_r);
    mu = std::min(mu, m.mu_r);
  }
  const double limit = std::sqrt(eps * mu);
  if (courant > limit * (1 + rounding))
    bad_input(
        "relative permittivities down to {:.6g} and permeabilities down to {:.6g} make a Courant number of {:.6g} "
        "unstable: expected at most {:.6g}",
        eps, mu, courant, limit);
}

bool holds(const Box& b, const std::array<int, 3>& at) {
  return at[0] >= b.x0 && at[0] < b.x1 && at[1] >= b.y0 && at[1] < b.y1 && at[2] >= b.z0 && at[2] < b.z1;
}

void check_entry(const Problem& p, const char* what, Field field, int component, const std::array<int, 3>& at) {
  if (component < 0 || component > 2) bad_input("{} of component {}: expected 0 to 2", what, component);
  const Grid grid = whole_grid(p);
  if (holds(grid.entries(field, component, grid.cells()), at)) return;
  const std::array<int, 3> n = extents(p);
  const bool inside = holds({0, n[0] + 1, 0, n[1] + 1, 0, n[2] + 1}, at);
  bad_input("{} {} at ({}, {}, {}): {}", what, component_name(field, component), at[0], at[1], at[2],
            inside ? "lies on a face of the domain, where it is fixed"
                   : fmt::format("outside the domain of {} x {} x {} cells", p.cells[0], p.cells[1], p.cells[2]));
}

/// Does is_one(material) hold for a cell around an edge?
template <class Predicate>
bool any_around(const Problem& p, int component, const std::array<int, 3>& edge, const Predicate& is_one) {
  const auto b = (static_cast<std::size_t>(component) + 1) % 3, c = (b + 1) % 3;
  for (const int below_b : {0, 1})
    for (const int below_c : {0, 1}) {
      std::array<int, 3> cell = edge;
      cell[b] -= below_b;
      cell[c] -= below_c;
      std::size_t number = 0;
      bool inside = true;
      for (std::size_t a = 0; a < 3; ++a) {
        const int n = p.cells[a];
        if (p.face[2 * a] == Face::neighbour) cell[a] = (cell[a] + n) % n;
        inside = inside && cell[a] >= 0 && cell[a] < n;
        number = number * static_cast<std::size_t>(n) + static_cast<std::size_t>(cell[a]);
      }
      if (inside && is_one(p.material[number])) return true;
    }
  return false;
}

bool on_conductor(const Problem& p, int component, const std::array<int, 3>& edge) {
  return any_around(p, component, edge, [&](std::size_t m) { return std::isinf(p.materials[m].sigma); });
}

void check_smoothed(const Problem& p) {
  if (p.smoothed.empty()) return;
  if (p.material.empty()) bad_input("smoothed edges: expected a domain with materials");
  double least = 1;
  for (const Material& m : p.materials) least = std::min(least, m.eps_r);
  if (!p.couplings.empty()) least /= 2;  // a diagonal element alone may be less than both media have
  const auto has_own_law = [&](std::size_t m) {
    return std::isinf(p.materials[m].sigma) || (m < p.poles.size() && !p.poles[m].empty());
  };
  for (const SmoothedEdge& edge : p.smoothed) {
    check_entry(p, "smoothed edge", Field::electric, edge.component, edge.cell);
    const Medium& medium = edge.medium;
    if (!(medium.relative >= least) || !(medium.loss >= 0) || !std::isfinite(medium.relative + medium.loss))
      bad_input("a smoothed edge with permittivity {} and conductivity {}: expected at least {} and 0", medium.relative,
                medium.loss, least);
    if (any_around(p, edge.component, edge.cell, has_own_law))
      bad_input("smoothed edge {} at ({}, {}, {}): on a perfect conductor or a dispersive medium",
                component_name(Field::electric, edge.component), edge.cell[0], edge.cell[1], edge.cell[2]);
  }
}

void check_couplings(const Problem& p) {
  if (!p.couplings.empty() && p.material.empty()) bad_input("coupled edges: expected a domain with materials");
  for (const Coupling& c : p.couplings) {
    check_entry(p, "coupled edge", Field::electric, c.component, c.cell);
    check_entry(p, "coupled edge", Field::electric, c.other_component, c.other_cell);
    if (!std::isfinite(c.factor)) bad_input("coupled edges with a factor of {}: expected a number", c.factor);
  }
}

void check_cut(const Problem& p) {
  if (p.cut.empty()) return;
  if (p.material.empty()) bad_input("conductors that cut cells: expected a domain with materials");
  if (has_poles(p)) bad_input("conductors that cut cells in a domain with dispersive media: expected none");
  for (const CutEntry& entry : p.cut) {
    check_entry(p, "cut entry", entry.field, entry.component, entry.cell);
    if (!(entry.medium.relative > 0) || !std::isfinite(entry.medium.relative) || !(entry.medium.loss >= 0))
      bad_input("a cut entry with a constant of {} and a loss of {}: expected more than 0, and 0 at least",
                entry.medium.relative, entry.medium.loss);
  }
}

void check_resistors(const Problem& p) {
  if (p.resistors.empty()) return;
  if (p.material.empty()) bad_input("resistors and thin conductors: expected a domain with materials");
  if (has_poles(p)) bad_input("resistors and thin conductors in a domain with dispersive media: expected none");
  std::set<std::pair<int, std::array<int, 3>>> conductors;
  for (const Resistor& r : p.resistors)
    if (r.resistance == 0) conductors.insert({r.component, r.cell});
  for (const Resistor& r : p.resistors) {
    check_entry(p, "resistor", Field::electric, r.component, r.cell);
    if (!(r.resistance >= 0) || !std::isfinite(r.resistance))
      bad_input("resistor of {} ohm: expected 0 or more", r.resistance);
    if (r.resistance > 0 && (on_conductor(p, r.component, r.cell) || conductors.contains({r.component, r.cell})))
      bad_input("resistor {} at ({}, {}, {}): on a perfect conductor", component_name(Field::electric, r.component),
                r.cell[0], r.cell[1], r.cell[2]);
  }
}

}  // namespace

double conductivity(const Problem& p, const Resistor& r) {
  const auto length = [&](int axis) { return length_of(p, Field::electric, r.component, axis % 3, r.cell); };
  return length(r.component) / (r.resistance * length(r.component + 1) * length(r.component + 2));
}

double length_of(const Problem& p, Field field, int component, int axis, const std::array<int, 3>& entry) {
  const auto a = static_cast<std::size_t>(axis);
  return p.spacing[a] * p.mesh.of_entry(field, component, axis, entry[a]);
}

double volume_of(const Problem& p, Field field, int component, const std::array<int, 3>& entry) {
  double volume = 1;
  for (int axis = 0; axis < 3; ++axis) volume *= length_of(p, field, component, axis, entry);
  return volume;
}

double cells_of(const Problem& p) {
  return static_cast<double>(p.cells[0]) * p.cells[1] * p.cells[2];
}

double largest_time_step(const Problem& p) {
  double sum = 0;
  for (const double d : p.spacing) sum += 1 / (d * d);
  return std::sqrt(p.eps0 * p.mu0 / sum);
}

double courant_number(const Problem& p) {
  return p.dt / largest_time_step(p);
}

Grid whole_grid(const Problem& p) {
  const Face face[6] = {p.face[0], p.face[1], p.face[2], p.face[3], p.face[4], p.face[5]};
  return make_grid(p.cells[0], p.cells[1], p.cells[2], face, size_of(p.precision));
}

std::array<int, 3> extents(const Problem& p) {
  std::array<int, 3> n = p.cells;
  for (std::size_t a = 0; a < 3; ++a) n[a] += p.face[2 * a + 1] == Face::magnetic ? 1 : 0;
  return n;
}

const char* component_name(Field field, int component) {
  constexpr const char* names[2][3] = {{"ex", "ey", "ez"}, {"hx", "hy", "hz"}};
  return names[static_cast<int>(field)][component];
}

void check(const Problem& p) {
  check_domain(p);
  check_materials(p);
  check_time_step(p);
  check_smoothed(p);
  check_couplings(p);
  check_cut(p);
  check_resistors(p);
  for (const CurrentSource& s : p.sources) check_entry(p, "source", Field::electric, s.component, s.cell);
  for (const CurrentSource& s : p.magnetic_sources) check_entry(p, "source", Field::magnetic, s.component, s.cell);
  for (const Probe& probe : p.probes) check_entry(p, "probe", probe.field, probe.component, probe.cell);
  check_physics(p);
}

}  // namespace asterism::fdtd

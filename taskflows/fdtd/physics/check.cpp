// SPDX-License-Identifier: Apache-2.0
#include "taskflows/fdtd/physics/check.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <stdexcept>

#include "base/error.hpp"

namespace asterism::fdtd {
namespace {

/// What kernels refuse, as bad input.
template <class Body>
void refuse(const std::string& what, const Body& body) {
  try {
    body();
  } catch (const std::invalid_argument& error) {
    bad_input("{}: {}", what, error.what());
  }
}

void check_layers(const Problem& p) {
  for (std::size_t f = 0; f < 6; ++f) {
    const int thickness = p.cpml.cells[f];
    if (thickness < 0) bad_input("absorbing layer before {} of {} cells: expected 0 or more", face_names[f], thickness);
    if (thickness > 0 && p.face[f] != Face::electric)
      bad_input("absorbing layer before {}: expected an electric conductor behind it", face_names[f]);
  }
  for (std::size_t a = 0; a < 3; ++a) {
    const std::int64_t both = std::int64_t{p.cpml.cells[2 * a]} + p.cpml.cells[2 * a + 1];
    if (both > 0 && both >= p.cells[a])
      bad_input("absorbing layers of {} and {} cells along {}: the domain has {}", p.cpml.cells[2 * a],
                p.cpml.cells[2 * a + 1], "xyz"[a], p.cells[a]);
  }
  if (has_layers(p))
    refuse("absorbing layers", [&] {
      const double d[3] = {p.spacing[0], p.spacing[1], p.spacing[2]};
      (void)stretches<double>(Field::electric, p.cpml, d, p.dt);
    });
}

/// Differences between the cells of a layer that are no more than rounding, and those of a rule.
constexpr double same_length = 1e-3;

void check_mesh(const Problem& p) {
  if (!p.mesh.graded()) return;
  for (std::size_t f = 0; f < 6; ++f)
    for (int i = 0; i < p.cpml.cells[f]; ++i) {
      const double length = p.mesh.cell(f / 2, f % 2 == 0 ? i : p.cells[f / 2] - 1 - i);
      if (std::abs(length - p.cpml.length[f]) > same_length * length)
        bad_input(
            "absorbing layer before {}: its cell number {} is {:.4g} m long, others {:.4g} m; expected {} of one "
            "length",
            face_names[f], i, length * p.spacing[f / 2], p.cpml.length[f] * p.spacing[f / 2], p.cpml.cells[f]);
    }
}

void check_poles(const Problem& p) {
  if (p.poles.size() > p.materials.size())
    bad_input("poles of {} materials: there are {}", p.poles.size(), p.materials.size());
  if (has_poles(p) && p.initial) bad_input("initial fields in a domain with dispersive media: expected none");
}

void check_waves(const Problem& p) {
  const bool periodic[3] = {p.face[0] == Face::neighbour, p.face[2] == Face::neighbour, p.face[4] == Face::neighbour};
  const std::int32_t n[3] = {p.cells[0], p.cells[1], p.cells[2]};
  for (const WaveInBox& w : p.waves)
    refuse("plane wave", [&] {
      const Incident incident = make_incident(w.wave, w.planes, space_of(p));
      if (!p.material.empty()) require_vacuum(incident.total, cells_with_materials(p), p.materials, p.poles);
      const std::int32_t lower[3] = {w.planes.x0, w.planes.y0, w.planes.z0};
      const std::int32_t upper[3] = {w.planes.x1, w.planes.y1, w.planes.z1};
      for (std::size_t a = 0; a < 3; ++a)
        if (incident.total.faces[a] &&
            (lower[a] <= p.cpml.cells[2 * a] || upper[a] >= p.cells[a] - p.cpml.cells[2 * a + 1]))
          throw std::invalid_argument(fmt::format("its box reaches from {} to {} along {}: into absorbing layers",
                                                  lower[a], upper[a], "xyz"[a]));
    });
  for (std::size_t m = 0; m < p.monitors.size(); ++m)
    refuse(fmt::format("monitor {}", m), [&] { check(p.monitors[m], n, periodic, p.dt); });
}

}  // namespace

bool has_layers(const Problem& p) {
  return std::any_of(p.cpml.cells, p.cpml.cells + 6, [](std::int32_t cells) { return cells > 0; });
}
bool couples_neighbours(const Problem& p) {
  return std::all_of(p.couplings.begin(), p.couplings.end(), [&](const Coupling& c) {
    for (std::size_t a = 0; a < 3; ++a) {
      int apart = std::abs(c.cell[a] - c.other_cell[a]);
      if (p.face[2 * a] == Face::neighbour) apart = std::min(apart, p.cells[a] - apart);
      if (apart > 1) return false;
    }
    return true;
  });
}
bool may_overlap(const Problem& p) {
  return !p.mesh.graded() && couples_neighbours(p);
}
bool has_poles(const Problem& p) {
  return !p.material.empty() && std::any_of(p.poles.begin(), p.poles.end(), [](const auto& of) { return !of.empty(); });
}

Box cells_with_poles(const Problem& p) {
  if (!has_poles(p)) return {};
  const std::int32_t n[3] = {p.cells[0], p.cells[1], p.cells[2]};
  Box box{n[0], 0, n[1], 0, n[2], 0};
  const auto has = [&](std::uint16_t m) { return m < p.poles.size() && !p.poles[m].empty(); };
  for (std::int32_t i = 0; i < n[0]; ++i)
    for (std::int32_t j = 0; j < n[1]; ++j) {
      const auto row = p.material.begin() + (std::int64_t{i} * n[1] + j) * n[2];
      const auto first = static_cast<std::int32_t>(std::find_if(row, row + n[2], has) - row);
      if (first == n[2]) continue;
      std::int32_t end = n[2];
      while (!has(row[end - 1])) --end;
      box = {std::min(box.x0, i),     std::max(box.x1, i + 1), std::min(box.y0, j),
             std::max(box.y1, j + 1), std::min(box.z0, first), std::max(box.z1, end)};
    }
  return box.empty() ? Box{} : box;
}

Cells cells_with_materials(const Problem& p) {
  Cells cells{{p.cells[0], p.cells[1], p.cells[2]}, {}, p.material.data()};
  for (std::size_t a = 0; a < 3; ++a) cells.periodic[a] = p.face[2 * a] == Face::neighbour;
  return cells;
}

Space space_of(const Problem& p) {
  Space space{{p.cells[0], p.cells[1], p.cells[2]},
              {},
              {p.spacing[0], p.spacing[1], p.spacing[2]},
              p.dt,
              p.eps0,
              p.mu0,
              p.mesh};
  for (std::size_t a = 0; a < 3; ++a) space.periodic[a] = p.face[2 * a] == Face::neighbour;
  return space;
}

void check_physics(const Problem& p) {
  check_mesh(p);
  check_layers(p);
  check_poles(p);
  check_waves(p);
}

}  // namespace asterism::fdtd

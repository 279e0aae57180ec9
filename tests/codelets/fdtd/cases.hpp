// SPDX-License-Identifier: Apache-2.0
// Domains that the tests of the finite-difference time-domain kernels share.
#pragma once

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "tests/codelets/fdtd/domain.hpp"

namespace asterism::fdtd::cases {

/// The speed of light in m/s, and the impedance of vacuum in ohm.
inline const double speed = 1 / std::sqrt(eps0 * mu0);
inline const double impedance = std::sqrt(mu0 / eps0);

/// Steps that a GPU takes in one pass.
template <class T>
inline const std::vector<int> steps_at_once = sizeof(T) == sizeof(float) ? std::vector{2, 4} : std::vector{2};

inline constexpr Face none = Face::neighbour;
inline constexpr Face pec = Face::electric;
inline constexpr Face pmc = Face::magnetic;

inline const std::vector<std::pair<std::string, std::array<Face, 6>>> boundaries = {
    {"electric", {pec, pec, pec, pec, pec, pec}},       {"periodic", {}},
    {"magnetic", {pmc, pmc, pmc, pmc, pmc, pmc}},       {"periodic x", {none, none, pec, pmc, pmc, pec}},
    {"periodic y", {pmc, pec, none, none, pec, pmc}},   {"periodic z", {pec, pmc, pmc, pmc, none, none}},
    {"electric above", {pmc, pec, pmc, pec, pmc, pec}}, {"magnetic above", {pec, pmc, pec, pmc, pec, pmc}}};

/// One that conducts perfectly, ones with losses, one that is magnetic.
inline const std::vector<Material> materials = {
    {}, {4, 1, 0, 0}, {2.5, 3, 0.8, 3e4}, {1, 1, INFINITY, 0}, {6, 2, 0, 1e5}};

/// Cells of 1 to 2 along x and z, each of its own; of 1 along y.
inline Setting graded(Setting s) {
  for (const std::size_t a : {0U, 2U}) {
    std::vector<double>& planes = s.mesh.planes[a];
    planes = {0};
    for (int i = 0; i < s.n[a]; ++i) planes.push_back(planes.back() + 1.5 + noise(3, static_cast<int>(a), i, 0, 0) / 2);
  }
  for (std::size_t a = 0; a < 3; ++a) s.mesh.periodic[a] = s.face[2 * a] == none;
  return s;
}

/// Any material in any cell of the lower half along x, and one odd cell in each row of the upper.
inline Setting with_materials(Setting s) {
  s.materials = materials;
  for (int i = 0; i < s.n[0]; ++i)
    for (int j = 0; j < s.n[1]; ++j)
      for (int k = 0; k < s.n[2]; ++k) {
        const auto any = static_cast<std::uint16_t>((noise(2, 0, i, j, k) + 1) * 2.5);
        s.cells.push_back(2 * i < s.n[0] || (3 * i + 5 * j) % s.n[2] == k ? any : 0);
      }
  return s;
}

}  // namespace asterism::fdtd::cases

// SPDX-License-Identifier: Apache-2.0
#include "codelets/fdtd/kernels/media/materials.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <stdexcept>
#include <string>

namespace asterism::fdtd {
namespace {

Medium arithmetic_mean(const Around& around, const std::vector<Material>& materials) {
  double eps = 0, sigma = 0, count = 0;
  for (const int m : around) {
    if (m == no_cell) continue;
    eps += materials[static_cast<std::size_t>(m)].eps_r;
    sigma += materials[static_cast<std::size_t>(m)].sigma;
    ++count;
  }
  return {eps / count, sigma / count};
}

Medium harmonic_mean(const Around& around, const std::vector<Material>& materials) {
  double mu = 0, sigma = 0, count = 0;
  for (const int m : around) {
    if (m == no_cell) continue;
    mu += 1 / materials[static_cast<std::size_t>(m)].mu_r;
    sigma += 1 / materials[static_cast<std::size_t>(m)].sigma_m;  // infinite, and the mean 0, for one that has none
    ++count;
  }
  return {count / mu, count / sigma};
}

/// Cell at or before an entry along an axis, or no_cell.
int cell_along(const Cells& cells, int axis, int at) {
  const int n = cells.n[axis];
  if (cells.periodic[axis]) return (at % n + n) % n;
  return at >= 0 && at < n ? at : no_cell;
}

/// visit(cell, material) of the cells around an entry.
template <class Visit>
void for_cells_around(Field field, int c, const Cells& cells, const std::array<int, 3>& entry, const Visit& visit) {
  int below[3];
  for (int a = 0; a < 3; ++a) below[a] = on_planes(field, c, a) ? -1 : 0;
  for (int i = below[0]; i <= 0; ++i)
    for (int j = below[1]; j <= 0; ++j)
      for (int k = below[2]; k <= 0; ++k) {
        const std::array<int, 3> at{cell_along(cells, 0, entry[0] + i), cell_along(cells, 1, entry[1] + j),
                                    cell_along(cells, 2, entry[2] + k)};
        if (at[0] == no_cell || at[1] == no_cell || at[2] == no_cell) continue;
        visit(at, cells.material[(static_cast<std::int64_t>(at[0]) * cells.n[1] + at[1]) * cells.n[2] + at[2]]);
      }
}

Around around(Field field, int c, const Cells& cells, const std::array<int, 3>& entry) {
  Around found;
  found.fill(no_cell);
  std::size_t count = 0;
  for_cells_around(field, c, cells, entry,
                   [&](const std::array<int, 3>& /*cell*/, std::uint16_t material) { found[count++] = material; });
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace

template <class T>
Coefficients<T> coefficients(const Medium& medium, double eps0_or_mu0, double dt) {
  const double s = medium.loss * dt / (2 * eps0_or_mu0 * medium.relative);
  if (std::isinf(s)) return {T{0}, T{0}};
  return {static_cast<T>((1 - s) / (1 + s)), static_cast<T>(1 / (medium.relative * (1 + s)))};
}
template Coefficients<double> coefficients(const Medium&, double, double);
template Coefficients<float> coefficients(const Medium&, double, double);

Medium mean(Field field, const Around& around, const std::vector<Material>& materials) {
  return field == Field::electric ? arithmetic_mean(around, materials) : harmonic_mean(around, materials);
}

Shares shares_of(const Around& around) {
  const auto cells = std::count_if(around.begin(), around.end(), [](int m) { return m != no_cell; });
  Shares shares;
  for (auto here = around.begin(); here != around.end();) {
    const auto next = std::upper_bound(here, around.end(), *here);
    if (*here != no_cell) shares.emplace_back(*here, static_cast<double>(next - here) / static_cast<double>(cells));
    here = next;
  }
  return shares;
}

Shares weighted_shares(Field field, int component, const std::array<int, 3>& entry, const Cells& cells,
                       const GradedMesh& mesh) {
  Shares shares;
  double all = 0, first_weight = 0;
  bool weighted = false;
  for_cells_around(field, component, cells, entry, [&](const std::array<int, 3>& cell, std::uint16_t material) {
    double weight = 1;
    for (int a = 0; a < 3; ++a)
      if (on_planes(field, component, a))
        weight *= mesh.cell(static_cast<std::size_t>(a), cell[static_cast<std::size_t>(a)]);
    if (all == 0) first_weight = weight;
    weighted = weighted || weight != first_weight;
    all += weight;
    const auto at = std::find_if(shares.begin(), shares.end(), [&](const auto& s) { return s.first >= material; });
    if (at != shares.end() && at->first == material)
      at->second += weight;
    else
      shares.insert(at, {material, weight});
  });
  if (shares.size() < 2 || !weighted) return {};
  for (auto& [material, share] : shares) share /= all;
  return shares;
}

Medium mean(Field field, const Shares& shares, const std::vector<Material>& materials) {
  const bool electric = field == Field::electric;
  double constant = 0, loss = 0;
  for (const auto& [number, share] : shares) {
    const Material& m = materials[static_cast<std::size_t>(number)];
    constant += share * (electric ? m.eps_r : 1 / m.mu_r);
    loss += share * (electric ? m.sigma : 1 / m.sigma_m);
  }
  return electric ? Medium{constant, loss} : Medium{1 / constant, 1 / loss};
}

std::vector<Around> assign_around(Field field, const Grid& grid, const std::int32_t (&origin)[3], const Cells& cells,
                                  std::size_t materials, std::uint16_t* index) {
  std::vector<Around> table;
  std::map<Around, std::uint16_t> known;
  Around last{};
  last.fill(no_cell);
  std::uint16_t number = 0;
  for (int c = 0; c < 3; ++c) {
    Box b = grid.entries(field, c, grid.cells());
    b.x0 = b.y0 = b.z0 = 0;  // what lies on conductors is looked up, too
    for (int i = b.x0; i < b.x1; ++i)
      for (int j = b.y0; j < b.y1; ++j)
        for (int k = b.z0; k < b.z1; ++k) {
          const Around here = around(field, c, cells, {origin[0] + i, origin[1] + j, origin[2] + k});
          if (table.empty() || here != last) {  // neighbours are mostly alike
            last = here;
            const auto found = known.find(here);
            if (found == known.end()) {
              if (table.size() > 0xffff) throw std::length_error("more than 65536 different media in a sub-domain");
              if (here[3] >= static_cast<std::int32_t>(materials))
                throw std::invalid_argument("material " + std::to_string(here[3]) + " of a cell: there are " +
                                            std::to_string(materials));
              number = static_cast<std::uint16_t>(table.size());
              known.emplace(here, number);
              table.push_back(here);
            } else {
              number = found->second;
            }
          }
          index[grid.at(c, i, j, k)] = number;
        }
  }
  return table;
}

std::vector<Medium> assign_media(Field field, const Grid& grid, const std::int32_t (&origin)[3], const Cells& cells,
                                 const std::vector<Material>& materials, std::uint16_t* index) {
  std::vector<Medium> table;
  for (const Around& around : assign_around(field, grid, origin, cells, materials.size(), index))
    table.push_back(mean(field, around, materials));
  return table;
}

}  // namespace asterism::fdtd

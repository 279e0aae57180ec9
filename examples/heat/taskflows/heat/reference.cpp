// SPDX-License-Identifier: Apache-2.0
#include "taskflows/heat/reference.hpp"

namespace asterism::heat {

std::vector<double> reference(const Problem& p, long steps) {
  const auto columns = static_cast<std::size_t>(p.columns);
  const auto rows = static_cast<std::size_t>(p.rows);
  const std::size_t pitch = columns + 2;  // with the boundary
  std::vector<double> u(pitch * (rows + 2), 0.0);
  const auto at = [pitch](std::size_t i, std::size_t j) { return i * pitch + j; };
  for (std::size_t i = 1; i <= rows; ++i)
    for (std::size_t j = 1; j <= columns; ++j)
      u[at(i, j)] = p.initial(static_cast<double>(j) * p.dx(), static_cast<double>(i) * p.dy());
  std::vector<double> v = u;
  for (long n = 0; n < steps; ++n) {
    for (std::size_t i = 1; i <= rows; ++i)
      for (std::size_t j = 1; j <= columns; ++j) {
        const double uxx = (u[at(i, j - 1)] - 2 * u[at(i, j)] + u[at(i, j + 1)]) / (p.dx() * p.dx());
        const double uyy = (u[at(i - 1, j)] - 2 * u[at(i, j)] + u[at(i + 1, j)]) / (p.dy() * p.dy());
        v[at(i, j)] = u[at(i, j)] + p.dt * p.kappa * (uxx + uyy);
      }
    u.swap(v);
  }
  std::vector<double> inner;
  for (std::size_t i = 1; i <= rows; ++i)
    for (std::size_t j = 1; j <= columns; ++j) inner.push_back(u[at(i, j)]);
  return inner;
}

}  // namespace asterism::heat

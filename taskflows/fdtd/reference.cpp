#include "taskflows/fdtd/reference.hpp"

#include <cmath>

namespace asterism::fdtd {
namespace {

/// Tangential E and normal H lie on the planes between cells.
bool lies_on_planes(Field field, int component, int axis) {
  return field == Field::electric ? component != axis : component == axis;
}
std::size_t of(Field field) {
  return field == Field::electric ? 0 : 1;
}

}  // namespace

Reference::Reference(const Problem& problem) : problem_(problem) {
  const std::array<int, 3>& n = problem.cells;
  const std::size_t all =
      3 * static_cast<std::size_t>(n[0] + 1) * static_cast<std::size_t>(n[1] + 1) * static_cast<std::size_t>(n[2] + 1);
  for (const Field field : {Field::electric, Field::magnetic}) {
    field_[of(field)].assign(all, 0);
    if (!problem.material.empty()) coefficients_[of(field)].assign(all, {1, 0});
    for (int c = 0; c < 3; ++c)
      for (int i = 0; i <= n[0]; ++i)
        for (int j = 0; j <= n[1]; ++j)
          for (int k = 0; k <= n[2]; ++k) {
            if (!updated(field, c, {i, j, k})) continue;
            const std::size_t here = index(c, {i, j, k});
            if (problem.initial) field_[of(field)][here] = problem.initial(field, c, i, j, k);
            if (!problem.material.empty()) coefficients_[of(field)][here] = coefficients(field, c, {i, j, k});
          }
  }
}

std::size_t Reference::index(int component, const Place& at) const {
  const std::array<int, 3>& n = problem_.cells;
  return ((static_cast<std::size_t>(component) * static_cast<std::size_t>(n[0] + 1) + static_cast<std::size_t>(at[0])) *
              static_cast<std::size_t>(n[1] + 1) +
          static_cast<std::size_t>(at[1])) *
             static_cast<std::size_t>(n[2] + 1) +
         static_cast<std::size_t>(at[2]);
}

double Reference::at(Field field, int component, int i, int j, int k) const {
  return field_[of(field)][index(component, {i, j, k})];
}

/// Is there such an entry, and is it free?
bool Reference::updated(Field field, int component, const Place& at) const {
  for (int axis = 0; axis < 3; ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    const int n = problem_.cells[a];
    if (!lies_on_planes(field, component, axis)) {
      if (at[a] == n) return false;
      continue;
    }
    if (at[a] == 0 && problem_.face[2 * a] == Face::electric) return false;
    if (at[a] == n && problem_.face[2 * a + 1] != Face::magnetic) return false;
  }
  return true;
}

/// Also beyond the faces: periodic, zero on electric conductors, the negative image of tangential H behind magnetic
/// ones.
double Reference::value(Field field, int component, Place at) const {
  double sign = 1;
  for (int axis = 0; axis < 3; ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    const int n = problem_.cells[a];
    if (problem_.face[2 * a] == Face::neighbour) at[a] = (at[a] + n) % n;
    if (lies_on_planes(field, component, axis)) continue;
    if (at[a] < 0) at[a] = 0, sign = -sign;
    if (at[a] == n) at[a] = n - 1, sign = -sign;
  }
  return sign * field_[of(field)][index(component, at)];
}

/// Of a component along an axis, centred at an entry of the other field whose indices are `at`.
double Reference::derivative(Field field, int component, int along, const Place& at) const {
  Place upper = at, lower = at;
  const auto a = static_cast<std::size_t>(along);
  if (field == Field::electric)
    ++upper[a];
  else
    --lower[a];
  return (value(field, component, upper) - value(field, component, lower)) / problem_.spacing[a];
}

/// new = keep old + add curl, with the loss at the mean of old and new. Around an edge of E permittivities add up, and
/// across a face of H the inverses of permeabilities do.
Reference::Coefficients Reference::coefficients(Field field, int component, const Place& at) const {
  double eps = 0, sigma = 0, inverse_mu = 0, inverse_loss = 0, count = 0;
  std::array<int, 3> below{};
  for (int axis = 0; axis < 3; ++axis)
    below[static_cast<std::size_t>(axis)] = lies_on_planes(field, component, axis) ? 1 : 0;
  for (int i = at[0] - below[0]; i <= at[0]; ++i)
    for (int j = at[1] - below[1]; j <= at[1]; ++j)
      for (int k = at[2] - below[2]; k <= at[2]; ++k) {
        Place cell{i, j, k};
        bool inside = true;
        for (std::size_t a = 0; a < 3; ++a) {
          const int n = problem_.cells[a];
          if (problem_.face[2 * a] == Face::neighbour) cell[a] = (cell[a] + n) % n;
          inside = inside && cell[a] >= 0 && cell[a] < n;
        }
        if (!inside) continue;
        const auto number = (static_cast<std::size_t>(cell[0]) * static_cast<std::size_t>(problem_.cells[1]) +
                             static_cast<std::size_t>(cell[1])) *
                                static_cast<std::size_t>(problem_.cells[2]) +
                            static_cast<std::size_t>(cell[2]);
        const Material& m = problem_.materials[problem_.material[number]];
        eps += m.eps_r;
        sigma += m.sigma;
        inverse_mu += 1 / m.mu_r;
        inverse_loss += 1 / m.sigma_m;
        ++count;
      }
  const bool electric = field == Field::electric;
  const double constant = electric ? problem_.eps0 * eps / count : problem_.mu0 * count / inverse_mu;
  const double loss = electric ? sigma / count : count / inverse_loss;
  if (std::isinf(loss)) return {0, 0};
  const double forward = constant / problem_.dt + loss / 2;
  return {(constant / problem_.dt - loss / 2) / forward, 1 / forward};
}

void Reference::half_step(Field field) {
  const Field other = field == Field::electric ? Field::magnetic : Field::electric;
  const std::array<int, 3>& n = problem_.cells;
  const double sign = field == Field::electric ? 1 : -1;
  const double background = problem_.dt / (field == Field::electric ? problem_.eps0 : problem_.mu0);
  for (int c = 0; c < 3; ++c) {
    const int b = (c + 1) % 3;
    const int d = (c + 2) % 3;
#pragma omp parallel for schedule(static)
    for (int i = 0; i <= n[0]; ++i)
      for (int j = 0; j <= n[1]; ++j)
        for (int k = 0; k <= n[2]; ++k) {
          const Place here{i, j, k};
          if (!updated(field, c, here)) continue;
          const double curl = derivative(other, d, b, here) - derivative(other, b, d, here);
          const std::size_t at = index(c, here);
          const Coefficients by =
              problem_.material.empty() ? Coefficients{1, background} : coefficients_[of(field)][at];
          double& u = field_[of(field)][at];
          u = by.keep * u + by.add * sign * curl;
        }
  }
}

void Reference::advance() {
  half_step(Field::magnetic);
  half_step(Field::electric);
  const double area_length = problem_.spacing[0] * problem_.spacing[1] * problem_.spacing[2];
  for (const CurrentSource& s : problem_.sources) {
    const std::size_t at = index(s.component, s.cell);
    const double add = problem_.material.empty() ? problem_.dt / problem_.eps0 : coefficients_[0][at].add;
    field_[0][at] -= add * s.current((static_cast<double>(time_) + 0.5) * problem_.dt) / area_length;
  }
  ++time_;
}

}  // namespace asterism::fdtd

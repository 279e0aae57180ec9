// SPDX-License-Identifier: Apache-2.0
#include "taskflows/fdtd/reference/reference.hpp"

#include <algorithm>
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
std::size_t of(int number) {
  return static_cast<std::size_t>(number);
}
Field other(Field field) {
  return field == Field::electric ? Field::magnetic : Field::electric;
}
/// Worth a team of threads.
bool is_large(const Problem& problem) {
  return cells_of(problem) > 2e4;
}

}  // namespace

Reference::Reference(const Problem& problem) : problem_(problem) {
  const std::array<int, 3>& n = problem.cells;
  const std::size_t all = index(3, {0, 0, 0});
  set_lengths();
  right_side_.assign(all, 0);
  for (const Resistor& r : problem.resistors) lumped_[index(r.component, r.cell)] += conductivity(problem, r);
  for (const SmoothedEdge& s : problem.smoothed)
    own_medium_[0][index(s.component, s.cell)] = {problem.eps0 * s.medium.relative, s.medium.loss};
  for (const CutEntry& c : problem.cut)
    own_medium_[of(c.field)][index(c.component, c.cell)] = {
        (c.field == Field::electric ? problem.eps0 : problem.mu0) * c.medium.relative, c.medium.loss};
  for (const Field field : {Field::magnetic, Field::electric}) {
    field_[of(field)].assign(all, 0);
    if (!problem.material.empty()) coefficients_[of(field)].assign(all, {1, 0});
    if (has_layers(problem)) psi_[of(field)].fill(std::vector<double>(all, 0));
    for (int c = 0; c < 3; ++c)
      for (int i = 0; i <= n[0]; ++i)
        for (int j = 0; j <= n[1]; ++j)
          for (int k = 0; k <= n[2]; ++k) {
            if (!updated(field, c, {i, j, k})) continue;
            if (problem.initial) field_[of(field)][index(c, {i, j, k})] = problem.initial(field, c, i, j, k);
            if (!problem.material.empty()) set_medium(field, c, {i, j, k});
          }
    look_for_largest(field);
  }
  if (has_layers(problem)) set_stretches();
  for (const WaveInBox& wave : problem.waves) waves_.emplace_back(wave, problem);
}

/// Lengths of cells, and distances of the centres beside planes: beyond a face is the cell's image, or the cell at the
/// other end.
void Reference::set_lengths() {
  for (std::size_t a = 0; a < 3; ++a) {
    const int n = problem_.cells[a];
    const std::vector<double>& planes = problem_.mesh.planes[a];
    std::vector<double>& cells = between_planes_[a];
    for (int i = 0; i < n; ++i)
      cells.push_back(problem_.spacing[a] * (planes.empty() ? 1 : planes[of(i + 1)] - planes[of(i)]));
    const bool periodic = problem_.face[2 * a] == Face::neighbour;
    for (int i = 0; i <= n; ++i) {
      const double below = i > 0 ? cells[of(i - 1)] : periodic ? cells[of(n - 1)] : cells[0];
      const double above = i < n ? cells[of(i)] : periodic ? cells[0] : cells[of(n - 1)];
      between_centres_[a].push_back((below + above) / 2);
    }
    cells.push_back(cells[0]);  // no entry is there
  }
}

/// new = keep old + add right side, with the loss at the mean of old and new; or the law of a medium with poles.
void Reference::set_medium(Field field, int component, const Place& at) {
  const CellsAround around = cells_around(problem_, field, component, at);
  const std::size_t here = index(component, at);
  Coefficients& by = coefficients_[of(field)][here];
  const auto own = own_medium_[of(field)].find(here);
  const bool has_own = own != own_medium_[of(field)].end();
  if (field == Field::electric && !has_own && is_dispersive(problem_, around)) {
    const auto [found, added] = law_of_.try_emplace(around, laws_.size());
    if (added) laws_.emplace_back(problem_, around);
    dispersive_.push_back({here, found->second, std::vector<double>(laws_[found->second].unknowns(), 0)});
    return;
  }
  auto [constant, loss] = has_own ? own->second : mean_over(problem_, field, around);
  const auto lumped = lumped_.find(here);
  if (field == Field::electric && lumped != lumped_.end()) loss += lumped->second;
  const double forward = constant / problem_.dt + loss / 2;
  if (std::isinf(loss))
    by = {0, 0};
  else
    by = {(constant / problem_.dt - loss / 2) / forward, 1 / forward};
}

/// Roden and Gedney's (2000): s = kappa + sigma / (alpha + i w eps0) is 1/kappa in the frequency domain's limit of high
/// frequencies, and the rest a decaying exponential in time, convolved recursively. With sigma and alpha by eps0, in
/// 1/s, eta0 eps0 being 1/c0:
///   sigma = sigma_max depth^order, kappa = 1 + (kappa_max - 1) depth^order, alpha = alpha_max (1 - depth)^alpha_order
///   decay = exp(-(sigma / kappa + alpha) dt),  gain = -sigma (1 - decay) / (kappa (sigma + kappa alpha))
void Reference::set_stretches() {
  constexpr double c0 = 299792458;
  const Grading& g = problem_.cpml.grading;
  for (const Field field : {Field::electric, Field::magnetic})
    for (std::size_t a = 0; a < 3; ++a)
      for (int i = 0; i <= problem_.cells[a]; ++i) {
        // derivatives along an axis are those of tangential components: E is on planes, H half-way
        const double x = field == Field::electric ? i : i + 0.5;
        const double lower = problem_.cpml.cells[2 * a];
        const double upper = problem_.cpml.cells[2 * a + 1];
        double depth = 0;
        if (x < lower) depth = 1 - x / lower;
        if (x > problem_.cells[a] - upper) depth = 1 - (problem_.cells[a] - x) / upper;
        Stretched s{1, 0, 0};
        if (depth > 0) {
          const double rate = c0 / between_planes_[a][of(std::min(i, problem_.cells[a] - 1))];
          const double sigma = 0.8 * (g.order + 1) * g.sigma * rate * std::pow(depth, g.order);
          const double alpha = g.alpha * rate * std::pow(1 - depth, g.alpha_order);
          s.kappa = 1 + (g.kappa - 1) * std::pow(depth, g.order);
          s.decay = std::exp(-(sigma / s.kappa + alpha) * problem_.dt);
          if (sigma > 0) s.gain = -sigma * (1 - s.decay) / (s.kappa * (sigma + s.kappa * alpha));
        }
        stretched_[of(field)][a].push_back(s);
      }
}

std::size_t Reference::index(int component, const Place& at) const {
  const std::array<int, 3>& n = problem_.cells;
  return ((of(component) * of(n[0] + 1) + of(at[0])) * of(n[1] + 1) + of(at[1])) * of(n[2] + 1) + of(at[2]);
}

double Reference::at(Field field, int component, int i, int j, int k) const {
  return field_[of(field)][index(component, {i, j, k})];
}

double Reference::largest(Field field) const {
  return largest_[of(field)];
}

/// Is there such an entry, and is it free?
bool Reference::updated(Field field, int component, const Place& at) const {
  for (int axis = 0; axis < 3; ++axis) {
    const auto a = of(axis);
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

/// Value of a component at a place that may be beyond the faces across an axis: periodic, zero on electric conductors,
/// the negative image of tangential H behind magnetic ones.
double Reference::value(Field field, int component, int axis, Place at) const {
  const auto a = of(axis);
  const int n = problem_.cells[a];
  const bool lower = at[a] < 0, upper = at[a] == n;
  double sign = 1;
  if (problem_.face[2 * a] == Face::neighbour)
    at[a] = lower ? n - 1 : upper ? 0 : at[a];
  else if (!lies_on_planes(field, component, axis) && (lower || upper))
    at[a] = lower ? 0 : n - 1, sign = -1;
  return sign * field_[of(field)][index(component, at)];
}

/// Difference of a component along an axis, over one cell around an entry of the other field whose indices are `at`. On
/// whichever side of a wave's box that entry is, both values are taken as they are there.
double Reference::difference(Field field, int component, int along, const Place& at) const {
  Place upper = at, lower = at;
  if (field == Field::electric)
    ++upper[of(along)];
  else
    --lower[of(along)];
  double sum = value(field, component, along, upper) - value(field, component, along, lower);
  for (const ReferenceWave& wave : waves_) {
    const bool here = wave.inside(other(field), 3 - component - along, at);
    const auto missing = [&](const Place& there) {
      const bool has = wave.inside(field, component, there);
      return here == has ? 0 : (here ? 1 : -1) * wave.value(field, component, there);
    };
    sum += missing(upper) - missing(lower);
  }
  return sum;
}

/// Where space is stretched, with what the layer remembers for one of the two terms of the curl.
double Reference::derivative(Field field, int component, int along, const Place& at) {
  const auto& lengths = field == Field::electric ? between_planes_ : between_centres_;
  const double plain = difference(field, component, along, at) / lengths[of(along)][of(at[of(along)])];
  if (stretched_[0][0].empty()) return plain;
  const Field taker = other(field);
  const Stretched& s = stretched_[of(taker)][of(along)][of(at[of(along)])];
  const int of_entry = 3 - component - along;
  double& psi = psi_[of(taker)][(of_entry + 1) % 3 == along ? 0 : 1][index(of_entry, at)];
  psi = s.decay * psi + s.gain * plain;
  return plain / s.kappa + psi;
}

/// The right side of the equation of a field: curl H, or -curl E.
void Reference::take_curl(Field field) {
  const std::array<int, 3>& n = problem_.cells;
  const double sign = field == Field::electric ? 1 : -1;
  for (int c = 0; c < 3; ++c) {
    const int b = (c + 1) % 3;
    const int d = (c + 2) % 3;
#pragma omp parallel for schedule(static) if (is_large(problem_))
    for (int i = 0; i <= n[0]; ++i)
      for (int j = 0; j <= n[1]; ++j)
        for (int k = 0; k <= n[2]; ++k) {
          const Place here{i, j, k};
          const auto curl = [&] { return derivative(other(field), d, b, here) - derivative(other(field), b, d, here); };
          right_side_[index(c, here)] = updated(field, c, here) ? sign * curl() : 0;
        }
  }
}

/// A current along an entry, spread over the volume that the entry stands for.
void Reference::subtract(Field field, const std::vector<CurrentSource>& sources, double time) {
  for (const CurrentSource& s : sources) {
    double volume = 1;
    for (int axis = 0; axis < 3; ++axis)
      volume *= (lies_on_planes(field, s.component, axis) ? between_centres_
                                                          : between_planes_)[of(axis)][of(s.cell[of(axis)])];
    right_side_[index(s.component, s.cell)] -= s.current(time) / volume;
  }
}

void Reference::change(Field field) {
  const double background = problem_.dt / (field == Field::electric ? problem_.eps0 : problem_.mu0);
  std::vector<double>& u = field_[of(field)];
  const std::vector<Coefficients>& by = coefficients_[of(field)];
#pragma omp parallel for schedule(static) if (is_large(problem_))
  for (std::size_t e = 0; e < u.size(); ++e)
    u[e] = by.empty() ? u[e] + background * right_side_[e] : by[e].keep * u[e] + by[e].add * right_side_[e];
  if (field == Field::electric) {
    for (const Coupling& c : problem_.couplings) {
      const std::size_t from = index(c.other_component, c.other_cell);
      u[index(c.component, c.cell)] += c.factor * by[from].add * right_side_[from];
    }
#pragma omp parallel for schedule(static) if (is_large(problem_))
    for (DispersiveEntry& entry : dispersive_) {
      laws_[entry.law].advance(entry.state, right_side_[entry.index]);
      u[entry.index] = entry.state[0];
    }
  }
  look_for_largest(field);
}

void Reference::look_for_largest(Field field) {
  const std::vector<double>& u = field_[of(field)];
  double largest = largest_[of(field)];
#pragma omp parallel for schedule(static) reduction(max : largest) if (is_large(problem_))
  for (std::size_t e = 0; e < u.size(); ++e) largest = std::max(largest, std::abs(u[e]));
  largest_[of(field)] = largest;
}

void Reference::advance() {
  const auto step = static_cast<double>(time_);
  if (time_ > 0)
    for (ReferenceWave& wave : waves_) wave.advance_electric(time_);
  take_curl(Field::magnetic);
  subtract(Field::magnetic, problem_.magnetic_sources, step * problem_.dt);
  change(Field::magnetic);
  for (ReferenceWave& wave : waves_) wave.advance_magnetic();
  take_curl(Field::electric);
  subtract(Field::electric, problem_.sources, (step + 0.5) * problem_.dt);
  change(Field::electric);
  ++time_;
}

/// Solves updates = cells steps + growth steps^2 for the steps: a line grows by 2 |m| places, six values each, in every
/// step.
long steps_worth(const Problem& problem, double updates) {
  const double cells = cells_of(problem);
  double growth = 0;
  for (const WaveInBox& wave : problem.waves) {
    const Direction along = make_incident(wave.wave, wave.planes, space_of(problem)).direction;
    growth += std::max({std::abs(along.m[0]), std::abs(along.m[1]), std::abs(along.m[2])});
  }
  return static_cast<long>(2 * updates / (cells + std::sqrt(cells * cells + 4 * growth * updates)));
}

}  // namespace asterism::fdtd

// SPDX-License-Identifier: Apache-2.0
#include "api/fdtd_problem.hpp"

#include <cmath>
#include <map>

#include "api/units.hpp"
#include "base/as_size.hpp"
#include "base/error.hpp"

namespace asterism::v0::fdtd {
namespace {

namespace house = asterism::fdtd;

/// Indices of materials have 16 bits.
constexpr std::size_t most_materials = 65535;

void set_faces(const Options& options, house::Problem& problem) {
  if (options.absorbing_cells < 1) bad_input("absorbing_cells {}: expected at least 1", options.absorbing_cells);
  for (std::size_t f = 0; f < options.faces.size(); ++f) {
    const Face face = options.faces[f];
    problem.face[f] = face == Face::magnetic   ? house::Face::magnetic
                      : face == Face::periodic ? house::Face::neighbour
                                               : house::Face::electric;
    if (face == Face::absorbing) problem.cpml.cells[f] = options.absorbing_cells;
  }
}

/// Cells with the same four numbers have the same material; materials are in the order of their first cells.
void set_materials(const Materials& of, house::Problem& problem) {
  const auto cells = static_cast<std::size_t>(house::cells_of(problem));
  const std::span<const double> all[] = {of.epsilon, of.mu, of.sigma, of.sigma_m};
  const char* const names[] = {"epsilon", "mu", "sigma", "sigma_m"};
  bool any = false;
  for (std::size_t k = 0; k < 4; ++k) {
    require_length_or_none(names[k], all[k].size(), cells);
    any = any || !all[k].empty();
  }
  if (!any) return;
  using Constants = std::array<double, 4>;
  const Constants vacuum{1, 1, 0, 0};
  std::map<Constants, std::uint16_t> numbers;
  problem.material.resize(cells);
  Constants last{NAN, NAN, NAN, NAN};  // equal to none
  for (std::size_t cell = 0; cell < cells; ++cell) {
    Constants now;
    for (std::size_t k = 0; k < 4; ++k) {
      now[k] = all[k].empty() ? vacuum[k] : all[k][cell];
      if (std::isnan(now[k])) bad_input("{}[{}] is {}: expected a number", names[k], cell, now[k]);
    }
    if (now == last) {
      problem.material[cell] = problem.material[cell - 1];
      continue;
    }
    last = now;
    const auto [found, is_new] = numbers.try_emplace(now, static_cast<std::uint16_t>(problem.materials.size()));
    if (is_new && problem.materials.size() == most_materials)
      bad_input("more than {} different materials: expected fewer", most_materials);
    if (is_new) problem.materials.push_back({now[0], now[1], now[2], now[3]});
    problem.material[cell] = found->second;
  }
}

void add_sources(const Options& options, house::Problem& problem, Moments& moments) {
  for (std::size_t s = 0; s < options.sources.size(); ++s) {
    const Source& source = options.sources[s];
    for (std::size_t n = 0; n < source.moment.size(); ++n)
      if (!std::isfinite(source.moment[n]))
        bad_input("moment[{}] of source {} is {}: expected a finite number", n, s, source.moment[n]);
    const auto values = std::make_shared<std::vector<double>>(source.moment);
    moments.push_back(values);
    const bool electric = field_of(source.component) == house::Field::electric;
    const double half = electric ? 0.5 : 0;
    const auto current = [values, half, dt = problem.dt](double time) {
      const long n = std::lround(time / dt - half);
      return n >= 0 && as_size(static_cast<int>(n)) < values->size() ? (*values)[as_size(static_cast<int>(n))] : 0.0;
    };
    (electric ? problem.sources : problem.magnetic_sources)
        .push_back({axis_of(source.component), source.entry, current});
  }
}

}  // namespace

house::Field field_of(Component component) {
  return component < Component::hx ? house::Field::electric : house::Field::magnetic;
}

int axis_of(Component component) {
  return static_cast<int>(component) % 3;
}

house::Problem problem_of(const Options& options, const Materials& materials, Moments& moments) {
  house::Problem problem;
  problem.cells = options.cells;
  problem.spacing = options.spacing;
  if (!(options.courant > 0 && options.courant <= 1))
    bad_input("courant {}: expected more than 0, at most 1", options.courant);
  problem.dt = options.courant * house::largest_time_step(problem);
  problem.precision = precision_of(options.precision);
  house::check(problem);  // sizes, before anything is made of them
  set_faces(options, problem);
  set_materials(materials, problem);
  add_sources(options, problem, moments);
  for (const Probe& probe : options.probes)
    problem.probes.push_back({field_of(probe.component), axis_of(probe.component), probe.entry});
  house::check(problem);
  return problem;
}

}  // namespace asterism::v0::fdtd

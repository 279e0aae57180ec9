// SPDX-License-Identifier: Apache-2.0
#include "taskflows/fdtd/cases.hpp"

#include <cmath>
#include <numbers>

#include "base/error.hpp"

namespace asterism::fdtd {
namespace {

constexpr double usual_courant = 0.99;
constexpr double published_sum = -0.0692134169831;

double speed_of_light(const Problem& p) {
  return 1 / std::sqrt(p.eps0 * p.mu0);
}

/// Yee_bench (Andersson, 2002), as the thesis took it over: its constants, half the time step of one dimension, and a
/// dipole p(t) = 1e-10 exp(-((t - 3 T) / T)^2) in the middle, whose current enters at the end of each step and with the
/// other sign.
Case benchmark(const CaseOptions& options) {
  constexpr double light = 2.99792458e8, width = 2e-9;
  Case c;
  Problem& p = c.problem;
  p.eps0 = 8.8541878e-12;
  p.mu0 = 1.256637061e-6;
  p.cells = options.cells;
  p.spacing = options.spacing;
  const double smallest = std::min({p.spacing[0], p.spacing[1], p.spacing[2]});
  p.dt = options.courant ? *options.courant * largest_time_step(p) : smallest / (2 * light);
  const double late = p.dt / 2;
  CurrentSource dipole;
  for (std::size_t a = 0; a < 3; ++a) dipole.cell[a] = std::max(p.cells[a] / 2 - 1, 0);
  dipole.current = [late](double time) {
    const double t = (time + late - 3 * width) / width;
    return 1e-10 * std::exp(-t * t) * 2 * t / width;
  };
  p.sources = {dipole};
  if (p.cells == std::array<int, 3>{100, 100, 100} && p.spacing == std::array<double, 3>{1, 1, 1} && !options.courant)
    c.validation = published_sum;
  c.describe = fmt::format("Yee_bench, {} x {} x {} cells", p.cells[0], p.cells[1], p.cells[2]);
  return c;
}

struct Mode {
  std::array<double, 3> wave_number{};  ///< 1/m
  std::array<double, 3> rate{};         ///< 2 sin(k d / 2) / d
};
Mode mode_of(const Problem& p, const std::array<int, 3>& half_waves) {
  Mode mode;
  for (std::size_t a = 0; a < 3; ++a) {
    mode.wave_number[a] = std::numbers::pi * half_waves[a] / (p.cells[a] * p.spacing[a]);
    mode.rate[a] = 2 * std::sin(mode.wave_number[a] * p.spacing[a] / 2) / p.spacing[a];
  }
  return mode;
}

/// A field without divergence: an entry of E is A_c cos(k_c x_c) times the sines along the two other axes.
Case cavity(const CaseOptions& options) {
  Case c;
  Problem& p = c.problem;
  p.cells = options.cells;
  p.spacing = options.spacing;
  p.dt = options.courant.value_or(usual_courant) * largest_time_step(p);
  const std::array<int, 3>& m = options.mode;
  int zeros = 0;
  for (std::size_t a = 0; a < 3; ++a) {
    if (m[a] < 0 || m[a] >= p.cells[a])
      bad_input("mode {}, {}, {}: expected 0 to {} half waves along {}", m[0], m[1], m[2], p.cells[a] - 1, "xyz"[a]);
    zeros += m[a] == 0 ? 1 : 0;
  }
  if (zeros > 1) bad_input("mode {}, {}, {}: expected half waves along two axes at least", m[0], m[1], m[2]);
  const Mode mode = mode_of(p, m);
  std::array<double, 3> amplitude{1, -0.6, 0};
  if (zeros == 0) {
    amplitude[2] = -(amplitude[0] * mode.rate[0] + amplitude[1] * mode.rate[1]) / mode.rate[2];
  } else {
    for (std::size_t a = 0; a < 3; ++a) amplitude[a] = m[a] == 0 ? 1 : 0;
  }
  for (const double a : amplitude) c.amplitude = std::max(c.amplitude, std::abs(a));
  const auto shape = [=](int component, const std::array<int, 3>& at) {
    double value = amplitude[static_cast<std::size_t>(component)];
    for (std::size_t a = 0; a < 3; ++a) {
      const double cell = options.spacing[a] * mode.wave_number[a];
      value *= static_cast<int>(a) == component ? std::cos(cell * (at[a] + 0.5)) : std::sin(cell * at[a]);
    }
    return value;
  };
  c.resonance = resonance_on_grid(p, m);
  c.continuum = resonance(p, m);
  // no H half a step before time 0, so E has its maximum there
  const double phase = 2 * std::numbers::pi * c.resonance * p.dt;
  p.initial = [=](Field field, int component, int i, int j, int k) {
    return field == Field::electric ? shape(component, {i, j, k}) * std::cos(phase / 2) : 0;
  };
  c.exact = [=](long step, int component, int i, int j, int k) {
    return shape(component, {i, j, k}) * std::cos(phase * (static_cast<double>(step) + 0.5));
  };
  c.describe = fmt::format("cavity of {} x {} x {} cells, mode {}, {}, {}", p.cells[0], p.cells[1], p.cells[2], m[0],
                           m[1], m[2]);
  return c;
}

Case box(const CaseOptions& options) {
  Case c;
  Problem& p = c.problem;
  p.cells = options.cells;
  p.spacing = options.spacing;
  p.dt = options.courant.value_or(usual_courant) * largest_time_step(p);
  c.describe = fmt::format("box of {} x {} x {} cells", p.cells[0], p.cells[1], p.cells[2]);
  return c;
}

/// exp(-u^2), u = (t - 4 width) / width, and its derivatives.
std::array<double, 3> bell(double time, double width) {
  const double u = (time - 4 * width) / width;
  const double p = std::exp(-u * u);
  return {p, -2 * u / width * p, (4 * u * u - 2) / (width * width) * p};
}

/// A dipole in the middle of absorbing layers, whose field everywhere is known.
Case dipole(const CaseOptions& options) {
  constexpr int beside = 10;     // cells that the grid does not resolve
  constexpr int reference = 10;  // where the amplitude is taken
  Case c = box(options);
  Problem& p = c.problem;
  const double width = options.pulse.value_or(20 * p.dt);
  const auto moment = [width](double t) {
    std::array<double, 3> m = bell(t, width);
    for (double& x : m) x *= 1e-12;
    return m;
  };
  CurrentSource source;
  for (std::size_t a = 0; a < 3; ++a) source.cell[a] = p.cells[a] / 2;
  source.current = [moment](double t) { return moment(t)[1]; };
  p.sources = {source};
  for (std::int32_t& cells : p.cpml.cells) cells = default_cpml_cells;
  const auto beside_it = [=, cell = source.cell, d = p.spacing](int component, const std::array<int, 3>& at) {
    std::array<double, 3> r{};
    for (std::size_t a = 0; a < 3; ++a)
      r[a] = d[a] * (at[a] - cell[a] + (static_cast<int>(a) == component ? 0.5 : 0) - (a == 2 ? 0.5 : 0));
    return r;
  };
  c.exact = [=, dt = p.dt, eps0 = p.eps0, mu0 = p.mu0](long step, int component, int i, int j, int k) {
    return hertzian_field(moment, eps0, mu0, static_cast<double>(step) * dt, component,
                          beside_it(component, {i, j, k}));
  };
  c.compared = [cell = source.cell, n = p.cells, layers = options.layer](int, int i, int j, int k) {
    const std::array<int, 3> at{i, j, k};
    bool near = true, inside = true;
    for (std::size_t a = 0; a < 3; ++a) {
      near = near && std::abs(at[a] - cell[a]) < beside;
      inside = inside && at[a] > layers[2 * a].value_or(default_cpml_cells) &&
               at[a] + 1 < n[a] - layers[2 * a + 1].value_or(default_cpml_cells);
    }
    return inside && !near;
  };
  for (int t = 0; t < 200; ++t)
    c.amplitude =
        std::max(c.amplitude,
                 std::abs(hertzian_field(moment, p.eps0, p.mu0, t * width / 20, 2,
                                         {reference * std::max({p.spacing[0], p.spacing[1], p.spacing[2]}), 0, 0})));
  c.discretisation = 0.05;
  c.describe = fmt::format("Hertzian dipole in {} x {} x {} cells, open", p.cells[0], p.cells[1], p.cells[2]);
  return c;
}

/// Layers stand before electric conductors.
void set_faces(const CaseOptions& options, Problem& p) {
  for (std::size_t f = 0; f < 6; ++f) {
    if (options.face[f] && options.name != "box") bad_input("--face: only with --case box");
    if (options.face[f]) p.face[f] = *options.face[f];
    if (!options.layer[f]) continue;
    if (options.name != "box" && options.name != "dipole") bad_input("--cpml: only with --case box and --case dipole");
    p.cpml.cells[f] = *options.layer[f];
  }
}

}  // namespace

double hertzian_field(const std::function<std::array<double, 3>(double)>& moment, double eps0, double mu0, double time,
                      int component, const std::array<double, 3>& at) {
  const double light = 1 / std::sqrt(eps0 * mu0);
  const double r = std::hypot(at[0], at[1], at[2]);
  const auto [p, rate, second] = moment(time - r / light);
  const double nn = at[static_cast<std::size_t>(component)] * at[2] / (r * r);
  const double along = component == 2 ? 1 : 0;
  const double near = p / (r * r * r) + rate / (light * r * r);
  return ((3 * nn - along) * near + (nn - along) * second / (light * light * r)) / (4 * std::numbers::pi * eps0);
}

const std::vector<std::pair<std::string, std::string>>& case_names() {
  static const std::vector<std::pair<std::string, std::string>> names{
      {"benchmark", "a dipole in a box of conductors, 200 steps: the thesis' problem, with its check value (default)"},
      {"cavity", "a box of conductors in one of its modes (--mode)"},
      {"dipole", "a pulse of a Hertzian dipole between absorbing layers (--cpml, --pulse)"},
      {"box", "nothing but what --face, --cpml, --source and --probe put there"}};
  return names;
}

Case make_case(const CaseOptions& options) {
  Problem sizes;
  sizes.cells = options.cells;
  sizes.spacing = options.spacing;
  sizes.dt = options.courant.value_or(usual_courant) * largest_time_step(sizes);
  check(sizes);  // before anything is computed from them
  Case c;
  if (options.name == "benchmark")
    c = benchmark(options);
  else if (options.name == "cavity")
    c = cavity(options);
  else if (options.name == "dipole")
    c = dipole(options);
  else if (options.name == "box")
    c = box(options);
  else
    bad_input("--case {}: expected benchmark, cavity, dipole or box", options.name);
  c.problem.precision = options.precision;
  set_faces(options, c.problem);
  check(c.problem);
  return c;
}

double resonance_on_grid(const Problem& p, const std::array<int, 3>& mode) {
  double sum = 0;
  for (const double rate : mode_of(p, mode).rate) sum += rate * rate / 4;
  return std::asin(speed_of_light(p) * p.dt * std::sqrt(sum)) / (std::numbers::pi * p.dt);
}

double resonance(const Problem& p, const std::array<int, 3>& mode) {
  double sum = 0;
  for (const double k : mode_of(p, mode).wave_number) sum += k * k;
  return speed_of_light(p) * std::sqrt(sum) / (2 * std::numbers::pi);
}

double benchmark_flops(const std::array<int, 3>& cells, long steps) {
  const double x = cells[0], y = cells[1], z = cells[2];
  return ((y - 1) * (z - 1) * 6 + (x - 1) * (z - 1) * 6 + (x - 1) * (y - 1) * 6 + (x - 1) * (y - 1) * (z - 1) * 18 +
          x * y * z * 18) *
         static_cast<double>(steps);
}

std::function<double(double)> gaussian(double width) {
  return [width](double time) {
    const double t = (time - 3 * width) / width;
    return std::exp(-t * t);
  };
}

}  // namespace asterism::fdtd

// SPDX-License-Identifier: Apache-2.0
#include "taskflows/lbm/cases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "base/error.hpp"

namespace asterism::lbm {
namespace {

constexpr double pi = 3.14159265358979323846;
constexpr double default_velocity = 0.05;
/// Diameter of a sphere in a stream: this share of the smaller side.
constexpr double blockage = 0.2;

enum FaceNumber : std::size_t { lower_x, upper_x, lower_y, upper_y, lower_z, upper_z };

void make_periodic(Problem& p, std::initializer_list<FaceNumber> of) {
  for (const FaceNumber f : of) p.face[f].periodic = true;
}

Flow at_rest(int, int, int) {
  return {};
}

/// Cells begin with the velocity of the inlet at -x upstream of them.
std::function<Flow(int, int, int)> as_it_comes_in(const Problem& problem) {
  Problem inlet;
  inlet.cells = problem.cells;
  inlet.face = problem.face;
  return [inlet](int x, int y, int z) { return Flow{1, wall_velocity(inlet, lower_x, {x + 0.5, y + 0.5, z + 0.5})}; };
}

/// Time in which shear over n cells decays by exp(-1): n^2 / (pi^2 nu).
double diffusion_time(int n, double nu) {
  return n * n / (pi * pi * nu);
}

// a box of which the wall z = nz slides along x
void cavity(Case& c) {
  c.problem.face[upper_z].wall.u[0] = c.velocity;
  c.problem.initial = at_rest;
}

// walls at z = 0 and z = nz, pushed along x: u = F z (h - z) / (2 nu)
void poiseuille(Case& c) {
  Problem& p = c.problem;
  make_periodic(p, {lower_x, upper_x, lower_y, upper_y});
  const double h = p.cells[2];
  const double nu = viscosity(p.collision.tau);
  p.collision.force[0] += 8 * nu * c.velocity / (h * h);
  const double force = p.collision.force[0];
  c.exact = [h, nu, force](int, int, int z, long) {
    const double at = z + 0.5;
    return Flow{1, {force * at * (h - at) / (2 * nu), 0, 0}};
  };
  p.initial = at_rest;
  // the walls of all but TRT are not quite half-way between cells
  c.tolerance = p.collision.model == Collision::Model::trt ? 1e-6 : 2 / h;
  c.steady_after = std::lround(std::log(1 / 1e-7) * diffusion_time(p.cells[2], nu));
}

// walls at z = 0, at rest, and z = nz, which slides along x: u = U z / h
void couette(Case& c) {
  Problem& p = c.problem;
  make_periodic(p, {lower_x, upper_x, lower_y, upper_y});
  p.face[upper_z].wall.u[0] = c.velocity;
  const double h = p.cells[2];
  c.exact = [h, u = c.velocity](int, int, int z, long) { return Flow{1, {u * (z + 0.5) / h, 0, 0}}; };
  p.initial = at_rest;
  c.tolerance = 1e-6;
  c.steady_after = std::lround(std::log(1 / 1e-7) * diffusion_time(p.cells[2], viscosity(p.collision.tau)));
}

// decaying vortices in x and y: u = -U cos(kx) sin(ly), v = U k/l sin(kx) cos(ly), each times exp(-nu (k^2 + l^2)
// t)
void taylor_green(Case& c) {
  Problem& p = c.problem;
  make_periodic(p, {lower_x, upper_x, lower_y, upper_y, lower_z, upper_z});
  const double k = 2 * pi / p.cells[0];
  const double l = 2 * pi / p.cells[1];
  const double u = c.velocity;
  const double decay = viscosity(p.collision.tau) * (k * k + l * l);
  c.exact = [k, l, u, decay](int x, int y, int, long time) {
    const double a = k * (x + 0.5);
    const double b = l * (y + 0.5);
    const double now = u * std::exp(-decay * static_cast<double>(time));
    const double ratio = k / l;
    // p / c_s^2 with rho = 1
    const double rho = 1 - 0.75 * now * now * (std::cos(2 * a) + ratio * ratio * std::cos(2 * b));
    return Flow{rho, {-now * std::cos(a) * std::sin(b), now * ratio * std::sin(a) * std::cos(b), 0}};
  };
  p.initial = [exact = c.exact](int x, int y, int z) { return exact(x, y, z, 0); };
  const double coarse = std::max(k, l);
  c.tolerance = 2 * coarse * coarse;
}

// a stream along x past a body: inlet at x = 0, outlet at x = nx, periodic sides
void stream(Case& c) {
  Problem& p = c.problem;
  make_periodic(p, {lower_y, upper_y, lower_z, upper_z});
  p.face[lower_x].wall.u[0] = c.velocity;
  p.face[upper_x].wall.kind = Wall::Kind::pressure;
  p.initial = [u = c.velocity](int, int, int) { return Flow{1, {u, 0, 0}}; };
}

/// Mean velocity over u_tau in a turbulent flow, y+ from a wall (Reichardt, Zeitschrift fuer angewandte Mathematik und
/// Mechanik 31, 1951).
double law_of_the_wall(double y) {
  return 2.5 * std::log(1 + 0.4 * y) + 7.8 * (1 - std::exp(-y / 11) - y / 11 * std::exp(-y / 3));
}

// turbulence between walls at z = 0 and z = nz, driven along x: force = u_tau^2 / h with half the width h. It begins
// with the mean and rolls v = d psi / dz, w = -d psi / dy, some of them oblique, which break up.
void channel(Case& c) {
  Problem& p = c.problem;
  make_periodic(p, {lower_x, upper_x, lower_y, upper_y});
  const double friction = std::abs(c.velocity);
  const double h = 0.5 * p.cells[2];
  p.collision.force[0] += friction * friction / h;
  p.initial = [n = p.cells, h, friction, nu = viscosity(p.collision.tau)](int x, int y, int z) {
    const double from_wall = std::min(z + 0.5, n[2] - z - 0.5);
    const double along = 2 * pi * (x + 0.5) / n[0];
    const double across = 2 * pi * (y + 0.5) / n[1];
    const double height = pi * (z + 0.5) / n[2];
    // psi = a h (sin(2 across) + sin(across + along) / 2 + sin(2 across - 2 along) / 2) sin(height)
    const double a = 0.5 * friction;
    const double waves = std::sin(2 * across) + 0.5 * std::sin(across + along) + 0.5 * std::sin(2 * across - 2 * along);
    const double slopes = 2 * std::cos(2 * across) + 0.5 * std::cos(across + along) + std::cos(2 * across - 2 * along);
    return Flow{1,
                {friction * law_of_the_wall(from_wall * friction / nu), a * pi / 2 * waves * std::cos(height),
                 -a * h * 2 * pi / n[1] * slopes * std::sin(height)}};
  };
}

// a closed box unless faces are replaced (--face)
void box(Case& c) {
  c.problem.initial = at_rest;
}

struct Kind {
  const char* name;
  const char* about;
  double (*length)(const std::array<int, 3>& cells);
  void (*make)(Case& c);
  double velocity = default_velocity;
};

double smaller_side(const std::array<int, 3>& n) {
  return blockage * std::min(n[1], n[2]);
}

const std::vector<Kind> kinds{
    {"cavity", "a closed box whose lid (+z) slides along x, the paper's flow; length nz",
     [](const std::array<int, 3>& n) { return static_cast<double>(n[2]); }, cavity},
    {"poiseuille", "between walls at -z and +z, driven by a body force along x; exact; length nz",
     [](const std::array<int, 3>& n) { return static_cast<double>(n[2]); }, poiseuille},
    {"couette", "between walls at -z, at rest, and +z, sliding along x; exact; length nz",
     [](const std::array<int, 3>& n) { return static_cast<double>(n[2]); }, couette},
    {"taylor-green", "decaying vortices in x and y, periodic; exact; length nx",
     [](const std::array<int, 3>& n) { return static_cast<double>(n[0]); }, taylor_green},
    {"stream", "inlet at -x, outlet at +x, periodic sides, past a sphere or a body from a file; length its diameter",
     smaller_side, stream},
    {"channel", "turbulence between walls at -z and +z, driven along x; velocity u_tau (0.005), length nz / 2",
     [](const std::array<int, 3>& n) { return 0.5 * n[2]; }, channel, 0.005},
    {"box", "walls all around unless --face says otherwise, fluid at rest; length nz",
     [](const std::array<int, 3>& n) { return static_cast<double>(n[2]); }, box},
};

const Kind& kind_of(const std::string& name) {
  std::string known;
  for (const Kind& k : kinds) {
    if (name == k.name) return k;
    known += (known.empty() ? "" : ", ") + std::string(k.name);
  }
  bad_input("--case {}: expected one of {}", name, known);
}

}  // namespace

std::vector<std::pair<std::string, std::string>> case_names() {
  std::vector<std::pair<std::string, std::string>> names;
  for (const Kind& k : kinds) names.emplace_back(k.name, k.about);
  return names;
}

Face read_face(const std::string& text) {
  const std::size_t colon = text.find(':');
  const std::string kind = text.substr(0, colon);
  std::vector<double> numbers;
  for (std::size_t at = colon; at != std::string::npos;) {
    const std::size_t comma = text.find(',', at + 1);
    const std::string word = text.substr(at + 1, comma == std::string::npos ? comma : comma - at - 1);
    char* end = nullptr;
    numbers.push_back(std::strtod(word.c_str(), &end));
    if (word.empty() || *end != '\0') bad_input("{}: expected a number, found '{}'", text, word);
    at = comma;
  }
  Face face;
  if (kind == "periodic" && numbers.empty()) {
    face.periodic = true;
  } else if (kind == "wall" && (numbers.empty() || numbers.size() == 3)) {
    std::copy(numbers.begin(), numbers.end(), face.wall.u);
  } else if (kind == "parabola" && numbers.size() == 3) {
    face.wall.kind = Wall::Kind::parabola;
    std::copy(numbers.begin(), numbers.end(), face.wall.u);
  } else if (kind == "pressure" && numbers.size() <= 1) {
    face.wall.kind = Wall::Kind::pressure;
    if (!numbers.empty()) face.wall.rho = numbers[0];
  } else {
    bad_input("{}: expected periodic, wall, wall:u,v,w, parabola:u,v,w, pressure or pressure:rho", text);
  }
  return face;
}

Case make_case(const CaseOptions& options) {
  const Kind& kind = kind_of(options.name);
  Case c;
  c.problem.cells = options.cells;
  c.problem.collision = options.collision;
  c.problem.precision = options.precision;
  c.problem.solid = options.solid;
  c.problem.sponge = options.sponge;
  c.velocity = options.velocity.value_or(kind.velocity);
  if (!std::isfinite(c.velocity)) bad_input("--velocity {}: expected a number", c.velocity);
  c.length = options.length.value_or(kind.length(options.cells));
  if (!(c.length > 0)) bad_input("--length {}: expected a positive number", c.length);
  if (options.reynolds && options.tau)
    bad_input("--re and --tau: expected one of them, since each follows from the other");
  if (options.reynolds) {
    if (!(*options.reynolds > 0)) bad_input("--re {}: expected a positive number", *options.reynolds);
    c.problem.collision.tau = relaxation_time(std::abs(c.velocity) * c.length / *options.reynolds);
  } else {
    c.problem.collision.tau = options.tau.value_or(c.problem.collision.tau);
  }
  kind.make(c);
  for (std::size_t f = 0; f < faces; ++f) {
    if (!options.face[f]) continue;
    c.problem.face[f] = *options.face[f];
    c.exact = nullptr;  // another flow
  }
  if (c.problem.face[lower_x].wall.kind == Wall::Kind::parabola && !c.problem.face[lower_x].periodic)
    c.problem.initial = as_it_comes_in(c.problem);
  check(c.problem);
  const double nu = viscosity(c.problem.collision.tau);
  c.describe = fmt::format("{} {} x {} x {}, tau {:.6g}, Re {:.4g}", options.name, options.cells[0], options.cells[1],
                           options.cells[2], c.problem.collision.tau, std::abs(c.velocity) * c.length / nu);
  return c;
}

}  // namespace asterism::lbm

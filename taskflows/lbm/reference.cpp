// SPDX-License-Identifier: Apache-2.0
#include "taskflows/lbm/reference.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace asterism::lbm {
namespace {

struct Macroscopic {
  double rho = 0;
  std::array<double, 3> u{0, 0, 0};
};

/// The lattice, looked up once.
struct Lattice {
  std::array<std::array<double, 3>, q> directions{};
  std::array<double, q> weights{};
  std::array<int, q> opposites{};
  Lattice() {
    for (int i = 0; i < q; ++i) {
      const Velocity c = velocity(i);
      const auto k = static_cast<std::size_t>(i);
      directions[k] = {static_cast<double>(c.x), static_cast<double>(c.y), static_cast<double>(c.z)};
      weights[k] = weight(i);
      opposites[k] = opposite(i);
    }
  }
};
const Lattice lattice;

const std::array<double, 3>& direction(int i) {
  return lattice.directions[static_cast<std::size_t>(i)];
}

double weight_of(int i) {
  return lattice.weights[static_cast<std::size_t>(i)];
}

int opposite_to(int i) {
  return lattice.opposites[static_cast<std::size_t>(i)];
}

double dot(const std::array<double, 3>& a, const std::array<double, 3>& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

double equilibrium(int i, double rho, const std::array<double, 3>& u) {
  const double cu = dot(direction(i), u);
  return weight_of(i) * rho * (1 + 3 * cu + 4.5 * cu * cu - 1.5 * dot(u, u));
}

/// Guo's source before relaxation: w_i (3 (c - u) + 9 (c.u) c) . F
double source(int i, const std::array<double, 3>& u, const std::array<double, 3>& force) {
  const std::array<double, 3>& c = direction(i);
  return weight_of(i) * (3 * (dot(c, force) - dot(u, force)) + 9 * dot(c, u) * dot(c, force));
}

Macroscopic macroscopic(const double* f, const double* force) {
  Macroscopic m;
  for (int i = 0; i < q; ++i) {
    m.rho += f[i];
    for (std::size_t a = 0; a < 3; ++a) m.u[a] += f[i] * direction(i)[a];
  }
  for (std::size_t a = 0; a < 3; ++a) m.u[a] = (m.u[a] + force[a] / 2) / m.rho;
  return m;
}

/// Moments sum of c_x^i c_y^j c_z^k f of this lattice: those with i, j, k of at most 2 and not all above 0.
using Exponents = std::array<std::size_t, 3>;
constexpr std::array<Exponents, q> exponents{{{0, 0, 0},
                                              {1, 0, 0},
                                              {0, 1, 0},
                                              {0, 0, 1},
                                              {2, 0, 0},
                                              {0, 2, 0},
                                              {0, 0, 2},
                                              {1, 1, 0},
                                              {1, 0, 1},
                                              {0, 1, 1},
                                              {2, 1, 0},
                                              {2, 0, 1},
                                              {1, 2, 0},
                                              {0, 2, 1},
                                              {1, 0, 2},
                                              {0, 1, 2},
                                              {2, 2, 0},
                                              {2, 0, 2},
                                              {0, 2, 2}}};

/// f_i as a sum of moments: products of the polynomials that are 1 at c and 0 at the two others of -1, 0, 1, which are
/// 1 - x^2 and (x^2 + c x) / 2.
std::array<std::array<double, q>, q> interpolation() {
  std::array<std::array<double, q>, q> table{};
  for (std::size_t i = 0; i < q; ++i)
    for (std::size_t m = 0; m < q; ++m) {
      table[i][m] = 1;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const double c = direction(static_cast<int>(i))[axis];
        const std::array<double, 3> of =
            c == 0 ? std::array<double, 3>{1, 0, -1} : std::array<double, 3>{0, c / 2, 0.5};
        table[i][m] *= of[exponents[m][axis]];
      }
    }
  return table;
}

/// Central moments, of c - u: shear relaxes with tau, the third order by `third`, all else goes to what Maxwell's
/// distribution and the force say.
void relax_central_moments(double* f, const Macroscopic& now, const double* force, double tau, double third) {
  static const std::array<std::array<double, q>, q> populations = interpolation();
  std::array<std::array<double, 3>, 3> shear{}, square_times{};  // the latter: (c_a - u_a)^2 (c_b - u_b)
  for (int i = 0; i < q; ++i)
    for (std::size_t a = 0; a < 3; ++a)
      for (std::size_t b = 0; b < 3; ++b) {
        const double pair = (direction(i)[a] - now.u[a]) * (direction(i)[b] - now.u[b]) * f[i];
        shear[a][b] += pair * (1 - 1 / tau);
        square_times[a][b] += pair * (direction(i)[a] - now.u[a]);
      }
  const double trace = shear[0][0] + shear[1][1] + shear[2][2];
  for (std::size_t a = 0; a < 3; ++a) shear[a][a] -= trace / 3;
  std::array<std::array<std::array<double, 3>, 3>, 3> k{};
  k[0][0][0] = now.rho;
  const auto at = [&](std::size_t a, std::size_t m, std::size_t b, std::size_t n) -> double& {
    Exponents e{};
    e[a] = m;
    e[b] = n;
    return k[e[0]][e[1]][e[2]];
  };
  for (std::size_t a = 0; a < 3; ++a) {
    const std::size_t b = (a + 1) % 3;
    at(a, 1, b, 0) = force[a] / 2;
    at(a, 2, b, 0) = now.rho / 3 + shear[a][a];
    at(a, 1, b, 1) = shear[a][b];
    at(a, 2, b, 1) = (1 - third) * square_times[a][b] + (1 - third / 2) * force[b] / 3;
    at(a, 1, b, 2) = (1 - third) * square_times[b][a] + (1 - third / 2) * force[a] / 3;
    at(a, 2, b, 2) = now.rho / 9 - shear[3 - a - b][3 - a - b] / 2;
  }
  // about 0: x^2 = (x - u)^2 + 2 u (x - u) + u^2
  std::array<std::array<double, 3>, 3> shift{};
  std::array<double, q> raw{};
  for (std::size_t m = 0; m < q; ++m) {
    const Exponents& e = exponents[m];
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double u = now.u[axis];
      shift[axis] = e[axis] == 0   ? std::array<double, 3>{1, 0, 0}
                    : e[axis] == 1 ? std::array<double, 3>{u, 1, 0}
                                   : std::array<double, 3>{u * u, 2 * u, 1};
    }
    for (std::size_t x = 0; x <= e[0]; ++x)
      for (std::size_t y = 0; y <= e[1]; ++y)
        for (std::size_t z = 0; z <= e[2]; ++z) raw[m] += shift[0][x] * shift[1][y] * shift[2][z] * k[x][y][z];
  }
  for (std::size_t i = 0; i < q; ++i) {
    f[i] = 0;
    for (std::size_t m = 0; m < q; ++m) f[i] += populations[i][m] * raw[m];
  }
}

}  // namespace

Reference::Reference(const Problem& problem)
    : problem_(problem),
      cells_(static_cast<std::size_t>(problem.cells[0]) * static_cast<std::size_t>(problem.cells[1]) *
             static_cast<std::size_t>(problem.cells[2])),
      f_(q * cells_),
      post_(q * cells_) {
  for (int z = 0; z < problem.cells[2]; ++z)
    for (int y = 0; y < problem.cells[1]; ++y)
      for (int x = 0; x < problem.cells[0]; ++x) {
        const Flow flow = problem.initial(x, y, z);
        for (int i = 0; i < q; ++i)
          f_[q * cell(x, y, z) + static_cast<std::size_t>(i)] = equilibrium(i, flow.rho, flow.u);
      }
}

std::size_t Reference::cell(int x, int y, int z) const {
  return static_cast<std::size_t>(x) +
         static_cast<std::size_t>(problem_.cells[0]) *
             (static_cast<std::size_t>(y) + static_cast<std::size_t>(problem_.cells[1]) * static_cast<std::size_t>(z));
}

void Reference::collide(double* f) const {
  const Collision& c = problem_.collision;
  const Macroscopic m = macroscopic(f, c.force);
  std::array<double, q> eq{};
  for (int i = 0; i < q; ++i) eq[static_cast<std::size_t>(i)] = equilibrium(i, m.rho, m.u);
  double tau = c.tau;
  if (c.smagorinsky > 0) {
    double pi2 = 0;
    for (std::size_t a = 0; a < 3; ++a)
      for (std::size_t b = 0; b < 3; ++b) {
        double pi = 0;
        for (int i = 0; i < q; ++i) pi += direction(i)[a] * direction(i)[b] * (f[i] - eq[static_cast<std::size_t>(i)]);
        pi2 += pi * pi;
      }
    tau =
        (tau + std::sqrt(tau * tau + 18 * std::sqrt(2.0) * c.smagorinsky * c.smagorinsky * std::sqrt(pi2) / m.rho)) / 2;
  }
  if (c.model == Collision::Model::central_moments)
    return relax_central_moments(f, m, c.force, tau, c.third_magic == 0 ? 1 : 1 / (c.third_magic / (tau - 0.5) + 0.5));
  const double even = 1 / tau;
  const double odd = c.model == Collision::Model::bgk ? even : 1 / (c.magic / (tau - 0.5) + 0.5);
  const std::array<double, 3> force{c.force[0], c.force[1], c.force[2]};
  std::array<double, q> next{};
  std::array<double, q> off{};   // from the equilibrium
  std::array<double, q> push{};  // of the force
  for (int i = 0; i < q; ++i) {
    off[static_cast<std::size_t>(i)] = f[i] - eq[static_cast<std::size_t>(i)];
    push[static_cast<std::size_t>(i)] = source(i, m.u, force);
  }
  for (int i = 0; i < q; ++i) {
    const auto k = static_cast<std::size_t>(i);
    const auto o = static_cast<std::size_t>(opposite_to(i));
    next[k] = f[i] - even * (off[k] + off[o]) / 2 - odd * (off[k] - off[o]) / 2 +
              (1 - even / 2) * (push[k] + push[o]) / 2 + (1 - odd / 2) * (push[k] - push[o]) / 2;
  }
  std::copy(next.begin(), next.end(), f);
}

// by the sponge, at t of its length L: to equilibrium by t^2, and s = 3 c_s t^2 / L towards the velocity of the inlet
void Reference::rub(double* f, int x, int y, int z) const {
  const double length = problem_.sponge;
  const double t = (x + 0.5 - (problem_.cells[0] - length)) / length;
  const std::array<double, 3> none{0, 0, 0};
  const Macroscopic m = macroscopic(f, none.data());
  const std::array<double, 3> inlet = wall_velocity(problem_, 0, {0, y + 0.5, z + 0.5});
  std::array<double, 3> force{};
  for (std::size_t a = 0; a < 3; ++a) force[a] = std::sqrt(3.) * t * t / length * m.rho * (inlet[a] - m.u[a]);
  for (int i = 0; i < q; ++i)
    f[i] += t * t * (equilibrium(i, m.rho, m.u) - f[i]) + 3 * weight_of(i) * dot(direction(i), force);
}

// by the surface of a body, which `back` leads to: Bouzidi, Firdaouss and Lallemand (2001), linear
double Reference::returned(int i, int x, int y, int z) const {
  const auto back = static_cast<std::size_t>(opposite_to(i));
  const double* const own = &post_[q * cell(x, y, z)];
  const double d = wall_distance(problem_, cell(x, y, z), opposite_to(i));
  if (d >= 0.5) return own[back] / (2 * d) + (1 - 1 / (2 * d)) * own[i];
  const Velocity c = velocity(i);
  std::array<int, 3> behind{x + c.x, y + c.y, z + c.z};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const int n = problem_.cells[axis];
    if (behind[axis] >= 0 && behind[axis] < n) continue;
    if (!problem_.face[2 * axis].periodic) return own[back];
    behind[axis] = (behind[axis] + n) % n;
  }
  const std::size_t there = cell(behind[0], behind[1], behind[2]);
  if (problem_.solid[there] != 0) return own[back];
  return 2 * d * own[back] + (1 - 2 * d) * post_[q * there + back];
}

double Reference::arriving(int i, int x, int y, int z) const {
  const Velocity c = velocity(i);
  std::array<int, 3> from{x - c.x, y - c.y, z - c.z};
  const auto back = static_cast<std::size_t>(opposite_to(i));
  const double* const own = &post_[q * cell(x, y, z)];
  // walls at rest give way to those that move, and an outlet to all, at edges
  const Wall* wall = nullptr;
  const auto rank = [](const Wall& w) {
    return w.kind == Wall::Kind::pressure              ? 0
           : w.kind == Wall::Kind::parabola            ? 1
           : w.u[0] != 0 || w.u[1] != 0 || w.u[2] != 0 ? 2
                                                       : 3;
  };
  int at = 0;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const int n = problem_.cells[axis];
    if (from[axis] >= 0 && from[axis] < n) continue;
    const Face& face = problem_.face[2 * axis + (from[axis] < 0 ? 0 : 1)];
    if (face.periodic)
      from[axis] = (from[axis] + n) % n;
    else if (wall == nullptr || rank(face.wall) >= rank(*wall)) {
      wall = &face.wall;
      at = static_cast<int>(2 * axis) + (from[axis] < 0 ? 0 : 1);
    }
  }
  if (wall != nullptr) {
    // the point at which the link meets the wall
    const std::array<double, 3> meets{x + 0.5 - 0.5 * c.x, y + 0.5 - 0.5 * c.y, z + 0.5 - 0.5 * c.z};
    if (wall->kind != Wall::Kind::pressure)
      return own[back] + 6 * weight_of(i) * dot(direction(i), wall_velocity(problem_, at, meets));
    const std::array<double, 3> none{0, 0, 0};
    const Macroscopic m = macroscopic(own, none.data());
    const double cu = dot(direction(i), m.u);
    return -own[back] + 2 * weight_of(i) * wall->rho * (1 + 4.5 * cu * cu - 1.5 * dot(m.u, m.u));
  }
  const std::size_t source = cell(from[0], from[1], from[2]);
  if (!problem_.solid.empty() && problem_.solid[source] != 0) return returned(i, x, y, z);
  return post_[q * source + static_cast<std::size_t>(i)];
}

void Reference::advance() {
#pragma omp parallel for schedule(static)
  for (std::size_t k = 0; k < cells_; ++k) {
    std::copy_n(&f_[q * k], q, &post_[q * k]);
    if (!problem_.solid.empty() && problem_.solid[k] != 0) continue;
    collide(&post_[q * k]);
    const auto nx = static_cast<std::size_t>(problem_.cells[0]);
    const auto ny = static_cast<std::size_t>(problem_.cells[1]);
    if (static_cast<int>(k % nx) >= problem_.cells[0] - problem_.sponge)
      rub(&post_[q * k], static_cast<int>(k % nx), static_cast<int>(k / nx % ny), static_cast<int>(k / nx / ny));
  }
#pragma omp parallel for schedule(static)
  for (int z = 0; z < problem_.cells[2]; ++z)
    for (int y = 0; y < problem_.cells[1]; ++y)
      for (int x = 0; x < problem_.cells[0]; ++x) {
        const std::size_t k = cell(x, y, z);
        if (!problem_.solid.empty() && problem_.solid[k] != 0) continue;
        for (int i = 0; i < q; ++i) f_[q * k + static_cast<std::size_t>(i)] = arriving(i, x, y, z);
      }
}

std::vector<double> Reference::fields() const {
  std::vector<double> out(4 * cells_);
  for (std::size_t k = 0; k < cells_; ++k) {
    const bool fluid = problem_.solid.empty() || problem_.solid[k] == 0;
    const Macroscopic m = fluid ? macroscopic(&f_[q * k], problem_.collision.force) : Macroscopic{1, {0, 0, 0}};
    out[k] = m.rho;
    for (std::size_t a = 0; a < 3; ++a) out[(1 + a) * cells_ + k] = m.u[a];
  }
  return out;
}

}  // namespace asterism::lbm

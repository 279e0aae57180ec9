// SPDX-License-Identifier: Apache-2.0
#include "taskflows/tdbem/problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "base/error.hpp"
#include "base/nearest.hpp"
#include "codelets/tdbem/kernels/product/slices.hpp"

namespace asterism::tdbem {

const char* name_of(Kernel kernel) {
  switch (kernel) {
    case Kernel::contiguous_blocking:
      return "contiguous-blocking";
    case Kernel::full_blocking:
      return "full-blocking";
    case Kernel::scalar:
      return "scalar";
    case Kernel::matrix_vector:
      return "matrix-vector";
    default:
      return "panels";
  }
}

Kernel kernel_named(const std::string& name) {
  std::vector<std::string> names;
  for (const Kernel kernel : kernels) {
    names.emplace_back(name_of(kernel));
    if (names.back() == name) return kernel;
  }
  const std::string near = nearest(name, names);
  bad_input("--kernel {}: expected one of {}{}", name, fmt::join(names, ", "),
            near.empty() ? "" : "; the nearest is " + near);
}

void check(const Problem& problem, const Method& method) {
  if (!(problem.speed > 0 && std::isfinite(problem.speed)))
    bad_input("speed of sound {} m/s: expected a positive one", problem.speed);
  if (!(problem.dt > 0 && std::isfinite(problem.dt))) bad_input("time step {} s: expected a positive one", problem.dt);
  if (problem.waves.empty()) bad_input("no incident wave");
  for (const IncidentWave& wave : problem.waves)
    if (wave.speed != problem.speed)
      bad_input("an incident wave of {} m/s, where the speed of sound is {} m/s", wave.speed, problem.speed);
  const std::int32_t most = method.ahead ? max_group / 2 : max_group;
  if (method.group < 1 || method.group > most)
    bad_input("{} summation vectors at once{}: expected 1 to {}", method.group,
              method.ahead ? " with products ahead" : "", most);
  if (method.block_size < 0 || method.block_size % panel_rows != 0)
    bad_input("blocks of {} slices: expected a multiple of {}", method.block_size, panel_rows);
  try {
    if (method.kernel == Kernel::full_blocking) check_blocks(method.shape_of_full_blocks, method.group);
  } catch (const std::invalid_argument& error) {
    bad_input("{}", error.what());
  }
  if (!(problem.limits.tolerance > 0 && problem.limits.tolerance < 1))
    bad_input("tolerance {}: expected between 0 and 1", problem.limits.tolerance);
}

Passage passage(const Problem& problem) {
  Passage p{INFINITY, -INFINITY};
  for (const IncidentWave& wave : problem.waves) {
    const double half = half_duration(wave.pulse);
    // inside of triangles a monopole may be nearer than at their corners
    const double sooner = wave.kind == WaveKind::monopole ? problem.surface.edges.longest / wave.speed : 0;
    for (const Point& x : problem.surface.vertices) {
      const double arrival = wave.pulse.centre + wave.delay(x);
      p.begin = std::min(p.begin, arrival - half - sooner);
      p.end = std::max(p.end, arrival + half);
    }
  }
  p.end += problem.dt;  // the right-hand side of a step looks back to the one before
  return p;
}

std::int64_t first_step_of(const Problem& problem) {
  return static_cast<std::int64_t>(std::floor(passage(problem).begin / problem.dt));
}

}  // namespace asterism::tdbem

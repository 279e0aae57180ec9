// SPDX-License-Identifier: Apache-2.0
#include "taskflows/decay/simulation.hpp"

#include <algorithm>
#include <string>

namespace asterism::decay {

Simulation::Simulation(const Problem& p, int blocks)
    : problem(p), decomposition{p.points, std::clamp(blocks, 1, p.points)} {
  for (int b = 0; b < decomposition.blocks; ++b) {
    const auto points = static_cast<std::size_t>(decomposition.points_of(b));
    Field field{HostBuffer<double>(points), {}};
    field.u = Handle::vector(field.memory.data(), points, sizeof(double), "u " + std::to_string(b), Coordinates{b, 0});
    fields.push_back(std::move(field));
  }
  std::vector<double> values;
  for (std::int32_t i = 0; i < p.points; ++i) values.push_back(p.initial(i));
  set(0, values);
}

std::vector<double> Simulation::values() const {
  std::vector<double> all;
  for (const Field& field : fields) {
    const Acquired acquired(field.u, STARPU_R);
    all.insert(all.end(), field.memory.data(), field.memory.data() + field.memory.size());
  }
  return all;
}

void Simulation::set(long now, const std::vector<double>& values) {
  time = now;
  for (int b = 0; const Field& field : fields) {
    const Acquired u(field.u, STARPU_W);
    std::copy(values.begin() + decomposition.first(b), values.begin() + decomposition.first(b + 1),
              field.memory.data());
    ++b;
  }
}

}  // namespace asterism::decay

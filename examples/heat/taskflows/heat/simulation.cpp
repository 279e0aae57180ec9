// SPDX-License-Identifier: Apache-2.0
#include "taskflows/heat/simulation.hpp"

#include <algorithm>
#include <string>

namespace asterism::heat {

Simulation::Simulation(const Problem& p, int blocks)
    : problem(p), decomposition{p.rows, std::clamp(blocks, 1, p.rows)} {
  const auto columns = static_cast<std::size_t>(p.columns);
  for (int parity = 0; parity < 2; ++parity)
    for (int b = 0; b < decomposition.blocks; ++b) {
      const std::size_t points = static_cast<std::size_t>(decomposition.rows_of(b)) * columns;
      Field field{HostBuffer<double>(points + 2 * columns), {}, {}, {}};
      const std::string name = " " + std::to_string(b) + (parity == 0 ? " even" : " odd");
      const Coordinates where{b, 0};
      double* const memory = field.memory.data();
      field.u = Handle::vector(memory, points, sizeof(double), "u" + name, where);
      field.first = Handle::vector(memory + points, columns, sizeof(double), "first row" + name, where);
      field.last = Handle::vector(memory + points + columns, columns, sizeof(double), "last row" + name, where);
      fields[static_cast<std::size_t>(parity)].push_back(std::move(field));
    }
  std::vector<double> values;
  for (std::int32_t i = 0; i < p.rows; ++i)
    for (std::int32_t j = 0; j < p.columns; ++j) values.push_back(p.initial((j + 1) * p.dx(), (i + 1) * p.dy()));
  set(0, values);
}

std::vector<double> Simulation::values() const {
  std::vector<double> all;
  for (const Field& field : fields[static_cast<std::size_t>(time % 2)]) {
    const Acquired acquired(field.u, STARPU_R);
    all.insert(all.end(), field.memory.data(), field.memory.data() + field.memory.size() - 2 * problem.columns);
  }
  return all;
}

void Simulation::set(long now, const std::vector<double>& values) {
  time = now;
  const auto columns = static_cast<std::ptrdiff_t>(problem.columns);
  for (int b = 0; const Field& field : fields[static_cast<std::size_t>(time % 2)]) {
    const Acquired u(field.u, STARPU_W);
    const Acquired first(field.first, STARPU_W);
    const Acquired last(field.last, STARPU_W);
    const auto begin = values.begin() + decomposition.first(b) * columns;
    const auto end = values.begin() + decomposition.first(b + 1) * columns;
    double* const rest = std::copy(begin, end, field.memory.data());
    std::copy(end - columns, end, std::copy(begin, begin + columns, rest));
    ++b;
  }
}

}  // namespace asterism::heat

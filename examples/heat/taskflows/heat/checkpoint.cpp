// SPDX-License-Identifier: Apache-2.0
#include "taskflows/heat/checkpoint.hpp"

#include <span>

#include "base/error.hpp"
#include "io/hdf5/file.hpp"

namespace asterism::heat {

void write_checkpoint(const std::filesystem::path& path, const Simulation& simulation) {
  const Problem& p = simulation.problem;
  Hdf5Output file(path);
  file.write("u", {static_cast<std::size_t>(p.rows), static_cast<std::size_t>(p.columns)},
             std::span<const double>(simulation.values()));
  file.attribute("/", "time", std::int64_t{simulation.time});
  file.commit();
}

void read_checkpoint(const std::filesystem::path& path, Simulation& simulation) {
  const Problem& p = simulation.problem;
  const Hdf5Input file(path);
  const std::vector<std::size_t> wanted{static_cast<std::size_t>(p.rows), static_cast<std::size_t>(p.columns)};
  if (file.shape("u") != wanted)
    bad_input("--restart {}: another grid, expected {} x {} points", path.string(), p.columns, p.rows);
  std::vector<double> values(wanted[0] * wanted[1]);
  file.read_rows("u", 0, values);
  simulation.set(file.integer_attribute("/", "time"), values);
}

}  // namespace asterism::heat

// SPDX-License-Identifier: Apache-2.0
#include "taskflows/decay/checkpoint.hpp"

#include <span>

#include "base/error.hpp"
#include "io/hdf5/file.hpp"

namespace asterism::decay {

void write_checkpoint(const std::filesystem::path& path, const Simulation& simulation) {
  const Problem& p = simulation.problem;
  Hdf5Output file(path);
  file.write("u", {static_cast<std::size_t>(p.points)}, std::span<const double>(simulation.values()));
  file.attribute("/", "time", std::int64_t{simulation.time});
  file.commit();
}

void read_checkpoint(const std::filesystem::path& path, Simulation& simulation) {
  const Problem& p = simulation.problem;
  const Hdf5Input file(path);
  const std::vector<std::size_t> wanted{static_cast<std::size_t>(p.points)};
  if (file.shape("u") != wanted) bad_input("--restart {}: another size, expected {} points", path.string(), p.points);
  std::vector<double> values(wanted[0]);
  file.read_rows("u", 0, values);
  simulation.set(file.integer_attribute("/", "time"), values);
}

}  // namespace asterism::decay

// SPDX-License-Identifier: Apache-2.0
// HDF5: positions (n x 3) and charges (n), or both in one dataset (n x 4); velocities (n x 3) and masses (n) if there.
#include <algorithm>

#include "base/error.hpp"
#include "io/hdf5/file.hpp"
#include "taskflows/fmm/particles/readers.hpp"

namespace asterism::fmm {
namespace {

struct Datasets {
  std::string positions;
  std::string charges;  ///< empty: none, or in the columns of positions
};

Datasets choose_datasets(const Hdf5Input& file, const std::string& option) {
  if (!option.empty()) {
    const std::size_t comma = option.find(',');
    return {option.substr(0, comma), comma == std::string::npos ? "" : option.substr(comma + 1)};
  }
  if (file.has_dataset("positions")) return {"positions", file.has_dataset("charges") ? "charges" : ""};
  if (file.has_dataset("particles")) return {"particles", ""};
  bad_input("{}: there is no dataset \"positions\" or \"particles\"; it holds: {}; name one with --dataset", file.name,
            fmt::join(file.members(), ", "));
}

/// The datasets of moving particles, which belong to positions of that name alone.
void read_motion(const Hdf5Input& file, std::size_t n, std::size_t first, Particles& particles) {
  const auto require = [&](const char* name, const std::vector<std::size_t>& wanted) {
    if (file.shape(name) != wanted) {
      bad_input("{}: dataset \"{}\" is {}; expected {}, as many as positions", file.name, name,
                fmt::join(file.shape(name), " x "), fmt::join(wanted, " x "));
    }
  };
  if (file.has_dataset("velocities")) {
    require("velocities", {n, 3});
    Array<double> rows(3 * particles.size());
    file.read_rows("velocities", first, {rows.data(), rows.size()});
    std::size_t axis = 0;
    for (Array<double>* const v : {&particles.vx, &particles.vy, &particles.vz}) {
      *v = Array<double>(particles.size());
      for (std::size_t i = 0; i < particles.size(); ++i) (*v)[i] = rows[3 * i + axis];
      ++axis;
    }
  }
  if (file.has_dataset("masses")) {
    require("masses", {n});
    particles.mass = Array<double>(particles.size());
    file.read_rows("masses", first, {particles.mass.data(), particles.size()});
  }
}

}  // namespace

Particles read_hdf5(const std::filesystem::path& path, const ReadOptions& options) {
  const Hdf5Input file(path);
  const Datasets datasets = choose_datasets(file, options.dataset);
  const std::vector<std::size_t> shape = file.shape(datasets.positions);
  const bool has_charges = !datasets.charges.empty();
  if (shape.size() != 2 || (shape[1] != 3 && (shape[1] != 4 || has_charges))) {
    bad_input("{}: dataset \"{}\" is {}; expected n x 3{}", file.name, datasets.positions, fmt::join(shape, " x "),
              has_charges ? "" : " or n x 4");
  }
  const std::size_t n = shape[0];
  const std::size_t width = shape[1];
  if (n == 0) bad_input("{}: dataset \"{}\" holds no particle", file.name, datasets.positions);
  if (has_charges) {
    const std::vector<std::size_t> found = file.shape(datasets.charges);
    const bool is_column = found.size() == 1 || (found.size() == 2 && found[1] == 1);
    if (!is_column || found[0] != n) {
      bad_input("{}: dataset \"{}\" is {}; expected {}, as many as positions", file.name, datasets.charges,
                fmt::join(found, " x "), n);
    }
  }
  check_parts(file.name, n, options.part);
  const std::size_t first = options.part.begin(n);
  Particles particles(options.part.end(n) - first);
  constexpr std::size_t block = 1 << 16;  // rows
  Array<double> rows(std::min(particles.size(), block) * width);
  for (std::size_t begin = 0; begin < particles.size(); begin += block) {
    const std::size_t count = std::min(block, particles.size() - begin);
    file.read_rows(datasets.positions, first + begin, {rows.data(), count * width});
    for (std::size_t i = 0; i < count; ++i) {
      particles.x[begin + i] = rows[i * width];
      particles.y[begin + i] = rows[i * width + 1];
      particles.z[begin + i] = rows[i * width + 2];
      particles.charge[begin + i] = width == 4 ? rows[i * width + 3] : 1;
    }
  }
  if (has_charges) file.read_rows(datasets.charges, first, {particles.charge.data(), particles.size()});
  if (datasets.positions == "positions") read_motion(file, n, first, particles);
  check_finite(file.name, particles, first);
  return particles;
}

}  // namespace asterism::fmm

// SPDX-License-Identifier: Apache-2.0
#include "taskflows/fmm/checkpoint.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <vector>

#include "base/error.hpp"
#include "runtime/ranks/distributed_hdf5.hpp"
#include "runtime/ranks/ranks.hpp"

namespace asterism::fmm {
namespace {

constexpr const char* format_name = "asterism motion of particles 1";

/// Rows of three numbers, one for every particle, from three arrays.
std::vector<double> rows_of(const Array<double>& x, const Array<double>& y, const Array<double>& z) {
  std::vector<double> rows;
  rows.reserve(3 * x.size());
  for (std::size_t i = 0; i < x.size(); ++i) rows.insert(rows.end(), {x[i], y[i], z[i]});
  return rows;
}

std::vector<std::size_t> shape_of(std::size_t rows, std::size_t width) {
  return width == 1 ? std::vector<std::size_t>{rows} : std::vector<std::size_t>{rows, width};
}

/// Writes the rows of this rank, of `width` numbers, from row `first` on.
void write_rows(DistributedHdf5& file, const char* dataset, std::size_t first, std::size_t width,
                std::span<const double> mine) {
  const std::size_t rows = mine.size() / width;
  file.write_block(
      dataset,
      {width == 1 ? std::vector<std::size_t>{first} : std::vector<std::size_t>{first, 0}, shape_of(rows, width)}, mine);
}

/// Reads the rows of a part. Throws Error (bad_input) for a number that is not finite.
std::vector<double> read_rows(const Hdf5Input& file, const char* dataset, std::size_t particles, std::size_t width,
                              const Part& part) {
  const std::vector<std::size_t> shape = file.shape(dataset);
  if (shape != shape_of(particles, width))
    bad_input("{}: {}: expected {} rows of {} numbers", file.name, dataset, particles, width);
  std::vector<double> rows(width * (part.end(particles) - part.begin(particles)));
  file.read_rows(dataset, part.begin(particles), rows);
  const auto wrong = std::find_if(rows.begin(), rows.end(), [](double value) { return !std::isfinite(value); });
  if (wrong != rows.end()) bad_input("{}: {}: found {}; expected finite numbers", file.name, dataset, *wrong);
  return rows;
}

void split(const std::vector<double>& rows, Array<double>& x, Array<double>& y, Array<double>& z) {
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = rows[3 * i];
    y[i] = rows[3 * i + 1];
    z[i] = rows[3 * i + 2];
  }
}

/// What of the motion was kept so far: 9 numbers of its start, 4 of the changes since.
constexpr std::size_t conservation_numbers = 13;
std::vector<double> numbers_of(const Conservation& c) {
  const auto& [px, py, pz] = c.start.momentum;
  const auto& [lx, ly, lz] = c.start.angular_momentum;
  return {c.start.kinetic,   c.start.potential, c.start.speed,    px, py, pz, lx, ly, lz, c.energy_change,
          c.largest_kinetic, c.largest_speed,   c.momentum_change};
}
Conservation conservation_from(const std::vector<double>& n) {
  Conservation c(Invariants{n[0], n[1], n[2], {n[3], n[4], n[5]}, {n[6], n[7], n[8]}});
  c.energy_change = n[9];
  c.largest_kinetic = n[10];
  c.largest_speed = n[11];
  c.momentum_change = n[12];
  return c;
}

}  // namespace

void write_checkpoint(const std::filesystem::path& path, const CheckpointSettings& settings, const Particles& particles,
                      const Motion& motion) {
  std::size_t n = 0;
  std::size_t first = 0;  // particles of lower ranks
  for (int rank = 0; const std::size_t part : rank_group().all_gather(particles.size())) {
    if (rank++ < rank_group().rank()) first += part;
    n += part;
  }
  DistributedHdf5 file(path, DistributedHdf5::Writers::all_ranks);
  file.create("positions", Hdf5Number::float64, {n, 3});
  file.create("velocities", Hdf5Number::float64, {n, 3});
  file.create("charges", Hdf5Number::float64, {n});
  std::vector<std::string> arrays{"positions", "velocities", "charges"};
  if (!motion.mass.empty()) {
    file.create("masses", Hdf5Number::float64, {n});
    arrays.emplace_back("masses");
  }
  file.make_room(arrays);
  write_rows(file, "positions", first, 3, rows_of(particles.x, particles.y, particles.z));
  write_rows(file, "velocities", first, 3, rows_of(motion.vx, motion.vy, motion.vz));
  write_rows(file, "charges", first, 1, {particles.charge.data(), particles.size()});
  if (!motion.mass.empty()) write_rows(file, "masses", first, 1, {motion.mass.data(), particles.size()});
  file.attribute("/", "format", std::string(format_name));
  file.attribute("/", "step", motion.step);
  file.attribute("/", "method", settings.method);
  file.attribute("/", "height", std::int64_t{settings.shape.height});
  file.attribute("/", "group_size", std::int64_t{settings.shape.group_size});
  file.attribute("/", "leaf_size", std::int64_t{settings.shape.leaf_size});
  file.attribute("/", "far_tasks", static_cast<std::int64_t>(settings.shape.far_tasks));
  const std::array box{settings.box.x, settings.box.y, settings.box.z, settings.box.width};
  file.write("box", {box.size()}, std::span<const double>(box));
  if (motion.conservation) {
    const std::vector<double> numbers = numbers_of(*motion.conservation);
    file.write("conservation", {numbers.size()}, std::span<const double>(numbers));
  }
  file.commit_checkpoint();
}

Checkpoint read_checkpoint(const std::filesystem::path& path, const Part& part) {
  require_checksums(path);
  const Hdf5Input file(path);
  if (!file.has_attribute("/", "format") || file.text_attribute("/", "format") != format_name)
    bad_input("{}: is no checkpoint of asterism-fmm", file.name);
  Checkpoint saved;
  CheckpointSettings& settings = saved.settings;
  settings.method = file.text_attribute("/", "method");
  settings.shape.height = static_cast<int>(file.integer_attribute("/", "height"));
  settings.shape.group_size = static_cast<int>(file.integer_attribute("/", "group_size"));
  settings.shape.far_tasks = file.integer_attribute("/", "far_tasks") == static_cast<std::int64_t>(FarTasks::joined)
                                 ? FarTasks::joined
                                 : FarTasks::separate;
  if (file.has_attribute("/", "leaf_size"))  // files of version 0.1 have none: their trees are uniform
    settings.shape.leaf_size = static_cast<int>(file.integer_attribute("/", "leaf_size"));
  check_shape(settings.shape);
  const std::vector<double> box = read_rows(file, "box", 4, 1, {});
  settings.box = {box[0], box[1], box[2], box[3]};
  const std::vector<std::size_t> shape = file.shape("positions");
  saved.particles_of_all = shape.empty() ? 0 : shape[0];
  if (saved.particles_of_all < static_cast<std::size_t>(part.of))
    bad_input("{}: found {} particles; expected at least one for each of {} processes", file.name,
              saved.particles_of_all, part.of);
  const std::size_t mine = part.end(saved.particles_of_all) - part.begin(saved.particles_of_all);
  saved.particles = Particles(mine);
  Particles& p = saved.particles;
  split(read_rows(file, "positions", saved.particles_of_all, 3, part), p.x, p.y, p.z);
  const std::vector<double> charges = read_rows(file, "charges", saved.particles_of_all, 1, part);
  std::copy(charges.begin(), charges.end(), p.charge.data());
  saved.motion = Motion(mine);
  split(read_rows(file, "velocities", saved.particles_of_all, 3, part), saved.motion.vx, saved.motion.vy,
        saved.motion.vz);
  if (file.has_dataset("masses")) {
    const std::vector<double> masses = read_rows(file, "masses", saved.particles_of_all, 1, part);
    saved.motion.mass = Array<double>(mine);
    std::copy(masses.begin(), masses.end(), saved.motion.mass.data());
  }
  if (file.has_dataset("conservation"))
    saved.motion.conservation = conservation_from(read_rows(file, "conservation", conservation_numbers, 1, {}));
  saved.motion.step = file.integer_attribute("/", "step");
  if (saved.motion.step < 0) bad_input("{}: step: found {}; expected 0 or more", file.name, saved.motion.step);
  for (std::size_t i = 0; i < mine; ++i) {
    const Box& b = settings.box;
    const auto outside = [&](double place, double corner) { return place < corner || place >= corner + b.width; };
    if (outside(p.x[i], b.x) || outside(p.y[i], b.y) || outside(p.z[i], b.z))
      bad_input("{}: positions: particle {} is not in the box", file.name, part.begin(saved.particles_of_all) + i + 1);
  }
  return saved;
}

}  // namespace asterism::fmm

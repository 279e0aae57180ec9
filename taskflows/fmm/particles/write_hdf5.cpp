// SPDX-License-Identifier: Apache-2.0
// Particles and results in HDF5, as arrays of our own or as VTKHDF.
#include <algorithm>
#include <array>
#include <optional>

#include "base/array.hpp"
#include "io/hdf5/file.hpp"
#include "io/series/vtkhdf.hpp"
#include "taskflows/fmm/particles/writers.hpp"

namespace asterism::fmm {
namespace {

/// Rows of one value or of a vector for each particle: put(first, values) for one part after the other.
template <class Put>
void in_rows(const ResultParts& parts, std::span<const Field> fields, const Put& put) {
  constexpr std::size_t block = 1 << 16;  // rows
  const std::size_t width = fields.size();
  Array<double> rows(width * std::min(block, parts.particles));
  std::size_t first = 0;
  parts.each(fields, [&](const FieldValues& values) {
    const std::size_t n = values.front().size();
    for (std::size_t begin = 0; begin < n; begin += block) {
      const std::size_t count = std::min(block, n - begin);
      for (std::size_t i = 0; i < count; ++i)
        for (std::size_t f = 0; f < width; ++f) rows[width * i + f] = values[f][begin + i];
      put(first + begin, std::span<const double>(rows.data(), width * count));
    }
    first += n;
  });
}

constexpr std::array place{Field::x, Field::y, Field::z};
constexpr std::array charge{Field::charge};
constexpr std::array potential{Field::potential};
constexpr std::array force{Field::fx, Field::fy, Field::fz};
constexpr std::array velocity{Field::vx, Field::vy, Field::vz};
constexpr std::array acceleration{Field::ax, Field::ay, Field::az};

}  // namespace

void write_hdf5(const std::filesystem::path& path, const ResultParts& parts) {
  std::optional<Hdf5Output> file;
  if (parts.here) file.emplace(path);
  const auto write = [&](const char* name, std::span<const Field> fields, const std::string& unit) {
    const std::size_t width = fields.size();
    if (file)
      file->create(name, Hdf5Number::float64,
                   width == 1 ? std::vector<std::size_t>{parts.particles} : std::vector{parts.particles, width});
    in_rows(parts, fields,
            [&](std::size_t first, std::span<const double> values) { file->write_rows(name, first, values); });
    if (file && !unit.empty()) file->attribute(name, "unit", unit);
  };
  const ResultNames& names = parts.names;
  write("positions", place, "");
  write("charges", charge, "");
  write("potential", potential, names.potential_unit);
  write("force", force, names.force_unit);
  if (parts.moving) {
    write("velocities", velocity, names.speed_unit);
    write("accelerations", acceleration, names.acceleration_unit);
  }
  if (file) file->commit();
}

void write_vtkhdf(const std::filesystem::path& path, const ResultParts& parts) {
  std::optional<output::VtkHdfFile> file;
  if (parts.here) file.emplace(path);
  const auto fill = [&](const std::string& dataset, std::span<const Field> fields) {
    in_rows(parts, fields,
            [&](std::size_t first, std::span<const double> values) { file->rows(dataset, first, values); });
  };
  const auto write = [&](const std::string& name, std::span<const Field> fields, const std::string& unit) {
    if (file) file->create(output::Centre::node, name, Hdf5Number::float64, fields.size(), unit);
    fill(output::VtkHdfFile::dataset(output::Centre::node, name), fields);
  };
  const ResultNames& names = parts.names;
  if (file) file->vertices(parts.particles);
  fill(output::VtkHdfFile::points, place);
  write(names.charge, charge, "");
  write("potential", potential, names.potential_unit);
  write("force", force, names.force_unit);
  if (parts.moving) {
    write("velocity", velocity, names.speed_unit);
    write("acceleration", acceleration, names.acceleration_unit);
  }
  if (file) file->commit();
}

}  // namespace asterism::fmm

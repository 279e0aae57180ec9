// SPDX-License-Identifier: Apache-2.0
// Coordinates and attributes by the Climate and Forecast conventions (CF 1.8, cfconventions.org).
#include "base/fingerprint.hpp"
#include "io/series/hdf5_series_detail.hpp"

namespace asterism::output::detail {
namespace {

/// Where the values of a grid are along an axis.
std::vector<double> coordinates(const Grid& grid, std::size_t axis) {
  const double first = grid.centre == Centre::cell ? 0.5 : 0;
  std::vector<double> result(static_cast<std::size_t>(grid.n[axis]));
  for (std::size_t i = 0; i < result.size(); ++i)
    result[i] = grid.planes[axis].empty() ? grid.origin[axis] + (first + static_cast<double>(i)) * grid.spacing[axis]
                                          : (grid.planes[axis][i] + grid.planes[axis][i + 1]) / 2;
  return result;
}

}  // namespace

std::string planes_of(const Grid& grid) {
  Fingerprint all;
  for (const std::vector<double>& planes : grid.planes) all.add(planes.data(), planes.size() * sizeof(double));
  return grid.graded() ? all.text() : "";
}

void write_grid(Hdf5Output& file, const Grid& grid) {
  file.attribute("/", "format", std::string(series_format));
  for (std::size_t a = 0; a < 3; ++a) {
    file.attribute("/", fmt::format("n{}", axes[a]), std::int64_t{grid.n[a]});
    file.attribute("/", fmt::format("origin_{}", axes[a]), grid.origin[a]);
    file.attribute("/", fmt::format("spacing_{}", axes[a]), grid.spacing[a]);
  }
  if (grid.graded()) file.attribute("/", "planes", planes_of(grid));
  file.attribute("/", "centre", std::string(grid.centre == Centre::node ? "node" : "cell"));
  file.attribute("/", "length_units", grid.units.length);
  file.attribute("/", "time_units", grid.units.time);
  file.attribute("/", "Conventions", std::string("CF-1.8"));
  file.attribute("/", "source", std::string("Asterism"));
}

void write_time(Hdf5Output& file, const Grid& grid, const SavedTime& saved, const std::vector<Described>& fields) {
  const std::string group = group_of(saved.step);
  std::vector<std::string> names;
  for (const Described& field : fields) names.push_back(field.name);
  file.attribute(group, "step", saved.step);
  file.attribute(group, "time", saved.time);
  file.attribute(group, "fields", fmt::format("{}", fmt::join(names, ",")));
  file.attribute(group, "Conventions", std::string("CF-1.8"));

  std::vector<std::string> scales;
  for (const std::size_t a : {2, 1, 0}) {
    const std::string& scale = scales.emplace_back(fmt::format("{}/{}", group, axes[a]));
    const std::vector<double> places = coordinates(grid, a);
    file.write<double>(scale, {places.size()}, places);
    file.make_scale(scale, axes[a]);
    file.attribute(scale, "units", grid.units.length);
    file.attribute(scale, "axis", std::string(1, "XYZ"[a]));
  }
  const std::string component = group + "/component";
  if (std::any_of(fields.begin(), fields.end(), [](const Described& field) { return field.components > 1; })) {
    const std::vector<std::int32_t> numbers{0, 1, 2};
    file.write<std::int32_t>(component, {numbers.size()}, numbers);
    file.make_scale(component, "component");
    file.attribute(component, "long_name", std::string("along x, y, z"));
  }
  for (const Described& field : fields) {
    const std::string dataset = group + "/" + field.name;
    std::vector<std::string> of_field = scales;
    if (field.components > 1) of_field.push_back(component);
    file.attach_scales(dataset, of_field);
    file.attribute(dataset, "units", field.unit);
    file.attribute(dataset, "coordinates", std::string("time"));
  }
  const std::string time = group + "/time";
  file.write_number(time, saved.time);
  file.attribute(time, "units", grid.units.time);
  file.attribute(time, "long_name", std::string("time since the beginning"));
}

}  // namespace asterism::output::detail

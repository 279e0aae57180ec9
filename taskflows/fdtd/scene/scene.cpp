// SPDX-License-Identifier: Apache-2.0
#include "taskflows/fdtd/scene/scene.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "taskflows/fdtd/scene/reader.hpp"

namespace asterism::fdtd::scene {
namespace detail {
namespace {

constexpr double default_courant = 0.99, conformal_courant = 0.5;

Vector spacing_of(const TomlValue& value) {
  if (value.is_array()) {
    const std::vector<TomlValue> numbers = value.elements(3, "a positive number or an array of 3");
    return {numbers[0].positive(), numbers[1].positive(), numbers[2].positive()};
  }
  return {value.positive(), value.positive(), value.positive()};
}

std::array<std::int32_t, 3> cells_of(const TomlValue& value) {
  const std::vector<TomlValue> numbers = value.elements(3, "an array of 3 integers");
  std::array<std::int32_t, 3> cells{};
  for (std::size_t a = 0; a < 3; ++a) cells[a] = static_cast<std::int32_t>(numbers[a].integer(1, most_cells));
  return cells;
}

/// Whole cells of a size in metres.
std::array<std::int32_t, 3> cells_in(const TomlValue& value, const Vector& spacing) {
  constexpr double rounding = 1e-6;
  const std::vector<TomlValue> sizes = value.elements(3, "an array of 3 numbers");
  std::array<std::int32_t, 3> cells{};
  for (std::size_t a = 0; a < 3; ++a) {
    const double wanted = sizes[a].positive() / spacing[a];
    const double whole = std::round(wanted);
    if (!(whole >= 1 && whole <= most_cells) || std::abs(wanted - whole) > rounding * whole) {
      sizes[a].refuse(fmt::format("{} m, which is {:.9g} cells", sizes[a].show(), wanted),
                      fmt::format("a whole number of cells of {} m, {} at most", spacing[a], most_cells));
    }
    cells[a] = static_cast<std::int32_t>(whole);
  }
  return cells;
}

Boundary boundary(const TomlValue& word) {
  return word.choice<Boundary>({{"pec", Boundary::electric},
                                {"pmc", Boundary::magnetic},
                                {"periodic", Boundary::periodic},
                                {"cpml", Boundary::cpml}});
}

void read_axis(const TomlValue& value, std::size_t axis, Scene& scene) {
  const bool is_pair = value.is_array();
  const std::vector<TomlValue> both =
      is_pair ? value.elements(2, "a boundary, or an array of that of the lower and that of the upper face")
              : std::vector<TomlValue>{value, value};
  for (std::size_t f = 0; f < 2; ++f) scene.boundary[2 * axis + f] = boundary(both[f]);
  if ((scene.boundary[2 * axis] == Boundary::periodic) != (scene.boundary[2 * axis + 1] == Boundary::periodic)) {
    value.refuse("both faces periodic or none");
  }
}

void read_cpml(const TomlValue& value, Cpml& cpml) {
  TomlTable table = value.table();
  if (const auto v = table.find("thickness")) cpml.thickness = static_cast<std::int32_t>(v->integer(1, 1000));
  if (const auto v = table.find("order")) cpml.order = v->positive();
  if (const auto v = table.find("sigma_ratio")) cpml.sigma_ratio = v->positive();
  if (const auto v = table.find("kappa_max")) {
    if (!(v->number() >= 1)) v->refuse("a number of at least 1");
    cpml.kappa_max = v->number();
  }
  if (const auto v = table.find("alpha_max")) cpml.alpha_max = v->not_negative();
  table.finish();
}

/// Angular frequencies that the time step has to resolve: recursions for poles grow beyond 2 per step.
void check_resolved(const TomlValue& pole, double eps_r, double time_step) {
  constexpr double most = 2;
  TomlTable table = pole.table();
  for (const char* key : {"omega_p", "omega_0"}) {
    const auto omega = table.find(key);
    if (!omega) continue;
    const double scale = std::string_view(key) == "omega_p" ? std::sqrt(eps_r) : 1;
    if (omega->number() * time_step / scale < most) continue;
    omega->refuse(fmt::format("less than {:.4g} rad/s, else it is unstable with a time step of {:.4g} s",
                              most * scale / time_step, time_step));
  }
}

void check_poles(TomlTable& root, const Scene& scene) {
  const auto value = root.find("materials");
  if (!value) return;
  TomlTable materials = value->table();
  for (const Material& material : scene.materials) {
    if (material.poles.empty()) continue;
    TomlTable table = materials.get(material.name, "a material").table();
    for (const char* kind : {"drude", "lorentz"}) {
      const auto poles = table.find(kind);
      if (!poles) continue;
      for (const TomlValue& pole : poles->one_or_more())
        check_resolved(pole, material.constants.eps_r, scene.time_step);
    }
  }
}

}  // namespace

void read_grid(TomlTable& root, Scene& scene) {
  TomlTable table = root.get("grid", "a table").table();
  if (read_graded_axes(table, scene.grid)) return table.finish();
  bool by_cells = true;
  const TomlValue extent = table.one_of("cells", "size", by_cells);
  scene.grid.spacing = spacing_of(table.get("spacing", "the edges of a cell in m"));
  scene.grid.cells = by_cells ? cells_of(extent) : cells_in(extent, scene.grid.spacing);
  if (const auto origin = table.find("origin")) scene.grid.origin = origin->vector();
  table.finish();
}

void read_faces(TomlTable& root, Scene& scene) {
  constexpr const char* axes[] = {"x", "y", "z"};
  if (const auto cpml = root.find("cpml")) read_cpml(*cpml, scene.cpml);
  const auto faces = root.find("faces");
  if (!faces) return;
  TomlTable table = faces->table();
  if (const auto all = table.find("all")) scene.boundary.fill(boundary(*all));
  for (std::size_t a = 0; a < 3; ++a) {
    if (const auto value = table.find(axes[a])) read_axis(*value, a, scene);
  }
  table.finish();
  for (std::size_t a = 0; a < 3; ++a) {
    const auto layers = std::count(scene.boundary.begin() + static_cast<std::ptrdiff_t>(2 * a),
                                   scene.boundary.begin() + static_cast<std::ptrdiff_t>(2 * a + 2), Boundary::cpml);
    if (layers * scene.cpml.thickness >= scene.grid.cells[a]) {
      faces->refuse(fmt::format("{} absorbing layers of {} cells on {} cells along {}", layers, scene.cpml.thickness,
                                scene.grid.cells[a], axes[a]),
                    "some cells between them");
    }
  }
}

void read_time(TomlTable& root, const Overrides& overrides, Scene& scene) {
  if (const auto precision = root.find("precision"))
    scene.precision = precision->choice<Precision>(
        {{"single", Precision::single_precision}, {"double", Precision::double_precision}});
  if (overrides.precision) scene.precision = *overrides.precision;
  const double limit = stability_limit(scene.grid, scene.materials);
  scene.time_step = (scene.conformal ? conformal_courant : default_courant) * limit;
  const auto courant = root.find("courant");
  const auto step = root.find("time_step");
  if (courant && step) step->refuse("courant as well", "one of them");
  if (courant) {
    if (!(courant->positive() <= 1)) courant->refuse("more than 0 and at most 1, else it is unstable");
    scene.time_step = courant->number() * limit;
  }
  if (step) {
    if (!(step->positive() <= limit)) {
      step->refuse(fmt::format("at most {:.9g} s, else it is unstable (the CFL limit of this grid)", limit));
    }
    scene.time_step = step->number();
  }
  if (overrides.courant) scene.time_step = *overrides.courant * limit;
  constexpr std::int64_t most = std::int64_t{1} << 40;
  bool by_steps = true;
  const TomlValue end = root.one_of("steps", "time", by_steps);
  if (by_steps) {
    scene.steps = end.integer(1, most);
  } else {
    const double steps = std::ceil(end.positive() / scene.time_step);
    if (!(steps <= static_cast<double>(most))) end.refuse(fmt::format("at most {} steps", most));
    scene.steps = static_cast<std::int64_t>(steps);
  }
  check_poles(root, scene);
}

Box inside_layers(const Scene& scene) {
  const auto layer = [&](std::size_t face) {
    return scene.boundary[face] == Boundary::cpml ? scene.cpml.thickness : 0;
  };
  const auto& n = scene.grid.cells;
  return {layer(0), n[0] - layer(1), layer(2), n[1] - layer(3), layer(4), n[2] - layer(5)};
}

}  // namespace detail

namespace {

/// The generator goes to the port of that name.
void drive(const std::string& name, Scene& scene) {
  const auto wanted = std::ranges::find(scene.ports, name, &Port::name);
  if (wanted == scene.ports.end()) bad_input("--drive {}: the scene has no such port", name);
  std::optional<Waveform> waveform;
  for (Port& port : scene.ports)
    if (port.waveform) waveform = std::exchange(port.waveform, std::nullopt);
  wanted->waveform = waveform;
}

Scene scene_of(const TomlFile& file, const std::filesystem::path& folder, const Overrides& overrides) {
  TomlTable root = file.root();
  Scene scene;
  detail::read_grid(root, scene);
  detail::read_faces(root, scene);
  detail::read_materials(root, scene);
  detail::read_time(root, overrides, scene);
  detail::read_geometry(root, folder, scene);
  detail::read_sources(root, scene);
  detail::read_edges(root, scene);
  if (!overrides.drive.empty()) drive(overrides.drive, scene);
  detail::read_observers(root, scene);
  detail::read_outputs(root, scene);
  root.finish();
  return scene;
}

}  // namespace

Scene read_scene(const std::filesystem::path& path, const Overrides& overrides) {
  return scene_of(TomlFile(path), path.parent_path(), overrides);
}

Scene read_scene(const std::string& text, const std::string& name, const std::filesystem::path& folder) {
  return scene_of(TomlFile(text, name), folder, {});
}

double stability_limit(const Grid& grid, const std::vector<Material>& materials) {
  // around an entry the least permittivity and permeability may come from different materials
  double eps = 1;
  double mu = 1;
  for (const Material& m : materials) {
    eps = std::min(eps, m.constants.eps_r);
    mu = std::min(mu, m.constants.mu_r);
  }
  double sum = 0;
  for (const double d : grid.spacing) sum += 1 / (d * d);
  return std::sqrt(eps * mu) / (speed_of_light * std::sqrt(sum));
}

Vector position_of(const Grid& grid, const Component& component, const std::array<std::int32_t, 3>& entry) {
  Vector result{};
  for (std::size_t a = 0; a < 3; ++a) {
    const double half = on_planes(component.field, component.axis, static_cast<int>(a)) ? 0 : 0.5;
    result[a] = grid.place(a, entry[a] + half);
  }
  return result;
}

std::array<std::int32_t, 3> nearest_entry(const Scene& scene, const Component& component, const Vector& position) {
  const Grid& grid = scene.grid;
  std::array<std::int32_t, 3> entry{};
  for (std::size_t a = 0; a < 3; ++a) {
    const bool planes = on_planes(component.field, component.axis, static_cast<int>(a));
    const std::int32_t last =
        planes && scene.boundary[2 * a + 1] == Boundary::magnetic ? grid.cells[a] : grid.cells[a] - 1;
    const double place = grid.index(a, position[a]);
    // half-way between two entries: the lower one, whatever rounding did on the way
    constexpr double rounding = 1e-9;
    const double nearest = std::ceil(place - (planes ? 0.5 : 1.0) - rounding);
    entry[a] = static_cast<std::int32_t>(std::clamp(nearest, 0.0, static_cast<double>(last)));
  }
  return entry;
}

std::vector<fdtd::Material> constants_of(const Scene& scene) {
  std::vector<fdtd::Material> result;
  for (const Material& m : scene.materials) result.push_back(m.constants);
  return result;
}

}  // namespace asterism::fdtd::scene

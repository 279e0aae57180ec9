// SPDX-License-Identifier: Apache-2.0
// What the readers of the parts of a scene share.
#pragma once

#include "io/toml_table.hpp"
#include "taskflows/fdtd/scene/scene.hpp"

namespace asterism::fdtd::scene::detail {

inline constexpr std::int32_t most_cells = 1 << 24;  ///< along an axis

/// The keys x, y and z of [grid], where they are there.
bool read_graded_axes(TomlTable& table, Grid& grid);
/// Each takes its keys from the file's root; in this order, as what comes later refers to what came before.
void read_grid(TomlTable& root, Scene& scene);
void read_faces(TomlTable& root, Scene& scene);
void read_materials(TomlTable& root, Scene& scene);
void read_time(TomlTable& root, const Overrides& overrides, Scene& scene);
/// folder: of the scene, where its other files are.
void read_geometry(TomlTable& root, const std::filesystem::path& folder, Scene& scene);
void read_sources(TomlTable& root, Scene& scene);
/// Thin conductors and ports.
void read_edges(TomlTable& root, Scene& scene);
void read_observers(TomlTable& root, Scene& scene);
void read_outputs(TomlTable& root, Scene& scene);

std::uint16_t material_named(const TomlValue& name, const Scene& scene);
Component component(const TomlValue& name);
/// "Ex" to "Hz", and "E" or "H" for the three of a field.
std::vector<Component> components(const TomlValue& names);
/// 0, 1, 2 for "x", "y", "z".
std::size_t axis(const TomlValue& name);
/// A vector of unit length; not zero.
Vector direction(const TomlValue& value);
/// In the grid or on its faces.
Vector position(const TomlValue& value, const Grid& grid);
/// "position" in metres or "entry"; for an entry its own position, of one component.
Place place(TomlTable& table, const Scene& scene, const Component& component);

/// A point in metres, as the nearest planes of the grid.
std::array<std::int32_t, 3> node(const TomlValue& value, const Grid& grid);

enum class Extent { volume, may_be_flat };  ///< a flat box becomes one cell thick
/// { low, high } in metres, to the nearest planes of the grid, or { from, to } in cells, `to` not included.
Box box(const TomlValue& value, const Grid& grid, Extent extent);
/// An array, or { from, to, count }.
std::vector<double> numbers(const TomlValue& value);
/// Hz: positive, and sampled more than twice in a period by the time step.
double frequency(const TomlValue& value, const Scene& scene);
/// Such ones, ascending.
std::vector<double> frequencies(const TomlValue& value, const Scene& scene);
Waveform waveform(const TomlValue& value, const Scene& scene);
/// The name of an output, its own among `taken`: "probe2" for the third without one.
std::string name(TomlTable& table, const char* kind, const std::vector<std::string>& taken);
/// Tables of a [[name]], none if it is missing.
std::vector<TomlValue> tables(TomlTable& root, const std::string& name);

/// The first cell, and the one behind the last, outside of absorbing layers.
Box inside_layers(const Scene& scene);
std::string show(const Box& box);

}  // namespace asterism::fdtd::scene::detail

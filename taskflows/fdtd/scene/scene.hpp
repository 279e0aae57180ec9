// SPDX-License-Identifier: Apache-2.0
// A scene for the finite-difference time-domain method, as a TOML file describes it: plain data that knows nothing of
// the solver. SI units. Positions are coordinates in metres; boxes are in cells.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/graded_axis.hpp"
#include "base/precision.hpp"
#include "codelets/fdtd/kernels/grid.hpp"
#include "codelets/fdtd/kernels/media/materials.hpp"
#include "io/mesh/placement.hpp"

namespace asterism::fdtd::scene {

using Vector = std::array<double, 3>;

inline constexpr double speed_of_light = 299792458;  ///< m/s

struct Grid {
  std::array<std::int32_t, 3> cells{};
  Vector spacing{};  ///< m; of the smallest cell along a graded axis
  Vector origin{};   ///< lowest corner of cell (0, 0, 0), m
  /// m, of the planes of a graded axis, the first at the origin; else none
  std::array<std::vector<double>, 3> planes{};

  /// m, of a place in cells: i of plane i, i + 0.5 of the centre of cell i.
  [[nodiscard]] double place(std::size_t axis, double index) const {
    const std::vector<double>& p = planes[axis];
    if (p.empty()) return origin[axis] + index * spacing[axis];
    const auto below = static_cast<std::size_t>(std::clamp(index, 0.0, static_cast<double>(cells[axis] - 1)));
    return p[below] + (index - static_cast<double>(below)) * (p[below + 1] - p[below]);
  }
  /// The other way round.
  [[nodiscard]] double index(std::size_t axis, double x) const {
    return planes[axis].empty() ? (x - origin[axis]) / spacing[axis] : index_of(planes[axis], x);
  }
  [[nodiscard]] double centre(std::size_t axis, std::int32_t cell) const { return place(axis, cell + 0.5); }
  [[nodiscard]] double end(std::size_t axis) const { return place(axis, cells[axis]); }
  [[nodiscard]] bool graded() const {
    return std::any_of(planes.begin(), planes.end(), [](const auto& p) { return !p.empty(); });
  }
  [[nodiscard]] Box box() const { return {0, cells[0], 0, cells[1], 0, cells[2]}; }
  friend bool operator==(const Grid&, const Grid&) = default;
};

/// What ends the domain at a face. cpml: absorbing layers inside the grid, before an electric conductor.
enum class Boundary { electric, magnetic, periodic, cpml };

/// Convolutional perfectly matched layers (Roden and Gedney, Microwave and Optical Technology Letters 27, 2000); what
/// is not given is the solver's choice.
struct Cpml {
  std::int32_t thickness = 10;                 ///< cells
  std::optional<double> order;                 ///< of the polynomial grading
  std::optional<double> sigma_ratio;           ///< largest conductivity by the optimal one
  std::optional<double> kappa_max, alpha_max;  ///< alpha in S/m
};

/// Relative permittivities beside eps_r, at e^(+i w t):
struct Drude {  ///< - omega_p^2 / (w^2 - i w gamma)
  double omega_p, gamma;
};
struct Lorentz {  ///< delta_eps omega_0^2 / (omega_0^2 + 2 i w delta - w^2)
  double delta_eps, omega_0, delta;
};
struct Debye {  ///< delta_eps / (1 + i w tau)
  double delta_eps, tau;
};
using Pole = std::variant<Drude, Lorentz, Debye>;  ///< omega, gamma, delta in rad/s, tau in s

struct Material {
  std::string name;
  fdtd::Material constants;  ///< eps_r at infinite frequency; sigma infinite: a perfect conductor
  std::vector<Pole> poles;
};

// ---- geometry: a cell takes the material in which its centre lies; surfaces are staircases without smoothing ----

struct Cuboid {  ///< low <= centre < high
  Vector low, high;
};
struct Ellipsoid {  ///< a sphere has three equal ones; axes along x, y, z
  Vector centre, semi_axes;
};
struct Cylinder {  ///< between the planes through both ends, the first included
  Vector from, to;
  double radius;
};
struct HalfSpace {  ///< (centre - point) . normal < 0
  Vector point, normal;
};
/// A closed triangle mesh: coordinates times `scale`, then placed.
struct Mesh {
  std::filesystem::path file;
  double scale = 1;
  mesh::Placement placement;
};
/// Values of an HDF5 dataset of integers.
struct VoxelFile {
  struct Meaning {
    std::int64_t value;
    std::optional<std::uint16_t> material;  ///< none: cells stay as they are
  };
  enum class Order { xyz, zyx };  ///< of the dataset's indices, the slowest first
  std::filesystem::path file;
  std::string dataset;
  Order order = Order::xyz;
  std::array<std::int32_t, 3> offset{};  ///< cell of the grid in which voxel (0, 0, 0) is; may be negative
  std::vector<Meaning> values;           ///< ascending
};
struct Object {
  std::variant<Cuboid, Ellipsoid, Cylinder, HalfSpace, Mesh, VoxelFile> shape;
  std::uint16_t material = 0;  ///< of Scene::materials; a voxel file has its own
  std::string where;           ///< "scene.toml: line 7: geometry[0]", for complaints
};

// ---- sources and what is observed ----

struct Component {
  Field field;
  std::int32_t axis;
  friend bool operator==(const Component&, const Component&) = default;
};

/// With s = (t - delay) / width and a = (pi frequency (t - delay))^2, times amplitude:
enum class WaveformKind {
  gaussian,                 ///< exp(-s^2)
  differentiated_gaussian,  ///< -sqrt(2 e) s exp(-s^2), whose peaks are 1
  ricker,                   ///< (1 - 2 a) exp(-a)
  modulated,                ///< exp(-s^2) sin(2 pi frequency (t - delay) + phase)
  sine,                     ///< sin(2 pi frequency t + phase), for t < ramp times sin^2(pi t / (2 ramp))
};
struct Waveform {
  WaveformKind kind;
  double amplitude = 1;
  double frequency = 0;  ///< Hz
  double width = 0;      ///< s
  double delay = 0;      ///< s
  double phase = 0;      ///< rad
  double ramp = 0;       ///< s
};

/// Place of an entry of a component: at the coordinates of the nearest one, or the one that is named.
struct Place {
  Vector position;                    ///< m
  std::array<std::int32_t, 3> entry;  ///< of the component, see codelets/fdtd/kernels/grid.hpp
};

/// A current moment along an axis: A m of an electric current (field of component: electric), V m of a magnetic one.
struct Dipole {
  Component component;
  Place place;
  Waveform waveform;
};
/// In the total-field region `box`. The waveform is E (V/m) at the corner of the box that the wave meets first.
struct PlaneWave {
  Vector direction;     ///< of travel, unit length
  Vector polarisation;  ///< of E, unit length, normal to direction
  Box box;
  Waveform waveform;
};

/// A thin perfect conductor: all edges between two nodes of the grid, a wire or a sheet.
struct Conductor {
  std::array<std::int32_t, 3> low, high;  ///< planes; equal along one or two axes
};

/// A generator with a resistance, or a resistor alone, across edges in series along an axis. Its voltage is that of its
/// upper end over its lower end, its current the one that leaves the upper end.
struct Port {
  std::string name;
  std::int32_t axis;
  Place place;                       ///< the lowest edge
  std::int32_t cells = 1;            ///< edges in series
  double resistance = 50;            ///< ohm; that of the reference of its waves, too
  std::optional<Waveform> waveform;  ///< V, of the generator
};

struct Probe {
  std::string name;
  std::vector<Component> components;
  std::vector<Place> places;        ///< of each component
  std::optional<double> ringdown;   ///< s: from when on it decays freely
  std::vector<double> frequencies;  ///< Hz, of its transform; none without
};
/// Running Fourier transforms of components in a box.
struct FrequencyMonitor {
  std::string name;
  Box box;
  std::vector<double> frequencies;  ///< Hz
  std::vector<Component> components;
};
/// Power through a rectangle between nodes of the grid.
struct Flux {
  std::string name;
  std::array<std::int32_t, 3> low, high;  ///< nodes; equal along one axis
  std::vector<double> frequencies;        ///< Hz
  std::string reference;                  ///< name of the flux of a run without bodies that normalises it
  [[nodiscard]] std::int32_t axis() const { return low[0] == high[0] ? 0 : low[1] == high[1] ? 1 : 2; }
};
/// Near-to-far-field transform from the surface of a box.
struct FarField {
  struct Direction {
    double theta, phi;  ///< rad, from the z axis and from the x axis
  };
  Box box;
  std::vector<double> frequencies;  ///< Hz
  std::vector<Direction> directions;
};

struct FieldOutput {
  enum class Placement {
    cells,  ///< E and H at centres of cells: means of the entries around
    yee,    ///< raw entries, six scalars
  };
  std::filesystem::path file;  ///< NAME.h5 or NAME.pvd
  std::int64_t every = 0;      ///< steps; 0: at the end only
  Placement placement = Placement::cells;
  std::vector<Field> fields;
};
struct SliceOutput {
  std::filesystem::path file;  ///< NAME.png
  std::int64_t every = 0;
  std::size_t axis = 2;
  std::int32_t index = 0;                   ///< of the plane of cells
  std::variant<Component, Field> quantity;  ///< a component, or the magnitude of a field
  std::int32_t zoom = 0;                    ///< pixels per cell; 0: as the picture needs
  bool plain = false;                       ///< the cells alone, without title, axes and colour bar
  std::optional<double> low, high;
};

/// What becomes of surfaces between dielectrics that cross cells: nothing, a mean for each edge (smoothing.hpp), or a
/// matrix around each node (coupled_edges.hpp).
enum class Smoothing { none, diagonal, tensor };

struct Scene {
  Grid grid;
  Precision precision = Precision::double_precision;
  double time_step = 0;  ///< s
  std::int64_t steps = 0;
  std::array<Boundary, 6> boundary{};  ///< -x, +x, -y, +y, -z, +z
  Cpml cpml;
  std::vector<Material> materials;  ///< 0: vacuum, 1: pec, then those of the file by name
  std::uint16_t background = 0;
  Smoothing smoothing = Smoothing::none;
  bool conformal = false;        ///< surfaces of perfect conductors where they are (conformal.hpp)
  std::vector<Object> geometry;  ///< later ones override earlier ones
  std::vector<Dipole> dipoles;
  std::vector<PlaneWave> plane_waves;
  std::vector<Conductor> conductors;
  std::vector<Port> ports;               ///< one of them has a generator
  std::vector<double> port_frequencies;  ///< Hz
  std::vector<Probe> probes;
  std::vector<FrequencyMonitor> monitors;
  std::vector<Flux> fluxes;
  std::vector<FarField> far_fields;
  std::vector<FieldOutput> field_outputs;
  std::vector<SliceOutput> slice_outputs;
};

/// What is taken instead of the scene's own.
struct Overrides {
  std::optional<Precision> precision;
  std::optional<double> courant;  ///< more than 0 and at most 1; also instead of time_step
  std::string drive{};            ///< the port that has the generator; else that of the scene
};

/// The keys are shown in examples/fdtd. Files of meshes and voxels are relative to the scene's folder, outputs to
/// the working directory. Throws Error (bad_input), one line with file, line and key, what was found and what was
/// expected: unknown keys, wrong types, materials that are not defined or not passive, a time step beyond the stability
/// limit, a pole that is not resolved in time, places and geometry outside of the grid.
Scene read_scene(const std::filesystem::path& path, const Overrides& overrides = {});
/// A scene in text; `name` stands for it in complaints, `folder` has its other files.
Scene read_scene(const std::string& text, const std::string& name, const std::filesystem::path& folder);

/// s: 1 / (c sqrt(1/dx^2 + 1/dy^2 + 1/dz^2)), where c is the speed in the fastest material, at least that of light, and
/// lengths are those of the smallest cell along each axis.
double stability_limit(const Grid& grid, const std::vector<Material>& materials);

/// m: where an entry of a component lies.
Vector position_of(const Grid& grid, const Component& component, const std::array<std::int32_t, 3>& entry);
/// The entry of a component that is nearest to a point, of those that lie in the grid or on its lower faces, and on
/// upper ones that are magnetic conductors: other upper faces are the ghosts of grid.hpp.
std::array<std::int32_t, 3> nearest_entry(const Scene& scene, const Component& component, const Vector& position);
/// The constants of all materials, in their order, as assign_media takes them.
std::vector<fdtd::Material> constants_of(const Scene& scene);

}  // namespace asterism::fdtd::scene

// SPDX-License-Identifier: Apache-2.0
// Maxwell's equations by the finite-difference time-domain method on Yee's grid. SI units. Arrays over cells and
// entries have z fastest: cell (x, y, z) is number (x ny + y) nz + z. Entry (i, j, k) of a component lies at the lower
// corner of cell (i, j, k), half a cell further along its own axis where it is of E, along both others where it is of
// H.
#pragma once

#include <array>
#include <asterism/precision.hpp>
#include <asterism/session.hpp>
#include <complex>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace asterism {
ASTERISM_BEGIN_INTERFACE
namespace fdtd {

/// What ends the domain at a face.
enum class Face {
  electric,   ///< a perfect electric conductor
  magnetic,   ///< a perfect magnetic conductor
  periodic,   ///< both faces of an axis or none
  absorbing,  ///< layers inside the grid that absorb waves (CPML), before an electric conductor
};

enum class Component { ex, ey, ez, hx, hy, hz };

/// A value for each cell, in the caller's memory; it is read once. Empty: vacuum.
struct Materials {
  std::span<const double> epsilon = {};  ///< relative permittivity
  std::span<const double> mu = {};       ///< relative permeability
  std::span<const double> sigma = {};    ///< conductivity, S/m; infinity: a perfect conductor
  std::span<const double> sigma_m = {};  ///< magnetic loss, ohm/m
};

/// A current along an edge of E (A m), or a magnetic one through a face (V m).
struct Source {
  Component component = Component::ez;
  std::array<int, 3> entry{};
  /// Value number n is that of step n: of E at the middle of the step, of H at its beginning. Zero after the last one.
  std::vector<double> moment;
};

/// An entry whose value is kept after each step.
struct Probe {
  Component component = Component::ez;
  std::array<int, 3> entry{};
};

struct Options {
  std::array<int, 3> cells{100, 100, 100};
  std::array<double, 3> spacing{1, 1, 1};  ///< edges of a cell, m
  std::array<Face, 6> faces{};             ///< -x, +x, -y, +y, -z, +z
  int absorbing_cells = 10;                ///< thickness of absorbing layers
  double courant = 0.99;                   ///< time step by the largest stable one in vacuum, at most 1
  Precision precision = Precision::double_precision;
  std::vector<Source> sources = {};
  std::vector<Probe> probes = {};
  std::optional<double> gpu_share = {};  ///< of the cells, 0 to 1; none: by rates of this machine
};

/// Where field() takes values.
enum class At {
  entries,  ///< raw: shape() values, zero where the component has no entry
  centres,  ///< means of the entries around the centre of each cell
};

/// What a scene's monitor has seen of a component.
struct Spectrum {
  std::string monitor;
  Component component = Component::ex;
  std::vector<double> frequencies;  ///< Hz
  std::array<int, 3> first{};       ///< entry
  std::array<int, 3> shape{};       ///< entries along x, y and z
  /// Transforms of the field, its unit times s, exp(+i w t): [frequency][x][y][z]
  std::vector<std::complex<double>> values;
};

/// What a scene's far field has in a direction at a frequency.
struct FarField {
  int number = 0;                       ///< of the scene's far field
  double frequency = 0;                 ///< Hz
  double theta = 0, phi = 0;            ///< degrees, from the z axis and from the x axis
  std::complex<double> e_theta, e_phi;  ///< E r exp(i k r) along theta and phi, V s
  double radiated = 0;                  ///< transform of the power through the surface, J/Hz times 1/4
  double directivity = 0;
  std::optional<double> scattering_cross_section;  ///< m^2, with one plane wave and no dipoles
  std::optional<double> radar_cross_section;       ///< m^2, likewise
};

/// The power through a plane of a scene at a frequency.
struct Flux {
  std::string name;
  double frequency = 0;  ///< Hz
  double power = 0;      ///< of the transforms, towards growing coordinates, J/Hz times 1/4
};

/// What a scene's probe with `ringdown` says of a resonance.
struct Resonance {
  std::string probe;     ///< "cavity.Ex"
  double frequency = 0;  ///< Hz
  double quality = 0;    ///< Q: 2 pi times the energy by what a period loses of it
  double residual = 0;   ///< root mean square of what one decaying oscillation does not explain, by that of all
};

/// What the ports of a scene have seen at a frequency, phasors at exp(+i w t).
struct Scattering {
  double frequency = 0;                 ///< Hz
  std::complex<double> generator;       ///< transform of the generator's voltage, V s
  std::complex<double> impedance;       ///< into which it feeds, ohm
  std::vector<std::complex<double>> s;  ///< of each port from the one with the generator, by its own resistance
};

/// A domain and its fields.
class ASTERISM_EXPORT Simulation {
 public:
  /// Cuts the domain for the session's units; all fields are zero at step 0. Throws Error (bad_input): sizes, faces,
  /// materials, sources and probes that cannot be, arrays of other lengths, more than 65535 different materials.
  Simulation(Session& session, const Options& options, const Materials& materials = {});
  /// A scene in TOML, as a file of asterism-fdtd --scene has it: grid, materials, geometry, sources, probes, monitors,
  /// far fields, ports. Files that it names are relative to `folder`; its [[outputs]] and [[slices]] are not written.
  /// Throws Error (bad_input) with line and key.
  static Simulation from_scene(Session& session, const std::string& text, const std::string& folder = {});
  ~Simulation();
  Simulation(Simulation&& other) noexcept;
  Simulation& operator=(Simulation&& other) noexcept;
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  /// Begins again at step 0 without set-up: fields, absorbing layers, probes and monitors are as new.
  void start();
  /// Other values of a source of Options, from the next step on. Throws Error (bad_input): no such source.
  void set_moment(std::size_t source, std::span<const double> moment);

  /// So many time steps. `progress` is called with the step after each `every` of them, and after the last one; it may
  /// call the other functions of this simulation, and what it throws ends the call. The bits are those of
  /// asterism-fdtd, however the steps are divided among calls. Throws Error: bad_input for numbers below 0, failed for
  /// fields that are not finite, looked for every 100 steps.
  void advance(long steps, const std::function<void(long step)>& progress = {}, long every = 100);

  [[nodiscard]] long step() const;
  /// Steps that a scene asks for; 0 without one.
  [[nodiscard]] long steps() const;
  [[nodiscard]] double time_step() const;              ///< s
  [[nodiscard]] std::array<int, 3> cells() const;      ///< along x, y and z
  [[nodiscard]] std::array<int, 3> shape() const;      ///< entries: one more beside a magnetic upper face
  [[nodiscard]] std::array<double, 3> origin() const;  ///< lower corner of the domain, m: of a scene

  /// A component in V/m or A/m: after step n, E of n time steps and H of n - 1/2. Throws Error: bad_input for a wrong
  /// length, failed for fields that are not finite.
  void field(Component component, std::span<double> to, At at = At::entries) const;

  /// Values of probe p after steps 1 to step(): number (n - 1) probes + p, in V/m or A/m.
  [[nodiscard]] std::vector<double> probe_values() const;
  /// Names of probes: "gap.Ez" of a scene, "ez 1 2 3" otherwise.
  [[nodiscard]] std::vector<std::string> probe_names() const;
  /// What the monitors of a scene have seen so far.
  [[nodiscard]] std::vector<Spectrum> spectra() const;
  /// What its far fields have, in the order of far fields, frequencies and directions.
  [[nodiscard]] std::vector<FarField> far_fields() const;
  /// What passed through its planes so far, in the order of planes and frequencies.
  [[nodiscard]] std::vector<Flux> fluxes() const;
  /// What its probes with `ringdown` say, from what they have seen so far; none where nothing decays yet.
  [[nodiscard]] std::vector<Resonance> resonances() const;
  /// What its ports have seen so far, by frequency.
  [[nodiscard]] std::vector<Scattering> scattering() const;

 private:
  class ASTERISM_HIDDEN State;
  explicit Simulation(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace fdtd
ASTERISM_END_INTERFACE
}  // namespace asterism

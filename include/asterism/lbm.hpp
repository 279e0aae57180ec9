// SPDX-License-Identifier: Apache-2.0
// Weakly compressible flow by the lattice Boltzmann method, D3Q19. Lattice units: cells and time steps are 1, densities
// are near 1, velocities small against the speed of sound, 0.577. Arrays over cells have x fastest: cell (x, y, z) is
// number x + nx (y + ny z).
#pragma once

#include <array>
#include <asterism/precision.hpp>
#include <asterism/session.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace asterism {
ASTERISM_BEGIN_INTERFACE
namespace lbm {

/// What is beyond a face of the domain.
struct Face {
  enum class Kind {
    wall,      ///< at rest, or moving at `velocity`: along the face a lid, into the domain an inlet
    periodic,  ///< both faces of an axis or none
    pressure,  ///< an outlet of density `density`
    parabola,  ///< an inlet of mean velocity `velocity`: a parabola across each axis between walls
  };
  Kind kind = Kind::wall;
  std::array<double, 3> velocity{};  ///< cells per step, at most 0.2887 anywhere
  double density = 1;
};

enum class Collision {
  bgk,              ///< one relaxation time
  trt,              ///< two, which puts walls exactly half-way between cells
  central_moments,  ///< of moments in the frame of the fluid: for Reynolds numbers of 10^4 and more
};

struct Options {
  std::array<int, 3> cells{64, 64, 64};  ///< nx, ny, nz
  std::array<Face, 6> faces{};           ///< -x, +x, -y, +y, -z, +z
  Collision collision = Collision::bgk;
  double tau = 0.6152;  ///< relaxation time, 3 viscosity + 1/2, more than 1/2
  /// (tau - 1/2)(tau_odd - 1/2) of trt (none: 3/16), or of the third order of central_moments (none: tau_odd is 1)
  std::optional<double> magic = {};
  double smagorinsky = 0;         ///< constant of the turbulence model; 0: no model
  std::array<double, 3> force{};  ///< on the fluid, per cell and step
  Precision precision = Precision::double_precision;
  std::array<double, 3> velocity{};  ///< of the fluid at step 0, density 1, unless start() says otherwise
  /// cells of a layer before an outlet at +x that takes up eddies and sound, behind an inlet at -x: 0, or 8 at least
  int sponge = 0;
  std::optional<double> gpu_share = {};  ///< of the cells, 0 to 1; none: by rates of this machine
};

/// kinematic viscosity of a Reynolds number, and the relaxation time that has it: 3 velocity length / reynolds + 1/2.
ASTERISM_EXPORT double relaxation_time(double velocity, double length, double reynolds);

/// A body whose cells are solid.
struct Body {
  enum class Shape {
    sphere,
    cylinder,  ///< along y, through the whole domain
  };
  enum class Walls {
    staircase,     ///< the surface is half-way along links to solid cells
    interpolated,  ///< the surface is where it is: linear interpolation along links (Bouzidi and others 2001)
  };
  std::string file = {};  ///< a closed surface: STL, OBJ, OFF, PLY, gmsh; empty: `vertices` and `triangles`
  std::span<const double> vertices = {};         ///< x, y, z of each, in any unit
  std::span<const std::int32_t> triangles = {};  ///< three vertices of each, counted from 0; none: `shape`
  double length = 1;                             ///< of the body's longest side, or diameter of the shape, in cells
  std::array<double, 3> degrees{};               ///< turned about x, y and z
  std::optional<std::array<double, 3>> position = {};  ///< centre, in cells; none: a quarter of nx, half of ny and nz
  Shape shape = Shape::sphere;                         ///< of a body without a surface
  Walls walls = Walls::staircase;                      ///< in a Simulation of this body
};

/// A byte for each cell: 1 where the centre of the cell lies in the body. Throws Error (bad_input): a surface that is
/// not closed, a body that is longer than the domain or has no cell in it.
ASTERISM_EXPORT std::vector<std::uint8_t> solid_cells(const Body& body, const std::array<int, 3>& cells);

/// Where density and velocity go: a value for each cell, written in place. What is empty is left out.
struct Fields {
  std::span<double> density;
  std::span<double> u, v, w;  ///< velocity along x, y, z in cells per step
};

/// What a flow begins with: a value for each cell. Empty: density 1, and Options::velocity.
struct Initial {
  std::span<const double> density = {};
  std::span<const double> u = {}, v = {}, w = {};
};

/// Sums over the fluid cells.
struct Totals {
  double mass = 0;                   ///< sum of rho - 1
  std::array<double, 3> momentum{};  ///< sum of rho u
  double energy = 0;                 ///< sum of rho u^2 / 2
  double speed = 0;                  ///< largest |u|
};

/// A flow and its state.
class ASTERISM_EXPORT Simulation {
 public:
  /// Cuts the domain for the session's units and sets the state of step 0. `solid`: a byte for each cell, not 0 where
  /// there is no fluid; copied; empty: fluid everywhere. Throws Error (bad_input): sizes, faces, relaxation times,
  /// forces and velocities that cannot be, an array of another length.
  Simulation(Session& session, const Options& options, std::span<const std::uint8_t> solid = {});
  /// With the solid cells of a body, and its walls. Throws Error (bad_input) as solid_cells(), too.
  Simulation(Session& session, const Options& options, const Body& body);
  ~Simulation();
  Simulation(Simulation&& other) noexcept;
  Simulation& operator=(Simulation&& other) noexcept;
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  /// Begins again at step 0, with other values, without set-up. Throws Error (bad_input): wrong lengths, values that
  /// are not finite.
  void start(const Initial& initial = {});

  /// So many time steps. `progress` is called with the step after each `every` of them, and after the last one; it may
  /// call the other functions of this simulation, and what it throws ends the call. The bits are those of
  /// asterism-lbm, however the steps are divided among calls. Throws Error: bad_input for numbers below 0, failed for a
  /// flow that diverged, looked for every 50 steps; start() begins a new one.
  void advance(long steps, const std::function<void(long step)>& progress = {}, long every = 100);

  [[nodiscard]] long step() const;
  /// Density and velocity of the present step, in solid cells 1 and 0. Throws Error: bad_input for wrong lengths,
  /// failed for a flow that diverged.
  void fields(const Fields& to) const;
  /// Force of the fluid on all solid cells in the last step, by momentum exchange.
  [[nodiscard]] std::array<double, 3> force() const;
  /// Moment of that force about a point, in cells. A body that reaches through a periodic face has a moment about that
  /// axis only: the others are meaningless.
  [[nodiscard]] std::array<double, 3> moment(const std::array<double, 3>& about) const;
  [[nodiscard]] Totals totals() const;

  [[nodiscard]] std::int64_t cells() const noexcept;
  [[nodiscard]] std::int64_t fluid_cells() const noexcept;

 private:
  class ASTERISM_HIDDEN State;
  std::unique_ptr<State> state_;
};

}  // namespace lbm
ASTERISM_END_INTERFACE
}  // namespace asterism

// SPDX-License-Identifier: Apache-2.0
// A problem of the finite-difference time-domain method: the domain of Yee cells, its faces, what is in it, what drives
// it and where it is looked at. SI units.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "base/precision.hpp"
#include "codelets/fdtd/kernels/kernels.hpp"
#include "codelets/fdtd/kernels/media/cpml.hpp"
#include "codelets/fdtd/kernels/media/dispersive.hpp"
#include "codelets/fdtd/kernels/observers/monitor.hpp"
#include "codelets/fdtd/kernels/sources/plane_wave.hpp"

namespace asterism::fdtd {

/// CODATA 2018.
inline constexpr double vacuum_permittivity = 8.8541878128e-12;
inline constexpr double vacuum_permeability = 1.25663706212e-6;

/// An electric current along one edge of the grid: a dipole.
struct CurrentSource {
  int component = 2;
  std::array<int, 3> cell{};  ///< indices of the entry of E
  /// current times length (A m) at a time (s); asked for at the middle of each step, by any thread
  std::function<double(double time)> current;
};

/// A lumped resistor along an edge of the grid, in the field's own equation (Piket-May, Taflove, Baron, IEEE
/// Transactions on Microwave Theory and Techniques 42, 1994): the edge has the conductivity length / (resistance x area
/// of its dual face) beside that of the cells around. Without resistance it is a thin perfect conductor.
struct Resistor {
  int component = 2;
  std::array<int, 3> cell{};  ///< indices of the entry of E
  double resistance = 0;      ///< ohm
};

/// An edge of E with a medium of its own, in place of the mean over the cells around: at surfaces that cross them.
struct SmoothedEdge {
  int component = 2;
  std::array<int, 3> cell{};  ///< indices of the entry of E
  Medium medium;
};

/// An edge of E or a face of H near a conductor whose surface crosses cells, with what replaces its medium; infinite
/// loss: inside. Of E on edges the share outside is a factor of the entry (scene/surfaces/conformal.hpp).
struct CutEntry {
  Field field = Field::electric;
  int component = 2;
  std::array<int, 3> cell{};
  Medium medium;
};

/// Where a surface crosses the grid, the inverse of the permittivity is a matrix of edges: in each step the edge
/// changes by what its own curl does and by `factor` times what that of the other edge does there. Both lie away from
/// conductors, losses and poles.
struct Coupling {
  int component = 2;
  std::array<int, 3> cell{};  ///< indices of the entry of E
  int other_component = 2;
  std::array<int, 3> other_cell{};
  double factor = 0;
};

/// An entry whose values are recorded after each step.
struct Probe {
  Field field = Field::electric;
  int component = 2;
  std::array<int, 3> cell{};
};

/// A plane wave that is part of the field between the planes of a box, [x0, x1] and so on.
struct WaveInBox {
  PlaneWave wave;
  Box planes;
};

struct Problem {
  std::array<int, 3> cells{};
  std::array<double, 3> spacing{};  ///< m, of the smallest cells where the mesh is graded
  GradedMesh mesh;
  double dt = 0;  ///< s
  /// Face::neighbour: periodic, both faces of an axis or none
  std::array<Face, 6> face{Face::electric, Face::electric, Face::electric,
                           Face::electric, Face::electric, Face::electric};
  Precision precision = Precision::double_precision;
  double eps0 = vacuum_permittivity, mu0 = vacuum_permeability;  ///< of the background
  std::vector<Material> materials;                               ///< empty: the background everywhere
  std::vector<std::uint16_t> material;                           ///< of each cell, z fastest; empty: as materials
  std::vector<std::vector<Pole>> poles;                          ///< of each material; those without may be left out
  Cpml cpml;                                                     ///< absorbing layers, before electric conductors
  std::vector<SmoothedEdge> smoothed;                            ///< away from conductors and poles
  std::vector<Coupling> couplings;                               ///< symmetric, the energy positive
  std::vector<CutEntry> cut;                                     ///< in a domain with materials, without poles
  std::vector<Resistor> resistors;                               ///< in a domain with materials, without poles
  std::vector<CurrentSource> sources;
  std::vector<CurrentSource> magnetic_sources;  ///< along entries of H: V m at the beginning of each step
  std::vector<WaveInBox> waves;
  std::vector<Probe> probes;
  std::vector<Monitor> monitors;
  /// E at time 0 (V/m) and H half a step before (A/m), of an entry; empty: 0
  std::function<double(Field field, int component, int i, int j, int k)> initial;
};

double cells_of(const Problem& problem);
/// m: along an axis, what an entry stands for; a product of three.
double length_of(const Problem& problem, Field field, int component, int axis, const std::array<int, 3>& entry);
/// m^3
double volume_of(const Problem& problem, Field field, int component, const std::array<int, 3>& entry);
/// S/m: what a resistor adds to its edge; infinity without resistance.
double conductivity(const Problem& problem, const Resistor& resistor);
bool has_layers(const Problem& problem);
bool has_poles(const Problem& problem);
/// The smallest box of cells that has all with poles.
Box cells_with_poles(const Problem& problem);
/// Are edges coupled with those of the next planes and rows only?
bool couples_neighbours(const Problem& problem);
/// Can strips along x overlap? Where cells have the same lengths and edges are coupled so.
bool may_overlap(const Problem& problem);
/// Planes of a strip that lose what is right beside them in a step.
inline int planes_of_step(const Problem& problem) {
  return problem.couplings.empty() ? 1 : 2;
}
/// As the kernels ask for it.
Cells cells_with_materials(const Problem& problem);
Space space_of(const Problem& problem);

/// Largest stable time step of the background: the Courant-Friedrichs-Lewy limit (Taflove and Hagness, section 4.7)
///   c dt < 1 / sqrt(1/dx^2 + 1/dy^2 + 1/dz^2)
double largest_time_step(const Problem& problem);
/// Time step in units of that limit.
double courant_number(const Problem& problem);

/// The domain as one sub-domain.
Grid whole_grid(const Problem& problem);
/// Entries along each axis: one more than cells where the upper face is a magnetic conductor.
std::array<int, 3> extents(const Problem& problem);

/// Throws Error (bad input) with one line for what cannot be: sizes, spacings, a time step beyond the limit or beyond
/// that of the fastest medium, one periodic face of an axis, materials that are not passive, cells of no material,
/// sources and probes beyond the domain or on perfect conductors, absorbing layers that are too thick or before a face
/// that is no electric conductor, waves and monitors that do not fit.
void check(const Problem& problem);

/// "ez", "hx", ...
const char* component_name(Field field, int component);

}  // namespace asterism::fdtd

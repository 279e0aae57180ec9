// SPDX-License-Identifier: Apache-2.0
// From fields on a closed box to those at a distance, in the frequency domain (surface equivalence: Taflove and
// Hagness, chapter 8; Balanis, Advanced Engineering Electromagnetics, chapter 6; time factor exp(+i w t)). With n
// outward,
//   J = n x H, M = -n x E,  N = integral of J exp(i k r^ . r') dS,  L = integral of M exp(i k r^ . r') dS
//   E_theta = -i k exp(-i k r) / (4 pi r) (L_phi + eta N_theta)
//   E_phi   =  i k exp(-i k r) / (4 pi r) (L_theta - eta N_phi)
// E is known on the faces and H half a cell before and behind. The currents are those of the scheme itself, as a box of
// total field has them (plane_wave.hpp): E of the face is short of an H half a cell away, which makes a J on the face;
// that H is short of E of the face, which makes an M where H is. Of the two boxes that a face can be part of, H before
// or behind it, the mean is taken: J from the arithmetic mean of H, M in halves before and behind. Both then have the
// same factor cos(k d / 2), where a J on the face and an M on the face would disagree. (The geometric mean of H has not
// that factor, but is not linear in the field and fails where H changes sign.)
#pragma once

#include <array>
#include <complex>
#include <vector>

#include "codelets/fdtd/kernels/observers/flux.hpp"

namespace asterism::fdtd {

/// Six planes that enclose the nodes of a box: -x, +x, -y, +y, -z, +z.
struct ClosedSurface {
  Box nodes;
  std::array<Plane, 6> planes;
};
/// Nodes x0 to x1, both included, and so on; in vacuum, with all sources and scatterers inside and at least a cell
/// between them and the box, for the far field of the sum of all.
ClosedSurface closed_surface(const Box& nodes, const std::vector<double>& frequencies, std::int32_t every);

/// What was recorded on the planes.
struct SurfaceSpectra {
  explicit SurfaceSpectra(const ClosedSurface& surface);
  std::vector<Spectrum> electric, magnetic;
};

/// flux() out of it.
double radiated(const ClosedSurface& surface, const SurfaceSpectra& spectra, const double (&spacing)[3], int f,
                const GradedMesh& mesh = {});

/// The vacuum around, and the lattice in it.
struct Surroundings {
  double spacing[3];
  double eps0, mu0;
  double centre[3];  ///< phases are those of waves that start there, in spacings
  GradedMesh mesh = {};
};

/// Radian; towards (sin theta cos phi, sin theta sin phi, cos theta).
struct Towards {
  double theta, phi;
};
/// E r exp(i k r) at a distance r: V/m m s as transforms are, V for phasors.
struct FarField {
  std::complex<double> theta, phi;
  /// |E|^2 r^2
  [[nodiscard]] double squared() const { return std::norm(theta) + std::norm(phi); }
};
/// At frequency number f, for a list of directions. Each takes 8 flops for each entry of E and H on the surface.
std::vector<FarField> far_field(const ClosedSurface& surface, const SurfaceSpectra& spectra, const Surroundings& around,
                                int f, const std::vector<Towards>& directions);

/// Power per solid angle, W/sr for phasors.
double intensity(const FarField& far, const Surroundings& around);
/// Radiated power, from the far field in all directions: Gauss-Legendre in cos theta, equidistant in phi; as many as
/// the size of the surface in wavelengths asks for.
double radiated_far(const ClosedSurface& surface, const SurfaceSpectra& spectra, const Surroundings& around, int f);
/// The directivity in a direction: 1 for equal radiation into all.
double directivity(const FarField& far, const Surroundings& around, double radiated);
/// m^2, of the scattered field of a plane wave whose E is `incident`, a transform or phasor as well.
double radar_cross_section(const FarField& scattered, std::complex<double> incident);

/// Abscissas in (-1, 1) and weights.
struct Quadrature {
  std::vector<double> x, weight;
};
Quadrature gauss_legendre(int points);

}  // namespace asterism::fdtd

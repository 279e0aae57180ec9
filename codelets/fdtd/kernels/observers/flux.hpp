// SPDX-License-Identifier: Apache-2.0
// Power through planes, from frequency-domain monitors of the tangential fields.
#pragma once

#include <vector>

#include "codelets/fdtd/kernels/graded_mesh.hpp"
#include "codelets/fdtd/kernels/observers/monitor.hpp"

namespace asterism::fdtd {

/// Whether a plane's last nodes are other ones than its first.
enum class Edge : std::int8_t { open, periodic };

/// A rectangle on plane `at` across an axis, between nodes: b and c, the axes that follow, run from `lower` to `upper`.
/// Electric monitor: E_b and E_c on it. Magnetic: H_c and H_b half a cell before and after it. Within the plane, E_b
/// and H_c are known at the same places, E_c and H_b as well, so half a cell across is all that is averaged.
struct Plane {
  std::int32_t axis, at;
  std::int32_t lower[2], upper[2];
  Edge edge[2];
  Monitor electric, magnetic;
};
/// Nodes lower to upper; along a periodic axis they may go from 0 to n, which are the same.
Plane plane_between(int axis, int at, const std::int32_t (&lower)[2], const std::int32_t (&upper)[2],
                    const Edge (&edge)[2], const std::vector<double>& frequencies, std::int32_t every);

/// Trapezoidal rule between nodes, along an axis, in spacings: 1, and 1/2 for entries on an open edge, unless the mesh
/// is graded. `m`: number of the component of E, or of that of H which is known at the same places.
double share_of(const Plane& plane, int m, int along, std::int32_t entry, const GradedMesh& mesh);

/// 1/2 Re integral of (E x conj H) . axis, of transforms as they are: of phasors divided by s^2 it is the mean power in
/// W; of a pulse, 4 times the integral over positive frequencies is the energy in J. H is the mean of both sides of the
/// plane; in vacuum the sum over a closed surface does not depend on the surface (as E and H of the scheme obey
/// Poynting's theorem with either side).
double flux(const Plane& plane, const Spectrum& electric, const Spectrum& magnetic, const double (&spacing)[3], int f,
            const GradedMesh& mesh = {});

}  // namespace asterism::fdtd

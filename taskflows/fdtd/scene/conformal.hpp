// SPDX-License-Identifier: Apache-2.0
// Perfect conductors whose surface crosses cells (Dey and Mittra, IEEE Microwave and Guided Wave Letters 7, 273, 1997).
#pragma once

#include <vector>

#include "taskflows/fdtd/problem.hpp"
#include "taskflows/fdtd/scene/scene.hpp"

namespace asterism::fdtd::scene {

/// Edges and faces near conductors with their media. Faraday's law of a face holds in the share `a` of its area that is
/// outside, and its edges count with the share `l` of their length outside,
///   mu a dH/dt = - sum of +- l E / spacing,  eps dE/dt = curl H
/// In l E instead of E these are the equations of a medium eps / l on the edge and mu a on the face, so kernels are the
/// same; entries of E on cut edges hold l E. Shares are those of points, 16 along an edge of a
/// cell. The time step of the grid stays stable where neither a face nor an edge by itself has more than two thirds of
/// the frequency, squared, that it allows:
///   sum of l / spacing^2 over the edges of a face <= a L,  l sum of 1 / (a spacing^2) over the faces of an edge <= L,
///   L = (2/3) (4 / Courant^2) sum of 1 / spacing^2
/// Shares of faces that are smaller are made so large.
std::vector<CutEntry> cut_entries(const Scene& scene, const Problem& problem);

}  // namespace asterism::fdtd::scene

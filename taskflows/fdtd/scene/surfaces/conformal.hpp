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
/// same; entries of E on cut edges hold l E. Shares are those of points, 16 along an edge of a cell.
/// A thin cell before a wall holds a wave of its own. Along an axis, with D = l (1/a + 1/a') of an edge and the faces
/// on both sides, in units of 1 / spacing^2, it has the frequency, squared, D + 1 / (D - 2), where those of the grid
/// end at 4. The time step allows it where that is at most 4 / Courant^2, so faces are made so large that D is no more
/// than that limit, nor (l + l') / a of a face and opposite edges. On a graded mesh 1 / a counts by the inverse length
/// of the cell, l by that of the distance of centres, in spacings; longer cells only lower these frequencies.
std::vector<CutEntry> cut_entries(const Scene& scene, const Problem& problem);

}  // namespace asterism::fdtd::scene

// SPDX-License-Identifier: Apache-2.0
// Surfaces that cross cells: edges of E with a mean over the cell around them instead of the cells' centres.
#pragma once

#include <vector>

#include "taskflows/fdtd/problem.hpp"
#include "taskflows/fdtd/scene/scene.hpp"

namespace asterism::fdtd::scene {

/// The edges whose medium is another one than the mean over the four cells around, `material` of each cell given.
/// Around an edge along axis i lies a box of one cell. With mean() over the box and n for the normal of the
/// surface in it, eps is the diagonal of the tensor that replaces the surface (Farjadpour et al., Optics Letters 31,
/// 2972, 2006; the diagonal alone: Kaneda, Itoh and Houshmand, IEEE Transactions on Microwave Theory and Techniques 45,
/// 1645, 1997):
///   1/eps_ii = n_i^2 mean(1 / eps) + (1 - n_i^2) / mean(eps)
/// and sigma is what makes eps - i sigma/omega follow it to first order in sigma. It is the arithmetic mean where the
/// surface is parallel to the edge and the harmonic one where it is normal to it. Means are those of 8 x 8 x 8 points;
/// |n_i| is proportional to the changes of eps from point to point along axis i, as many as rows of points that cross
/// the surface. Results are rounded to 12 significant bits, so large surfaces have few media. Points beyond the domain
/// are left out. Edges with a perfect conductor or a dispersive medium around keep the mean over cells.
std::vector<SmoothedEdge> smoothed_edges(const Scene& scene, const Problem& problem);

}  // namespace asterism::fdtd::scene

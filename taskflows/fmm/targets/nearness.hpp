// SPDX-License-Identifier: Apache-2.0
// How near targets are to sources, and the accuracy of expansions that they need. Where a source is near, its field is
// most of the field, and is summed directly. Elsewhere all is far field, and the error of its gradient counts in full.
#pragma once

#include "taskflows/fmm/particles/particles.hpp"

namespace asterism::fmm {

/// The share of targets with a source in their cell or a cell next to it, on the level whose cells with sources have
/// some of them each: 1 for a grid in a cube of particles, 0 for targets far outside. From samples of the points of all
/// ranks, which have to call it together.
double share_near_sources(const Particles& sources, const Particles& targets);

/// The setting (problem.hpp, accuracy()) that gives relative L2 errors of at most 10^-acc at targets of which this
/// share is near sources: two higher where less than half are, one higher for an accuracy below 4, of fields of charges
/// of one sign between these; at most the highest.
int setting_for_targets(int acc, double share_near);

}  // namespace asterism::fmm

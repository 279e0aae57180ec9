// SPDX-License-Identifier: Apache-2.0
// Trees that the tests of groups and of ranks are made with.
#pragma once

#include "taskflows/fmm/particles/particles.hpp"
#include "taskflows/fmm/tree/tree.hpp"

namespace asterism::fmm {

/// The tree of all particles, in the cube around them.
inline Tree whole_tree(const Particles& p, const TreeShape& shape) {
  return {p.x, p.y, p.z, bounding_box(p.x, p.y, p.z), shape};
}

inline Leaves leaves_of(const Tree& tree) {
  return {tree.leaves().key, tree.leaf_begin()};
}

}  // namespace asterism::fmm

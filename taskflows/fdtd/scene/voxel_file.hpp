// SPDX-License-Identifier: Apache-2.0
// Materials of cells from a dataset of integers in an HDF5 file.
#pragma once

#include <string>

#include "taskflows/fdtd/scene/voxelise.hpp"

namespace asterism::fdtd::scene {

/// Cells of the grid that a voxel file covers; empty when none. Throws Error (bad_input), beginning with `where`,
/// unless the dataset has three dimensions, holds integers, and every one of them in the grid has a meaning.
Box check_voxels(const VoxelFile& voxels, const Grid& grid, const std::string& where);

/// `covered`: what check_voxels returned. Memory: of some planes.
void paint_voxels(const VoxelFile& voxels, const Box& covered, const Canvas& canvas);

}  // namespace asterism::fdtd::scene

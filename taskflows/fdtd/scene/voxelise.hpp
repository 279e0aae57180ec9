// SPDX-License-Identifier: Apache-2.0
// The material of every cell of a scene.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "taskflows/fdtd/scene/scene.hpp"

namespace asterism::fdtd::scene {

/// Cells of a box and their materials, indices into Scene::materials: z fastest, then y, nothing between rows.
struct Canvas {
  Box box;
  std::uint16_t* material;

  /// The material of the first cell of a row along z.
  [[nodiscard]] std::uint16_t* row(std::int32_t x, std::int32_t y) const {
    return material + (static_cast<std::int64_t>(x - box.x0) * (box.y1 - box.y0) + (y - box.y0)) * (box.z1 - box.z0);
  }
};

class Geometry {
 public:
  /// Reads meshes and checks voxel files. Throws Error (bad_input): files that cannot be read, surfaces that are not
  /// closed, voxels of values that have no meaning, bodies that hold no centre of a cell of the grid.
  /// `times`: the grid of the canvases has so many cells along each edge of a cell of the scene; voxels stay as they
  /// are.
  explicit Geometry(const Scene& scene, int times = 1);

  /// Fills the cells of a box within the grid: the background, then the bodies in their order. A cell has the material
  /// of the body that holds its centre (staircases at curved surfaces, no averaging), whatever box it is filled with.
  /// By all OpenMP threads; keeps nothing but what it returns, so ranks of a cluster fill their own boxes.
  void fill(const Canvas& canvas) const;
  /// The material at a point of the domain (m), not of a cell; none in a scene with meshes or voxels.
  [[nodiscard]] std::optional<std::uint16_t> at(const Vector& point) const;
  /// Cells of the whole grid.
  [[nodiscard]] std::vector<std::uint16_t> fill() const;

 private:
  Grid grid_;
  std::uint16_t background_;
  struct Body {
    std::function<void(const Canvas&)> paint;
    std::function<bool(const Vector&)> holds;  ///< empty: not known of points
    std::uint16_t material;
  };
  std::vector<Body> bodies_;
};

}  // namespace asterism::fdtd::scene

// SPDX-License-Identifier: Apache-2.0
// A structural analysis as its TOML file describes it: mesh, materials, supports and loads, each by a physical group of
// the mesh or by a region of space (docs/methods/cg.md, "Models").
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "taskflows/cg/matrix/elasticity_nodes.hpp"

namespace asterism::cg {

/// Points no farther from an axis through `centre` than `radius`.
struct Cylinder {
  std::size_t axis = 0;
  std::array<double, 3> centre = {};
  double radius = 0;
};

/// Points that fulfil all that is given, in the unit of the mesh file.
struct Region {
  std::array<std::optional<std::array<double, 2>>, 3> range = {};  ///< lowest and highest coordinate along each axis
  std::optional<Cylinder> cylinder = {};
};

/// A part of the mesh: a physical group by its name or tag, or what lies in a region; all of the mesh when nothing is
/// given.
struct Selection {
  std::string name = {};
  std::optional<std::int64_t> tag = {};
  std::optional<Region> region = {};
  std::string place = {};  ///< where the file says it, for messages: "part.toml: line 7: supports[0]"

  [[nodiscard]] bool group() const { return !name.empty() || tag.has_value(); }
  [[nodiscard]] bool everything() const { return !group() && !region; }
};

struct ModelMaterial {
  Selection part;
  double young = 0;                    ///< Pa
  double poisson = 0;                  ///< none
  std::optional<double> density = {};  ///< kg/m^3
};

struct Support {
  std::string name;
  Selection part;
  std::array<std::optional<double>, 3> displacement = {};  ///< along each axis, m; empty: free
};

enum class LoadKind {
  pressure,  ///< Pa on faces, against the outward normal
  traction,  ///< N/m^2 on faces, a vector
  force,     ///< N, a vector, spread evenly over faces, lines, points or a volume
  gravity,   ///< m/s^2, an acceleration of the whole body
};

struct Load {
  std::string name;
  Selection part;
  LoadKind kind = LoadKind::force;
  double pressure = 0;
  std::array<double, 3> vector = {};
};

struct Model {
  std::string file;
  std::filesystem::path mesh;
  double unit = 1;  ///< m for one unit of the mesh's coordinates
  Element element = Element::p2;
  Numbering numbering = Numbering::rcm;
  std::vector<ModelMaterial> materials;
  std::vector<Support> supports;
  std::vector<Load> loads;
};

/// Reads a model; the mesh is not looked at. Throws Error (bad_input), one line with file and line: missing or unknown
/// keys, with the nearest that is known, and values of another type or out of range.
Model read_model(const std::filesystem::path& path);

}  // namespace asterism::cg

// SPDX-License-Identifier: Apache-2.0
// Collisions, walls and settings that the tests of the lattice Boltzmann kernels share.
#pragma once

#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/codelets/lbm/domain.hpp"

namespace asterism::lbm::cases {

/// Sponges whose layers begin within small bricks; in the second the brick is part of a wider domain.
inline const Sponge uniform_sponge = {36, 40, {Wall::Kind::velocity, 0, {0.05, 0.01, -0.02}, 1}};
inline const Sponge parabola_sponge = {
    30, 36, {Wall::Kind::parabola, 0, {0.04, -0.01, 0.02}, 1, {0, 2, 1}, {0, 20, 9}}};
/// Every variant of the kernels.
inline const std::vector<std::pair<std::string, Collision>> collisions = {
    {"bgk", {Collision::Model::bgk, 0.6152, 3. / 16, 0, {0, 0, 0}}},
    {"bgk force", {Collision::Model::bgk, 0.71, 3. / 16, 0, {1e-3, -2e-3, 3e-3}}},
    {"bgk smagorinsky", {Collision::Model::bgk, 0.53, 3. / 16, 0.17, {0, 0, 0}}},
    {"bgk smagorinsky force", {Collision::Model::bgk, 0.53, 3. / 16, 0.17, {-3e-3, 1e-3, 2e-3}}},
    {"trt", {Collision::Model::trt, 0.8, 1. / 4, 0, {0, 0, 0}}},
    {"trt force", {Collision::Model::trt, 0.9, 3. / 16, 0, {2e-3, 3e-3, -1e-3}}},
    {"trt smagorinsky", {Collision::Model::trt, 0.55, 1. / 12, 0.2, {0, 0, 0}}},
    {"trt smagorinsky force", {Collision::Model::trt, 0.55, 3. / 16, 0.2, {1e-3, 2e-3, 4e-3}}},
    {"central", {Collision::Model::central_moments, 0.53, 3. / 16, 0, {0, 0, 0}}},
    {"central force", {Collision::Model::central_moments, 0.7, 3. / 16, 0, {-2e-3, 1e-3, 3e-3}}},
    {"central smagorinsky", {Collision::Model::central_moments, 0.502, 3. / 16, 0.18, {0, 0, 0}}},
    {"central smagorinsky force", {Collision::Model::central_moments, 0.51, 3. / 16, 0.18, {3e-3, -1e-3, 2e-3}}},
    {"central third", {Collision::Model::central_moments, 0.53, 3. / 16, 0, {0, 0, 0}, {}, 3. / 16}},
    {"central third force", {Collision::Model::central_moments, 0.7, 3. / 16, 0, {-2e-3, 1e-3, 3e-3}, {}, 1. / 4}},
    {"central third smagorinsky", {Collision::Model::central_moments, 0.502, 3. / 16, 0.18, {0, 0, 0}, {}, 1. / 6}},
    {"central third smagorinsky force",
     {Collision::Model::central_moments, 0.51, 3. / 16, 0.18, {3e-3, -1e-3, 2e-3}, {}, 1. / 12}},
    {"trt force sponge", {Collision::Model::trt, 0.8, 1. / 4, 0, {2e-3, 3e-3, -1e-3}, uniform_sponge}},
    {"central smagorinsky sponge",
     {Collision::Model::central_moments, 0.51, 3. / 16, 0.18, {0, 0, 0}, parabola_sponge}},
    {"central third sponge", {Collision::Model::central_moments, 0.51, 3. / 16, 0, {0, 0, 0}, parabola_sponge, 1. / 4}},
};

inline Wall moving(int face, double x, double y, double z) {
  return {Wall::Kind::velocity, face, {x, y, z}, 1};
}
inline Wall pressure(int face, double rho) {
  return {Wall::Kind::pressure, face, {0, 0, 0}, rho};
}
/// A parabola along x and z, of which the box is a part.
inline Wall parabola(int face, double x, double y, double z) {
  return {Wall::Kind::parabola, face, {x, y, z}, 1, {2, 0, 1}, {40, 0, 9}};
}
/// One wall per face, all different.
inline const std::vector<Wall> walls = {moving(0, 0.05, 0.01, 0.02),  pressure(1, 0.98),
                                        moving(2, 0.03, -0.01, 0.02), parabola(3, 0.04, 0.02, -0.03),
                                        moving(4, -0.02, 0.03, 0.01), pressure(5, 1.03)};

/// Walls of a setting, velocity walls last.
inline std::vector<Wall> velocity_walls_last(std::vector<Wall> list) {
  std::stable_partition(list.begin(), list.end(), [](const Wall& w) { return w.kind != Wall::Kind::velocity; });
  return list;
}

/// A block at an edge and single cells.
inline std::vector<std::array<int, 3>> obstacles(const std::array<int, 3>& n, unsigned seed) {
  std::vector<std::array<int, 3>> solid;
  std::mt19937 generator(seed);
  for (int z = 0; z < n[2]; ++z)
    for (int y = 0; y < n[1]; ++y)
      for (int x = 0; x < n[0]; ++x)
        if (generator() % 4 == 0 || (x < n[0] / 3 && y < 2 && z > 0)) solid.push_back({x, y, z});
  return solid;
}

}  // namespace asterism::lbm::cases

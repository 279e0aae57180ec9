// SPDX-License-Identifier: Apache-2.0
// Example 4: a slow stream past a body from a mesh, and its drag. The body is a ball of triangles, whose drag is known;
// or that of a file (STL, OBJ, OFF, PLY, gmsh).
//
//   flow [MESH]
#include <algorithm>
#include <asterism/lbm.hpp>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <vector>

namespace {

struct Ball {
  std::vector<double> vertices;
  std::vector<std::int32_t> triangles;

  /// A sphere with so many rings from pole to pole.
  explicit Ball(int rings) : vertices{0, 0, 1} {
    const int around = 2 * rings;
    for (int i = 1; i < rings; ++i)
      for (int j = 0; j < around; ++j) {
        const double theta = std::numbers::pi * i / rings, phi = 2 * std::numbers::pi * j / around;
        vertices.insert(vertices.end(),
                        {std::sin(theta) * std::cos(phi), std::sin(theta) * std::sin(phi), std::cos(theta)});
      }
    const auto last = static_cast<int>(vertices.size() / 3);
    vertices.insert(vertices.end(), {0, 0, -1});
    for (int j = 0; j < around; ++j) {
      const int k = (j + 1) % around;
      triangles.insert(triangles.end(), {0, 1 + j, 1 + k});
      for (int i = 0; i < rings - 2; ++i) {
        const int a = 1 + i * around, b = 1 + (i + 1) * around;
        triangles.insert(triangles.end(), {a + j, b + j, b + k, a + j, b + k, a + k});
      }
      const int a = 1 + (rings - 2) * around;
      triangles.insert(triangles.end(), {a + j, last, a + k});
    }
  }
};

}  // namespace

int main(int argc, char** argv) {
  namespace lbm = asterism::lbm;
  try {
    const double velocity = 0.05, reynolds = 20;
    const Ball ball(24);
    lbm::Options options;
    options.cells = {60, 40, 40};
    lbm::Body body;
    if (argc > 1) {
      body.file = argv[1];
      body.length = 30;
    } else {
      body.vertices = ball.vertices;
      body.triangles = ball.triangles;
      body.length = 8;
    }
    const std::vector<std::uint8_t> solid = lbm::solid_cells(body, options.cells);
    int front = 0;  // cells that the stream sees
    for (auto row = solid.begin(); row != solid.end(); row += options.cells[0])
      front += std::any_of(row, row + options.cells[0], [](std::uint8_t cell) { return cell != 0; }) ? 1 : 0;

    options.faces.fill({lbm::Face::Kind::periodic});
    options.faces[0] = {lbm::Face::Kind::wall, {velocity, 0, 0}};
    options.faces[1] = {lbm::Face::Kind::pressure};
    options.velocity = {velocity, 0, 0};
    options.collision = lbm::Collision::trt;
    options.tau = lbm::relaxation_time(velocity, body.length, reynolds);

    asterism::Session session;
    lbm::Simulation stream(session, options, solid);
    // sound runs to and fro between inlet and outlet, with a period of 4 nx / 0.577 steps: the mean over two of them
    const long period = std::lround(4 * options.cells[0] / 0.577);
    double drag = 0;
    int times = 0;
    stream.advance(1000);
    stream.advance(
        2 * period,
        [&](long) {
          drag += stream.force()[0] / (velocity * velocity / 2 * front);
          ++times;
        },
        13);
    drag /= times;
    std::printf("%td solid cells, %d in front: drag coefficient %.2f\n", std::count(solid.begin(), solid.end(), 1),
                front, drag);
    if (argc > 1) return 0;
    // Schiller and Naumann 1933; the periodic neighbours add to it
    const double alone = 24 / reynolds * (1 + 0.15 * std::pow(reynolds, 0.687));
    std::printf("a ball alone has %.2f\n", alone);
    return 0.9 * alone < drag && drag < 1.3 * alone ? 0 : 1;
  } catch (const asterism::Error& error) {
    std::fprintf(stderr, "flow: %s\n", error.what());
    return error.kind() == asterism::Error::Kind::bad_input ? 2 : 1;
  }
}

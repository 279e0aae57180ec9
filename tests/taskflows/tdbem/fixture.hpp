// SPDX-License-Identifier: Apache-2.0
// What the tests of TD-BEM share: errors, and a body without symmetries.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "base/error.hpp"
#include "codelets/tdbem/kernels/point.hpp"
#include "io/mesh/mesh.hpp"

namespace asterism::tdbem {

/// The line of an error that has to be the user's; a failure of the test if there is none.
template <class Call>
std::string complaint(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::bad_input);
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
    return error.what();
  }
  ADD_FAILURE() << "no error";
  return {};
}

inline void expect_names(const std::string& line, const std::string& what) {
  EXPECT_NE(line.find(what), std::string::npos) << line;
}

/// Corners 0, x, y, z: volume x y z / 6.
inline mesh::TriangleMesh tetrahedron(double x, double y, double z) {
  return {{{0, 0, 0}, {x, 0, 0}, {0, y, 0}, {0, 0, z}}, {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}}};
}

/// Adds another body, moved by `shift` along x.
inline void append(mesh::TriangleMesh& mesh, const mesh::TriangleMesh& other, double shift) {
  const auto first = static_cast<std::int32_t>(mesh.vertices.size());
  for (const auto& v : other.vertices) mesh.vertices.push_back({v[0] + shift, v[1], v[2]});
  for (const auto& t : other.triangles) mesh.triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
}

inline void expect_near(const Point& a, const Point& b, double tolerance) {
  EXPECT_NEAR(a.x, b.x, tolerance);
  EXPECT_NEAR(a.y, b.y, tolerance);
  EXPECT_NEAR(a.z, b.z, tolerance);
}

}  // namespace asterism::tdbem

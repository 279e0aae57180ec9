// SPDX-License-Identifier: Apache-2.0
// A sub-domain of Yee cells: where the six components lie, in space and in memory, and who updates which of them.
//
// Entry (i, j, k) of a component lies at (Yee, IEEE Trans. Antennas and Propagation 14, 1966, in units of dx, dy, dz)
//   Ex (i + 1/2, j, k)           Hx (i, j + 1/2, k + 1/2)
//   Ey (i, j + 1/2, k)           Hy (i + 1/2, j, k + 1/2)
//   Ez (i, j, k + 1/2)           Hz (i + 1/2, j + 1/2, k)
// so along an axis a component lies either on planes between cells (E tangential to them, H normal to them) or
// half-way. Of nx cells from plane 0 to plane nx, the entries that a sub-domain updates are, along x and likewise y and
// z,
//   half-way     0 .. nx - 1
//   on planes    0 .. nx - 1, but 1 .. nx - 1 where the lower face is a perfect electric conductor: what lies on that
//                is never written and has to be zero; and plane nx too where the upper face is a perfect magnetic one.
//                Plane nx is the ghost of the neighbour's plane 0 otherwise, or zero on an electric conductor.
// Every entry of a domain is thus updated by one sub-domain, in whatever way it is divided. Ghosts: plane nx of
// tangential E, plane -1 of tangential H, and plane nx of tangential H at a magnetic conductor; edges and corners of
// ghosts are not read.
#pragma once

#include <cstdint>

#include "base/host_device.hpp"

namespace asterism::fdtd {

/// What lies beyond a face of a sub-domain: another one (or itself, if periodic), or a perfect conductor.
enum class Face : std::int8_t { neighbour, electric, magnetic };
enum class Field : std::int8_t { electric, magnetic };

/// Faces in the order in which all arrays of six list them.
constexpr const char* face_names[6] = {"-x", "+x", "-y", "+y", "-z", "+z"};

/// Cells, or entries of a component: [x0, x1) x [y0, y1) x [z0, z1).
struct Box {
  std::int32_t x0, x1, y0, y1, z0, z1;
  [[nodiscard]] ASTERISM_HOST_DEVICE constexpr bool empty() const { return x1 <= x0 || y1 <= y0 || z1 <= z0; }
  [[nodiscard]] ASTERISM_HOST_DEVICE constexpr std::int64_t cells() const {
    return empty() ? 0 : static_cast<std::int64_t>(x1 - x0) * (y1 - y0) * (z1 - z0);
  }
  friend bool operator==(const Box& a, const Box& b) {
    return a.x0 == b.x0 && a.x1 == b.x1 && a.y0 == b.y0 && a.y1 == b.y1 && a.z0 == b.z0 && a.z1 == b.z1;
  }
};

/// Planes [first, end) along x.
struct Planes {
  std::int32_t first, end;
};

/// Is component `axis` of `field` on the planes between cells along `along`?
ASTERISM_HOST_DEVICE constexpr bool on_planes(Field field, int component, int along) {
  return (field == Field::electric) == (component != along);
}

/// n[0] x n[1] x n[2] cells. The electric field is an array of three components, structure of arrays, the magnetic
/// field another; z runs fastest, then y. Entry k = 0 of every row begins a 128-byte line; the distance of components
/// is an odd multiple of 128 bytes beyond a multiple of 4096, so that the streams of a row fall into different sets of
/// a cache.
struct Grid {
  std::int32_t n[3];
  Face face[6];            ///< -x, +x, -y, +y, -z, +z
  std::int32_t lead;       ///< elements before the first row's entry k = 0
  std::int32_t pitch;      ///< elements from row to row
  std::int64_t plane;      ///< elements from plane to plane of constant x
  std::int64_t component;  ///< elements from component to component

  [[nodiscard]] ASTERISM_HOST_DEVICE std::int64_t at(int c, int i, int j, int k) const {
    return c * component + lead + (i + 1) * plane + static_cast<std::int64_t>(j + 1) * pitch + k;
  }
  /// From an entry to the next one along an axis.
  [[nodiscard]] ASTERISM_HOST_DEVICE std::int64_t stride(int axis) const {
    return axis == 0 ? plane : axis == 1 ? pitch : 1;
  }
  /// Elements of the array of a field.
  [[nodiscard]] ASTERISM_HOST_DEVICE std::int64_t elements() const { return 3 * component; }
  [[nodiscard]] ASTERISM_HOST_DEVICE constexpr Box cells() const { return {0, n[0], 0, n[1], 0, n[2]}; }
  /// Planes across an axis with entries that are updated: one more than cells where the upper face is a magnetic
  /// conductor.
  [[nodiscard]] ASTERISM_HOST_DEVICE constexpr std::int32_t planes_along(int axis) const {
    return n[axis] + (face[2 * axis + 1] == Face::magnetic ? 1 : 0);
  }
  /// Entries of planes [first, end) along x, with those on magnetic conductors along y and z.
  [[nodiscard]] ASTERISM_HOST_DEVICE constexpr Box planes(std::int32_t first, std::int32_t end) const {
    return {first, end, 0, planes_along(1), 0, planes_along(2)};
  }

  [[nodiscard]] ASTERISM_HOST_DEVICE constexpr Box entries() const { return planes(0, planes_along(0)); }

  /// Entries of a component that are updated with the cells of a box: plane n goes with the last cell.
  [[nodiscard]] ASTERISM_HOST_DEVICE constexpr Box entries(Field field, int c, const Box& cells) const {
    const int first[3] = {cells.x0, cells.y0, cells.z0};
    const int last[3] = {cells.x1, cells.y1, cells.z1};
    int lower[3] = {};
    int upper[3] = {};
    for (int a = 0; a < 3; ++a) {
      const bool plane_entries = on_planes(field, c, a);
      lower[a] = plane_entries && first[a] == 0 && face[2 * a] == Face::electric ? 1 : first[a];
      upper[a] = plane_entries && last[a] == n[a] && face[2 * a + 1] == Face::magnetic ? n[a] + 1 : last[a];
    }
    return cells.empty() ? Box{} : Box{lower[0], upper[0], lower[1], upper[1], lower[2], upper[2]};
  }
};

/// Rows and components begin at multiples of so many bytes.
constexpr int line_bytes = 128;

/// `element`: bytes of an entry.
constexpr Grid make_grid(int nx, int ny, int nz, const Face (&face)[6], int element) {
  const int line = line_bytes / element;
  const std::int64_t page = 4096 / element;
  Grid g{};
  g.n[0] = nx;
  g.n[1] = ny;
  g.n[2] = nz;
  for (int f = 0; f < 6; ++f) g.face[f] = face[f];
  g.lead = line;
  g.pitch = (nz + 2 + line - 1) / line * line;
  g.plane = static_cast<std::int64_t>(ny + 2) * g.pitch;
  g.component = (line + (nx + 2) * g.plane + page - 1) / page * page + 5 * line;
  return g;
}

}  // namespace asterism::fdtd

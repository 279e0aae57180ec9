// SPDX-License-Identifier: Apache-2.0
#include "taskflows/fdtd/scene/voxel_file.hpp"

#include <algorithm>
#include <atomic>

#include "base/array.hpp"
#include "base/error.hpp"
#include "io/hdf5/file.hpp"
#include "taskflows/fdtd/scene/box.hpp"

namespace asterism::fdtd::scene {
namespace {

using Meaning = VoxelFile::Meaning;

/// What a value means; null: nothing. The last one found is tried first, as neighbours are mostly alike.
const Meaning* meaning(const std::vector<Meaning>& values, std::int64_t value, const Meaning* last) {
  if (last != nullptr && last->value == value) return last;
  const auto less = [](const Meaning& m, std::int64_t v) { return m.value < v; };
  const auto found = std::lower_bound(values.begin(), values.end(), value, less);
  return found != values.end() && found->value == value ? &*found : nullptr;
}

/// Calls visit(x, y, z of the first cell, values, distance of values along z) for every row of a box, by all threads;
/// as many planes are in memory at once as hold 2^22 cells.
template <class Visit>
void for_rows(const VoxelFile& voxels, const Box& box, const Visit& visit) {
  if (box.empty()) return;
  const Hdf5Input file(voxels.file);
  const bool z_fastest = voxels.order == VoxelFile::Order::xyz;
  const auto ny = static_cast<std::size_t>(box.y1 - box.y0);
  const auto nz = static_cast<std::size_t>(box.z1 - box.z0);
  constexpr std::size_t most = std::size_t{1} << 22;
  const auto planes = static_cast<std::int32_t>(std::clamp<std::size_t>(most / (ny * nz), 1, 1024));
  Array<std::int64_t> values(static_cast<std::size_t>(std::min(planes, box.x1 - box.x0)) * ny * nz);
  for (std::int32_t x0 = box.x0; x0 < box.x1; x0 += planes) {
    const std::int32_t x1 = std::min(box.x1, x0 + planes);
    const auto nx = static_cast<std::size_t>(x1 - x0);
    Hdf5Block block{
        {static_cast<std::size_t>(x0 - voxels.offset[0]), static_cast<std::size_t>(box.y0 - voxels.offset[1]),
         static_cast<std::size_t>(box.z0 - voxels.offset[2])},
        {nx, ny, nz}};
    if (!z_fastest) {
      std::swap(block.first[0], block.first[2]);
      std::swap(block.extent[0], block.extent[2]);
    }
    file.read_block<std::int64_t>(voxels.dataset, block, {values.data(), nx * ny * nz});
#pragma omp parallel for collapse(2)
    for (std::size_t i = 0; i < nx; ++i) {
      for (std::size_t j = 0; j < ny; ++j) {
        const std::int64_t* row = values.data() + (z_fastest ? (i * ny + j) * nz : i + nx * j);
        visit(x0 + static_cast<std::int32_t>(i), box.y0 + static_cast<std::int32_t>(j), box.z0, row,
              z_fastest ? 1 : nx * ny);
      }
    }
  }
}

/// Extent along x, y, z.
std::array<std::int32_t, 3> extent_of(const VoxelFile& voxels, const std::string& where) {
  const Hdf5Input file(voxels.file);
  std::vector<std::size_t> shape = file.shape(voxels.dataset);
  const auto number = file.number(voxels.dataset);
  constexpr std::size_t most = std::size_t{1} << 24;
  if (shape.size() != 3 || *std::max_element(shape.begin(), shape.end()) > most || number == Hdf5Number::float32 ||
      number == Hdf5Number::float64) {
    bad_input("{}: {}: dataset \"{}\": found {}{}; expected three dimensions of integers", where, file.name,
              voxels.dataset, shape.size() == 3 ? "numbers that are no integers, " : "", fmt::join(shape, " x "));
  }
  if (voxels.order == VoxelFile::Order::zyx) std::swap(shape[0], shape[2]);
  return {static_cast<std::int32_t>(shape[0]), static_cast<std::int32_t>(shape[1]),
          static_cast<std::int32_t>(shape[2])};
}

std::vector<std::int64_t> known_values(const VoxelFile& voxels) {
  std::vector<std::int64_t> result;
  for (const Meaning& m : voxels.values) result.push_back(m.value);
  return result;
}

}  // namespace

Box check_voxels(const VoxelFile& voxels, const Grid& grid, const std::string& where) {
  const std::array<std::int32_t, 3> extent = extent_of(voxels, where);
  const auto& o = voxels.offset;
  const Box covered =
      intersection({o[0], o[0] + extent[0], o[1], o[1] + extent[1], o[2], o[2] + extent[2]}, grid.box());
  std::atomic<bool> has_unknown = false;
  std::int64_t unknown = 0;
  for_rows(voxels, covered, [&](std::int32_t, std::int32_t, std::int32_t, const std::int64_t* row, std::size_t stride) {
    const Meaning* last = nullptr;
    for (std::int32_t k = 0; k < covered.z1 - covered.z0; ++k, row += stride) {
      const Meaning* found = meaning(voxels.values, *row, last);
      if (found == nullptr && !has_unknown.exchange(true)) unknown = *row;
      last = found;
    }
  });
  if (has_unknown) {
    bad_input("{}: {}: dataset \"{}\": found the value {}; expected one of {}", where, voxels.file.string(),
              voxels.dataset, unknown, fmt::join(known_values(voxels), ", "));
  }
  return covered;
}

void paint_voxels(const VoxelFile& voxels, const Box& covered, const Canvas& canvas) {
  const Box box = intersection(covered, canvas.box);
  for_rows(voxels, box,
           [&](std::int32_t x, std::int32_t y, std::int32_t z, const std::int64_t* row, std::size_t stride) {
             std::uint16_t* to = canvas.row(x, y) + (z - canvas.box.z0);
             const Meaning* last = nullptr;
             for (std::int32_t k = 0; k < box.z1 - box.z0; ++k, row += stride) {
               const Meaning* found = meaning(voxels.values, *row, last);
               // a file that was changed since it was checked: cells stay as they are
               if (found != nullptr && found->material) to[k] = *found->material;
               last = found;
             }
           });
}

}  // namespace asterism::fdtd::scene

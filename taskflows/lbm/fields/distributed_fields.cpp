// SPDX-License-Identifier: Apache-2.0
#include "taskflows/lbm/fields/distributed_fields.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "runtime/ranks/collective_try.hpp"
#include "runtime/ranks/ranks.hpp"

namespace asterism::lbm {
namespace {

constexpr std::int64_t slab_bytes = std::int64_t{64} << 20;

ArrayBox array_box(const Box& b) {
  return {{0, b.z0, b.y0, b.x0}, {4, b.z1 - b.z0, b.y1 - b.y0, b.x1 - b.x0}};
}

}  // namespace

// slab after slab: messages take little beside what they bring
template <class T>
FieldsInBox<T>::FieldsInBox(const DistributedArray& all, const Box& box)
    : box_(box),
      values_(rank_group().is_root() ? static_cast<std::size_t>(array_box(box).size()) * sizeof(T) : std::size_t{0}) {
  const std::int64_t plane = array_box({box.x0, box.x1, box.y0, box.y1, 0, 1}).size() * std::int64_t{sizeof(T)};
  const auto planes = static_cast<std::int32_t>(std::clamp<std::int64_t>(slab_bytes / plane, 1, box.z1 - box.z0));
  for (std::int32_t z = box.z0; z < box.z1; z += planes) {
    const ArrayBox slab = array_box({box.x0, box.x1, box.y0, box.y1, z, std::min(z + planes, box.z1)});
    const Array<char> values = all.fetch_on_rank_0(slab);
    if (rank_group().is_root()) copy_box(slab, values.data(), array_box(box), values_.data(), slab, sizeof(T));
  }
}

template <class T>
Fields<T> FieldsInBox<T>::fields() const {
  const std::size_t n = values_.size() / (4 * sizeof(T));
  const T* const first = reinterpret_cast<const T*>(values_.data());
  return {{first, n}, {first + n, n}, {first + 2 * n, n}, {first + 3 * n, n}};
}

template <class T>
double FieldsInBox<T>::velocity(int component, int x, int y, int z) const {
  const Grid g = grid();
  const Fields<T> all = fields();
  const std::span<const T> field = std::array{all.u, all.v, all.w}[static_cast<std::size_t>(component)];
  return field[static_cast<std::size_t>(x - box_.x0 +
                                        std::int64_t{g.nx} * (y - box_.y0 + std::int64_t{g.ny} * (z - box_.z0)))];
}

template <class T>
std::vector<output::DistributedField> distributed_named(const DistributedArray& all) {
  return {{"rho", 1, &all, output::components_of<T>(0, 1)}, {"velocity", 3, &all, output::components_of<T>(1, 3)}};
}

template <class T>
void write_distributed_png(const std::filesystem::path& path, const Grid& grid, const DistributedArray& all,
                           const Slice& slice) {
  Box box{0, grid.nx, 0, grid.ny, 0, grid.nz};
  std::int32_t* const ends[][2] = {{&box.x0, &box.x1}, {&box.y0, &box.y1}, {&box.z0, &box.z1}};
  // the vorticity takes differences across the plane
  auto [first, end] = ends[slice.axis];
  *first = std::max(slice.index - 1, 0);
  *end = std::min(slice.index + 2, *end);
  Slice in_box = slice;
  in_box.index -= *first;
  const FieldsInBox<T> shown(all, box);
  collective_try([&] {
    if (rank_group().is_root()) write_png(path, shown.grid(), shown.fields(), in_box);
  });
}

template <class T>
CentreLines distributed_centre_lines(const Case& flow, const DistributedArray& all) {
  const auto& n = flow.problem.cells;
  const auto first = [&](std::size_t axis) { return (n[axis] - 1) / 2; };
  const auto end = [&](std::size_t axis) { return n[axis] / 2 + 1; };
  const FieldsInBox<T> along_z(all, {first(0), end(0), first(1), end(1), 0, n[2]});
  const FieldsInBox<T> along_x(all, {0, n[0], first(1), end(1), first(2), end(2)});
  if (!rank_group().is_root()) return {};
  return centre_lines(flow, [&](int component, int x, int y, int z) {
    return (component == 0 ? along_z : along_x).velocity(component, x, y, z);
  });
}

#define ASTERISM_DISTRIBUTED_FIELDS(T)                                                                       \
  template class FieldsInBox<T>;                                                                             \
  template std::vector<output::DistributedField> distributed_named<T>(const DistributedArray&);              \
  template void write_distributed_png<T>(const std::filesystem::path&, const Grid&, const DistributedArray&, \
                                         const Slice&);                                                      \
  template CentreLines distributed_centre_lines<T>(const Case&, const DistributedArray&);
ASTERISM_DISTRIBUTED_FIELDS(float)
ASTERISM_DISTRIBUTED_FIELDS(double)
#undef ASTERISM_DISTRIBUTED_FIELDS

}  // namespace asterism::lbm

// SPDX-License-Identifier: Apache-2.0
#include "taskflows/fdtd/fields/distributed_fields.hpp"

#include <array>
#include <cstring>
#include <string>
#include <utility>

#include "runtime/ranks/ranks.hpp"
#include "taskflows/fdtd/fields/snapshot.hpp"

namespace asterism::fdtd {
namespace {

/// Components from `first` on of the entries from those of the cells of a box to `beyond` more along every axis.
ArrayBox entries_box(int first, int components, const Box& cells, int beyond) {
  return {{first, cells.x0, cells.y0, cells.z0},
          {components, cells.x1 - cells.x0 + beyond, cells.y1 - cells.y0 + beyond, cells.z1 - cells.z0 + beyond}};
}

Box cells_of_chunk(const Hdf5Block& chunk) {
  const auto first = [&](std::size_t d) { return static_cast<std::int32_t>(chunk.first[d]); };
  const auto end = [&](std::size_t d) { return static_cast<std::int32_t>(chunk.first[d] + chunk.extent[d]); };
  return {first(2), end(2), first(1), end(1), first(0), end(0)};
}

/// put(cell, place of its entry) for cells in the order of files, x fastest.
template <class Put>
void for_cells(const Box& cells, const ArrayBox& entries, const Put& put) {
  const std::int64_t row = entries.extent[3];
  const std::int64_t plane = row * entries.extent[2];
  std::size_t cell = 0;
  for (std::int64_t k = 0; k < cells.z1 - cells.z0; ++k)
    for (std::int64_t j = 0; j < cells.y1 - cells.y0; ++j)
      for (std::int64_t i = 0; i < cells.x1 - cells.x0; ++i) put(cell++, i * plane + j * row + k);
}

/// put(cell, component, value) of the means at centres, from entries with one more along every axis.
template <class T, class Put>
void for_centres(Field field, const Box& cells, const char* entries, const Put& put) {
  const ArrayBox box = entries_box(0, 3, cells, 1);
  const std::int64_t stride[3] = {box.extent[2] * box.extent[3], box.extent[3], 1};
  const T* const values = reinterpret_cast<const T*>(entries);
  for_cells(cells, box, [&](std::size_t cell, std::int64_t at) {
    for (int c = 0; c < 3; ++c) put(cell, c, at_centre(field, c, values + c * (box.size() / 3) + at, stride));
  });
}

/// A copy of a part's plane 0 across `axis`, as plane n.
DistributedArray::Part closing_plane(const DistributedArray::Part& part, std::size_t axis, std::int64_t n,
                                     std::size_t element) {
  ArrayBox plane = part.box;
  plane.extent[axis] = 1;
  Array<char> values(static_cast<std::size_t>(plane.size()) * element);
  copy_box(part.box, part.values.data(), plane, values.data(), plane, element);
  plane.first[axis] = n;
  return {plane, std::move(values)};
}

}  // namespace

DistributedArray deal_field(Simulation& simulation, const Problem& problem, Field field) {
  const std::size_t element = simulation.element();
  std::vector<DistributedArray::Part> mine;
  simulation.get(field, [&](const Box& b, const void* entries) {
    const ArrayBox box = entries_box(0, 3, b, 0);
    Array<char> values(static_cast<std::size_t>(box.size()) * element);
    std::memcpy(values.data(), entries, values.size());
    mine.push_back({box, std::move(values)});
  });
  for (std::size_t a = 0; a < 3; ++a) {
    if (problem.face[2 * a] != Face::neighbour) continue;
    const std::size_t parts = mine.size();
    for (std::size_t p = 0; p < parts; ++p)
      if (mine[p].box.first[a + 1] == 0) mine.push_back(closing_plane(mine[p], a + 1, problem.cells[a], element));
  }
  return {element, std::move(mine), DistributedArray::Owners::all_ranks};
}

template <class T>
std::vector<output::DistributedField> at_centres_of_ranks(Field field, const DistributedArray& entries) {
  const auto needs = [](const Hdf5Block& chunk) { return entries_box(0, 3, cells_of_chunk(chunk), 1); };
  const auto fill = [field](const Hdf5Block& chunk, const char* needed, void* values) {
    T* const to = static_cast<T*>(values);
    for_centres<T>(field, cells_of_chunk(chunk), needed,
                   [&](std::size_t cell, int c, T value) { to[3 * cell + static_cast<std::size_t>(c)] = value; });
  };
  return {{name_of(field), 3, &entries, {needs, fill}, unit_of(field)}};
}

template <class T>
std::vector<output::DistributedField> entries_of_ranks(Field field, const DistributedArray& entries) {
  std::vector<output::DistributedField> all;
  for (int c = 0; c < 3; ++c) {
    const auto needs = [c](const Hdf5Block& chunk) { return entries_box(c, 1, cells_of_chunk(chunk), 0); };
    const auto fill = [](const Hdf5Block& chunk, const char* needed, void* values) {
      const Box cells = cells_of_chunk(chunk);
      const T* const from = reinterpret_cast<const T*>(needed);
      T* const to = static_cast<T*>(values);
      for_cells(cells, entries_box(0, 1, cells, 0), [&](std::size_t cell, std::int64_t at) { to[cell] = from[at]; });
    };
    all.push_back({name_of(field) + "xyz" [c], 1, &entries, { needs, fill }, unit_of(field)});
  }
  return all;
}

template <class T>
std::vector<std::vector<T>> at_centres_on_rank_0(Field field, const DistributedArray& entries, const Box& cells) {
  const Array<char> needed = entries.fetch_on_rank_0(entries_box(0, 3, cells, 1));
  if (!rank_group().is_root()) return {};
  std::vector<std::vector<T>> components(3, std::vector<T>(static_cast<std::size_t>(cells.cells())));
  for_centres<T>(field, cells, needed.data(),
                 [&](std::size_t cell, int c, T value) { components[static_cast<std::size_t>(c)][cell] = value; });
  return components;
}

#define ASTERISM_FIELDS_OF_RANKS(T)                                                                      \
  template std::vector<output::DistributedField> at_centres_of_ranks<T>(Field, const DistributedArray&); \
  template std::vector<output::DistributedField> entries_of_ranks<T>(Field, const DistributedArray&);    \
  template std::vector<std::vector<T>> at_centres_on_rank_0<T>(Field, const DistributedArray&, const Box&);
ASTERISM_FIELDS_OF_RANKS(float)
ASTERISM_FIELDS_OF_RANKS(double)
#undef ASTERISM_FIELDS_OF_RANKS

}  // namespace asterism::fdtd

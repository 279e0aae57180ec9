// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "codelets/fdtd/kernels/kernels.hpp"

namespace asterism::fdtd::cpu {
namespace {

/// `copy(entries of a row, offset of the first in the field)` in the order of the array.
template <class Row>
void rows(const Grid& grid, const Layer& layer, const Row& row) {
  for (int m = 0; m < 2; ++m) {
    const Box& b = layer.entries[m];
    for (int i = b.x0; i < b.x1; ++i)
      for (int j = b.y0; j < b.y1; ++j) row(b.z1 - b.z0, grid.at(layer.component[m], i, j, b.z0));
  }
}

template <class T>
void copy(const Grid& grid, const Layer& from, const Layer& to, T sign, T* values) {
  for (int m = 0; m < 2; ++m) {
    const Box& f = from.entries[m];
    const Box& t = to.entries[m];
    for (int i = f.x0; i < f.x1; ++i)
      for (int j = f.y0; j < f.y1; ++j) {
        const T* const source = values + grid.at(from.component[m], i, j, f.z0);
        T* const target = values + grid.at(to.component[m], i - f.x0 + t.x0, j - f.y0 + t.y0, t.z0);
        for (int k = 0; k < f.z1 - f.z0; ++k) target[k] = sign * source[k];
      }
  }
}

}  // namespace

template <class T>
void pack(const Grid& grid, const Layer& layer, const T* field, T* array) {
  rows(grid, layer, [&](int count, std::int64_t at) { array = std::copy_n(field + at, count, array); });
}

template <class T>
void unpack(const Grid& grid, const Layer& layer, const T* array, T* field) {
  rows(grid, layer, [&](int count, std::int64_t at) {
    std::copy_n(array, count, field + at);
    array += count;
  });
}

template <class T>
void wrap(const Grid& grid, Field field, int axis, T* values) {
  copy(grid, outgoing(grid, field, axis), incoming(grid, field, axis), T{1}, values);
}

template <class T>
void reflect(const Grid& grid, T* h) {
  for (int f = 0; f < 6; ++f)
    if (grid.face[f] == Face::magnetic) {
      const Image image = image_behind(grid, f);
      copy(grid, image.from, image.to, T{-1}, h);
    }
}

template <class T>
void add(const Grid& grid, int component, int i, int j, int k, T value, T* field) {
  field[grid.at(component, i, j, k)] += value;
}

template void pack(const Grid&, const Layer&, const double*, double*);
template void pack(const Grid&, const Layer&, const float*, float*);
template void unpack(const Grid&, const Layer&, const double*, double*);
template void unpack(const Grid&, const Layer&, const float*, float*);
template void wrap(const Grid&, Field, int, double*);
template void wrap(const Grid&, Field, int, float*);
template void reflect(const Grid&, double*);
template void reflect(const Grid&, float*);
template void add(const Grid&, int, int, int, int, double, double*);
template void add(const Grid&, int, int, int, int, float, float*);

}  // namespace asterism::fdtd::cpu

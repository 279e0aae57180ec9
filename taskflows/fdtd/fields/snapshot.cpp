// SPDX-License-Identifier: Apache-2.0
#include "taskflows/fdtd/fields/snapshot.hpp"

#include <algorithm>
#include <string>

#include "base/error.hpp"

namespace asterism::fdtd {
namespace {

output::Region region(const Box& b) {
  return {{b.x0, b.y0, b.z0}, {b.x1 - b.x0, b.y1 - b.y0, b.z1 - b.z0}};
}

}  // namespace

std::string unit_of(Field field) {
  return field == Field::electric ? "V/m" : "A/m";
}

std::string name_of(Field field) {
  return field == Field::electric ? "E" : "H";
}

template <class T>
Snapshot<T>::Snapshot(Field field, const Grid& domain) : field_(field), domain_(domain) {
  for (int c = 0; c < 3; ++c) component_.emplace_back(std::array{domain.n[0] + 1, domain.n[1] + 1, domain.n[2] + 1});
}

template <class T>
void Snapshot<T>::put(const Grid& part, const std::array<std::int32_t, 3>& origin, const T* values) {
  for (int c = 0; c < 3; ++c) {
    const Box own = part.entries(field_, c, part.cells());
    output::Region place = region(own);
    for (std::size_t a = 0; a < 3; ++a) place.first[a] += origin[a];
    component_[static_cast<std::size_t>(c)].put(place, values + part.at(c, own.x0, own.y0, own.z0),
                                                {part.stride(0), part.stride(1), part.stride(2)});
  }
}

template <class T>
void Snapshot<T>::check_complete() const {
  if (compacted_) failed("a snapshot of {} is read twice; expected once", name_of(field_));
  for (int c = 0; c < 3; ++c) {
    const std::int64_t expected = domain_.entries(field_, c, domain_.cells()).cells();
    const std::int64_t found = component_[static_cast<std::size_t>(c)].count();
    if (found == expected) continue;
    failed("a snapshot of {}{} has {} entries; expected {}", name_of(field_), "xyz"[c], found, expected);
  }
}

/// Plane n of a periodic axis is plane 0.
template <class T>
void Snapshot<T>::close_period(int component) {
  output::Assembly<T>& values = component_[static_cast<std::size_t>(component)];
  const std::int64_t stride[3] = {1, values.n()[0], std::int64_t{values.n()[0]} * values.n()[1]};
  for (std::size_t a = 0; a < 3; ++a) {
    if (domain_.face[2 * a] != Face::neighbour) continue;
    const std::size_t u = (a + 1) % 3;
    const std::size_t v = (a + 2) % 3;
    for (std::int32_t i = 0; i < values.n()[u]; ++i) {
      for (std::int32_t j = 0; j < values.n()[v]; ++j) {
        T* const first = values.data() + i * stride[u] + j * stride[v];
        first[domain_.n[a] * stride[a]] = first[0];
      }
    }
  }
}

template <class T>
template <class Value>
std::span<const T> Snapshot<T>::compact(int component, const Value& value) {
  output::Assembly<T>& all = component_[static_cast<std::size_t>(component)];
  const std::int64_t nx = domain_.n[0];
  const std::int64_t ny = domain_.n[1];
  Array<T> plane(static_cast<std::size_t>(nx * ny));
  // plane after plane in place: a compact one ends before the next one's entries begin
  for (std::int64_t k = 0; k < domain_.n[2]; ++k) {
    const T* entries = all.data() + k * (nx + 1) * (ny + 1);
#pragma omp parallel for
    for (std::int64_t j = 0; j < ny; ++j) {
      for (std::int64_t i = 0; i < nx; ++i) {
        plane[static_cast<std::size_t>(i + nx * j)] = value(entries + i + (nx + 1) * j);
      }
    }
    std::copy(plane.begin(), plane.end(), all.data() + k * nx * ny);
  }
  return {all.data(), static_cast<std::size_t>(nx * ny * domain_.n[2])};
}

template <class T>
output::Fields<T> Snapshot<T>::at_centres() {
  check_complete();
  compacted_ = true;
  output::Field<T> result{name_of(field_), {}, unit_of(field_)};
  const std::int64_t row = domain_.n[0] + 1;
  const std::int64_t stride[3] = {1, row, row * (domain_.n[1] + 1)};
  for (int c = 0; c < 3; ++c) {
    close_period(c);
    const auto mean = [&](const T* entry) { return at_centre(field_, c, entry, stride); };
    result.components.push_back(compact(c, mean));
  }
  return {result};
}

template <class T>
output::Fields<T> Snapshot<T>::entries() {
  check_complete();
  compacted_ = true;
  output::Fields<T> result;
  for (int c = 0; c < 3; ++c) {
    result.push_back(
        {name_of(field_) + "xyz" [c], { compact(c, [](const T* value) { return *value; }) }, unit_of(field_)});
  }
  return result;
}

template class Snapshot<float>;
template class Snapshot<double>;

}  // namespace asterism::fdtd

// SPDX-License-Identifier: Apache-2.0
#include "taskflows/lbm/fields/slice.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "io/pictures/frame.hpp"
#include "io/series/series_detail.hpp"

namespace asterism::lbm {
namespace {

template <class T>
class Sampler {
 public:
  Sampler(const Grid& grid, const Fields<T>& fields, Quantity quantity)
      : size_{grid.nx, grid.ny, grid.nz}, fields_(fields), quantity_(quantity) {}

  [[nodiscard]] double operator()(const std::array<std::int32_t, 3>& cell) const {
    const std::size_t i = index(cell);
    switch (quantity_) {
      case Quantity::speed:
        return std::sqrt(square(fields_.u[i]) + square(fields_.v[i]) + square(fields_.w[i]));
      case Quantity::u:
        return fields_.u[i];
      case Quantity::v:
        return fields_.v[i];
      case Quantity::w:
        return fields_.w[i];
      case Quantity::rho:
        return fields_.rho[i];
      case Quantity::vorticity_x:
        return derivative(fields_.w, cell, 1) - derivative(fields_.v, cell, 2);
      case Quantity::vorticity_y:
        return derivative(fields_.u, cell, 2) - derivative(fields_.w, cell, 0);
      case Quantity::vorticity_z:
        return derivative(fields_.v, cell, 0) - derivative(fields_.u, cell, 1);
    }
    return 0;
  }

 private:
  static double square(double x) { return x * x; }
  [[nodiscard]] std::size_t index(const std::array<std::int32_t, 3>& cell) const {
    return static_cast<std::size_t>(cell[0]) +
           static_cast<std::size_t>(size_[0]) *
               (static_cast<std::size_t>(cell[1]) +
                static_cast<std::size_t>(size_[1]) * static_cast<std::size_t>(cell[2]));
  }
  [[nodiscard]] double derivative(std::span<const T> field, std::array<std::int32_t, 3> cell, std::size_t axis) const {
    const std::int32_t at = cell[axis];
    const std::int32_t low = std::max(at - 1, 0);
    const std::int32_t high = std::min(at + 1, size_[axis] - 1);
    if (low == high) return 0;
    cell[axis] = high;
    const double above = field[index(cell)];
    cell[axis] = low;
    return (above - field[index(cell)]) / (high - low);
  }

  std::array<std::int32_t, 3> size_;
  Fields<T> fields_;
  Quantity quantity_;
};

ColourMap map_of(const Slice& slice) {
  const bool has_sign = slice.quantity != Quantity::speed && slice.quantity != Quantity::rho;
  return slice.map.value_or(has_sign ? ColourMap::diverging : ColourMap::viridis);
}

}  // namespace

std::string show(Quantity quantity) {
  switch (quantity) {
    case Quantity::speed:
      return "speed (cells per step)";
    case Quantity::u:
      return "velocity along x (cells per step)";
    case Quantity::v:
      return "velocity along y (cells per step)";
    case Quantity::w:
      return "velocity along z (cells per step)";
    case Quantity::rho:
      return "density";
    case Quantity::vorticity_x:
      return "vorticity about x (1 per step)";
    case Quantity::vorticity_y:
      return "vorticity about y (1 per step)";
    case Quantity::vorticity_z:
      return "vorticity about z (1 per step)";
  }
  return "";
}

template <class T>
void write_png(const std::filesystem::path& path, const Grid& grid, const Fields<T>& fields, const Slice& slice) {
  const std::array<std::int32_t, 3> n = {grid.nx, grid.ny, grid.nz};
  const output::Section section{slice.axis, slice.index};
  const output::Colouring colouring{.map = map_of(slice),
                                    .low = slice.low,
                                    .high = slice.high,
                                    .centre = slice.quantity == Quantity::rho ? 1.0 : 0.0,
                                    .zoom = slice.zoom};
  output::check_picture(path, n, section, colouring);
  output::detail::check_fields(path, output_grid(grid), named(fields));
  const output::Plane plane = output::sample(n, section, Sampler<T>(grid, fields, slice.quantity));
  if (slice.frame)
    output::write_png(path, plane, colouring, section, *slice.frame);
  else
    output::write_png(path, plane, colouring);
}

template void write_png(const std::filesystem::path&, const Grid&, const Fields<float>&, const Slice&);
template void write_png(const std::filesystem::path&, const Grid&, const Fields<double>&, const Slice&);

}  // namespace asterism::lbm

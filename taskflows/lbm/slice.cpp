#include "taskflows/lbm/slice.hpp"

#include <png.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <exception>
#include <string_view>
#include <utility>
#include <vector>

#include "taskflows/lbm/fields_detail.hpp"

namespace asterism::lbm {
namespace {

/// The values of a plane, row by row: width x height of them, the lowest first.
struct Plane {
  std::size_t width, height;
  std::vector<double> values;
};

/// What libpng calls back with: it is C, so an exception waits until libpng returned.
struct Png {
  explicit Png(OutputFile& output) : file(output) {
    write = png_create_write_struct(PNG_LIBPNG_VER_STRING, this, fail, nullptr);
    info = png_create_info_struct(write);
    png_set_write_fn(write, this, put, flush);
  }
  Png(const Png&) = delete;
  Png& operator=(const Png&) = delete;
  ~Png() { png_destroy_write_struct(&write, &info); }

  static void put(png_structp png, png_bytep bytes, std::size_t size) {
    auto& self = *static_cast<Png*>(png_get_io_ptr(png));
    try {
      if (!self.error) self.file.write({reinterpret_cast<const char*>(bytes), size});
    } catch (...) {
      self.error = std::current_exception();
    }
  }
  static void flush(png_structp) {}
  [[noreturn]] static void fail(png_structp png, png_const_charp) { png_longjmp(png, 1); }

  OutputFile& file;
  png_structp write = nullptr;
  png_infop info = nullptr;
  std::exception_ptr error;
};

/// False when libpng refuses.
bool encode(Png& png, std::size_t width, std::size_t height, std::int32_t zoom, const std::vector<std::uint8_t>& rgb) {
  std::vector<std::uint8_t> row(3 * width * static_cast<std::size_t>(zoom));
  if (setjmp(png_jmpbuf(png.write)) != 0) return false;
  png_set_IHDR(png.write, png.info, static_cast<png_uint_32>(width) * static_cast<png_uint_32>(zoom),
               static_cast<png_uint_32>(height) * static_cast<png_uint_32>(zoom), 8, PNG_COLOR_TYPE_RGB,
               PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_set_sRGB(png.write, png.info, PNG_sRGB_INTENT_PERCEPTUAL);
  png_write_info(png.write, png.info);
  for (std::size_t y = height; y-- > 0;) {
    std::uint8_t* to = row.data();
    for (std::size_t x = 0; x < width; ++x) {
      for (std::int32_t copy = 0; copy < zoom; ++copy) to = std::copy_n(rgb.data() + 3 * (y * width + x), 3, to);
    }
    for (std::int32_t copy = 0; copy < zoom; ++copy) png_write_row(png.write, row.data());
  }
  png_write_end(png.write, nullptr);
  return true;
}

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

template <class T>
Plane sample(const Grid& grid, const Fields<T>& fields, const Slice& slice) {
  const std::array<std::int32_t, 3> size = {grid.nx, grid.ny, grid.nz};
  const std::size_t right = slice.axis == 0 ? 1 : 0;
  const std::size_t up = slice.axis == 2 ? 1 : 2;
  Plane plane{static_cast<std::size_t>(size[right]), static_cast<std::size_t>(size[up]), {}};
  plane.values.resize(plane.width * plane.height);
  const Sampler<T> value(grid, fields, slice.quantity);
#pragma omp parallel for
  for (std::int32_t y = 0; y < size[up]; ++y) {
    std::array<std::int32_t, 3> cell{};
    cell[slice.axis] = slice.index;
    cell[up] = y;
    for (std::int32_t x = 0; x < size[right]; ++x) {
      cell[right] = x;
      plane.values[static_cast<std::size_t>(y) * plane.width + static_cast<std::size_t>(x)] = value(cell);
    }
  }
  return plane;
}

/// What the ends of the colour map mean.
std::pair<double, double> range_of(const Plane& plane, const Slice& slice, ColourMap map) {
  const double centre = slice.quantity == Quantity::rho ? 1 : 0;
  double low = INFINITY;
  double high = -INFINITY;
  for (const double value : plane.values) {
    if (!std::isfinite(value)) continue;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  if (map == ColourMap::cool_warm) {
    const double reach = std::max(high - centre, centre - low);
    low = centre - reach;
    high = centre + reach;
  }
  return {slice.low.value_or(low), slice.high.value_or(high)};
}

ColourMap map_of(const Slice& slice) {
  const bool has_sign = slice.quantity != Quantity::speed && slice.quantity != Quantity::rho;
  return slice.map.value_or(has_sign ? ColourMap::cool_warm : ColourMap::viridis);
}

void check(const std::filesystem::path& path, const Grid& grid, const Slice& slice) {
  detail::check_output(path, ".png", "a picture");
  const std::array<std::int32_t, 3> size = {grid.nx, grid.ny, grid.nz};
  if (slice.axis > 2) bad_input("{}: slice across axis {}; expected 0, 1 or 2", path.string(), slice.axis);
  if (slice.index < 0 || slice.index >= size[slice.axis]) {
    bad_input("{}: slice {} = {}; expected 0 to {}", path.string(), "xyz"[slice.axis], slice.index,
              size[slice.axis] - 1);
  }
  constexpr std::int64_t widest = 65500;  // what common viewers open
  const std::int64_t pixels = std::int64_t{slice.zoom} * *std::max_element(size.begin(), size.end());
  if (slice.zoom < 1 || pixels > widest) {
    bad_input("{}: zoom {}; expected at least 1, and {} pixels at most", path.string(), slice.zoom, widest);
  }
  if (slice.low && slice.high && !(*slice.low < *slice.high)) {
    bad_input("{}: range {} to {}; expected ascending ones", path.string(), *slice.low, *slice.high);
  }
}

}  // namespace

template <class T>
void write_png(const std::filesystem::path& path, const Grid& grid, const Fields<T>& fields, const Slice& slice) {
  check(path, grid, slice);
  detail::check_append(path, grid, {}, 0, fields);
  const Plane plane = sample(grid, fields, slice);
  const ColourMap map = map_of(slice);
  const auto [low, high] = range_of(plane, slice, map);
  std::vector<std::uint8_t> rgb(3 * plane.values.size());
  for (std::size_t i = 0; i < plane.values.size(); ++i) {
    const double value = plane.values[i];
    // a plane of one value only is in the middle
    const double t = !std::isfinite(value) ? NAN : high > low ? (value - low) / (high - low) : 0.5;
    const auto pixel = colour(map, t);
    std::copy(pixel.begin(), pixel.end(), rgb.begin() + static_cast<std::ptrdiff_t>(3 * i));
  }
  OutputFile file(path);
  Png png(file);
  const bool encoded = encode(png, plane.width, plane.height, slice.zoom, rgb);
  if (png.error) std::rethrow_exception(png.error);
  if (!encoded) failed("{}: cannot be encoded as PNG", path.string());
  file.commit();
}

template void write_png(const std::filesystem::path&, const Grid&, const Fields<float>&, const Slice&);
template void write_png(const std::filesystem::path&, const Grid&, const Fields<double>&, const Slice&);

}  // namespace asterism::lbm

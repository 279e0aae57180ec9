// SPDX-License-Identifier: Apache-2.0
#include "io/pictures/picture.hpp"

#include <png.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <utility>

#include "io/series/series_detail.hpp"

namespace asterism::output {
namespace {

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
bool encode(Png& png, const Raster& raster, std::int32_t zoom) {
  const auto& [width, height, rgb] = raster;
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

void write(const std::filesystem::path& path, const Raster& raster, std::int32_t zoom) {
  OutputFile file(path);
  Png png(file);
  const bool encoded = encode(png, raster, zoom);
  if (png.error) std::rethrow_exception(png.error);
  if (!encoded) failed("{}: cannot be encoded as PNG", path.string());
  file.commit();
}

}  // namespace

std::pair<double, double> range_of(const Plane& plane, const Colouring& colouring) {
  double low = INFINITY;
  double high = -INFINITY;
  for (const double value : plane.values) {
    if (!std::isfinite(value)) continue;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  if (colouring.map == ColourMap::diverging) {
    const double reach = std::max(high - colouring.centre, colouring.centre - low);
    low = colouring.centre - reach;
    high = colouring.centre + reach;
  }
  return {colouring.low.value_or(low), colouring.high.value_or(high)};
}

Colour colour_of(ColourMap map, double value, double low, double high) {
  return colour(map, !std::isfinite(value) ? NAN : high > low ? (value - low) / (high - low) : 0.5);
}

void check_picture(const std::filesystem::path& path, const std::array<std::int32_t, 3>& n, const Section& section,
                   const Colouring& colouring) {
  detail::check_output(path, ".png", "a picture");
  if (section.axis > 2) bad_input("{}: slice across axis {}; expected 0, 1 or 2", path.string(), section.axis);
  if (section.index < 0 || section.index >= n[section.axis]) {
    bad_input("{}: slice {} = {}; expected 0 to {}", path.string(), "xyz"[section.axis], section.index,
              n[section.axis] - 1);
  }
  constexpr std::int64_t widest = 65500;  // what common viewers open
  const std::int64_t pixels = std::int64_t{colouring.zoom} * *std::max_element(n.begin(), n.end());
  if (colouring.zoom < 0 || pixels > widest) {
    bad_input("{}: zoom {}; expected at least 1, and {} pixels at most", path.string(), colouring.zoom, widest);
  }
  if (colouring.low && colouring.high && !(*colouring.low < *colouring.high)) {
    bad_input("{}: range {} to {}; expected ascending ones", path.string(), *colouring.low, *colouring.high);
  }
}

template <class T>
Plane plane_of(const Grid& grid, const Field<T>& field, const Section& section) {
  const auto nx = static_cast<std::size_t>(grid.n[0]);
  const auto ny = static_cast<std::size_t>(grid.n[1]);
  return sample(grid.n, section, [&](const std::array<std::int32_t, 3>& p) {
    const std::size_t i =
        static_cast<std::size_t>(p[0]) + nx * (static_cast<std::size_t>(p[1]) + ny * static_cast<std::size_t>(p[2]));
    if (field.components.size() == 1) return static_cast<double>(field.components[0][i]);
    double square = 0;
    for (const auto& component : field.components) {
      square += static_cast<double>(component[i]) * static_cast<double>(component[i]);
    }
    return std::sqrt(square);
  });
}

template Plane plane_of(const Grid&, const Field<float>&, const Section&);
template Plane plane_of(const Grid&, const Field<double>&, const Section&);

void write_png(const std::filesystem::path& path, const Plane& plane, const Colouring& colouring) {
  if (colouring.zoom < 1) bad_input("{}: zoom {}; expected at least 1", path.string(), colouring.zoom);
  const auto [low, high] = range_of(plane, colouring);
  std::vector<std::uint8_t> rgb(3 * plane.values.size());
  for (std::size_t i = 0; i < plane.values.size(); ++i) {
    const Colour pixel = colour_of(colouring.map, plane.values[i], low, high);
    std::copy(pixel.begin(), pixel.end(), rgb.begin() + static_cast<std::ptrdiff_t>(3 * i));
  }
  write(path, {plane.width, plane.height, std::move(rgb)}, colouring.zoom);
}

void write_png(const std::filesystem::path& path, const Raster& raster) {
  detail::check_output(path, ".png", "a picture");
  write(path, raster, 1);
}

}  // namespace asterism::output

// SPDX-License-Identifier: Apache-2.0
#include "io/pictures/canvas.hpp"

#include <cairo-svg.h>
#include <cairo.h>

#include <numbers>

#include "base/error.hpp"

namespace asterism::output {
namespace {

cairo_status_t append(void* to, const unsigned char* bytes, unsigned size) {
  static_cast<std::string*>(to)->append(reinterpret_cast<const char*>(bytes), size);
  return CAIRO_STATUS_SUCCESS;
}

void check(cairo_status_t status) {
  if (status != CAIRO_STATUS_SUCCESS) failed("a picture cannot be drawn: {}", cairo_status_to_string(status));
}

}  // namespace

struct Canvas::State {
  State(std::size_t columns, std::size_t rows, Drawing drawing) : width(columns), height(rows) {
    surface = drawing == Drawing::svg
                  ? cairo_svg_surface_create_for_stream(append, &written, static_cast<double>(columns),
                                                        static_cast<double>(rows))
                  : cairo_image_surface_create(CAIRO_FORMAT_RGB24, static_cast<int>(columns), static_cast<int>(rows));
    cairo = cairo_create(surface);
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    cairo_destroy(cairo);
    cairo_surface_destroy(surface);
  }

  /// Cairo counts rows from the top.
  [[nodiscard]] double down(double y) const { return static_cast<double>(height) - y; }
  /// Pixels, blue first, in rows from the top.
  [[nodiscard]] unsigned char* pixel(std::size_t x, std::size_t y) const {
    return cairo_image_surface_get_data(surface) +
           (height - 1 - y) * static_cast<std::size_t>(cairo_image_surface_get_stride(surface)) + 4 * x;
  }
  /// For a line, a disc or a text.
  cairo_t* ready(const Colour& colour) {
    if (painted) cairo_surface_mark_dirty(surface);
    painted = false;
    constexpr double most = 255;
    cairo_set_source_rgb(cairo, colour[0] / most, colour[1] / most, colour[2] / most);
    return cairo;
  }
  void font(double size) {
    cairo_select_font_face(cairo, "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(cairo, size);
  }

  std::size_t width, height;
  std::string written;
  cairo_surface_t* surface = nullptr;
  cairo_t* cairo = nullptr;
  bool painted = false;  ///< pixels, without Cairo
};

Canvas::Canvas(std::size_t width, std::size_t height, Colour background, Drawing drawing)
    : state_(std::make_unique<State>(width, height, drawing)) {
  check(cairo_status(state_->cairo));
  cairo_paint(state_->ready(background));
}
Canvas::~Canvas() = default;
Canvas::Canvas(Canvas&&) noexcept = default;
Canvas& Canvas::operator=(Canvas&&) noexcept = default;

void Canvas::paint(std::size_t x, std::size_t y, Colour colour) {
  if (!state_->painted) cairo_surface_flush(state_->surface);
  state_->painted = true;
  unsigned char* const at = state_->pixel(x, y);
  for (std::size_t c = 0; c < 3; ++c) at[c] = colour[2 - c];
}

void Canvas::line(double x0, double y0, double x1, double y1, double width, Colour colour) {
  cairo_t* const cairo = state_->ready(colour);
  cairo_set_line_width(cairo, width);
  cairo_set_line_cap(cairo, CAIRO_LINE_CAP_ROUND);
  cairo_move_to(cairo, x0, state_->down(y0));
  cairo_line_to(cairo, x1, state_->down(y1));
  cairo_stroke(cairo);
}

void Canvas::path(std::span<const std::array<double, 2>> points, double width, Colour colour,
                  std::span<const double> dashes) {
  cairo_t* const cairo = state_->ready(colour);
  cairo_set_line_width(cairo, width);
  cairo_set_line_cap(cairo, dashes.empty() ? CAIRO_LINE_CAP_ROUND : CAIRO_LINE_CAP_BUTT);
  cairo_set_line_join(cairo, CAIRO_LINE_JOIN_ROUND);
  cairo_set_dash(cairo, dashes.data(), static_cast<int>(dashes.size()), 0);
  cairo_new_path(cairo);
  for (const auto& [x, y] : points) cairo_line_to(cairo, x, state_->down(y));
  cairo_stroke(cairo);
  cairo_set_dash(cairo, nullptr, 0, 0);
}

void Canvas::disc(double x, double y, double radius, Colour colour) {
  cairo_t* const cairo = state_->ready(colour);
  cairo_new_path(cairo);
  cairo_arc(cairo, x, state_->down(y), radius, 0, 2 * std::numbers::pi);
  cairo_fill(cairo);
}

void Canvas::text(double x, double y, const std::string& text, double align, Colour colour, bool upwards, double size) {
  cairo_t* const cairo = state_->ready(colour);
  const double length = text_length(text, size);
  constexpr double half_of_a_capital = 0.36;  // of the size
  cairo_save(cairo);
  cairo_translate(cairo, x, state_->down(y));
  if (upwards) cairo_rotate(cairo, -std::numbers::pi / 2);
  cairo_move_to(cairo, -align * length, half_of_a_capital * size);
  cairo_show_text(cairo, text.c_str());
  cairo_restore(cairo);
}

double Canvas::text_length(const std::string& text, double size) const {
  state_->font(size);
  cairo_text_extents_t extents;
  cairo_text_extents(state_->cairo, text.c_str(), &extents);
  check(cairo_status(state_->cairo));
  return extents.x_advance;
}

Raster Canvas::raster() const {
  check(cairo_status(state_->cairo));
  cairo_surface_flush(state_->surface);
  Raster raster{state_->width, state_->height, {}};
  raster.rgb.reserve(3 * raster.width * raster.height);
  for (std::size_t y = 0; y < raster.height; ++y)
    for (std::size_t x = 0; x < raster.width; ++x) {
      const unsigned char* const at = state_->pixel(x, y);
      for (std::size_t c = 0; c < 3; ++c) raster.rgb.push_back(at[2 - c]);
    }
  return raster;
}

std::string Canvas::svg() {
  check(cairo_status(state_->cairo));
  cairo_surface_finish(state_->surface);
  check(cairo_surface_status(state_->surface));
  return std::move(state_->written);
}

}  // namespace asterism::output

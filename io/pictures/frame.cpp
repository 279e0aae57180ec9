// SPDX-License-Identifier: Apache-2.0
#include "io/pictures/frame.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "io/pictures/chart.hpp"

namespace asterism::output {
namespace {

// pixels around the plane
constexpr std::size_t left_room = 100, right_room = 200, bottom_room = 80, top_room = 60;
constexpr std::size_t least_height = 260, usual_side = 640;
constexpr double bar_distance = 30, label_distance = 62;

/// Values of an axis beside its pixels.
struct Ruler {
  double first, last;  ///< values
  double begin, end;   ///< pixels
  [[nodiscard]] double place(double value) const { return begin + (value - first) / (last - first) * (end - begin); }
  /// Round numbers, at least so many pixels from each other.
  [[nodiscard]] std::vector<double> ticks(double distance) const {
    std::vector<double> kept;
    for (const double tick : axis_of(first, last, false).ticks) {
      const double slack = 1e-9 * std::abs(last - first);
      if (tick < first - slack || tick > last + slack) continue;
      if (kept.empty() || place(tick) - place(kept.back()) >= distance) kept.push_back(tick);
    }
    return kept;
  }
};

/// Lengths in a unit in which the longest is 1 at least.
std::pair<double, std::string> unit_of(const Frame& frame, double longest) {
  if (frame.unit != "m") return {1, frame.unit};
  for (const auto& [factor, name] : {std::pair{1.0, "m"}, {1e3, "mm"}, {1e6, "\u00b5m"}})
    if (longest * factor >= 1) return {factor, name};
  return {1e9, "nm"};
}

class FramedPlane {
 public:
  FramedPlane(const Plane& plane, const Section& section, const Frame& frame, std::size_t zoom)
      : plane_(plane),
        section_(section),
        frame_(frame),
        zoom_(zoom),
        width_(std::max(frame_width, left_room + plane.width * zoom + right_room)),
        height_(std::max(least_height, bottom_room + plane.height * zoom + top_room)),
        bottom_(bottom_room + (height_ - bottom_room - top_room - plane.height * zoom) / 2),
        canvas_(width_, height_, paper) {}

  Raster draw(const Colouring& colouring, double low, double high) {
    colours(colouring.map, low, high);
    outlines();
    axes();
    const double bar_bottom = std::min(static_cast<double>(bottom_), static_cast<double>(bottom_room)) + 30;
    const double bar_top = static_cast<double>(height_) - static_cast<double>(top_room) - 30;
    draw_bar(canvas_, {right() + bar_distance, bar_bottom, bar_top, colouring.map, low, high, frame_.quantity});
    canvas_.text(static_cast<double>(width_) / 2, static_cast<double>(height_) - 24, frame_.title, 0.5, ink);
    return canvas_.raster();
  }

 private:
  [[nodiscard]] double right() const { return static_cast<double>(left_room + plane_.width * zoom_); }
  [[nodiscard]] double top() const { return static_cast<double>(bottom_ + plane_.height * zoom_); }

  void colours(ColourMap map, double low, double high) {
    for (std::size_t y = 0; y < plane_.height; ++y)
      for (std::size_t x = 0; x < plane_.width; ++x) {
        const Colour c = colour_of(map, plane_.values[y * plane_.width + x], low, high);
        for (std::size_t i = 0; i < zoom_ * zoom_; ++i)
          canvas_.paint(left_room + x * zoom_ + i % zoom_, bottom_ + y * zoom_ + i / zoom_, c);
      }
  }

  /// Between cells of different bodies, dark with a bright rim.
  void outlines() {
    if (!frame_.body) return;
    const double thickness = zoom_ > 2 ? 1.5 : 1;
    edges(thickness + 1.5, paper);
    edges(thickness, ink);
  }
  void edges(double thickness, const Colour& colour) {
    const auto width = static_cast<std::int32_t>(plane_.width), height = static_cast<std::int32_t>(plane_.height);
    const auto zoom = static_cast<double>(zoom_);
    for (std::int32_t y = 0; y < height; ++y)
      for (std::int32_t x = 0; x < width; ++x) {
        const int here = frame_.body(x, y);
        const double left = static_cast<double>(left_room) + x * zoom, low = static_cast<double>(bottom_) + y * zoom;
        if (x > 0 && frame_.body(x - 1, y) != here) canvas_.line(left, low, left, low + zoom, thickness, colour);
        if (y > 0 && frame_.body(x, y - 1) != here) canvas_.line(left, low, left + zoom, low, thickness, colour);
      }
  }

  void axes() {
    const std::size_t right_axis = section_.right(), up_axis = section_.up();
    const auto length = [&](std::size_t axis, std::size_t cells) {
      return frame_.spacing[axis] * static_cast<double>(cells);
    };
    const auto [factor, unit] =
        unit_of(frame_, std::max(length(right_axis, plane_.width), length(up_axis, plane_.height)));
    const double low = static_cast<double>(bottom_), begin = static_cast<double>(left_room);
    const auto ruler = [&, scale = factor](std::size_t axis, std::size_t cells, double from, double to) {
      const double first = frame_.origin[axis] * scale;
      return Ruler{first, first + length(axis, cells) * scale, from, to};
    };
    const Ruler across = ruler(right_axis, plane_.width, begin, right()),
                upwards = ruler(up_axis, plane_.height, low, top());
    for (const double tick : across.ticks(55)) {
      canvas_.line(across.place(tick), low - 7, across.place(tick), low - 1, 1.5, ink);
      canvas_.text(across.place(tick), low - 20, fmt::format("{:.5g}", tick), 0.5, ink);
    }
    for (const double tick : upwards.ticks(20)) {
      canvas_.line(begin - 7, upwards.place(tick), begin - 1, upwards.place(tick), 1.5, ink);
      canvas_.text(begin - 12, upwards.place(tick), fmt::format("{:.5g}", tick), 1, ink);
    }
    for (const double y : {low - 0.5, top() + 0.5}) canvas_.line(begin - 0.5, y, right() + 0.5, y, 1, ink);
    for (const double x : {begin - 0.5, right() + 0.5}) canvas_.line(x, low - 0.5, x, top() + 0.5, 1, ink);
    const auto name = [&, of = unit](std::size_t axis) { return fmt::format("{} ({})", "xyz"[axis], of); };
    canvas_.text((begin + right()) / 2, low - 46, name(right_axis), 0.5, ink);
    canvas_.text(20, (low + top()) / 2, name(up_axis), 0.5, ink, true);
  }

  const Plane& plane_;
  const Section& section_;
  const Frame& frame_;
  std::size_t zoom_, width_, height_;
  std::size_t bottom_;  ///< of the plane
  Canvas canvas_;
};

}  // namespace

void draw_bar(Canvas& canvas, const ColourBar& bar) {
  const auto from = static_cast<std::size_t>(bar.bottom), to = static_cast<std::size_t>(bar.top);
  const auto left = static_cast<std::size_t>(bar.left);
  for (std::size_t y = from; y < to; ++y) {
    const Colour c = colour(bar.map, static_cast<double>(y - from) / static_cast<double>(to - 1 - from));
    for (std::size_t x = left; x < left + static_cast<std::size_t>(bar_width); ++x) canvas.paint(x, y, c);
  }
  const double right = bar.left + bar_width, middle = bar.left + bar_width / 2;
  canvas.text(middle, bar.bottom - 20, fmt::format("{:.4g}", bar.low), 0.5, ink);
  canvas.text(middle, bar.top + 20, fmt::format("{:.4g}", bar.high), 0.5, ink);
  if (bar.high > bar.low) {
    const Ruler ruler{bar.low, bar.high, bar.bottom, bar.top};
    for (const double tick : ruler.ticks(20)) {
      canvas.line(right, ruler.place(tick), right + 6, ruler.place(tick), 1.5, ink);
      canvas.text(right + 14, ruler.place(tick), fmt::format("{:.4g}", tick), 0, ink);
    }
  }
  if (!bar.quantity.empty())
    canvas.text(right + 14 + label_distance + 20, (bar.bottom + bar.top) / 2, bar.quantity, 0.5, ink, true);
}

void write_png(const std::filesystem::path& path, const Plane& plane, const Colouring& colouring,
               const Section& section, const Frame& frame) {
  const std::size_t longest = std::max(plane.width, plane.height);
  const std::size_t zoom =
      colouring.zoom > 0 ? static_cast<std::size_t>(colouring.zoom) : std::max<std::size_t>(1, usual_side / longest);
  const auto [low, high] = range_of(plane, colouring);
  write_png(path, FramedPlane(plane, section, frame, zoom).draw(colouring, low, high));
}

}  // namespace asterism::output

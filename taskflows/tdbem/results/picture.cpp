// SPDX-License-Identifier: Apache-2.0
#include "taskflows/tdbem/results/picture.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/angles.hpp"
#include "base/error.hpp"
#include "io/pictures/canvas.hpp"
#include "io/pictures/frame.hpp"
#include "io/pictures/picture.hpp"
#include "taskflows/tdbem/results/rasteriser.hpp"
#include "taskflows/tdbem/results/surface_series.hpp"

namespace asterism::tdbem {
namespace {

using output::Canvas, output::ink, output::paper;

// pixels between the body and the edges of the picture
constexpr double margin = 25, title_room = 55, bar_room = 190;
constexpr double bar_left = 150;  // from the right edge
constexpr std::size_t palette_size = 1024;
/// Edges that bend more stay sharp: the corners of a triangle have its own normal there.
const double sharp_bend = std::cos(35 * degree);
constexpr double least_light = 0.7;

Point unit(const Point& a) {
  return (1 / norm(a)) * a;
}

/// Axes of the picture: right, upwards, towards the viewer.
struct Axes {
  Point right, up, towards;
};
Axes axes_of(const std::filesystem::path& path, const View& view) {
  constexpr double smallest_sine = 1e-6;
  const auto differ = [&](const Point& up) {
    return norm(cross(up, view.from)) > smallest_sine * norm(up) * norm(view.from);
  };
  constexpr Point y{0, 1, 0}, z{0, 0, 1};
  const Point up = view.up.value_or(differ(z) ? z : y);
  const Point right = cross(up, view.from);
  if (!differ(up) || !std::isfinite(norm(right)))
    bad_input("{}: view from ({}, {}, {}) with ({}, {}, {}) upwards; expected two directions that differ",
              path.string(), view.from.x, view.from.y, view.from.z, up.x, up.y, up.z);
  Axes axes;
  axes.towards = unit(view.from);
  axes.right = unit(right);
  axes.up = cross(axes.towards, axes.right);
  return axes;
}

struct Extent {
  double low = std::numeric_limits<double>::infinity(), high = -std::numeric_limits<double>::infinity();
  void take(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  [[nodiscard]] double middle() const { return (low + high) / 2; }
  [[nodiscard]] double length() const { return high - low; }
};

/// Vertices as they are seen, the body as large as its part of the picture allows.
std::vector<SeenCorner> seen(const Surface& surface, const Axes& axes, const SurfacePicture& picture) {
  std::vector<SeenCorner> corners;
  Extent across, upwards;
  for (const Point& v : surface.vertices) {
    corners.push_back({.x = dot(v, axes.right), .y = dot(v, axes.up), .depth = dot(v, axes.towards)});
    across.take(corners.back().x);
    upwards.take(corners.back().y);
  }
  const double width = static_cast<double>(picture.width) - margin - bar_room;
  const double height = static_cast<double>(picture.height) - margin - title_room;
  const double scale = std::min(width / across.length(), height / upwards.length());
  for (SeenCorner& c : corners) {
    c.x = margin + width / 2 + scale * (c.x - across.middle());
    c.y = margin + height / 2 + scale * (c.y - upwards.middle());
  }
  return corners;
}

/// Means of the normals around vertices by the angles of triangles there, so that how faces are cut does not matter.
std::vector<Point> vertex_normals(const Surface& surface) {
  std::vector<Point> normals(surface.vertices.size());
  for (std::size_t t = 0; t < surface.triangles.size(); ++t)
    for (std::size_t c = 0; c < 3; ++c) {
      const auto vertex = [&](std::size_t k) {
        return static_cast<std::size_t>(surface.triangles[t].corner[(c + k) % 3]);
      };
      const Point a = surface.vertices[vertex(1)] - surface.vertices[vertex(0)];
      const Point b = surface.vertices[vertex(2)] - surface.vertices[vertex(0)];
      Point& n = normals[vertex(0)];
      n = n + std::atan2(norm(cross(a, b)), dot(a, b)) * surface.normals[t];
    }
  for (Point& n : normals)
    if (norm(n) > 0) n = unit(n);
  return normals;
}

/// Diffuse light from above the viewer's left shoulder.
class Light {
 public:
  explicit Light(const Axes& axes) : from_(unit(axes.towards + 0.6 * axes.up - 0.5 * axes.right)) {}
  [[nodiscard]] double on(const Point& normal) const {
    return least_light + (1 - least_light) * std::max(0.0, dot(normal, from_));
  }

 private:
  Point from_;
};

void draw_body(Canvas& canvas, const Surface& surface, std::span<const double> values, const Axes& axes,
               const SurfacePicture& picture, const ValueRange& range, const Palette& palette) {
  std::vector<SeenCorner> vertices = seen(surface, axes, picture);
  for (std::size_t i = 0; i < vertices.size(); ++i)
    vertices[i].value = (values[i] - range.low) / (range.high - range.low);
  const std::vector<Point> normals = vertex_normals(surface);
  const Light light(axes);
  Rasteriser rasteriser(picture.width, picture.height);
  for (std::size_t t = 0; t < surface.triangles.size(); ++t) {
    std::array<SeenCorner, 3> corners;
    for (std::size_t c = 0; c < 3; ++c) {
      const auto vertex = static_cast<std::size_t>(surface.triangles[t].corner[c]);
      corners[c] = vertices[vertex];
      const bool smooth = dot(normals[vertex], surface.normals[t]) > sharp_bend;
      corners[c].light = light.on(smooth ? normals[vertex] : surface.normals[t]);
    }
    rasteriser.draw(corners, palette);
  }
  rasteriser.paint(canvas, paper);
}

void check(const std::filesystem::path& path, const Surface& surface, std::span<const double> values,
           const SurfacePicture& picture, const ValueRange& range) {
  constexpr std::size_t narrowest = 320, lowest = 240, most = 16384;
  if (picture.width < narrowest || picture.height < lowest || std::max(picture.width, picture.height) > most)
    bad_input("{}: a picture of {} x {} pixels; expected {} x {} at least and {} at most", path.string(), picture.width,
              picture.height, narrowest, lowest, most);
  if (!(range.low < range.high) || !std::isfinite(range.high - range.low))
    bad_input("{}: range {} to {}; expected ascending ones", path.string(), range.low, range.high);
  if (values.size() != surface.vertices.size())
    failed("{}: {} values; expected {}", path.string(), values.size(), surface.vertices.size());
}

}  // namespace

ValueRange symmetric_range(std::span<const double> values) {
  double reach = 0;
  for (const double v : values)
    if (std::isfinite(v)) reach = std::max(reach, std::abs(v));
  if (reach == 0) reach = 1;
  return {-reach, reach};
}

std::string picture_title(const Problem& problem, std::int64_t step) {
  return fmt::format("{}, t = {:.4g} s",
                     problem.boundary == Boundary::rigid ? "total pressure" : "normal derivative of pressure",
                     surface_time(problem, step));
}

std::string picture_quantity(const Problem& problem) {
  return problem.boundary == Boundary::rigid ? "pressure over incident peak" : "over incident peak (1/m)";
}

void draw_surface(const std::filesystem::path& path, const Surface& surface, std::span<const double> values,
                  const SurfacePicture& picture) {
  const ValueRange range = picture.range.value_or(symmetric_range(values));
  check(path, surface, values, picture, range);
  const Axes axes = axes_of(path, picture.view);
  Palette palette;
  for (std::size_t i = 0; i < palette_size; ++i)
    palette.push_back(output::colour(picture.map, static_cast<double>(i) / static_cast<double>(palette_size - 1)));
  Canvas canvas(picture.width, picture.height, paper);
  draw_body(canvas, surface, values, axes, picture, range, palette);
  const double bottom = static_cast<double>(picture.height / 6);
  output::draw_bar(canvas,
                   {static_cast<double>(picture.width) - bar_left, bottom, static_cast<double>(picture.height) - bottom,
                    picture.map, range.low, range.high, picture.quantity});
  canvas.text(margin, static_cast<double>(picture.height) - title_room / 2, picture.title, 0, ink);
  output::write_png(path, canvas.raster());
}

}  // namespace asterism::tdbem

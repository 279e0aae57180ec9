// SPDX-License-Identifier: Apache-2.0
#include "io/pictures/chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "io/pictures/canvas.hpp"
#include "io/pictures/picture.hpp"
#include "io/series/series_detail.hpp"

namespace asterism::output {
namespace {

constexpr Colour grey{222, 222, 222};
// told apart with every kind of colour vision: Okabe and Ito
constexpr std::array<Colour, 7> colours{
    {{0, 114, 178}, {213, 94, 0}, {0, 158, 115}, {204, 121, 167}, {230, 159, 0}, {86, 180, 233}, {90, 90, 90}}};

// and in print without colours: lengths of dashes and gaps, the first line without any
const std::array<std::vector<double>, 5> dashes{{{}, {10, 5}, {3, 4}, {12, 4, 3, 4}, {20, 4}}};

constexpr double left = 110, right = chart_width - 30.0, bottom = 80, top = chart_height - 60.0;
constexpr double legend_row = 22;
constexpr double wide_range = 20;

struct Range {
  double least = INFINITY, largest = -INFINITY;
  void take(double value) {
    if (!std::isfinite(value)) bad_input("a chart with a value that is not finite");
    least = std::min(least, value);
    largest = std::max(largest, value);
  }
};

class ChartDrawing {
 public:
  ChartDrawing(const Chart& chart, const Axis& x, const Axis& y, Drawing drawing)
      : chart_(chart),
        x_(x),
        y_(y),
        top_(top - legend_row * static_cast<double>(chart.lines.size())),
        canvas_(chart_width, chart_height, paper, drawing) {
    axes();
    for (std::size_t n = 0; n < chart.lines.size(); ++n) {
      const Colour colour = colours[n % colours.size()];
      const std::vector<double>& dash = dashes[n % dashes.size()];
      name(chart.lines[n].name, top - legend_row * static_cast<double>(n), colour, dash);
      line(chart.lines[n], colour, dash);
    }
  }
  Canvas& canvas() { return canvas_; }

 private:
  [[nodiscard]] double column(double value) const { return left + x_.place(value) * (right - left); }
  [[nodiscard]] double row(double value) const { return bottom + y_.place(value) * (top_ - bottom); }

  void axes() {
    for (const double tick : x_.ticks) {
      canvas_.line(column(tick), bottom, column(tick), top_, 1, grey);
      canvas_.text(column(tick), bottom - 18, fmt::format("{:.6g}", tick), 0.5, ink);
    }
    for (const double tick : y_.ticks) {
      canvas_.line(left, row(tick), right, row(tick), 1, grey);
      canvas_.text(left - 10, row(tick), fmt::format("{:.6g}", tick), 1, ink);
    }
    canvas_.line(left, bottom, right, bottom, 1.5, ink);
    canvas_.line(left, bottom, left, top_, 1.5, ink);
    canvas_.text((left + right) / 2, 28, chart_.x_label, 0.5, ink);
    canvas_.text(18, (bottom + top_) / 2, chart_.y_label, 0.5, ink, true);
    canvas_.text(chart_width / 2.0, chart_height - 28, chart_.title, 0.5, ink);
  }

  /// Between the title and the axes, where no line is.
  void name(const std::string& text, double y, Colour colour, const std::vector<double>& dash) {
    canvas_.path(std::array{std::array{left, y}, std::array{left + 45, y}}, 2, colour, dash);
    if (chart_.marks == Marks::spreads) canvas_.disc(left + 22.5, y, 4, colour);
    canvas_.text(left + 55, y, text, 0, ink);
  }

  void line(const ChartLine& line, Colour colour, const std::vector<double>& dash) {
    std::vector<std::array<double, 2>> points;
    for (const ChartPoint& p : line.points) {
      points.push_back({column(p.x), row(p.y)});
      if (chart_.marks == Marks::spreads) spread(p, column(p.x), colour);
    }
    canvas_.path(points, 2, colour, dash);
  }

  void spread(const ChartPoint& p, double at, Colour colour) {
    canvas_.line(at, row(p.low), at, row(p.high), 1.5, colour);
    for (const double end : {p.low, p.high}) canvas_.line(at - 5, row(end), at + 5, row(end), 1.5, colour);
    canvas_.disc(at, row(p.y), 4, colour);
  }

  const Chart& chart_;
  const Axis &x_, &y_;
  const double top_;  ///< of the axes
  Canvas canvas_;
};

}  // namespace

double Axis::place(double value) const {
  if (logarithmic) return std::log(value / first) / std::log(last / first);
  return (value - first) / (last - first);
}

Axis axis_of(double least, double largest, bool logarithmic) {
  Axis axis;
  axis.logarithmic = logarithmic;
  if (logarithmic) {
    const int low = static_cast<int>(std::floor(std::log10(least)));
    const int high = std::max(low + 1, static_cast<int>(std::ceil(std::log10(largest))));
    const bool few = high - low <= 3;
    for (int power = low; power <= high; ++power)
      for (const double times : {1.0, 2.0, 5.0})
        if (times == 1 || (few && power < high)) axis.ticks.push_back(times * std::pow(10.0, power));
  } else {
    if (!(largest > least)) {
      const double around = least == 0 ? 1 : std::abs(least) / 2;
      least -= around;
      largest += around;
    }
    constexpr double intervals = 6;
    const double rough = (largest - least) / intervals;
    const double power = std::pow(10.0, std::floor(std::log10(rough)));
    double step = 10 * power;
    for (const double times : {5.0, 2.0, 1.0})
      if (times * power >= rough) step = times * power;
    const double from = std::floor(least / step + 1e-9), to = std::ceil(largest / step - 1e-9);
    for (double n = from; n <= to; ++n) axis.ticks.push_back(n * step);
  }
  axis.first = axis.ticks.front();
  axis.last = axis.ticks.back();
  return axis;
}

void write_chart(const std::filesystem::path& path, const Chart& chart) {
  Range x, y;
  for (const ChartLine& line : chart.lines)
    for (const ChartPoint& p : line.points) {
      x.take(p.x);
      for (const double value : {p.y, p.low, p.high}) y.take(value);
    }
  const std::string extension = lower_case(path.extension().string());
  const bool svg = extension == ".svg";
  if (!svg && extension != ".png")
    bad_input("{}: {} is no extension of a chart; expected .png or .svg", path.string(), in_quotes(extension));
  detail::check_output(path, extension, "a chart");
  if (x.least > x.largest) bad_input("{}: a chart without points", path.string());
  const bool logarithmic = y.least > 0 && y.largest > wide_range * y.least;
  const Axis across = axis_of(x.least, x.largest, false);
  const Axis upwards = axis_of(logarithmic ? y.least : std::min(0.0, y.least), y.largest, logarithmic);
  ChartDrawing drawing(chart, across, upwards, svg ? Drawing::svg : Drawing::pixels);
  if (!svg) return write_png(path, drawing.canvas().raster());
  OutputFile file(path);
  file.write(drawing.canvas().svg());
  file.commit();
}

}  // namespace asterism::output

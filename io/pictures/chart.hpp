// SPDX-License-Identifier: Apache-2.0
// Measured values as lines over one axis, with their spread, as a PNG or SVG picture.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace asterism::output {

/// A value with the ends of its spread.
struct ChartPoint {
  double x = 0, y = 0, low = 0, high = 0;
};
struct ChartLine {
  std::string name;
  std::vector<ChartPoint> points;  ///< ascending in x
};
/// What is drawn at the points of lines.
enum class Marks {
  spreads,  ///< discs and bars from low to high: for few points
  none,     ///< for curves of many
};
struct Chart {
  std::string title, x_label, y_label;
  std::vector<ChartLine> lines;
  Marks marks = Marks::spreads;
};

inline constexpr int chart_width = 960, chart_height = 600;  ///< pixels

/// From 0 upwards, or by powers of ten where all values are positive and the largest is more than 20 times the least.
/// By the name's extension, .png or .svg. Throws Error (bad_input) for a chart without points or with values that are
/// not finite, and for a name that cannot be written; Error (failed) when the disk is full.
void write_chart(const std::filesystem::path& path, const Chart& chart);

/// From the first to the last, in round steps; `logarithmic`: 1, 2 and 5 times powers of ten, or only those.
struct Axis {
  double first = 0, last = 1;
  bool logarithmic = false;
  std::vector<double> ticks;
  /// 0 at the first and 1 at the last.
  [[nodiscard]] double place(double value) const;
};
Axis axis_of(double least, double largest, bool logarithmic);

}  // namespace asterism::output

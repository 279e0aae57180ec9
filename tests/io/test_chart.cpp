// SPDX-License-Identifier: Apache-2.0
// Charts: what is drawn where.
#include "io/pictures/chart.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>

#include "base/error.hpp"
#include "io/pictures/canvas.hpp"
#include "tests/io/files_fixture.hpp"
#include "tests/io/picture_reader.hpp"

namespace asterism::output {
namespace {

constexpr Colour white{255, 255, 255}, red{200, 0, 0};

Colour pixel(const Canvas& canvas, std::size_t x, std::size_t y) {
  const Raster r = canvas.raster();
  const std::uint8_t* p = r.rgb.data() + 3 * (y * r.width + x);
  return {p[0], p[1], p[2]};
}

TEST(Axis, RoundTicksAroundWhatIsShown) {
  EXPECT_EQ(axis_of(20, 160, false).ticks, (std::vector<double>{0, 50, 100, 150, 200}));
  EXPECT_EQ(axis_of(0, 6, false).ticks, (std::vector<double>{0, 1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(axis_of(-3, 3, false).ticks, (std::vector<double>{-3, -2, -1, 0, 1, 2, 3}));
  EXPECT_EQ(axis_of(120, 18000, true).ticks,
            (std::vector<double>{100, 200, 500, 1000, 2000, 5000, 10000, 20000, 50000, 100000}));
  EXPECT_EQ(axis_of(2, 3e4, true).ticks, (std::vector<double>{1, 10, 100, 1000, 10000, 100000}));
  const Axis one = axis_of(7, 7, false);
  EXPECT_LT(one.first, 7);
  EXPECT_GT(one.last, 7);
}

TEST(Axis, PlacesAreLinearOrLogarithmic) {
  const Axis linear = axis_of(0, 6, false);
  EXPECT_DOUBLE_EQ(linear.place(1.5), 0.25);
  const Axis logarithmic = axis_of(1, 1e4, true);
  EXPECT_NEAR(logarithmic.place(100), 0.5, 1e-15);
  EXPECT_NEAR(logarithmic.place(1e4), 1, 1e-15);
}

TEST(Canvas, LinesCoverPixelsByTheirWidth) {
  Canvas canvas(9, 7, white);
  canvas.line(2, 3.5, 7, 3.5, 2, red);  // rows 3 and halves of 2 and 4
  EXPECT_EQ(pixel(canvas, 4, 3), red);
  for (std::size_t c = 0; c < 3; ++c) EXPECT_NEAR(pixel(canvas, 4, 2)[c], (Colour{228, 128, 128})[c], 12);
  for (std::size_t c = 0; c < 3; ++c) EXPECT_NEAR(pixel(canvas, 4, 4)[c], pixel(canvas, 4, 2)[c], 20);
  EXPECT_EQ(pixel(canvas, 4, 1), white);
  EXPECT_EQ(pixel(canvas, 0, 3), white);
  canvas.line(-50, -50, 50, -40, 3, red);  // outside
  EXPECT_EQ(pixel(canvas, 0, 0), white);
}

TEST(Canvas, PaintsOnePixel) {
  Canvas canvas(9, 7, white);
  canvas.paint(8, 6, red);
  canvas.paint(2, 3, red);
  for (std::size_t y = 0; y < 7; ++y)
    for (std::size_t x = 0; x < 9; ++x)
      EXPECT_EQ(pixel(canvas, x, y), (x == 8 && y == 6) || (x == 2 && y == 3) ? red : white);
}

/// Whether there is ink from column x0 and row y0 to before x1 and y1.
bool marked(const Canvas& canvas, std::size_t x0, std::size_t y0, std::size_t x1, std::size_t y1) {
  const Raster r = canvas.raster();
  for (std::size_t y = y0; y < y1; ++y)
    for (std::size_t x = x0; x < x1; ++x)
      if (r.rgb[3 * (y * r.width + x) + 1] < 128) return true;
  return false;
}

TEST(Canvas, TextIsWhereItIsPut) {
  constexpr std::size_t side = 80;
  Canvas canvas(side, side, white);
  const double length = canvas.text_length("LL", 20);
  EXPECT_GT(length, 12);
  EXPECT_LT(length, 35);
  canvas.text(10, 40, "LL", 0, red, false, 20);
  EXPECT_TRUE(marked(canvas, 10, 31, 16, 35));   // the foot
  EXPECT_TRUE(marked(canvas, 10, 42, 14, 49));   // the stem, above it and to the left
  EXPECT_FALSE(marked(canvas, 0, 0, 10, side));  // nothing before,
  EXPECT_FALSE(marked(canvas, 10 + static_cast<std::size_t>(length) + 1, 0, side, side));
  EXPECT_FALSE(marked(canvas, 0, 0, side, 29));  // below or above
  EXPECT_FALSE(marked(canvas, 0, 51, side, side));
  Canvas ended(side, side, white);
  ended.text(70, 40, "LL", 1, red, false, 20);
  EXPECT_FALSE(marked(ended, 71, 0, side, side));
  EXPECT_TRUE(marked(ended, 50, 31, 71, 49));
  Canvas turned(side, side, white);  // a quarter to the left: the foot is at the right and goes up
  turned.text(40, 10, "L", 0, red, true, 20);
  EXPECT_TRUE(marked(turned, 44, 12, 49, 18));
  EXPECT_TRUE(marked(turned, 31, 10, 37, 14));
  EXPECT_FALSE(marked(turned, 31, 16, 40, 30));
  EXPECT_FALSE(marked(turned, 0, 0, 29, side));
}

using ChartFiles = FileTests;

TEST_F(ChartFiles, PointsAreWhereTheirValuesAre) {
  const Chart chart{"Title", "cells", "rate", {{"one", {{0, 2, 1, 3}, {50, 4, 4, 4}}}, {"two", {{100, 6, 6, 6}}}}};
  write_chart(folder_ / "chart.png", chart);
  const Picture picture = read_png(folder_ / "chart.png");
  ASSERT_EQ(picture.width, static_cast<std::uint32_t>(chart_width));
  ASSERT_EQ(picture.height, static_cast<std::uint32_t>(chart_height));
  // the area is from (110, 80) to (930, 496), below two names, from 0 to 100 and from 0 to 6
  const auto at = [&](double x, double y) {
    const auto column = static_cast<std::size_t>(110 + x / 100 * 820);
    const auto row = static_cast<std::size_t>(80 + y / 6 * 416);
    return picture.at(column, static_cast<std::size_t>(chart_height) - 1 - row);
  };
  const Pixel blue{0, 114, 178}, orange{213, 94, 0};
  EXPECT_EQ(at(50, 4), blue);
  EXPECT_EQ(at(25, 3), blue);  // on the line between
  EXPECT_NE(at(75, 5), blue);  // none from one line to another
  EXPECT_NE(at(75, 5), orange);
  EXPECT_EQ(at(99.8, 5.98), orange);
  EXPECT_EQ(picture.at(112, 60), blue);  // beside the names
  EXPECT_EQ(picture.at(112, 82), orange);
  EXPECT_NE(picture.at(122, 82), orange);  // dashed, as prints without colours need it
  EXPECT_NE(at(2, 2.6), blue);             // beside the spread
}

/// Curves have neither discs nor spreads: a column has few pixels of the line.
TEST_F(ChartFiles, CurvesOfManyPointsAreThin) {
  Chart chart{"", "t", "p", {{"curve", {}}}, Marks::none};
  for (int n = 0; n <= 400; ++n) chart.lines[0].points.push_back({0.25 * n, n % 2 == 0 ? 1.0 : 1.1, 1, 2});
  write_chart(folder_ / "chart.png", chart);
  const Picture picture = read_png(folder_ / "chart.png");
  const Pixel blue{0, 114, 178};
  for (std::size_t x = 120; x < 920; ++x) {
    int count = 0;
    for (std::size_t y = 100; y < 600; ++y) count += picture.at(x, y) == blue ? 1 : 0;
    EXPECT_GT(count, 0) << x;
    EXPECT_LT(count, 40) << x;
  }
  EXPECT_NE(picture.at(122, 56), blue);  // no disc beside the name
  EXPECT_EQ(picture.at(122, 60), blue);
}

/// Lines and letters, and the names as text that can be looked for.
TEST_F(ChartFiles, StaySharpAsSvg) {
  const Chart chart{"Title", "cells", "rate", {{"one", {{0, 2, 1, 3}, {50, 4, 4, 4}}}}};
  write_chart(folder_ / "chart.svg", chart);
  std::ifstream file(folder_ / "chart.svg");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  EXPECT_NE(text.find("<svg"), std::string::npos);
  EXPECT_NE(text.find("width=\"960"), std::string::npos);
  EXPECT_NE(text.find("</svg>"), std::string::npos);
  EXPECT_NE(text.find("rgb(0%,44."), std::string::npos);  // the blue of the line
  EXPECT_GT(text.size(), 3000U);
}

TEST_F(ChartFiles, SaysWhatCannotBeDrawn) {
  EXPECT_THROW(write_chart(folder_ / "none.png", {"", "", "", {}}), Error);
  EXPECT_THROW(write_chart(folder_ / "nan.png", {"", "", "", {{"a", {{1, NAN, 1, 1}}}}}), Error);
  EXPECT_THROW(write_chart(folder_ / "chart.gif", {"", "", "", {{"a", {{1, 1, 1, 1}}}}}), Error);
  EXPECT_THROW(write_chart("nowhere/chart.png", {"", "", "", {{"a", {{1, 1, 1, 1}}}}}), Error);
}

}  // namespace
}  // namespace asterism::output

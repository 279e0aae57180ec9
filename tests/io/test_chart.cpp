// SPDX-License-Identifier: Apache-2.0
// Charts: what is drawn where.
#include "io/pictures/chart.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "io/pictures/canvas.hpp"
#include "io/pictures/font.hpp"
#include "tests/io/files_fixture.hpp"
#include "tests/io/picture_reader.hpp"

namespace asterism::output {
namespace {

constexpr Colour white{255, 255, 255}, red{200, 0, 0};

Colour pixel(const Canvas& canvas, std::size_t x, std::size_t y) {
  const Raster& r = canvas.raster();
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
  EXPECT_EQ(pixel(canvas, 4, 2), (Colour{228, 128, 128}));
  EXPECT_EQ(pixel(canvas, 4, 4), pixel(canvas, 4, 2));
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

TEST(Canvas, TextIsItsDots) {
  Canvas canvas(40, 40, white);
  canvas.text(10, 20.5, "L", 0, red, false, 1);
  // rows 17 to 23: the stem is 7 high, the foot 5 wide
  for (std::size_t y = 17; y < 24; ++y) EXPECT_EQ(pixel(canvas, 10, y), red) << y;
  for (std::size_t x = 10; x < 15; ++x) EXPECT_EQ(pixel(canvas, x, 17), red) << x;
  EXPECT_EQ(pixel(canvas, 11, 18), white);
  EXPECT_EQ(pixel(canvas, 10, 16), white);
  EXPECT_EQ(pixel(canvas, 10, 24), white);
  Canvas turned(40, 40, white);
  turned.text(20.5, 10, "L", 0, red, true, 1);  // a quarter to the left: the foot is at the right and goes up
  for (std::size_t x = 17; x < 24; ++x) EXPECT_EQ(pixel(turned, x, 10), red) << x;
  for (std::size_t y = 10; y < 15; ++y) EXPECT_EQ(pixel(turned, 23, y), red) << y;
  EXPECT_EQ(pixel(turned, 17, 12), white);
}

TEST(Font, GlyphsFitAndDiffer) {
  std::vector<std::string_view> seen;
  for (const char letter :
       std::string_view("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz.,:/-_+=%()")) {
    const std::string_view rows = glyph(letter);
    EXPECT_EQ((rows.size() + 1) % (glyph_width + 1), 0U) << letter;
    const auto count = std::count(rows.begin(), rows.end(), '|') + 1;
    EXPECT_LE(count, glyph_ascent + glyph_descent) << letter;
    EXPECT_GE(count, glyph_ascent) << letter;
    EXPECT_EQ(std::find(seen.begin(), seen.end(), rows), seen.end()) << letter;
    seen.push_back(rows);
  }
  EXPECT_EQ(glyph('\x7f'), glyph('~'));
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
  EXPECT_NE(at(2, 2.6), blue);  // beside the spread
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

TEST_F(ChartFiles, SaysWhatCannotBeDrawn) {
  EXPECT_THROW(write_chart(folder_ / "none.png", {"", "", "", {}}), Error);
  EXPECT_THROW(write_chart(folder_ / "nan.png", {"", "", "", {{"a", {{1, NAN, 1, 1}}}}}), Error);
  EXPECT_THROW(write_chart(folder_ / "chart.gif", {"", "", "", {{"a", {{1, 1, 1, 1}}}}}), Error);
  EXPECT_THROW(write_chart("nowhere/chart.png", {"", "", "", {{"a", {{1, 1, 1, 1}}}}}), Error);
}

}  // namespace
}  // namespace asterism::output

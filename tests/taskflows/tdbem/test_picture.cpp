// SPDX-License-Identifier: Apache-2.0
// Pictures of surfaces: what is where, in which colour, and what hides what.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "taskflows/tdbem/results/picture.hpp"
#include "taskflows/tdbem/results/rasteriser.hpp"
#include "tests/io/picture_reader.hpp"
#include "tests/taskflows/tdbem/files_fixture.hpp"

namespace asterism::tdbem {
namespace {

using output::Colour;
using TdbemPicture = FileTests;

constexpr Pixel white{255, 255, 255}, magenta{255, 0, 255};
constexpr std::size_t body_end = 780;  // right of it: the bar
constexpr std::size_t body_top = 60;   // above it: the title

bool red(const Pixel& p) {
  return p[0] > p[2] + 40;
}
bool blue(const Pixel& p) {
  return p[2] > p[0] + 40;
}

/// Pixels that fulfil a condition: where they are, from the upper left corner.
struct Region {
  std::size_t count = 0;
  double x = 0, y = 0;  ///< mean
  std::size_t left = 9999, right = 0, top = 9999, bottom = 0;
};
template <class Is>
Region region(const Picture& picture, const Is& is) {
  Region r;
  for (std::size_t y = body_top; y < picture.height; ++y)
    for (std::size_t x = 0; x < std::min<std::size_t>(picture.width, body_end); ++x) {
      if (!is(picture.at(x, y))) continue;
      ++r.count;
      r.x += static_cast<double>(x);
      r.y += static_cast<double>(y);
      r.left = std::min(r.left, x);
      r.right = std::max(r.right, x);
      r.top = std::min(r.top, y);
      r.bottom = std::max(r.bottom, y);
    }
  r.x /= static_cast<double>(r.count);
  r.y /= static_cast<double>(r.count);
  return r;
}
Region body(const Picture& picture) {
  return region(picture, [](const Pixel& p) { return p != white; });
}

template <class F>
std::vector<double> values_of(const Surface& s, const F& f) {
  std::vector<double> values;
  for (const Point& v : s.vertices) values.push_back(f(v));
  return values;
}

class Drawn : public TdbemPicture {
 protected:
  Picture draw(const Surface& s, const std::vector<double>& values, const SurfacePicture& picture) const {
    draw_surface(folder_ / "a.png", s, values, picture);
    return read_png(folder_ / "a.png");
  }
};

Surface brick() {
  return prepare_surface(box({3, 2, 1}, {6, 4, 2}));
}

/// Seen along each axis a brick of sides 3, 2, 1 is a rectangle; colours are on the side where the values are.
TEST_F(Drawn, AxesAreWhereTheyBelong) {
  const Surface s = brick();
  struct Case {
    View view;
    double ratio;               ///< width over height
    double Point::*rightwards;  ///< coordinate that grows to the right, and its sign
    int right_sign;
    double Point::*upwards;
  };
  for (const Case& c :
       {Case{{{0, -5, 0}, Point{0, 0, 1}}, 3, &Point::x, 1, &Point::z},
        Case{{{0, 2, 0}, Point{0, 0, 3}}, 3, &Point::x, -1, &Point::z}, Case{{{1, 0, 0}}, 2, &Point::y, 1, &Point::z},
        Case{{{0, 0, 1}, Point{0, 1, 0}}, 1.5, &Point::x, 1, &Point::y},
        Case{{{0, 0, -1}}, 1.5, &Point::x, -1, &Point::y}}) {
    SurfacePicture picture;
    picture.view = c.view;
    Picture seen = draw(s, values_of(s, [&](const Point& v) { return v.*c.rightwards; }), picture);
    const Region all = body(seen);
    const auto length = [](std::size_t a, std::size_t b) { return static_cast<double>(b - a + 1); };
    EXPECT_NEAR(length(all.left, all.right) / length(all.top, all.bottom), c.ratio, 0.025);
    EXPECT_NEAR(static_cast<double>(all.count), length(all.left, all.right) * length(all.top, all.bottom),
                0.002 * static_cast<double>(all.count));
    EXPECT_GT(c.right_sign * (region(seen, red).x - region(seen, blue).x), 200);
    seen = draw(s, values_of(s, [&](const Point& v) { return v.*c.upwards; }), picture);
    EXPECT_LT(region(seen, red).y, region(seen, blue).y - 80);
  }
}

TEST_F(Drawn, TheBodyFillsItsPartOfThePicture) {
  const Surface s = prepare_surface(icosphere(4, 2.5));
  const SurfacePicture picture;
  const Picture seen = draw(s, std::vector<double>(s.vertices.size(), 0), picture);
  EXPECT_EQ(seen.width, 960U);
  EXPECT_EQ(seen.height, 720U);
  const Region all = body(seen);
  EXPECT_NEAR(static_cast<double>(all.bottom), 720 - 25 - 1, 3);
  EXPECT_NEAR(static_cast<double>(all.top), 55, 10);
  EXPECT_NEAR(static_cast<double>(all.left + all.right) / 2, 25 + (960 - 25 - 190) / 2.0, 2);
  const double radius = static_cast<double>(all.right - all.left + 1) / 2;
  EXPECT_NEAR(static_cast<double>(all.count), M_PI * radius * radius, 0.02 * static_cast<double>(all.count));
  // smooth edges: some pixels are between the body and the background
  EXPECT_GT(region(seen, [](const Pixel& p) { return p[0] > 170 && p != white; }).count, 500U);
  // light from the upper left
  EXPECT_GT(seen.at(300, 250)[1], seen.at(520, 560)[1] + 20);
  SurfacePicture small;
  small.width = 400;
  small.height = 300;
  const Picture of_small = draw(s, std::vector<double>(s.vertices.size(), 0), small);
  const Pixel grey = of_small.at(25 + 185 / 2, 55 + 220 / 2);
  EXPECT_TRUE(grey != white && !red(grey) && !blue(grey));
  EXPECT_EQ(of_small.at(12, 165), white);
}

/// What is in front hides what is behind, whichever is drawn first.
TEST_F(Drawn, NearerBodiesHideOthers) {
  mesh::TriangleMesh two = icosphere(2, 1);
  const mesh::TriangleMesh one = two;
  const auto count = static_cast<std::int32_t>(two.vertices.size());
  for (const auto& v : one.vertices) two.vertices.push_back({v[0], v[1] + 4, v[2]});
  for (const auto& t : one.triangles) two.triangles.push_back({t[0] + count, t[1] + count, t[2] + count});
  const Surface s = prepare_surface(two);
  const auto values = values_of(s, [](const Point& v) { return v.y > 2 ? 1.0 : -1.0; });
  SurfacePicture picture;
  picture.view = {{0, 1, 0}, Point{0, 0, 1}};
  Picture seen = draw(s, values, picture);
  EXPECT_EQ(region(seen, blue).count, 0U);
  EXPECT_GT(region(seen, red).count, 100000U);
  picture.view.from.y = -1;
  seen = draw(s, values, picture);
  EXPECT_EQ(region(seen, red).count, 0U);
  EXPECT_GT(region(seen, blue).count, 100000U);
}

/// Values are linear on triangles and mean what the bar says.
TEST_F(Drawn, ColoursAreThoseOfTheBar) {
  const Surface s = brick();
  SurfacePicture picture;
  picture.view = {{0, -1, 0}, Point{0, 0, 1}};
  picture.range = ValueRange{-1.5, 1.5};
  Picture seen = draw(s, values_of(s, [](const Point& v) { return v.x; }), picture);
  const Region all = body(seen);
  const std::size_t row = (all.top + all.bottom) / 2;
  const double light = static_cast<double>(seen.at((all.left + all.right) / 2, row)[0]) /
                       output::colour(output::ColourMap::diverging, 0.5)[0];
  EXPECT_GT(light, 0.7);
  EXPECT_LT(light, 1);
  for (double place = 0.03; place < 1; place += 0.047) {
    const double x = static_cast<double>(all.left) + place * static_cast<double>(all.right - all.left + 1);
    const Pixel found = seen.at(static_cast<std::size_t>(x), row);
    const Colour expected = output::colour(output::ColourMap::diverging, place);
    for (std::size_t d = 0; d < 3; ++d) EXPECT_NEAR(found[d], light * expected[d], 2.5) << place;
  }
  // the bar, from 1/6 to 5/6 of the height
  for (const double place : {0.01, 0.25, 0.5, 0.75, 0.99}) {
    const Colour expected = output::colour(output::ColourMap::diverging, place);
    const Pixel found = seen.at(960 - 150 + 13, static_cast<std::size_t>(600 - place * 480));
    for (std::size_t d = 0; d < 3; ++d) EXPECT_NEAR(found[d], expected[d], 2) << place;
  }
  EXPECT_EQ(seen.at(960 - 151, 360), white);
  EXPECT_EQ(seen.at(823, 118), white);
  EXPECT_NE(seen.at(823, 121), white);
  EXPECT_EQ(seen.at(823, 602), white);
  // one colour beyond the range
  picture.range = ValueRange{2, 3};
  seen = draw(s, values_of(s, [](const Point& v) { return v.x; }), picture);
  EXPECT_TRUE(blue(seen.at(all.left + 5, row)));
  EXPECT_EQ(seen.at(all.left + 5, row), seen.at(all.right - 5, row));
  picture.map = output::ColourMap::viridis;
  seen = draw(s, values_of(s, [](const Point& v) { return v.x; }), picture);
  EXPECT_NEAR(seen.at(all.left + 5, row)[0], light * output::colour(output::ColourMap::viridis, 0)[0], 2);
}

/// However faces are cut: triangles of the top are twice as large as those of the front.
TEST_F(Drawn, EdgesThatBendStaySharp) {
  const Surface s = prepare_surface(box({3, 2, 1}, {12, 1, 1}));
  SurfacePicture picture;
  picture.view = {{0, -1, 1}, Point{0, 0, 1}};
  picture.range = ValueRange{-1, 1};
  const Picture seen = draw(s, std::vector<double>(s.vertices.size(), 0.1), picture);
  const Region all = body(seen);
  const std::size_t x = (all.left + all.right) / 2;
  // the top (2 of 3 parts) and the front are two shades of grey
  const Pixel top = seen.at(x, all.top + 20), front = seen.at(x, all.bottom - 20);
  EXPECT_GT(top[0], front[0] + 5);
  std::size_t others = 0;
  for (std::size_t y = all.top + 2; y < all.bottom - 2; ++y)
    others += seen.at(x, y) != top && seen.at(x, y) != front ? 1 : 0;
  EXPECT_LT(others, 4U);
}

TEST_F(Drawn, ValuesThatAreNotFiniteAreMagenta) {
  const Surface s = brick();
  std::vector<double> values(s.vertices.size(), 0.25);
  EXPECT_EQ(symmetric_range(values).high, 0.25);
  values[0] = std::numeric_limits<double>::quiet_NaN();
  values[1] = -std::numeric_limits<double>::infinity();
  values[2] = -0.75;
  EXPECT_EQ(symmetric_range(values).low, -0.75);
  EXPECT_EQ(symmetric_range(values).high, 0.75);
  EXPECT_EQ(symmetric_range(std::vector<double>(3, 0)).low, -1);
  values.assign(s.vertices.size(), 0);
  for (std::size_t i = 0; i < values.size(); ++i)
    if (s.vertices[i].x > 1.4) values[i] = std::numeric_limits<double>::quiet_NaN();
  SurfacePicture picture;
  picture.view = {{0, -1, 0}, Point{0, 0, 1}};
  const Picture seen = draw(s, values, picture);
  const Region wrong = region(seen, [](const Pixel& p) { return p == magenta; });
  const Region all = body(seen);
  EXPECT_GT(wrong.count, 1000U);
  EXPECT_GT(wrong.left, all.left + (all.right - all.left) / 2);
}

TEST_F(Drawn, TitleIsWritten) {
  Problem p = files_problem(Boundary::rigid);
  p.dt = 0.25;
  p.first_step = 0;
  EXPECT_EQ(picture_title(p, 5), "total pressure, t = 1.25 s");
  p.boundary = Boundary::soft;
  EXPECT_EQ(picture_title(p, 5), "normal derivative of pressure, t = 1.125 s");
  SurfacePicture picture;
  const auto ink = [&](const std::string& title) {
    picture.title = title;
    const Picture seen = draw(p.surface, surface_values(p, 0)[0], picture);
    std::size_t dark = 0;
    for (std::size_t y = 0; y < 50; ++y)
      for (std::size_t x = 0; x < 700; ++x) dark += seen.at(x, y)[0] < 100 ? 1 : 0;
    return dark;
  };
  EXPECT_EQ(ink(""), 0U);
  EXPECT_GT(ink("pressure"), 100U);
}

TEST_F(Drawn, ErrorsNameWhatIsWrong) {
  const Surface s = brick();
  const std::vector<double> values(s.vertices.size(), 1);
  const auto wrong = [&](const SurfacePicture& picture, const std::vector<std::string>& words) {
    expect_bad_input([&] { draw_surface(folder_ / "a.png", s, values, picture); }, words);
  };
  wrong({.view = {{0, 0, 0}}}, {"a.png: view from (0, 0, 0)"});
  wrong({.view = {{0, 0, 2}, Point{0, 0, 1}}}, {"a.png: view from (0, 0, 2) with (0, 0, 1) upwards"});
  wrong({.view = {{0, 1, 1}, Point{0, 0, 0}}}, {"a.png: view from (0, 1, 1) with (0, 0, 0) upwards"});
  wrong({.view = {{NAN, 0, 2}}}, {"a.png: view"});
  wrong({.range = ValueRange{1, 1}}, {"a.png: range 1 to 1"});
  wrong({.range = ValueRange{0, INFINITY}}, {"a.png: range 0 to inf"});
  wrong({.width = 319}, {"319 x 720 pixels"});
  wrong({.height = 239}, {"960 x 239 pixels"});
  wrong({.height = 16385}, {"960 x 16385 pixels"});
  const SurfacePicture picture;
  expect_bad_input([&] { draw_surface(folder_ / "a.jpg", s, values, picture); }, {"a.jpg", ".png"});
  expect_error(Error::Kind::failed, [&] { draw_surface(folder_ / "a.png", s, std::vector<double>(3, 0), picture); },
               {"3 values; expected 90"});
  draw_surface(folder_ / "a.png", s, values, picture);
  const std::string before = bytes(folder_ / "a.png");
  {
    const FullDisk full(1000);
    expect_error(Error::Kind::failed, [&] { draw_surface(folder_ / "a.png", s, values, picture); }, {"a.png"});
  }
  EXPECT_EQ(bytes(folder_ / "a.png"), before);
}

TEST(TdbemRasteriser, BacksAreLeftOutAndEdgesShared) {
  const Palette grey{Colour{100, 100, 100}};
  output::Canvas canvas(12, 10, {255, 255, 255});
  Rasteriser square(12, 10);
  const SeenCorner a{2, 2}, b{8, 2}, c{8, 6}, d{2, 6};
  square.draw({a, c, b}, grey);  // its back
  square.paint(canvas, {255, 255, 255});
  EXPECT_EQ(canvas.raster().rgb, std::vector<std::uint8_t>(360, 255));
  square.draw({a, b, c}, grey);
  square.draw({a, c, d}, grey);
  square.paint(canvas, {255, 255, 255});
  for (std::size_t y = 0; y < 10; ++y)
    for (std::size_t x = 0; x < 12; ++x)
      EXPECT_EQ(canvas.raster().rgb[3 * (12 * y + x)], x >= 2 && x < 8 && y >= 2 && y < 6 ? 100 : 255) << x << " " << y;
  // beyond the picture, and a third of a pixel
  output::Canvas other(12, 10, {255, 255, 255});
  Rasteriser large(12, 10);
  large.draw({SeenCorner{-50, -50}, SeenCorner{50, -50}, SeenCorner{-50, 300}}, grey);
  large.paint(other, {255, 255, 255});
  EXPECT_EQ(other.raster().rgb, std::vector<std::uint8_t>(360, 100));
  Rasteriser third(12, 10);
  third.draw({SeenCorner{4, 4}, SeenCorner{4 + 1.0 / 3, 4}, SeenCorner{4 + 1.0 / 3, 5}}, grey);
  third.draw({SeenCorner{4, 4}, SeenCorner{4 + 1.0 / 3, 5}, SeenCorner{4, 5}}, grey);
  output::Canvas mixed(12, 10, {255, 255, 255});
  third.paint(mixed, {255, 255, 255});
  EXPECT_EQ(mixed.raster().rgb[3 * (12 * 4 + 4)], (100 + 2 * 255 + 1) / 3);
}

}  // namespace
}  // namespace asterism::tdbem

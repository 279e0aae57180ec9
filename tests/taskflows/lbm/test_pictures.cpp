// SPDX-License-Identifier: Apache-2.0
// Pictures of slices, read back with libpng: colours, planes, quantities, ranges; bad requests and a full disk.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "taskflows/lbm/fields/slice.hpp"
#include "tests/io/picture_reader.hpp"
#include "tests/taskflows/lbm/files.hpp"

namespace asterism::lbm {
namespace {

void expect_near(const Pixel& found, const Pixel& expected, int tolerance) {
  for (std::size_t d = 0; d < 3; ++d) {
    EXPECT_NEAR(found[d], expected[d], tolerance) << testing::PrintToString(found) << testing::PrintToString(expected);
  }
}

TEST(Colours, AreThePublishedOnes) {
  // matplotlib's viridis
  const std::vector<std::pair<double, Pixel>> viridis = {
      {0.0, {68, 1, 84}}, {0.25, {59, 82, 139}}, {0.5, {33, 145, 140}}, {0.75, {94, 201, 98}}, {1.0, {253, 231, 37}}};
  for (const auto& [t, expected] : viridis) expect_near(colour(ColourMap::viridis, t), expected, 4);
  for (const ColourMap map : {ColourMap::viridis, ColourMap::diverging}) {
    EXPECT_EQ(colour(map, -3), colour(map, 0));
    EXPECT_EQ(colour(map, 7), colour(map, 1));
    EXPECT_EQ(colour(map, std::nan("")), (Pixel{255, 0, 255}));
  }
}

/// Printed in grey (luma of Rec. 601), both maps get lighter from end to end; grey itself is only at the middle.
TEST(Colours, KeepTheirOrderWithoutColour) {
  for (const ColourMap map : {ColourMap::viridis, ColourMap::diverging}) {
    double before = 0;
    for (int step = 0; step <= 32; ++step) {
      const Pixel p = colour(map, step / 32.0);
      const double luma = 0.299 * p[0] + 0.587 * p[1] + 0.114 * p[2];
      EXPECT_GT(luma, before + 2) << step;
      before = luma;
      EXPECT_EQ(p[0] == p[1] && p[1] == p[2], map == ColourMap::diverging && step == 16);
    }
    EXPECT_GT(before, 200);
  }
}

/// Every plane and quantity of fields that are linear, on a lattice of three different sizes.
TEST_F(LbmFiles, PicturesShowThePlane) {
  const Grid grid{.nx = 7, .ny = 5, .nz = 4};
  const std::array<std::int32_t, 3> size = {7, 5, 4};
  std::vector<double> field[4];
  const auto rho = [](int x, int y, int z) { return 1 + 0.01 * (x + 10 * y + 60 * z); };
  const auto u = [](int x, int y, int z) { return 0.5 * x - 2.0 * y + 3.0 * z; };
  const auto v = [](int x, int y, int z) { return x * x + 0.25 * y - 5.0 * z; };
  const auto w = [](int x, int y, int z) { return -1.5 * x + 7.0 * y + 0.125 * z; };
  for (int z = 0; z < 4; ++z)
    for (int y = 0; y < 5; ++y)
      for (int x = 0; x < 7; ++x) {
        field[0].push_back(rho(x, y, z));
        field[1].push_back(u(x, y, z));
        field[2].push_back(v(x, y, z));
        field[3].push_back(w(x, y, z));
      }
  // of x^2: central differences inside, one-sided at the faces
  const auto dv_dx = [](int x, int, int) { return x == 0 ? 1.0 : x == 6 ? 11.0 : 2.0 * x; };
  using Value = std::function<double(int, int, int)>;
  const std::vector<std::pair<Quantity, Value>> quantities = {
      {Quantity::rho, rho},
      {Quantity::u, u},
      {Quantity::v, v},
      {Quantity::w, w},
      {Quantity::speed, [&](int x, int y, int z) { return std::hypot(u(x, y, z), v(x, y, z), w(x, y, z)); }},
      {Quantity::vorticity_x, [](int, int, int) { return 7.0 + 5.0; }},
      {Quantity::vorticity_y, [](int, int, int) { return 3.0 + 1.5; }},
      {Quantity::vorticity_z, [&](int x, int y, int z) { return dv_dx(x, y, z) + 2.0; }}};
  for (const auto& [quantity, value] : quantities) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      for (const std::int32_t zoom : {1, 3}) {
        const std::int32_t index = size[axis] - 2;
        const Slice slice{.axis = axis,
                          .index = index,
                          .quantity = quantity,
                          .low = -20,
                          .high = 30,
                          .map = ColourMap::viridis,
                          .zoom = zoom};
        write_png(folder_ / "s.png", grid, Fields<double>{field[0], field[1], field[2], field[3]}, slice);
        const Picture picture = read_png(folder_ / "s.png");
        const std::size_t right = axis == 0 ? 1 : 0;
        const std::size_t up = axis == 2 ? 1 : 2;
        ASSERT_EQ(picture.width, static_cast<std::uint32_t>(size[right] * zoom));
        ASSERT_EQ(picture.height, static_cast<std::uint32_t>(size[up] * zoom));
        for (std::int32_t py = 0; py < size[up] * zoom; ++py) {
          for (std::int32_t px = 0; px < size[right] * zoom; ++px) {
            std::array<int, 3> cell{};
            cell[axis] = index;
            cell[right] = px / zoom;
            cell[up] = size[up] - 1 - py / zoom;
            const double t = (value(cell[0], cell[1], cell[2]) + 20) / 50;
            expect_near(picture.at(static_cast<std::size_t>(px), static_cast<std::size_t>(py)),
                        colour(ColourMap::viridis, t), 1);
          }
        }
      }
    }
  }
}

TEST_F(LbmFiles, PicturesFindTheirRange) {
  const Grid grid{.nx = 4, .ny = 1, .nz = 1};
  const std::vector<float> values = {-1, 0, 3, NAN};
  const std::vector<float> ones(4, 1);
  const Fields<float> fields{ones, values, ones, ones};
  const fs::path path = folder_ / "s.png";
  write_png(path, grid, fields, {.quantity = Quantity::u});
  Picture picture = read_png(path);
  EXPECT_EQ(picture.at(0, 0), colour(ColourMap::diverging, 1.0 / 3));
  EXPECT_EQ(picture.at(1, 0), colour(ColourMap::diverging, 0.5));
  EXPECT_EQ(picture.at(2, 0), colour(ColourMap::diverging, 1));
  EXPECT_EQ(picture.at(3, 0), (Pixel{255, 0, 255}));
  write_png(path, grid, fields, {.quantity = Quantity::u, .map = ColourMap::viridis});
  picture = read_png(path);
  EXPECT_EQ(picture.at(0, 0), colour(ColourMap::viridis, 0));
  EXPECT_EQ(picture.at(1, 0), colour(ColourMap::viridis, 0.25));
  EXPECT_EQ(picture.at(2, 0), colour(ColourMap::viridis, 1));
  write_png(path, grid, fields, {.quantity = Quantity::u, .low = -2, .map = ColourMap::viridis});
  EXPECT_EQ(read_png(path).at(0, 0), colour(ColourMap::viridis, 0.2));
  write_png(path, grid, fields, {.quantity = Quantity::rho});
  EXPECT_EQ(read_png(path).at(0, 0), colour(ColourMap::viridis, 0.5)) << "all the same";
}

TEST_F(LbmFiles, BadPicturesAreRefused) {
  const Example<float> example({.nx = 200, .ny = 150, .nz = 1}, 1);
  const Grid grid{.nx = 200, .ny = 150, .nz = 1};
  const auto write = [&](const std::string& name, const Slice& slice) {
    write_png(folder_ / name, grid, example.fields(), slice);
  };
  write("s.png", {});
  const std::string before = bytes(folder_ / "s.png");
  expect_bad_input([&] { write("s.png", {.index = 1}); }, {"s.png", "slice z = 1", "0 to 0"});
  expect_bad_input([&] { write("s.png", {.axis = 0, .index = 200}); }, {"slice x = 200", "0 to 199"});
  expect_bad_input([&] { write("s.png", {.axis = 1, .index = -1}); }, {"slice y = -1"});
  expect_bad_input([&] { write("s.png", {.axis = 3}); }, {"axis 3"});
  expect_bad_input([&] { write("s.png", {.zoom = 0}); }, {"zoom 0"});
  expect_bad_input([&] { write("s.png", {.zoom = 400}); }, {"zoom 400"});
  expect_bad_input([&] { write("s.png", {.low = 1, .high = 1}); }, {"range 1 to 1"});
  expect_bad_input([&] { write("s.jpg", {}); }, {"s.jpg", ".png"});
  expect_bad_input([&] { write("none/s.png", {}); }, {"none/s.png", "cannot be written"});
  {
    const FullDisk full(500);
    expect_error(Error::Kind::failed, [&] { write("s.png", {.zoom = 2}); },
                 {"s.png", "cannot be written", "too large"});
  }
  EXPECT_TRUE(bytes(folder_ / "s.png") == before);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 1);
}

}  // namespace
}  // namespace asterism::lbm

// SPDX-License-Identifier: Apache-2.0
// Fields of any method as files: names, scalars and vectors, cells and nodes, three spacings, pieces in any order.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "io/pictures/frame.hpp"
#include "io/series/pieces.hpp"
#include "io/series/series.hpp"
#include "tests/io/picture_reader.hpp"
#include "tests/io/series_readers.hpp"

namespace asterism::output {
namespace {

constexpr std::array<std::int32_t, 3> n = {37, 41, 30};  // more than a block of the writers
const Grid cells{.n = n, .origin = {-1.5, 0.25, 1e-3}, .spacing = {0.1, 0.3, 2e-9}};
const Grid nodes{.n = n, .origin = {-1.5, 0.25, 1e-3}, .spacing = {0.1, 0.3, 2e-9}, .centre = Centre::node};

/// Values that need every digit, all different.
double value(int field, int component, int x, int y, int z) {
  return std::sin(1.0 + x + 41.3 * y + 1777.7 * z + 0.01 * component + 0.1 * field);
}

template <class T>
std::vector<T> array(int field, int component) {
  std::vector<T> result;
  for (int z = 0; z < n[2]; ++z)
    for (int y = 0; y < n[1]; ++y)
      for (int x = 0; x < n[0]; ++x) result.push_back(static_cast<T>(value(field, component, x, y, z)));
  return result;
}

/// Two vectors and a scalar between them.
template <class T>
struct Example {
  std::vector<std::vector<T>> e = {array<T>(0, 0), array<T>(0, 1), array<T>(0, 2)};
  std::vector<std::vector<T>> h = {array<T>(1, 0), array<T>(1, 1), array<T>(1, 2)};
  std::vector<T> power = array<T>(2, 0);

  [[nodiscard]] Fields<T> fields() const {
    return {{"E & <more>", {e[0], e[1], e[2]}}, {"power", {power}}, {"H", {h[0], h[1], h[2]}}};
  }
  /// The values of a field in the order of the files.
  [[nodiscard]] std::vector<T> values(std::size_t field) const {
    if (field == 1) return power;
    std::vector<T> result;
    for (std::size_t i = 0; i < power.size(); ++i) {
      for (std::size_t c = 0; c < 3; ++c) result.push_back((field == 0 ? e : h)[c][i]);
    }
    return result;
  }
};
const std::vector<std::string> names = {"E & <more>", "power", "H"};

using OutputFiles = FileTests;

template <class T>
void expect_vti(const std::string& bytes, const Grid& grid, bool compressed, const Example<T>& example) {
  const std::string mark = "<AppendedData encoding=\"raw\">\n_";
  const std::string foot = "\n</AppendedData>\n</VTKFile>\n";
  const std::size_t data = bytes.find(mark) + mark.size();
  const Xml document = parse_xml(bytes.substr(0, data) + foot);
  const Xml& image = *document.all("ImageData").at(0);
  const int more = grid.centre == Centre::cell ? 0 : 1;
  const std::string extent = fmt::format("0 {} 0 {} 0 {}", n[0] - more, n[1] - more, n[2] - more);
  EXPECT_EQ(image.attributes.at("WholeExtent"), extent);
  std::istringstream numbers(image.attributes.at("Origin") + ' ' + image.attributes.at("Spacing"));
  for (std::size_t i = 0; i < 6; ++i) {
    double found = 0;
    numbers >> found;
    EXPECT_EQ(found, i < 3 ? grid.origin[i] : grid.spacing[i - 3]);
  }
  ASSERT_EQ(document.all(grid.centre == Centre::cell ? "PointData" : "CellData").size(), 0U);
  const Xml& section = *document.all(grid.centre == Centre::cell ? "CellData" : "PointData").at(0);
  EXPECT_EQ(section.attributes.at("Scalars"), "power");
  EXPECT_EQ(unescaped(section.attributes.at("Vectors")), names[0]);
  const auto arrays = section.all("DataArray");
  ASSERT_EQ(arrays.size(), 3U);
  std::size_t end = data;
  for (std::size_t f = 0; f < 3; ++f) {
    EXPECT_EQ(unescaped(arrays[f]->attributes.at("Name")), names[f]);
    EXPECT_EQ(arrays[f]->attributes.at("NumberOfComponents"), f == 1 ? "1" : "3");
    EXPECT_EQ(arrays[f]->attributes.at("type"), sizeof(T) == 4 ? "Float32" : "Float64");
    const std::size_t begin = data + std::stoul(arrays[f]->attributes.at("offset"));
    EXPECT_EQ(begin, end);
    const std::string found = appended(bytes, begin, compressed, end);
    const std::vector<T> expected = example.values(f);
    ASSERT_EQ(found.size(), expected.size() * sizeof(T));
    EXPECT_EQ(std::memcmp(found.data(), expected.data(), found.size()), 0) << names[f];
  }
  EXPECT_EQ(bytes.substr(end), foot);
}

TEST_F(OutputFiles, VtiHoldsNamedFields) {
  for (const Grid& grid : {cells, nodes}) {
    for (const Compression compression : {Compression::none, Compression::zlib}) {
      VtkSeries series(folder_ / "a.pvd", grid, compression);
      series.append(3, 1e-15, Example<float>().fields());
      series.append(4, 2.5e-15, Example<double>().fields());
      const bool compressed = compression == Compression::zlib;
      expect_vti(bytes(folder_ / "a_0000000003.vti"), grid, compressed, Example<float>());
      expect_vti(bytes(folder_ / "a_0000000004.vti"), grid, compressed, Example<double>());
      EXPECT_EQ(read_collection(folder_ / "a.pvd"),
                (std::map<double, std::string>{{1e-15, "a_0000000003.vti"}, {2.5e-15, "a_0000000004.vti"}}));
    }
  }
}

/// What the XDMF file says of a time, followed to the datasets.
template <class T>
void expect_time(const fs::path& folder, const Xml& one, const Grid& grid, const Example<T>& example) {
  const int more = grid.centre == Centre::cell ? 1 : 0;
  EXPECT_EQ(one.all("Topology").at(0)->attributes.at("Dimensions"),
            fmt::format("{} {} {}", n[2] + more, n[1] + more, n[0] + more));
  const auto geometry = one.all("Geometry").at(0)->all("DataItem");
  std::istringstream numbers(geometry.at(0)->text + ' ' + geometry.at(1)->text);
  for (std::size_t k = 0; k < 6; ++k) {
    double found = 0;
    numbers >> found;
    EXPECT_EQ(found, k < 3 ? grid.origin[2 - k] : grid.spacing[5 - k]);
  }
  const auto attributes = one.all("Attribute");
  ASSERT_EQ(attributes.size(), 3U);
  for (std::size_t f = 0; f < 3; ++f) {
    EXPECT_EQ(unescaped(attributes[f]->attributes.at("Name")), names[f]);
    EXPECT_EQ(attributes[f]->attributes.at("AttributeType"), f == 1 ? "Scalar" : "Vector");
    EXPECT_EQ(attributes[f]->attributes.at("Center"), grid.centre == Centre::cell ? "Cell" : "Node");
    const Xml& item = *attributes[f]->all("DataItem").at(0);
    EXPECT_EQ(item.attributes.at("Precision"), std::to_string(sizeof(T)));
    const std::size_t colon = item.text.rfind(':');
    std::vector<hsize_t> shape;
    EXPECT_TRUE(read_dataset<T>(folder / item.text.substr(0, colon), item.text.substr(colon + 1), shape) ==
                example.values(f))
        << names[f];
    EXPECT_EQ(item.attributes.at("Dimensions"), fmt::format("{}", fmt::join(shape, " ")));
    EXPECT_EQ(shape.size(), f == 1 ? 3U : 4U);
    EXPECT_EQ(shape[0], 30U);
    EXPECT_EQ(shape[2], 37U);
  }
}

/// Files of both precisions are written and continued: the older times are described from what the file says of them.
TEST_F(OutputFiles, Hdf5HoldsNamedFields) {
  for (const Grid& grid : {cells, nodes}) {
    Hdf5Series(folder_ / "a.h5", grid).append(3, 1e-15, Example<float>().fields());
    Hdf5Series(folder_ / "a.h5", grid, 3).append(4, 2.5e-15, Example<double>().fields());
    const Xml document = parse_xml(bytes(folder_ / "a.xdmf"));
    const std::vector<const Xml*> all = document.all("Grid");
    ASSERT_EQ(all.size(), 3U);
    EXPECT_EQ(std::stod(all[1]->all("Time").at(0)->attributes.at("Value")), 1e-15);
    EXPECT_EQ(std::stod(all[2]->all("Time").at(0)->attributes.at("Value")), 2.5e-15);
    expect_time(folder_, *all[1], grid, Example<float>());
    expect_time(folder_, *all[2], grid, Example<double>());
    EXPECT_EQ(read_attribute<std::int64_t>(folder_ / "a.h5", "step_0000000004", "step"), 4);
  }
  expect_bad_input([&] { Hdf5Series(folder_ / "a.h5", cells, 3); },
                   {"a.h5: holds 37 x 41 x 30 nodes", "expected 37 x 41 x 30 cells of 0.1 x 0.3 x 2e-09"});
  Grid other = nodes;
  other.spacing[1] = 0.4;
  expect_bad_input([&] { Hdf5Series(folder_ / "a.h5", other, 3); }, {"0.1 x 0.3 x 2e-09", "0.1 x 0.4 x 2e-09"});
}

/// Graded along x and z.
TEST_F(OutputFiles, CellsOfSeveralLengthsHaveTheirCoordinates) {
  Grid graded{.n = {2, 1, 3}, .origin = {-1, 5, 0}, .spacing = {0.5, 2, 0.25}};
  graded.planes = {std::vector<double>{-1, -0.5, 0.7}, {}, {0, 0.25, 1, 3}};
  const std::vector<double> values = {1, 2, 3, 4, 5, 6};
  const Fields<double> fields{{"power", {values}}};
  VtkSeries(folder_ / "a.pvd", graded, Compression::none).append(3, 1, fields);
  EXPECT_NE(bytes(folder_ / "a.pvd").find("a_0000000003.vtr"), std::string::npos);
  const std::string vtr = bytes(folder_ / "a_0000000003.vtr");
  for (const char* part : {"<RectilinearGrid WholeExtent=\"0 2 0 1 0 3\">", ">-1 -0.5 0.7<", ">5 7<", ">0 0.25 1 3<"})
    EXPECT_NE(vtr.find(part), std::string::npos) << part;
  Hdf5Series(folder_ / "a.h5", graded).append(3, 1, fields);
  Hdf5Series(folder_ / "a.h5", graded, 3).append(4, 2, fields);
  const std::string xdmf = bytes(folder_ / "a.xdmf");
  for (const char* part :
       {"\"3DRectMesh\" Dimensions=\"4 2 3\"", "\"VXVYVZ\"", ">-1 -0.5 0.7<", ">5 7<", ">0 0.25 1 3<"})
    EXPECT_NE(xdmf.find(part), std::string::npos) << part;
  std::vector<hsize_t> shape;
  EXPECT_EQ(read_dataset<double>(folder_ / "a.h5", "step_0000000004/z", shape), (std::vector<double>{0.125, 0.625, 2}));
  EXPECT_EQ(read_dataset<double>(folder_ / "a.h5", "step_0000000004/y", shape), (std::vector<double>{6}));
  Grid other = graded;
  other.planes[2][2] = 1.5;
  expect_bad_input([&] { Hdf5Series(folder_ / "a.h5", other, 3); }, {"a.h5: holds 2 x 1 x 3 cells"});
}

TEST_F(OutputFiles, WrongFieldsAreRefused) {
  const std::vector<float> right(cells.size());
  const std::vector<float> few(cells.size() - 1);
  Hdf5Series hdf5(folder_ / "a.h5", cells);
  VtkSeries vti(folder_ / "a.pvd", cells, Compression::none);
  const auto refused = [&](const Fields<float>& fields, const std::vector<std::string>& fragments) {
    expect_error(
        Error::Kind::failed, [&] { hdf5.append(1, 1, fields); }, fragments);
    expect_error(
        Error::Kind::failed, [&] { vti.append(1, 1, fields); }, fragments);
  };
  refused({}, {"no field"});
  refused({{"", {right}}}, {"name"});
  refused({{"a/b", {right}}}, {"\"a/b\""});
  refused({{"a", {right}}, {"a", {right}}}, {"\"a\""});
  refused({{"a", {right, right}}}, {"2 components"});
  refused({{"a", {right, few, right}}}, {"45509 values of a", "37 x 41 x 30 cells"});
  EXPECT_TRUE(fs::is_empty(folder_));
}

/// Boxes that fill the grid, shuffled, some with x fastest, some with z, with gaps between rows and planes.
TEST(Pieces, InAnyOrderAndLayout) {
  std::mt19937 random(3);
  const std::vector<std::int32_t> cut[3] = {{0, 5, 6, 37}, {0, 17, 41}, {0, 1, 14, 30}};
  std::vector<Region> regions;
  for (std::size_t i = 0; i + 1 < cut[0].size(); ++i)
    for (std::size_t j = 0; j + 1 < cut[1].size(); ++j)
      for (std::size_t k = 0; k + 1 < cut[2].size(); ++k)
        regions.push_back({{cut[0][i], cut[1][j], cut[2][k]},
                           {cut[0][i + 1] - cut[0][i], cut[1][j + 1] - cut[1][j], cut[2][k + 1] - cut[2][k]}});
  for (int round = 0; round < 10; ++round) {
    std::shuffle(regions.begin(), regions.end(), random);
    Assembly<double> all(n);
    for (const Region& r : regions) {
      EXPECT_LT(all.count(), static_cast<std::int64_t>(cells.size()));
      std::array<std::size_t, 3> order = {0, 1, 2};
      std::shuffle(order.begin(), order.end(), random);
      std::array<std::int64_t, 3> stride{};
      std::int64_t next = 1;
      for (const std::size_t a : order) {
        stride[a] = next;
        next = next * r.n[a] + static_cast<std::int64_t>(random() % 3);
      }
      std::vector<double> piece(static_cast<std::size_t>(next + 2), std::numeric_limits<double>::quiet_NaN());
      for (int z = 0; z < r.n[2]; ++z)
        for (int y = 0; y < r.n[1]; ++y)
          for (int x = 0; x < r.n[0]; ++x)
            piece[static_cast<std::size_t>(x * stride[0] + y * stride[1] + z * stride[2])] =
                value(0, 0, r.first[0] + x, r.first[1] + y, r.first[2] + z);
      all.put(r, piece.data(), stride);
    }
    EXPECT_EQ(all.count(), static_cast<std::int64_t>(cells.size()));
    EXPECT_TRUE(std::equal(all.values().begin(), all.values().end(), array<double>(0, 0).begin()));
  }
}

TEST(Pieces, ThatDoNotFitAreRefused) {
  const std::vector<float> values(1000, 1);
  Assembly<float> all({10, 9, 8});
  const auto put = [&](const Region& r) { all.put(r, values.data(), {1, 10, 100}); };
  put({{2, 2, 2}, {3, 3, 3}});
  put({{5, 2, 2}, {1, 3, 3}});
  put({{0, 0, 0}, {0, 3, 3}});
  EXPECT_EQ(all.count(), 36);
  EXPECT_EQ(all.values()[0], 0) << "where nothing was put";
  for (const Region& r : {Region{{4, 4, 4}, {3, 3, 3}}, Region{{0, 0, 0}, {10, 9, 8}}}) {
    expect_error(Error::Kind::failed, [&] { put(r); }, {"overlaps one of 3 x 3 x 3 values from (2, 2, 2)"});
  }
  expect_error(Error::Kind::failed, [&] { put({{8, 0, 0}, {3, 1, 1}}); }, {"3 x 1 x 1", "out of 10 x 9 x 8"});
  expect_error(Error::Kind::failed, [&] { put({{0, -1, 0}, {1, 1, 1}}); }, {"(0, -1, 0)", "out of"});
  EXPECT_EQ(all.count(), 36);
}

TEST_F(OutputFiles, PicturesOfScalarsAndMagnitudes) {
  const Example<float> example;
  const fs::path path = folder_ / "s.png";
  const Section section{1, 40};
  const auto write = [&](const Field<float>& field, const Section& plane, const Colouring& colouring) {
    check_picture(path, cells.n, plane, colouring);
    write_png(path, plane_of(cells, field, plane), colouring);
  };
  write(example.fields()[1], section, {.map = ColourMap::diverging, .low = -2, .high = 1});
  Picture picture = read_png(path);
  ASSERT_EQ(picture.width, 37U);
  ASSERT_EQ(picture.height, 30U);
  for (int z = 0; z < 30; ++z)
    for (int x = 0; x < 37; ++x) {
      const double t = (static_cast<float>(value(2, 0, x, 40, z)) + 2.0) / 3;
      ASSERT_EQ(picture.at(static_cast<std::size_t>(x), static_cast<std::size_t>(29 - z)),
                colour(ColourMap::diverging, t));
    }
  write(example.fields()[0], {0, 3}, {.low = 0, .high = 2, .zoom = 2});
  picture = read_png(path);
  ASSERT_EQ(picture.width, 82U);
  double square = 0;
  for (int c = 0; c < 3; ++c) square += std::pow(static_cast<float>(value(0, c, 3, 7, 11)), 2);
  EXPECT_EQ(picture.at(15, 2 * (29 - 11)), colour(ColourMap::viridis, std::sqrt(square) / 2));
  expect_bad_input([&] { write(example.fields()[0], {2, 30}, {}); }, {"slice z = 30", "0 to 29"});
}

/// Around a centre, unless the ends are given.
TEST_F(OutputFiles, SignedQuantitiesHaveSymmetricRanges) {
  const fs::path path = folder_ / "s.png";
  const Plane plane{3, 1, {-1, 0, 4}};
  const auto pixel = [&](const Colouring& colouring, std::size_t x) {
    write_png(path, plane, colouring);
    return read_png(path).at(x, 0);
  };
  EXPECT_EQ(pixel({.map = ColourMap::diverging}, 0), colour(ColourMap::diverging, 0.375));
  EXPECT_EQ(pixel({.map = ColourMap::diverging}, 1), colour(ColourMap::diverging, 0.5));
  EXPECT_EQ(pixel({.map = ColourMap::diverging, .centre = 1}, 0), colour(ColourMap::diverging, 1.0 / 6));
  EXPECT_EQ(pixel({.map = ColourMap::diverging, .low = -2, .high = 2}, 0), colour(ColourMap::diverging, 0.25));
  EXPECT_EQ(pixel({}, 1), colour(ColourMap::viridis, 0.2));
}

/// Cells are where the axes say, bodies have a rim, the bar's colours go from the least to the largest value.
TEST_F(OutputFiles, FramesLeaveThePlaneAsItIs) {
  const fs::path path = folder_ / "s.png";
  Plane plane{40, 20, std::vector<double>(800, 0)};
  for (std::size_t y = 0; y < 20; ++y)
    for (std::size_t x = 0; x < 40; ++x) plane.values[40 * y + x] = static_cast<double>(x);
  Frame frame{.title = "a plane", .quantity = "u (m/s)", .unit = "m", .spacing = {1e-3, 1, 1e-3}};
  frame.body = [](std::int32_t x, std::int32_t y) { return x >= 10 && x < 20 && y >= 5 && y < 10 ? 1 : 0; };
  write_png(path, plane, {.zoom = 0}, {1, 0}, frame);
  const Picture picture = read_png(path);
  // 640 pixels by 16 for each cell, with 100 and 200 beside, 80 below and 60 above
  ASSERT_EQ(picture.width, 940U);
  ASSERT_EQ(picture.height, 460U);
  const auto at = [&](double x, double y) {
    return picture.at(static_cast<std::size_t>(100 + 16 * x), static_cast<std::size_t>(460 - 1 - (80 + 16 * y)));
  };
  for (int x = 0; x < 40; ++x) EXPECT_EQ(at(x + 0.5, 12.5), colour(ColourMap::viridis, x / 39.0)) << x;
  const auto dark = [](const Pixel& p) { return p[0] < 60 && p[1] < 60 && p[2] < 60; };
  const auto rim = [](const Pixel& p) {
    return p[0] < 120 && p[1] < 120 && p[2] < 120;
  };  // of a colour with more green
  for (const double y : {5.5, 7.5, 9.5}) {
    EXPECT_TRUE(rim(at(20, y))) << y;
    EXPECT_FALSE(rim(at(20, y + 5))) << y;
  }
  const std::size_t bar = 100 + 640 + 30 + 13;
  EXPECT_EQ(picture.at(bar, 460 - 1 - 110), colour(ColourMap::viridis, 0));
  EXPECT_EQ(picture.at(bar, 460 - (460 - 60 - 30)), colour(ColourMap::viridis, 1));
  // numbers and names: something is written below, to the left, above, beside the bar; nothing in the corner
  const auto written = [&](std::size_t x0, std::size_t y0, std::size_t x1, std::size_t y1) {
    for (std::size_t y = y0; y < y1; ++y)
      for (std::size_t x = x0; x < x1; ++x)
        if (dark(picture.at(x, y))) return true;
    return false;
  };
  EXPECT_TRUE(written(100, 390, 740, 410));
  EXPECT_TRUE(written(380, 415, 460, 440));
  EXPECT_TRUE(written(40, 60, 92, 380));
  EXPECT_TRUE(written(8, 150, 36, 300));
  EXPECT_TRUE(written(420, 10, 520, 45));
  EXPECT_TRUE(written(870, 150, 900, 300));
  EXPECT_FALSE(written(0, 400, 90, 460));
  // a narrow plane
  write_png(path, Plane{1, 3, {1, 2, 3}}, {.zoom = 1}, {2, 0}, {.title = "", .quantity = "", .unit = "cells"});
  EXPECT_EQ(read_png(path).width, frame_width);
  EXPECT_EQ(read_png(path).height, 260U);
}

}  // namespace
}  // namespace asterism::output

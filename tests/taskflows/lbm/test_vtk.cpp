// SPDX-License-Identifier: Apache-2.0
// VTK files and their collections: read back with the XML reader and zlib; continued; foreign ones refused.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "taskflows/lbm/fields/fields.hpp"
#include "tests/io/xml_reader.hpp"
#include "tests/taskflows/lbm/files.hpp"

namespace asterism::lbm {
namespace {

template <class T>
void expect_values(const std::string& bytes, const std::vector<T>& expected, const std::string& what) {
  ASSERT_EQ(bytes.size(), expected.size() * sizeof(T)) << what;
  EXPECT_EQ(std::memcmp(bytes.data(), expected.data(), bytes.size()), 0) << what;
}

template <class T>
void expect_vti(const std::string& bytes, const Grid& grid, bool compressed, const Example<T>& example) {
  const std::string mark = "<AppendedData encoding=\"raw\">\n_";
  const std::string foot = "\n</AppendedData>\n</VTKFile>\n";
  const std::size_t data = bytes.find(mark) + mark.size();
  ASSERT_LT(data, bytes.size());
  const Xml document = parse_xml(bytes.substr(0, data) + foot);
  const Xml& root = document.children.at(0);
  EXPECT_EQ(root.attributes.at("type"), "ImageData");
  EXPECT_EQ(root.attributes.at("byte_order"), "LittleEndian");
  EXPECT_EQ(root.attributes.at("header_type"), "UInt64");
  EXPECT_EQ(root.attributes.contains("compressor"), compressed);
  const Xml& image = *document.all("ImageData").at(0);
  const std::string extent = fmt::format("0 {} 0 {} 0 {}", grid.nx, grid.ny, grid.nz);
  EXPECT_EQ(image.attributes.at("WholeExtent"), extent);
  EXPECT_EQ(document.all("Piece").at(0)->attributes.at("Extent"), extent);
  std::istringstream numbers(image.attributes.at("Origin") + ' ' + image.attributes.at("Spacing"));
  for (std::size_t i = 0; i < 6; ++i) {
    double value = 0;
    numbers >> value;
    EXPECT_EQ(value, i < 3 ? grid.origin[i] : grid.spacing);
  }
  const auto arrays = document.all("CellData").at(0)->all("DataArray");
  ASSERT_EQ(arrays.size(), 2U);
  std::size_t end = data;
  for (std::size_t a = 0; a < 2; ++a) {
    const auto& attributes = arrays[a]->attributes;
    EXPECT_EQ(attributes.at("type"), sizeof(T) == 4 ? "Float32" : "Float64");
    EXPECT_EQ(attributes.at("Name"), a == 0 ? "rho" : "velocity");
    EXPECT_EQ(attributes.at("NumberOfComponents"), a == 0 ? "1" : "3");
    EXPECT_EQ(attributes.at("format"), "appended");
    const std::size_t begin = data + std::stoul(attributes.at("offset"));
    EXPECT_EQ(begin, end) << "arrays follow each other";
    expect_values(appended(bytes, begin, compressed, end), a == 0 ? example.field[0] : example.velocity(), "array");
  }
  EXPECT_EQ(bytes.substr(end), foot);
}

TEST_F(LbmFiles, VtiHoldsTheFields) {
  for (const Grid& grid : grids) {
    for (const Compression compression : {Compression::none, Compression::zlib}) {
      VtkSeries series(folder_ / "flow.pvd", grid, compression);
      const Example<float> one(grid, 1);
      const Example<double> two(grid, 2);
      series.append(7, 0.7, one.fields());
      expect_vti(bytes(folder_ / "flow_0000000007.vti"), grid, compression == Compression::zlib, one);
      EXPECT_EQ(collection("flow.pvd"), (std::map<double, std::string>{{0.7, "flow_0000000007.vti"}}));
      series.append(12, 1.2, two.fields());
      expect_vti(bytes(folder_ / "flow_0000000012.vti"), grid, compression == Compression::zlib, two);
      EXPECT_EQ(collection("flow.pvd"),
                (std::map<double, std::string>{{0.7, "flow_0000000007.vti"}, {1.2, "flow_0000000012.vti"}}));
    }
  }
}

TEST_F(LbmFiles, CollectionsAreContinued) {
  const Example<float> example(small, 1);
  for (const std::string name : {"a flow_3 & <more>\".pvd", "flow.pvd"}) {
    {
      VtkSeries series(folder_ / name, small, Compression::none);
      for (const int step : {0, 10, 20}) series.append(step, 0.1 * step, example.fields());
    }
    VtkSeries series(folder_ / name, small, Compression::none, 10);
    EXPECT_EQ(series.times(), (std::vector<SavedTime>{{0, 0.0}, {10, 1.0}}));
    series.append(15, 1.5, example.fields());
    EXPECT_EQ(collection(name).size(), 3U);
    EXPECT_TRUE(collection(name).contains(1.5));
    for (const auto& [time, vti] : collection(name)) EXPECT_TRUE(fs::exists(folder_ / vti)) << vti;
    expect_error(Error::Kind::failed, [&] { series.append(15, 1.6, example.fields()); }, {"step 15", "ascending"});
    VtkSeries anew(folder_ / name, small, Compression::none);
    EXPECT_EQ(collection(name).size(), 3U) << "the older one stays until the first append";
    anew.append(1, 1, example.fields());
    EXPECT_EQ(collection(name).size(), 1U);
  }
}

TEST_F(LbmFiles, ForeignCollectionsAreRefused) {
  const auto open = [&](const fs::path& path) { VtkSeries(path, small, Compression::none, 10); };
  expect_bad_input([&] { open(file("a.pvd", "hello")); }, {"a.pvd", "ParaView collection"});
  const std::string head = "<VTKFile type=\"Collection\">\n";
  for (const std::string line :
       {"<DataSet timestep=\"x\" file=\"a_0000000001.vti\"/>", "<DataSet timestep=\"1\" file=\"b_0000000001.vti\"/>",
        "<DataSet timestep=\"1\" file=\"a_1.vti\"/>", "<DataSet timestep=\"1\"/>",
        "<DataSet timestep=\"1\" file=\"a_0000000001.vtu\"/>", "<DataSet timestep=\"1\" file=\"a_.vtiiiiiiiiii\"/>"}) {
    expect_bad_input([&] { open(file("a.pvd", head + line)); }, {"a.pvd: line 2", "DataSet"});
  }
  expect_bad_input([&] { VtkSeries(folder_ / "a.vtk", small, Compression::none); }, {"a.vtk", ".pvd"});
}

}  // namespace
}  // namespace asterism::lbm

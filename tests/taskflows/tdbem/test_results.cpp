// SPDX-License-Identifier: Apache-2.0
// Series of surface values for viewers, read back by readers that share no code with the writers.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "io/hdf5/file.hpp"
#include "io/series/collection.hpp"
#include "taskflows/tdbem/results/surface_series.hpp"
#include "tests/io/series_readers.hpp"
#include "tests/taskflows/tdbem/files_fixture.hpp"

namespace asterism::tdbem {
namespace {

using TdbemResults = FileTests;

template <class T>
std::vector<T> numbers(const std::string& bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
  return values;
}

/// Points of the mesh that files_problem() is made of.
std::vector<float> mesh_points(std::int32_t level = 1) {
  std::vector<float> points;
  for (const auto& v : ellipsoid(level, {1, 0.7, 0.5}).vertices)
    for (const double x : v) points.push_back(static_cast<float>(x));
  return points;
}

/// Corners from the lowest on, in ascending order: the orientation stays.
std::vector<std::array<std::int32_t, 3>> sorted(std::vector<std::array<std::int32_t, 3>> triangles) {
  for (auto& t : triangles) std::rotate(t.begin(), std::min_element(t.begin(), t.end()), t.end());
  std::sort(triangles.begin(), triangles.end());
  return triangles;
}
std::vector<std::array<std::int32_t, 3>> by_three(const std::vector<std::int32_t>& corners) {
  std::vector<std::array<std::int32_t, 3>> triangles;
  for (std::size_t i = 0; i + 2 < corners.size(); i += 3)
    triangles.push_back({corners[i], corners[i + 1], corners[i + 2]});
  return triangles;
}

/// As float, in the mesh's numbering, found by where vertices are.
std::vector<float> by_place(const Problem& p, const std::vector<double>& values) {
  const mesh::TriangleMesh mesh = ellipsoid(1, {1, 0.7, 0.5});
  std::vector<float> out;
  for (const auto& v : mesh.vertices)
    for (std::size_t i = 0; i < values.size(); ++i)
      if (const Point& x = p.surface.vertices[i]; x.x == v[0] && x.y == v[1] && x.z == v[2])
        out.push_back(static_cast<float>(values[i]));
  return out;
}

void expect_vtp(const std::string& bytes, const Problem& p, const std::vector<std::vector<double>>& values) {
  const std::string mark = "<AppendedData encoding=\"raw\">\n_", foot = "\n</AppendedData>\n</VTKFile>\n";
  const std::size_t data = bytes.find(mark) + mark.size();
  const Xml document = parse_xml(bytes.substr(0, data) + foot);
  EXPECT_EQ(document.all("VTKFile").at(0)->attributes.at("type"), "PolyData");
  EXPECT_EQ(document.all("VTKFile").at(0)->attributes.at("header_type"), "UInt64");
  EXPECT_EQ(document.all("VTKFile").at(0)->attributes.at("byte_order"), "LittleEndian");
  const Xml& piece = *document.all("Piece").at(0);
  EXPECT_EQ(piece.attributes.at("NumberOfPoints"), "42");
  EXPECT_EQ(piece.attributes.at("NumberOfPolys"), "80");
  for (const char* none : {"NumberOfVerts", "NumberOfLines", "NumberOfStrips"})
    EXPECT_EQ(piece.attributes.at(none), "0");
  std::size_t end = data;
  const auto next = [&](const Xml* array, const std::string& name, const char* type, const char* components) {
    EXPECT_EQ(array->attributes.at("Name"), name);
    EXPECT_EQ(array->attributes.at("type"), type);
    EXPECT_EQ(array->attributes.at("NumberOfComponents"), components);
    EXPECT_EQ(array->attributes.at("format"), "appended");
    const std::size_t begin = data + std::stoul(array->attributes.at("offset"));
    EXPECT_EQ(begin, end);
    return appended(bytes, begin, false, end);
  };
  const auto fields = piece.all("PointData").at(0)->all("DataArray");
  ASSERT_EQ(fields.size(), values.size());
  const std::string name = p.boundary == Boundary::rigid ? "pressure_" : "normal_derivative_";
  EXPECT_EQ(piece.all("PointData").at(0)->attributes.at("Scalars"), name + "0");
  for (std::size_t w = 0; w < values.size(); ++w) {
    const auto expected = by_place(p, values[w]);
    ASSERT_EQ(expected.size(), 42U);
    EXPECT_EQ(numbers<float>(next(fields[w], name + std::to_string(w), "Float32", "1")), expected);
  }
  EXPECT_EQ(numbers<float>(next(piece.all("Points").at(0)->all("DataArray").at(0), "Points", "Float32", "3")),
            mesh_points());
  const auto polys = piece.all("Polys").at(0)->all("DataArray");
  const auto corners = numbers<std::int32_t>(next(polys.at(0), "connectivity", "Int32", "1"));
  EXPECT_EQ(sorted(by_three(corners)), sorted(ellipsoid(1, {1, 0.7, 0.5}).triangles));
  const auto ends = numbers<std::int32_t>(next(polys.at(1), "offsets", "Int32", "1"));
  ASSERT_EQ(ends.size(), 80U);
  for (std::size_t t = 0; t < 80; ++t) EXPECT_EQ(ends[t], 3 * (static_cast<int>(t) + 1));
  EXPECT_EQ(bytes.substr(end), foot);
}

TEST_F(TdbemResults, TimesOfStepsAndNamesOfValues) {
  Problem p;
  p.dt = 0.25;
  p.first_step = -3;
  EXPECT_EQ(surface_time(p, 5), 0.5);
  p.boundary = Boundary::soft;  // the middle of the step
  EXPECT_EQ(surface_time(p, 5), 0.375);
  EXPECT_EQ(field_name(Boundary::rigid, 0), "pressure_0");
  EXPECT_EQ(field_name(Boundary::soft, 12), "normal_derivative_12");
}

TEST_F(TdbemResults, VtkHoldsEveryTime) {
  for (const Boundary boundary : {Boundary::rigid, Boundary::soft}) {
    const Problem p = files_problem(boundary);
    const fs::path path = folder_ / "a.pvd";
    SurfaceSeries series(path, p);
    series.append(3, surface_values(p, 3));
    expect_vtp(bytes(folder_ / "a_0000000003.vtp"), p, surface_values(p, 3));
    EXPECT_EQ(read_collection(path).size(), 1U);
    series.append(10, surface_values(p, 10));
    expect_vtp(bytes(folder_ / "a_0000000010.vtp"), p, surface_values(p, 10));
    const double middle = boundary == Boundary::soft ? 0.5 : 0;
    const auto time = [&](int step) { return (static_cast<double>(p.first_step + step) - middle) * p.dt; };
    EXPECT_EQ(read_collection(path),
              (std::map<double, std::string>{{time(3), "a_0000000003.vtp"}, {time(10), "a_0000000010.vtp"}}));
    EXPECT_EQ(series.times(), (std::vector<output::SavedTime>{{3, time(3)}, {10, time(10)}}));
  }
}

/// What the XDMF file says, followed to the datasets.
void expect_xdmf(const fs::path& folder, const Problem& p, const std::vector<int>& steps) {
  std::ostringstream text;
  text << std::ifstream(folder / "a.xdmf").rdbuf();
  const Xml document = parse_xml(text.str());
  std::vector<const Xml*> times;
  for (const Xml* grid : document.all("Grid"))
    if (grid->attributes.at("GridType") == "Uniform") times.push_back(grid);
  ASSERT_EQ(times.size(), steps.size());
  EXPECT_EQ(document.all("Grid").size(), steps.size() + 1);
  std::vector<hsize_t> shape;
  const auto place = [&](const Xml& item, const std::string& extent) {
    EXPECT_EQ(item.attributes.at("Dimensions"), extent);
    EXPECT_EQ(item.attributes.at("Precision"), "4");
    EXPECT_EQ(item.attributes.at("Format"), "HDF");
    EXPECT_EQ(item.text.substr(0, 6), "a.h5:/");
    return item.text.substr(5);
  };
  for (std::size_t k = 0; k < steps.size(); ++k) {
    EXPECT_EQ(std::stod(times[k]->all("Time").at(0)->attributes.at("Value")), surface_time(p, steps[k]));
    const Xml& topology = *times[k]->all("Topology").at(0);
    EXPECT_EQ(topology.attributes.at("TopologyType"), "Triangle");
    EXPECT_EQ(topology.attributes.at("NumberOfElements"), "80");
    const Xml& corners = *topology.all("DataItem").at(0);
    EXPECT_EQ(corners.attributes.at("NumberType"), "Int");
    const std::string triangles = place(corners, "80 3");
    const hid_t file = H5Fopen((folder / "a.h5").c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
    const hid_t opened = H5Dopen2(file, triangles.c_str(), H5P_DEFAULT);
    std::vector<std::int32_t> found(240);
    const hid_t space = H5Dget_space(opened);
    hsize_t extent[2] = {};
    EXPECT_EQ(H5Sget_simple_extent_dims(space, extent, nullptr), 2);
    EXPECT_EQ(extent[0], 80U);
    EXPECT_EQ(extent[1], 3U);
    H5Sclose(space);
    EXPECT_EQ(H5Dget_storage_size(opened), 960U);
    EXPECT_GE(H5Dread(opened, H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, found.data()), 0);
    H5Dclose(opened);
    H5Fclose(file);
    EXPECT_EQ(sorted(by_three(found)), sorted(ellipsoid(1, {1, 0.7, 0.5}).triangles));
    const Xml& geometry = *times[k]->all("Geometry").at(0);
    EXPECT_EQ(geometry.attributes.at("GeometryType"), "XYZ");
    const Xml& coordinates = *geometry.all("DataItem").at(0);
    EXPECT_EQ(coordinates.attributes.at("NumberType"), "Float");
    EXPECT_EQ(read_dataset<float>(folder / "a.h5", place(coordinates, "42 3"), shape), mesh_points());
    EXPECT_EQ(shape, (std::vector<hsize_t>{42, 3}));
    const auto fields = times[k]->all("Attribute");
    ASSERT_EQ(fields.size(), 2U);
    for (std::size_t w = 0; w < 2; ++w) {
      EXPECT_EQ(fields[w]->attributes.at("Name"), field_name(p.boundary, w));
      EXPECT_EQ(fields[w]->attributes.at("AttributeType"), "Scalar");
      EXPECT_EQ(fields[w]->attributes.at("Center"), "Node");
      EXPECT_EQ(read_dataset<float>(folder / "a.h5", place(*fields[w]->all("DataItem").at(0), "42"), shape),
                by_place(p, surface_values(p, steps[k])[w]));
    }
    EXPECT_EQ(read_attribute<std::int64_t>(folder / "a.h5", fmt::format("step_{:010}", steps[k]), "step"), steps[k]);
    EXPECT_EQ(read_attribute<double>(folder / "a.h5", fmt::format("step_{:010}", steps[k]), "time"),
              surface_time(p, steps[k]));
  }
}

TEST_F(TdbemResults, Hdf5HoldsEveryTime) {
  for (const Boundary boundary : {Boundary::rigid, Boundary::soft}) {
    const Problem p = files_problem(boundary);
    SurfaceSeries series(folder_ / "a.h5", p);
    series.append(3, surface_values(p, 3));
    expect_xdmf(folder_, p, {3});
    series.append(10, surface_values(p, 10));
    expect_xdmf(folder_, p, {3, 10});
    EXPECT_EQ(series.times().size(), 2U);
  }
}

TEST_F(TdbemResults, SeriesGoOnAfterARestart) {
  const Problem p = files_problem(Boundary::soft);
  for (const char* name : {"a.pvd", "a.vtkhdf", "a.h5"}) {
    {
      SurfaceSeries series(folder_ / name, p, 4);  // nothing there yet
      for (const int step : {0, 5, 10, 15}) series.append(step, surface_values(p, 0));
    }
    {
      SurfaceSeries series(folder_ / name, p, 9);
      EXPECT_EQ(series.times(), (std::vector<output::SavedTime>{{0, surface_time(p, 0)}, {5, surface_time(p, 5)}}));
      series.append(5, surface_values(p, 5));  // of which it is the last one, again
      EXPECT_EQ(series.times().size(), 2U);
      expect_error(Error::Kind::failed, [&] { series.append(4, surface_values(p, 4)); }, {name, "step 4 after step 5"});
      series.append(10, surface_values(p, 3));
    }
    SurfaceSeries series(folder_ / name, p, 10);  // as is
    EXPECT_EQ(series.times().size(), 3U);
    series.append(11, surface_values(p, 11));
  }
  EXPECT_EQ(read_collection(folder_ / "a.pvd").size(), 4U);
  EXPECT_EQ(output::read_collection(folder_ / "a.vtkhdf", ".vtkhdf").size(), 4U);
  expect_vtp(bytes(folder_ / "a_0000000010.vtp"), p, surface_values(p, 3));
  std::vector<hsize_t> shape;
  EXPECT_EQ(read_dataset<float>(folder_ / "a.h5", "step_0000000010/normal_derivative_1", shape),
            by_place(p, surface_values(p, 3)[1]));
  const auto times_in_xdmf = [&] { return parse_xml(bytes(folder_ / "a.xdmf")).all("Time").size(); };
  EXPECT_EQ(times_in_xdmf(), 4U);
  fs::remove(folder_ / "a.xdmf");
  EXPECT_EQ(SurfaceSeries(folder_ / "a.h5", p, 10).times().size(), 3U);
  EXPECT_EQ(times_in_xdmf(), 3U);
  for (const char* name : {"a.pvd", "a.h5"}) {
    const std::string before = bytes(folder_ / name);
    SurfaceSeries series(folder_ / name, p);  // anew: the older one stays until the first time
    EXPECT_EQ(bytes(folder_ / name), before);
    series.append(0, surface_values(p, 0));
  }
  EXPECT_EQ(read_collection(folder_ / "a.pvd").size(), 1U);
  EXPECT_EQ(times_in_xdmf(), 1U);
}

TEST_F(TdbemResults, SeriesOfOtherSurfacesAreRefused) {
  const Problem p = files_problem(Boundary::rigid), fine = files_problem(Boundary::rigid, 2);
  for (const char* name : {"a.pvd", "a.vtkhdf", "a.h5"})
    SurfaceSeries(folder_ / name, p).append(0, surface_values(p, 0));
  expect_bad_input([&] { SurfaceSeries(folder_ / "a.pvd", fine, 0); },
                   {"a.pvd: ", "a_0000000000.vtp is no surface of 162 points and 320 triangles"});
  expect_bad_input([&] { SurfaceSeries(folder_ / "a.vtkhdf", fine, 0); },
                   {"a.vtkhdf: ", "a_0000000000.vtkhdf is no surface of 162 points and 320 triangles"});
  expect_bad_input([&] { SurfaceSeries(folder_ / "a.h5", fine, 0); }, {"a.h5: surface: found"});
  Problem other = p;
  other.boundary = Boundary::soft;
  expect_bad_input([&] { SurfaceSeries(folder_ / "a.h5", other, 0); }, {"a.h5: fields: found \"pressure_0 to"});
  other = p;
  other.waves.pop_back();
  expect_bad_input([&] { SurfaceSeries(folder_ / "a.h5", other, 0); }, {"a.h5: fields: found"});
  fs::remove(folder_ / "a_0000000000.vtp");
  expect_bad_input([&] { SurfaceSeries(folder_ / "a.pvd", p, 0); }, {"a_0000000000.vtp is no surface"});
  file("b.pvd", "nothing of the kind");
  expect_bad_input([&] { SurfaceSeries(folder_ / "b.pvd", p, 0); }, {"b.pvd: is no ParaView collection"});
  const std::string whole = bytes(folder_ / "a.h5");
  for (const double share : {0.01, 0.5, 0.98}) {
    file("b.h5", whole.substr(0, static_cast<std::size_t>(share * static_cast<double>(whole.size()))));
    expect_bad_input([&] { SurfaceSeries(folder_ / "b.h5", p, 0); }, {"b.h5: "});
  }
  Hdf5Output(folder_ / "b.h5").commit();
  expect_bad_input([&] { SurfaceSeries(folder_ / "b.h5", p, 0); }, {"b.h5: is no file of surface values"});
  for (const char* name : {"c.vtp", "c", "c.csv"})
    expect_bad_input([&] { SurfaceSeries(folder_ / name, p); }, {"is no extension", "expected .pvd, .vtkhdf or .h5"});
  expect_bad_input([&] { SurfaceSeries(folder_ / "none" / "c.pvd", p); }, {"c.pvd: cannot be written"});
  expect_bad_input([&] { SurfaceSeries(folder_ / "none" / "c.h5", p); }, {"c.h5: cannot be written"});
}

TEST_F(TdbemResults, FullDiskLeavesTheSeriesAsItWas) {
  const Problem p = files_problem(Boundary::rigid);
  for (const char* name : {"a.pvd", "a.vtkhdf", "a.h5"}) {
    SurfaceSeries series(folder_ / name, p);
    series.append(0, surface_values(p, 0));
    const fs::path grows = output::list_of(folder_ / name);
    const std::string before = bytes(grows);
    {
      const FullDisk full(name[2] == 'h' ? before.size() + 40 : 500);
      expect_error(Error::Kind::failed, [&] { series.append(1, surface_values(p, 1)); }, {"File too large"});
    }
    EXPECT_EQ(bytes(grows), before);
    EXPECT_EQ(series.times().size(), 1U);
    series.append(1, surface_values(p, 1));
    EXPECT_EQ(series.times().size(), 2U);
    auto values = surface_values(p, 2);
    values[1].pop_back();
    expect_error(Error::Kind::failed, [&] { series.append(2, values); }, {"41 values of wave 1; expected 42"});
    values.pop_back();
    expect_error(Error::Kind::failed, [&] { series.append(2, values); }, {"values of 1 waves; expected 2"});
  }
}

}  // namespace
}  // namespace asterism::tdbem

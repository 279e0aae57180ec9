// Time series and checkpoints: read back by small readers of the test's own (XML by hand, zlib, HDF5's C interface);
// appended, continued, on a full disk, and killed.
#include <hdf5.h>
#include <omp.h>
#include <png.h>
#include <sys/wait.h>
#include <zlib.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <regex>

#include "files_fixture.hpp"
#include "taskflows/lbm/checkpoint.hpp"
#include "taskflows/lbm/fields.hpp"
#include "taskflows/lbm/slice.hpp"
#include "taskflows/runtime/hdf5_transaction.hpp"

namespace asterism::lbm {
namespace {

/// Values that need every digit, all different, that depend on the step.
template <class T>
struct Example {
  Example(const Grid& grid, int step) {
    for (std::size_t f = 0; f < 4; ++f) {
      for (std::size_t i = 0; i < grid.cells(); ++i) {
        field[f].push_back(
            static_cast<T>(std::sin(1.0 + static_cast<double>(i) + 0.1 * static_cast<double>(f) + step)));
      }
    }
  }
  [[nodiscard]] Fields<T> fields() const { return {field[0], field[1], field[2], field[3]}; }
  [[nodiscard]] std::vector<T> velocity() const {
    std::vector<T> result;
    for (std::size_t i = 0; i < field[0].size(); ++i) {
      for (std::size_t c = 1; c < 4; ++c) result.push_back(field[c][i]);
    }
    return result;
  }
  std::vector<T> field[4];
};

// not cubes, and around the blocks and chunks of the writers
const std::vector<Grid> grids = {{.nx = 1, .ny = 1, .nz = 1},
                                 {.nx = 5, .ny = 3, .nz = 2, .origin = {-1.5, 0.25, 1e-3}, .spacing = 0.1},
                                 {.nx = 32, .ny = 32, .nz = 32},
                                 {.nx = 131, .ny = 70, .nz = 19},
                                 {.nx = 300, .ny = 200, .nz = 1}};
const Grid small{.nx = 20, .ny = 10, .nz = 5};

/// An XML document as nested elements, for the plain XML that we write: every tag has to be closed.
struct Xml {
  std::string name;
  std::map<std::string, std::string> attributes;
  std::string text;
  std::vector<Xml> children;

  [[nodiscard]] std::vector<const Xml*> all(const std::string& wanted) const {
    std::vector<const Xml*> found;
    for (const Xml& child : children) {
      if (child.name == wanted) found.push_back(&child);
      for (const Xml* deeper : child.all(wanted)) found.push_back(deeper);
    }
    return found;
  }
};

std::string unescaped(std::string text) {
  for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{
           {"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&amp;", "&"}}) {
    for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; ++at) text.replace(at, from.size(), to);
  }
  return text;
}

Xml parse_xml(const std::string& document) {
  static const std::regex tag(R"(<(/?)([A-Za-z][A-Za-z0-9]*)((?:\s+[A-Za-z_]+="[^"<]*")*)\s*(/?)>)");
  static const std::regex attribute(R"(([A-Za-z_]+)="([^"]*)\")");
  const std::string head = "<?xml version=\"1.0\"?>\n";
  EXPECT_EQ(document.substr(0, head.size()), head);
  std::vector<Xml> open(1);
  std::size_t at = head.size();
  while (at < document.size()) {
    const std::size_t next = document.find('<', at);
    open.back().text += unescaped(document.substr(at, next - at));
    if (next == std::string::npos) break;
    std::smatch match;
    if (!std::regex_search(document.begin() + static_cast<std::ptrdiff_t>(next), document.end(), match, tag,
                           std::regex_constants::match_continuous)) {
      ADD_FAILURE() << "no XML: " << document.substr(next, 200);
      return {};
    }
    at = next + match[0].str().size();
    if (match[1] == "/") {
      EXPECT_EQ(open.back().name, match[2]);
      const Xml done = std::move(open.back());
      open.pop_back();
      if (open.empty()) return {};
      open.back().children.push_back(done);
      continue;
    }
    Xml element{.name = match[2], .attributes = {}, .text = {}, .children = {}};
    const std::string list = match[3];
    for (std::sregex_iterator a(list.begin(), list.end(), attribute); a != std::sregex_iterator(); ++a) {
      EXPECT_TRUE(element.attributes.emplace((*a)[1], unescaped((*a)[2])).second) << "twice: " << (*a)[1];
    }
    if (match[4] == "/") {
      open.back().children.push_back(element);
    } else {
      open.push_back(element);
    }
  }
  EXPECT_EQ(open.size(), 1U) << "elements that are not closed";
  return open[0];
}

// ---- VTK ------------------------------------------------------------------------------------------------

std::uint64_t integer_at(const std::string& bytes, std::size_t at) {
  std::uint64_t value = 0;
  EXPECT_LE(at + 8, bytes.size());
  if (at + 8 <= bytes.size()) std::memcpy(&value, bytes.data() + at, 8);
  return value;
}

/// The bytes of an array of appended data, and where they end.
std::string appended(const std::string& bytes, std::size_t at, bool compressed, std::size_t& end) {
  if (!compressed) {
    const std::size_t size = integer_at(bytes, at);
    end = at + 8 + size;
    return bytes.substr(at + 8, size);
  }
  const std::size_t blocks = integer_at(bytes, at);
  const std::size_t block = integer_at(bytes, at + 8);
  const std::size_t last = integer_at(bytes, at + 16);
  std::string result;
  std::size_t from = at + 24 + 8 * blocks;
  for (std::size_t b = 0; b < blocks; ++b) {
    const std::size_t size = integer_at(bytes, at + 24 + 8 * b);
    std::string part(b + 1 == blocks && last != 0 ? last : block, '\0');
    uLongf length = part.size();
    EXPECT_EQ(uncompress(reinterpret_cast<Bytef*>(part.data()), &length,
                         reinterpret_cast<const Bytef*>(bytes.data() + from), size),
              Z_OK);
    EXPECT_EQ(length, part.size());
    result += part;
    from += size;
  }
  end = from;
  return result;
}

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

class LbmFiles : public FileTests {
 protected:
  /// Steps and files of a collection.
  std::map<double, std::string> collection(const std::string& name) const {
    std::map<double, std::string> times;
    const Xml document = parse_xml(bytes(folder_ / name));
    for (const Xml* set : document.all("DataSet")) {
      times[std::stod(set->attributes.at("timestep"))] = set->attributes.at("file");
    }
    return times;
  }
  template <class T>
  void expect_series(const std::string& name, const Grid& grid, const std::vector<int>& steps) const;

  std::map<std::string, std::string> everything() const {
    std::map<std::string, std::string> files;
    for (const auto& entry : fs::directory_iterator(folder_)) files[entry.path().filename()] = bytes(entry.path());
    return files;
  }
};

TEST_F(LbmFiles, VtiHoldsTheFields) {
  for (const Grid& grid : grids) {
    for (const Compression compression : {Compression::none, Compression::zlib}) {
      VtiSeries series(folder_ / "flow.pvd", grid, compression);
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
      VtiSeries series(folder_ / name, small, Compression::none);
      for (const int step : {0, 10, 20}) series.append(step, 0.1 * step, example.fields());
    }
    VtiSeries series(folder_ / name, small, Compression::none, 10);
    EXPECT_EQ(series.times(), (std::vector<SavedTime>{{0, 0.0}, {10, 1.0}}));
    series.append(15, 1.5, example.fields());
    EXPECT_EQ(collection(name).size(), 3U);
    EXPECT_TRUE(collection(name).contains(1.5));
    for (const auto& [time, vti] : collection(name)) EXPECT_TRUE(fs::exists(folder_ / vti)) << vti;
    expect_error(Error::Kind::failed, [&] { series.append(15, 1.6, example.fields()); }, {"step 15", "ascending"});
    VtiSeries anew(folder_ / name, small, Compression::none);
    EXPECT_EQ(collection(name).size(), 3U) << "the older one stays until the first append";
    anew.append(1, 1, example.fields());
    EXPECT_EQ(collection(name).size(), 1U);
  }
}

TEST_F(LbmFiles, ForeignCollectionsAreRefused) {
  const auto open = [&](const fs::path& path) { VtiSeries(path, small, Compression::none, 10); };
  expect_bad_input([&] { open(file("a.pvd", "hello")); }, {"a.pvd", "ParaView collection"});
  const std::string head = "<VTKFile type=\"Collection\">\n";
  for (const std::string line :
       {"<DataSet timestep=\"x\" file=\"a_0000000001.vti\"/>", "<DataSet timestep=\"1\" file=\"b_0000000001.vti\"/>",
        "<DataSet timestep=\"1\" file=\"a_1.vti\"/>", "<DataSet timestep=\"1\"/>",
        "<DataSet timestep=\"1\" file=\"a_0000000001.vtu\"/>", "<DataSet timestep=\"1\" file=\"a_.vtiiiiiiiiii\"/>"}) {
    expect_bad_input([&] { open(file("a.pvd", head + line)); }, {"a.pvd: line 2", "DataSet"});
  }
  expect_bad_input([&] { VtiSeries(folder_ / "a.vtk", small, Compression::none); }, {"a.vtk", ".pvd"});
}

// ---- HDF5 -----------------------------------------------------------------------------------------------

template <class T>
std::vector<T> read_dataset(const fs::path& path, const std::string& dataset, std::vector<hsize_t>& shape) {
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  EXPECT_GE(file, 0) << path;
  const hid_t opened = H5Dopen2(file, dataset.c_str(), H5P_DEFAULT);
  EXPECT_GE(opened, 0) << dataset;
  if (opened < 0) return {};
  const hid_t type = H5Dget_type(opened);
  const hid_t native = sizeof(T) == 4 ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE;
  EXPECT_GT(H5Tequal(type, native), 0);
  const hid_t space = H5Dget_space(opened);
  shape.resize(static_cast<std::size_t>(H5Sget_simple_extent_ndims(space)));
  H5Sget_simple_extent_dims(space, shape.data(), nullptr);
  std::vector<T> values(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)));
  EXPECT_GE(H5Dread(opened, native, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
  H5Sclose(space);
  H5Tclose(type);
  H5Dclose(opened);
  H5Fclose(file);
  return values;
}

template <class T>
T read_attribute(const fs::path& path, const std::string& object, const std::string& name) {
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  const hid_t opened = H5Aopen_by_name(file, object.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT);
  T value{};
  EXPECT_GE(H5Aread(opened, std::is_integral_v<T> ? H5T_NATIVE_INT64 : H5T_NATIVE_DOUBLE, &value), 0) << object;
  H5Aclose(opened);
  H5Fclose(file);
  return value;
}

std::vector<std::string> groups(const fs::path& path) {
  std::vector<std::string> names;
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  EXPECT_GE(file, 0) << path;
  const auto add = [](hid_t, const char* name, const H5L_info_t*, void* out) -> herr_t {
    static_cast<std::vector<std::string>*>(out)->emplace_back(name);
    return 0;
  };
  H5Literate(file, H5_INDEX_NAME, H5_ITER_INC, nullptr, add, &names);
  H5Fclose(file);
  return names;
}

/// The file holds these steps, each with what Example makes of the step at time step / 10; the XDMF file says so.
template <class T>
void LbmFiles::expect_series(const std::string& name, const Grid& grid, const std::vector<int>& steps) const {
  const fs::path path = folder_ / (name + ".h5");
  std::vector<std::string> expected_groups;
  for (const int step : steps) expected_groups.push_back(fmt::format("step_{:010}", step));
  EXPECT_EQ(groups(path), expected_groups);
  const Xml document = parse_xml(bytes(folder_ / (name + ".xdmf")));
  const std::vector<const Xml*> all = document.all("Grid");
  ASSERT_EQ(all.size(), steps.size() + 1);
  EXPECT_EQ(all[0]->attributes.at("CollectionType"), "Temporal");
  std::vector<hsize_t> shape;
  const std::vector<hsize_t> cells = {static_cast<hsize_t>(grid.nz), static_cast<hsize_t>(grid.ny),
                                      static_cast<hsize_t>(grid.nx)};
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const Example<T> example(grid, steps[i]);
    EXPECT_EQ(read_attribute<std::int64_t>(path, expected_groups[i], "step"), steps[i]);
    EXPECT_EQ(read_attribute<double>(path, expected_groups[i], "time"), 0.1 * steps[i]);
    const Xml& one = *all[i + 1];
    EXPECT_EQ(std::stod(one.all("Time").at(0)->attributes.at("Value")), 0.1 * steps[i]);
    const auto& topology = one.all("Topology").at(0)->attributes;
    EXPECT_EQ(topology.at("TopologyType"), "3DCoRectMesh");
    EXPECT_EQ(topology.at("Dimensions"), fmt::format("{} {} {}", grid.nz + 1, grid.ny + 1, grid.nx + 1));
    const auto geometry = one.all("Geometry").at(0)->all("DataItem");
    std::istringstream numbers(geometry.at(0)->text + ' ' + geometry.at(1)->text);
    for (std::size_t k = 0; k < 6; ++k) {
      double value = 0;
      numbers >> value;
      EXPECT_EQ(value, k < 3 ? grid.origin[2 - k] : grid.spacing);
    }
    const auto attributes = one.all("Attribute");
    ASSERT_EQ(attributes.size(), 2U);
    for (std::size_t a = 0; a < 2; ++a) {
      EXPECT_EQ(attributes[a]->attributes.at("Name"), a == 0 ? "rho" : "velocity");
      EXPECT_EQ(attributes[a]->attributes.at("AttributeType"), a == 0 ? "Scalar" : "Vector");
      EXPECT_EQ(attributes[a]->attributes.at("Center"), "Cell");
      const Xml& item = *attributes[a]->all("DataItem").at(0);
      EXPECT_EQ(item.attributes.at("Precision"), std::to_string(sizeof(T)));
      EXPECT_EQ(item.attributes.at("Format"), "HDF");
      // FILE:DATASET, as ParaView follows it
      const std::size_t colon = item.text.rfind(':');
      EXPECT_EQ(item.text.substr(0, colon), name + ".h5");
      const std::vector<T> values =
          read_dataset<T>(folder_ / item.text.substr(0, colon), item.text.substr(colon + 1), shape);
      EXPECT_EQ(item.attributes.at("Dimensions"), fmt::format("{}", fmt::join(shape, " ")));
      std::vector<hsize_t> expected_shape = cells;
      if (a == 1) expected_shape.push_back(3);
      EXPECT_EQ(shape, expected_shape);
      EXPECT_TRUE(values == (a == 0 ? example.field[0] : example.velocity())) << "step " << steps[i];
    }
  }
}

template <class T>
void append(Hdf5Series& series, const Grid& grid, int step) {
  series.append(step, 0.1 * step, Example<T>(grid, step).fields());
}

TEST_F(LbmFiles, Hdf5HoldsTheFields) {
  for (const Grid& grid : grids) {
    Hdf5Series singles(folder_ / "single.h5", grid);
    Hdf5Series doubles(folder_ / "a & b.h5", grid);
    std::vector<int> steps;
    for (const int step : {0, 10, 200}) {
      append<float>(singles, grid, step);
      append<double>(doubles, grid, step);
      steps.push_back(step);
      expect_series<float>("single", grid, steps);
      expect_series<double>("a & b", grid, steps);
    }
  }
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 4) << "no journal and no temporary file is left";
}

TEST_F(LbmFiles, Hdf5IsCompressedInChunks) {
  const Grid grid{.nx = 200, .ny = 100, .nz = 50};
  const std::vector<float> constant(grid.cells(), 0.7F);
  Hdf5Series series(folder_ / "flow.h5", grid);
  series.append(1, 1, Fields<float>{constant, constant, constant, constant});
  EXPECT_LT(fs::file_size(folder_ / "flow.h5"), grid.cells());
  const hid_t file = H5Fopen((folder_ / "flow.h5").c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  const hid_t dataset = H5Dopen2(file, "step_0000000001/velocity", H5P_DEFAULT);
  const hid_t creation = H5Dget_create_plist(dataset);
  EXPECT_EQ(H5Pget_layout(creation), H5D_CHUNKED);
  ASSERT_EQ(H5Pget_nfilters(creation), 2);
  unsigned flags = 0;
  unsigned values[4] = {};
  std::size_t count = 4;
  EXPECT_EQ(H5Pget_filter2(creation, 0, &flags, &count, values, 0, nullptr, nullptr), H5Z_FILTER_SHUFFLE);
  count = 4;
  EXPECT_EQ(H5Pget_filter2(creation, 1, &flags, &count, values, 0, nullptr, nullptr), H5Z_FILTER_DEFLATE);
  EXPECT_EQ(values[0], 1U);
  H5Pclose(creation);
  H5Dclose(dataset);
  H5Fclose(file);
}

/// More times than the nodes of the root group hold: they are split, and the table of names moves.
TEST_F(LbmFiles, Hdf5GrowsToManyTimesWithoutRewriting) {
  std::vector<int> steps;
  Hdf5Series series(folder_ / "flow.h5", small);
  for (int step = 1; step <= 300; ++step) {
    const std::string before = bytes(folder_ / "flow.h5");
    append<float>(series, small, step);
    steps.push_back(step);
    const std::string after = bytes(folder_ / "flow.h5");
    ASSERT_GE(after.size(), before.size());
    std::size_t changed = 0;
    for (std::size_t i = 0; i < before.size(); ++i) changed += before[i] != after[i] ? 1 : 0;
    ASSERT_LT(changed, 4096U) << step;
  }
  expect_series<float>("flow", small, steps);
}

TEST_F(LbmFiles, Hdf5IsContinued) {
  {
    Hdf5Series series(folder_ / "flow.h5", small);
    for (int step = 0; step <= 100; step += 10) append<double>(series, small, step);
  }
  Hdf5Series series(folder_ / "flow.h5", small, 39);
  EXPECT_EQ(series.times().size(), 4U);
  expect_series<double>("flow", small, {0, 10, 20, 30});
  append<double>(series, small, 35);
  expect_series<double>("flow", small, {0, 10, 20, 30, 35});
  expect_error(Error::Kind::failed, [&] { append<double>(series, small, 35); }, {"step 35", "ascending"});
  const std::vector<double> few(small.cells() - 1);
  expect_error(Error::Kind::failed, [&] { series.append(50, 5, Fields<double>{few, few, few, few}); }, {"999 values"});
  expect_series<double>("flow", small, {0, 10, 20, 30, 35});
  Hdf5Series anew(folder_ / "flow.h5", small);
  expect_series<double>("flow", small, {0, 10, 20, 30, 35});
  append<double>(anew, small, 1);
  expect_series<double>("flow", small, {1});
}

TEST_F(LbmFiles, ForeignHdf5IsRefused) {
  const auto open = [&](const fs::path& path, const Grid& grid = small) { Hdf5Series(path, grid, 10); };
  expect_bad_input([&] { open(file("a.h5", "hello")); }, {"a.h5", "HDF5"});
  write_checkpoint<float>(folder_ / "c.h5", {.step = 1, .nx = 2, .ny = 2, .nz = 2, .bytes = 4, .parameters = ""},
                          {{0, 2, 0, 2, 0, 2}}, [](std::size_t, int, const Box&, float*) {});
  expect_bad_input([&] { open(folder_ / "c.h5"); }, {"c.h5", "no series"});
  Hdf5Series series(folder_ / "flow.h5", small);
  append<float>(series, small, 1);
  Grid other = small;
  other.spacing = 2;
  expect_bad_input([&] { open(folder_ / "flow.h5", other); }, {"flow.h5", "20 x 10 x 5 cells of 1", "of 2"});
  const std::string whole = bytes(folder_ / "flow.h5");
  for (std::size_t length = 1; length < whole.size(); length += 97) {
    expect_bad_input([&] { open(file("cut.h5", whole.substr(0, length))); }, {"cut.h5"});
  }
  expect_bad_input([&] { Hdf5Series(folder_ / "a.hdf", small); }, {"a.hdf", ".h5"});
}

// ---- what goes wrong ------------------------------------------------------------------------------------

TEST_F(LbmFiles, NoFolderIsSaidEarly) {
  file("plain", "");
  for (const std::string folder : {"none", "plain"}) {
    expect_bad_input([&] { VtiSeries(folder_ / folder / "a.pvd", small, Compression::none); },
                     {"a.pvd", "cannot be written"});
    expect_bad_input([&] { Hdf5Series(folder_ / folder / "a.h5", small); }, {"a.h5", "cannot be written"});
    expect_bad_input(
        [&] {
          write_checkpoint<float>(folder_ / folder / "c.h5",
                                  {.step = 1, .nx = 1, .ny = 1, .nz = 1, .bytes = 4, .parameters = ""},
                                  {{0, 1, 0, 1, 0, 1}}, [](std::size_t, int, const Box&, float*) {});
        },
        {"c.h5", "cannot be written"});
  }
  fs::create_directory(folder_ / "b.xdmf");
  expect_bad_input([&] { Hdf5Series(folder_ / "b.h5", small); }, {"b.xdmf", "cannot be replaced"});
}

TEST_F(LbmFiles, FullDiskLeavesEverythingAsItWas) {
  const Grid grid{.nx = 60, .ny = 50, .nz = 40};
  VtiSeries vti(folder_ / "v.pvd", grid, Compression::zlib);
  Hdf5Series hdf5(folder_ / "h.h5", grid);
  const auto append_vti = [&](int step) { vti.append(step, 0.1 * step, Example<float>(grid, step).fields()); };
  append_vti(1);
  append<float>(hdf5, grid, 1);
  append<float>(hdf5, grid, 2);
  const auto before = everything();
  const std::size_t size = before.at("h.h5").size();
  for (const std::size_t room : {std::size_t{0}, std::size_t{1000}, size, size + 100000, size + size / 3}) {
    const FullDisk full(room);
    expect_error(Error::Kind::failed, [&] { append<float>(hdf5, grid, 3); },
                 {"h.h5", "cannot be written", "too large"});
    EXPECT_TRUE(everything() == before) << room;
    if (room >= size) continue;
    expect_error(Error::Kind::failed, [&] { append_vti(3); }, {".vti", "cannot be written", "too large"});
    EXPECT_TRUE(everything() == before) << room;
    Hdf5Series anew(folder_ / "h.h5", grid);
    expect_error(Error::Kind::failed, [&] { append<float>(anew, grid, 3); }, {"h.h5", "cannot be written"});
    EXPECT_TRUE(everything() == before) << room;
  }
  append<float>(hdf5, grid, 3);
  expect_series<float>("h", grid, {1, 2, 3});
  append_vti(3);
  EXPECT_EQ(collection("v.pvd").size(), 2U);
}

/// A child that appends for ever is killed at any moment; then the files hold whole times, and go on.
TEST_F(LbmFiles, KilledProgramLeavesWholeFiles) {
  Hdf5Series first(folder_ / "k.h5", small);
  append<float>(first, small, 0);
  int known = 0;
  for (int round = 0; round < 40; ++round) {
    const pid_t child = fork();
    if (child == 0) {
      omp_set_num_threads(1);
      try {
        Hdf5Series series(folder_ / "k.h5", small, 1000000000);
        for (int step = static_cast<int>(series.times().back().step) + 1;; ++step) append<float>(series, small, step);
      } catch (...) {
        _exit(3);
      }
    }
    usleep(static_cast<useconds_t>(3000 + 977 * round));
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status)) << "the child ended by itself: " << WEXITSTATUS(status);
    const auto held = static_cast<int>(groups(folder_ / "k.h5").size());
    EXPECT_GE(held, known);
    known = held;
  }
  EXPECT_GT(known, 5);
  Hdf5Series series(folder_ / "k.h5", small, 1000000000);
  append<float>(series, small, 2000000);
  std::vector<int> steps;
  for (const SavedTime& saved : series.times()) steps.push_back(static_cast<int>(saved.step));
  EXPECT_EQ(steps.size(), series.times().back().step == 2000000 ? groups(folder_ / "k.h5").size() : 0);
  expect_series<float>("k", small, steps);
}

/// Killed between the journal and the end of its application: every prefix of it may have been written.
TEST_F(LbmFiles, JournalCompletesAnAppend) {
  Hdf5Series series(folder_ / "j.h5", small);
  append<float>(series, small, 1);
  const std::string before = bytes(folder_ / "j.h5");
  append<float>(series, small, 2);
  const std::string after = bytes(folder_ / "j.h5");
  // old pages that changed, as the journal has them; the state on disk: new bytes behind, old pages not yet
  std::string journal = "asterism journal 1\n";
  const auto integer = [&](std::uint64_t value) { journal.append(reinterpret_cast<const char*>(&value), 8); };
  for (std::size_t at = 0; at < before.size(); at += 4096) {
    const std::size_t size = std::min<std::size_t>(4096, before.size() - at);
    if (before.substr(at, size) == after.substr(at, size)) continue;
    integer(at);
    integer(size);
    journal += after.substr(at, size);
  }
  integer(after.size());
  integer(0);
  const std::string torn = before + after.substr(before.size()) + std::string(1000, 'x');
  file("j.h5", torn);
  EXPECT_EQ(groups(folder_ / "j.h5").size(), 1U) << "until then it is as it was";
  file("j.h5.journal", journal);
  Hdf5Series again(folder_ / "j.h5", small, 5);
  EXPECT_FALSE(fs::exists(folder_ / "j.h5.journal"));
  EXPECT_TRUE(bytes(folder_ / "j.h5") == after);
  append<float>(again, small, 3);
  expect_series<float>("j", small, {1, 2, 3});
  file("j.h5.journal", "something else");
  expect_bad_input([&] { append<float>(again, small, 4); }, {"j.h5.journal", "no journal"});
}

// ---- pictures -------------------------------------------------------------------------------------------

using Pixel = std::array<std::uint8_t, 3>;

struct Picture {
  std::uint32_t width = 0, height = 0;
  std::vector<Pixel> pixels;  ///< from the top
  [[nodiscard]] Pixel at(std::size_t x, std::size_t y) const { return pixels.at(y * width + x); }
};

Picture read_png(const fs::path& path) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  EXPECT_NE(png_image_begin_read_from_file(&image, path.c_str()), 0) << image.message;
  EXPECT_EQ(image.format, static_cast<png_uint_32>(PNG_FORMAT_RGB));
  Picture picture{image.width, image.height, std::vector<Pixel>(std::size_t{image.width} * image.height)};
  image.format = PNG_FORMAT_RGB;
  EXPECT_NE(png_image_finish_read(&image, nullptr, picture.pixels.data(), 0, nullptr), 0) << image.message;
  return picture;
}

void expect_near(const Pixel& found, const Pixel& expected, int tolerance) {
  for (std::size_t d = 0; d < 3; ++d) {
    EXPECT_NEAR(found[d], expected[d], tolerance) << testing::PrintToString(found) << testing::PrintToString(expected);
  }
}

TEST(Colours, AreThePublishedOnes) {
  // matplotlib's viridis and Moreland's table of 257 colours
  const std::vector<std::pair<double, Pixel>> viridis = {
      {0.0, {68, 1, 84}}, {0.25, {59, 82, 139}}, {0.5, {33, 145, 140}}, {0.75, {94, 201, 98}}, {1.0, {253, 231, 37}}};
  for (const auto& [t, expected] : viridis) expect_near(colour(ColourMap::viridis, t), expected, 4);
  const std::vector<std::pair<double, Pixel>> cool_warm = {{0.0, {59, 76, 192}},
                                                           {0.25, {141, 176, 254}},
                                                           {0.5, {221, 221, 221}},
                                                           {0.75, {244, 154, 123}},
                                                           {1.0, {180, 4, 38}}};
  for (const auto& [t, expected] : cool_warm) expect_near(colour(ColourMap::cool_warm, t), expected, 4);
  for (const ColourMap map : {ColourMap::viridis, ColourMap::cool_warm}) {
    EXPECT_EQ(colour(map, -3), colour(map, 0));
    EXPECT_EQ(colour(map, 7), colour(map, 1));
    EXPECT_EQ(colour(map, std::nan("")), (Pixel{255, 0, 255}));
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
  EXPECT_EQ(picture.at(0, 0), colour(ColourMap::cool_warm, 1.0 / 3));
  EXPECT_EQ(picture.at(1, 0), colour(ColourMap::cool_warm, 0.5));
  EXPECT_EQ(picture.at(2, 0), colour(ColourMap::cool_warm, 1));
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

// ---- checkpoints ----------------------------------------------------------------------------------------

/// A lattice cut into bricks whose borders are not those of slabs.
struct State {
  std::int32_t nx = 7, ny = 6, nz = 9;
  std::vector<Box> boxes = {{0, 7, 0, 6, 0, 4}, {0, 3, 0, 6, 4, 9}, {3, 7, 0, 2, 4, 9}, {3, 7, 2, 6, 4, 9}};

  static double value(int slot, int x, int y, int z) {
    if (slot == 3 && x == 1) return std::numeric_limits<double>::denorm_min();
    if (slot == 4 && x == 1) return -0.0;
    if (slot == 5 && x == 1) return std::numeric_limits<double>::quiet_NaN();
    return std::sin(1 + slot + 19 * (x + 50 * (y + 50.0 * z)));
  }
  template <class T, class Visit>
  static void visit(int slot, const Box& part, T* values, const Visit& each) {
    for (int z = part.z0; z < part.z1; ++z) {
      for (int y = part.y0; y < part.y1; ++y) {
        for (int x = part.x0; x < part.x1; ++x)
          each(*values++, static_cast<std::remove_const_t<T>>(value(slot, x, y, z)));
      }
    }
  }
  template <class T>
  [[nodiscard]] Checkpoint checkpoint(const std::string& parameters = "{\"Re\": 100}") const {
    return {.step = 123456789012, .nx = nx, .ny = ny, .nz = nz, .bytes = sizeof(T), .parameters = parameters};
  }
  template <class T>
  void write(const fs::path& path) const {
    write_checkpoint<T>(path, checkpoint<T>(), boxes, [&](std::size_t b, int slot, const Box& part, T* values) {
      const Box& box = boxes[b];
      EXPECT_TRUE(part.x0 >= box.x0 && part.x1 <= box.x1 && part.y0 >= box.y0 && part.y1 <= box.y1 &&
                  part.z0 >= box.z0 && part.z1 <= box.z1);
      visit(slot, part, values, [](T& to, T value) { to = value; });
    });
  }
};

template <class T>
void check_round_trip(const fs::path& path) {
  const State state;
  state.write<T>(path);
  const Checkpoint read = read_checkpoint(path);
  EXPECT_EQ(read.step, 123456789012);
  EXPECT_EQ(std::vector({read.nx, read.ny, read.nz}), std::vector({7, 6, 9}));
  EXPECT_EQ(read.bytes, static_cast<int>(sizeof(T)));
  EXPECT_EQ(read.parameters, "{\"Re\": 100}");
  std::vector<hsize_t> shape;
  const std::vector<T> values = read_dataset<T>(path, "populations", shape);
  EXPECT_EQ(shape, (std::vector<hsize_t>{19, 9, 6, 7}));
  std::size_t i = 0;
  for (int slot = 0; slot < q; ++slot) {
    State::visit(slot, {0, 7, 0, 6, 0, 9}, values.data() + i, [&](const T& found, T expected) {
      ++i;
      EXPECT_EQ(std::memcmp(&found, &expected, sizeof(T)), 0);
    });
  }
  // into other bricks than those it was written from
  std::vector<Box> planes;
  for (int y = 0; y < 6; ++y) planes.push_back({0, 7, y, y + 1, 0, 9});
  std::int64_t taken = 0;
  read_populations<T>(path, planes, [&](std::size_t, int slot, const Box& part, const T* given) {
    State::visit(slot, part, given, [&](const T& found, T expected) {
      ++taken;
      EXPECT_EQ(std::memcmp(&found, &expected, sizeof(T)), 0);
    });
  });
  EXPECT_EQ(taken, 19 * 7 * 6 * 9);
}

TEST_F(LbmFiles, CheckpointsAreReadBackExactly) {
  check_round_trip<float>(folder_ / "c.h5");
  check_round_trip<double>(folder_ / "c.h5");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 1);
}

/// Slabs of one plane, and of several with a rest.
TEST_F(LbmFiles, CheckpointsOfManySlabs) {
  for (const std::int32_t nx : {3000, 9000000}) {
    const std::int32_t nz = nx == 3000 ? 2500 : 2;
    const std::int32_t ny = nx == 3000 ? 3 : 1;
    const Checkpoint large{.step = 1, .nx = nx, .ny = ny, .nz = nz, .bytes = 4, .parameters = ""};
    const auto value = [&](int slot, int x, int y, int z) {
      return static_cast<float>((x + 3 * y + 7 * std::int64_t{z} + 11 * slot) % 1000003);
    };
    const std::vector<Box> boxes = {{0, 1000, 0, ny, 0, nz}, {1000, nx, 0, ny, 0, nz}};
    write_checkpoint<float>(folder_ / "c.h5", large, boxes, [&](std::size_t, int slot, const Box& part, float* values) {
      for (int z = part.z0; z < part.z1; ++z)
        for (int y = part.y0; y < part.y1; ++y)
          for (int x = part.x0; x < part.x1; ++x) *values++ = value(slot, x, y, z);
    });
    std::int64_t wrong = 0;
    std::int64_t taken = 0;
    read_populations<float>(folder_ / "c.h5", boxes, [&](std::size_t, int slot, const Box& part, const float* values) {
      taken += part.cells();
      for (int z = part.z0; z < part.z1; ++z)
        for (int y = part.y0; y < part.y1; ++y)
          for (int x = part.x0; x < part.x1; ++x) wrong += *values++ == value(slot, x, y, z) ? 0 : 1;
    });
    EXPECT_EQ(wrong, 0);
    EXPECT_EQ(taken, std::int64_t{19} * nx * ny * nz);
  }
}

TEST_F(LbmFiles, BadCheckpointsAreRefused) {
  const State state;
  const fs::path path = folder_ / "c.h5";
  state.write<double>(path);
  const std::string whole = bytes(path);
  const auto ignore = [](std::size_t, int, const Box&, const auto*) {};
  expect_bad_input([&] { read_populations<float>(path, state.boxes, ignore); }, {"c.h5", "8 bytes", "expected 4"});
  for (const std::vector<Box>& boxes :
       {std::vector<Box>{}, std::vector<Box>{{0, 7, 0, 6, 0, 8}},
        std::vector<Box>{{0, 7, 0, 6, 0, 9}, {0, 1, 0, 1, 0, 1}},
        std::vector<Box>{{0, 7, 0, 6, 0, 5}, {0, 7, 0, 6, 4, 8}}, std::vector<Box>{{0, 7, 0, 6, 1, 10}}}) {
    expect_error(Error::Kind::failed, [&] { read_populations<double>(path, boxes, ignore); }, {"c.h5", "do not cover"});
  }
  for (std::size_t length = 1; length < whole.size(); length += length < 3000 ? 101 : 5003) {
    expect_bad_input([&] { read_checkpoint(file("cut.h5", whole.substr(0, length))); }, {"cut.h5"});
  }
  expect_bad_input([&] { read_checkpoint(folder_ / "none.h5"); }, {"none.h5", "No such file"});
  Hdf5Series series(folder_ / "s.h5", small);
  append<float>(series, small, 1);
  expect_bad_input([&] { read_checkpoint(folder_ / "s.h5"); },
                   {"s.h5", "no dataset \"populations\"", "step_0000000001"});
  {
    const FullDisk full(20000);
    expect_error(Error::Kind::failed, [&] { state.write<float>(path); }, {"c.h5", "cannot be written", "too large"});
  }
  EXPECT_TRUE(bytes(path) == whole) << "the checkpoint of before stays";
  EXPECT_THROW(write_checkpoint<double>(path, state.checkpoint<double>(), state.boxes,
                                        [](std::size_t, int slot, const Box&, double*) {
                                          if (slot == 7) throw std::runtime_error("the run failed");
                                        }),
               std::runtime_error);
  EXPECT_TRUE(bytes(path) == whole);
  const std::string long_text(70000, 'x');
  expect_error(Error::Kind::failed,
               [&] {
                 write_checkpoint<double>(path, state.checkpoint<double>(long_text), state.boxes,
                                          [](std::size_t, int, const Box&, double*) {});
               },
               {"70000"});
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 4) << "nothing temporary is left";
}

}  // namespace
}  // namespace asterism::lbm

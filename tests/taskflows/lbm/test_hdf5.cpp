// SPDX-License-Identifier: Apache-2.0
// HDF5 series and their XDMF files: read back with HDF5's C interface and the XML reader; continued, on a full disk,
// killed, completed from the journal.
#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <hdf5.h>
#include <omp.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "io/hdf5/journal.hpp"
#include "taskflows/lbm/checkpoint.hpp"
#include "taskflows/lbm/fields/fields.hpp"
#include "tests/io/xml_reader.hpp"
#include "tests/taskflows/lbm/files.hpp"

namespace asterism::lbm {
namespace {

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

class LbmHdf5 : public LbmFiles {
 protected:
  std::map<std::string, std::string> everything() const {
    std::map<std::string, std::string> files;
    for (const auto& entry : fs::directory_iterator(folder_)) files[entry.path().filename()] = bytes(entry.path());
    return files;
  }

  /// The file holds these steps, each with what Example makes of the step at time step / 10; the XDMF file says so.
  template <class T>
  void expect_series(const std::string& name, const Grid& grid, const std::vector<int>& steps) const {
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
};

TEST_F(LbmHdf5, Hdf5HoldsTheFields) {
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

TEST_F(LbmHdf5, Hdf5IsCompressedInChunks) {
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
TEST_F(LbmHdf5, Hdf5GrowsToManyTimesWithoutRewriting) {
  std::vector<int> steps;
  Hdf5Series series(folder_ / "flow.h5", small);
  for (int step = 1; step <= 300; ++step) {
    const std::string before = bytes(folder_ / "flow.h5");
    append<float>(series, small, step);
    steps.push_back(step);
    const std::string after = bytes(folder_ / "flow.h5");
    ASSERT_GE(after.size(), before.size());
    std::size_t changed = 0;  // at most, by pieces
    constexpr std::size_t piece = 16;
    for (std::size_t i = 0; i < before.size(); i += piece)
      changed += before.compare(i, piece, after, i, std::min(piece, before.size() - i)) != 0 ? piece : 0;
    ASSERT_LT(changed, 4096U) << step;
  }
  expect_series<float>("flow", small, steps);
}

TEST_F(LbmHdf5, Hdf5IsContinued) {
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

TEST_F(LbmHdf5, ForeignHdf5IsRefused) {
  const auto open = [&](const fs::path& path, const Grid& grid = small) { Hdf5Series(path, grid, 10); };
  expect_bad_input([&] { open(file("a.h5", "hello")); }, {"a.h5", "HDF5"});
  write_checkpoint<float>(folder_ / "c.h5", {.step = 1, .nx = 2, .ny = 2, .nz = 2, .bytes = 4, .parameters = ""},
                          DistributedHdf5::Writers::this_process, [](const PutBox<float>&) {});
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

TEST_F(LbmHdf5, NoFolderIsSaidEarly) {
  file("plain", "");
  for (const std::string folder : {"none", "plain"}) {
    expect_bad_input([&] { VtkSeries(folder_ / folder / "a.pvd", small, Compression::none); },
                     {"a.pvd", "cannot be written"});
    expect_bad_input([&] { Hdf5Series(folder_ / folder / "a.h5", small); }, {"a.h5", "cannot be written"});
    expect_bad_input(
        [&] {
          write_checkpoint<float>(folder_ / folder / "c.h5",
                                  {.step = 1, .nx = 1, .ny = 1, .nz = 1, .bytes = 4, .parameters = ""},
                                  DistributedHdf5::Writers::this_process, [](const PutBox<float>&) {});
        },
        {"c.h5", "cannot be written"});
  }
  fs::create_directory(folder_ / "b.xdmf");
  expect_bad_input([&] { Hdf5Series(folder_ / "b.h5", small); }, {"b.xdmf", "cannot be replaced"});
}

TEST_F(LbmHdf5, FullDiskLeavesEverythingAsItWas) {
  const Grid grid{.nx = 60, .ny = 50, .nz = 40};
  VtkSeries vti(folder_ / "v.pvd", grid, Compression::zlib);
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

/// A child that appends for ever is killed at any moment; then the files hold whole times, and go on. Killed while it
/// wrote over old pages, its journal is there, and whoever opens the series next completes it.
TEST_F(LbmHdf5, KilledProgramLeavesWholeFiles) {
  Hdf5Series first(folder_ / "k.h5", small);
  append<float>(first, small, 0);
  int known = 0;
  for (int round = 0; round < 40 || (known <= 5 && round < 120); ++round) {  // longer on a loaded machine
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
    if (fs::exists(folder_ / "k.h5.journal")) {
      const Hdf5Series completed(folder_ / "k.h5", small, 1000000000);
      EXPECT_FALSE(fs::exists(folder_ / "k.h5.journal"));
    }
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
TEST_F(LbmHdf5, JournalCompletesAnAppend) {
  Hdf5Series series(folder_ / "j.h5", small);
  append<float>(series, small, 1);
  const std::string before = bytes(folder_ / "j.h5");
  append<float>(series, small, 2);
  const std::string after = bytes(folder_ / "j.h5");
  // the state on disk: new bytes behind, old pages not yet; and those, as the journal has them
  const std::string torn = before + after.substr(before.size()) + std::string(1000, 'x');
  file("j.h5", torn);
  Hdf5Transaction::Pages pages;
  for (std::size_t at = 0; at < before.size(); at += Hdf5Transaction::page_size) {
    const std::size_t size = std::min<std::size_t>(Hdf5Transaction::page_size, before.size() - at);
    if (before.substr(at, size) != after.substr(at, size)) after.copy(pages[at].data(), size, at);
  }
  {
    const int opened = open((folder_ / "j.h5").c_str(), O_RDWR);
    Journal(opened, folder_ / "j.h5", before.size(), torn.size(), after.size(), pages).write(folder_ / "journal");
    close(opened);
  }
  EXPECT_EQ(groups(folder_ / "j.h5").size(), 1U) << "until then it is as it was";
  fs::rename(folder_ / "journal", folder_ / "j.h5.journal");
  Hdf5Series again(folder_ / "j.h5", small, 5);
  EXPECT_FALSE(fs::exists(folder_ / "j.h5.journal"));
  EXPECT_TRUE(bytes(folder_ / "j.h5") == after);
  append<float>(again, small, 3);
  expect_series<float>("j", small, {1, 2, 3});
  file("j.h5.journal", "something else");
  expect_bad_input([&] { append<float>(again, small, 4); }, {"j.h5.journal", "no journal"});
}

}  // namespace
}  // namespace asterism::lbm

// Files that a run goes on from: the same bits, and a line that says what is wrong with any other file.
#include <gtest/gtest.h>
#include <hdf5.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "starpu_environment.hpp"
#include "taskflows/runtime/fingerprint.hpp"
#include "taskflows/runtime/hdf5_file.hpp"
#include "taskflows/tdbem/checkpoint.hpp"
#include "taskflows/tdbem/matrix_file.hpp"
#include "tests/taskflows/series_readers.hpp"
#include "tests/taskflows/tdbem_files_fixture.hpp"

namespace asterism::tdbem {
namespace {

class TdbemFiles : public FileTests {
 protected:
  const fs::path path_ = folder_ / "a.h5";
};

/// The values that Fowler, Noll and Vo publish.
TEST(Fingerprints, AreThoseOfFnv1a) {
  EXPECT_EQ(Fingerprint().text(), "cbf29ce484222325");
  EXPECT_EQ(Fingerprint().add("a", 1).text(), "af63dc4c8601ec8c");
  EXPECT_EQ(Fingerprint().add("foo", 3).add("bar", 3).text(), "85944171f73967e8");
  EXPECT_EQ(Fingerprint().numbers(1, 0.5).text(), Fingerprint().numbers(1.0, 0.5F).text());
}

TEST(Fingerprints, ChecksumsSeeEveryBit) {
  std::vector<unsigned char> bytes(21);  // two words and a rest
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<unsigned char>(7 * i);
  std::vector<std::uint64_t> sums{checksum(bytes.data(), bytes.size()), checksum(bytes.data(), 20),
                                  checksum(bytes.data(), 21, 1)};
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    bytes[bit / 8] ^= static_cast<unsigned char>(1U << bit % 8);
    sums.push_back(checksum(bytes.data(), bytes.size()));
    bytes[bit / 8] ^= static_cast<unsigned char>(1U << bit % 8);
  }
  std::swap_ranges(bytes.begin(), bytes.begin() + 8, bytes.begin() + 8);
  sums.push_back(checksum(bytes.data(), bytes.size()));
  std::sort(sums.begin(), sums.end());
  EXPECT_EQ(std::unique(sums.begin(), sums.end()), sums.end());
}

struct Blocks {
  std::vector<std::string> bytes;
  std::vector<std::vector<double>> initial;
  friend bool operator==(const Blocks&, const Blocks&) = default;
};

template <class T>
Blocks blocks_of(Matrices<T>& m) {
  Blocks all;
  m.get([&](std::size_t b, const void* bytes, const double* initial) {
    all.bytes.emplace_back(static_cast<const char*>(bytes), static_cast<std::size_t>(m.block_bytes(b)));
    all.initial.emplace_back(initial, initial + m.initial_values(b));
  });
  return all;
}

template <class T>
void expect_same_after_reload(const fs::path& path, const Problem& p, std::int32_t cluster) {
  Matrices<T> first(p, cluster);
  first.assemble([](double) {});
  save_matrices(path, p, first);
  const MatrixFile header = read_matrix_file(path, p);
  EXPECT_EQ(header.cluster, cluster);
  EXPECT_EQ(header.single_precision, sizeof(T) == 4);
  Matrices<T> second(p, header.cluster);
  load_matrices(path, p, second);
  EXPECT_TRUE(blocks_of(first) == blocks_of(second));
  EXPECT_GT(first.initial().value.size(), 100U);
  EXPECT_EQ(first.initial().start, second.initial().start);
  EXPECT_EQ(first.initial().column, second.initial().column);
  EXPECT_EQ(first.initial().value, second.initial().value);
}

TEST_F(TdbemFiles, MatricesComeBackToTheBit) {
  for (const Boundary boundary : {Boundary::rigid, Boundary::soft}) {
    const Problem p = files_problem(boundary, 2);  // 162 unknowns
    for (const std::int32_t cluster : {32, 96, 192}) {
      expect_same_after_reload<double>(path_, p, cluster);
      expect_same_after_reload<float>(path_, p, cluster);
    }
  }
  const Problem p = files_problem(Boundary::rigid, 1);  // 42 unknowns in one block
  expect_same_after_reload<double>(path_, p, 64);
}

/// What tells files of other problems apart, and the word for it.
struct Change {
  const char* name;
  std::function<void(Problem&)> change;
};

const std::vector<Change>& changes_of_matrices() {
  static const std::vector<Change> all = {
      {"boundary", [](Problem& p) { p.boundary = Boundary::soft; }},
      {"speed", [](Problem& p) { p.speed = std::nextafter(p.speed, 9.0); }},
      {"dt", [](Problem& p) { p.dt = std::nextafter(p.dt, 9.0); }},
      {"unknowns",
       [](Problem& p) {
         p.surface = prepare_surface(ellipsoid(0, {1, 0.7, 0.5}));
       }},
      {"surface", [](Problem& p) { p.surface.vertices[7].x = std::nextafter(p.surface.vertices[7].x, 9.0); }},
      {"surface", [](Problem& p) { p.surface.vertices[41].y = std::nextafter(p.surface.vertices[41].y, 9.0); }},
      {"surface", [](Problem& p) { p.surface.vertices[0].z = std::nextafter(p.surface.vertices[0].z, 9.0); }},
      {"surface", [](Problem& p) { std::swap(p.surface.triangles[3], p.surface.triangles[4]); }},
      {"surface", [](Problem& p) { std::swap(p.surface.triangles[3].corner[1], p.surface.triangles[3].corner[2]); }},
      {"surface", [](Problem& p) { p.surface.triangles.back().corner[0] ^= 1; }},
      {"far_points", [](Problem& p) { p.rules.far_points = 12; }},
      {"near_points", [](Problem& p) { p.rules.near_points = 7; }},
      {"touching_points", [](Problem& p) { p.rules.touching_points = 6; }},
      {"near_gap", [](Problem& p) { p.rules.near_gap = 2.5; }},
  };
  return all;
}

const std::vector<Change>& changes_of_run() {
  static const std::vector<Change> all = {
      {"first_step", [](Problem& p) { --p.first_step; }},
      {"waves", [](Problem& p) { p.waves.pop_back(); }},
      {"wave_1_pulse", [](Problem& p) { p.waves[1].pulse.shape = PulseShape::modulated_gaussian; }},
      {"wave_0_centre", [](Problem& p) { p.waves[0].pulse.centre += 1e-12; }},
      {"wave_1_width", [](Problem& p) { p.waves[1].pulse.width += 1e-12; }},
      {"wave_0_frequency", [](Problem& p) { p.waves[0].pulse.frequency += 1e-12; }},
      {"wave_0_direction_x", [](Problem& p) { p.waves[0].direction.x += 1e-12; }},
      {"wave_0_direction_y", [](Problem& p) { p.waves[0].direction.y += 1e-12; }},
      {"wave_1_direction_z", [](Problem& p) { p.waves[1].direction.z += 1e-12; }},
      {"wave_1_speed", [](Problem& p) { p.waves[1].speed += 1e-12; }},
      {"observers", [](Problem& p) { p.observers.pop_back(); }},
      {"observers", [](Problem& p) { p.observers[0].x += 1e-12; }},
      {"observers", [](Problem& p) { p.observers[1].y += 1e-12; }},
      {"observers", [](Problem& p) { p.observers[1].z += 1e-12; }},
      {"observers", [](Problem& p) { std::swap(p.observers[0], p.observers[1]); }},
  };
  return all;
}

TEST_F(TdbemFiles, MatricesOfAnotherProblemAreRefused) {
  const Problem p = files_problem(Boundary::rigid);
  Matrices<double> m(p, 32);
  m.assemble([](double) {});
  save_matrices(path_, p, m);
  for (const Change& c : changes_of_matrices()) {
    Problem other = p;
    c.change(other);
    const std::vector<std::string> words = {"a.h5: ", std::string(" ") + c.name + ": found", ", expected"};
    expect_bad_input([&] { read_matrix_file(path_, other); }, words);
    expect_bad_input([&] { load_matrices(path_, other, m); }, words);
  }
  expect_bad_input([&] { load_matrices(path_, files_problem(Boundary::soft), m); },
                   {"boundary: found \"rigid\", expected \"soft\""});
  Problem run = p;  // what the matrices do not depend on
  for (const Change& c : changes_of_run()) {
    run = p;
    c.change(run);
    EXPECT_EQ(read_matrix_file(path_, run).cluster, 32) << c.name;
  }
  Matrices<double> coarse(p, 64);
  expect_bad_input([&] { load_matrices(path_, p, coarse); }, {"a.h5: cluster: found 32, expected 64"});
  Matrices<float> single(p, 32);
  expect_bad_input([&] { load_matrices(path_, p, single); }, {"precision: found \"double\", expected \"single\""});
}

/// Another kind of file, one cut off, one with a changed byte in each dataset, one without a dataset.
template <class Read>
void expect_complaints_of_damage(const fs::path& path, const std::string& whole, const std::vector<std::string>& parts,
                                 const Read& read) {
  const auto put = [&](const std::string& bytes) { std::ofstream(path, std::ios::binary) << bytes; };
  for (const double share : {0.02, 0.3, 0.9, 0.999}) {
    put(whole.substr(0, static_cast<std::size_t>(share * static_cast<double>(whole.size()))));
    expect_bad_input(read, {"a.h5"});
  }
  put("");
  expect_bad_input(read, {"a.h5: does not begin as an HDF5 file does"});
  fs::remove(path);
  expect_bad_input(read, {"a.h5: cannot be read"});
  for (const std::string& dataset : parts) {
    for (const bool last : {false, true}) {
      put(whole);
      const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
      const hid_t opened = H5Dopen2(file, dataset.c_str(), H5P_DEFAULT);
      const haddr_t at = H5Dget_offset(opened);
      const hsize_t size = H5Dget_storage_size(opened);
      H5Dclose(opened);
      H5Fclose(file);
      ASSERT_GT(size, 0U);
      std::string bytes = whole;
      bytes[at + (last ? size - 1 : size / 2)] ^= 1;
      put(bytes);
      expect_bad_input(read, {"a.h5: dataset \"" + dataset + "\" is damaged", "expected"});
    }
    put(whole);
    const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
    H5Ldelete(file, dataset.c_str(), H5P_DEFAULT);
    H5Fclose(file);
    expect_bad_input(read, {"a.h5: there is no dataset \"" + dataset + "\""});
  }
  put(whole);
}

void delete_attribute(const fs::path& path, const char* object, const char* name) {
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  EXPECT_GE(H5Adelete_by_name(file, object, name, H5P_DEFAULT), 0);
  H5Fclose(file);
}

template <class Value>
void set_attribute(const fs::path& path, const char* object, const char* name, const Value& value) {
  delete_attribute(path, object, name);
  Hdf5Output file(path, Hdf5Output::Existing::extend);
  file.attribute(object, name, value);
  file.commit();
}

TEST_F(TdbemFiles, DamagedMatricesAreRefused) {
  const Problem p = files_problem(Boundary::rigid);
  Matrices<double> m(p, 32);
  m.assemble([](double) {});
  save_matrices(path_, p, m);
  const std::string whole = bytes(path_);
  const auto read = [&] {
    Matrices<double> again(p, 32);
    load_matrices(path_, p, again);
  };
  expect_complaints_of_damage(path_, whole, {"slices_0", "slices_1", "initial_0", "initial_1"}, read);
  for (const char* name : {"format", "precision", "surface", "cluster"}) {
    file("a.h5", whole);
    delete_attribute(path_, "/", name);
    expect_bad_input(read, {"a.h5", name});
    expect_bad_input([&] { read_matrix_file(path_, p); }, {"a.h5", name});
  }
  file("a.h5", whole);
  set_attribute(path_, "slices_1", "structure", std::string("0123456789abcdef"));
  expect_bad_input(read, {"a.h5: dataset \"slices_1\" has other lags", "\"0123456789abcdef\""});
  for (const std::int64_t cluster : {0, -32, 33, 96}) {
    file("a.h5", whole);
    set_attribute(path_, "/", "cluster", cluster);
    expect_bad_input([&] { read_matrix_file(path_, p); }, {fmt::format("cluster: found {}, expected", cluster)});
  }
  file("a.h5", whole);
  set_attribute(path_, "/", "format", std::string("asterism tdbem matrices 2\nand more"));
  expect_bad_input(read, {"a.h5: is no file of convolution matrices", "found \"asterism tdbem matrices 2"});
  file("a.h5", whole);
  read();
}

TEST_F(TdbemFiles, MatricesHaveTheLagsOfTheirStructure) {
  const Problem p = files_problem(Boundary::rigid);
  Matrices<double> m(p, 32);
  m.assemble([](double) {});
  save_matrices(path_, p, m);
  // lags, widths and directories are what the mark is of, values are not
  std::vector<std::string> marks;
  for (const int change : {0, 1, 2, 3, 4}) {
    Matrices<double> other(p, 32);
    load_matrices(path_, p, other);
    const auto& tile = other.structure().tiles[0];
    const TileLayout layout = tile_layout<double>(tile);
    const std::int64_t directory = other.place(0, 0, 2).directory;
    const std::size_t at[] = {0, layout.start, layout.first, layout.length, static_cast<std::size_t>(directory) + 40};
    {
      const Acquired held(other.block(0), STARPU_RW);
      static_cast<char*>(starpu_data_get_local_ptr(other.block(0)))[at[change]] ^= 1;
    }
    save_matrices(folder_ / "b.h5", p, other);
    const Hdf5Input saved(folder_ / "b.h5");
    marks.push_back(saved.text_attribute("slices_0", "structure"));
  }
  EXPECT_EQ(marks[0], Hdf5Input(path_).text_attribute("slices_0", "structure"));
  std::sort(marks.begin(), marks.end());
  EXPECT_EQ(std::unique(marks.begin(), marks.end()), marks.end());
}

TEST_F(TdbemFiles, FullDiskLeavesTheOlderMatrices) {
  const Problem p = files_problem(Boundary::rigid);
  Matrices<double> m(p, 32);
  m.assemble([](double) {});
  file("a.h5", "older");
  for (const std::size_t room : {1000, 30000, 100000}) {
    const FullDisk full(room);
    expect_error(Error::Kind::failed, [&] { save_matrices(path_, p, m); }, {"a.h5", "File too large"});
  }
  EXPECT_EQ(bytes(path_), "older");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 1);
  expect_bad_input([&] { save_matrices("/dev/full", p, m); }, {"/dev/full"});
  expect_bad_input([&] { save_matrices(folder_ / "none" / "a.h5", p, m); }, {"none"});
}

template <class T>
typename Simulation<T>::State example_state(const Problem& p, std::int64_t steps, std::int32_t reach, int width) {
  typename Simulation<T>::State s;
  s.steps = steps;
  s.reach = reach;
  const std::size_t lines = p.waves.size() * p.surface.vertices.size();
  for (std::size_t i = 0; i < lines * static_cast<std::size_t>(reach); ++i)
    s.history.push_back(static_cast<T>(std::sin(static_cast<double>(i))));
  for (std::size_t i = 0; i < lines * static_cast<std::size_t>(width); ++i)
    s.begun.push_back(static_cast<T>(std::cos(static_cast<double>(i))));
  for (std::size_t i = 0; i < p.waves.size() * p.observers.size() * static_cast<std::size_t>(steps); ++i)
    s.record.push_back(std::sin(0.1 + static_cast<double>(i)));
  s.history[3] = -T(0);
  s.begun[5] = std::numeric_limits<T>::denorm_min();
  s.history[4] = std::numeric_limits<T>::quiet_NaN();
  return s;
}

template <class V>
bool same_bits(const std::vector<V>& a, const std::vector<V>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(V)) == 0;
}

template <class T>
void expect_state_comes_back(const fs::path& path, const Problem& p, std::int64_t steps) {
  const Method method{4, true, 0};
  const auto state = example_state<T>(p, steps, 17, 4);
  write_checkpoint<T>(path, p, method, state);
  EXPECT_EQ(checkpoint_steps<T>(path, p, method), steps);
  const auto found = read_checkpoint<T>(path, p, method);
  EXPECT_EQ(found.steps, steps);
  EXPECT_EQ(found.reach, 17);
  EXPECT_TRUE(same_bits(found.history, state.history));
  EXPECT_TRUE(same_bits(found.begun, state.begun));
  EXPECT_TRUE(same_bits(found.record, state.record));
}

TEST_F(TdbemFiles, StatesComeBackToTheBit) {
  Problem p = files_problem(Boundary::rigid);
  for (const std::int64_t steps : {0, 12}) {
    expect_state_comes_back<double>(path_, p, steps);
    expect_state_comes_back<float>(path_, p, steps);
  }
  p.observers.clear();
  expect_state_comes_back<float>(path_, p, 12);
  std::vector<hsize_t> shape;
  read_dataset<float>(path_, "history", shape);
  EXPECT_EQ(shape, (std::vector<hsize_t>{2, 42, 17}));
}

/// A run that goes on from a file gives the bits of one that never stopped.
TEST_F(TdbemFiles, RunsGoOnFromFiles) {
  const Problem p = files_problem(Boundary::soft);
  const Method method{5, true, 0};
  Matrices<double> m(p, 32);
  m.assemble([](double) {});
  save_matrices(folder_ / "m.h5", p, m);
  std::vector<double> expected, heard;
  {
    Simulation<double> s(p, method, m, Runtime::session());
    for (int group = 0; group < 20; ++group) {
      if (group == 9) write_checkpoint<double>(path_, p, method, s.state());
      s.advance();
    }
    expected = s.solution(99, 1);
    heard.assign(s.heard(1, 0), s.heard(1, 0) + 100);
  }
  Matrices<double> loaded(p, 32);
  load_matrices(folder_ / "m.h5", p, loaded);
  Simulation<double> s(p, method, loaded, Runtime::session());
  s.set(read_checkpoint<double>(path_, p, method));
  EXPECT_EQ(s.steps(), 45);
  while (s.steps() < 100) s.advance();
  EXPECT_EQ(s.solution(99, 1), expected);
  EXPECT_EQ(std::vector<double>(s.heard(1, 0), s.heard(1, 0) + 100), heard);
  EXPECT_GT(*std::max_element(heard.begin(), heard.end()), 1e-3);
}

TEST_F(TdbemFiles, StatesOfAnotherRunAreRefused) {
  const Problem p = files_problem(Boundary::rigid);
  const Method method{4, false, 0};
  write_checkpoint<double>(path_, p, method, example_state<double>(p, 12, 17, 4));
  const auto expect_word = [&](const char* word, const Problem& problem, const Method& with) {
    const std::vector<std::string> words = {"a.h5: ", std::string(" ") + word + ": found", ", expected"};
    expect_bad_input([&] { checkpoint_steps<double>(path_, problem, with); }, words);
    expect_bad_input([&] { read_checkpoint<double>(path_, problem, with); }, words);
  };
  for (const auto* changes : {&changes_of_matrices(), &changes_of_run()})
    for (const Change& c : *changes) {
      Problem other = p;
      c.change(other);
      expect_word(c.name, other, method);
    }
  expect_word("group", p, {3, false, 0});
  expect_word("ahead", p, {4, true, 0});
  expect_bad_input([&] { read_checkpoint<float>(path_, p, method); },
                   {"precision: found \"double\", expected \"single\""});
  Problem looser = p;  // what may change
  looser.limits.tolerance = 1e-3;
  looser.solver = Solver::factorisation;
  EXPECT_EQ(checkpoint_steps<double>(path_, looser, {4, false, 96}), 12);
}

TEST_F(TdbemFiles, DamagedStatesAreRefused) {
  const Problem p = files_problem(Boundary::rigid);
  const Method method{4, false, 0};
  const auto state = example_state<double>(p, 12, 17, 4);
  write_checkpoint<double>(path_, p, method, state);
  const std::string whole = bytes(path_);
  const auto read = [&] { read_checkpoint<double>(path_, p, method); };
  expect_complaints_of_damage(path_, whole, {"history", "begun", "record"}, read);
  for (const auto& [steps, words] : {std::pair{-4L, "expected whole groups of 4"},
                                     {13L, "expected whole groups of 4"},
                                     {8L, "expected 2 x 2 x 8"}}) {
    file("a.h5", whole);
    set_attribute(path_, "/", "steps", std::int64_t{steps});
    expect_bad_input(read, {"a.h5", words});
  }
  const auto replace = [&](const std::string& name, const auto& values, const std::vector<std::size_t>& shape) {
    file("a.h5", whole);
    Hdf5Output out(path_, Hdf5Output::Existing::extend);
    out.remove(name);
    out.write(name, shape, std::span(values));
    out.commit();
  };
  const std::vector<double>& history = state.history;
  replace("history", history, {42, 2, 17});
  expect_bad_input(read, {"\"history\": found 42 x 2 x 17 values, expected 2 x 42 x 17"});
  replace("history", history, {history.size()});
  expect_bad_input(read, {"\"history\": found 1428 values, expected 2 x 42 x 1"});
  replace("begun", std::vector<float>(2 * 42 * 4, 1), {2, 42, 4});
  expect_bad_input(read, {"\"begun\" holds other numbers"});
  replace("begun", std::vector<double>(), {2, 42, 0});
  expect_bad_input(read, {"\"begun\": 0 values for each unknown"});
  Matrices<double> m(p, 32);
  m.assemble([](double) {});
  save_matrices(path_, p, m);
  expect_bad_input(read, {"is no file of the state of a run", "matrices"});
}

TEST_F(TdbemFiles, FullDiskLeavesTheOlderState) {
  const Problem p = files_problem(Boundary::rigid);
  const Method method{4, false, 0};
  const auto state = example_state<double>(p, 12, 17, 4);
  write_checkpoint<double>(path_, p, method, state);
  const std::string older = bytes(path_);
  for (const std::size_t room : {500UL, 4000UL, older.size() - 100}) {
    const FullDisk full(room);
    expect_error(Error::Kind::failed, [&] { write_checkpoint<double>(path_, p, method, state); },
                 {"a.h5", "File too large"});
  }
  EXPECT_EQ(bytes(path_), older);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 1);
}

}  // namespace
}  // namespace asterism::tdbem

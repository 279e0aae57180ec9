// SPDX-License-Identifier: Apache-2.0
// Files of convolution matrices: the same bits, and a line that says what is wrong with any other file.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/fingerprint.hpp"
#include "io/hdf5/file.hpp"
#include "taskflows/tdbem/matrices/matrix_file.hpp"
#include "tests/runtime/starpu_environment.hpp"
#include "tests/taskflows/tdbem/files_fixture.hpp"

namespace asterism::tdbem {
namespace {

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
void expect_same_after_reload(const fs::path& path, const Problem& p, std::int32_t block_size) {
  Matrices<T> first(p, block_size);
  first.assemble([](double) {});
  save_matrices(path, p, first);
  const MatrixFile header = read_matrix_file(path, p);
  EXPECT_EQ(header.block_size, block_size);
  EXPECT_EQ(header.precision, precision_of<T>);
  Matrices<T> second(p, header.block_size);
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
    for (const std::int32_t block_size : {32, 96, 192}) {
      expect_same_after_reload<double>(path_, p, block_size);
      expect_same_after_reload<float>(path_, p, block_size);
    }
  }
  const Problem p = files_problem(Boundary::rigid, 1);  // 42 unknowns in one block
  expect_same_after_reload<double>(path_, p, 64);
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
    EXPECT_EQ(read_matrix_file(path_, run).block_size, 32) << c.name;
  }
  Matrices<double> coarse(p, 64);
  expect_bad_input([&] { load_matrices(path_, p, coarse); }, {"a.h5: cluster: found 32, expected 64"});
  Matrices<float> single(p, 32);
  expect_bad_input([&] { load_matrices(path_, p, single); }, {"precision: found \"double\", expected \"single\""});
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
  for (const std::int64_t block_size : {0, -32, 33, 96}) {
    file("a.h5", whole);
    set_attribute(path_, "/", "cluster", block_size);
    expect_bad_input([&] { read_matrix_file(path_, p); }, {fmt::format("cluster: found {}, expected", block_size)});
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
  for (std::size_t change = 0; change < 8; ++change) {
    Matrices<double> other(p, 32);
    load_matrices(path_, p, other);
    const TileLayout layout = tile_layout<double>(other.structure().tiles[0]);
    const auto directory = static_cast<std::size_t>(other.place(0, 0, 2).directory);
    const std::size_t second = layout.bytes + tile_layout<double>(other.structure().tiles[2]).start;
    const std::size_t at[] = {0,      layout.start,  layout.first,   layout.length,
                              second, directory - 1, directory + 40, layout.bytes - 1};
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

}  // namespace
}  // namespace asterism::tdbem

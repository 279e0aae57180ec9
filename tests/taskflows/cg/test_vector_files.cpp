// SPDX-License-Identifier: Apache-2.0
// Reading and writing vectors in Matrix Market files and as plain numbers.
#include <gtest/gtest.h>
#include <omp.h>
#include <sys/resource.h>

#include <bit>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "tests/taskflows/cg/matrix_market_files.hpp"

namespace asterism::cg {
namespace {

namespace fs = std::filesystem;

TEST_F(MatrixMarket, ReadsVectorsInEveryForm) {
  const std::vector<double> expected = {1.5, -2, 0};
  EXPECT_EQ(vector(array + "% b\n3 1\n1.5\n-2\n0\n", 3), expected);
  EXPECT_EQ(vector(gzip(array + "3 1\n1.5\n-2\n0\n"), 3), expected);
  EXPECT_EQ(vector("1.5\n\n-2D0\r\n +0.0", 3), expected);
  EXPECT_EQ(vector("% no header\n1.5\n-2\n0\n", 3), expected);
  EXPECT_EQ(vector(gzip("1.5\n-2\n0\n"), 3), expected);
  EXPECT_EQ(vector(general + "3 1 3\n2 1 -2\n3 1 0\n1 1 1.5\n", 3), expected);
  EXPECT_EQ(vector(general + "3 1 3\n2 1 -3\n1 1 1.5\n2 1 1\n", 3), expected);
  EXPECT_EQ(vector(general + "2 1 0\n", 2), (std::vector<double>{0, 0}));
  EXPECT_EQ(vector("%%MatrixMarket matrix array integer general\n2 1\n7\n-8\n", 2), (std::vector<double>{7, -8}));
}

TEST_F(MatrixMarket, RefusesBadVectors) {
  const std::vector<Bad> cases = {
      {"", {"the file is empty"}},
      {array, {"ends before its size line", "\"rows columns\""}},
      {array + "3 2\n1\n2\n3\n", {"line 2", "3 x 2", "expected 3 x 1"}},
      {array + "4 1\n1\n2\n3\n4\n", {"line 2", "4 x 1", "expected 3 x 1"}},
      {array + "3 1\n1\n2\n", {"ends after 2 entries", "expected 3"}},
      {array + "3 1\n1\n2\n3\n4\n", {"line 6", "\"4\"", "expected 3 entries"}},
      {array + "3 1\n1\nnan\n3\n", {"line 4", "\"nan\"", "finite"}},
      {array + "3 1\n1\ntwo\n3\n", {"line 4", "\"two\""}},
      {array + "3 1\n1 2\n3\n", {"line 3", "\"2\"", "end of the line"}},
      {"%%MatrixMarket matrix array real symmetric\n3 1\n", {"line 1", "\"symmetric\"", "expected general"}},
      {"%%MatrixMarket matrix array complex general\n3 1\n", {"line 1", "\"complex\""}},
      {general + "3 1 2\n1 1 1\n4 1 1\n", {"line 4", "row index is \"4\""}},
      {general + "3 1 2\n1 1 1\n2 2 1\n", {"line 4", "column index is \"2\""}},
      {"1\n2\n", {"ends after 2 entries", "expected 3"}},
      {"1\n2\n3\n4\n", {"line 4", "\"4\"", "expected 3 entries"}},
      {"1\n2,5\n3\n", {"line 2", "\"2,5\""}},
      {"1\n1e400\n3\n", {"line 2", "\"1e400\""}},
      {gzip("1\n2\n3\n").substr(0, 15), {"truncated or corrupt gzip"}},
  };
  for (const Bad& bad : cases) {
    SCOPED_TRACE(bad.text);
    const fs::path path = file(bad.text);
    expect_bad_file([&] { read_vector(path, 3); }, path.string(), bad.fragments);
  }
}

TEST_F(MatrixMarket, RestoresWrittenVectorsBitForBit) {
  std::mt19937_64 random(3);
  std::vector<double> values = {
      0.0, -0.0, 1.0 / 3, std::numeric_limits<double>::max(), -5e-324, std::numeric_limits<double>::min()};
  while (values.size() < 200003) {  // any bits but those of NaN and infinity
    const double value = std::bit_cast<double>(random());
    if (std::isfinite(value)) values.push_back(value);
  }
  const fs::path path = folder_ / "x.mtx";
  for (const int threads : {1, 4}) {
    omp_set_num_threads(threads);
    write_vector(path, values, "two\nlines");
    const std::vector<double> back = as_vector(read_vector(path, static_cast<std::int64_t>(values.size())));
    ASSERT_EQ(back.size(), values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      ASSERT_EQ(std::bit_cast<std::uint64_t>(back[i]), std::bit_cast<std::uint64_t>(values[i])) << i;
    }
  }
}

TEST_F(MatrixMarket, WritesTheExpectedText) {
  const fs::path path = file("something older", "x.mtx");
  write_vector(path, std::vector<double>{0.1, -2}, "solution");
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  EXPECT_EQ(text.str(), array + "% solution\n2 1\n1.0000000000000001e-01\n-2.0000000000000000e+00\n");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 1);  // no temporary file is left
}

TEST_F(MatrixMarket, LeavesNothingWhereItCannotWrite) {
  const std::vector<double> values = {1, 2};
  const fs::path nowhere = folder_ / "absent" / "x.mtx";
  expect_bad_file([&] { write_vector(nowhere, values, ""); }, nowhere.string(), {"cannot be written", "No such"});
  expect_bad_file([&] { write_vector(folder_, values, ""); }, folder_.string(), {"cannot be replaced"});
  expect_bad_file([&] { write_vector("/dev/null", values, ""); }, "/dev/null", {"cannot be replaced"});
  EXPECT_TRUE(fs::is_empty(folder_));

  // A disk that fills up, played by a limit on the size of files.
  rlimit before = {};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit small = {.rlim_cur = 100000, .rlim_max = before.rlim_max};
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &small);
  try {
    write_vector(folder_ / "x.mtx", std::vector<double>(300000, 1.0), "");
    ADD_FAILURE() << "written in spite of the limit";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::failed);
    EXPECT_NE(std::string(error.what()).find("x.mtx: cannot be written: File too large"), std::string::npos);
  }
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_TRUE(fs::is_empty(folder_));
}

}  // namespace
}  // namespace asterism::cg

// SPDX-License-Identifier: Apache-2.0
// Reading Matrix Market files: tiny data checked by hand, every kind of bad input, and a random matrix against a
// sequential parser that shares no code with the reader.
#include "taskflows/cg/matrix/matrix_market.hpp"

#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/taskflows/cg/matrix_market_files.hpp"

namespace asterism::cg {
namespace {

namespace fs = std::filesystem;

using Dense = std::vector<std::vector<double>>;

Dense dense(const CsrMatrix& matrix) {
  Dense result(matrix.n, std::vector<double>(matrix.n, 0.0));
  for (std::int64_t i = 0; i < matrix.n; ++i) {
    for (std::int64_t k = matrix.row_begin[i]; k < matrix.row_begin[i + 1]; ++k) {
      result[i][matrix.column[k]] = matrix.value[k];
    }
  }
  return result;
}

// ---- tiny matrices

TEST_F(MatrixMarket, ReadsGeneral) {
  const CsrMatrix matrix = read(general + "% a comment\n3 3 4\n3 1 -7.5\n1 1 1\n2 3 .25\n1 2 2e1\n");
  EXPECT_EQ(matrix.n, 3);
  EXPECT_EQ(as_vector(matrix.row_begin), (std::vector<std::int64_t>{0, 2, 3, 4}));
  EXPECT_EQ(as_vector(matrix.column), (std::vector<std::int32_t>{0, 1, 2, 0}));
  EXPECT_EQ(as_vector(matrix.value), (std::vector<double>{1, 20, 0.25, -7.5}));
  EXPECT_EQ(matrix.name, (folder_ / "a.mtx").string());
}

TEST_F(MatrixMarket, MirrorsEitherTriangle) {
  const Dense expected = {{1, 4, 5}, {4, 2, 0}, {5, 0, 3}};
  EXPECT_EQ(dense(read(symmetric + "3 3 5\n1 1 1\n2 1 4\n3 1 5\n2 2 2\n3 3 3\n")), expected);
  EXPECT_EQ(dense(read(symmetric + "3 3 5\n1 1 1\n1 2 4\n1 3 5\n2 2 2\n3 3 3\n")), expected);
  EXPECT_EQ(dense(read(symmetric + "3 3 5\n3 3 3\n1 3 5\n2 2 2\n2 1 4\n1 1 1\n")), expected);
  EXPECT_EQ(read(symmetric + "3 3 5\n1 1 1\n2 1 4\n3 1 5\n2 2 2\n3 3 3\n").nnz(), 7);
}

TEST_F(MatrixMarket, SumsRepeatedEntriesOfGeneralFiles) {
  const CsrMatrix matrix = read(general + "2 2 5\n1 2 1\n2 2 3\n1 2 0.5\n1 1 8\n1 2 -4\n");
  EXPECT_EQ(matrix.nnz(), 3);
  EXPECT_EQ(dense(matrix), (Dense{{8, -2.5}, {0, 3}}));
}

TEST_F(MatrixMarket, ReadsEveryWayToWriteANumber) {
  const std::string header = "%%matrixmarket MATRIX Coordinate Real General\r\n";
  const CsrMatrix matrix = read(header +
                                "%\r\n\r\n \t 2\t2 4 \r\n\r\n +1 1\t+1.5D+00\r\n% inside\n\n"
                                "1 2 -2d-1 \r\n2 1 1e-999\r\n2 2 +.5E1");
  EXPECT_EQ(dense(matrix), (Dense{{1.5, -0.2}, {0, 5}}));
  EXPECT_EQ(matrix.nnz(), 4);
  EXPECT_EQ(dense(read(integer + "1 1 1\n1 1 -12\n")), (Dense{{-12}}));
  EXPECT_EQ(dense(read(general + "1 1 1\n1 1 4.9406564584124654e-324\n")),
            (Dense{{std::numeric_limits<double>::denorm_min()}}));
}

TEST_F(MatrixMarket, ReadsGzipLikePlainText) {
  const std::string text = symmetric + "3 3 4\n1 1 1\n2 1 4\n2 2 2\n3 3 3\n";
  const CsrMatrix plain = read(text);
  expect_same(read(gzip(text)), plain);
  // Several members, the last one so short that its length says nothing of the whole.
  expect_same(read(gzip(text.substr(0, 50)) + gzip(text.substr(50, 25)) + gzip(text.substr(75))), plain);
  expect_same(read(gzip(text) + gzip("")), plain);
}

// ---- bad matrices

TEST_F(MatrixMarket, RefusesBadMatrices) {
  const std::vector<Bad> cases = {
      {"", {"the file is empty"}},
      {gzip(""), {"the file is empty once decompressed"}},
      {"\n", {"line 1", "found \"\"", "%%MatrixMarket"}},
      {"1 1 1\n1 1 1\n", {"line 1", "\"1 1 1\"", "%%MatrixMarket"}},
      {"%%MatrixMarkets matrix coordinate real general\n1 1 1\n1 1 1\n", {"line 1", "%%MatrixMarket"}},
      {"%%MatrixMarket vector coordinate real general\n", {"line 1", "object is \"vector\"", "expected matrix"}},
      {"%%MatrixMarket matrix array real general\n", {"line 1", "format is \"array\"", "expected coordinate"}},
      {"%%MatrixMarket matrix coordinate pattern general\n", {"line 1", "field is \"pattern\"", "real or integer"}},
      {"%%MatrixMarket matrix coordinate complex general\n", {"line 1", "field is \"complex\"", "real or integer"}},
      {"%%MatrixMarket matrix coordinate real hermitian\n", {"\"hermitian\"", "general or symmetric"}},
      {"%%MatrixMarket matrix coordinate real skew-symmetric\n", {"\"skew-symmetric\"", "general or symmetric"}},
      {"%%MatrixMarket matrix coordinate real\n", {"line 1", "symmetry is missing"}},
      {"%%MatrixMarket", {"line 1", "object is missing"}},
      {"%%MatrixMarket matrix coordinate real general x\n", {"line 1", "\"x\"", "end of the line"}},
      {general, {"ends before its size line", "rows columns entries"}},
      {general + "% only\n\n", {"ends before its size line"}},
      {general + "%\n2 2\n", {"line 3", "number of entries is missing"}},
      {general + "2 two 2\n", {"line 2", "number of columns is \"two\""}},
      {general + "2 2 2 2\n", {"line 2", "\"2\" after the last field"}},
      {general + "2.5 2 2\n", {"line 2", "number of rows is \"2.5\""}},
      {general + "2 3 2\n1 1 1\n2 2 1\n", {"line 2", "2 x 3", "square"}},
      {general + "0 0 0\n", {"line 2", "number of rows is \"0\""}},
      {general + "-3 -3 1\n", {"line 2", "number of rows is \"-3\""}},
      {general + "2 2 -1\n", {"line 2", "number of entries is \"-1\""}},
      {general + "2147483648 2147483648 1\n", {"line 2", "\"2147483648\"", "to 2147483647"}},
      {general + "1 1 99999999999999999999\n", {"line 2", "number of entries is \"99999999999999999999\""}},
      {general + "2147483647 2147483647 1\n1 1 1\n", {"line 2", "1 entries", "2147483647 rows", "singular"}},
      {symmetric + "5 5 2\n", {"line 2", "2 entries cannot fill 5 rows"}},
      {general + "2 2 9223372036854775807\n1 1 1\n2 2 1\n", {"ends after 2 entries", "9223372036854775807"}},
      {symmetric + "2147483647 2147483647 9000000000000000000\n1 1 1\n", {"ends after 1 entries"}},
      {general + "2 2 2\n1 1 1\n3 1 1\n", {"line 4", "row index is \"3\"", "from 1 to 2"}},
      {general + "2 2 2\n1 1 1\n1 0 1\n", {"line 4", "column index is \"0\"", "from 1 to 2"}},
      {general + "2 2 2\n-1 1 1\n1 1 1\n", {"line 3", "row index is \"-1\""}},
      {general + "2 2 2\n1 4294967297 1\n1 1 1\n", {"line 3", "column index is \"4294967297\""}},
      {general + "2 2 2\n1 99999999999999999999 1\n", {"line 3", "column index is \"99999999999999999999\""}},
      {general + "2 2 2\n1.0 1 1\n", {"line 3", "row index is \"1.0\""}},
      {general + "2 2 2\n+-1 1 1\n", {"line 3", "row index is \"+-1\""}},
      {general + "2 2 2\n1 1 nan\n2 2 1\n", {"line 3", "value is \"nan\"", "finite"}},
      {general + "2 2 2\n1 1 1\n2 2 -Inf\n", {"line 4", "value is \"-Inf\"", "finite"}},
      {general + "2 2 2\n1 1 1\n2 2 1e999\n", {"line 4", "value is \"1e999\"", "fits in a double"}},
      {general + "2 2 2\n1 1 -1D+999\n", {"line 3", "value is \"-1D+999\"", "fits in a double"}},
      {general + "2 2 2\n1 1 x1\n", {"line 3", "value is \"x1\"", "expected a number"}},
      {general + "2 2 2\n1 1 0x1p3\n", {"line 3", "value is \"0x1p3\""}},
      {general + "2 2 2\n1 1 1.5.5\n", {"line 3", "value is \"1.5.5\""}},
      {general + "2 2 2\n1 1 +\n", {"line 3", "value is \"+\""}},
      {general + "2 2 2\n1 1 D5\n", {"line 3", "value is \"D5\""}},
      {general + "2 2 2\n1 1 +-5\n", {"line 3", "value is \"+-5\""}},
      {general + "2 2 2\n1 1 1e\n", {"line 3", "value is \"1e\""}},
      {general + "2 2 2\n1 1 \x01\xff\n", {"line 3", "value is \"?\?\""}},
      {general + "2 2 2\n1 1 " + std::string(5000, 'y') + "\n", {"line 3", "value is \"yyy", "yyy...\""}},
      {general + "2 2 2\n1 1 1\n2 2\n", {"line 4", "value is missing"}},
      {general + "2 2 2\n1\n2 2 1\n", {"line 3", "column index is missing"}},
      {general + "2 2 2\n1 1 1 7\n2 2 1\n", {"line 3", "\"7\"", "end of the line"}},
      {general + "2 2 2\n1 1 1,\n2 2 1\n", {"line 3", "value is \"1,\""}},
      {integer + "1 1 1\n1 1 1.5\n", {"line 3", "value is \"1.5\"", "integer"}},
      {integer + "1 1 1\n1 1 9223372036854775808\n", {"line 3", "value is \"9223372036854775808\""}},
      {general + "2 2 3\n1 1 1\n2 2 1\n", {"ends after 2 entries", "expected 3"}},
      {general + "2 2 2\n1 1 1\n% x\n2 2 1\n\n1 2 1\nx", {"line 7", "\"1 2 1\"", "expected 2 entries"}},
      {symmetric + "2 2 3\n1 1 1\n2 1 5\n1 2 5\n", {"line 5", "entry (1,2) repeats entry (2,1) of line 4"}},
      {symmetric + "2 2 3\n1 1 1\n%\n2 2 5\n1 1 1\n", {"line 6", "entry (1,1) repeats entry (1,1) of line 3"}},
  };
  for (const Bad& bad : cases) {
    SCOPED_TRACE(bad.text.substr(0, 200));
    const fs::path path = file(bad.text);
    expect_bad_file([&] { read_matrix_market(path); }, path.string(), bad.fragments);
  }
}

TEST_F(MatrixMarket, RefusesWhatIsNotAReadableFile) {
  const fs::path absent = folder_ / "absent.mtx";
  expect_bad_file([&] { read_matrix_market(absent); }, absent.string(), {"No such file"});
  expect_bad_file([&] { read_matrix_market(folder_); }, folder_.string(), {"is a directory"});
  expect_bad_file([&] { read_matrix_market("/dev/null"); }, "/dev/null", {"not a regular file"});
  const fs::path secret = file(general + "1 1 1\n1 1 1\n", "secret.mtx");
  fs::permissions(secret, fs::perms::none);
  if (geteuid() == 0) return;  // root may read everything
  expect_bad_file([&] { read_matrix_market(secret); }, secret.string(), {"Permission denied"});
}

TEST_F(MatrixMarket, RefusesDamagedGzip) {
  std::string text = general + "999 999 999\n";
  for (int i = 1; i <= 999; ++i) text += fmt::format("{} {} {}.5\n", i, i, i * i);
  const std::string whole = gzip(text);
  ASSERT_EQ(read(whole).nnz(), 999);
  for (const std::size_t size : {std::size_t{2}, std::size_t{5}, std::size_t{12}, whole.size() / 2, whole.size() - 1}) {
    const fs::path path = file(whole.substr(0, size));
    expect_bad_file([&] { read_matrix_market(path); }, path.string(), {"truncated or corrupt gzip"});
  }
  std::string flipped = whole;
  flipped[whole.size() / 2] = static_cast<char>(flipped[whole.size() / 2] ^ 0x10);
  const std::string trailing = whole + "garbage";
  for (const std::string& bytes : {flipped, trailing}) {
    const fs::path path = file(bytes);
    expect_bad_file([&] { read_matrix_market(path); }, path.string(), {"truncated or corrupt gzip"});
  }
}

// ---- against a sequential parser

/// n x n with entries in random order, repeated ones included. Values are multiples of 1/8, so that sums are
/// exact in any order.
std::string random_matrix(int n, int entries) {
  std::mt19937 random(7);
  std::uniform_int_distribution<int> index(1, n);
  std::uniform_int_distribution<int> eighths(-80000, 80000);
  std::string text = general + fmt::format("{} {} {}\n", n, n, entries);
  for (int k = 0; k < entries; ++k) {
    text += fmt::format("{} {} {:.{}e}\n", index(random), index(random), eighths(random) / 8.0, 10 + k % 7);
    if (k % 1000 == 0) text += "% comment\n\n";
  }
  return text;
}

CsrMatrix reference(const std::string& text) {
  std::istringstream lines(text);
  std::string line;
  std::map<std::pair<int, int>, double> entries;
  int n = 0;
  while (std::getline(lines, line)) {
    if (line.empty() || line[0] == '%') continue;
    std::istringstream fields(line);
    int row = 0;
    int column = 0;
    double value = 0;
    fields >> row >> column >> value;
    if (n == 0) {
      n = row;
    } else {
      entries[{row - 1, column - 1}] += value;
    }
  }
  CsrMatrix matrix;
  matrix.n = n;
  matrix.row_begin = Array<std::int64_t>(n + 1, 0);
  matrix.column = Array<std::int32_t>(entries.size());
  matrix.value = Array<double>(entries.size());
  std::size_t k = 0;
  for (const auto& [position, value] : entries) {
    matrix.row_begin[position.first + 1] = static_cast<std::int64_t>(k) + 1;
    matrix.column[k] = position.second;
    matrix.value[k++] = value;
  }
  for (int row = 0; row < n; ++row) {  // rows without entries
    matrix.row_begin[row + 1] = std::max(matrix.row_begin[row + 1], matrix.row_begin[row]);
  }
  return matrix;
}

TEST_F(MatrixMarket, EqualsSequentialParserWithAnyNumberOfThreads) {
  const std::string text = random_matrix(3000, 200000);
  const CsrMatrix expected = reference(text);
  EXPECT_LT(expected.nnz(), 200000);  // some are repeated
  for (const int threads : {1, 2, 4, 7}) {
    omp_set_num_threads(threads);
    expect_same(read(text), expected);
    expect_same(read(gzip(text)), expected);
  }
}

TEST_F(MatrixMarket, SumsToTheSameBitsWithAnyNumberOfThreads) {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> value(-1, 1);
  std::string text = general + "50 50 50000\n";
  for (int k = 0; k < 50000; ++k) text += fmt::format("{} {} {}\n", 1 + k % 50, 1 + k / 50 % 50, value(random));
  omp_set_num_threads(1);
  const CsrMatrix expected = read(text);
  EXPECT_EQ(expected.nnz(), 2500);
  omp_set_num_threads(4);
  for (int again = 0; again < 5; ++again) expect_same(read(text), expected);
}

TEST_F(MatrixMarket, ReportsTheFirstBadLineWithAnyNumberOfThreads) {
  const int n = 100000;
  const auto text = [&](int first_bad, int second_bad) {
    std::string result = general + fmt::format("{} {} {}\n", n, n, n);
    for (int i = 1; i <= n; ++i) {
      result += fmt::format("{} {} {}\n", i, i, i == first_bad || i == second_bad ? "bad" : "1.25");
    }
    return result;
  };
  for (const int threads : {1, 4}) {
    omp_set_num_threads(threads);
    const fs::path bad = file(text(60000, 99999));
    expect_bad_file([&] { read_matrix_market(bad); }, bad.string(), {"line 60002:", "\"bad\""});
    const fs::path both_bad = file(text(3, 4));
    expect_bad_file([&] { read_matrix_market(both_bad); }, both_bad.string(), {"line 5:", "\"bad\""});
  }
  const fs::path surplus = file(text(0, 0) + "1 1 1\nbad\n");
  expect_bad_file([&] { read_matrix_market(surplus); }, surplus.string(), {"line 100003:", "\"1 1 1\""});
}

}  // namespace
}  // namespace asterism::cg

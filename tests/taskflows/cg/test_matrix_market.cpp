// Reading and writing Matrix Market files: tiny data checked by hand, every kind of bad input, and a
// random matrix against a sequential parser that shares no code with the reader.
#include "taskflows/cg/matrix/matrix_market.hpp"

#include <gtest/gtest.h>
#include <omp.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "taskflows/cg/matrix/csr_matrix.hpp"
#include "tests/gzip.hpp"

namespace asterism::cg {
namespace {

namespace fs = std::filesystem;
using tests::gzip;

const std::string general = "%%MatrixMarket matrix coordinate real general\n";
const std::string symmetric = "%%MatrixMarket matrix coordinate real symmetric\n";
const std::string integer = "%%MatrixMarket matrix coordinate integer general\n";
const std::string array = "%%MatrixMarket matrix array real general\n";

template <class T>
std::vector<T> as_vector(const Array<T>& values) {
  return {values.begin(), values.end()};
}

void expect_same(const CsrMatrix& a, const CsrMatrix& b) {
  EXPECT_EQ(a.n, b.n);
  EXPECT_TRUE(as_vector(a.row_begin) == as_vector(b.row_begin));
  EXPECT_TRUE(as_vector(a.column) == as_vector(b.column));
  EXPECT_TRUE(as_vector(a.value) == as_vector(b.value));
}

/// A folder of the test's own, and the files in it.
class MatrixMarket : public testing::Test {
 protected:
  MatrixMarket() : folder_(fs::temp_directory_path() / fmt::format("asterism_matrix_market_{}", getpid())) {
    fs::remove_all(folder_);
    fs::create_directory(folder_);
  }
  ~MatrixMarket() override {
    fs::remove_all(folder_);
    omp_set_num_threads(threads_);
  }

  fs::path file(const std::string& text, const std::string& name = "a.mtx") const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return folder_ / name;
  }
  CsrMatrix read(const std::string& text) const { return read_matrix_market(file(text)); }
  std::vector<double> vector(const std::string& text, std::int64_t n) const {
    return as_vector(read_vector(file(text), n));
  }

  const fs::path folder_;
  const int threads_ = omp_get_max_threads();
};

/// The call throws bad_input with a single line that names the file and holds every fragment.
template <class Call>
void expect_bad_input(Call call, const std::string& file, const std::vector<std::string>& fragments) {
  try {
    call();
    ADD_FAILURE() << "accepted; expected a complaint with: " << testing::PrintToString(fragments);
  } catch (const Error& error) {
    const std::string message = error.what();
    EXPECT_EQ(error.kind(), Error::Kind::bad_input) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    EXPECT_NE(message.find(file + ": "), std::string::npos) << message;
    for (const std::string& fragment : fragments) EXPECT_NE(message.find(fragment), std::string::npos) << message;
  }
}

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

// ---- tiny matrices -------------------------------------------------------------------------------------

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

// ---- bad matrices --------------------------------------------------------------------------------------

struct Bad {
  std::string text;
  std::vector<std::string> fragments;
};

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
    expect_bad_input([&] { read_matrix_market(path); }, path.string(), bad.fragments);
  }
}

TEST_F(MatrixMarket, RefusesWhatIsNotAReadableFile) {
  const fs::path absent = folder_ / "absent.mtx";
  expect_bad_input([&] { read_matrix_market(absent); }, absent.string(), {"No such file"});
  expect_bad_input([&] { read_matrix_market(folder_); }, folder_.string(), {"is a directory"});
  expect_bad_input([&] { read_matrix_market("/dev/null"); }, "/dev/null", {"not a regular file"});
  const fs::path secret = file(general + "1 1 1\n1 1 1\n", "secret.mtx");
  fs::permissions(secret, fs::perms::none);
  if (geteuid() == 0) return;  // root may read everything
  expect_bad_input([&] { read_matrix_market(secret); }, secret.string(), {"Permission denied"});
}

TEST_F(MatrixMarket, RefusesDamagedGzip) {
  std::string text = general + "999 999 999\n";
  for (int i = 1; i <= 999; ++i) text += fmt::format("{} {} {}.5\n", i, i, i * i);
  const std::string whole = gzip(text);
  ASSERT_EQ(read(whole).nnz(), 999);
  for (const std::size_t size : {std::size_t{2}, std::size_t{5}, std::size_t{12}, whole.size() / 2, whole.size() - 1}) {
    const fs::path path = file(whole.substr(0, size));
    expect_bad_input([&] { read_matrix_market(path); }, path.string(), {"truncated or corrupt gzip"});
  }
  std::string flipped = whole;
  flipped[whole.size() / 2] = static_cast<char>(flipped[whole.size() / 2] ^ 0x10);
  const std::string trailing = whole + "garbage";
  for (const std::string& bytes : {flipped, trailing}) {
    const fs::path path = file(bytes);
    expect_bad_input([&] { read_matrix_market(path); }, path.string(), {"truncated or corrupt gzip"});
  }
}

// ---- against a sequential parser -----------------------------------------------------------------------

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
    expect_bad_input([&] { read_matrix_market(bad); }, bad.string(), {"line 60002:", "\"bad\""});
    const fs::path both_bad = file(text(3, 4));
    expect_bad_input([&] { read_matrix_market(both_bad); }, both_bad.string(), {"line 5:", "\"bad\""});
  }
  const fs::path surplus = file(text(0, 0) + "1 1 1\nbad\n");
  expect_bad_input([&] { read_matrix_market(surplus); }, surplus.string(), {"line 100003:", "\"1 1 1\""});
}

// ---- vectors -------------------------------------------------------------------------------------------

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
    expect_bad_input([&] { read_vector(path, 3); }, path.string(), bad.fragments);
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
  expect_bad_input([&] { write_vector(nowhere, values, ""); }, nowhere.string(), {"cannot be written", "No such"});
  expect_bad_input([&] { write_vector(folder_, values, ""); }, folder_.string(), {"cannot be replaced"});
  expect_bad_input([&] { write_vector("/dev/null", values, ""); }, "/dev/null", {"cannot be replaced"});
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

// ---- what conjugate gradient needs ---------------------------------------------------------------------

TEST_F(MatrixMarket, AcceptsSymmetricMatricesWithPositiveDiagonal) {
  require_symmetric_positive_diagonal(read(general + "2 2 4\n1 1 2\n1 2 -1\n2 1 -1.0000000000000002\n2 2 3\n"));
  require_symmetric_positive_diagonal(read(general + "2 2 3\n1 1 2\n1 2 0\n2 2 3\n"));  // absent means zero
  require_symmetric_positive_diagonal(read(general + "1 1 1\n1 1 1e-300\n"));
}

TEST_F(MatrixMarket, RefusesMatricesThatAreNotSymmetricOrLackAPositiveDiagonal) {
  const std::vector<Bad> cases = {
      {"3 3 3\n1 1 1\n2 2 1\n1 3 0\n", {"diagonal entry of row 3 is missing; a symmetric positive definite matrix"}},
      {"3 3 4\n1 1 1\n2 1 5\n1 2 5\n3 3 1\n", {"diagonal entry of row 2 is missing"}},
      {"3 3 3\n1 2 1\n2 2 1\n3 3 1\n", {"diagonal entry of row 1 is missing"}},
      {"2 2 2\n1 1 1\n2 2 -4\n", {"diagonal entry of row 2 is -4; "}},
      {"2 2 2\n1 1 0\n2 2 4\n", {"diagonal entry of row 1 is 0; "}},
      {"2 2 4\n1 1 1\n1 2 1\n2 1 2\n2 2 1\n", {"not symmetric: entry (1,2) is 1 but entry (2,1) is 2"}},
      {"2 2 3\n1 1 1\n1 2 1\n2 2 1\n", {"not symmetric: entry (1,2) is 1 but entry (2,1) is missing"}},
      {"2 2 3\n1 1 1\n2 1 1\n2 2 1\n", {"not symmetric: entry (2,1) is 1 but entry (1,2) is missing"}},
      {"2 2 3\n1 1 1\n1 1 -1e308\n2 2 1\n", {"diagonal entry of row 1 is -1e+308"}},
  };
  for (const Bad& bad : cases) {
    SCOPED_TRACE(bad.text);
    const CsrMatrix matrix = read(general + bad.text);
    expect_bad_input([&] { require_symmetric_positive_diagonal(matrix); }, matrix.name, bad.fragments);
  }
  CsrMatrix matrix = read(general + "2 2 4\n1 1 1\n1 2 1\n2 1 1\n2 2 1\n");
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  matrix.value[2] = nan;
  expect_bad_input([&] { require_symmetric_positive_diagonal(matrix); }, matrix.name,
                   {"entry (2,1) is nan; every entry must be finite"});
  matrix.value[0] = infinity;
  expect_bad_input([&] { require_symmetric_positive_diagonal(matrix); }, matrix.name,
                   {"entry (1,1) is inf; every entry must be finite"});
}

TEST_F(MatrixMarket, ToleranceIsRelative) {
  const CsrMatrix matrix = read(general + "2 2 4\n1 1 1\n1 2 1e-20\n2 1 1.1e-20\n2 2 1\n");
  expect_bad_input([&] { require_symmetric_positive_diagonal(matrix); }, matrix.name, {"not symmetric"});
  require_symmetric_positive_diagonal(matrix, 0.2);
}

TEST_F(MatrixMarket, ReportsTheFirstBadRowWithAnyNumberOfThreads) {
  const int n = 50000;
  std::string text = general + fmt::format("{} {} {}\n", n, n, n);
  for (int i = 1; i <= n; ++i) text += fmt::format("{} {} {}\n", i, i, i < 12345 ? 1 : -1);
  const CsrMatrix matrix = read(text);
  for (const int threads : {1, 4}) {
    omp_set_num_threads(threads);
    expect_bad_input([&] { require_symmetric_positive_diagonal(matrix); }, matrix.name, {"row 12345 is -1"});
  }
}

}  // namespace
}  // namespace asterism::cg

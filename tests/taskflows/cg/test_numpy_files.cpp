// SPDX-License-Identifier: Apache-2.0
// Matrices and vectors that SciPy and NumPy wrote (write_npz.py), whole and damaged.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "taskflows/cg/matrix/numpy_files.hpp"
#include "tests/taskflows/cg/matrix_market_files.hpp"

namespace asterism::cg {
namespace {

namespace fs = std::filesystem;

class NumpyFiles : public MatrixMarket {
 protected:
  void SetUp() override {
    const int status = std::system(
        fmt::format("{}/tests/taskflows/cg/write_npz.py {}", ASTERISM_SOURCE_DIR, folder_.string()).c_str());
    if (WEXITSTATUS(status) == 77) GTEST_SKIP() << "SciPy is missing";
    ASSERT_EQ(status, 0);
  }
  void refuses(const std::string& name, const std::vector<std::string>& fragments) const {
    SCOPED_TRACE(name);
    expect_bad_file([&] { read_npz_matrix(folder_ / name); }, (folder_ / name).string(), fragments);
  }
  std::string bytes(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(folder_ / name, std::ios::binary).rdbuf();
    return text.str();
  }
};

TEST_F(NumpyFiles, ReadsEveryFormatAsMatrixMarketHasIt) {
  const CsrMatrix expected = read_matrix_market(folder_ / "expected.mtx");
  ASSERT_EQ(expected.n, 60);
  for (const char* const form : {"csr", "csc", "coo"})
    for (const char* const how : {"compressed", "stored", "single", "wide"}) {
      SCOPED_TRACE(fmt::format("{} {}", form, how));
      expect_same(read_npz_matrix(folder_ / fmt::format("{}_{}.npz", form, how)), expected);
    }
  expect_same(read_npz_matrix(folder_ / "repeated.npz"), expected);
}

TEST_F(NumpyFiles, BlocksHaveTheirZeros) {
  const CsrMatrix expected = read_matrix_market(folder_ / "expected.mtx");
  for (const char* const how : {"compressed", "stored", "single", "wide"}) {
    const CsrMatrix a = read_npz_matrix(folder_ / fmt::format("bsr_{}.npz", how));
    EXPECT_GT(a.nnz(), expected.nnz());
    std::vector<std::int32_t> column;
    std::vector<double> value;
    std::vector<std::int64_t> begin{0};
    for (std::int64_t row = 0; row < a.n; ++row) {
      for (std::int64_t k = a.begin_of(row); k < a.begin_of(row + 1); ++k) {
        if (a.value[k] == 0) continue;
        column.push_back(a.column[k]);
        value.push_back(a.value[k]);
      }
      begin.push_back(static_cast<std::int64_t>(value.size()));
    }
    EXPECT_TRUE(column == as_vector(expected.column));
    EXPECT_TRUE(value == as_vector(expected.value));
    EXPECT_TRUE(begin == as_vector(expected.row_begin));
  }
}

TEST_F(NumpyFiles, RefusesOtherMatrices) {
  refuses("dia.npz", {"the format is \"dia\"", "expected csr, csc, coo or bsr"});
  refuses("oblong.npz", {"the matrix is 3 x 4", "square"});
  refuses("complex.npz", {"data.npy", "c16", "float64"});
  refuses("pickled.npz", {"data.npy", "|O", "float64"});
  refuses("real_indices.npz", {"indices.npy", "int32 or int64"});
  refuses("far.npz", {"indices.npy: found 2 at place 1; expected 0 to 1"});
  refuses("negative.npz", {"indices.npy: found -1 at place 1"});
  refuses("descending.npz", {"indptr.npy: found 1 at place 2"});
  refuses("beyond.npz", {"indptr.npy: found 3 at place 2"});
  refuses("pointers.npz", {"indptr.npy", "shape (2,)", "(3,)"});
  refuses("lengths.npz", {"indices.npy", "shape (3,)", "(2,)"});
  refuses("lacking.npz", {"no indices.npy"});
  refuses("empty.npz", {"2 entries cannot fill 2147483647 rows"});
  refuses("vector.npy", {"no ZIP archive"});
  refuses("none.npz", {"cannot be read"});
  fs::create_directory(folder_ / "folder.npz");
  refuses("folder.npz", {"not a regular file"});
}

TEST_F(NumpyFiles, RefusesDamagedArchives) {
  for (const char* const name : {"csr_compressed.npz", "csr_stored.npz"}) {
    const CsrMatrix expected = read_npz_matrix(folder_ / name);
    const std::string whole = bytes(name);
    for (std::size_t size = 0; size < whole.size(); size += 13) {
      file(whole.substr(0, size), "cut.npz");
      refuses("cut.npz", {});
    }
    int refused = 0;
    int changed = 0;
    for (std::size_t at = 0; at < whole.size(); at += 7, ++changed) {
      std::string other = whole;
      other[at] = static_cast<char>(other[at] ^ 0x10);
      file(other, "changed.npz");
      try {  // what has no influence on the arrays, such as dates
        expect_same(read_npz_matrix(folder_ / "changed.npz"), expected);
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), Error::Kind::bad_input) << error.what();
        ++refused;
      }
    }
    EXPECT_GT(refused, changed / 2);
  }
}

TEST_F(NumpyFiles, ReadsVectors) {
  const std::vector<double> expected = {0.1, -2, 3e300};
  for (const char* const name : {"vector.npy", "column.npy", "swapped.npy"})
    EXPECT_EQ(as_vector(read_vector(folder_ / name, 3)), expected) << name;
  EXPECT_EQ(as_vector(read_vector(folder_ / "single.npy", 3)), (std::vector<double>{0.5, -2, 3}));
  EXPECT_EQ(as_vector(read_vector(folder_ / "integers.npy", 3)), (std::vector<double>{1, -2, 3}));
  const auto bad = [&](const std::string& name, const std::vector<std::string>& fragments) {
    expect_bad_file([&] { read_vector(folder_ / name, 3); }, (folder_ / name).string(), fragments);
  };
  bad("four.npy", {"shape (4,)", "(3,)"});
  bad("infinite.npy", {"value 1 is inf"});
  bad("objects.npy", {"|O"});
  const std::string whole = bytes("vector.npy");
  file(whole.substr(0, whole.size() - 1), "cut.npy");
  bad("cut.npy", {"23 bytes follow", "cut off"});
  file(whole + " ", "long.npy");
  bad("long.npy", {"25 bytes follow", "too long"});
  for (std::size_t size = 6; size < whole.size(); ++size) {
    file(whole.substr(0, size), "cut.npy");
    bad("cut.npy", {});
  }
}

TEST_F(NumpyFiles, NumpyReadsWhatIsWritten) {
  const std::vector<double> values = {0.1, -0.0, 5e-324, std::numeric_limits<double>::max()};
  write_vector(folder_ / "x.npy", values, "");
  const std::string test = fmt::format(
      "import numpy; x = numpy.load('{}', allow_pickle=False); assert x.shape == (4,) and x.dtype == '<f8'; "
      "assert x.tobytes() == numpy.array([0.1, -0.0, 5e-324, numpy.finfo('f8').max]).tobytes()",
      (folder_ / "x.npy").string());
  EXPECT_EQ(std::system(fmt::format("/usr/bin/python3 -c \"{}\"", test).c_str()), 0);
  EXPECT_EQ(as_vector(read_vector(folder_ / "x.npy", 4)), values);
}

}  // namespace
}  // namespace asterism::cg

// SPDX-License-Identifier: Apache-2.0
// What the tests of Matrix Market files share: headers, a folder of their own, and the complaints that are expected.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <omp.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "taskflows/cg/matrix/csr_matrix.hpp"
#include "taskflows/cg/matrix/matrix_market.hpp"
#include "tests/gzip.hpp"

namespace asterism::cg {

using tests::gzip;

inline const std::string general = "%%MatrixMarket matrix coordinate real general\n";
inline const std::string symmetric = "%%MatrixMarket matrix coordinate real symmetric\n";
inline const std::string integer = "%%MatrixMarket matrix coordinate integer general\n";
inline const std::string array = "%%MatrixMarket matrix array real general\n";

template <class T>
std::vector<T> as_vector(const Array<T>& values) {
  return {values.begin(), values.end()};
}

inline void expect_same(const CsrMatrix& a, const CsrMatrix& b) {
  EXPECT_EQ(a.n, b.n);
  EXPECT_TRUE(as_vector(a.row_begin) == as_vector(b.row_begin));
  EXPECT_TRUE(as_vector(a.column) == as_vector(b.column));
  EXPECT_TRUE(as_vector(a.value) == as_vector(b.value));
}

/// A folder of the test's own, and the files in it.
class MatrixMarket : public testing::Test {
 protected:
  MatrixMarket()
      : folder_(std::filesystem::temp_directory_path() / fmt::format("asterism_matrix_market_{}", getpid())) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directory(folder_);
  }
  ~MatrixMarket() override {
    std::filesystem::remove_all(folder_);
    omp_set_num_threads(threads_);
  }

  std::filesystem::path file(const std::string& text, const std::string& name = "a.mtx") const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return folder_ / name;
  }
  CsrMatrix read(const std::string& text) const { return read_matrix_market(file(text)); }
  std::vector<double> vector(const std::string& text, std::int64_t n) const {
    return as_vector(read_vector(file(text), n));
  }

  const std::filesystem::path folder_;
  const int threads_ = omp_get_max_threads();
};

/// The call throws bad_input with a single line that names the file and holds every fragment.
template <class Call>
void expect_bad_file(Call call, const std::string& file, const std::vector<std::string>& fragments) {
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

struct Bad {
  std::string text;
  std::vector<std::string> fragments;
};

}  // namespace asterism::cg

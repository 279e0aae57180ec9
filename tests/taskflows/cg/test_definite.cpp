// SPDX-License-Identifier: Apache-2.0
// What conjugate gradient needs of a matrix and can be checked cheaply: symmetry and a positive diagonal.
#include <gtest/gtest.h>
#include <omp.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "tests/taskflows/cg/matrix_market_files.hpp"

namespace asterism::cg {
namespace {

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
    expect_bad_file([&] { require_symmetric_positive_diagonal(matrix); }, matrix.name, bad.fragments);
  }
  CsrMatrix matrix = read(general + "2 2 4\n1 1 1\n1 2 1\n2 1 1\n2 2 1\n");
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  matrix.value[2] = nan;
  expect_bad_file([&] { require_symmetric_positive_diagonal(matrix); }, matrix.name,
                  {"entry (2,1) is nan; every entry must be finite"});
  matrix.value[0] = infinity;
  expect_bad_file([&] { require_symmetric_positive_diagonal(matrix); }, matrix.name,
                  {"entry (1,1) is inf; every entry must be finite"});
}

TEST_F(MatrixMarket, ToleranceIsRelative) {
  const CsrMatrix matrix = read(general + "2 2 4\n1 1 1\n1 2 1e-20\n2 1 1.1e-20\n2 2 1\n");
  expect_bad_file([&] { require_symmetric_positive_diagonal(matrix); }, matrix.name, {"not symmetric"});
  require_symmetric_positive_diagonal(matrix, 0.2);
}

TEST_F(MatrixMarket, ReportsTheFirstBadRowWithAnyNumberOfThreads) {
  const int n = 50000;
  std::string text = general + fmt::format("{} {} {}\n", n, n, n);
  for (int i = 1; i <= n; ++i) text += fmt::format("{} {} {}\n", i, i, i < 12345 ? 1 : -1);
  const CsrMatrix matrix = read(text);
  for (const int threads : {1, 4}) {
    omp_set_num_threads(threads);
    expect_bad_file([&] { require_symmetric_positive_diagonal(matrix); }, matrix.name, {"row 12345 is -1"});
  }
}

}  // namespace
}  // namespace asterism::cg

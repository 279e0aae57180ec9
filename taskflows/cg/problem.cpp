// SPDX-License-Identifier: Apache-2.0
#include "taskflows/cg/problem.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "taskflows/cg/matrix/extended_products.hpp"
#include "taskflows/cg/matrix/matrix_market.hpp"
#include "taskflows/cg/structure/structure.hpp"

namespace asterism::cg {
namespace {

template <class Vector>
Array<double> rows_of(const Vector& whole, const CsrMatrix& a) {
  Array<double> part(static_cast<std::size_t>(a.rows()));
  std::copy_n(whole.data() + a.first_row, part.size(), part.data());
  return part;
}

}  // namespace

RightHandSide right_hand_side(const Problem& problem, const CsrMatrix& a, const Structure* model) {
  const auto rows = static_cast<std::size_t>(a.rows());
  RightHandSide right;
  if (model != nullptr) {
    right.b = rows_of(right_hand_side(*model), a);
  } else if (problem.rhs == "ones") {
    right.b = Array<double>(rows, 1.0);
  } else if (problem.rhs == "known") {
    right.known = Array<double>(rows, 1.0);
    right.b = row_sums(a);
  } else {
    right.b = rows_of(read_vector(problem.rhs, a.n), a);
  }
  for (std::size_t i = 0; i < rows; ++i)
    if (!std::isfinite(right.b[i]))
      bad_input("{}: entry {} of the right-hand side is not finite",
                model != nullptr ? problem.model : "--rhs " + problem.rhs,
                a.first_row + static_cast<std::int64_t>(i) + 1);
  return right;
}

}  // namespace asterism::cg

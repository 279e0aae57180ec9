// SPDX-License-Identifier: Apache-2.0
// The residual over several ranks, without StarPU and without the solver's exchange.
#include <algorithm>
#include <cmath>
#include <vector>

#include "base/as_size.hpp"
#include "runtime/ranks/ranks.hpp"
#include "taskflows/cg/verify.hpp"

namespace asterism::cg {
namespace {

/// Elements of x that the rows of this rank name and other ranks have.
struct Foreign {
  std::vector<std::int32_t> column;  ///< ascending
  std::vector<double> value;

  [[nodiscard]] double at_column(std::int32_t wanted) const {
    return value[as_size(std::lower_bound(column.begin(), column.end(), wanted) - column.begin())];
  }
};

Foreign fetch(const CsrMatrix& a, const Partition& partition, std::span<const double> x) {
  const std::int64_t end = a.first_row + a.rows();
  Foreign foreign;
  std::copy_if(a.column.begin(), a.column.end(), std::back_inserter(foreign.column),
               [&](std::int32_t column) { return column < a.first_row || column >= end; });
  std::sort(foreign.column.begin(), foreign.column.end());
  foreign.column.erase(std::unique(foreign.column.begin(), foreign.column.end()), foreign.column.end());

  std::vector<std::vector<std::int32_t>> wanted;
  auto begin = foreign.column.begin();
  for (int rank = 0; rank < rank_group().ranks(); ++rank) {
    const auto next = std::lower_bound(begin, foreign.column.end(), partition.first(partition.first_block(rank + 1)));
    wanted.emplace_back(begin, next);
    begin = next;
  }
  std::vector<std::vector<double>> answers;
  for (const std::vector<std::int32_t>& columns : rank_group().exchange(std::move(wanted))) {
    answers.emplace_back();
    for (const std::int32_t column : columns) answers.back().push_back(x[as_size(column - a.first_row)]);
  }
  for (const std::vector<double>& values : rank_group().exchange(std::move(answers)))  // in the order of the columns
    foreign.value.insert(foreign.value.end(), values.begin(), values.end());
  return foreign;
}

}  // namespace

ResidualNorms distributed_residual(const CsrMatrix& a, const Partition& partition, std::span<const double> b,
                                   std::span<const double> x) {
  const Foreign foreign = fetch(a, partition, x);
  const std::int64_t end = a.first_row + a.rows();
  struct Squares {
    long double residual = 0;
    long double magnitude = 0;
    long double right = 0;
  } squares;
  for (std::int64_t row = a.first_row; row < end; ++row) {
    const long double right = b[as_size(row - a.first_row)];
    long double r = right;
    double terms = std::abs(b[as_size(row - a.first_row)]);
    for (std::int64_t k = a.begin_of(row); k < a.begin_of(row + 1); ++k) {
      const std::int32_t column = a.column[as_size(k)];
      const bool here = column >= a.first_row && column < end;
      const double element = here ? x[as_size(column - a.first_row)] : foreign.at_column(column);
      r -= static_cast<long double>(a.value[as_size(k)]) * element;
      terms += std::abs(a.value[as_size(k)] * element);
    }
    squares.residual += r * r;
    squares.magnitude += static_cast<long double>(terms) * terms;
    squares.right += right * right;
  }
  Squares all;
  for (const Squares& of_rank : rank_group().all_gather(squares)) {
    all.residual += of_rank.residual;
    all.magnitude += of_rank.magnitude;
    all.right += of_rank.right;
  }
  const long double unit = all.right > 0 ? all.right : 1;
  return {static_cast<double>(std::sqrt(all.residual / unit)), static_cast<double>(std::sqrt(all.magnitude / unit))};
}

}  // namespace asterism::cg

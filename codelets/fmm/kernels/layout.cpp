// SPDX-License-Identifier: Apache-2.0
#include "codelets/fmm/kernels/layout.hpp"

#include <cstring>

namespace asterism::fmm {

OperatorLayout pack_operators(const Basis& basis, const M2LOperators& operators, std::vector<double>& out) {
  const BasisView view = basis.view();
  OperatorLayout layout{view.order, view.size, view.stride, view.rows, 0, 0, 0, 0, 0, 0, 0};
  out.clear();
  const auto append = [&](const void* data, std::size_t bytes) {
    const auto at = static_cast<std::int64_t>(out.size());
    constexpr std::size_t line = 8;  // cache lines
    out.resize(out.size() + (bytes / sizeof(double) + line) / line * line, 0.0);
    std::memcpy(out.data() + at, data, bytes);
    return at;
  };
  const auto rows = static_cast<std::size_t>(view.rows);
  const auto square = static_cast<std::size_t>(view.order) * static_cast<std::size_t>(view.order);
  layout.row_begin = append(view.row_begin, (rows + 1) * sizeof(std::int32_t));
  layout.row_a = append(view.row_a, rows * sizeof(std::int32_t));
  layout.row_b = append(view.row_b, rows * sizeof(std::int32_t));
  layout.row_of = append(view.row_of, square * sizeof(std::int32_t));
  const std::vector<double> shift = shift_matrix(view.order);
  layout.shift = append(shift.data(), shift.size() * sizeof(double));
  layout.direction = append(operators.table().data(), sizeof(operators.table()));
  layout.data = append(operators.data().data(), operators.data().size() * sizeof(double));
  return layout;
}

}  // namespace asterism::fmm

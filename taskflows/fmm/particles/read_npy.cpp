// SPDX-License-Identifier: Apache-2.0
// Particles in NumPy arrays.
#include <algorithm>

#include "base/error.hpp"
#include "io/arrays/npy.hpp"
#include "taskflows/fmm/particles/readers.hpp"

namespace asterism::fmm {
namespace {

constexpr const char* expected = "an array of n rows x, y, z [, charge] of float64 or float32";

struct ArrayTable {
  NpyArray array;
  std::size_t rows = 0;
  std::size_t columns = 0;
};

ArrayTable read_table(const TextFile& file) {
  ArrayTable table{parse_npy(file.name, file.text, expected)};
  const NpyArray& array = table.array;
  if (array.kind != 'f')
    bad_input("{}: holds values of type \"{}{}\"; expected {}", file.name, array.kind, array.width, expected);
  if (array.shape.size() != 2)
    bad_input("{}: an array of shape {}; expected (n, 3) or (n, 4)", file.name, array.show_shape());
  table.rows = array.shape[0];
  table.columns = array.shape[1];
  if (table.rows == 0 || table.columns == 0) bad_input("{}: shape {} holds no particle", file.name, array.show_shape());
  return table;
}

/// (n, 3), (n, 4), (n, 7) with velocities, and (n, 8) or (n, 14) as write_result() writes them; (3, n) and (4, n) when
/// that is the only way to see them.
Columns choose_columns(const std::string& file, ArrayTable& table, const std::string& option) {
  constexpr std::size_t with_velocities = 7, results = 8, motion = 14;
  const auto is_width = [](std::size_t n) {
    return n == 3 || n == 4 || n == with_velocities || n == results || n == motion;
  };
  if (!option.empty()) {
    const Columns columns = columns_of_option(file, option, {});
    if (columns.last() >= table.columns) {
      bad_input("{}: has {} columns; --columns asks for column {}", file, table.columns, columns.last() + 1);
    }
    return columns;
  }
  if (!is_width(table.columns) && (table.rows == 3 || table.rows == 4)) {
    std::swap(table.rows, table.columns);
    table.array.column_major = !table.array.column_major;
  }
  if (!is_width(table.columns)) {
    bad_input("{}: an array of shape ({}, {}); expected (n, 3), (n, 4) or (n, 7), or the columns to take in --columns",
              file, table.rows, table.columns);
  }
  Columns columns;
  if (table.columns > 3) columns.charge = 3;
  if (table.columns == with_velocities) columns.velocity = {4, 5, 6};
  if (table.columns == motion) columns.velocity = {8, 9, 10};
  return columns;
}

/// Rows from `begin` on, as many as `out` has places for.
void take_column(const ArrayTable& table, std::size_t column, std::size_t begin, Array<double>& out) {
  const bool by_columns = table.array.column_major;
  const std::size_t row_step = by_columns ? 1 : table.columns;
  const std::size_t first = (by_columns ? column * table.rows : column) + begin * row_step;
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = npy_value<double>(table.array, first + i * row_step);
}

}  // namespace

Particles read_npy(const TextFile& file, const ReadOptions& options) {
  ArrayTable table = read_table(file);
  const Columns columns = choose_columns(file.name, table, options.columns);
  check_parts(file.name, table.rows, options.part);
  const std::size_t begin = options.part.begin(table.rows);
  Particles particles(options.part.end(table.rows) - begin);
  const auto take = [&](std::size_t column, Array<double>& out) { take_column(table, column, begin, out); };
  take(columns.position[0], particles.x);
  take(columns.position[1], particles.y);
  take(columns.position[2], particles.z);
  if (columns.charge) {
    take(*columns.charge, particles.charge);
  } else {
    std::fill(particles.charge.begin(), particles.charge.end(), 1.0);
  }
  if (columns.velocity) {
    std::size_t axis = 0;
    for (Array<double>* const v : {&particles.vx, &particles.vy, &particles.vz}) {
      *v = Array<double>(particles.size());
      take((*columns.velocity)[axis++], *v);
    }
  }
  check_finite(file.name, particles, begin);
  return particles;
}

}  // namespace asterism::fmm

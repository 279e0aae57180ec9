// SPDX-License-Identifier: Apache-2.0
// What the kernel tests compare with: naive loops over coordinate matrices, sums in quadruple precision, simple
// builders of the kernels' formats, guarded arrays. Takes the views of codelets/cg and none of its arithmetic.
//
// Where a kernel promises a fused multiply-add the reference calls std::fma. Compile with -ffp-contract=off: the
// tests also use codelets/cg/kernels/compensated.hpp, whose error terms need every operation rounded on its own.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <random>
#include <set>
#include <vector>

#include "base/as_size.hpp"
#include "codelets/cg/kernels/views.hpp"

namespace asterism::cg::reference {

#ifdef __SIZEOF_FLOAT128__
__extension__ typedef __float128 Quad;
#else
using Quad = long double;  // binary128 on 64-bit Linux machines other than x86
#endif

using Vector = std::vector<double>;
using Generator = std::mt19937_64;

inline constexpr double nan = std::numeric_limits<double>::quiet_NaN();
inline constexpr double infinity = std::numeric_limits<double>::infinity();

inline std::int64_t length(const Vector& v) {
  return static_cast<std::int64_t>(v.size());
}

inline bool same_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

// --- numbers ---------------------------------------------------------------------------------------------------

enum class Numbers { integer, real };

/// Integers of [-8, 8] without 0, whose sums and products are exact; or reals of (-1, 1).
inline double random_number(Numbers numbers, Generator& generator) {
  if (numbers == Numbers::real) return std::uniform_real_distribution<double>(-1, 1)(generator);
  const int magnitude = std::uniform_int_distribution<int>(1, 8)(generator);
  return (generator() & 1) != 0 ? magnitude : -magnitude;
}

inline Vector random_vector(std::int64_t n, Numbers numbers, Generator& generator) {
  Vector v(as_size(n));
  for (double& x : v) x = random_number(numbers, generator);
  return v;
}

// --- vectors ---------------------------------------------------------------------------------------------------

/// y + a x
inline Vector combine(const Vector& y, double a, const Vector& x) {
  Vector out(y.size());
  for (std::size_t i = 0; i < y.size(); ++i) out[i] = std::fma(a, x[i], y[i]);
  return out;
}

/// x.y, exact but for the last rounding: a product of doubles has 106 bits, a Quad 113.
inline double dot(const Vector& x, const Vector& y) {
  Quad sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += static_cast<Quad>(x[i]) * static_cast<Quad>(y[i]);
  return static_cast<double>(sum);
}

// --- matrices --------------------------------------------------------------------------------------------------

struct Entry {
  std::int64_t row;
  std::int64_t column;
  double value;
};

/// Coordinates, in any order; the entries of a row are summed in the order in which they are listed.
struct Matrix {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::vector<Entry> entries;
};

/// y + A x, exact but for the last rounding.
inline Vector multiply(const Matrix& a, const Vector& x, const Vector& y) {
  std::vector<Quad> sum(y.begin(), y.end());
  for (const Entry& e : a.entries)
    sum[as_size(e.row)] += static_cast<Quad>(e.value) * static_cast<Quad>(x[as_size(e.column)]);
  Vector out(y.size());
  for (std::size_t i = 0; i < y.size(); ++i) out[i] = static_cast<double>(sum[i]);
  return out;
}

/// y + A x as the kernels promise it: each row in the order of its entries, one fused multiply-add an entry.
inline Vector multiply_fused(const Matrix& a, const Vector& x, Vector y) {
  for (const Entry& e : a.entries) y[as_size(e.row)] = std::fma(e.value, x[as_size(e.column)], y[as_size(e.row)]);
  return y;
}

inline Vector multiply(const Matrix& a, const Vector& x) {
  return multiply(a, x, Vector(as_size(a.rows)));
}
inline Vector multiply_fused(const Matrix& a, const Vector& x) {
  return multiply_fused(a, x, Vector(as_size(a.rows)));
}

/// Rows of 0 to `longest` entries in ascending columns.
inline Matrix random_matrix(std::int64_t rows, std::int64_t columns, int longest, Numbers numbers,
                            Generator& generator) {
  Matrix a{rows, columns, {}};
  for (std::int64_t i = 0; i < rows && columns > 0; ++i) {
    std::set<std::int64_t> chosen;
    for (int k = std::uniform_int_distribution<int>(0, longest)(generator); k > 0; --k)
      chosen.insert(std::uniform_int_distribution<std::int64_t>(0, columns - 1)(generator));
    for (const std::int64_t j : chosen) a.entries.push_back({i, j, random_number(numbers, generator)});
  }
  return a;
}

/// Columns [begin, end) of a, renumbered from 0.
inline Matrix column_block(const Matrix& a, std::int64_t begin, std::int64_t end) {
  Matrix block{a.rows, end - begin, {}};
  for (const Entry& e : a.entries)
    if (begin <= e.column && e.column < end) block.entries.push_back({e.row, e.column - begin, e.value});
  return block;
}

inline std::vector<std::vector<Entry>> by_row(const Matrix& a) {
  std::vector<std::vector<Entry>> rows(as_size(a.rows));
  for (const Entry& e : a.entries) rows[as_size(e.row)].push_back(e);
  return rows;
}

struct Csr {
  Matrix matrix;
  std::vector<std::int32_t> row_begin{0};
  std::vector<std::int32_t> column;
  Vector value;

  explicit Csr(const Matrix& a) : matrix{a.rows, a.columns, {}} {
    for (const auto& row : by_row(a)) {
      for (const Entry& e : row) {
        column.push_back(static_cast<std::int32_t>(e.column));
        value.push_back(e.value);
      }
      row_begin.push_back(static_cast<std::int32_t>(column.size()));
    }
  }
  [[nodiscard]] CsrView view() const {
    return {matrix.rows,      matrix.columns, static_cast<std::int64_t>(value.size()),
            row_begin.data(), column.data(),  value.data()};
  }
};

enum class RowOrder { natural, by_length };

/// SELL-32. By length: rows sorted by falling length within windows of 96, and the lanes without a row stand
/// first in the last slice, where a kernel that takes them for the end of the rows goes wrong. Padding points at
/// the last column.
struct Sell {
  std::int64_t rows;
  std::vector<std::int64_t> slice_begin{0};
  std::vector<std::int32_t> row;
  std::vector<std::int32_t> column;
  Vector value;

  Sell(const Matrix& a, RowOrder order) : rows(a.rows) {
    const auto entries = by_row(a);
    std::vector<std::int32_t> lanes(entries.size());
    std::iota(lanes.begin(), lanes.end(), 0);
    if (order == RowOrder::by_length) {
      constexpr std::ptrdiff_t window = 96;
      for (auto at = lanes.begin(); at != lanes.end(); at += std::min(window, lanes.end() - at))
        std::stable_sort(at, at + std::min(window, lanes.end() - at), [&](std::int32_t i, std::int32_t j) {
          return entries[as_size(i)].size() > entries[as_size(j)].size();
        });
    }
    const std::size_t last_slice = lanes.size() / slice_height * slice_height;
    const std::size_t missing = (slice_height - lanes.size() % slice_height) % slice_height;
    const std::size_t gap = order == RowOrder::by_length ? last_slice : lanes.size();
    lanes.insert(lanes.begin() + static_cast<std::ptrdiff_t>(gap), missing, -1);

    for (std::size_t first = 0; first < lanes.size(); first += slice_height) {
      std::size_t width = 0;
      for (std::size_t l = first; l < first + slice_height; ++l)
        if (lanes[l] >= 0) width = std::max(width, entries[as_size(lanes[l])].size());
      for (std::size_t k = 0; k < width; ++k)
        for (std::size_t l = first; l < first + slice_height; ++l) {
          const bool stored = lanes[l] >= 0 && k < entries[as_size(lanes[l])].size();
          const Entry e = stored ? entries[as_size(lanes[l])][k] : Entry{0, a.columns - 1, 0};
          column.push_back(static_cast<std::int32_t>(e.column));
          value.push_back(e.value);
        }
      slice_begin.push_back(static_cast<std::int64_t>(value.size()));
    }
    if (order == RowOrder::by_length) row = lanes;
  }
  /// `row` is null for the natural order, and for zero rows.
  [[nodiscard]] SellView view() const {
    return {rows,
            static_cast<std::int64_t>(slice_begin.size()) - 1,
            slice_begin.data(),
            row.empty() ? nullptr : row.data(),
            column.data(),
            value.data()};
  }
};

// --- preconditioners -------------------------------------------------------------------------------------------

/// M^-1 block diagonal, its blocks full and unsymmetric; size 0: the identity.
struct Preconditioner {
  int size;
  Vector inverse;
  Matrix matrix;

  Preconditioner(std::int64_t n, int block, Numbers numbers, Generator& generator)
      : size(block), inverse(as_size(n * block)), matrix{n, n, {}} {
    for (std::int64_t i = 0; i < n && size > 0; ++i)
      for (int k = 0; k < size; ++k) {
        const double v = random_number(numbers, generator);
        matrix.entries.push_back({i, i / size * size + k, v});
        inverse[as_size(k * n + i)] = v;
      }
  }
  [[nodiscard]] PreconditionerView view() const { return {size, inverse.data()}; }
  [[nodiscard]] Vector apply(const Vector& r) const { return size == 0 ? r : multiply_fused(matrix, r); }
};

// --- pipelined conjugate gradient ------------------------------------------------------------------------------

/// The vectors of Ghysels and Vanroose 2014, Algorithm 4, all ten of them with or without a preconditioner.
struct Pipelined {
  Vector n, z, q, s, p, x, r, u, w, m;

  Pipelined(std::int64_t rows, int preconditioner_size, Numbers numbers, Generator& generator) {
    for (Vector* v : {&n, &z, &q, &s, &p, &x, &r, &u, &w, &m}) *v = random_vector(rows, numbers, generator);
    if (preconditioner_size > 0) return;
    u = r;
    q = s;
    m = w;
  }
  void step(double alpha, double beta, const Preconditioner& preconditioner) {
    z = combine(n, beta, z);
    q = combine(m, beta, q);
    s = combine(w, beta, s);
    p = combine(u, beta, p);
    x = combine(x, alpha, p);
    r = combine(r, -alpha, s);
    u = combine(u, -alpha, q);
    w = combine(w, -alpha, z);
    m = preconditioner.apply(w);
  }
};

// --- guarded arrays --------------------------------------------------------------------------------------------

/// n doubles `offset` doubles past a 64-byte boundary, between guards: a kernel that writes over them is seen by
/// `intact`, one that reads them by its results. The guards are huge, not NaN, which an update in place would keep.
class Guarded {
 public:
  explicit Guarded(const Vector& values, std::size_t offset = 0)
      : size_(values.size()), storage_(offset + 8 + guard + values.size() + guard, guard_value()) {
    void* at = storage_.data();
    std::size_t space = storage_.size() * sizeof(double);
    begin_ = static_cast<double*>(std::align(64, sizeof(double), at, space)) + guard + offset;
    std::copy(values.begin(), values.end(), begin_);
  }
  /// An output: NaN until it is written.
  static Guarded output(std::int64_t n, std::size_t offset = 0) { return Guarded(Vector(as_size(n), nan), offset); }

  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;

  [[nodiscard]] double* data() { return begin_; }
  [[nodiscard]] Vector values() const { return {begin_, begin_ + size_}; }
  [[nodiscard]] bool intact() const {
    const auto guarded = [](double x) { return same_bits(x, guard_value()); };
    const double* end = storage_.data() + storage_.size();
    return std::all_of(storage_.data(), static_cast<const double*>(begin_), guarded) &&
           std::all_of(static_cast<const double*>(begin_) + size_, end, guarded);
  }

 private:
  static constexpr std::size_t guard = 16;  // two 64-byte lines: keeps the alignment of what follows
  static double guard_value() { return 0x1.2345p+999; }

  std::size_t size_;
  Vector storage_;
  double* begin_;
};

}  // namespace asterism::cg::reference

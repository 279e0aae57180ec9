// SPDX-License-Identifier: Apache-2.0
// Particles and results as kernels see them: structures of arrays.
#pragma once

#include <cstdint>

namespace asterism::fmm {

struct SourceView {
  const double* x;
  const double* y;
  const double* z;
  const double* q;  ///< charges
};

/// Results per particle: the potential and the field, minus its gradient.
struct FieldView {
  double* potential;
  double* fx;
  double* fy;
  double* fz;
};

/// Most vectors of charges that are evaluated together.
inline constexpr int most_vectors = 4;

/// Several vectors of charges of the same particles, one after the other, and so their results.
struct ChargeVectors {
  std::int32_t vectors;
  std::int64_t charges;  ///< doubles from one vector's charges to the next
  std::int64_t results;  ///< doubles from one vector's potential to the next, and so for each component of the field

  [[nodiscard]] FieldView of(const FieldView& f, std::int32_t v) const {
    const std::int64_t at = v * results;
    return {f.potential + at, f.fx + at, f.fy + at, f.fz + at};
  }
  [[nodiscard]] SourceView of(const SourceView& p, std::int32_t v) const { return {p.x, p.y, p.z, p.q + v * charges}; }
};

}  // namespace asterism::fmm

// SPDX-License-Identifier: Apache-2.0
// Particles and results as kernels see them: structures of arrays.
#pragma once

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

}  // namespace asterism::fmm

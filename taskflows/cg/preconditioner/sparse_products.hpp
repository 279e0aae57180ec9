// SPDX-License-Identifier: Apache-2.0
// Products and transposes of sparse matrices, of which a multigrid hierarchy is made. All are parallel over rows, and
// every number is summed in one order: results are the same for any number of threads. A CsrMatrix here may be
// rectangular: rows() rows and n columns, first_row 0.
#pragma once

#include <vector>

#include "taskflows/cg/matrix/csr_matrix.hpp"

namespace asterism::cg {

/// A B by rows (Gustavson, ACM Trans. Math. Softw. 4 (1978)); columns ascending.
CsrMatrix product(const CsrMatrix& a, const CsrMatrix& b);

/// The transpose of `a`.
CsrMatrix transpose(const CsrMatrix& a);

/// y = A x.
void multiply(const CsrMatrix& a, const std::vector<double>& x, std::vector<double>& y);

/// The sum of x[i] y[i], in pieces of fixed length: the same for any number of threads.
double ordered_dot(const std::vector<double>& x, const std::vector<double>& y);

}  // namespace asterism::cg

// SPDX-License-Identifier: Apache-2.0
// M2L operators: L_alpha += sum_beta K_t(alpha, beta) M_beta for each of the 316 = 7^3 - 3^3 relative positions t of
// two cells that are in each other's interaction list, compressed to K_t ~ U_t V_t^T (equation 6).
//
// Radial kernels have the symmetries of the cube, so only 16 of the 316 have to be assembled and compressed: those with
// 2 <= t_x <= 3 and t_x >= t_y >= t_z >= 0. Each other one is a primitive operator with its rows permuted and their
// signs changed (section 3.1.2; Messner, Bramas, Coulaud, Darve, arXiv 1210.7292). The paper permutes expansions to
// bring them to 16 products; here the small operators are permuted instead, once, when the 316 are laid out: a kernel
// then takes all pairs of cells of one direction as the columns of one matrix product, without touching them.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "codelets/fmm/kernels/far/basis.hpp"
#include "codelets/fmm/kernels/far/views.hpp"

namespace asterism::fmm {

/// K as a function of r^2.
using RadialKernel = std::function<double(double)>;

/// The compressed operator of a primitive direction, K_t ~ u v^T; both are basis size x rank, column by column.
struct PrimitiveOperator {
  int rank = 0;
  std::vector<double> u, v;
};

/// The 16 primitive operators, (2,0,0) (2,1,0) (2,1,1) (2,2,0) .. (3,3,3): some seconds for high orders.
/// For cells of half width 1 when `half_width` is 1, as homogeneous kernels need; else for that half width.
/// Singular values are dropped from the end while their root sum of squares stays within epsilon times that of all. Of
/// a basis of all products, the paper's, these are of the values at the nodes, weighted by the square roots of the
/// quadrature weights pi / l sqrt(1 - x^2) of both, an idea of the black-box method (Fong, Darve, Journal of
/// Computational Physics 228, 2009) that the paper starts from. It does not say which weights it takes; these give the
/// ranks of its Table 2. Else singular values are of the coefficients, and never dropped inside a group of nearly equal
/// ones, whose vectors are arbitrary. Throws Error (bad input) when the kernel is not finite between separate cells.
std::vector<PrimitiveOperator> primitive_operators(const Basis& basis, int nodes, const RadialKernel& kernel,
                                                   double half_width, double epsilon);

/// An operator as one of primitive_operators() of a smooth function of x - y instead of K, between cells that may be
/// the same: compressed to epsilon times its norm. `values`, nodes^6 of them: the function at the difference of
/// target node m and source node n in x, y and z, [m nodes + n] in each direction, x outermost.
PrimitiveOperator smooth_operator(const Basis& basis, int nodes, std::span<const double> values, double epsilon);

/// Chebyshev nodes of [-1, 1]: cos((2 m + 1) pi / (2 nodes)).
double chebyshev_node(int m, int nodes);

class M2LOperators {
 public:
  /// The 316 from the 16 primitive ones of the same basis.
  M2LOperators(const Basis& basis, const std::vector<PrimitiveOperator>& primitives);
  /// Those of primitive_operators().
  M2LOperators(const Basis& basis, int nodes, const RadialKernel& kernel, double half_width, double epsilon)
      : M2LOperators(basis, primitive_operators(basis, nodes, kernel, half_width, epsilon)) {}

  [[nodiscard]] M2LView view() const noexcept { return {size_, stride_, directions_.data(), data_.data()}; }
  [[nodiscard]] const std::vector<double>& data() const noexcept { return data_; }
  [[nodiscard]] const std::array<M2LDirection, directions>& table() const noexcept { return directions_; }
  /// Ranks of the 16 primitive operators: the paper's Table 2.
  [[nodiscard]] const std::vector<int>& ranks() const noexcept { return ranks_; }
  /// Mean over the 316 directions.
  [[nodiscard]] double mean_rank() const noexcept;

 private:
  std::int32_t size_;
  std::int32_t stride_;
  std::array<M2LDirection, directions> directions_{};
  std::vector<double> data_;
  std::vector<int> ranks_;
};

/// The number of the primitive operator, in the order of primitive_operators(), that an operator is a permutation of:
/// the paper's p (Tables 1 and 2). `t`: of two cells in each other's interaction list.
std::size_t primitive_of(const std::array<int, 3>& t);

/// Nodes per direction from which the operators of a basis are computed: l for all products (the paper's
/// interpolation), one more when the basis is cut, so that aliasing does not spoil what is left.
int interpolation_nodes(const BasisChoice& choice);

}  // namespace asterism::fmm

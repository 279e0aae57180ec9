// SPDX-License-Identifier: Apache-2.0
#include "taskflows/fmm/periodic/lattice_operator.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "taskflows/fmm/periodic/lattice_sum.hpp"

namespace asterism::fmm {
namespace {

/// The sum over the images is a polynomial of even degrees below 2 x terms in x, y and z, each in [-1, 1]. The images
/// nearest to it are at 2: along y at x = 1 it has poles at +-i, so that errors fall as (1 + sqrt(2))^-degree.
constexpr std::size_t terms = 20;
constexpr std::size_t primitives = 16;
constexpr double share_of_epsilon = 0.01;
constexpr double least_epsilon = 1e-12;

/// T_2j(x), j = 0 .. terms - 1.
std::vector<double> even_polynomials(double x) {
  std::vector<double> t(terms);
  const double angle = std::acos(std::clamp(x, -1.0, 1.0));
  for (std::size_t j = 0; j < terms; ++j) t[j] = std::cos(2.0 * static_cast<double>(j) * angle);
  return t;
}

/// result[b][c][a'] = sum_a by[a'][a] in[a][b][c]: transforms the leading of three indices and makes it the last.
std::vector<double> transformed(const std::vector<double>& in, const std::vector<std::vector<double>>& by) {
  const std::size_t rest = in.size() / terms;
  std::vector<double> out(rest * by.size());
#pragma omp parallel for schedule(static)
  for (std::size_t bc = 0; bc < rest; ++bc)
    for (std::size_t to = 0; to < by.size(); ++to) {
      double sum = 0;
      for (std::size_t a = 0; a < terms; ++a) sum += by[to][a] * in[a * rest + bc];
      out[bc * by.size() + to] = sum;
    }
  return out;
}

/// Coefficients [a][b][c] of the sum over the images.
std::vector<double> coefficients(int periodic) {
  constexpr int nodes = 2 * static_cast<int>(terms);
  std::vector<double> values(terms * terms * terms);
#pragma omp parallel for collapse(2) schedule(dynamic)
  for (std::size_t i = 0; i < terms; ++i)
    for (std::size_t j = 0; j < terms; ++j)
      for (std::size_t k = 0; k < terms; ++k) {
        const auto node = [&](std::size_t m) { return chebyshev_node(static_cast<int>(m), nodes); };
        values[(i * terms + j) * terms + k] = farther_images(periodic, node(i), node(j), node(k));
      }
  std::vector<std::vector<double>> by(terms, std::vector<double>(terms));
  for (std::size_t m = 0; m < terms; ++m) {
    const std::vector<double> t = even_polynomials(chebyshev_node(static_cast<int>(m), nodes));
    for (std::size_t j = 0; j < terms; ++j) by[j][m] = (j == 0 ? 1.0 : 2.0) / static_cast<double>(terms) * t[j];
  }
  for (int d = 0; d < 3; ++d) values = transformed(values, by);
  return values;
}

}  // namespace

std::vector<PrimitiveOperator> lattice_operators(const Basis& basis, const Accuracy& accuracy, int periodic) {
  const int nodes = interpolation_nodes(accuracy.basis);
  std::vector<std::vector<double>> pairs;  // the polynomials at the differences of two nodes, in box widths
  for (int m = 0; m < nodes; ++m)
    for (int n = 0; n < nodes; ++n)
      pairs.push_back(even_polynomials((chebyshev_node(m, nodes) - chebyshev_node(n, nodes)) / 2));
  std::vector<double> values = coefficients(periodic);
  for (int d = 0; d < 3; ++d) values = transformed(values, pairs);
  for (double& value : values) value /= 2;  // a box of half width 1 is 2 wide
  std::vector<PrimitiveOperator> operators(primitives);
  operators.front() =
      smooth_operator(basis, nodes, values, std::max(least_epsilon, share_of_epsilon * accuracy.epsilon));
  return operators;
}

}  // namespace asterism::fmm

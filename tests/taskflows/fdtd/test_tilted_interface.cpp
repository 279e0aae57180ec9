// SPDX-License-Identifier: Apache-2.0
// Waves in a stack of layers that lie across the grid: what smoothing does to the order of the error.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <complex>
#include <numbers>
#include <string>

#include "taskflows/fdtd/scene/to_problem.hpp"
#include "tests/taskflows/fdtd/problems.hpp"

namespace asterism::fdtd {
namespace {

using Complex = std::complex<double>;
using scene::speed_of_light;
constexpr double pi = std::numbers::pi;

/// E along the layers and the third axis, or H.
enum class Polarisation { e_along, h_along };

/// Layers of eps 1 and 4, half of the period d each, normal (2, 1) / sqrt(5) in a square of 1 m whose opposite sides
/// are the same: d = 1 m / sqrt(5). A Bloch wave exp(i k r), k = (0, 2 pi), times a function of u = n r of period d.
/// Its frequency is that of a stack of layers (Yeh, Optical Waves in Layered Media, chapter 6):
///   cos(K d) = cos(k1 d/2) cos(k2 d/2) - (F + 1/F) / 2 sin(k1 d/2) sin(k2 d/2),  F = k1 / k2, or k1 eps2 / (k2 eps1)
class Stack {
 public:
  static constexpr double eps[2] = {1, 4};
  static constexpr double shift = 0.137;  ///< of the layers, in periods

  explicit Stack(Polarisation polarisation) : polarisation_(polarisation) {
    const auto mismatch = [&](double w) {
      const Complex k1 = k(0, w), k2 = k(1, w);
      const Complex f = k1 / k2 * (h_along() ? eps[1] / eps[0] : 1.0);
      return (std::cos(k1 * half) * std::cos(k2 * half) -
              0.5 * (f + 1.0 / f) * std::sin(k1 * half) * std::sin(k2 * half))
                 .real() -
             std::cos(across * 2 * half);
    };
    double low = 0.01;
    while (mismatch(low) * mismatch(low + 0.01) > 0) low += 0.01;
    double high = low + 0.01;
    for (int n = 0; n < 60; ++n) {
      const double middle = (low + high) / 2;
      (mismatch(low) * mismatch(middle) > 0 ? low : high) = middle;
    }
    wavenumber_ = low;
  }
  /// rad/m, in vacuum.
  [[nodiscard]] double wavenumber() const { return wavenumber_; }

  /// The component along the third axis, and its derivative along x and y by eps (H along) or by 1: at e^(-i w t).
  [[nodiscard]] std::array<Complex, 3> field(double x, double y) const {
    const double u = x * normal[0] + y * normal[1] + shift * 2 * half, v = y * normal[0] - x * normal[1];
    const double period = std::floor(u / (2 * half));
    const double z = u - period * 2 * half;
    const Matrix first = transfer(0, half), second = transfer(1, half);
    const Complex whole01 = second[0] * first[1] + second[1] * first[3];
    const Complex whole00 = second[0] * first[0] + second[1] * first[2];
    std::array<Complex, 2> at{whole01, std::polar(1.0, across * 2 * half) - whole00};  // of the eigenvector
    const bool in_first = z < half;
    if (!in_first) at = apply(first, at);
    at = apply(transfer(in_first ? 0 : 1, in_first ? z : z - half), at);
    const Complex phase = std::polar(1.0, along * v + across * 2 * half * period);
    const double divided = h_along() ? eps[in_first ? 0 : 1] : 1;
    const Complex du = at[1] * phase, dv = Complex(0, along) * at[0] * phase / divided;
    return {at[0] * phase, du * normal[0] - dv * normal[1], du * normal[1] + dv * normal[0]};
  }

 private:
  using Matrix = std::array<Complex, 4>;
  static constexpr double half = 0.22360679774997896;                            // m, sqrt(5) / 10
  static constexpr double normal[2] = {0.8944271909999159, 0.4472135954999579};  // (2, 1) / sqrt(5)
  static constexpr double across = 2 * pi * normal[1], along = 2 * pi * normal[0];

  [[nodiscard]] bool h_along() const { return polarisation_ == Polarisation::h_along; }
  [[nodiscard]] Complex k(int layer, double w) const { return std::sqrt(Complex(eps[layer] * w * w - along * along)); }
  [[nodiscard]] Matrix transfer(int layer, double z) const {
    const Complex q = k(layer, wavenumber_) * z;
    const Complex scale = k(layer, wavenumber_) / (h_along() ? eps[layer] : 1.0);
    return {std::cos(q), std::sin(q) / scale, -std::sin(q) * scale, std::cos(q)};
  }
  static std::array<Complex, 2> apply(const Matrix& m, const std::array<Complex, 2>& at) {
    return {m[0] * at[0] + m[1] * at[1], m[2] * at[0] + m[3] * at[1]};
  }

  Polarisation polarisation_;
  double wavenumber_ = 0;
};

enum class Square { even, graded };

/// A square of n x n cells; of a graded mesh one cell is half as long again as the next. Half-spaces from the farthest
/// on: each layer is what the next ones leave of it.
std::string layers(int n, const char* smoothing, Square square) {
  std::string along;
  for (int i = 0; i <= n; ++i)
    along +=
        fmt::format("{}{}", i == 0 ? "" : ", ", square == Square::graded && i % 2 == 1 ? (i - 0.2) / n : 1.0 * i / n);
  std::string text = fmt::format(
      "smoothing = {0}\ncourant = 0.7\nsteps = 1\n[grid]\nx = [{1}]\ny = [{1}]\nz = [0, {2}]\n[faces]\nall = "
      "\"periodic\"\n[materials]\nglass.eps_r = 4\n",
      smoothing, along, 1.0 / n);
  const double d = 1 / std::sqrt(5.0);
  for (int m = 3; m >= 0; --m)
    for (const bool glass : {true, false}) {
      const double u = (m + (glass ? 1 : 0.5) - Stack::shift) * d;  // where it ends
      if (u < 0) continue;
      text += fmt::format(
          "[[geometry]]\nshape = \"half_space\"\nmaterial = \"{}\"\npoint = [{}, {}, 0]\nnormal = [2, 1, 0]\n",
          glass ? "glass" : "vacuum", 2 * u / std::sqrt(5.0), u / std::sqrt(5.0));
    }
  return text;
}

/// Relative, of the frequency after some periods, from the phase of the mode in the field.
double error_of_frequency(Polarisation polarisation, int n, const char* smoothing, Square square = Square::even) {
  const Stack stack(polarisation);
  Problem p = make_problem(scene::read_scene(layers(n, smoothing, square), "stack.toml", ".")).problem;
  const bool h_along = polarisation == Polarisation::h_along;
  const double w = stack.wavenumber() * speed_of_light, impedance = std::sqrt(p.mu0 / p.eps0);
  const auto place = [&](Field field, int c, int i, int j) {
    const double x = p.spacing[0] * p.mesh.place(0, 2 * i + (on_planes(field, c, 0) ? 0 : 1));
    const double y = p.spacing[1] * p.mesh.place(1, 2 * j + (on_planes(field, c, 1) ? 0 : 1));
    return stack.field(x, y);
  };
  // H along: E = curl H / (-i w eps); E along: H = curl E / (i w mu)
  p.initial = [&](Field field, int c, int i, int j, int /*k*/) {
    const auto [value, dx, dy] = place(field, c, i, j);
    const bool is_along = (field == Field::magnetic) == h_along;
    const Complex here = c == 2 ? (is_along ? value : 0)
                         : is_along
                             ? 0
                             : (c == 0 ? dy : -dx) / Complex(0, h_along ? -stack.wavenumber() : stack.wavenumber());
    const double unit = field == Field::magnetic ? 1 / impedance : 1;
    return unit * (here * std::polar(1.0, field == Field::magnetic ? w * p.dt / 2 : 0)).real();
  };
  const std::vector<BrickPlace> bricks = decompose(p, {{2, 1, 1}, {}});
  Simulation s(p, bricks, anywhere(bricks));
  s.initialise();
  const long steps = std::lround(3 * 2 * pi / (w * p.dt));
  s.advance(steps);
  const Field field = h_along ? Field::magnetic : Field::electric;
  const Array<char> found = gather(s, p, field);
  Complex amplitude = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      amplitude +=
          volume_of(p, field, 2, {i, j, 0}) * entry(found, p, 2, i, j, 0) * std::conj(place(field, 2, i, j)[0]);
  const double time = (static_cast<double>(steps) - (h_along ? 0.5 : 0)) * p.dt;
  return -std::arg(amplitude * std::polar(1.0, w * time)) / (w * time);
}

/// The slope of the error from 16 to 64 cells.
double order(Polarisation polarisation, const char* smoothing, Square square = Square::even) {
  const double coarse = error_of_frequency(polarisation, 16, smoothing, square);
  const double fine = error_of_frequency(polarisation, 64, smoothing, square);
  EXPECT_LT(std::abs(coarse), 0.02);
  return std::log2(std::abs(coarse / fine)) / 2;
}

TEST(FdtdTiltedInterface, MatricesAreOfSecondOrder) {
  const double across = order(Polarisation::h_along, "true"), along = order(Polarisation::e_along, "true");
  EXPECT_GT(across, 1.85);
  EXPECT_GT(along, 1.85);
  RecordProperty("e_across", std::to_string(across));
  RecordProperty("e_along", std::to_string(along));
}

TEST(FdtdTiltedInterface, MatricesAreOfSecondOrderOnAGradedMesh) {
  const double across = order(Polarisation::h_along, "true", Square::graded);
  const double along = order(Polarisation::e_along, "true", Square::graded);
  EXPECT_GT(across, 1.8);
  EXPECT_GT(along, 1.8);
  RecordProperty("e_across", std::to_string(across));
  RecordProperty("e_along", std::to_string(along));
}

/// E along the surface: the arithmetic mean over the share of each body.
TEST(FdtdTiltedInterface, MeansAreOfSecondOrderWhereEIsAlongIt) {
  EXPECT_GT(order(Polarisation::e_along, "\"diagonal\""), 1.8);
}

/// E across the surface: the diagonal of the tensor is a better answer than cells, and not of second order.
TEST(FdtdTiltedInterface, ErrorsOfMeansFallWhereEIsAcrossIt) {
  for (const int n : {16, 32}) {
    const double smooth = error_of_frequency(Polarisation::h_along, n, "\"diagonal\"");
    const double cells = error_of_frequency(Polarisation::h_along, n, "false");
    EXPECT_LT(std::abs(smooth), 0.35 * std::abs(cells)) << n << ' ' << smooth << ' ' << cells;
    EXPECT_LT(std::abs(smooth), 0.01);
  }
}

}  // namespace
}  // namespace asterism::fdtd

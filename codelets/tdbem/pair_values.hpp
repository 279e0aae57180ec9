// The contributions of a pair of triangles to the convolution matrices M^0, M^1, ...: for every lag a 3 x 3 matrix.
//
// Rigid: the hypersingular operator (A. Bamberger, T. Ha Duong, Math. Methods Appl. Sci. 8 (1986), 598), unknowns
// linear in time. Soft: the single layer (ibid., 405), unknowns constant in each step, differentiated in time. Both are
// tested with constants in each step. Point pairs p have the weight g = w / (4 pi r), rho = r / (c dt), q = floor(rho),
// th = rho - q:
//
//   rigid  M^k_ac = dt (curl_a . curl_c) sum g B_(k-q)(th) + (n_x . n_y) / (c^2 dt) sum g b_a(x) b_c(y) D_(k-q)
//          B = ((1 - th)^2, 1 + 2 th - 2 th^2, th^2) / 2    D = (1, -2, 1)
//   soft   M^k_ac = sum g b_a(x) b_c(y) D_(k-q)             D = (1, -1)
//
// curl_a = (v_(a+2) - v_(a+1)) / (2 area) is the surface curl of the basis function of corner a. What depends on q only
// is summed first, H_ac[q] = sum g b_a b_c and the moments of th, and differences in k are taken afterwards.
//
// A point pair costs 8 flops for r^2, 6 with a square root and a division for g, q, th and its powers, and 24 for the
// sums: 38, and reads 88 bytes that stay in the first-level cache (the table of the rule and 13 sums of H).
#pragma once

#include <cstdint>
#include <vector>

#include "codelets/tdbem/boundary.hpp"
#include "codelets/tdbem/pair_rules.hpp"
#include "codelets/tdbem/slices.hpp"
#include "codelets/tdbem/surface_view.hpp"

namespace asterism::tdbem {

/// What the integrals depend on apart from the surface.
struct Discretisation {
  Boundary boundary = Boundary::rigid;
  double speed = 1;  ///< of sound, m/s
  double step = 1;   ///< of time, s
};

/// Lags that a distance touches: floor(r / (c dt)) and those after it.
constexpr std::int32_t lags_of_distance(Boundary boundary) {
  return boundary == Boundary::rigid ? 3 : 2;
}

/// Lags of a pair of unknowns or triangles, lag 0 among them.
inline constexpr std::int32_t most_lags = max_length + 1;

/// A triangle with what pairs need of it.
struct alignas(64) PairTriangle {
  double points[3][most_triangle_points];  ///< x, y, z of the far rule's points; filled up with the last one
  Point corner[3];
  Point curl[3];  ///< surface curls of the basis functions, 1/m
  Point normal;
  Point centre;
  double area = 0;
  double reach = 0;  ///< distance of the farthest corner from the centre
  double edge = 0;   ///< mean length
  Triangle vertices;
  std::int32_t index = 0;
};
PairTriangle pair_triangle(const SurfaceView& surface, const PairRules& rules, std::int32_t index);

/// The values of a pair: value[3 a + c][k - first] for corner a of one triangle, c of the other; zeros follow.
struct PairValues {
  std::int32_t first = 0;
  std::int32_t count = 0;
  alignas(64) double value[9][most_lags + 8];
};

/// Memory that pair_values() and pair_distances() work in; one per thread.
struct PairScratch {
  std::vector<Eight> squared;  ///< distances
  std::vector<Eight> sums;     ///< H and moments by q

  explicit PairScratch(const PairRules& rules);
};

/// Squares of the least and the largest distance of point pairs.
struct DistanceRange {
  double least = 0, largest = 0;
};
DistanceRange pair_distances(const PairRules& rules, const PairTriangle& x, const PairTriangle& y,
                             PairScratch& scratch);

/// floor(r / (c dt)) from the square of r: what pair_values() computes, to the bit.
std::int32_t whole_steps(double squared_distance, const Discretisation& d);

/// Bit q - first is set if distances of q whole steps occur; distances span at most most_lags steps.
struct StepSet {
  std::int32_t first = 0;
  std::uint64_t bits[most_lags / 64] = {};
};
StepSet pair_steps(const PairRules& rules, const Discretisation& d, const PairTriangle& x, const PairTriangle& y,
                   PairScratch& scratch);

/// Precondition: distances of the pair span fewer than most_lags - 2 steps (tile_structure() makes sure). Values of a
/// triangle and itself are symmetric to the bit.
void pair_values(const PairRules& rules, const Discretisation& d, const PairTriangle& x, const PairTriangle& y,
                 PairScratch& scratch, PairValues& out);

/// Point pairs of the rule that serves two triangles.
std::int32_t pair_points(const PairRules& rules, const PairTriangle& x, const PairTriangle& y);

}  // namespace asterism::tdbem

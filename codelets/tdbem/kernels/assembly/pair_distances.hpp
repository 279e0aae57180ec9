// SPDX-License-Identifier: Apache-2.0
// Distances of the quadrature points of pairs of triangles, in whole time steps of a wave.
//
// What is computed here decides which lags are stored, so the values of a pair (pair_values.hpp) have the very same
// distances: one expression, never contracted to fused operations, gives the same bits on every processor.
#pragma once

#include <cstdint>
#include <vector>

#include "codelets/tdbem/kernels/assembly/boundary.hpp"
#include "codelets/tdbem/kernels/assembly/pair_rules.hpp"
#include "codelets/tdbem/kernels/assembly/surface_view.hpp"
#include "codelets/tdbem/kernels/product/slices.hpp"

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

/// Sums for each number of whole steps: nine H, first and second moment of th (pair_values.hpp), which fill up two
/// vectors.
inline constexpr std::int32_t sums_of_step = 16;

/// Memory that the work on pairs needs; one per thread.
struct PairScratch {
  std::vector<Eight> squared;  ///< distances
  std::vector<Eight> sums;     ///< H and moments by q

  explicit PairScratch(const PairRules& rules);
};

/// Squares of the least and the largest distance of point pairs.
struct DistanceRange {
  double least = 0, largest = 0;
};
/// Those of a pair of triangles, and how many point pairs its rule has.
struct PairDistances {
  DistanceRange squared;
  std::int32_t points = 0;
};
PairDistances pair_distances(const PairRules& rules, const PairTriangle& x, const PairTriangle& y,
                             PairScratch& scratch);

/// floor(r / (c dt)) from the square of r: what pair_values() computes, to the bit; at most most_steps.
inline constexpr std::int32_t most_steps = 1 << 30;
std::int32_t whole_steps(double squared_distance, const Discretisation& d);

/// Bit q - first is set if distances of q whole steps occur; distances span at most most_lags steps.
struct StepSet {
  std::int32_t first = 0;
  std::uint64_t bits[most_lags / 64] = {};
};
StepSet pair_steps(const PairRules& rules, const Discretisation& d, const PairTriangle& x, const PairTriangle& y,
                   PairScratch& scratch);

}  // namespace asterism::tdbem

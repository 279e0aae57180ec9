// SPDX-License-Identifier: Apache-2.0
#include "taskflows/fmm/periodic/periodic_box.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.hpp"
#include "runtime/ranks/ranks.hpp"

namespace asterism::fmm {

PeriodicBox box_of_lengths(int directions, const std::array<double, 3>& length) {
  constexpr double rounding = 1e-9;
  const double largest = *std::max_element(length.begin(), length.begin() + directions);
  const double least = *std::max_element(length.begin(), length.end());
  for (int multiple = 1; multiple <= most_copies; ++multiple) {
    PeriodicBox box{directions, largest * multiple, {1, 1, 1}};
    bool whole = box.width >= least;
    double count = 1;
    for (std::size_t d = 0; whole && d < static_cast<std::size_t>(directions); ++d) {
      const double copies = std::round(box.width / length[d]);
      whole = std::abs(copies * length[d] - box.width) <= rounding * box.width;
      count *= copies;
      whole = whole && count <= most_copies;
      if (whole) box.copies[d] = static_cast<int>(copies);
    }
    if (whole) return box;
  }
  bad_input(
      "--box {},{},{}: expected sides of which at most {} boxes fill a cube, as those of 2,2,3 or 1,1,4 do: the tree's "
      "cells are cubes",
      length[0], length[1], length[2], most_copies);
}

Particles repeated(const PeriodicBox& box, const Particles& particles, std::size_t sources) {
  const std::size_t others = particles.size() - sources;
  Particles all(sources * static_cast<std::size_t>(box.count()) + others);
  std::size_t next = 0;
  const auto add = [&](std::size_t first, std::size_t end, int i, int j, int k) {
    for (std::size_t p = first; p < end; ++p, ++next) {
      all.x[next] = particles.x[p] + i * box.length(0);
      all.y[next] = particles.y[p] + j * box.length(1);
      all.z[next] = particles.z[p] + k * box.length(2);
      all.charge[next] = particles.charge[p];
    }
  };
  for (int i = 0; i < box.copies[0]; ++i)
    for (int j = 0; j < box.copies[1]; ++j)
      for (int k = 0; k < box.copies[2]; ++k) add(0, sources, i, j, k);
  add(sources, particles.size(), 0, 0, 0);
  return all;
}

void wrap(const PeriodicBox& box, Particles& particles) {
  Array<double>* const coordinates[] = {&particles.x, &particles.y, &particles.z};
  for (int d = 0; d < box.directions; ++d) {
    const double length = box.length(d);
    for (double& x : *coordinates[d]) {
      if (x >= 0 && x < length) continue;
      x -= length * std::floor(x / length);
      if (!(x >= 0 && x < length)) x = 0;  // just below a multiple of the length
    }
  }
}

Box box_of(const PeriodicBox& box, const Extent& reached) {
  double corner[3] = {0, 0, 0};
  for (int d = box.directions; d < 3; ++d) {
    const double length = reached.high[d] - reached.low[d];
    if (!(length < box.width))
      bad_input("--box {}: the particles extend over {} along {}, which is not periodic; expected less than the box",
                box.width, length, "xyz"[d]);
    corner[d] = (reached.low[d] + reached.high[d] - box.width) / 2;
  }
  return {corner[0], corner[1], corner[2], box.width};
}

void check_neutral(const Particles& particles) {
  constexpr double rounding = 1e-9;
  long double sum = 0;
  long double magnitude = 0;
  for (const double q : particles.charge) {
    sum += q;
    magnitude += std::abs(q);
  }
  struct Sums {
    long double sum, magnitude;
  };
  const Sums mine{std::exchange(sum, 0), std::exchange(magnitude, 0)};
  for (const Sums& of_rank : rank_group().all_gather(mine)) {
    sum += of_rank.sum;
    magnitude += of_rank.magnitude;
  }
  if (std::abs(sum) > rounding * magnitude)
    bad_input(
        "--periodic: the charges sum to {:.6g}; expected 0, since images of a charged box have an infinite energy",
        static_cast<double>(sum));
}

}  // namespace asterism::fmm

// SPDX-License-Identifier: Apache-2.0
// Exact signs of determinants of coordinates: on which side a point lies.
#pragma once

#include <array>

namespace asterism::mesh {

/// Sign (-1, 0, 1) of (b - a) x (p - a): 1 when a, b, p turn anticlockwise.
int orientation(const std::array<double, 2>& a, const std::array<double, 2>& b, const std::array<double, 2>& p);

/// Sign of ((b - a) x (c - a)) . (p - a): 1 when p lies on the side from which a, b, c turn anticlockwise.
int orientation(const std::array<double, 3>& a, const std::array<double, 3>& b, const std::array<double, 3>& c,
                const std::array<double, 3>& p);

}  // namespace asterism::mesh

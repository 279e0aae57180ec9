// SPDX-License-Identifier: Apache-2.0
// Points and vectors of space, for CPUs and GPUs.
#pragma once

#include <cmath>

#include "base/host_device.hpp"

namespace asterism::tdbem {

struct Point {
  double x = 0, y = 0, z = 0;
};

ASTERISM_HOST_DEVICE constexpr Point operator+(const Point& a, const Point& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
ASTERISM_HOST_DEVICE constexpr Point operator-(const Point& a, const Point& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
ASTERISM_HOST_DEVICE constexpr Point operator*(double s, const Point& a) {
  return {s * a.x, s * a.y, s * a.z};
}
ASTERISM_HOST_DEVICE constexpr double dot(const Point& a, const Point& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
ASTERISM_HOST_DEVICE constexpr Point cross(const Point& a, const Point& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
ASTERISM_HOST_DEVICE inline double norm(const Point& a) {
  return sqrt(dot(a, a));
}

}  // namespace asterism::tdbem

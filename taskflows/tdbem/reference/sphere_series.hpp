// SPDX-License-Identifier: Apache-2.0
// The exact answer for a sphere: a plane wave or a monopole of any pulse, scattered by a rigid or soft sphere around
// the origin; monopoles outside of it. Separation of variables at each frequency (M. C. Junger and D. Feit, Sound,
// Structures, and Their Interaction, ch. 10) and a sum over frequencies, which for smooth pulses is exact up to
// rounding.
#pragma once

#include <complex>
#include <span>
#include <vector>

#include "codelets/tdbem/kernels/assembly/boundary.hpp"
#include "codelets/tdbem/kernels/waves/pulse.hpp"
#include "taskflows/tdbem/surface/surface.hpp"

namespace asterism::tdbem {

/// Total pressure on a rigid sphere, or the normal derivative of the total pressure on a soft one (1/m), at the places
/// of the sphere in the direction of `points`: value of point i at times[n] is [n * points.size() + i]. Throws Error
/// (bad_input) for a radius that is not positive.
std::vector<double> sphere_surface_field(Boundary boundary, double radius, const IncidentWave& wave,
                                         std::span<const Point> points, std::span<const double> times);

/// Scattered pressure at points on or outside of the sphere, in the same order. Throws Error (bad_input) also for
/// points inside.
std::vector<double> sphere_scattered_pressure(Boundary boundary, double radius, const IncidentWave& wave,
                                              std::span<const Point> points, std::span<const double> times);

/// The spectrum of the scattered pressure at x, over that of the pulse, for omega > 0 and with spectrum()'s sign of
/// time. Throws as above.
std::complex<double> sphere_scattered_transfer(Boundary boundary, double radius, const IncidentWave& wave,
                                               const Point& x, double omega);

/// Areas that vertices stand for: a third of the triangles around them.
std::vector<double> vertex_areas(const Surface& surface);

/// || computed - exact || / || exact || in L2 of the surface and of time: arrays in the order above, times one step
/// apart. Throws Error (bad_input) if their sizes do not fit.
double relative_error(std::span<const double> areas, std::span<const double> computed, std::span<const double> exact);

}  // namespace asterism::tdbem

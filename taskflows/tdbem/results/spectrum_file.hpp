// SPDX-License-Identifier: Apache-2.0
// Transfer functions at observers: the discrete Fourier transform of the scattered pressure over the incident one,
//   P_s(f) = dt sum_n p_s(t_n) exp(-2 pi i f t_n),
// which counts as zero after the last step. The incident spectrum is known in closed form.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "taskflows/tdbem/problem.hpp"
#include "taskflows/tdbem/results/observer_file.hpp"

namespace asterism::tdbem {

struct SpectrumOptions {
  std::int32_t count = 100;                    ///< frequencies
  std::optional<std::array<double, 2>> range;  ///< Hz; none: where the pulse is above -40 dB of its spectrum's peak
};

/// Hz, evenly spaced and above 0. Throws Error (bad_input) for a range where the pulse is below -60 dB of its
/// spectrum's peak, or beyond what the time step resolves.
std::vector<double> spectrum_frequencies(const Problem& problem, const SpectrumOptions& options);

/// Where the signal has died away least: the largest value in the last twentieth of the steps by the largest one.
struct LeftAtEnd {
  double part = 0;
  std::size_t wave = 0, observer = 0;
};
/// More than this at the end distorts the spectrum.
inline constexpr double most_left_at_end = 1e-3;
LeftAtEnd left_at_end(const Problem& problem, std::int64_t steps, const ObservedPressure& observed_pressure);

/// Target strength is a property of the body at observers in its far field: at least five diameters D from the centre
/// of its bounding box, and 2 D^2 / wavelength.
bool is_far(const Problem& problem, const Point& observer, double frequency);

/// CSV: lines of comments ("#"); then a line for each frequency (Hz) with, for each wave w and observer o,
///   scattered_db_w_o, scattered_phase_w_o     scattered over incident pressure at the observer: dB, degrees
///   total_db_w_o, total_phase_w_o             their sum over the incident pressure
///   target_strength_w_o                       20 log10(r |p_s| / |p_i|), dB re 1 m: r from the centre of the bounding
///                                             box, p_i there; empty where the observer is not far
/// A phase below 0 is a delay. Where an observer is at a monopole the first four are empty. Throws Error (bad_input)
/// without observers or steps, and as spectrum_frequencies(); Error (failed) when the disk is full.
void write_spectra(const std::filesystem::path& path, const Problem& problem, const SpectrumOptions& options,
                   std::int64_t steps, const ObservedPressure& observed_pressure);

}  // namespace asterism::tdbem

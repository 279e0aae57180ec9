// SPDX-License-Identifier: Apache-2.0
// The pressure at observers, as a table and as a chart. Pressures are in units of the incident wave's peak.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "taskflows/tdbem/problem.hpp"

namespace asterism::tdbem {

/// Scattered pressure at an observer in steps 0 to steps - 1, as Simulation::observed_pressure() has it.
using ObservedPressure = std::function<const double*(std::int32_t wave, std::int32_t observer)>;

/// t_n = (first_step + n) dt, s
double time_of(const Problem& problem, std::int64_t step);

/// Observers and waves, in lines of comments ("#").
std::string describe_places(const Problem& problem);

/// CSV: lines of comments ("#") with the coordinates of observers (m) and the waves; then a line for each step: t_n =
/// (first_step + n) dt, s; and for each wave w and observer o scattered_w_o, incident_w_o, total_w_o with all their
/// digits; the last two are empty where the observer is at the monopole. Throws Error (bad_input) without observers,
/// Error (failed) when the disk is full; then an older file stays.
void write_observers(const std::filesystem::path& path, const Problem& problem, std::int64_t steps,
                     const ObservedPressure& observed_pressure);

inline constexpr std::size_t most_observers_drawn = 8;
/// PNG chart of the scattered pressure of a wave, a line for each of the first observers. Throws as above; also without
/// a step, and for pressures that are not finite.
void draw_observers(const std::filesystem::path& path, const Problem& problem, std::int32_t wave, std::int64_t steps,
                    const ObservedPressure& observed_pressure);

}  // namespace asterism::tdbem

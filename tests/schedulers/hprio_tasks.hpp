// SPDX-License-Identifier: Apache-2.0
// Tasks and units that do not exist, for tests of the decisions of the scheduler "hprio".
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "schedulers/hprio/buckets.hpp"

namespace asterism::schedulers::hprio {

using Within = Bucket::Within;
using Able = PerKind<unsigned>;

inline constexpr Unit cpu0{0, Kind::cpu};
inline constexpr Unit cpu1{1, Kind::cpu};
inline constexpr Unit gpu2{2, Kind::gpu};
inline constexpr Unit gpu3{3, Kind::gpu};

inline void* task(std::uintptr_t number) {
  return reinterpret_cast<void*>(number);
}
inline int number(const std::optional<Entry>& entry) {
  return entry ? static_cast<int>(reinterpret_cast<std::uintptr_t>(entry->task)) : -1;
}
inline Entry entry(std::uintptr_t number, Able able = {1, 1}, double speedup = 0, int priority = 0) {
  Entry entry;
  entry.task = task(number);
  entry.able = able;
  entry.speedup = speedup;
  entry.priority = priority;
  return entry;
}

/// With durations in microseconds on a unit of each kind.
inline Entry timed(std::uintptr_t number, double on_cpu, double on_gpu, Able able = {2, 1}, int priority = 0) {
  Entry timed = entry(number, able, on_cpu > 0 && on_gpu > 0 ? on_cpu / on_gpu : 0, priority);
  timed.length = {on_cpu, on_gpu};
  return timed;
}

}  // namespace asterism::schedulers::hprio

// SPDX-License-Identifier: Apache-2.0
// What StarPU has measured of a machine: how long each codelet takes on each unit, how many workers there are, how
// fast the links are. platform_file.rec is the form in which starpu_perfmodel_recdump writes it and pmtool and StarVZ
// read it: GNU recutils' plain text, four kinds of records (timing, worker_count, memory_workers, memory_performance).
#pragma once

#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "traces/recording.hpp"

namespace asterism::traces {

/// One entry of a history-based performance model.
struct Timing {
  std::string model;         ///< the performance model's symbol
  std::string architecture;  ///< StarPU's name with the device's number: cpu0, cuda1
  std::uint32_t footprint = 0;
  std::uint64_t size = 0;       ///< bytes of all data of the task
  std::optional<double> flops;  ///< absent when the task gave none
  double mean = 0;              ///< microseconds
  double deviation = 0;         ///< microseconds
  std::uint64_t samples = 0;
};

struct WorkerCount {
  std::string architecture;
  std::uint64_t count = 0;
};

struct MemoryWorkers {
  std::uint32_t node = 0;
  std::string name;
  std::int64_t size = -1;  ///< bytes; -1: unlimited or unknown
  std::vector<std::uint32_t> workers;
};

struct MemoryPerformance {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  double bandwidth = 0;  ///< MB/s, 10^6 bytes
  double latency = 0;    ///< microseconds
};

struct PlatformRec {
  std::vector<Timing> timings;
  std::vector<WorkerCount> worker_counts;
  std::vector<MemoryWorkers> memory_workers;
  std::vector<MemoryPerformance> memory_performance;
};

/// The file that asterism-replay leaves beside a recording that its user asked StarPU for: the durations it replayed.
inline constexpr const char* replayed_durations = "replayed_durations.rec";

/// The kind of unit an architecture is one of, as recordings name it: "CUDA" for "cuda0".
std::string kind_of_architecture(const std::string& architecture);
/// The same by the kinds of a recording, which may tell GPUs from each other.
std::string kind_of_architecture(const std::string& architecture, const Recording& recording);
/// "cuda0" for the kind "CUDA", or for one whose first GPU has the number 0.
std::string architecture_of(const Kind& kind);

/// Throws Error (bad_input) naming file and line.
PlatformRec read_platform_rec(const std::filesystem::path& path);
/// The same from a stream; `name` stands for the file in errors.
PlatformRec read_platform_rec(std::istream& in, const std::string& name);

/// Numbers are written with the digits that give back the same double. The file appears complete or not at all.
/// Throws Error (failed) when it cannot be written.
void write_platform_rec(const std::filesystem::path& path, const PlatformRec& platform);
void write_platform_rec(std::ostream& out, const PlatformRec& platform);

/// The platform as a recording shows it: its units, memories and mean durations; links, and durations of what did not
/// run, from `measured` (StarPU's own models, see sampling.hpp) when given.
PlatformRec platform_of(const Recording& recording, const PlatformRec* measured = nullptr);

}  // namespace asterism::traces

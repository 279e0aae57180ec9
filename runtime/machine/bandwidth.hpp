// SPDX-License-Identifier: Apache-2.0
// The memory ceilings of the machine, measured on StarPU's own workers: the cores, bindings and streams
// that the tasks run on. What a method that only moves bytes is judged against.
#pragma once

struct CUstream_st;  // what cudaStream_t points to

namespace asterism {

/// Bytes that a step or an iteration moves from which the memory's bandwidth is a bound worth comparing with. Caches
/// serve less than that faster than any bound, and measuring would take longer than the run.
inline constexpr double smallest_bound_by_memory = 200e6;

/// Bytes per second, read plus written; 0 when there is no such unit.
struct Bandwidth {
  double cpu_read = 0;  ///< all CPU workers together
  double cpu_copy = 0;  ///< all CPU workers together, stores that bypass the caches
  double gpu_copy = 0;  ///< the slowest single GPU, within its memory
  double gpu_read = 0;  ///< the slowest single GPU
};

/// Best of several repetitions; takes a second, several where caches are large. On a simulated machine what its
/// platform says, at once. StarPU is running, not paused, and has no other task. Not to be called from a task or a
/// callback. Throws Error (failed) when memory runs out or a kernel's answer is wrong.
Bandwidth measure_bandwidth();

/// The same from the known rates of the machine (known_rates.hpp); what is not known there of the session's units is
/// measured and kept.
Bandwidth known_bandwidth();

/// For measure_bandwidth only: gpu_copy and gpu_read of the current device. Throws std::runtime_error.
Bandwidth measure_gpu_bandwidth(CUstream_st* stream);

}  // namespace asterism

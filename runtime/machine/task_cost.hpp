// SPDX-License-Identifier: Apache-2.0
// How long a processing unit takes for a task that is not run: from rates, or from durations measured elsewhere.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <vector>

namespace asterism {

/// What a task has to do.
struct TaskWork {
  double flops = 0;             ///< floating-point operations
  double bytes = 0;             ///< of its data: once what it reads or writes, twice what it does both to
  std::uint32_t footprint = 0;  ///< StarPU's number of the class of tasks that take as long
  int units = 1;                ///< of this kind that compute at a time
  double chunks = 0;            ///< contiguous pieces of memory that it copies
};

/// One measured duration.
struct Sample {
  double size = 0;  ///< flops or bytes, see TaskCost::sized_by
  double seconds = 0;
};

/// Durations of tasks of about the same arithmetic intensity: a task that makes four steps with its data does four
/// times the operations of one that makes one, in less than four times its time.
struct SamplesAtIntensity {
  double intensity = 0;  ///< flops over bytes, see TaskWork
  std::vector<Sample> samples;
};

/// The cost of the tasks of one codelet on one kind of unit.
struct TaskCost {
  enum class Size { flops, bytes };

  double seconds = 0;  ///< that every task takes beside its work
  double flops = 0;    ///< per second; infinite: they cost nothing
  double bytes = 0;    ///< per second; infinite: they cost nothing
  /// Operations per second of all units of the kind together, which share it evenly; infinite: each has its own rate,
  /// however many there are.
  double together = std::numeric_limits<double>::infinity();
  double chunk = 0;  ///< seconds for each contiguous piece of memory that a task copies
  Size sized_by = Size::flops;
  std::vector<Sample> samples;               ///< by increasing size; empty: from the rates, or those at an intensity
  std::vector<SamplesAtIntensity> at;        ///< where tasks differ in intensity, by increasing intensity
  std::map<std::uint32_t, double> of_class;  ///< seconds measured for exactly this footprint

  /// Measured for this class if it was; else by the samples (at the intensity nearest to the task's), but at least
  /// `seconds`. Beyond the largest of several samples the rest of the work takes what the slope from a sample of at
  /// most half the size (else the first) or the rates say, whichever is longer, but no more than in proportion: a
  /// launch is not paid twice. Without samples (or when the task has nothing of what they are counted in)
  ///   seconds + max(work.flops / flops, work.bytes / bytes) + chunk work.chunks,
  /// the roofline model (Williams, Waterman, Patterson, CACM 52(4), 2009) and a cost for each piece. Rates and samples
  /// are of a unit that computes alone: with others it takes work.flops work.units / together at least. In seconds.
  [[nodiscard]] double of(const TaskWork& work) const;
};

/// The time at a size > 0, from at least one sample; samples are sorted by size. Between two of them on a line of
/// logarithms, beyond their ends in proportion to the size.
double interpolate(const std::vector<Sample>& samples, double size);

}  // namespace asterism

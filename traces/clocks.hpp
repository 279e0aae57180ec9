// SPDX-License-Identifier: Apache-2.0
// One time axis for several ranks. StarPU's converter lets all ranks leave each of two MPI barriers, at the start and
// at the end, at the same instant; a rank that waits for a core leaves it later, by milliseconds where cores are
// shared. Messages show that: none arrives before it was sent.
#pragma once

#include <optional>
#include <vector>

#include "traces/recording.hpp"

namespace asterism::traces {

/// Least time from sending to arrival, [from * ranks + to], seconds; infinite without a message, negative where one
/// arrives before it was sent.
std::vector<double> least_delays(const std::vector<Message>& messages, std::uint32_t ranks);

/// Seconds to be added to each rank's times: shifts o for which no message arrives before it was sent: o_i - o_j <=
/// d_ij with d the least delay from i to j. The interval of o_j - o_0 they leave is that of the shortest paths D over
/// these constraints, [-D_j0, D_0j] (Bellman, Quarterly of Applied Mathematics 16, 1958); its middle is taken, as NTP
/// does (Mills, RFC 5905) and what is right when the fastest messages take equally long both ways. The middles meet all
/// constraints, since both ends do. Where a rank's interval is open, each is shifted back by as little as the
/// constraints allow. Nothing when no shift suits all.
std::optional<std::vector<double>> shifts_of(const std::vector<double>& delays, std::uint32_t ranks);

/// By how much two ranks' times may be off for all that the messages say: the longest of the shortest paths D. Infinite
/// where messages bind some ranks to each other on one side only, or not at all.
double uncertainty(const std::vector<double>& delays, std::uint32_t ranks);

/// A rank's time by StarPU's converter to the common time.
class RankClock {
 public:
  RankClock() = default;
  /// `first`, `last`: when the rank left the barriers, by the converter; `rate`: seconds between them by its own clock
  /// over those by the converter.
  RankClock(double first, double last, double rate) : first_(first), last_(last), rate_(rate) {}
  void shift(double seconds) { shift_ += seconds; }
  [[nodiscard]] double operator()(double time) const {
    const double inside = time <= first_ ? 0 : (time < last_ ? time : last_) - first_;
    return time + (rate_ - 1) * inside + shift_;
  }

 private:
  double first_ = 0;
  double last_ = 0;
  double rate_ = 1;
  double shift_ = 0;
};

struct Alignment {
  Clocks clocks;
  std::vector<RankClock> of_rank;
};

/// The barriers' alignment is kept while no message contradicts it. Else clocks are taken to run equally fast, where
/// `between_barriers` (seconds by each rank's own clock) is known, and shifted; else only shifted. `recording`: not yet
/// aligned; its markers tell when the barriers were left.
Alignment align(const Recording& recording, const std::vector<std::optional<double>>& between_barriers);

}  // namespace asterism::traces

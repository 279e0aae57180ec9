// How fast units are: measured once by a small domain of the same kind (the thesis' micro-benchmark), kept in a file,
// and corrected by what the run itself shows.
#pragma once

#include <filesystem>

#include "taskflows/fdtd/division.hpp"
#include "taskflows/runtime/busy_time.hpp"

namespace asterism::fdtd {

/// Where rates are kept: $XDG_CACHE_HOME/asterism/fdtd-rates.json, or under ~/.cache; empty where there is neither.
std::filesystem::path rates_file();

/// Rates of this session's units for domains of this size class, precision and kind of media: from the file, or
/// measured, some tenths of a second, and written there. A file that cannot be read or written is done without.
Rates rates_of(const Problem& problem, const Session& session, const std::filesystem::path& file);
/// All that the file has; no file: nothing.
void forget_rates(const std::filesystem::path& file);

/// Says when the domain should be cut elsewhere.
class Balance {
 public:
  Balance(const Division& division, const Session& session);
  /// What the steps since the last call say, per time that units were busy. Call it when `steps` steps are done.
  [[nodiscard]] Rates measured(long steps);

 private:
  BusyTime busy_;
  double cells_of_cpus_ = 0;
  double cells_of_gpus_ = 0;
};

/// The share of GPUs to go on with after cells/s of the whole were measured beside the rates of both kinds: all, where
/// GPUs alone would be faster than both together are; none where the cut may stay.
std::optional<double> better_share(const Problem& problem, double share_now, const Rates& busy, double together,
                                   double gpus_alone);

}  // namespace asterism::fdtd

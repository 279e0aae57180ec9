// SPDX-License-Identifier: Apache-2.0
// Rates of this machine, measured once and kept in a file that all programs share: how fast a kernel is on a kind of
// unit, what a task costs. What a program chooses by them is the same in every run.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace asterism {

/// What rates depend on, as this process sees it.
struct RatedMachine {
  std::string host;
  std::string processor;
  int cores = 0;                  ///< that this process may run on
  std::vector<std::string> gpus;  ///< names of those that it sees, by number
  std::string driver;             ///< of the GPUs; empty: no GPU
  std::string runtime;            ///< of CUDA; empty: no GPU
  std::string version;            ///< of Asterism
  friend bool operator==(const RatedMachine&, const RatedMachine&) = default;
};

/// The machine at hand, as it was when this was first called. Usable before a Session, which may bind the calling
/// thread to a part of the cores.
const RatedMachine& rated_machine();

/// Rates by name, such as "lbm/double/trt/cpu". Which unit a rate has is the business of those that keep it: any number
/// that is finite and not negative. The first value that any program keeps under a name stays.
class KnownRates {
 public:
  /// Those of `machine` in `file`. A file that is not there, cannot be read or is damaged holds none; without a name
  /// rates are kept for as long as this object lives.
  KnownRates(std::filesystem::path file, RatedMachine machine);

  [[nodiscard]] std::optional<double> find(const std::string& name) const;
  /// Keeps `value`, rounded to two significant digits, and returns it; or returns what was kept before, by this program
  /// or by another. The file is written at once, whole or not at all; one that cannot be written is no error.
  double keep(const std::string& name, double value);
  /// What find says; where it says nothing, what `measure()` says is kept.
  template <class Measure>
  double find_or_measure(const std::string& name, const Measure& measure) {
    const std::optional<double> known = find(name);
    return known ? *known : keep(name, measure());
  }

  /// Forgets all rates of the machine, also in the file; false: the file could not be written.
  bool forget();
  [[nodiscard]] const std::map<std::string, double>& all() const noexcept { return rates_; }
  [[nodiscard]] const RatedMachine& machine() const noexcept { return machine_; }
  /// Empty: none.
  [[nodiscard]] const std::filesystem::path& file() const noexcept { return file_; }

 private:
  std::filesystem::path file_;
  RatedMachine machine_;
  std::map<std::string, double> rates_;
};

/// The folder of what programs keep for later runs: ASTERISM_CACHE, else XDG_CACHE_HOME/asterism, else
/// ~/.cache/asterism. Empty where none of these is known. It may not exist yet.
std::filesystem::path cache_folder();

/// The rates of the machine at hand, in rates.json of the cache folder or in the file that ASTERISM_RATES names; with
/// ASTERISM_RATES=off and on a simulated machine in no file.
KnownRates known_rates();

}  // namespace asterism

// SPDX-License-Identifier: Apache-2.0
#include "runtime/machine/unit_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <vector>

#include "base/wall_clock.hpp"
#include "runtime/machine/simulated_machine.hpp"
#include "runtime/ranks/ranks.hpp"

namespace asterism {
namespace {

/// Cores with less than this share of all rates are left out without a trial: what they exchange costs GPUs more.
constexpr double least_share = 0.02;
/// More units than others have to be faster by this share; more cores for a small problem by more: their threads meet
/// often, and how fast they then are changes from run to run.
constexpr double worth_more_units = 0.02;
constexpr double worth_more_cores = 0.06;
/// Numbers of cores that are tried for small problems beside all.
constexpr int few_cores[] = {1, 4, 16};
/// Those that are slower than the best by this factor in one session are so in all.
constexpr double surely_slower = 1.5;
constexpr int sessions = 3;

std::string units_of(int count, const char* name) {
  return fmt::format("{} {}{}", count, name, count == 1 ? "" : "s");
}

std::string text(double rate) {
  return rate >= 1e9 ? fmt::format("{:.3g} G", rate * 1e-9) : fmt::format("{:.3g} M", rate * 1e-6);
}

/// "1 core", and so on, of those that a small problem may do with.
std::vector<int> few_cores_for(const StepWork& work, int cores) {
  std::vector<int> few;
  for (const int n : few_cores)
    if (n < cores && work.size <= work.small_per_core * n) few.push_back(n);
  return few;
}

/// Units that a run may have.
struct Candidate {
  std::string who;
  std::optional<int> cpus, gpus;
  double rate = 0;
  std::optional<double> gpu_share{};
};

/// The last one, with the most units, unless one before is as fast.
const Candidate& best_of(const std::vector<Candidate>& candidates) {
  const Candidate* best = &candidates.front();
  for (const Candidate& c : candidates)
    if (c.rate > best->rate * (1 + (c.gpus == best->gpus && !c.gpu_share ? worth_more_cores : worth_more_units)))
      best = &c;
  return *best;
}

/// "1 core: 8.2 M cells/s; all cores 0.4 M".
std::string compared(const std::vector<Candidate>& candidates, const Candidate& best, const std::string& counted) {
  std::string line = fmt::format("{}: {} {}/s", best.who, text(best.rate), counted);
  const char* mark = "; ";
  for (const Candidate& c : candidates) {
    if (&c == &best) continue;
    line += fmt::format("{}{} {}", mark, c.who, text(c.rate));
    mark = ", ";
  }
  return line;
}

/// Seconds of all steps.
double seconds_of(const StepWork& work, double rate) {
  return work.steps * work.size / rate;
}

/// Cores, where a run is so short that GPUs would save less than they take to start. Not for problems beyond those that
/// are measured: cores may take longer to set them up, of which rates of steps say nothing.
std::optional<UnitChoice> short_run(const StepWork& work, const Candidate& on_gpus, const Candidate& on_cores,
                                    const std::function<double()>& start) {
  if (!start || !(work.steps > 0) || !(on_cores.rate > 0) || !(on_gpus.rate > 0)) return std::nullopt;
  if (work.largest > 0 && work.size > work.largest) return std::nullopt;
  const double of_cores = seconds_of(work, on_cores.rate), of_gpus = seconds_of(work, on_gpus.rate);
  if (of_cores - of_gpus >= longest_start) return std::nullopt;
  const double to_start = start();
  if (of_cores - of_gpus >= to_start) return std::nullopt;
  return UnitChoice{on_cores.cpus,
                    0,
                    {},
                    fmt::format("{}: {:.2g} s for {:.0f} steps; {} {:.2g} s and {:.2g} s to start", on_cores.who,
                                of_cores, work.steps, on_gpus.who, of_gpus, to_start),
                    0};
}

bool given(const char* variable) {
  return std::getenv(variable) != nullptr;
}

bool is_open(const SessionOptions& options) {
  if (options.cpus || options.scheduler || options.calibrate || simulated || rank_group().distributed()) return false;
  for (const char* variable : {"STARPU_NCPU", "STARPU_NCPUS", "STARPU_WORKERS_CPUID", "STARPU_WORKERS_COREID",
                               "STARPU_RESERVE_NCPU", "STARPU_SCHED", "STARPU_CALIBRATE"})
    if (given(variable)) return false;
  return true;
}

/// Measures what is asked for, in sessions that are opened when they are needed.
class Trial {
 public:
  Trial(const StepWork& work, const SessionOptions& options, KnownRates& rates,
        const std::function<void(const std::string&)>& say)
      : work_(work), options_(options), rates_(rates), say_(say) {
    options_.trace.reset();
  }

  double rate(const std::string& who) {
    return rates_.find_or_measure(name_of(who), [&] { return timed(who); });
  }
  /// Those that are not known.
  void measure_in_turn(std::vector<std::string> whos) {
    std::erase_if(whos, [&](const std::string& who) { return rates_.find(name_of(who)).has_value(); });
    const std::vector<double> medians = median_rates(whos, [&](const std::string& who) { return timed(who); });
    for (std::size_t n = 0; n < whos.size(); ++n) rates_.keep(name_of(whos[n]), medians[n]);
  }
  /// Ends the session that is open.
  void end() { session_.reset(); }
  [[nodiscard]] double seconds() const { return seconds_; }

 private:
  [[nodiscard]] std::string name_of(const std::string& who) const {
    const double size = std::max(std::min(work_.size, work_.largest), 1.0);
    return fmt::format("{}/2^{} {}/{}", work_.kind, std::lround(std::log2(size)), work_.counted, who);
  }

  double timed(const std::string& who) {
    const double begin = wall_seconds();
    const double measured = measure(who);
    seconds_ += wall_seconds() - begin;
    return measured;
  }

  double measure(const std::string& who) {
    if (seconds_ == 0) say_("measuring units for this size of problems");
    const bool gpus = who.find("GPU") != std::string::npos || who == "all units";
    std::optional<int> cpus;
    if (!gpus && who != "all cores") cpus = std::atoi(who.c_str());
    if (!session_ || cpus != cpus_ || gpus != gpus_) open(cpus, gpus);
    const bool cores = !gpus || who.starts_with("all cores");
    if (cores) return work_.rate(*session_, 0);
    if (!who.ends_with("and cores")) return work_.rate(*session_, 1);
    const double beside = rate("all cores beside " + who.substr(0, who.find(" and")));
    const double alone = rate(who.substr(0, who.find(" and")));
    return work_.rate(*session_, alone / (alone + beside));
  }

  void open(std::optional<int> cpus, bool gpus) {
    session_.reset();
    SessionOptions options = options_;
    options.cpus = cpus;
    if (!gpus) options.gpus = 0;
    session_.emplace(options);
    cpus_ = cpus;
    gpus_ = gpus;
  }

  const StepWork& work_;
  SessionOptions options_;
  KnownRates& rates_;
  const std::function<void(const std::string&)>& say_;
  std::optional<Session> session_;
  std::optional<int> cpus_;  ///< of the session
  bool gpus_ = false;        ///< whether the session has GPUs
  double seconds_ = 0;
};

double count(const std::array<int, 3>& cells) {
  return static_cast<double>(cells[0]) * cells[1] * cells[2];
}

}  // namespace

StepWork grid_work(const std::string& kind, const std::array<int, 3>& cells, int layers, double largest,
                   double small_per_core) {
  constexpr double small = 16;  // cores' work
  StepWork work;
  work.kind = kind;
  work.counted = "cells";
  work.size = count(cells);
  work.largest = largest;
  work.small_per_core = small_per_core;
  if (work.size <= small * small_per_core) work.kind += fmt::format("/2^{} layers", std::lround(std::log2(layers)));
  return work;
}

std::array<int, 3> shrunk(const std::array<int, 3>& cells, double most) {
  const double scale = std::min(1.0, std::cbrt(most / count(cells)));
  std::array<int, 3> fewer{};
  for (std::size_t axis = 0; axis < 3; ++axis)
    fewer[axis] = std::max(1, static_cast<int>(std::lround(cells[axis] * scale)));
  return fewer;
}

std::optional<double> start_of_gpus(int gpus, KnownRates& rates, const MeasureStart& measure) {
  const std::string name = fmt::format("start of {}/seconds", units_of(gpus, "GPU"));
  if (const auto known = rates.find(name)) return known;
  if (!measure || rates.file().empty()) return std::nullopt;
  const double seconds = measure(gpus);
  return seconds > 0 ? std::optional(rates.keep(name, seconds)) : std::nullopt;
}

UnitChoice choose_by_rates(const StepWork& work, int cores, int gpus,
                           const std::function<double(const std::string& who)>& rate,
                           const std::function<double()>& start) {
  std::vector<Candidate> candidates;
  const auto offer = [&](const std::string& who, std::optional<int> of_cpus, std::optional<int> of_gpus) {
    candidates.push_back({who, of_cpus, of_gpus, rate(who)});
  };
  const std::optional<int> no_gpu = gpus > 0 ? std::optional(0) : std::nullopt;
  Candidate beside_gpus{"all cores", {}, 0};  // without GPUs they are at least as fast
  std::string reason;
  for (const int few : few_cores_for(work, cores)) offer(units_of(few, "core"), few, no_gpu);
  const bool small = !candidates.empty();
  if (gpus == 0) {
    if (!small) return {};
    offer("all cores", {}, {});
  } else if (!work.shared) {
    if (!small) return {};
    offer("all cores", {}, no_gpu);
    offer("all units", {}, {});
  } else {
    const std::string alone = units_of(gpus, "GPU");
    offer(alone, 0, {});
    const double of_gpus = candidates.back().rate;
    const double beside = cores > 1 ? rate("all cores beside " + alone) : 0;
    beside_gpus.rate = beside;
    const double gain = of_gpus > 0 ? beside / of_gpus : 0;
    if (gain >= least_share) {
      offer(alone + " and cores", {}, {});
      candidates.back().gpu_share = of_gpus / (of_gpus + beside);
    }
    if (best_of(candidates).who == alone && !small) {
      reason = fmt::format("{}; cores would bring {:.2g} % ({} against {} {}/s)", alone, 100 * gain, text(beside),
                           text(of_gpus), work.counted);
      if (gain >= least_share) reason += fmt::format(", but together they reach {}", text(candidates.back().rate));
    }
  }
  const Candidate& best = best_of(candidates);
  if (gpus > 0 && best.gpus != 0) {
    std::vector<Candidate> of_cores;
    std::copy_if(candidates.begin(), candidates.end(), std::back_inserter(of_cores),
                 [](const Candidate& c) { return c.gpus == 0; });
    if (beside_gpus.rate > 0) of_cores.push_back(beside_gpus);
    const auto chosen = of_cores.empty() ? std::nullopt : short_run(work, best, best_of(of_cores), start);
    if (chosen) return *chosen;
  }
  return {best.cpus, best.gpus, best.gpu_share, reason.empty() ? compared(candidates, best, work.counted) : reason, 0};
}

UnitChoice choose_units(const StepWork& work, const SessionOptions& options, KnownRates& rates,
                        const std::function<void(const std::string&)>& say, const MeasureStart& measure_start) {
  if (!is_open(options)) return {};
  Trial trial(work, options, rates, say);
  const int cores = rates.machine().cores, gpus = options.gpus.value_or(visible_gpus());
  if (const std::vector<int> few = few_cores_for(work, cores); gpus == 0 && !few.empty()) {
    std::vector<std::string> whos;
    for (const int n : few) whos.push_back(units_of(n, "core"));
    whos.emplace_back("all cores");
    trial.measure_in_turn(std::move(whos));
  }
  double starting = 0;  // seconds of measuring it
  MeasureStart measure;
  if (measure_start)
    measure = [&](int count) {
      say("measuring how long GPUs take to start");
      trial.end();
      const double begin = wall_seconds();
      const double seconds = measure_start(count);
      starting = wall_seconds() - begin;
      return seconds;
    };
  std::function<double()> start;
  if (!options.gpus && !given("STARPU_NCUDA")) start = [&] { return start_of_gpus(gpus, rates, measure).value_or(0); };
  UnitChoice choice = choose_by_rates(
      work, cores, gpus, [&](const std::string& who) { return trial.rate(who); }, start);
  trial.end();
  choice.measuring = trial.seconds() + starting;
  if (choice.measuring > 0)
    choice.reason +=
        fmt::format(" (measured in {:.1f} s{})", choice.measuring, rates.file().empty() ? "" : ", kept for later runs");
  return choice;
}

std::vector<double> median_rates(const std::vector<std::string>& whos,
                                 const std::function<double(const std::string& who)>& measure) {
  std::vector<std::vector<double>> rates(whos.size());
  double best = 0;
  for (std::size_t n = 0; n < whos.size(); ++n) {
    rates[n].push_back(measure(whos[n]));
    best = std::max(best, rates[n].front());
  }
  const auto close = [&](const std::vector<double>& of) { return of.front() * surely_slower >= best; };
  const bool open = std::count_if(rates.begin(), rates.end(), close) > 1;
  for (int session = 1; session < sessions && open; ++session)
    for (std::size_t n = 0; n < whos.size(); ++n)
      if (close(rates[n])) rates[n].push_back(measure(whos[n]));
  std::vector<double> medians;
  for (std::vector<double>& of : rates) {
    std::nth_element(of.begin(), of.begin() + static_cast<std::ptrdiff_t>(of.size() / 2), of.end());
    medians.push_back(of[of.size() / 2]);
  }
  return medians;
}

double median_step_rate(const std::function<void(long steps)>& advance) {
  constexpr int rounds = 5;
  constexpr double enough = 0.02;  // seconds of a round
  constexpr long most_steps = 4096;
  std::vector<double> rates;
  long steps = 4;
  while (rates.size() < rounds) {
    const double begin = wall_seconds();
    advance(steps);
    const double seconds = wall_seconds() - begin;
    if (seconds < enough && steps < most_steps)
      steps *= 4;
    else
      rates.push_back(static_cast<double>(steps) / seconds);
  }
  std::nth_element(rates.begin(), rates.begin() + rounds / 2, rates.end());
  return rates[rounds / 2];
}

}  // namespace asterism

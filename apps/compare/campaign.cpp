// SPDX-License-Identifier: Apache-2.0
#include "apps/compare/campaign.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "apps/common/process.hpp"
#include "apps/common/program.hpp"
#include "apps/common/simulate.hpp"
#include "apps/compare/analysis.hpp"
#include "apps/compare/lower_bounds.hpp"
#include "apps/compare/plan.hpp"
#include "base/error.hpp"
#include "base/version.hpp"
#include "runtime/machine/this_machine.hpp"
#include "runtime/session.hpp"

namespace asterism::apps::compare {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// Set here for each run, so that what the user had does not matter.
constexpr std::array<std::string_view, 6> ours = {"STARPU_SCHED",      "STARPU_CALIBRATE",  "STARPU_FXT_TRACE",
                                                  "STARPU_FXT_PREFIX", "STARPU_FXT_SUFFIX", "STARPU_SILENT"};

bool is_set(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

Process process_of(const Settings& settings, const Step& step, const fs::path& folder) {
  Process process;
  process.command = settings.command;
  process.output = folder / "stdout";
  process.errors = folder / "stderr";
  process.timeout = settings.timeout;
  auto& environment = process.environment;
  environment = {{"STARPU_SCHED", step.scheduler},
                 {"STARPU_FXT_TRACE", step.traced ? "1" : "0"},
                 {"STARPU_FXT_PREFIX", (fs::absolute(folder) / "").string()},
                 {"STARPU_FXT_SUFFIX", std::nullopt},
                 {"STARPU_SILENT", std::nullopt},  // its remarks say whether models are calibrated
                 {"STARPU_CALIBRATE", std::nullopt}};
  if (step.phase == Phase::calibration) environment.back().second = "1";
  const std::optional<std::string> library = scheduler_library(step.scheduler);
  if (library && !library->empty()) environment.emplace_back("STARPU_SCHED_LIB", *library);
  if (!is_set("STARPU_HOME") && !is_set("STARPU_PERF_MODEL_DIR"))
    environment.emplace_back("STARPU_HOME", fs::absolute(settings.work / "starpu").string());
  return process;
}

std::string status_of(const Outcome& outcome, double timeout) {
  switch (outcome.end) {
    case Outcome::End::exited:
      return outcome.code == 0 ? "" : fmt::format("exit status {}", outcome.code);
    case Outcome::End::signalled:
      return fmt::format("signal {} ({})", outcome.code, strsignal(outcome.code));
    case Outcome::End::timed_out:
      return fmt::format("timeout after {} s", timeout);
    case Outcome::End::interrupted:
      break;
  }
  return "interrupted";
}

/// StarPU found a performance model without enough measurements, and calibrated in this run.
bool calibrated_anew(const fs::path& errors) {
  std::ifstream file(errors);
  for (std::string line; std::getline(file, line);)
    if (line.find("is not calibrated enough") != std::string::npos) return true;
  return false;
}

void record_analysis(const Settings& settings, const fs::path& folder, Run& run) {
  convert_run(folder, settings.keep_traces);
  const traces::Recording recording = read_run(folder, run.step.scheduler, settings.window);
  const Platform* const platform = settings.platform ? &*settings.platform : nullptr;
  run.analysis = analyse(recording, traces::measure(recording));
  std::optional<traces::PlatformRec> replayed;
  if (platform != nullptr && fs::exists(folder / traces::replayed_durations))
    replayed = traces::read_platform_rec(folder / traces::replayed_durations);
  if (run.step.phase != Phase::warm_up)
    Durations::of(recording, platform, replayed ? &*replayed : nullptr).save(folder / "durations.json");
  const bool compared = run.step.phase == Phase::measured || run.step.phase == Phase::extra;
  if (!compared && !settings.keep_traces) remove_recording(folder);
}

/// Reads what the run recorded and printed. A missing recording or time ends the comparison unless an earlier run had
/// it: then it is this run that failed.
void evaluate(const Settings& settings, const std::vector<Run>& before, const fs::path& folder,
              const std::optional<fs::file_time_type>& written, Run& run) {
  if (run.step.traced) {
    const bool possible = std::any_of(before.begin(), before.end(), [](const Run& r) { return bool(r.analysis); });
    if (fxt_files(folder).empty()) {
      if (!possible)
        failed(
            "{} left no recording: its StarPU was built without FxT, or it does not use StarPU; --time-from wall "
            "--traced 0 compares without recordings",
            settings.command.front());
      failed("left no recording");
    }
    record_analysis(settings, folder, run);
  }
  const bool tells = settings.time.kind == TimeSource::Kind::json || settings.time.kind == TimeSource::Kind::regex;
  if (tells && run.step.phase != Phase::calibration)
    run.told = settings.time.told(folder / "stdout", folder / "stderr", written);
}

std::string short_time(double seconds) {
  if (seconds < 99.5) return fmt::format("{:.0f} s", seconds);
  const auto whole = std::lround(seconds);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
}

/// Progress over all runs; what remains is guessed from the runs so far.
class Progress {
 public:
  Progress(const Settings& settings, const std::vector<Run>& runs)
      : line_(!settings.quiet), remaining_(remaining_steps(settings, runs)), done_(runs.size()) {
    for (const Run& run : runs) {
      sum_ += run.wall;
      auto& [total, count] = by_scheduler_[run.step.scheduler];
      total += run.wall;
      ++count;
    }
  }

  void show(const Step& step, double elapsed) {
    const double mean = done_ > 0 ? sum_ / static_cast<double>(done_) : 0;
    double left = 0;
    for (const Step& other : remaining_) left += expected(other, mean);
    left = std::max(0.0, left - std::min(elapsed, expected(step, mean)));
    const std::size_t all = done_ + remaining_.size();
    line_.show((static_cast<double>(done_)) / static_cast<double>(all),
               fmt::format("run {} of {}: {} {} {}, {}{}", done_ + 1, all, step.scheduler, name_of(step.phase),
                           step.repetition, short_time(elapsed),
                           done_ > 0 ? fmt::format(", {} remaining", short_time(left)) : ""));
  }

 private:
  double expected(const Step& step, double mean) const {
    const auto found = by_scheduler_.find(step.scheduler);
    return found == by_scheduler_.end() ? mean : found->second.first / found->second.second;
  }

  ProgressLine line_;
  std::vector<Step> remaining_;
  std::size_t done_ = 0;
  double sum_ = 0;
  std::map<std::string, std::pair<double, double>> by_scheduler_;
};

/// Nothing when it was interrupted.
std::optional<Run> do_step(const Settings& settings, const std::vector<Run>& before, const Step& step, int number,
                           const std::function<void(double)>& tick) {
  Run run;
  run.step = step;
  std::string name = step.scheduler;
  std::replace(name.begin(), name.end(), '/', '_');
  run.folder = fmt::format("{:05}-{}-{}-{}", number, name_of(step.phase), step.repetition, name);
  const fs::path folder = settings.work / "runs" / run.folder;
  fs::remove_all(folder);  // of an interrupted run
  fs::create_directories(folder);
  fs::create_directories(settings.work / "starpu");

  const Process process = process_of(settings, step, folder);
  const auto written = settings.time.written();
  const Outcome outcome = run_process(process, tick);
  if (outcome.end == Outcome::End::interrupted) {
    fs::remove_all(folder);
    return std::nullopt;
  }
  run.wall = outcome.wall;
  run.processor = outcome.processor;
  run.memory = outcome.memory;
  run.status = status_of(outcome, settings.timeout);
  run.calibrating = step.phase != Phase::calibration && calibrated_anew(process.errors);
  if (run.good()) {
    const bool first = std::none_of(before.begin(), before.end(),
                                    [](const Run& r) { return r.good() && r.step.phase != Phase::calibration; });
    try {
      evaluate(settings, before, folder, written, run);
    } catch (const Error& error) {
      if (first && step.phase != Phase::calibration) throw;
      run.status = error.what();
    }
  }
  if (!run.good()) {
    run.message = last_lines(process.errors, 5);
    remove_recording(folder);
    if (!settings.keep_traces)
      for (const fs::path& file : fxt_files(folder)) fs::remove(file);
  }
  return run;
}

/// What a file is known by.
std::string shown_file(const fs::path& file) {
  std::error_code ignored;
  return fmt::format("{}, {} bytes, written at {}", fs::absolute(file, ignored).string(), fs::file_size(file, ignored),
                     fs::last_write_time(file, ignored).time_since_epoch().count());
}

}  // namespace

json identity_of(const Settings& settings) {
  json identity;
  identity["version"] = version();
  identity["command"] = shell_text(settings.command);
  const fs::path program = find_program(settings.command.front());
  identity["program"] = shown_file(program);
  if (settings.platform) {
    identity["platform"] = shown_file(settings.platform_file);
    std::error_code ignored;
    const fs::path simulated = simulated_sibling(fs::canonical(program, ignored));
    if (!simulated.empty()) identity["simulated program"] = shown_file(simulated);
  }
  identity["working folder"] = fs::current_path().string();
  std::string schedulers;
  for (const std::string& scheduler : settings.schedulers) schedulers += (schedulers.empty() ? "" : ",") + scheduler;
  identity["--schedulers"] = schedulers;
  identity["--time-from"] = settings.time.text;
  identity["--window"] = settings.window;
  identity["--calibration-runs"] = settings.calibrations;
  identity["--warm-ups"] = settings.warm_ups;
  const Machine machine = this_machine();
  identity["machine"] = fmt::format("{}, {} cores", machine.processor, machine.cores);
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    const std::string_view name = text.substr(0, text.find('='));
    const bool counts = name.starts_with("STARPU_") || name.starts_with("ASTERISM_") || name.starts_with("OMP_") ||
                        name == "CUDA_VISIBLE_DEVICES";
    if (counts && std::find(ours.begin(), ours.end(), name) == ours.end())
      identity[std::string(name)] = std::string(text.substr(name.size() + 1));
  }
  return identity;
}

int run_campaign(const Settings& settings, Journal& journal) {
  const InterruptGuard guard;
  while (const auto step = next_step(settings, journal.runs())) {
    if (InterruptGuard::signal() != 0) return InterruptGuard::signal();
    Progress progress(settings, journal.runs());
    std::optional<Run> run = do_step(settings, journal.runs(), *step, journal.next_number(),
                                     [&](double elapsed) { progress.show(*step, elapsed); });
    if (!run) return InterruptGuard::signal();
    journal.add(std::move(*run));
  }
  return 0;
}

}  // namespace asterism::apps::compare

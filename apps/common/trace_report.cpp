// SPDX-License-Identifier: Apache-2.0
#include "apps/common/trace_report.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>

#include "apps/common/program.hpp"
#include "base/error.hpp"
#include "io/output_file.hpp"
#include "runtime/machine/simulated_machine.hpp"
#include "traces/models/platform_rec.hpp"
#include "traces/models/sampling.hpp"
#include "traces/models/simulated.hpp"

namespace asterism::apps {

namespace fs = std::filesystem;

void analyse(Analysis& a, traces::Recording recording, const std::vector<traces::Recording>& others,
             const traces::PlatformRec* models) {
  a.recording = std::move(recording);
  a.metrics = traces::measure(a.recording);
  bounds::Durations durations;
  durations.add(a.recording, bounds::Source::recording);
  for (const auto& other : others) durations.add(other, bounds::Source::others);
  if (models) durations.add(*models, &a.recording);
  a.bounds = bounds::compute(a.recording, durations);
  a.bounded = true;
  a.view = {&a.recording, &a.metrics, {}};
  a.view.bounds.push_back(
      {"LP", a.bounds.area.solution.seconds,
       "area bound: all tasks at their measured speeds, cut at will, without dependencies or transfers"});
  a.view.bounds.push_back(
      {"LP where tasks fit", a.bounds.fitting, "LP with no task where it alone takes longer than the bound"});
  if (a.bounds.nodes)
    a.view.bounds.push_back({"LP per node", a.bounds.nodes->area,
                             "LP with every task on a unit of the rank that ran it; LP deals them over all ranks"});
  if (a.bounds.critical_path)
    a.view.bounds.push_back(
        {"critical path", a.bounds.critical_path->length,
         "longest chain of dependencies, each task at the fastest its class was measured on any kind of unit"});
  if (a.bounds.windows)
    a.view.bounds.push_back(
        {"windows", a.bounds.windows->seconds,
         "a + LP of the tasks that can neither start before a nor end later than b before the end + b"});
}

void add_energy(Analysis& a, const traces::Power& power) {
  if (power.empty()) return;
  a.view.energy = traces::energy_of(a.recording, a.metrics, power);
  a.view.facts.push_back({"Energy", traces::energy_text(a.recording, *a.view.energy)});
}

std::optional<traces::PlatformRec> own_models() {
  for (const char* variable : {"STARPU_PERF_MODEL_DIR", "STARPU_HOME", "HOME"}) {
    const char* const value = std::getenv(variable);
    if (!value || !*value) continue;
    fs::path folder = value;
    if (std::string(variable) != "STARPU_PERF_MODEL_DIR") folder = folder / ".starpu" / "sampling";
    if (!fs::is_directory(folder)) continue;
    char host[256] = {};
    gethostname(host, sizeof host - 1);
    const char* const named = std::getenv("STARPU_HOSTNAME");
    try {
      return traces::read_sampling(
          folder, {named && *named ? named : std::string(host).substr(0, std::string(host).find('.'))});
    } catch (const Error&) {
      return std::nullopt;  // no models of this machine, or of another version of StarPU
    }
  }
  return std::nullopt;
}

void write_all(const fs::path& folder, const Analysis& a, const traces::PlatformRec* models,
               const nlohmann::json& energy) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) bad_input("{}: cannot be made ({})", folder.string(), error.message());
  traces::write_html(folder / "trace.html", {a.view}, a.recording.name);
  traces::write_csv(folder / "trace.csv", {a.view});
  traces::write_perfetto(folder / "perfetto.json", a.view);
  nlohmann::json summary = traces::summary(a.view);
  if (!energy.is_null()) summary["counted_energy"] = energy;
  write_json(folder / "trace.json", summary);
  traces::write_platform_rec(folder / "platform_file.rec", traces::platform_of(a.recording, models));
}

void report_trace(const fs::path& folder, const std::string& name, const fs::path& calibration,
                  const traces::PlatformRec* durations, const nlohmann::json& energy) {
  const auto recorded = [](const fs::path& where) {
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(where))
      if (entry.path().filename().string().starts_with("prof_file")) files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    if (files.empty()) failed("{}: StarPU left no recording there: was it built with FxT?", where.string());
    return files;
  };
  traces::ReadOptions options;
  options.name = name;
  traces::convert_fxt(recorded(folder), folder);
  std::vector<traces::Recording> others;
  if (!calibration.empty()) others.push_back(traces::read(recorded(calibration)));
  traces::Recording recording = traces::read({folder}, options);
  const Platform* const platform = simulated_platform();
  const std::optional<traces::PlatformRec> models = durations != nullptr ? std::optional(*durations)
                                                    : platform != nullptr
                                                        ? traces::simulated_models(*platform, recording)
                                                        : own_models();
  Analysis a;
  analyse(a, std::move(recording), others, models ? &*models : nullptr);
  if (platform != nullptr) add_energy(a, traces::power_of(*platform));
  if (!energy.is_null())
    a.view.facts.push_back(
        {"Energy counted", fmt::format("{:.4g} J in {:.3g} s of steps", energy.at("joules").get<double>(),
                                       energy.at("seconds").get<double>())});
  write_all(folder, a, models ? &*models : nullptr, energy);
  fmt::print(
      "\n{}\nwrote {}/trace.html, trace.json, trace.csv, perfetto.json, tasks.rec, paje.trace, platform_file.rec\n",
      traces::table(a.view), folder.string());
}

}  // namespace asterism::apps

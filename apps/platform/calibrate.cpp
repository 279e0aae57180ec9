// SPDX-License-Identifier: Apache-2.0
#include "apps/platform/calibrate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "apps/common/program.hpp"
#include "apps/platform/durations.hpp"
#include "apps/platform/machine.hpp"
#include "apps/platform/write.hpp"
#include "base/error.hpp"
#include "base/version.hpp"
#include "base/wall_clock.hpp"
#include "io/text_words.hpp"
#include "runtime/codelet.hpp"
#include "traces/models/sampling.hpp"
#include "traces/readers/read.hpp"

namespace asterism::apps::platform {
namespace {

namespace fs = std::filesystem;

/// Seconds after which a quick calibration begins no further run, so that it ends within a minute.
constexpr double quick_seconds = 40;

/// The folder of recordings, one of each run. One that the user did not name is removed when all is done, or nothing.
class Work {
 public:
  static constexpr const char* first_run = "01";

  explicit Work(const Calibration& asked) : path_(asked.work), kept_(!asked.work.empty()) {
    if (!kept_) path_ = asked.file.string() + ".work";
    std::error_code error;
    fs::create_directories(path_, error);
    if (error) failed("{}: the folder cannot be made ({})", path_.string(), error.message());
  }
  ~Work() {
    std::error_code ignored;
    if (!kept_ && !fs::exists(path_ / first_run / "completed")) fs::remove_all(path_, ignored);
  }
  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;
  void done() const {
    std::error_code ignored;
    if (!kept_) fs::remove_all(path_, ignored);
  }
  [[nodiscard]] const fs::path& path() const noexcept { return path_; }

 private:
  fs::path path_;
  bool kept_;
};

/// A recording, then what the scheduler "calibrate" left for classes that it lacks, then models of runs that were not
/// recorded.
void add(MeasuredDurations& durations, const fs::path& folder) {
  durations.add(traces::read({folder}));
  if (fs::is_directory(folder / "calibration")) durations.add(traces::read({folder / "calibration"}));
  // a run may leave none: with a recording it has tasks that are part of a larger one otherwise
  if (traces::has_models(folder / "models")) durations.add(traces::read_sampling(folder / "models"));
}

std::vector<std::vector<std::string>> runs_of(const Calibration& asked, bool gpus, const fs::path& program) {
  std::vector<std::vector<std::string>> runs;
  for (const std::string& command : asked.runs) {
    runs.push_back(words_of(command));
    if (runs.back().empty()) bad_input("--run '{}': expected a command", command);
  }
  std::vector<std::vector<std::vector<std::string>>> of_methods;
  for (const std::string& method : asked.methods)
    if (method != "none") of_methods.push_back(asked.quick ? quick_runs(method, gpus) : standard_runs(method, gpus));
  // in turn, so that a calibration that is interrupted knows something of each method
  for (std::size_t r = 0, added = 1; added > 0; ++r) {
    added = 0;
    for (const auto& of_method : of_methods)
      if (r < of_method.size()) {
        runs.push_back(of_method[r]);
        ++added;
      }
  }
  for (auto& run : runs) run.front() = find(run.front(), program.parent_path()).string();
  return runs;
}

/// What every task takes by default must be positive.
void set_default(TaskCost& cost, const MeasuredDurations& durations, UnitKind kind) {
  cost.flops = durations.flops_per_second(kind);
  if (cost.flops <= 0) cost.flops = cost.bytes;  // nobody counted: one operation per byte
  cost.seconds = durations.shortest(kind);
  if (cost.seconds <= 0) cost.seconds = 1e-6;
}

/// `platform` as it was measured, with the durations so far.
void write(const Calibration& asked, const std::string& command, Platform platform, const MeasuredDurations& durations,
           const std::string& state) {
  set_default(platform.cpu, durations, UnitKind::cpu);
  std::vector<TaskCost> of_gpus;
  for (GpuKind& kind : platform.gpu_kinds) {
    set_default(kind.rates, durations, UnitKind::gpu);
    of_gpus.push_back(kind.rates);
  }
  platform.codelets = durations.codelets(platform.cpu, of_gpus);
  std::erase_if(platform.codelets, [](const auto& entry) { return !is_own_codelet(entry.first); });
  platform.description = asked.description;
  if (platform.description.empty()) {
    platform.description = fmt::format("{} cores of {}", platform.cores, platform.cpu_model);
    for (const GpuKind& kind : platform.gpu_kinds)
      platform.description += fmt::format(", {} x {}", kind.count, kind.model);
  }
  const nlohmann::json header = record_header("asterism-platform", command);
  std::vector<std::string> remarks = {
      fmt::format("Measured on {}, version {}, StarPU {}:", header["date"].get<std::string>().substr(0, 10), version(),
                  header["starpu"]["version"].get<std::string>()),
      "  " + command,
      "Bus by StarPU, `shared` by copies to and from all GPUs at once; bytes of a unit's rates by copies in memory;",
      fmt::format("classes and samples: means of {} tasks, on GPUs of one at a time. Flops of the rates: the median of",
                  durations.tasks()),
      "what codelets reach; their seconds: the shortest class."};
  if (!state.empty()) remarks.push_back(state);
  write_platform(asked.file, platform, remarks);
}

/// The command of a run that was completed in `folder`; empty: none was.
std::string completed(const fs::path& folder) {
  std::ifstream file(folder / "completed");
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

int calibrate(const Calibration& asked, const std::string& command, const fs::path& program) {
  const double begin = wall_seconds();
  require_writable("FILE", asked.file);
  if (asked.file.extension() != ".toml") bad_input("{}: expected a name that ends in .toml", asked.file.string());
  const auto runs = runs_of(asked, visible_gpus() > 0, program);
  MeasuredDurations durations;
  for (const fs::path& recording : asked.recordings) add(durations, recording);
  if (durations.empty() && runs.empty()) bad_input("no task to measure: expected --methods, --run or --from");
  const Work work(asked);
  Environment environment;  // buses are measured anew
  environment.set("STARPU_HOME", work.path().string());
  environment.set("STARPU_PERF_MODEL_DIR", std::nullopt);
  const Platform platform = measure_machine();
  ProgressLine progress(!asked.quiet);
  std::size_t done = 0;
  for (; done < runs.size(); ++done) {
    if (asked.quick && done > 0 && wall_seconds() - begin > quick_seconds) break;
    const std::string text = fmt::format("{}{}", fmt::join(runs[done], " "), asked.quick ? " quick" : "");
    progress.show(static_cast<double>(done) / static_cast<double>(runs.size()), text);
    const fs::path folder = work.path() / fmt::format("{:02}", done + 1);
    if (completed(folder) != text) {
      std::error_code ignored;
      fs::remove_all(folder, ignored);
      record(runs[done], work.path(), folder, asked.quick ? Recordings::once : Recordings::twice);
      std::ofstream(folder / "completed") << text;
    }
    add(durations, folder);
    write(asked, command, platform, durations,
          done + 1 < runs.size() ? fmt::format("After {} of {} runs.", done + 1, runs.size()) : "");
  }
  if (runs.empty()) write(asked, command, platform, durations, "");
  work.done();
  const Platform written = read_platform(asked.file);
  fmt::print("{}: {} codelets, {} tasks{}\nuse it: asterism-fmm --simulate {}\n", asked.file.string(),
             written.codelets.size(), durations.tasks(),
             done < runs.size() ? fmt::format(", {} of {} runs", done, runs.size()) : "", asked.file.string());
  return 0;
}

}  // namespace asterism::apps::platform

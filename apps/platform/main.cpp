// SPDX-License-Identifier: Apache-2.0
// asterism-platform: machines to simulate. Makes one out of the machine at hand, or looks at those that are there.
#include <fmt/format.h>
#include <stdlib.h>

#include <algorithm>
#include <optional>

#include "apps/common/program.hpp"
#include "apps/platform/durations.hpp"
#include "apps/platform/machine.hpp"
#include "apps/platform/rates.hpp"
#include "apps/platform/runs.hpp"
#include "apps/platform/write.hpp"
#include "base/error.hpp"
#include "base/version.hpp"
#include "io/text_words.hpp"
#include "runtime/codelet.hpp"
#include "traces/models/sampling.hpp"
#include "traces/readers/read.hpp"

namespace asterism::apps::platform {
namespace {

namespace fs = std::filesystem;

struct Calibration {
  fs::path file;
  std::string description;
  std::vector<std::string> methods = platform::methods();
  std::vector<std::string> runs;
  std::vector<fs::path> recordings;
  fs::path work;
  bool quiet = false;
};

/// A folder for recordings, removed at the end unless the user named it.
class Work {
 public:
  explicit Work(const fs::path& named) : path_(named), kept_(!named.empty()) {
    if (kept_) {
      fs::create_directories(path_);
      return;
    }
    std::string pattern = (fs::temp_directory_path() / "asterism-calibrate-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) failed("{}: the folder cannot be made", pattern);
    path_ = pattern;
  }
  ~Work() {
    std::error_code ignored;
    if (!kept_) fs::remove_all(path_, ignored);
  }
  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;
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
  if (fs::is_directory(folder / "models")) durations.add(traces::read_sampling(folder / "models"));
}

std::vector<std::vector<std::string>> runs_of(const Calibration& asked, bool gpus, const fs::path& program) {
  std::vector<std::vector<std::string>> runs;
  for (const std::string& command : asked.runs) {
    runs.push_back(words_of(command));
    if (runs.back().empty()) bad_input("--run '{}': expected a command", command);
  }
  for (const std::string& method : asked.methods)
    if (method != "none")
      for (auto& run : standard_runs(method, gpus)) runs.push_back(std::move(run));
  for (auto& run : runs) run.front() = find(run.front(), program.parent_path()).string();
  return runs;
}

void measure(const std::vector<std::vector<std::string>>& runs, const fs::path& work, bool quiet,
             MeasuredDurations& durations) {
  ProgressLine progress(!quiet);
  for (std::size_t r = 0; r < runs.size(); ++r) {
    progress.show(static_cast<double>(r) / static_cast<double>(runs.size()),
                  fmt::format("{}", fmt::join(runs[r], " ")));
    const fs::path folder = work / fmt::format("{:02}", r + 1);
    record(runs[r], work, folder);
    add(durations, folder);
  }
}

/// What every task takes by default must be positive.
void set_default(TaskCost& cost, const MeasuredDurations& durations, UnitKind kind) {
  cost.flops = durations.flops_per_second(kind);
  if (cost.flops <= 0) cost.flops = cost.bytes;  // nobody counted: one operation per byte
  cost.seconds = durations.shortest(kind);
  if (cost.seconds <= 0) cost.seconds = 1e-6;
}

int calibrate(const Calibration& asked, const std::string& command, const fs::path& program) {
  require_writable("FILE", asked.file);
  if (asked.file.extension() != ".toml") bad_input("{}: expected a name that ends in .toml", asked.file.string());
  const auto runs = runs_of(asked, visible_gpus() > 0, program);
  MeasuredDurations durations;
  for (const fs::path& recording : asked.recordings) add(durations, recording);
  if (durations.empty() && runs.empty()) bad_input("no task to measure: expected --methods, --run or --from");
  const Work work(asked.work);
  Environment environment;  // buses are measured anew
  environment.set("STARPU_HOME", work.path().string());
  environment.set("STARPU_PERF_MODEL_DIR", std::nullopt);
  Platform platform = measure_machine();
  measure(runs, work.path(), asked.quiet, durations);
  set_default(platform.cpu, durations, UnitKind::cpu);
  std::vector<TaskCost> of_gpus;
  for (GpuKind& kind : platform.gpu_kinds) {
    set_default(kind.rates, durations, UnitKind::gpu);
    of_gpus.push_back(kind.rates);
  }
  // what was measured holds the launch, and a GPU's next data are fetched while it computes
  platform.overheads = of_gpus.empty();
  platform.codelets = durations.codelets(platform.cpu, of_gpus);
  std::erase_if(platform.codelets, [](const auto& entry) { return !is_own_codelet(entry.first); });
  platform.description = asked.description;
  if (platform.description.empty()) {
    platform.description = fmt::format("{} cores of {}", platform.cores, platform.cpu_model);
    for (const GpuKind& kind : platform.gpu_kinds)
      platform.description += fmt::format(", {} x {}", kind.count, kind.model);
  }
  const nlohmann::json header = record_header("asterism-platform", command);
  write_platform(
      asked.file, platform,
      {fmt::format("Measured on {}, version {}, StarPU {}:", header["date"].get<std::string>().substr(0, 10), version(),
                   header["starpu"]["version"].get<std::string>()),
       "  " + command,
       "Bus by StarPU, `shared` by copies to and from all GPUs at once; bytes of a unit's rates by copies in memory;",
       fmt::format(
           "classes and samples: means of {} tasks, on GPUs of one at a time. Flops of the rates: the median of",
           durations.tasks()),
       "what codelets reach; their seconds: the shortest class."});
  fmt::print("{}: {} codelets, {} tasks\nuse it: asterism-fmm --simulate {}\n", asked.file.string(),
             platform.codelets.size(), durations.tasks(), asked.file.string());
  return 0;
}

std::string rate(double value, const char* unit) {
  return fmt::format("{:.4g} {}", value, unit);
}

int show(const std::string& wanted, const fs::path& program) {
  const fs::path file = find_platform("show", wanted, program);
  const Platform p = read_platform(file);
  std::vector<std::pair<std::string, std::string>> rows = {
      {"platform", p.name + ", " + p.description},
      {"cores", fmt::format("{}, each {} and {} by default", p.cores, rate(p.cpu.flops / 1e9, "GFlop/s"),
                            rate(p.cpu.bytes / 1e9, "GB/s"))}};
  for (const GpuKind& kind : p.gpu_kinds)
    rows.emplace_back(&kind == &p.gpu_kinds.front() ? "GPUs" : "",
                      fmt::format("{}{} of {:.1f} GB, each {} and {} by default", kind.count,
                                  kind.model.empty() ? "" : " x " + kind.model, kind.memory / 1e9,
                                  rate(kind.rates.flops / 1e9, "GFlop/s"), rate(kind.rates.bytes / 1e9, "GB/s")));
  if (p.gpus() > 0) {
    rows.emplace_back(
        "bus", fmt::format("{} to a GPU, {} back, latency {:.1f} us{}", rate(p.to_gpu.front().bandwidth / 1e9, "GB/s"),
                           rate(p.from_gpu.front().bandwidth / 1e9, "GB/s"), 1e6 * p.to_gpu.front().latency,
                           p.shared ? ", " + rate(*p.shared / 1e9, "GB/s in all") : ""));
    if (p.peer)
      rows.emplace_back(
          "peers", fmt::format("{}, latency {:.1f} us", rate(p.peer->bandwidth / 1e9, "GB/s"), 1e6 * p.peer->latency));
  }
  std::vector<std::string> names;
  for (const auto& [name, codelet] : p.codelets) names.push_back(name);
  rows.emplace_back("codelets", names.empty() ? "all by default" : fmt::format("{}", fmt::join(names, " ")));
  rows.emplace_back("file", file.string());
  print_table(rows);
  return 0;
}

int platforms(int argc, char** argv) {
  CLI::App app(
      "Describes machines for the option --simulate of the solvers.\n\n"
      "  asterism-platform calibrate here.toml              measures this machine (takes minutes)\n"
      "  asterism-platform calibrate here.toml --methods cg,fmm --run \"asterism-fmm --accuracy 7 --particles "
      "1000000\"\n"
      "  asterism-platform show h200x4                      prints a platform; checks a file\n"
      "  asterism-platform rates                            prints the rates that programs keep of this machine",
      "asterism-platform");
  app.set_version_flag("--version", version_text("asterism-platform"));
  app.require_subcommand(1);
  Calibration asked;
  CLI::App* const making = app.add_subcommand(
      "calibrate",
      "Measures this machine: buses and memories, then durations of tasks, from runs of the solvers and of their "
      "scheduler calibrate, which tries every task on every kind of unit");
  making->add_option("file", asked.file, "The platform's file, NAME.toml")->required();
  making->add_option("--description", asked.description, "One line (default: the units' names)");
  making->add_option("--methods", asked.methods, "Standard runs of these: some of cg, fdtd, fmm, lbm, tdbem, or none")
      ->delimiter(',')
      ->default_str("all");
  making
      ->add_option("--run", asked.runs,
                   "A solver's command line to measure, too: exact for its sizes and orders (repeatable)")
      ->allow_extra_args(false);
  making
      ->add_option("--from", asked.recordings,
                   "A solver's recording on this machine, from --trace: a folder (repeatable)")
      ->allow_extra_args(false);
  making->add_option("--work", asked.work, "Keep the recordings in this folder");
  making->add_flag("--quiet", asked.quiet, "No progress line");
  std::string wanted;
  CLI::App* const showing = app.add_subcommand("show", "What a platform says");
  showing->add_option("platform", wanted, "A name of experiments/machines or a .toml file")->required();
  bool forget = false;
  CLI::App* const rating = app.add_subcommand(
      "rates",
      "Rates of this machine that programs measured once and choose by: in rates.json of the cache folder "
      "(ASTERISM_CACHE, else XDG_CACHE_HOME/asterism, else ~/.cache/asterism), or where ASTERISM_RATES=FILE says; "
      "ASTERISM_RATES=off keeps none");
  rating->add_flag("--forget", forget, "Forget them: the next runs measure again");
  if (const auto status = parse(app, argc, argv)) return *status;
  if (*rating) return forget ? forget_rates() : show_rates();
  const fs::path program = fs::read_symlink("/proc/self/exe");
  if (*showing) return show(wanted, program);
  return calibrate(asked, command_line("asterism-platform", argc, argv), program);
}

}  // namespace
}  // namespace asterism::apps::platform

int main(int argc, char** argv) {
  return asterism::apps::run("asterism-platform", [&] { return asterism::apps::platform::platforms(argc, argv); });
}

// SPDX-License-Identifier: Apache-2.0
// asterism-platform: machines to simulate. Makes one out of the machine at hand, or looks at those that are there.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "apps/common/program.hpp"
#include "apps/platform/calibrate.hpp"
#include "apps/platform/rates.hpp"
#include "base/version.hpp"
#include "runtime/machine/platform.hpp"

namespace asterism::apps::platform {
namespace {

namespace fs = std::filesystem;

std::string watts_text(const std::optional<Watts>& watts) {
  return watts ? fmt::format(", {:.4g} W idle, {:.4g} W busy", watts->idle, watts->busy) : "";
}

std::string rate(double value, const char* unit) {
  return fmt::format("{:.4g} {}", value, unit);
}

/// The slowest and the fastest pair.
std::string peers_text(const Platform& p) {
  double slowest = std::numeric_limits<double>::infinity(), fastest = 0, latency = 0;
  for (int from = 0; from < p.gpus(); ++from)
    for (int to = 0; to < p.gpus(); ++to) {
      if (from == to) continue;
      const Link& link = *p.peer(from, to);
      slowest = std::min(slowest, link.bandwidth);
      fastest = std::max(fastest, link.bandwidth);
      latency = std::max(latency, link.latency);
    }
  return fmt::format("{}{}, latency {:.1f} us", slowest < fastest ? fmt::format("{:.4g} to ", slowest / 1e9) : "",
                     rate(fastest / 1e9, "GB/s"), 1e6 * latency);
}

int show(const std::string& wanted, const fs::path& program) {
  const fs::path file = find_platform("show", wanted, program);
  const Platform p = read_platform(file);
  std::vector<std::pair<std::string, std::string>> rows = {
      {"platform", p.name + ", " + p.description},
      {"cores", fmt::format("{}, each {} and {} by default{}", p.cores, rate(p.cpu.flops / 1e9, "GFlop/s"),
                            rate(p.cpu.bytes / 1e9, "GB/s"), watts_text(p.cpu_watts))}};
  for (const GpuKind& kind : p.gpu_kinds)
    rows.emplace_back(&kind == &p.gpu_kinds.front() ? "GPUs" : "",
                      fmt::format("{}{} of {:.1f} GB, each {} and {} by default{}", kind.count,
                                  kind.model.empty() ? "" : " x " + kind.model, kind.memory / 1e9,
                                  rate(kind.rates.flops / 1e9, "GFlop/s"), rate(kind.rates.bytes / 1e9, "GB/s"),
                                  watts_text(kind.watts)));
  if (p.gpus() > 0) {
    rows.emplace_back(
        "bus", fmt::format("{} to a GPU, {} back, latency {:.1f} us{}", rate(p.to_gpu.front().bandwidth / 1e9, "GB/s"),
                           rate(p.from_gpu.front().bandwidth / 1e9, "GB/s"), 1e6 * p.to_gpu.front().latency,
                           p.shared ? ", " + rate(*p.shared / 1e9, "GB/s in all") : ""));
    if (!p.peers.empty() && p.gpus() > 1) rows.emplace_back("peers", peers_text(p));
    if (p.in_turn) rows.emplace_back("copies", "a GPU sends one at a time, and receives one at a time");
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
      "  asterism-platform calibrate here.toml --quick      less well, in at most a minute\n"
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
      "scheduler calibrate, which tries every task on every kind of unit. FILE is written after each run; started "
      "again "
      "after an interruption, it goes on with the runs that are left");
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
  making->add_option("--work", asked.work,
                     "Keep the recordings in this folder (default: FILE.work, until all runs are done)");
  making->add_flag("--quick", asked.quick,
                   "At most a minute: short runs, as many as there is time for, each made once");
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

// SPDX-License-Identifier: Apache-2.0
#include "apps/platform/runs.hpp"

#include <fmt/format.h>

#include "apps/common/process.hpp"
#include "base/error.hpp"
#include "io/text_words.hpp"

namespace asterism::apps::platform {
namespace {

namespace fs = std::filesystem;

using Commands = std::vector<std::string>;

/// In the order in which units keep their pieces: all on cores, all on GPUs.
std::vector<std::string> in_turn(bool gpus) {
  std::vector<std::string> units = {"--gpus 0"};
  if (gpus) units.emplace_back("--cpus 0");
  return units;
}

Commands of_cg(bool gpus) {
  Commands commands;
  const auto solve = [&](const char* size, const char* options, const std::string& units) {
    commands.push_back(fmt::format("asterism-cg --stencil 11pts-{} --iterations 40 {} {}", size, options, units));
  };
  for (const std::string& units : in_turn(gpus)) {
    for (const char* flow : {"naive", "refined", "fused", "pipelined"})
      solve("128", fmt::format("--flow {}", flow).c_str(), units);
    for (const char* flow : {"refined", "fused"}) solve("48", fmt::format("--flow {}", flow).c_str(), units);
    solve("128", "--blocks 4", units);
    solve("64", "--preconditioner jacobi", units);
  }
  if (!gpus) return commands;
  // a GPU reaches its rates with more than a core's share; several block-rows exchange
  for (const char* flow : {"--flow refined", "--flow fused"}) solve("192", flow, "--cpus 0");
  for (const char* options : {"--flow refined", "--flow fused", "--flow pipelined", "--flow refined --blocks 4",
                              "--flow fused --blocks 2", "--flow fused --blocks 4"})
    solve("256", options, "--cpus 0");
  return commands;
}

/// Cubes of small, middle and, on GPUs, large size, in both precisions.
/// `several`: the option for a GPU's part in several bricks, which exchange.
Commands of_cells(const std::string& program, const char* several, bool gpus) {
  Commands commands;
  const auto run = [&](int size, const std::string& precision, const std::string& units) {
    commands.push_back(fmt::format("{} --size {} --steps 100 --precision {} {}", program, size, precision, units));
  };
  const auto precisions = {"single", "double"};
  for (const std::string& units : in_turn(gpus))
    for (const int size : {48, 128})
      for (const char* precision : precisions) run(size, precision, units);
  if (!gpus) return commands;
  for (const int size : {192, 384})
    for (const char* precision : precisions) run(size, precision, "--cpus 0");
  run(384, "double", fmt::format("--cpus 0{}", several));
  return commands;
}

Commands of_fmm(bool gpus) {
  Commands commands = {"asterism-fmm --particles 200000 --repeat 3", "asterism-fmm --particles 1000000 --repeat 3",
                       "asterism-fmm --particles 300000 --distribution ellipsoid --repeat 3"};
  if (gpus)  // a GPU reaches its rates with large groups; far fields of orders beside the default
    for (const char* options :
         {"--particles 10000000", "--particles 2000000 --accuracy 3", "--particles 2000000 --accuracy 6"})
      commands.push_back(fmt::format("asterism-fmm {} --repeat 2", options));
  return commands;
}

Commands of_tdbem(bool gpus) {
  Commands commands;
  const auto ellipsoid = [&](const char* unknowns, const char* precision, const std::string& units) {
    commands.push_back(fmt::format("asterism-tdbem --body ellipsoid --unknowns {} --steps 400 --precision {} {}",
                                   unknowns, precision, units));
  };
  for (const char* precision : {"single", "double"}) {
    for (const char* unknowns : {"642", "2562"}) ellipsoid(unknowns, precision, "--gpus 0");
    // some tasks run on cores only
    if (gpus)
      for (const char* unknowns : {"642", "2562", "10242"}) ellipsoid(unknowns, precision, "--sharing gpus");
  }
  return commands;
}

}  // namespace

const std::vector<std::string>& methods() {
  static const std::vector<std::string> all = {"cg", "fdtd", "fmm", "lbm", "tdbem"};
  return all;
}

std::vector<std::vector<std::string>> standard_runs(const std::string& method, bool gpus) {
  Commands commands;
  if (method == "cg")
    commands = of_cg(gpus);
  else if (method == "fdtd")
    commands = of_cells("asterism-fdtd", " --bricks-per-gpu 4", gpus);
  else if (method == "fmm")
    commands = of_fmm(gpus);
  else if (method == "lbm")
    commands = of_cells("asterism-lbm", " --subdomains 1x2x1", gpus);
  else if (method == "tdbem")
    commands = of_tdbem(gpus);
  else
    bad_input("--methods {}: expected some of {}, or none", method, fmt::join(methods(), ", "));
  std::vector<std::vector<std::string>> runs;
  for (const std::string& command : commands) runs.push_back(words_of(command));
  return runs;
}

std::vector<std::vector<std::string>> quick_runs(const std::string& method, bool gpus) {
  std::vector<std::vector<std::string>> runs;
  const auto add = [&](const std::string& command) { runs.push_back(words_of(command)); };
  for (const std::string& units : in_turn(gpus)) {
    if (method == "cg") {
      add("asterism-cg --stencil 11pts-64 --iterations 20 " + units);
    } else if (method == "fmm") {
      if (runs.empty()) add("asterism-fmm --particles 100000 --repeat 2");
    } else if (method == "lbm" || method == "fdtd") {
      add(fmt::format("asterism-{} --size 64 --steps 40 {}", method, units));
    } else if (method == "tdbem") {
      if (runs.empty())
        add("asterism-tdbem --body ellipsoid --unknowns 642 --steps 200" + std::string(gpus ? " --sharing gpus" : ""));
    } else {
      bad_input("--methods {}: expected some of {}, or none", method, fmt::join(methods(), ", "));
    }
  }
  return runs;
}

fs::path find(const std::string& name, const fs::path& beside) {
  std::error_code ignored;
  if (name.find('/') == std::string::npos)
    if (const fs::path sibling = beside / name; fs::exists(sibling, ignored)) return sibling;
  const fs::path found = find_program(name);
  if (found.empty()) bad_input("{}: there is no such program", name);
  return found;
}

void record(const std::vector<std::string>& command, const fs::path& home, const fs::path& folder,
            Recordings recordings) {
  const InterruptGuard guard;
  const auto run = [&](const char* models, const std::vector<std::string>& further) {
    fs::create_directories(folder / models);
    Process process;
    process.command = command;
    process.command.insert(process.command.end(), further.begin(), further.end());
    process.environment = {{"STARPU_SILENT", "1"},
                           {"STARPU_CALIBRATE", "1"},
                           // durations of tasks that have the GPU for themselves, as simulated ones have
                           {"STARPU_NWORKER_PER_CUDA", "1"},
                           {"STARPU_HOME", (folder / models).string()},
                           {"STARPU_PERF_MODEL_DIR", std::nullopt},
                           {"STARPU_PERF_MODEL_PATH", (home / ".starpu" / "sampling").string()}};
    process.output = folder / "output.txt";
    process.errors = folder / "errors.txt";
    const Outcome outcome = run_process(process, [](double) {});
    if (outcome.end == Outcome::End::interrupted) failed("interrupted");
    if (!outcome.good()) failed("{} did not succeed: {}", fmt::join(command, " "), last_lines(process.errors, 1));
  };
  run("models_recorded", {"--quiet", "--calibrate", "--trace", folder.string()});
  if (recordings == Recordings::twice) run("models", {"--quiet"});
}

}  // namespace asterism::apps::platform

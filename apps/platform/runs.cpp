#include "apps/platform/runs.hpp"

#include <fmt/format.h>

#include <sstream>

#include "apps/compare/process.hpp"
#include "taskflows/runtime/error.hpp"

namespace asterism::apps::platform {
namespace {

namespace fs = std::filesystem;

using Commands = std::vector<std::string>;

Commands of_cg(bool gpus) {
  Commands commands;
  const auto flows = [&](const std::string& units) {
    for (const char* size : {"48", "128"})
      for (const char* flow : {"naive", "refined", "fused", "pipelined"})
        commands.push_back(
            fmt::format("asterism-cg --stencil 11pts-{} --iterations 40 --flow {} {}", size, flow, units));
    commands.push_back("asterism-cg --stencil 11pts-128 --iterations 40 --flow fused --blocks 4 " + units);
    commands.push_back("asterism-cg --stencil 11pts-64 --iterations 40 --preconditioner jacobi " + units);
  };
  flows("--gpus 0");
  if (gpus) flows("--cpus 0 --units gpu");
  return commands;
}

/// In the order in which units keep their pieces: all on cores, all on GPUs.
std::vector<std::string> in_turn(bool gpus) {
  std::vector<std::string> units = {"--gpus 0"};
  if (gpus) units.emplace_back("--cpus 0");
  return units;
}

Commands of_lbm(bool gpus) {
  Commands commands;
  for (const std::string& units : in_turn(gpus))
    for (const char* precision : {"single", "double"})
      for (const char* size : {"48", "128"})
        commands.push_back(fmt::format("asterism-lbm --size {} --steps 100 --precision {} {}", size, precision, units));
  return commands;
}

Commands of_fdtd(bool gpus) {
  Commands commands;
  for (const std::string& units : in_turn(gpus))
    for (const char* precision : {"single", "double"})
      for (const char* size : {"48", "128"})
        commands.push_back(
            fmt::format("asterism-fdtd --size {} --steps 100 --precision {} {}", size, precision, units));
  return commands;
}

Commands of_fmm(bool gpus) {
  // one stream: durations of tasks that do not share the GPU, as simulated ones do not
  const std::string units = gpus ? " --streams 1" : "";
  Commands commands = {"asterism-fmm --particles 200000 --repeat 3" + units,
                       "asterism-fmm --particles 1000000 --repeat 3" + units,
                       "asterism-fmm --particles 300000 --distribution ellipsoid --repeat 3" + units};
  if (gpus) commands.push_back("asterism-fmm --particles 10000000 --repeat 2" + units);
  return commands;
}

Commands of_tdbem(bool gpus) {
  Commands commands;
  const auto ellipsoid = [&](const char* unknowns, const char* precision, const std::string& units) {
    commands.push_back(fmt::format("asterism-tdbem --body ellipsoid --unknowns {} --steps 400 --precision {} {}",
                                   unknowns, precision, units));
  };
  for (const char* precision : {"single", "double"}) {
    for (const std::string& units : in_turn(gpus))
      for (const char* unknowns : {"642", "2562"}) ellipsoid(unknowns, precision, units);
    if (gpus) ellipsoid("10242", precision, "--sharing gpus");
  }
  return commands;
}

fs::path program(const std::string& name, const fs::path& beside) {
  std::error_code ignored;
  if (name.find('/') == std::string::npos)
    if (const fs::path sibling = beside / name; fs::exists(sibling, ignored)) return sibling;
  const fs::path found = compare::find_program(name);
  if (found.empty()) bad_input("{}: there is no such program", name);
  return found;
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
    commands = of_fdtd(gpus);
  else if (method == "fmm")
    commands = of_fmm(gpus);
  else if (method == "lbm")
    commands = of_lbm(gpus);
  else if (method == "tdbem")
    commands = of_tdbem(gpus);
  else
    bad_input("--methods {}: expected some of {}, or none", method, fmt::join(methods(), ", "));
  std::vector<std::vector<std::string>> runs;
  for (const std::string& command : commands) runs.push_back(words(command));
  return runs;
}

std::vector<std::string> words(const std::string& command) {
  std::istringstream stream(command);
  std::vector<std::string> result;
  for (std::string word; stream >> word;) result.push_back(word);
  return result;
}

void record(const std::vector<std::string>& command, const fs::path& beside, const fs::path& folder) {
  fs::create_directories(folder);
  compare::Process process;
  process.command = command;
  process.command.front() = program(command.front(), beside).string();
  for (const char* word : {"--calibrate", "--quiet", "--trace"}) process.command.emplace_back(word);
  process.command.push_back(folder.string());
  process.environment = {{"STARPU_SILENT", "1"}};
  process.output = folder / "output.txt";
  process.errors = folder / "errors.txt";
  const compare::InterruptGuard guard;
  const compare::Outcome outcome = compare::run_process(process, [](double) {});
  if (outcome.end == compare::Outcome::End::interrupted) failed("interrupted");
  if (!outcome.good())
    failed("{} did not succeed: {}", fmt::join(command, " "), compare::last_lines(process.errors, 1));
}

}  // namespace asterism::apps::platform

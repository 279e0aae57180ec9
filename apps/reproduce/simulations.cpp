// SPDX-License-Identifier: Apache-2.0
#include "apps/reproduce/simulations.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cctype>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "apps/common/process.hpp"
#include "apps/common/program.hpp"
#include "apps/common/simulate.hpp"
#include "base/error.hpp"
#include "runtime/machine/platform.hpp"

namespace asterism::apps::reproduce {
namespace {

namespace fs = std::filesystem;

Process process_of(const Simulation& s, const fs::path& place, const std::string& trace) {
  Process process;
  const fs::path self = fs::canonical("/proc/self/exe");
  const std::string program = "asterism-" + s.solver;
  // of a cluster: the ordinary program starts that
  process.command = {(s.nodes > 0 ? self.parent_path() / program : simulated_program(program)).string()};
  process.command.insert(process.command.end(), s.arguments.begin(), s.arguments.end());
  process.command.insert(process.command.end(), {"--quiet", "--json", (place / "record.json").string()});
  if (!trace.empty()) process.command.insert(process.command.end(), {"--trace", trace});
  process.command.insert(process.command.end(), {"--simulate", find_platform("--simulate", s.platform, self).string()});
  if (s.nodes > 0) process.command.insert(process.command.end(), {"--nodes", std::to_string(s.nodes)});
  for (const char* chosen : {"STARPU_NCPU", "STARPU_NCUDA", "STARPU_SCHED"})
    process.environment.emplace_back(chosen, std::nullopt);
  process.environment.emplace_back("STARPU_SILENT", "1");
  for (const auto& [name, value] : s.environment) process.environment.emplace_back(name, value);
  process.output = place / "output";
  process.errors = place / "errors";
  return process;
}

/// As one would type it.
std::string typed(const Simulation& s) {
  std::string command;
  for (const auto& [name, value] : s.environment) command += name + "=" + value + " ";
  std::vector<std::string> arguments = s.arguments;
  for (std::string& argument : arguments)  // folders mean nothing elsewhere
    if (argument.starts_with('/')) argument = fs::path(argument).filename().string();
  return command + fmt::format("asterism-{} {} --simulate {}{}", s.solver, fmt::join(arguments, " "),
                               fs::path(s.platform).filename().string(),
                               s.nodes > 0 ? fmt::format(" --nodes {}", s.nodes) : "");
}

nlohmann::json run_one(const Simulation& s, const std::string& trace) {
  const TemporaryFolder place;
  const Process process = process_of(s, place.path(), trace);
  const InterruptGuard guard;
  const apps::Outcome outcome = run_process(process, [](double) {});
  if (outcome.end == apps::Outcome::End::interrupted) failed("interrupted during {}", s.label);
  if (!outcome.good()) {
    const std::string words = last_lines(process.errors, 1);
    failed("{}: {}", typed(s), words.empty() ? fmt::format("ended by {}", outcome.code) : words);
  }
  return nlohmann::json::parse(std::ifstream(place.path() / "record.json"));
}

}  // namespace

TemporaryFolder::TemporaryFolder() {
  std::string pattern = (fs::temp_directory_path() / "asterism-reproduce-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) failed("{}: the folder cannot be made: {}", pattern, std::strerror(errno));
  path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

void Simulations::add_options(CLI::App& app) {
  app.add_option("--trace", trace_,
                 "Record every run with FxT into a folder of its own in this one: Gantt chart (trace.html), metrics, "
                 "bounds");
  app.add_flag("--quiet", quiet_, "No progress line");
}

fs::path folder_of(const fs::path& recordings, const std::string& label) {
  std::string name;
  for (const char c : label) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.')
      name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    else if (!name.empty() && name.back() != '-')
      name += '-';
  }
  return fs::absolute(recordings) / name;
}

Simulated Simulations::run(const std::vector<Simulation>& all, const fs::path& recordings) const {
  Simulated done;
  done.commands = nlohmann::json::array();
  ProgressLine progress(!quiet_);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Simulation& s = all[i];
    progress.show(static_cast<double>(i) / static_cast<double>(all.size()), s.label);
    done.records.push_back(run_one(s, recordings.empty() ? "" : folder_of(recordings, s.label).string()));
    done.commands.push_back(
        {{"label", s.label}, {"command", typed(s)}, {"seconds", done.records.back().at("seconds")}});
  }
  return done;
}

}  // namespace asterism::apps::reproduce

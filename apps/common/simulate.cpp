// SPDX-License-Identifier: Apache-2.0
#include "apps/common/simulate.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string_view>
#include <vector>

#include "apps/common/simulated_cluster.hpp"
#include "base/error.hpp"
#include "runtime/codelet.hpp"
#include "runtime/machine/platform.hpp"
#include "runtime/machine/simulated_machine.hpp"

namespace asterism::apps {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view option = "--simulate";

/// The arguments of this process, its name first, including those that subcommands have removed from argv.
std::vector<std::string> own_arguments() {
  std::ifstream file("/proc/self/cmdline");
  std::vector<std::string> arguments;
  for (std::string argument; std::getline(file, argument, '\0');) arguments.push_back(argument);
  return arguments;
}

}  // namespace

std::optional<std::string> platform_in(const std::vector<std::string>& arguments) {
  std::optional<std::string> platform;
  const std::string with_value = std::string(option) + "=";
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] == option && i + 1 < arguments.size())
      platform = arguments[++i];
    else if (arguments[i].starts_with(with_value))
      platform = arguments[i].substr(with_value.size());
  }
  return platform;
}

fs::path simulated_sibling(const fs::path& program) {
  const fs::path folder = program.parent_path();
  std::vector<fs::path> folders{folder / "../libexec/asterism/simulated"};
  if (const char* named = std::getenv("ASTERISM_SIMULATED")) folders = {named};
  std::error_code ignored;
  for (const fs::path& place : folders) {
    const fs::path sibling = place / program.filename();
    if (fs::is_regular_file(sibling, ignored)) return fs::canonical(sibling);
  }
  return {};
}

void add_simulate(CLI::Option_group* machine, Simulated& wanted) {
  CLI::Option* const platform =
      machine
          ->add_option(
              std::string(option), wanted.platform,
              "Run on a simulated machine (StarPU over SimGrid): a name of experiments/machines or a .toml file.\n"
              "Kernels are not executed, there are no results; times are those of that machine")
          ->type_name("PLATFORM");
  machine
      ->add_option("--nodes", wanted.nodes,
                   "Simulate a cluster of so many of these machines, a rank on each (StarPU-MPI over SimGrid's SMPI)")
      ->type_name("N")
      ->check(CLI::Range(1, 1 << 20))
      ->needs(platform);
}

fs::path simulated_program(const std::string& name) {
  const fs::path program = simulated_sibling(fs::canonical("/proc/self/exe").parent_path() / name);
  if (program.empty())
    bad_input("--simulate: there is no {} for simulated machines; it is built by: scripts/build --simulated", name);
  return program;
}

void simulate(const Simulated& wanted) {
  if (wanted.platform.empty()) return;
  const fs::path self = fs::canonical("/proc/self/exe");
  const std::string file = find_platform(std::string(option), wanted.platform, self).string();
  const Platform platform = read_platform(file, [](const std::string& name) {
    return is_codelet(name) ? "" : fmt::format("a codelet, such as {}", nearest_codelet(name));
  });
  if (simulated && !simulated_cluster() && wanted.nodes > 0)
    bad_input("--nodes {}: simulated clusters are run by the ordinary {}", wanted.nodes, self.filename().string());
  if (simulated) return;
  // it has to know the platform before it reads its options, which may be in a file
  const std::vector<std::string> own = own_arguments();
  std::vector<std::string> arguments;
  for (std::size_t i = 0; i < own.size(); ++i) {
    if (own[i] == option)
      ++i;
    else if (!own[i].starts_with(std::string(option) + "="))
      arguments.push_back(own[i]);
  }
  arguments.insert(arguments.end(), {std::string(option), file});
  if (wanted.nodes > 0) std::exit(run_on_cluster(platform, file, wanted.nodes, arguments));
  const std::string sibling = simulated_program(self.filename().string()).string();
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  execv(sibling.c_str(), pointers.data());
  failed("{}: cannot be run: {}", sibling, std::strerror(errno));
}

std::pair<std::string, std::string> simulated_row() {
  const Platform* const platform = simulated_platform();
  return {"simulated", platform == nullptr ? "" : fmt::format("{}: {}", platform->name, platform->description)};
}

void refuse_when_simulated(bool wanted, const char* option_name) {
  if (simulated && wanted) bad_input("{}: a simulated run computes nothing", option_name);
}

void refuse_files_when_simulated(const std::vector<std::pair<const char*, std::string>>& files) {
  for (const auto& [option_name, file] : files) refuse_when_simulated(!file.empty(), option_name);
}

}  // namespace asterism::apps

// SPDX-License-Identifier: Apache-2.0
// Where a simulated program begins: StarPU's own main, which starts SimGrid and then the program as one of its actors,
// wants to find the machine's files.
#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "apps/common/program.hpp"
#include "apps/common/simulate.hpp"
#include "base/error.hpp"
#include "runtime/machine/platform_files.hpp"
#include "runtime/machine/simulated_machine.hpp"

#undef main  // StarPU's headers give that name to the programs' own

namespace asterism::apps {
namespace {

namespace fs = std::filesystem;

/// As the user's environment has it: STARPU_ENABLE_CUDA_GPU_GPU_DIRECT=0 sends what GPUs exchange by way of main
/// memory. StarPU's simulated driver does not ask for it.
Platform machine_of(const fs::path& file) {
  Platform platform = read_platform(file);
  const char* const direct = std::getenv("STARPU_ENABLE_CUDA_GPU_GPU_DIRECT");
  if (direct != nullptr && std::string_view(direct) == "0") platform.peers.clear();
  return platform;
}

int start(int argc, char** argv) {
  const std::optional<std::string> wanted = platform_in({argv + 1, argv + argc});
  if (!wanted) bad_input("this is the program for simulated machines; expected --simulate PLATFORM");
  const fs::path file = find_platform("--simulate", *wanted, fs::canonical("/proc/self/exe"));
  const PlatformFiles files(machine_of(file));
  files.use();
  setenv(platform_variable, file.c_str(), 1);
  // in StarPU's library, behind this one
  const auto starpus = reinterpret_cast<int (*)(int, char**)>(dlsym(RTLD_NEXT, "main"));
  if (starpus == nullptr) failed("this StarPU has no main: it was not built with SimGrid");
  // SimGrid takes its own options, --cfg and --log, out of the arguments; it tells of every figure that it reads
  static char quiet[] = "--log=root.thresh:warning";
  std::vector<char*> arguments{argv[0], quiet};
  arguments.insert(arguments.end(), argv + 1, argv + argc);
  arguments.push_back(nullptr);
  const int status = starpus(static_cast<int>(arguments.size()) - 1, arguments.data());
  if (!has_ended()) failed("the simulation came to a standstill: everything in it waits");
  return status;
}

}  // namespace
}  // namespace asterism::apps

int main(int argc, char** argv) {
  const std::string name = std::filesystem::path(argv[0]).filename().string();
  return asterism::apps::run(name.c_str(), [&] { return asterism::apps::start(argc, argv); });
}

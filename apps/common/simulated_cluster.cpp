// SPDX-License-Identifier: Apache-2.0
#include "apps/common/simulated_cluster.hpp"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "apps/common/process.hpp"
#include "base/error.hpp"
#include "runtime/machine/platform_files.hpp"
#include "runtime/machine/simulated_machine.hpp"

namespace asterism::apps {
namespace {

namespace fs = std::filesystem;

/// In the folder ASTERISM_CLUSTERS if that is set, else where `cmake --install` puts it or in the build tree beside
/// this program's.
fs::path program_for_clusters(const std::string& name) {
  const fs::path folder = fs::canonical("/proc/self/exe").parent_path();
  std::vector<fs::path> folders{folder / "../libexec/asterism/clusters"};
  if (const char* named = std::getenv("ASTERISM_CLUSTERS")) folders = {named};
  std::error_code ignored;
  for (const fs::path& place : folders)
    if (fs::is_regular_file(place / name, ignored)) return fs::canonical(place / name);
  bad_input("--nodes: there is no {} for simulated clusters; it is built by: scripts/build --clusters", name);
}

/// Its output and its signals are ours.
int run_to_its_end(std::vector<std::string> command) {
  std::vector<char*> pointers;
  for (std::string& argument : command) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  pid_t child = 0;
  if (const int error = posix_spawn(&child, pointers[0], nullptr, nullptr, pointers.data(), environ); error != 0)
    failed("{}: cannot be run: {}", command[0], std::strerror(error));
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

}  // namespace

int run_on_cluster(const Platform& platform, const fs::path& file, int nodes,
                   const std::vector<std::string>& arguments) {
  const fs::path program = program_for_clusters(fs::path(arguments[0]).filename().string());
  const fs::path launcher = find_program("smpirun");
  if (launcher.empty()) bad_input("--nodes: smpirun is not there; it comes with SimGrid (libsimgrid-dev)");
  const PlatformFiles files(platform, nodes);
  files.use();
  setenv("STARPU_SILENT", "1", 0);  // of MPI's threads, which SMPI has none of
  setenv(platform_variable, file.c_str(), 1);
  std::vector<std::string> command{launcher, "-np", std::to_string(nodes), "-platform", files.folder() / "cluster.xml",
                                   "-hostfile", files.folder() / "hosts",
                                   // messages take what the platform says, computation between tasks takes no time
                                   "--cfg=network/model:CM02", "--cfg=smpi/simulate-computation:no",
                                   // each rank's copy of the program has its own data
                                   "--cfg=smpi/privatization:dlopen", "--cfg=contexts/stack-size:1024",
                                   "--cfg=contexts/guard-size:0", "--cfg=smpi/shared-malloc-blocksize:67108864",
                                   "--log=root.thresh:error", program};
  command.insert(command.end(), arguments.begin() + 1, arguments.end());
  return run_to_its_end(command);
}

}  // namespace asterism::apps

// SPDX-License-Identifier: Apache-2.0
// on_cluster PLATFORM.toml NODES PROGRAM [OPTIONS...]: as PROGRAM --simulate PLATFORM.toml --nodes NODES does.
#include <cstdio>
#include <cstdlib>
#include <exception>

#include "apps/common/simulated_cluster.hpp"

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  std::vector<std::string> arguments(argv + 3, argv + argc);
  arguments.insert(arguments.end(), {"--simulate", argv[1]});
  try {
    return asterism::apps::run_on_cluster(asterism::read_platform(argv[1]), argv[1], std::atoi(argv[2]), arguments);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "on_cluster: error: %s\n", error.what());
    return 2;
  }
}

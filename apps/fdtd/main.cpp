// SPDX-License-Identifier: Apache-2.0
// asterism-fdtd: the finite-difference time-domain method as a task flow.
#include <string_view>

#include "apps/common/driver.hpp"
#include "apps/fdtd/farm.hpp"
#include "apps/fdtd/plot.hpp"
#include "apps/fdtd/run.hpp"

// C linkage: StarPU's simulator renames and calls it.
extern "C" int main(int argc, char** argv) {
  using namespace asterism::apps::fdtd;
  const std::string_view command = argc > 1 ? argv[1] : "";
  if (command == "farm") return farm_command(argc - 1, argv + 1);
  if (command == "plot") return plot_command(argc - 1, argv + 1);
  Run run;
  return asterism::apps::drive("asterism-fdtd", argc, argv, run);
}

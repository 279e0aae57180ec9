// SPDX-License-Identifier: Apache-2.0
// asterism-lbm: the lattice Boltzmann method as a task flow.
#include "apps/common/driver.hpp"
#include "apps/lbm/run.hpp"

// C linkage: StarPU's simulator renames and calls it.
extern "C" int main(int argc, char** argv) {
  asterism::apps::lbm::Run run;
  return asterism::apps::drive("asterism-lbm", argc, argv, run);
}

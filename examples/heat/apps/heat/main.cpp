// SPDX-License-Identifier: Apache-2.0
// asterism-heat: the heat equation as a task flow.
#include "apps/common/driver.hpp"
#include "apps/heat/run.hpp"

// C linkage: StarPU's simulator renames and calls it.
extern "C" int main(int argc, char** argv) {
  asterism::apps::heat::Run run;
  return asterism::apps::drive("asterism-heat", argc, argv, run);
}

// SPDX-License-Identifier: Apache-2.0
// asterism-decay: the decay equation as a task flow.
#include "apps/common/driver.hpp"
#include "apps/decay/run.hpp"

// C linkage: StarPU's simulator renames and calls it.
extern "C" int main(int argc, char** argv) {
  asterism::apps::decay::Run run;
  return asterism::apps::drive("asterism-decay", argc, argv, run);
}

// SPDX-License-Identifier: Apache-2.0
// asterism-fmm: the fast multipole method as a task flow.
#include "apps/common/driver.hpp"
#include "apps/fmm/run.hpp"

// C linkage: StarPU's simulator renames and calls it.
extern "C" int main(int argc, char** argv) {
  asterism::apps::fmm::Run run;
  return asterism::apps::drive("asterism-fmm", argc, argv, run);
}

// SPDX-License-Identifier: Apache-2.0
// asterism-tdbem: time-domain boundary elements as a task flow.
#include <starpu.h>

#include "apps/common/driver.hpp"
#include "apps/tdbem/run.hpp"

// C linkage: StarPU's simulator renames and calls it.
extern "C" int main(int argc, char** argv) {
  asterism::apps::tdbem::Run run;
  return asterism::apps::drive("asterism-tdbem", argc, argv, run);
}

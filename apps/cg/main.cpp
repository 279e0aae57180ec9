// SPDX-License-Identifier: Apache-2.0
// asterism-cg: conjugate gradient as a task flow.
#include "apps/cg/run.hpp"

// C linkage: StarPU's simulator renames and calls it.
extern "C" int main(int argc, char** argv) {
  asterism::apps::cg::Run run;
  return asterism::apps::drive("asterism-cg", argc, argv, run);
}

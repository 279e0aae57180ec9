// SPDX-License-Identifier: Apache-2.0
// Small trees whose includes point upwards, sideways, nowhere, or to headers that a floor must not see.
#include <gtest/gtest.h>

#include "tests/structure/small_tree.hpp"

namespace {

using namespace asterism::structure;

class Floors : public testing::Test {
 protected:
  /// A house in which one file of each floor is there to be included.
  Floors() {
    for (const char* file :
         {"base/error.hpp", "io/text.hpp", "runtime/submit.hpp", "codelets/codelet.hpp", "codelets/cg/codelets.hpp",
          "codelets/cg/kernels/kernels.hpp", "codelets/lbm/codelets.hpp", "codelets/lbm/kernels/kernels.hpp",
          "taskflows/cg/flow.hpp", "taskflows/lbm/flow.hpp", "schedulers/policies.hpp", "traces/metrics.hpp",
          "bounds/area.hpp", "api/state.hpp", "apps/cg/arguments.hpp", "apps/common/program.hpp",
          "include/asterism/cg.hpp", "tests/reference.hpp"}) {
      tree_.write(file, "#pragma once\n");
    }
  }

  /// `file` includes each of these from line 2 on; complaints begin as given.
  void expect(const std::string& file, const std::vector<std::string>& included,
              const std::vector<std::string>& complaints) {
    std::string text = "// A file.\n";
    for (const std::string& name : included) {
      text += name.starts_with('<') ? "#include " + name + "\n" : "#include \"" + name + "\"\n";
    }
    tree_.write(file, text);
    expect_complaints(check_floors(tree_.read()), complaints);
    tree_.remove(file);
  }

  SmallTree tree_;
};

TEST_F(Floors, WhatIsBelowMayBeIncluded) {
  expect("base/a.cpp", {"<vector>", "base/error.hpp"}, {});
  expect("io/a.cpp", {"<hdf5.h>", "io/text.hpp", "base/error.hpp"}, {});
  expect("runtime/ranks/a.cpp", {"<starpu_mpi.h>", "<mpi.h>", "<hwloc.h>", "runtime/submit.hpp", "io/text.hpp"}, {});
  expect("codelets/cg/kernels/far/a.cu", {"<cuda_runtime.h>", "codelets/cg/kernels/kernels.hpp", "base/error.hpp"}, {});
  expect("codelets/a.cpp", {"<starpu.h>", "codelets/codelet.hpp", "runtime/submit.hpp"}, {});
  expect("codelets/cg/a.cpp",
         {"<starpu.h>", "codelets/codelet.hpp", "codelets/cg/codelets.hpp", "codelets/cg/kernels/kernels.hpp",
          "runtime/submit.hpp", "io/text.hpp", "base/error.hpp"},
         {});
  expect("taskflows/cg/a.cpp",
         {"<starpu.h>", "taskflows/cg/flow.hpp", "codelets/cg/codelets.hpp", "codelets/cg/kernels/kernels.hpp",
          "codelets/codelet.hpp", "runtime/submit.hpp", "io/text.hpp", "base/error.hpp"},
         {});
  expect("schedulers/a.cpp", {"<starpu_scheduler.h>", "schedulers/policies.hpp", "runtime/submit.hpp"}, {});
  expect("traces/readers/fxt.cpp", {"<starpu_fxt.h>", "traces/metrics.hpp", "runtime/submit.hpp"}, {});
  expect("bounds/a.cpp", {"bounds/area.hpp", "traces/metrics.hpp", "io/text.hpp"}, {});
  expect("include/asterism/a.hpp", {"<asterism/cg.hpp>", "<span>"}, {});
  expect("api/a.cpp", {"<starpu.h>", "<asterism/cg.hpp>", "api/state.hpp", "taskflows/cg/flow.hpp", "base/error.hpp"},
         {});
  expect("apps/cg/a.cpp",
         {"<starpu.h>", "apps/common/program.hpp", "apps/cg/arguments.hpp", "taskflows/cg/flow.hpp", "bounds/area.hpp",
          "schedulers/policies.hpp"},
         {});
  expect("apps/compare/a.cpp", {"taskflows/cg/flow.hpp", "taskflows/lbm/flow.hpp"}, {});
  expect("examples/a.cpp", {"apps/cg/arguments.hpp", "taskflows/cg/flow.hpp"}, {});
  expect("tests/a.cpp", {"<starpu_mpi.h>", "tests/reference.hpp", "apps/cg/arguments.hpp", "base/error.hpp"}, {});
}

TEST_F(Floors, IncludesThatPointUpwards) {
  expect("base/a.hpp", {"io/text.hpp"}, {"base/a.hpp:2: includes \"io/text.hpp\", expected a file of base/"});
  expect("io/a.cpp", {"runtime/submit.hpp"}, {"io/a.cpp:2: includes \"runtime/submit.hpp\""});
  expect("runtime/a.cpp", {"io/text.hpp", "schedulers/policies.hpp", "codelets/codelet.hpp"},
         {"runtime/a.cpp:3: includes \"schedulers/policies.hpp\", expected a file of runtime/, io/, base/",
          "runtime/a.cpp:4: includes \"codelets/codelet.hpp\""});
  expect("codelets/a.hpp", {"codelets/cg/codelets.hpp"}, {"codelets/a.hpp:2: includes \"codelets/cg/codelets.hpp\""});
  expect("codelets/cg/kernels/a.cpp", {"codelets/cg/codelets.hpp", "runtime/submit.hpp", "io/text.hpp"},
         {"codelets/cg/kernels/a.cpp:2:", "codelets/cg/kernels/a.cpp:3:",
          "codelets/cg/kernels/a.cpp:4: includes \"io/text.hpp\", expected a file of codelets/cg/kernels/, base/"});
  expect("codelets/cg/a.cpp", {"taskflows/cg/flow.hpp"}, {"codelets/cg/a.cpp:2:"});
  expect("taskflows/cg/a.cpp", {"apps/cg/arguments.hpp", "schedulers/policies.hpp"},
         {"taskflows/cg/a.cpp:2:", "taskflows/cg/a.cpp:3:"});
  expect("schedulers/a.cpp", {"taskflows/cg/flow.hpp"}, {"schedulers/a.cpp:2:"});
  expect("traces/a.cpp", {"bounds/area.hpp"}, {"traces/a.cpp:2:"});
  expect("bounds/a.cpp", {"codelets/cg/kernels/kernels.hpp"}, {"bounds/a.cpp:2:"});
  expect("include/asterism/a.hpp", {"base/error.hpp"}, {"include/asterism/a.hpp:2: includes \"base/error.hpp\""});
  expect("api/a.cpp", {"apps/cg/arguments.hpp"}, {"api/a.cpp:2: includes \"apps/cg/arguments.hpp\""});
  expect("taskflows/cg/a.cpp", {"api/state.hpp"}, {"taskflows/cg/a.cpp:2:"});
  expect("apps/cg/a.cpp", {"tests/reference.hpp"}, {"apps/cg/a.cpp:2:"});
  expect("examples/a.cpp", {"tests/reference.hpp"}, {"examples/a.cpp:2:"});
}

TEST_F(Floors, NoMethodIncludesAnother) {
  expect("codelets/cg/kernels/a.cu", {"codelets/lbm/kernels/kernels.hpp"}, {"codelets/cg/kernels/a.cu:2:"});
  expect("codelets/cg/a.cpp", {"codelets/lbm/kernels/kernels.hpp"}, {"codelets/cg/a.cpp:2:"});
  expect("taskflows/cg/a.cpp", {"taskflows/lbm/flow.hpp", "codelets/lbm/codelets.hpp"},
         {"taskflows/cg/a.cpp:2:", "taskflows/cg/a.cpp:3:"});
  expect("apps/cg/a.cpp", {"apps/cg/arguments.hpp", "taskflows/lbm/flow.hpp"},
         {"apps/cg/a.cpp:3: includes \"taskflows/lbm/flow.hpp\", expected no method but cg"});
}

TEST_F(Floors, StarpuAndMpiAreSeenWhereTheyMayBe) {
  expect("codelets/cg/kernels/a.hpp", {"<starpu.h>", "<mpi.h>", "<hwloc.h>", "<starpu_cuda.h>"},
         {"codelets/cg/kernels/a.hpp:2: includes <starpu.h>, expected no StarPU, MPI or hwloc in kernels",
          "codelets/cg/kernels/a.hpp:3: includes <mpi.h>", "codelets/cg/kernels/a.hpp:4: includes <hwloc.h>",
          "codelets/cg/kernels/a.hpp:5: includes <starpu_cuda.h>"});
  expect("include/asterism/a.hpp", {"<hdf5.h>", "<nlohmann/json.hpp>", "<starpu.h>"},
         {"include/asterism/a.hpp:2: includes <hdf5.h>, expected the standard library",
          "include/asterism/a.hpp:3:", "include/asterism/a.hpp:4:"});
  for (const std::string file : {"base/a.hpp", "io/a.cpp", "traces/a.cpp", "bounds/a.cpp"}) {
    expect(file, {"<starpu_config.h>"}, {file + ":2: includes <starpu_config.h>"});
  }
  for (const std::string file : {"codelets/cg/a.cpp", "taskflows/cg/a.cpp", "schedulers/a.cpp", "apps/cg/a.cpp"}) {
    expect(file, {"<starpu.h>", "<starpu_mpi.h>", "<mpi.h>"},
           {file + ":3: includes <starpu_mpi.h>, expected MPI in runtime/ only", file + ":4: includes <mpi.h>"});
  }
}

TEST_F(Floors, IncludesThatNameNoFileByItsPathFromTheRoot) {
  expect("io/a.cpp", {"text.hpp", "io/missing.hpp", "<io/text.hpp>"},
         {"io/a.cpp:2: includes \"text.hpp\", which the repository has not", "io/a.cpp:3: includes \"io/missing.hpp\"",
          "io/a.cpp:4: includes <io/text.hpp>, expected quotes"});
  expect("io/b.cpp", {"<runtime/submit.hpp>"},
         {"io/b.cpp:2: includes <runtime/submit.hpp>, expected quotes", "io/b.cpp:2: includes \"runtime/submit.hpp\""});
}

TEST_F(Floors, SourcesOutsideTheHouse) {
  expect("tools/a.cpp", {}, {"tools/a.cpp: a source file on no floor"});
  expect("taskflows/a.hpp", {}, {"taskflows/a.hpp: a source file on no floor"});
}

TEST_F(Floors, AnExampleHasTheFoldersOfTheHouseInItsOwn) {
  tree_.write("examples/heat/codelets/heat/codelets.hpp", "#pragma once\n");
  expect("examples/heat/taskflows/heat/flow.cpp", {"codelets/heat/codelets.hpp", "runtime/submit.hpp"}, {});
  expect(
      "examples/heat/taskflows/heat/flow.cpp", {"codelets/heat/none.hpp"},
      {"examples/heat/taskflows/heat/flow.cpp:2: includes \"codelets/heat/none.hpp\", which the repository has not"});
  expect("apps/cg/a.cpp", {"codelets/heat/codelets.hpp"},
         {"apps/cg/a.cpp:2: includes \"codelets/heat/codelets.hpp\", which the repository has not"});
}

}  // namespace

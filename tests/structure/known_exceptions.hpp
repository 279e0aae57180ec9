// What breaks a rule of checks.hpp today and is being repaired: the key of the complaints (checks.hpp), and how many
// there are. A row that is no longer needed fails the test of the tree, so that these tables can only shrink.
#pragma once

#include "tests/structure/checker/complaint.hpp"

namespace asterism::structure {

inline const KnownExceptions known_contract = {
    {"taskflows/cg/problem.hpp", 1},
    {"taskflows/cg/cases.hpp", 1},
    {"taskflows/cg/cases.cpp", 1},
    {"taskflows/cg/decomposition.hpp", 1},
    {"taskflows/cg/simulation.hpp", 1},
    {"taskflows/cg/simulation.cpp", 1},
    {"taskflows/cg/reference.hpp", 1},
    {"taskflows/cg/reference.cpp", 1},
    {"apps/cg/main.cpp", 1},
};

inline const KnownExceptions known_sizes = {
    {"apps/cg/arguments.cpp: parse_arguments", 1},
    {"apps/cg/main.cpp: solve_and_report", 1},
    {"codelets/fdtd/kernels/update/steps.cuh: steps_kernel", 1},
    {"runtime/session.cpp: Session::Session", 1},
    {"scripts/readme-tables", 1},
    {"taskflows/cg/matrix/elasticity.cpp", 1},
    {"taskflows/cg/matrix/matrix_market.cpp", 1},
    {"tests/apps/test_asterism_compare.cpp", 1},
    {"tests/apps/test_asterism_compare.cpp: TEST_F(AsterismCompare, AnyStarPUProgram)", 1},
    {"tests/apps/test_compare_parts.cpp", 1},
    {"tests/bounds/test_bounds.cpp", 1},
    {"tests/io/test_mesh.cpp", 1},
    {"tests/runtime/test_platform.cpp", 1},
    {"tests/taskflows/cg/test_elasticity.cpp", 1},
    {"tests/taskflows/cg/test_matrix_market.cpp", 1},
    {"tests/taskflows/fdtd/test_scene_errors.cpp: TEST_F(SceneTests, WrongScenesAreRefusedByLine)", 1},
    {"tests/traces/page_in_browser.mjs", 1},
    {"tests/traces/test_page.cpp", 1},
    {"traces/readers/paje.cpp", 1},
    {"traces/reports/perfetto.cpp: write_perfetto", 1},
};

inline const KnownExceptions known_outside_paths = {
    {"CMakeLists.txt", 1},
    {"tests/taskflows/cg/flow.hpp", 1},
    {"tests/taskflows/cg/test_elasticity.cpp", 1},
    {"tests/taskflows/cg/test_matrix_market.cpp", 1},
};

inline const KnownExceptions known_comments = {
    {"apps/common/simulate.cpp", 1},
    {"apps/reproduce/cg_tables.cpp", 2},
    {"apps/reproduce/fmm_shares.cpp", 1},
    {"apps/reproduce/lbm_figures.cpp", 1},
    {"apps/reproduce/simulated_experiment.hpp", 1},
    {"apps/reproduce/simulations.hpp", 1},
    {"apps/reproduce/tdbem_figure15.cpp", 1},
    {"base/fingerprint.hpp", 1},
    {"bounds/area.cpp", 1},
    {"codelets/cg/codelets.cpp", 1},
    {"codelets/cg/codelets.hpp", 1},
    {"codelets/cg/gpu_contexts.hpp", 1},
    {"io/hdf5/compression.hpp", 1},
    {"io/mesh/read_ply.cpp", 1},
    {"io/mesh/readers.hpp", 1},
    {"io/series/grid.hpp", 1},
    {"runtime/handle.hpp", 1},
    {"runtime/host_memory.hpp", 1},
    {"runtime/machine/task_cost.hpp", 1},
    {"runtime/ranks/all_gather.cpp", 1},
    {"runtime/ranks/ranks.cpp", 1},
    {"runtime/ranks/ranks_simulated.cpp", 1},
    {"runtime/session.hpp", 1},
    {"schedulers/policy_of_context.hpp", 1},
    {"taskflows/cg/system.cpp", 1},
    {"taskflows/cg/system.hpp", 1},
    {"tests/apps/recorded_run.hpp", 1},
    {"tests/benchmarks/device_clock.hpp", 1},
    {"tests/io/test_output.cpp", 2},
    {"tests/traces/recording_builder.hpp", 1},
    {"traces/clocks.cpp", 2},
    {"traces/kinds.cpp", 1},
    {"traces/metrics.hpp", 1},
};

}  // namespace asterism::structure

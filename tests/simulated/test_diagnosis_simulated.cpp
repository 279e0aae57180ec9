// SPDX-License-Identifier: Apache-2.0
// Faults that StarPU itself makes on a simulated machine, told to: they are found in its recording, and only there.
#include <algorithm>

#include "tests/simulated/simulated_runs.hpp"
#include "traces/diagnosis/finding.hpp"
#include "traces/readers/read.hpp"

namespace {

using asterism::traces::Fault;

class DiagnosisOfSimulatedRuns : public asterism::tests::SimulatedRuns {
 protected:
  struct Faults {
    std::vector<asterism::traces::Finding> findings;
    double unit_seconds = 0;
    [[nodiscard]] double seconds(Fault fault) const {
      double sum = 0;
      for (const auto& f : findings)
        if (f.fault == fault) sum += f.seconds;
      return sum;
    }
  };
  /// Findings in conjugate gradients on two GPUs, cut finely, with a variable of StarPU's environment.
  Faults with(const char* variable, const char* value) {
    setenv(variable, value, 1);
    const auto ran = run("asterism-cg",
                         "--stencil 11pts-64 --iterations 20 --blocks 16 --gpus 2 --cpus 0 --transfer full --scheduler "
                         "eager --trace trace");
    unsetenv(variable);
    EXPECT_EQ(ran.status, 0) << ran.errors;
    const asterism::traces::Recording r = asterism::traces::read({folder_ / "trace"});
    std::filesystem::remove_all(folder_ / "trace");
    return {asterism::traces::diagnose(r, asterism::traces::measure(r)), 2 * r.makespan()};
  }
};

TEST_F(DiagnosisOfSimulatedRuns, DataThatGoThroughMemory) {
  const Faults direct = with("STARPU_ENABLE_CUDA_GPU_GPU_DIRECT", "1");
  EXPECT_EQ(direct.seconds(Fault::through_memory), 0);
  EXPECT_EQ(direct.seconds(Fault::data_read_again), 0);
  const Faults detour = with("STARPU_ENABLE_CUDA_GPU_GPU_DIRECT", "0");
  EXPECT_GT(detour.seconds(Fault::through_memory), 0.02 * detour.unit_seconds);
  EXPECT_LT(detour.seconds(Fault::through_memory), detour.unit_seconds);
  EXPECT_EQ(detour.seconds(Fault::data_read_again), 0);
}

TEST_F(DiagnosisOfSimulatedRuns, DataThatAreEvicted) {
  const Faults small = with("STARPU_LIMIT_CUDA_MEM", "48");  // MiB
  EXPECT_GT(small.seconds(Fault::data_read_again), 0.02 * small.unit_seconds);
  EXPECT_LT(small.seconds(Fault::data_read_again), small.unit_seconds);
  EXPECT_EQ(with("STARPU_LIMIT_CUDA_MEM", "1000").seconds(Fault::data_read_again), 0);
}

}  // namespace

// SPDX-License-Identifier: Apache-2.0
// Example 8: what the tasks of a recording did, and how short any schedule of them could be.
//
//   bounds RECORDING    a folder of FxT files: STARPU_FXT_TRACE=1 STARPU_FXT_PREFIX=run/ program, then: bounds run
#include <asterism/bounds.hpp>
#include <cstdio>
#include <map>
#include <string>

int main(int argc, char** argv) try {
  if (argc != 2) throw asterism::Error(asterism::Error::Kind::bad_input, "expected a recording");
  const asterism::traces::Recording recording(argv[1]);

  struct Sum {
    int tasks = 0;
    double seconds = 0;
  };
  std::map<std::string, Sum> of;  // by codelet and kind of unit
  std::map<std::string, double> twice;
  for (const asterism::traces::Task& task : recording.tasks()) {
    if (task.unit < 0) continue;
    Sum& sum = of[std::string(task.codelet) + " on " + std::string(recording.units()[task.unit].kind)];
    ++sum.tasks;
    sum.seconds += task.end - task.start;
  }
  for (const asterism::traces::Unit& unit : recording.units()) twice[std::string(unit.kind)] += 2;

  for (const auto& [what, sum] : of)
    std::printf("%6d of %-30s %10.3f us each\n", sum.tasks, what.c_str(), sum.seconds / sum.tasks * 1e6);
  const asterism::bounds::Bounds bounds = asterism::bounds::compute(recording);
  std::printf("makespan                    %10.3f ms\n", recording.makespan() * 1e3);
  std::printf("no schedule beats, by work  %10.3f ms\n", bounds.lp * 1e3);
  if (bounds.critical_path) std::printf("             by dependencies %9.3f ms\n", *bounds.critical_path * 1e3);
  std::printf("             by all bounds  %10.3f ms\n", bounds.best * 1e3);
  std::printf("with twice the units        %10.3f ms\n", asterism::bounds::compute(recording, twice).best * 1e3);
} catch (const asterism::Error& error) {
  std::fprintf(stderr, "bounds: %s\n", error.what());
  return error.kind() == asterism::Error::Kind::bad_input ? 2 : 1;
}

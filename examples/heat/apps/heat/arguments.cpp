// SPDX-License-Identifier: Apache-2.0
#include "apps/heat/arguments.hpp"

#include "apps/common/options.hpp"
#include "apps/common/program.hpp"
#include "apps/common/solver_options.hpp"

namespace asterism::apps::heat {

std::optional<int> parse_arguments(int argc, char** argv, Arguments& args) {
  CLI::App app(
      "The heat equation on a square by explicit Euler, written as a flow of StarPU tasks.\n\n"
      "  asterism-heat --size 512 --steps 2000 --verify\n",
      "asterism-heat");
  add_general_options(app);
  CLI::Option_group* problem = app.add_option_group("Problem");
  problem->add_option("--case", args.problem_case.name, "mode: a sine wave that decays; spot: a warm square")
      ->capture_default_str();
  int size = 256;
  problem->add_option("--size", size, "Inner points along x and y")
      ->check(CLI::Range(1, 1 << 15))
      ->capture_default_str();
  problem->add_option("--steps", args.steps, "Time steps")->check(CLI::Range(0L, 1L << 40))->capture_default_str();
  problem->add_option("--dt", args.problem_case.dt, "Time step in s (default: four fifths of the stable one)")
      ->check(positive_number());
  problem->add_option("--blocks", args.blocks, "Blocks of rows (default: two for each unit)")
      ->check(CLI::Range(1, 4096));
  CLI::Option_group* machine = add_machine_group(app);
  add_units(machine, args.common.session);
  add_calibrate(machine, args.common.calibrate);
  CLI::Option_group* results = app.add_option_group("Results");
  results->add_option("--checkpoint", args.checkpoint, "State at the end, HDF5");
  results->add_option("--restart", args.restart, "Resume from such a file, up to --steps");
  add_reports(results, args.common.json, args.common.trace, "times, rates, errors");
  results->add_flag("--verify", args.common.verify, "Compare with the exact answer, or with a simple solver");
  add_quiet(*results, args.common.quiet);
  if (const auto status = parse(app, argc, argv)) return status;
  args.problem_case.size = {size, size};
  require_writable("--json", args.common.json);
  require_writable("--checkpoint", args.checkpoint);
  return std::nullopt;
}

}  // namespace asterism::apps::heat

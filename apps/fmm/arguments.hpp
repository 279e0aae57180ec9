// SPDX-License-Identifier: Apache-2.0
// The command line of asterism-fmm.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "apps/common/driver.hpp"
#include "apps/fmm/motion.hpp"
#include "apps/fmm/periodic.hpp"
#include "apps/fmm/physics.hpp"
#include "taskflows/fmm/cases.hpp"
#include "taskflows/fmm/particles/particles.hpp"
#include "taskflows/fmm/particles/read_particles.hpp"
#include "taskflows/fmm/problem.hpp"
#include "taskflows/fmm/scheduling.hpp"
#include "taskflows/fmm/simulation.hpp"
#include "taskflows/fmm/targets/target_grid.hpp"
#include "taskflows/fmm/tree/tree_choice.hpp"

namespace asterism::apps::fmm {

struct Arguments {
  SolverOptions common;
  // the particles
  std::string input;  ///< file; empty: generated
  asterism::fmm::ReadOptions read;
  asterism::fmm::GeneratedCase generated;
  std::string at;                      ///< file with targets, or a grid of them; empty: the particles themselves
  std::vector<double> at_bounds;       ///< of a grid: lowest and highest x, y, z; none: those of the particles
  std::optional<std::string> charges;  ///< of generated particles; none: those that suit the law
  PhysicsOptions physics;
  PeriodicOptions periodic;
  // the method
  std::string kernel = "laplace";
  double kappa = 1;
  int accuracy = 5;
  std::optional<int> order;
  std::optional<double> epsilon;
  std::optional<double> radius_squared;
  asterism::fmm::Options options;
  asterism::fmm::TreeKind tree = asterism::fmm::TreeKind::automatic;
  // time
  int repeat = 1;
  MotionOptions motion;
  std::string checkpoint;
  int checkpoint_every = 0;  ///< steps; 0: at the end only
  std::string restart;
  // the machine
  std::optional<asterism::fmm::GpuOrder> gpu_order;  ///< none: suitable_order()
  // results
  std::string output;
  std::optional<std::int64_t> targets;
};

/// Fills `arguments`; returns an exit status when the program is to end here.
std::optional<int> parse_arguments(int argc, char** argv, Arguments& arguments);

/// The part of the particles that this rank begins with.
asterism::fmm::Part part_of_rank();
/// Reads or generates the particles of this rank: a part of them, in their order.
asterism::fmm::Particles load_particles(const Arguments& arguments);
/// The grid of --at, in its bounds or these.
asterism::output::Grid load_grid(const Arguments& arguments, const asterism::fmm::Extent& bounds);
/// Reads the targets of this rank: a part of those of --at, in their order.
asterism::fmm::Particles load_targets(const Arguments& arguments);
/// "cube, 100000 particles, ..."; `targets`: of --at.
std::string describe_particles(const Arguments& arguments, std::size_t particles, std::size_t targets);

asterism::fmm::Problem make_problem(const Arguments& arguments);
/// The largest relative L2 error of a right answer.
double allowed_error(const Arguments& arguments);
/// The one that --accuracy promises.
double promised_error(const Arguments& arguments);

}  // namespace asterism::apps::fmm

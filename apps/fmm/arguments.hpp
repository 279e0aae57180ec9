// The command line of asterism-fmm.
#pragma once

#include <optional>
#include <string>

#include "apps/common/simulate.hpp"
#include "runtime/session.hpp"
#include "taskflows/fmm/interaction.hpp"
#include "taskflows/fmm/particles/particles.hpp"
#include "taskflows/fmm/particles/read_particles.hpp"
#include "taskflows/fmm/scheduling.hpp"
#include "taskflows/fmm/system.hpp"

namespace asterism::apps::fmm {

struct Arguments {
  // the particles
  std::string input;
  asterism::fmm::ReadOptions read;
  std::string distribution = "cube";
  std::size_t particles = 100000;
  std::uint64_t seed = 1;
  std::string charges = "signs";
  // the method
  std::string kernel = "laplace";
  double kappa = 1;
  int accuracy = 5;
  std::optional<int> order;
  std::optional<double> epsilon;
  std::optional<double> radius_squared;
  asterism::fmm::Options options;
  // time
  int repeat = 1;
  int steps = 0;
  double dt = 1e-3;
  std::string checkpoint;
  int checkpoint_every = 0;  ///< steps; 0: at the end only
  std::string restart;
  // the machine
  SessionOptions session;
  Simulated platform;                                ///< to simulate, if any
  std::optional<asterism::fmm::GpuOrder> gpu_order;  ///< none: suitable_order()
  // results
  std::string output;
  std::string json;
  std::string trace;
  bool calibrate = false;
  bool verify = false;
  std::optional<std::int64_t> targets;
  bool quiet = false;
};

/// Fills `arguments`; returns an exit status when the program is to end here.
std::optional<int> parse_arguments(int argc, char** argv, Arguments& arguments);

/// Which of the particles this rank begins with.
asterism::fmm::Part part_of_rank();
/// Reads or generates the particles of this rank: a part of them, in their order.
asterism::fmm::Particles load_particles(const Arguments& arguments);
/// "cube, 100000 particles, ..."
std::string describe(const Arguments& arguments, std::size_t particles);

asterism::fmm::Interaction choose_interaction(const Arguments& arguments);

}  // namespace asterism::apps::fmm

// SPDX-License-Identifier: Apache-2.0
#include "apps/fmm/arguments.hpp"

#include <cmath>
#include <cstdlib>

#include "apps/common/options.hpp"
#include "apps/common/program.hpp"
#include "apps/common/simulate.hpp"
#include "apps/common/solver_options.hpp"
#include "base/error.hpp"
#include "runtime/machine/simulated_machine.hpp"
#include "runtime/machine/this_machine.hpp"
#include "runtime/ranks/ranks.hpp"
#include "taskflows/fmm/dynamics/snapshots.hpp"
#include "taskflows/fmm/plan/choose_plan.hpp"

namespace asterism::apps::fmm {

using namespace asterism::fmm;

namespace {

/// A lower bound of the bytes per particle: positions, charges, results, copies of neighbours.
constexpr double least_bytes_per_particle = 200;

/// With --order no accuracy is promised: only answers that are wrong altogether are refused.
constexpr double loosest = 0.1;
/// The accuracies are measured on generated distributions; charges and places in a file may be harder, and forces of
/// crystals, whose ions cancel each other, are.
constexpr double error_factor_of_files = 4;

void add_particles(CLI::App& app, Arguments& args) {
  CLI::Option_group* what = app.add_option_group("Particles");
  auto* input = what->add_option("--input", args.input, std::string("File with particles:\n") + input_formats());
  what->add_option("--columns", args.read.columns,
                   "Columns of --input: numbers or names of x, y, z, charge, or these and vx, vy, vz");
  what->add_option("--dataset", args.read.dataset, "Dataset(s) of an HDF5 --input");
  auto* distribution = what->add_option("--distribution", args.generated.distribution,
                                        "Generated: cube (volume), ellipsoid (surface 1:5:1, denser at the tips),\n"
                                        "sphere (surface), plummer (star cluster), tilted-ellipsoid (the paper's:\n"
                                        "oblique to the axes, in a tree of the unit cube), salt and caesium-chloride\n"
                                        "(crystals, with --periodic xyz)")
                           ->check(CLI::IsMember(distribution_names()))
                           ->capture_default_str();
  auto* particles =
      what->add_option("--particles", args.generated.particles, "Number of generated particles")->capture_default_str();
  what->add_option("--seed", args.generated.seed, "Seed of the generator")->capture_default_str();
  what->add_option("--charges", args.charges,
                   "signs (+-1/2), uniform (0 to 1), ones, shares (sum 1), neutral (sum exactly 0)\n"
                   "(default: signs; with --law gravity shares; with --periodic neutral)")
      ->check(CLI::IsMember(charge_names()));
  input->excludes(distribution)->excludes(particles);
  add_periodic(what, args.periodic, args.generated);
  what->add_option("--at", args.at,
                   "File with targets, in the formats of --input: potential and force there instead of at the\n"
                   "particles; a fourth column is the charge that feels the force (default 1).\n"
                   "grid:NXxNYxNZ or grid:N: nodes of a grid; --output NAME.pvd is then an image for ParaView");
  what->add_option("--at-bounds", args.at_bounds,
                   "Of --at grid: X0,X1,Y0,Y1,Z0,Z1, the first and last nodes (default: around the particles, or the\n"
                   "periodic box)")
      ->delimiter(',')
      ->expected(6);
}

void add_tree(CLI::Option_group* method, Arguments& args) {
  method
      ->add_option_function<std::string>(
          "--tree",
          [&args](const std::string& name) {
            args.tree = name == "uniform"    ? TreeKind::uniform
                        : name == "adaptive" ? TreeKind::adaptive
                                             : TreeKind::automatic;
          },
          "All leaves on one level (uniform), or smaller ones where particles are dense (adaptive; one process only);\n"
          "auto: adaptive where particles are clustered and the cost model says that it pays")
      ->check(CLI::IsMember({"auto", "uniform", "adaptive"}))
      ->default_str("auto");
  method
      ->add_option("--leaf-size", args.options.shape.leaf_size,
                   "Most particles of a leaf of an adaptive tree, which it asks for (default: cost model)")
      ->check(CLI::Range(1, 1 << 20));
  method
      ->add_option("--height", args.options.shape.height,
                   "Levels of the tree, leaves included; of an adaptive tree, the most (default: cost model)")
      ->check(CLI::Range(1, max_height));
}

/// The options about tasks and their distribution over ranks.
void add_tasks(CLI::Option_group* method, Arguments& args) {
  method->add_option("--group-size", args.options.shape.group_size, "n_g, cells per group (default: cost model)")
      ->check(CLI::Range(1, 1 << 23));
  method
      ->add_option_function<std::string>(
          "--reduction",
          [&args](const std::string& name) {
            args.options.reduction = name == "first" ? ReductionOrder::first
                                     : name == "any" ? ReductionOrder::any
                                                     : ReductionOrder::last;
          },
          "Where P2P results of neighbouring groups are added: after L2P (last), before (first), or in any order (any)")
      ->check(CLI::IsMember({"last", "first", "any"}))
      ->default_str("last");
  method
      ->add_option_function<std::string>(
          "--m2l",
          [&args](const std::string& name) {
            args.options.shape.far_tasks = name == "separate" ? FarTasks::separate : FarTasks::joined;
          },
          "One M2L task per group (joined), or one within the group and one with others, as in the paper (separate)")
      ->check(CLI::IsMember({"joined", "separate"}))
      ->default_str("joined");
  method
      ->add_option_function<std::string>(
          "--balance",
          [&args](const std::string& name) {
            args.options.share = name == "particles" ? ShareOf::particles : ShareOf::work;
          },
          "What processes have equal shares of: work (near and far pairs of the leaves), or particles")
      ->check(CLI::IsMember({"work", "particles"}))
      ->default_str("work");
  method->add_flag("!--no-split", args.options.split_near, "One priority for all P2P tasks, large and small");
}

void add_method(CLI::App& app, Arguments& args) {
  CLI::Option_group* method = app.add_option_group("Method");
  method->add_option("--kernel", args.kernel, "1/r, 1/r^2 or exp(-kappa r)/r")
      ->check(CLI::IsMember({"laplace", "inverse-square", "yukawa"}))
      ->capture_default_str();
  method->add_option("--kappa", args.kappa, "Inverse screening length of yukawa")->capture_default_str();
  method
      ->add_option("--accuracy", args.accuracy,
                   "Relative L2 errors of potential and force of at most 10^-A, A = 2 to 9, for charges of both signs")
      ->capture_default_str();
  auto* order = method->add_option(
      "--order", args.order,
      "Instead of --accuracy: Chebyshev order l per direction, all l^3 products, epsilon 10^-l: the\n"
      "paper's setting");
  method->add_option("--epsilon", args.epsilon, "Relative error of the compressed M2L operators, with --order")
      ->needs(order);
  method
      ->add_option("--radius2", args.radius_squared,
                   "Keep only products T_a T_b T_c with a^2 + b^2 + c^2 at most this, with --order")
      ->check(not_negative_number())
      ->needs(order);
  add_tree(method, args);
  add_tasks(method, args);
}

void add_repetition(CLI::App& app, Arguments& args) {
  CLI::Option_group* time = app.add_option_group("Repetition");
  time->add_option("--repeat", args.repeat, "Evaluations of the same particles, for measurements")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  add_motion(time, args.motion);
}

void add_machine(CLI::App& app, Arguments& args) {
  CLI::Option_group* machine = add_machine_group(app);
  add_units(machine, args.common.session, "As STARPU_SCHED; hprio is Asterism's HeteroPrio (default: hprio)");
  machine
      ->add_option("--streams", args.common.session.streams,
                   "CUDA workers per GPU, as STARPU_NWORKER_PER_CUDA (default: 2, so that kernels overlap)")
      ->check(CLI::Range(1, 16));
  add_simulate(machine, args.common.platform);
  machine
      ->add_option_function<std::string>(
          "--gpu-order",
          [&args](const std::string& name) {
            for (const auto& [known, order] : asterism::fmm::gpu_orders)
              if (name == known) args.gpu_order = order;
          },
          "hprio: what GPUs take first: results (far-first), or P2P and then M2L as in the paper (near-first); the\n"
          "same, but cores first take what they alone run (own-first)\n"
          "(default: far-first where GPUs run every operator, else own-first)")
      ->check(CLI::IsMember({"far-first", "near-first", "own-first"}));
  machine->add_flag(
      "--scheduler-places", args.options.scheduler_places,
      "The scheduler chooses where each task runs, as it does where --scheduler or STARPU_SCHED names it; else,\n"
      "on several GPUs with fewer cores beside them, each GPU runs all tasks of its groups of cells");
  add_calibrate(machine, args.common.calibrate);
}

void add_results(CLI::App& app, Arguments& args) {
  CLI::Option_group* results = app.add_option_group("Results");
  results->add_option(
      "--output", args.output,
      std::string("Potential and force of every particle, in the order of the input:\n") + output_formats());
  add_motion_results(results, args.motion);
  add_checkpoints(results, args.checkpoint, args.checkpoint_every, args.restart,
                  ",\nwith its particles and the same method");
  add_reports(results, args.common.json, args.common.trace, "tree, work, times, errors");
  results->add_flag(
      "--verify", args.common.verify,
      "Compare with direct summation; exit status 1 when the accuracy is missed (by four times for a file)");
  results->add_option("--targets", args.targets,
                      "Number of particles that --verify compares (default: as many as take seconds)");
  add_quiet(*results, args.common.quiet);
}

/// Refuses numbers of generated particles that are too small or do not fit into memory.
void check_size(const Arguments& args) {
  if (!args.input.empty()) return;
  if (args.generated.particles == 0) bad_input("--particles 0: expected at least 1");
  if (args.generated.particles < static_cast<std::size_t>(rank_group().ranks()))
    bad_input("--particles {}: expected at least one for each of {} processes", args.generated.particles,
              rank_group().ranks());
  const double memory = this_machine().memory_bytes * rank_group().ranks();  // each may have a machine of its own
  if (memory > 0 && static_cast<double>(args.generated.particles) * least_bytes_per_particle > memory)
    bad_input("--particles {}: they need at least {:.0f} GB, {} {:.0f} GB", args.generated.particles,
              static_cast<double>(args.generated.particles) * least_bytes_per_particle * 1e-9,
              rank_group().distributed() ? "as many machines as processes have" : "this machine has", memory * 1e-9);
}

void check_grid(const Arguments& args) {
  const bool grid = is_target_grid(args.at);
  if (!grid && !args.at_bounds.empty()) bad_input("--at-bounds: expected --at grid:NXxNYxNZ");
  if (!grid) return;
  static_cast<void>(nodes_of_grid(args.at));
  for (std::size_t d = 0; d < args.at_bounds.size() / 2; ++d)
    if (!(args.at_bounds[2 * d] <= args.at_bounds[2 * d + 1]) ||
        !std::isfinite(args.at_bounds[2 * d + 1] - args.at_bounds[2 * d]))
      bad_input("--at-bounds: {} to {} along {}; expected increasing numbers", args.at_bounds[2 * d],
                args.at_bounds[2 * d + 1], "xyz"[d]);
  if (rank_group().distributed() && is_collection(args.output))
    bad_input("--output {}: an image of --at grid; expected one process, found {}", args.output, rank_group().ranks());
}

/// Throws Error (bad_input) for values that do not go together or are out of range.
void check(const Arguments& args) {
  const double epsilon = make_problem(args).accuracy.epsilon;
  if (!(epsilon > 0 && epsilon < 1)) bad_input("--epsilon {}: expected between 0 and 1", epsilon);
  if (!std::isfinite(args.kappa) || args.kappa < 0) bad_input("--kappa {}: expected 0 or more", args.kappa);
  check_physics(args.physics);
  check_periodic(args);
  check_motion(args.motion, args.physics, args.input.empty() ? &args.generated : nullptr, args.output,
               is_target_grid(args.at));
  if (args.physics.gravity() && args.input.empty() &&
      (args.generated.charges == "signs" || args.generated.charges == "neutral"))
    bad_input("--charges {}: expected ones, shares or uniform with --law gravity", args.generated.charges);
  if (args.targets && *args.targets < 1) bad_input("--targets {}: expected at least 1", *args.targets);
  check_size(args);
  if (args.tree == TreeKind::uniform && args.options.shape.adaptive())
    bad_input("--leaf-size {}: expected --tree adaptive or auto", args.options.shape.leaf_size);
  if (rank_group().distributed() && (args.tree == TreeKind::adaptive || args.options.shape.adaptive()))
    bad_input("--tree adaptive: expected one process, found {}", rank_group().ranks());
  check_grid(args);
  if (args.motion.steps > 0 && !args.at.empty()) bad_input("--at {}: expected no --steps", args.at);
  if (args.motion.steps == 0 && !args.checkpoint.empty()) bad_input("--checkpoint: expected --steps");
  if (args.motion.steps == 0 && !args.restart.empty()) bad_input("--restart: expected --steps");
  if (args.checkpoint_every > 0 && args.checkpoint.empty()) bad_input("--checkpoint-every: expected --checkpoint");
  require_writable("--checkpoint", args.checkpoint);
  require_writable("--json", args.common.json);
  if (!args.output.empty()) check_snapshot_name(args.output);
}

}  // namespace

std::optional<int> parse_arguments(int argc, char** argv, Arguments& args) {
  CLI::App app(
      "Potential and force of every particle in the field of all others, sum_j q_j K(|x_i - x_j|), by the Chebyshev\n"
      "fast multipole method written as a flow of StarPU tasks on CPUs and GPUs (Agullo, Bramas, Coulaud, Darve,\n"
      "Messner, Takahashi, RR-8513).\n\n"
      "  asterism-fmm --distribution cube --particles 1000000 --accuracy 5 --verify\n"
      "  asterism-fmm --input molecule.pqr --units kcal/mol --output potential.csv\n"
      "  asterism-fmm --law gravity --distribution plummer --velocities equilibrium --particles 2000 \\\n"
      "               --softening 0.002 --steps 1000 --dt 1e-4 --energies energies.csv --chart energies.png\n"
      "  mpirun -n 4 asterism-fmm --particles 10000000 --cpus 15\n",
      "asterism-fmm");
  add_general_options(app, {"--input", "--distribution", "--particles", "--accuracy", "--kernel", "--law", "--output",
                            "--verify", "--cpus", "--gpus", "--trace", "--simulate"});

  add_particles(app, args);
  add_physics(app, args.physics);
  add_method(app, args);
  add_repetition(app, args);
  add_machine(app, args);
  add_results(app, args);
  if (const auto status = parse(app, argc, argv)) return status;
  args.generated.charges = args.charges.value_or(args.physics.gravity()  ? "shares"
                                                 : args.periodic.given() ? "neutral"
                                                                         : "signs");
  args.options.shape.periodic = static_cast<int>(args.periodic.directions.size());
  simulate(args.common.platform);
  refuse_when_simulated(args.common.verify, "--verify");
  refuse_when_simulated(!args.output.empty(), "--output");
  refuse_when_simulated(args.motion.steps > 0, "--steps");
  refuse_when_simulated(args.common.calibrate, "--calibrate");
  if (!args.common.session.streams && std::getenv("STARPU_NWORKER_PER_CUDA") == nullptr && visible_gpus() > 0 &&
      !simulated)
    args.common.session.streams = default_streams;
  check(args);
  return std::nullopt;
}

Part part_of_rank() {
  return {rank_group().rank(), rank_group().ranks()};
}

Particles load_particles(const Arguments& args) {
  const Part part = part_of_rank();
  if (!args.input.empty()) {
    ReadOptions options = args.read;
    options.part = part;
    Particles particles = read_particles(args.input, options);
    use_masses(args.physics, args.input, 0, particles);
    return particles;
  }
  return generate(args.generated, part);
}

output::Grid load_grid(const Arguments& args, const Extent& bounds) {
  const std::vector<double>& b = args.at_bounds;
  const auto side = [&](std::size_t first, const double(&of_particles)[3]) -> std::array<double, 3> {
    if (b.empty()) return {of_particles[0], of_particles[1], of_particles[2]};
    return {b[first], b[first + 2], b[first + 4]};
  };
  return target_grid(nodes_of_grid(args.at), side(0, bounds.low), side(1, bounds.high));
}

Particles load_targets(const Arguments& args) {
  ReadOptions options;
  options.part = part_of_rank();
  return read_particles(args.at, options);
}

std::string describe_particles(const Arguments& args, std::size_t particles, std::size_t targets) {
  const auto file_name = [](const std::string& path) { return path.substr(path.rfind('/') + 1); };
  const std::string at = args.at.empty() ? ""
                                         : fmt::format("; {} target(s) of {}", targets,
                                                       is_target_grid(args.at) ? args.at : file_name(args.at));
  if (!args.input.empty()) return fmt::format("{}: {} particles{}", file_name(args.input), particles, at);
  if (is_crystal(args.generated))
    return fmt::format(
        "{}, {} ions at distances of {:g}{}{}", args.generated.distribution, particles, args.generated.spacing,
        args.generated.displacement > 0 ? fmt::format(", displaced by up to {:g}", args.generated.displacement) : "",
        at);
  return fmt::format("{}, {} particles, charges {}{}", args.generated.distribution, particles, args.generated.charges,
                     at);
}

Problem make_problem(const Arguments& args) {
  Problem problem;
  problem.interaction = interaction_of(args.physics, args.kernel, args.kappa);
  problem.accuracy = args.order                   ? paper_accuracy(*args.order)
                     : args.periodic.given()      ? periodic_accuracy(args.accuracy)
                     : args.physics.softening > 0 ? softened_accuracy(args.accuracy)
                                                  : accuracy(args.accuracy);
  if (args.order && args.radius_squared) problem.accuracy.basis.radius_squared = *args.radius_squared;
  if (args.order && args.epsilon) problem.accuracy.epsilon = *args.epsilon;
  return problem;
}

double promised_error(const Arguments& args) {
  return args.order ? loosest : std::pow(10.0, -args.accuracy);
}

double allowed_error(const Arguments& args) {
  const bool as_measured = args.input.empty() && !is_crystal(args.generated);
  return promised_error(args) * (args.order || as_measured ? 1.0 : error_factor_of_files);
}

}  // namespace asterism::apps::fmm

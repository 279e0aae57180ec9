// SPDX-License-Identifier: Apache-2.0
// Particles that move: options, steps, checkpoints, and what is said of energies.
#include "apps/fmm/motion.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <cmath>
#include <utility>

#include "apps/common/options.hpp"
#include "apps/common/solver_options.hpp"
#include "apps/fmm/run.hpp"
#include "base/error.hpp"
#include "runtime/clock.hpp"
#include "runtime/ending/stop_signals.hpp"
#include "runtime/ranks/ranks.hpp"
#include "taskflows/fmm/dynamics/equilibrium.hpp"
#include "taskflows/fmm/dynamics/invariants.hpp"
#include "taskflows/fmm/particles/result_parts.hpp"

namespace asterism::apps::fmm {

using namespace asterism::fmm;

namespace {

/// While steps take milliseconds, the threads of OpenMP, which wait for work by computing, would take StarPU's workers
/// more time than they save: the host then works alone.
class HostThreads {
 public:
  explicit HostThreads(std::size_t particles) : before_(omp_get_max_threads()) {
    constexpr std::size_t few = 1 << 16;
    if (particles < few) omp_set_num_threads(1);
  }
  ~HostThreads() { omp_set_num_threads(before_); }
  HostThreads(const HostThreads&) = delete;
  HostThreads& operator=(const HostThreads&) = delete;

 private:
  int before_;
};

}  // namespace

void add_motion(CLI::Option_group* time, MotionOptions& motion) {
  time->add_option("--steps", motion.steps,
                   "Then let the forces move the particles for this number of steps, with the velocities of the\n"
                   "file (else from rest), and masses as inertia (of gravity; else of a column mass, or 1)")
      ->check(CLI::Range(0, 1 << 30))
      ->capture_default_str();
  time->add_option("--dt", motion.dt, "Time step")->capture_default_str();
  time->add_option_function<std::string>(
          "--integrator",
          [&motion](const std::string& name) {
            motion.integrator = name == "yoshida" ? Integrator::yoshida : Integrator::leapfrog;
          },
          "leapfrog (velocity Verlet, second order), or yoshida (fourth order, three evaluations per step)")
      ->check(CLI::IsMember({"leapfrog", "yoshida"}))
      ->default_str("leapfrog");
  time->add_option_function<std::string>(
          "--velocities", [&motion](const std::string& name) { motion.equilibrium = name == "equilibrium"; },
          "Of generated particles: rest; or equilibrium, of plummer with --law gravity: isotropic velocities with\n"
          "which the cluster stays as it is. With G = 1 and the total mass 1, its scale length 0.05 makes the\n"
          "crossing time 0.070 (virial units, E = -1/4, have 3 pi / 16 and 2.83)")
      ->check(CLI::IsMember({"rest", "equilibrium"}))
      ->default_str("rest");
  time->add_option("--allowed-drift", motion.allowed_drift,
                   "With --verify: the largest change of the total energy over all steps, relative to itself at the\n"
                   "start (where that is less than a hundredth of the kinetic energy, to the kinetic energy)")
      ->capture_default_str();
}

void add_motion_results(CLI::Option_group* results, MotionOptions& motion) {
  results
      ->add_option("--every", motion.every,
                   "With --steps: --output also every so many steps, as NAME_STEP; NAME.pvd makes a collection of\n"
                   ".vtp for ParaView")
      ->check(CLI::Range(1, 1 << 30));
  results->add_option("--energies", motion.energies,
                      "Table of every step, CSV: time, kinetic, potential and total energy, momentum, angular\n"
                      "momentum; with --law gravity the radii of 10, 50 and 90 % of the mass");
  results->add_option("--chart", motion.chart, "Energies over time as a picture, PNG");
}

void check_motion(const MotionOptions& motion, const PhysicsOptions& physics, const GeneratedCase* generated,
                  const std::string& output, bool at_grid) {
  if (!std::isfinite(motion.dt)) bad_input("--dt {}: expected a number", motion.dt);
  if (!std::isfinite(motion.allowed_drift) || motion.allowed_drift <= 0)
    bad_input("--allowed-drift {}: expected more than 0", motion.allowed_drift);
  const auto needs_steps = [&](const char* option, bool given) {
    if (given && motion.steps == 0) bad_input("{}: expected --steps", option);
  };
  needs_steps("--every", motion.every > 0);
  needs_steps("--energies", !motion.energies.empty());
  needs_steps("--chart", !motion.chart.empty());
  needs_steps("--velocities equilibrium", motion.equilibrium);
  if (motion.every > 0 && output.empty()) bad_input("--every: expected --output");
  if (is_collection(output) && motion.steps == 0 && !at_grid)
    bad_input("--output {}: a collection of times; expected --steps", output);
  if (motion.equilibrium) {
    if (generated == nullptr) bad_input("--velocities: expected generated particles, found --input");
    if (generated->distribution != "plummer")
      bad_input("--velocities equilibrium: expected --distribution plummer, found {}", generated->distribution);
    if (!physics.gravity()) bad_input("--velocities equilibrium: expected --law gravity");
  }
  require_writable("--energies", motion.energies);
  require_writable("--chart", motion.chart);
}

/// The state before the first step: velocities and masses of the particles, or rest and 1.
void Run::begin_motion() {
  motion_ = Motion(args_.motion.steps > 0 ? particles_.size() : 0);
  if (args_.motion.steps == 0) return;
  if (args_.motion.equilibrium)
    set_equilibrium_velocities(particles_, args_.generated.particles, args_.generated.seed, part_of_rank(),
                               units_.constant, total_charge(particles_));
  if (!particles_.vx.empty()) {
    motion_.vx = std::move(particles_.vx);
    motion_.vy = std::move(particles_.vy);
    motion_.vz = std::move(particles_.vz);
  }
  if (args_.physics.gravity()) {
    motion_.mass = Array<double>(particles_.size());
    std::copy(particles_.charge.begin(), particles_.charge.end(), motion_.mass.begin());
  } else {
    motion_.mass = std::move(particles_.mass);
  }
}

/// What two runs have in common whose motions are bit-identical.
std::string Run::method() const {
  const BasisChoice& basis = problem_.accuracy.basis;
  std::string text = fmt::format("{}, kappa {}, order {}, radius {}, epsilon {}, reduction {}, time step {}",
                                 problem_.interaction.name, args_.kappa, basis.order, basis.radius_squared,
                                 problem_.accuracy.epsilon, static_cast<int>(options_.reduction), args_.motion.dt);
  if (problem_.interaction.coupling != 1) text += fmt::format(", coupling {}", problem_.interaction.coupling);
  if (args_.periodic.given()) text += fmt::format(", periodic {}", args_.periodic.directions);
  if (args_.physics.softening > 0) text += fmt::format(", softening {}", args_.physics.softening);
  if (args_.motion.integrator != Integrator::leapfrog) text += ", yoshida";
  return text;
}

/// Reads the checkpoint of --restart. The tree of a resumed motion is that of the run before.
void Run::resume() {
  const std::string& file = args_.restart;
  Checkpoint saved = read_checkpoint(file, part_of_rank());
  const auto refuse = [&](const char* what, const auto& found, const auto& wanted) {
    if (found != wanted)
      bad_input("--restart {}: the checkpoint has {} {}; this run has {}", file, what, found, wanted);
  };
  const TreeShape& shape = saved.settings.shape;
  refuse("the method", saved.settings.method, method());
  if (options_.shape.height > 0) refuse("--height", shape.height, options_.shape.height);
  if (options_.shape.group_size > 0) refuse("--group-size", shape.group_size, options_.shape.group_size);
  if (options_.shape.adaptive() || args_.tree != TreeKind::automatic) {
    refuse("an adaptive tree:", shape.adaptive(), options_.shape.adaptive() || args_.tree == TreeKind::adaptive);
    if (options_.shape.adaptive()) refuse("--leaf-size", shape.leaf_size, options_.shape.leaf_size);
  }
  if (shape.far_tasks != options_.shape.far_tasks) bad_input("--restart {}: expected the same --m2l", file);
  if (saved.motion.step > args_.motion.steps)
    bad_input("--restart {}: at step {}, beyond --steps {}", file, saved.motion.step, args_.motion.steps);
  options_.shape = shape;
  options_.shape.periodic = args_.options.shape.periodic;
  options_.box = saved.settings.box;
  particles_ = std::move(saved.particles);
  motion_ = std::move(saved.motion);
}

/// Takes note of energies and momenta after a step, and writes a snapshot where one is due.
void Run::observe() {
  const Invariants now = invariants_of(particles_, result_, motion_);
  if (!motion_.conservation) motion_.conservation = Conservation(now);
  motion_.conservation->take(now);
  const double time = static_cast<double>(motion_.step) * args_.motion.dt;
  if (energies_) energies_->append(motion_.step, time, now, particles_);
  const bool last = motion_.step == args_.motion.steps;
  const bool due = args_.motion.every > 0 && motion_.step % args_.motion.every == 0;
  if (snapshots_ && (due || (last && is_collection(args_.output)))) snapshots_->write(motion_.step, time, results());
}

void Run::write_energies() const {
  if (!energies_ || !rank_group().is_root()) return;
  if (!args_.motion.energies.empty()) energies_->write(args_.motion.energies);
  if (!args_.motion.chart.empty()) energies_->draw(args_.motion.chart);
}

/// Runs the remaining steps (taskflows/fmm/motion.hpp).
void Run::advance(Simulation& simulation, Flow& flow, ProgressLine& line) {
  const MotionOptions& options = args_.motion;
  std::vector<double> steps;
  rank_group().on_death(args_.restart.empty() ? "; there is no checkpoint yet (--checkpoint, --checkpoint-every)"
                                              : fmt::format("; resume with --restart {}", args_.restart));
  const std::int64_t kept = args_.restart.empty() ? output::keep_nothing : motion_.step;
  if (!options.energies.empty() || !options.chart.empty()) {
    energies_.emplace(units_, args_.physics.gravity());
    if (!options.energies.empty() && kept != output::keep_nothing) energies_->read(options.energies, kept);
  }
  if (options.every > 0 || is_collection(args_.output)) snapshots_.emplace(args_.output, kept);
  accelerate(motion_, result_);
  observe();
  if (motion_.step == options.steps && !args_.checkpoint.empty()) write_state(simulation);  // resumed at its end
  const StoppableSteps stoppable;
  const HostThreads threads(particles_.size());
  const auto forces = [&]() -> const Result& {
    if (periodic_) wrap(*periodic_, particles_);
    simulation.move(particles_of_tree());
    evaluate(flow);
    collect(simulation, FieldTimes::charge);
    return result_;
  };
  while (motion_.step < options.steps) {
    if (stop_wanted()) {
      if (!args_.checkpoint.empty()) write_state(simulation);
      stop(fmt::format("step {}", motion_.step), args_.checkpoint);
    }
    const auto begin = Clock::now();
    step(motion_, particles_, options.integrator, options.dt, first_, forces);
    observe();
    steps.push_back(slowest(seconds_since(begin)));
    line.show(static_cast<double>(motion_.step) / options.steps,
              fmt::format("step {} of {}", motion_.step, options.steps));
    const bool due = args_.checkpoint_every > 0 && motion_.step % args_.checkpoint_every == 0;
    if (!args_.checkpoint.empty() && (due || motion_.step == options.steps)) write_state(simulation);
  }
  if (!steps.empty()) outcome_.step_seconds = median(steps);
}

void Run::write_state(const Simulation& simulation) {
  write_energies();
  write_checkpoint(args_.checkpoint, {method(), simulation.options().shape, simulation.tree().box()}, particles_,
                   motion_);
  rank_group().barrier();
  rank_group().on_death(fmt::format("; the last checkpoint, {}, is of step {}: resume with --restart {}",
                                    args_.checkpoint, motion_.step, args_.checkpoint));
}

ResultParts Run::results() const {
  const Motion* const motion = args_.motion.steps > 0 ? &motion_ : nullptr;
  const Particles& points = args_.at.empty() ? particles_ : targets_;
  ResultNames names{args_.physics.gravity() && args_.at.empty() ? "mass" : "charge", units_.potential, units_.force,
                    units_.speed, units_.acceleration};
  return parts_of_ranks(points, result_, motion, names);
}

/// Energy of every run; law, steps and what they kept where there are any.
void Run::describe_physics(Report& report) const {
  nlohmann::json& record = report.record;
  const std::string unit = units_.energy.empty() ? "" : " " + units_.energy;
  record["physics"] = {{"law", args_.physics.gravity() ? "gravity" : "electrostatics"},
                       {"units", units_.name},
                       {"constant", units_.constant},
                       {"softening", args_.physics.softening}};
  if (const std::string law = describe_law(args_.physics); !law.empty()) report.rows.emplace_back("law", law);
  if (energy_) {
    record["physics"]["potential_energy"] = *energy_;
    if (!units_.energy.empty()) record["physics"]["energy_unit"] = units_.energy;
    report.rows.emplace_back("energy", fmt::format("{:.9g}{} potential, 1/2 sum {} phi", *energy_, unit,
                                                   args_.physics.gravity() ? "m" : "q"));
  }
  if (!motion_.conservation) return;
  const Conservation& c = *motion_.conservation;
  const double time = static_cast<double>(motion_.step) * args_.motion.dt;
  nlohmann::json& motion = record["motion"];
  motion = {{"steps", motion_.step},
            {"dt", args_.motion.dt},
            {"integrator", args_.motion.integrator == Integrator::yoshida ? "yoshida" : "leapfrog"},
            {"start", {{"kinetic", c.start.kinetic}, {"potential", c.start.potential}, {"total", c.start.total()}}},
            {"energy_drift", c.energy_drift()},
            {"momentum_drift", c.momentum_drift()}};
  std::string text =
      fmt::format("{} steps of {:g}{}", motion_.step, args_.motion.dt, units_.time.empty() ? "" : " " + units_.time);
  if (args_.physics.gravity() && c.start.total() < 0 && all_particles_ > 2) {
    const double crossing = crossing_time(units_.constant, mass_, c.start.total());
    motion["crossing_time"] = crossing;
    text += fmt::format(", {:.4g} crossing times of {:.4g}", time / crossing, crossing);
  }
  if (energies_ && args_.physics.gravity()) {
    const EnergySeries::Radii radii = energies_->radii();
    motion["radii"] = {{"shares", lagrangian_shares}, {"first", radii.first}, {"last", radii.last}};
  }
  report.rows.emplace_back("motion", text);
  report.rows.emplace_back("conserved",
                           fmt::format("energy {:.6g}{} to {:.1e}, momentum to {:.1e} (largest relative changes)",
                                       c.start.total(), unit, c.energy_drift(), c.momentum_drift()));
}

std::vector<Verdict> Run::verify_motion() const {
  if (!motion_.conservation) return {};
  const double found = motion_.conservation->energy_drift();
  const double allowed = args_.motion.allowed_drift;
  Verdict verdict{"energy of the motion: largest relative change", found, allowed, {}};
  if (!verdict.right())
    verdict.complaint = fmt::format(
        "the energy changed by {:.1e} over the steps; expected at most {:.1e} (a smaller --dt?)", found, allowed);
  return {verdict};
}

}  // namespace asterism::apps::fmm

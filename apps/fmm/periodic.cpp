// SPDX-License-Identifier: Apache-2.0
#include "apps/fmm/periodic.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "apps/fmm/run.hpp"
#include "base/error.hpp"
#include "runtime/ranks/ranks.hpp"
#include "taskflows/fmm/periodic/periodic_reference.hpp"

namespace asterism::apps::fmm {

using namespace asterism::fmm;

void add_periodic(CLI::Option_group* what, PeriodicOptions& periodic, GeneratedCase& generated) {
  what->add_option("--periodic", periodic.directions,
                   "Directions with periodic images, in which the box repeats itself without end: x, xy or xyz (in a\n"
                   "conductor, \"tin-foil\"). For kernel 1/r and charges whose sum is 0")
      ->check(CLI::IsMember({"x", "xy", "xyz"}));
  what->add_option("--box", periodic.box,
                   "Sides of the periodic box: L, or L,M,N in the ratio of small whole numbers (default: those of a\n"
                   "generated cube or crystal). Particles outside are moved to their images in it")
      ->delimiter(',')
      ->expected(1, 3);
  what->add_option("--spacing", generated.spacing, "Of generated crystals: distance of nearest neighbours")
      ->capture_default_str();
  what->add_option("--displacement", generated.displacement,
                   "Of generated crystals: each coordinate is moved by up to this much, at random")
      ->capture_default_str();
}

std::optional<PeriodicBox> periodic_box(const Arguments& args) {
  const PeriodicOptions& p = args.periodic;
  if (!p.given()) return std::nullopt;
  const int directions = static_cast<int>(p.directions.size());
  if (p.box.size() == 3) return box_of_lengths(directions, {p.box[0], p.box[1], p.box[2]});
  if (!p.box.empty()) return PeriodicBox{directions, p.box.front()};
  const std::optional<double> width = args.input.empty() ? period_of(args.generated) : std::nullopt;
  if (!width) bad_input("--periodic {}: expected --box, the width of the box", p.directions);
  return PeriodicBox{directions, *width};
}

void check_periodic(const Arguments& args) {
  const PeriodicOptions& p = args.periodic;
  const GeneratedCase& g = args.generated;
  const bool crystal = args.input.empty() && is_crystal(g);
  if (!std::isfinite(g.spacing) || g.spacing <= 0) bad_input("--spacing {}: expected more than 0", g.spacing);
  if (!std::isfinite(g.displacement) || g.displacement < 0)
    bad_input("--displacement {}: expected 0 or more", g.displacement);
  if (!crystal && (g.spacing != 1 || g.displacement != 0))
    bad_input("--spacing, --displacement: expected --distribution salt or caesium-chloride");
  if (crystal && args.charges) bad_input("--charges {}: the ions of {} have +1 and -1", *args.charges, g.distribution);
  if (crystal && args.physics.gravity())
    bad_input("--distribution {}: expected --law electrostatics, found gravity", g.distribution);
  if (!p.given()) {
    if (!p.box.empty()) bad_input("--box: expected --periodic");
    return;
  }
  if (p.box.size() == 2) bad_input("--box {}: expected one length or three", fmt::join(p.box, ","));
  for (const double length : p.box)
    if (!std::isfinite(length) || length <= 0) bad_input("--box {}: expected more than 0", length);
  if (args.physics.gravity()) bad_input("--periodic: expected charges whose sum is 0, found --law gravity");
  if (args.kernel != "laplace") bad_input("--periodic: expected --kernel laplace, found {}", args.kernel);
  if (args.physics.softening > 0) bad_input("--periodic: expected no --softening");
  static_cast<void>(periodic_box(args));
}

/// Brings the particles into the box, and lets the tree divide it.
void Run::begin_periodic() {
  periodic_ = periodic_box(args_);
  if (!periodic_) return;
  wrap(*periodic_, particles_);
  check_neutral(particles_);
  if (args_.restart.empty()) options_.box = box_of(*periodic_, extent(particles_, options_.ranks));
  // a crystal of few ions is one leaf: its images, whose forces cancel, are all far
  constexpr std::size_t few = 240;
  if (!args_.order && args_.motion.steps == 0 && in_tree(all_particles_) < few)
    problem_.accuracy = periodic_accuracy(std::min(args_.accuracy + 1, highest_accuracy));
}

std::size_t Run::in_tree(std::size_t particles) const {
  return particles * static_cast<std::size_t>(periodic_ ? periodic_->count() : 1);
}

const Particles& Run::particles_of_tree() {
  if (!periodic_ || periodic_->count() == 1) return particles_;
  repeated_ = repeated(*periodic_, particles_, particles_.size() - targets_.size());
  return repeated_;
}

/// The results of copies are left out.
void Run::collect(Simulation& simulation, FieldTimes times) {
  if (!periodic_ || periodic_->count() == 1) return simulation.collect(result_, times);
  Result whole(repeated_.size());
  simulation.collect(whole, times);
  const std::size_t sources = particles_.size() - targets_.size();
  for (Array<double> Result::*const values : {&Result::potential, &Result::fx, &Result::fy, &Result::fz}) {
    const auto first = (whole.*values).begin();
    const auto next = std::copy_n(first, sources, (result_.*values).begin());
    std::copy((whole.*values).end() - static_cast<std::ptrdiff_t>(targets_.size()), (whole.*values).end(), next);
  }
}

Errors Run::errors_of(const Particles& points, std::int64_t targets,
                      const std::function<void(double)>& progress) const {
  const std::uint64_t seed = args_.generated.seed + 1;
  if (!periodic_) return direct_errors(problem_.interaction, particles_, points, result_, targets, seed, progress);
  // potential and force between charges of the usual size at the mean distance; targets of --at are among the
  // particles, without a charge
  struct Sums {
    double squares = 0, charged = 0, of_points = 0, points = 0, particles = 0;
  } sums;
  for (const double q : particles_.charge) {
    sums.squares += q * q;
    sums.charged += q != 0 ? 1 : 0;
  }
  for (const double q : points.charge) sums.of_points += q * q;
  const Particles all = repeated(*periodic_, particles_, particles_.size());
  sums.points = static_cast<double>(points.size());
  sums.particles = static_cast<double>(all.size());
  const auto total = [parts = rank_group().all_gather(sums)](double Sums::*value) {
    double sum = 0;
    for (const Sums& part : parts) sum += part.*value;
    return sum;
  };
  const double n = total(&Sums::charged);
  const double distance = std::cbrt(periodic_->length(0) * periodic_->length(1) * periodic_->length(2) / n);
  const double potential = std::abs(problem_.interaction.coupling) * std::sqrt(total(&Sums::squares) / n) / distance;
  const LeastSizes least{potential, potential * std::sqrt(total(&Sums::of_points) / total(&Sums::points)) / distance};
  const PeriodicReference reference(all, periodic_->directions, periodic_->width, static_cast<double>(targets),
                                    static_cast<std::size_t>(total(&Sums::particles)));
  return errors_against([&](double x, double y, double z) { return reference.at(x, y, z); }, problem_.interaction,
                        points, &points == &particles_, result_, targets, seed, least, progress);
}

/// The box, and of a perfect crystal Madelung's constant M: its energy is -N M C / (2 spacing).
void Run::describe_periodic(Report& report) const {
  if (!periodic_) return;
  report.record["periodic"] = {
      {"directions", args_.periodic.directions}, {"width", periodic_->width}, {"copies", periodic_->copies}};
  const PeriodicBox& box = *periodic_;
  const std::string size = box.count() == 1 ? fmt::format("width {:.9g}", box.width)
                                            : fmt::format("{:.9g} x {:.9g} x {:.9g}, of which {} are a cube",
                                                          box.length(0), box.length(1), box.length(2), box.count());
  report.rows.emplace_back("periodic", fmt::format("{}, box of {}{}", args_.periodic.directions, size,
                                                   box.directions == 3 ? ", tin-foil" : ""));
  const std::optional<Crystal> crystal = args_.input.empty() ? crystal_of(args_.generated) : std::nullopt;
  const bool perfect = crystal && crystal->displacement == 0 && periodic_->directions == 3 && args_.motion.steps == 0 &&
                       args_.periodic.box.empty();
  if (!perfect || !energy_) return;
  const double madelung =
      -2 * *energy_ * crystal->spacing / (static_cast<double>(crystal->particles) * problem_.interaction.coupling);
  const double known = madelung_constant(crystal->lattice);
  report.record["periodic"]["madelung"] = madelung;
  report.rows.emplace_back("Madelung constant", fmt::format("{:.12g}, known {:.13g}, relative error {:.1e}", madelung,
                                                            known, std::abs(madelung / known - 1)));
}

}  // namespace asterism::apps::fmm

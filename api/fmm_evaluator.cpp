// SPDX-License-Identifier: Apache-2.0
// The fast multipole method for a program around: the simulation and the flow of taskflows/fmm.
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "api/fmm_plan.hpp"
#include "api/translated.hpp"
#include "base/error.hpp"
#include "taskflows/fmm/dynamics/invariants.hpp"
#include "taskflows/fmm/flow.hpp"

namespace asterism::v0::fmm {
namespace {

namespace house = asterism::fmm;

constexpr Array<double> house::Particles::*coordinates[] = {&house::Particles::x, &house::Particles::y,
                                                            &house::Particles::z};

/// Fewer points are looked at in less time than threads take to start.
constexpr std::int64_t worth_threads = 100000;

/// Throws Error (bad_input) for no point, and for a place that is not finite.
void require_points(const char* what, const Points& points) {
  if (points.size() == 0) bad_input("no {}: expected at least one", what);
  const auto n = static_cast<std::int64_t>(points.size());
  std::int64_t first = n;
#pragma omp parallel for schedule(static) reduction(min : first) if (n > worth_threads)
  for (std::int64_t i = 0; i < n; ++i) {
    const std::size_t at = static_cast<std::size_t>(i) * points.stride();
    if (i < first && !std::isfinite(points.component(0)[at] + points.component(1)[at] + points.component(2)[at]))
      first = i;
  }
  if (first < n) bad_input("{}: point {} is not at a finite place", what, first);
}

void copy(const Points& points, house::Particles& to, std::size_t first) {
  for (int d = 0; d < 3; ++d) {
    double* const values = (to.*coordinates[d]).data() + first;
    for (std::size_t i = 0; i < points.size(); ++i) values[i] = points.component(d)[i * points.stride()];
  }
}

/// The points with charges 0: in the caller's memory where they are three arrays.
house::Particles particles_of(const Points& points) {
  house::Particles particles;
  if (points.stride() == 1) {
    // nothing writes to places
    for (int d = 0; d < 3; ++d)
      particles.*coordinates[d] = Array<double>::borrowed(const_cast<double*>(points.component(d)), points.size());
    particles.charge = Array<double>(points.size());
  } else {
    particles = house::Particles(points.size());
    copy(points, particles, 0);
  }
  std::fill(particles.charge.begin(), particles.charge.end(), 0.0);
  return particles;
}

/// The sources, and behind them the targets.
house::Particles particles_of(const Points& sources, const Points& targets) {
  house::Particles particles(sources.size() + targets.size());
  copy(sources, particles, 0);
  copy(targets, particles, sources.size());
  std::fill(particles.charge.begin(), particles.charge.end(), 0.0);
  return particles;
}

/// The k-th n values of `all`, which may be empty.
template <class T>
std::span<T> part_of(std::span<T> all, std::size_t k, std::size_t n) {
  return all.empty() ? all : all.subspan(k * n, n);
}

void require_size(const char* what, std::size_t found, std::size_t expected) {
  if (found != expected) bad_input("{} has {} values: expected {}", what, found, expected);
}

}  // namespace

Points::Points(std::span<const double> x, std::span<const double> y, std::span<const double> z)
    : component_{x.data(), y.data(), z.data()}, size_(x.size()), stride_(1) {
  translated([&] {
    if (y.size() != x.size() || z.size() != x.size())
      bad_input("{} x, {} y and {} z: expected as many of each", x.size(), y.size(), z.size());
  });
}

Points::Points(std::span<const double> xyz)
    : component_{xyz.data(), xyz.data() + 1, xyz.data() + 2}, size_(xyz.size() / 3), stride_(3) {
  translated([&] {
    if (xyz.size() % 3 != 0) bad_input("{} coordinates: expected three for each point", xyz.size());
  });
}

class Evaluator::State {
 public:
  State(std::shared_ptr<Session::State> owner, house::Particles points, std::optional<std::size_t> sources,
        const Options& chosen)
      : session(std::move(owner)), particles(std::move(points)) {
    const Session::State::Call call(*session);
    require_options(chosen);
    options.sources = sources;
    const house::Problem problem = problem_of(chosen, particles, sources);
    const Session::State::Awake awake(*session);
    choose_tree(*session, chosen, problem, particles, options);
    simulation.emplace(problem, options, particles);
  }
  ~State() {
    const Session::State::Call call(*session);
    const Session::State::Awake awake(*session);
    simulation.reset();
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  [[nodiscard]] bool apart() const { return options.sources.has_value(); }
  [[nodiscard]] std::size_t sources() const { return options.sources.value_or(particles.size()); }
  [[nodiscard]] std::size_t targets() const { return apart() ? particles.size() - sources() : particles.size(); }

  std::vector<Result> evaluate_all(std::span<const double> charge, const Field& field);
  void move(house::Particles points);

  std::shared_ptr<Session::State> session;
  house::Particles particles;
  house::Options options;
  std::optional<house::Simulation> simulation;

 private:
  void require_charges(std::span<const double> charge) const;
  void require_field(const Field& field, std::size_t vectors) const;
  void take_charges(std::span<const double> charge, int vectors);
  void evaluate_some(std::span<const double> charges, const Field& field, std::size_t end,
                     std::vector<Result>& results);
  double collect(const Field& field, int vector);
  void require_finite(const house::Result& result) const;
};

void Evaluator::State::require_charges(std::span<const double> charge) const {
  const auto wrong = std::find_if(charge.begin(), charge.end(), [](double q) { return !std::isfinite(q); });
  if (wrong != charge.end()) bad_input("charge[{}] is {}: expected a finite number", wrong - charge.begin(), *wrong);
}

/// Throws Error (bad_input) for results of another size than so many vectors of charges have.
void Evaluator::State::require_field(const Field& field, std::size_t vectors) const {
  const std::size_t results = vectors * targets();
  require_size("potential", field.potential.size(), results);
  if (field.x.empty() && field.y.empty() && field.z.empty()) return;
  require_size("x of the field", field.x.size(), results);
  require_size("y of the field", field.y.size(), results);
  require_size("z of the field", field.z.size(), results);
}

void Evaluator::State::take_charges(std::span<const double> charge, int vectors) {
  if (vectors > 1) return simulation->take_charges(particles, charge, vectors);
  if (simulation->vectors() == 1 && std::equal(charge.begin(), charge.end(), particles.charge.begin())) return;
  std::copy(charge.begin(), charge.end(), particles.charge.begin());
  simulation->take_charges(particles);
}

void Evaluator::State::require_finite(const house::Result& result) const {
  for (std::size_t i = particles.size() - targets(); i < particles.size(); ++i)
    if (!std::isfinite(result.potential[i] + result.fx[i] + result.fy[i] + result.fz[i]))
      failed("the potential or force of point {} is not finite: points almost coincide there",
             i - (particles.size() - targets()));
}

std::vector<Result> Evaluator::State::evaluate_all(std::span<const double> charge, const Field& field) {
  const Session::State::Call call(*session);
  const std::size_t vectors = charge.size() / sources();
  if (charge.size() % sources() != 0)
    bad_input("charge has {} values: expected {} for each evaluation", charge.size(), sources());
  require_field(field, vectors);
  for (std::size_t v = 0; v < vectors; ++v) require_charges(part_of(charge, v, sources()));
  const Session::State::Awake awake(*session);
  const auto most = static_cast<std::size_t>(simulation->vectors_together());
  const std::size_t rounds = (vectors + most - 1) / most;
  std::vector<Result> results;
  for (std::size_t round = 0; round < rounds; ++round)
    evaluate_some(charge, field, vectors * (round + 1) / rounds, results);
  return results;
}

/// Evaluates the vectors of charges from results.size() to `end` together.
void Evaluator::State::evaluate_some(std::span<const double> charges, const Field& field, std::size_t end,
                                     std::vector<Result>& results) {
  const std::size_t first = results.size();
  const std::size_t vectors = end - first;
  take_charges(charges.subspan(first * sources(), vectors * sources()), static_cast<int>(vectors));
  // OpenMP's threads, of the caller too, would spin for a while on the cores of StarPU's workers
  omp_pause_resource_all(omp_pause_soft);
  const double seconds = house::Flow(*simulation).evaluate() / static_cast<double>(vectors);
  for (std::size_t v = first; v < end; ++v) {
    const Field to{part_of(field.potential, v, targets()), part_of(field.x, v, targets()),
                   part_of(field.y, v, targets()), part_of(field.z, v, targets())};
    std::copy_n(charges.begin() + static_cast<std::ptrdiff_t>(v * sources()), sources(), particles.charge.begin());
    results.push_back({seconds, collect(to, static_cast<int>(v - first))});
  }
}

/// Results of one of the vectors of charges that were evaluated; returns its energy.
double Evaluator::State::collect(const Field& field, int vector) {
  // results of points that act on each other are written in place
  const auto place = [&](std::span<double> values) {
    return apart() || values.empty() ? Array<double>(particles.size())
                                     : Array<double>::borrowed(values.data(), values.size());
  };
  house::Result result;
  result.potential = place(field.potential);
  result.fx = place(field.x);
  result.fy = place(field.y);
  result.fz = place(field.z);
  simulation->collect(result, apart() ? house::FieldTimes::one : house::FieldTimes::charge, vector);
  require_finite(result);
  if (!apart()) return house::potential_energy(particles, result);
  const auto keep = [&](const Array<double>& values, std::span<double> to) {
    std::copy_n(values.data() + sources(), to.size(), to.begin());
  };
  keep(result.potential, field.potential);
  keep(result.fx, field.x);
  keep(result.fy, field.y);
  keep(result.fz, field.z);
  return 0;
}

void Evaluator::State::move(house::Particles points) {
  const Session::State::Call call(*session);
  const Session::State::Awake awake(*session);
  std::copy(particles.charge.begin(), particles.charge.end(), points.charge.begin());
  std::swap(particles, points);
  simulation->move(particles);
}

Evaluator::Evaluator(Session& session, const Points& points, const Options& options)
    : state_(translated([&] {
        require_points("points", points);
        return std::make_unique<State>(state_of_one_process(session), particles_of(points), std::nullopt, options);
      })) {}

Evaluator::Evaluator(Session& session, const Points& sources, const Points& targets, const Options& options)
    : state_(translated([&] {
        require_points("sources", sources);
        require_points("targets", targets);
        return std::make_unique<State>(state_of_one_process(session), particles_of(sources, targets), sources.size(),
                                       options);
      })) {}

Evaluator::~Evaluator() = default;
Evaluator::Evaluator(Evaluator&& other) noexcept = default;
Evaluator& Evaluator::operator=(Evaluator&& other) noexcept = default;

Result Evaluator::evaluate(std::span<const double> charge, const Field& field) {
  return translated([&] {
    if (state_ == nullptr) bad_input("an evaluator that was moved from: expected one with points");
    require_size("charge", charge.size(), sources());
    return state_->evaluate_all(charge, field).front();
  });
}

std::vector<Result> Evaluator::evaluate_all(std::span<const double> charge, const Field& field) {
  return translated([&] {
    if (state_ == nullptr) bad_input("an evaluator that was moved from: expected one with points");
    return state_->evaluate_all(charge, field);
  });
}

void Evaluator::move(const Points& points) {
  translated([&] {
    if (state_ == nullptr) bad_input("an evaluator that was moved from: expected one with points");
    if (state_->apart()) bad_input("move: expected sources and targets, as this evaluator has them");
    if (points.size() != state_->particles.size())
      bad_input("move: {} points, expected {}", points.size(), state_->particles.size());
    require_points("points", points);
    state_->move(particles_of(points));
  });
}

void Evaluator::move(const Points& sources, const Points& targets) {
  translated([&] {
    if (state_ == nullptr) bad_input("an evaluator that was moved from: expected one with points");
    if (!state_->apart()) bad_input("move: expected points that act on each other, as this evaluator has them");
    if (sources.size() != state_->sources() || targets.size() != state_->targets())
      bad_input("move: {} sources and {} targets, expected {} and {}", sources.size(), targets.size(),
                state_->sources(), state_->targets());
    require_points("sources", sources);
    require_points("targets", targets);
    state_->move(particles_of(sources, targets));
  });
}

std::size_t Evaluator::sources() const noexcept {
  return state_ == nullptr ? 0 : state_->sources();
}
std::size_t Evaluator::targets() const noexcept {
  return state_ == nullptr ? 0 : state_->targets();
}
int Evaluator::height() const noexcept {
  return state_ == nullptr ? 0 : state_->simulation->tree().shape().height;
}

}  // namespace asterism::v0::fmm

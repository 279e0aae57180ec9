// SPDX-License-Identifier: Apache-2.0
// Time-domain boundary elements for a program around: the choices of asterism-tdbem, the Simulation of taskflows/tdbem.
#include <algorithm>
#include <asterism/tdbem.hpp>
#include <cmath>
#include <optional>
#include <utility>

#include "api/translated.hpp"
#include "api/units.hpp"
#include "base/as_size.hpp"
#include "taskflows/tdbem/cases.hpp"
#include "taskflows/tdbem/simulation.hpp"

namespace asterism::v0::tdbem {
namespace {

namespace house = asterism::tdbem;

/// Groups that are submitted before a call waits for them, as asterism-tdbem does.
constexpr long groups_at_once = 16;

std::vector<house::Point> points_of(const char* what, const std::vector<std::array<double, 3>>& given) {
  std::vector<house::Point> points;
  for (const std::array<double, 3>& p : given) {
    for (const double x : p)
      if (!std::isfinite(x)) bad_input("{} {} has {}: expected finite numbers", what, points.size(), x);
    points.push_back({p[0], p[1], p[2]});
  }
  return points;
}

house::WaveOptions wave_of(const Wave& wave) {
  if (wave.frequency && !(*wave.frequency > 0)) bad_input("frequency {}: expected a positive one", *wave.frequency);
  if (wave.width && wave.pulse == Pulse::ricker) bad_input("width: only of a gaussian; ricker has a frequency");
  house::WaveOptions options;
  options.shape = wave.pulse == Pulse::ricker ? house::PulseShape::ricker : house::PulseShape::modulated_gaussian;
  options.frequency = wave.frequency;
  options.width = wave.width;
  options.delay = wave.delay;
  options.directions = points_of("direction", wave.directions);
  options.monopoles = points_of("monopole", wave.monopoles);
  return options;
}

void require_rules(const Options& options) {
  for (const auto& [name, points] : {std::pair{"far_points", options.far_points}, {"near_points", options.near_points}})
    if (std::ranges::count(std::initializer_list<int>{1, 3, 6, 7, 12, 16}, points) == 0)
      bad_input("{} {}: expected 1, 3, 6, 7, 12 or 16", name, points);
  if (options.touching_points < 1 || options.touching_points > 16)
    bad_input("touching_points {}: expected 1 to 16", options.touching_points);
}

house::CaseOptions case_of(const Surface& surface, const Options& options) {
  require_rules(options);
  if (!(options.speed > 0)) bad_input("speed {}: expected a positive number", options.speed);
  if (!(options.courant > 0)) bad_input("courant {}: expected a positive number", options.courant);
  if (surface.triangles.empty()) bad_input("a surface without triangles: expected a closed one");
  house::CaseOptions of;
  of.body.mesh = mesh_of(surface.vertices, surface.triangles);
  of.body.inward = options.turn_inward ? house::Inward::turned : house::Inward::refused;
  of.wave = wave_of(options.wave);
  of.boundary = options.boundary == Boundary::soft ? house::Boundary::soft : house::Boundary::rigid;
  of.speed = options.speed;
  of.dt = options.dt;
  of.courant = options.courant;
  of.observers = points_of("observer", options.observers);
  of.rules.far_points = options.far_points;
  of.rules.near_points = options.near_points;
  of.rules.touching_points = options.touching_points;
  of.precision = precision_of(options.precision);
  of.tolerance = options.tolerance;
  of.solver =
      options.solver == Solver::factorisation ? house::Solver::factorisation : house::Solver::conjugate_gradients;
  return of;
}

/// A march whose precision is not known where it is used.
class March {
 public:
  March() = default;
  virtual ~March() = default;
  March(const March&) = delete;
  March& operator=(const March&) = delete;

  virtual void start() = 0;
  virtual void advance(long steps) = 0;
  [[nodiscard]] virtual long step() const = 0;
  virtual std::vector<double> solution(long step, int wave) = 0;
  virtual std::vector<double> scattered(int wave, int observer) = 0;
};

template <class T>
class PrecisionMarch final : public March {
 public:
  PrecisionMarch(const house::Problem& problem, const house::Method& method, const asterism::Session& session)
      : problem_(problem),
        method_(method),
        session_(session),
        sharing_(house::suited_sharing({}, session)),
        matrices_(problem, house::suited_block_size(method, problem, session, sharing_),
                  house::suited_widths(method.kernel)) {
    matrices_.assemble([](double) {});
    start();
  }

  void start() override {
    simulation_.reset();
    reserved_ = 0;
    simulation_ = std::make_unique<house::Simulation<T>>(problem_, method_, matrices_, session_, sharing_);
  }
  void advance(long steps) override {
    const std::int64_t end = simulation_->steps() + steps;
    if (end > reserved_) simulation_->reserve(reserved_ = std::max(end, 2 * reserved_));
    while (simulation_->steps() < end) {
      for (long g = 0; g < groups_at_once && simulation_->steps() < end; ++g) simulation_->advance();
      starpu_task_wait_for_all();
      house::require_solved(simulation_->tally(), problem_);
    }
  }
  [[nodiscard]] long step() const override { return static_cast<long>(simulation_->steps()); }
  std::vector<double> solution(long step, int wave) override { return simulation_->solution(step, wave); }
  std::vector<double> scattered(int wave, int observer) override {
    const double* const first = simulation_->observed_pressure(wave, observer);
    return {first, first + simulation_->steps()};
  }

 private:
  const house::Problem& problem_;
  const house::Method& method_;
  const asterism::Session& session_;
  house::Sharing sharing_;
  house::Matrices<T> matrices_;
  std::unique_ptr<house::Simulation<T>> simulation_;
  std::int64_t reserved_ = 0;
};

}  // namespace

class Simulation::State {
 public:
  State(std::shared_ptr<Session::State> owner, const Surface& surface, const Options& options)
      : session_(std::move(owner)) {
    const Session::State::Call call(*session_);
    method_.group = options.group;
    problem_ = house::problem_case(case_of(surface, options), method_).problem;
    const Session::State::Awake awake(*session_);
    std::optional<double> share;
    const asterism::Session& running = start_for(
        *session_, house::step_work_of(problem_, method_, std::nullopt),
        [](asterism::SessionOptions& suited) { suited.resting_cores = uses_gpus(suited); }, share);
    march_ = with_precision(problem_.precision, [&](auto number) -> std::unique_ptr<March> {
      return std::make_unique<PrecisionMarch<decltype(number)>>(problem_, method_, running);
    });
  }
  ~State() {
    const Session::State::Call call(*session_);
    const Session::State::Awake awake(*session_);
    march_.reset();
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  void start(const Wave& wave);
  void advance(long steps);
  void surface(std::span<double> to, int wave, std::optional<long> step);
  std::vector<double> scattered(int wave, int observer);
  std::vector<double> incident(int wave, int observer);

  [[nodiscard]] long step() const { return march_->step(); }
  [[nodiscard]] const house::Problem& problem() const { return problem_; }
  [[nodiscard]] double time(long step) const { return static_cast<double>(problem_.first_step + step) * problem_.dt; }

 private:
  void require_place(int wave, int observer) const;

  std::shared_ptr<Session::State> session_;
  house::Method method_;
  house::Problem problem_;
  std::unique_ptr<March> march_;
};

void Simulation::State::start(const Wave& wave) {
  const Session::State::Call call(*session_);
  house::Problem other;  // of another wave; the surface is large
  std::swap(other.surface, problem_.surface);
  other.speed = problem_.speed;
  other.dt = problem_.dt;
  try {
    other.waves = house::waves_of(wave_of(wave), other);
    house::check(other, method_);
    other.first_step = house::first_step_of(other);
  } catch (...) {
    std::swap(other.surface, problem_.surface);
    throw;
  }
  std::swap(other.surface, problem_.surface);
  const Session::State::Awake awake(*session_);
  starpu_task_wait_for_all();
  problem_.waves = std::move(other.waves);
  problem_.first_step = other.first_step;
  march_->start();
  starpu_task_wait_for_all();
}

void Simulation::State::advance(long steps) {
  const Session::State::Call call(*session_);
  const Session::State::Awake awake(*session_);
  march_->advance(steps);
}

void Simulation::State::require_place(int wave, int observer) const {
  const auto waves = static_cast<int>(problem_.waves.size());
  const auto observers = static_cast<int>(problem_.observers.size());
  if (wave < 0 || wave >= waves) bad_input("wave {}: expected one of {}", wave, waves);
  if (observer < 0 || observer >= observers) bad_input("observer {}: expected one of {}", observer, observers);
}

void Simulation::State::surface(std::span<double> to, int wave, std::optional<long> step) {
  const Session::State::Call call(*session_);
  const auto n = static_cast<std::size_t>(problem_.surface.unknowns());
  if (to.size() != n) bad_input("surface has {} values: expected {}", to.size(), n);
  const auto waves = static_cast<int>(problem_.waves.size());
  if (wave < 0 || wave >= waves) bad_input("wave {}: expected one of {}", wave, waves);
  const long done = march_->step();
  const long wanted = step.value_or(done - 1);
  if (wanted < 0 || wanted < done - method_.group || wanted >= done)
    bad_input("step {}: expected one of the last group, {} to {}", wanted, std::max(0L, done - method_.group),
              done - 1);
  const Session::State::Awake awake(*session_);
  const std::vector<double> values = march_->solution(wanted, wave);
  for (std::size_t i = 0; i < n; ++i) to[as_size(problem_.surface.mesh_vertices[i])] = values[i];
}

std::vector<double> Simulation::State::scattered(int wave, int observer) {
  const Session::State::Call call(*session_);
  require_place(wave, observer);
  if (march_->step() == 0) return {};
  const Session::State::Awake awake(*session_);
  return march_->scattered(wave, observer);
}

std::vector<double> Simulation::State::incident(int wave, int observer) {
  const Session::State::Call call(*session_);
  require_place(wave, observer);
  std::vector<double> values;
  for (long n = 0; n < march_->step(); ++n)
    values.push_back(house::pressure(problem_.waves[as_size(wave)], problem_.observers[as_size(observer)], time(n)));
  return values;
}

namespace {

/// The state, which a simulation that was moved from does not have.
template <class State>
State& open(const std::unique_ptr<State>& state) {
  return state_in(state, "a surface");
}

}  // namespace

Simulation::Simulation(Session& session, const Surface& surface, const Options& options)
    : state_(translated([&] { return std::make_unique<State>(state_of_one_process(session), surface, options); })) {}
Simulation::~Simulation() = default;
Simulation::Simulation(Simulation&& other) noexcept = default;
Simulation& Simulation::operator=(Simulation&& other) noexcept = default;

void Simulation::start(const Wave& wave) {
  translated([&] { open(state_).start(wave); });
}
void Simulation::advance(long steps, const std::function<void(long)>& progress, long every) {
  translated([&] { advance_in_turns(open(state_), steps, progress, every); });
}
long Simulation::step() const {
  return translated([&] { return open(state_).step(); });
}
long Simulation::steps() const {
  return translated([&] { return static_cast<long>(house::steps_until_silence(open(state_).problem())); });
}
double Simulation::time_step() const {
  return translated([&] { return open(state_).problem().dt; });
}
double Simulation::time(long step) const {
  return translated([&] { return open(state_).time(step); });
}
int Simulation::waves() const {
  return translated([&] { return static_cast<int>(open(state_).problem().waves.size()); });
}
int Simulation::observers() const {
  return translated([&] { return static_cast<int>(open(state_).problem().observers.size()); });
}
std::int64_t Simulation::unknowns() const {
  return translated([&] { return std::int64_t{open(state_).problem().surface.unknowns()}; });
}
void Simulation::surface(std::span<double> to, int wave, std::optional<long> step) const {
  translated([&] { open(state_).surface(to, wave, step); });
}
std::vector<double> Simulation::scattered(int wave, int observer) const {
  return translated([&] { return open(state_).scattered(wave, observer); });
}
std::vector<double> Simulation::incident(int wave, int observer) const {
  return translated([&] { return open(state_).incident(wave, observer); });
}

}  // namespace asterism::v0::tdbem

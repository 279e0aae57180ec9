// SPDX-License-Identifier: Apache-2.0
// The finite-difference time-domain method for a program around: the choices of asterism-fdtd, the Simulation of
// taskflows/fdtd.
#include <fmt/format.h>

#include <algorithm>
#include <asterism/fdtd.hpp>
#include <cmath>
#include <cstring>
#include <optional>
#include <utility>

#include "api/fdtd_problem.hpp"
#include "api/translated.hpp"
#include "api/units.hpp"
#include "base/angles.hpp"
#include "base/as_size.hpp"
#include "runtime/machine/known_rates.hpp"
#include "taskflows/fdtd/balance.hpp"
#include "taskflows/fdtd/fields/snapshot.hpp"
#include "taskflows/fdtd/results/fluxes.hpp"
#include "taskflows/fdtd/results/ringdown.hpp"
#include "taskflows/fdtd/results/scattering.hpp"
#include "taskflows/fdtd/results/scene_results.hpp"

namespace asterism::v0::fdtd {
namespace {

namespace house = asterism::fdtd;

/// Steps between checks for fields that are not finite, as --check-every of asterism-fdtd.
constexpr long check_every = 96;

/// A scene, with the problem that is made of it.
struct OfScene {
  house::scene::Scene scene;
  house::SceneProblem made;  ///< its problem is moved to the state, but for constants
};

std::size_t product(const std::array<int, 3>& n) {
  return as_size(n[0]) * as_size(n[1]) * as_size(n[2]);
}

Component component_of(house::Field field, int axis) {
  return static_cast<Component>((field == house::Field::electric ? 0 : 3) + axis);
}

}  // namespace

class Simulation::State {
 public:
  State(std::shared_ptr<Session::State> owner, const Options& options, const Materials& materials)
      : session_(std::move(owner)) {
    const Session::State::Call call(*session_);
    if (const auto share = options.gpu_share; share && !(*share >= 0 && *share <= 1))
      bad_input("gpu_share {}: expected 0 to 1", *share);
    division_.gpu_share = options.gpu_share;
    problem_ = problem_of(options, materials, moments_);
    build();
  }
  State(std::shared_ptr<Session::State> owner, const std::string& text, const std::string& folder)
      : session_(std::move(owner)) {
    const Session::State::Call call(*session_);
    scene_.emplace();
    scene_->scene = house::scene::read_scene(text, "scene", folder);
    scene_->made = house::make_problem(scene_->scene);
    problem_ = std::move(scene_->made.problem);
    scene_->made.problem = {};
    scene_->made.problem.spacing = problem_.spacing;
    scene_->made.problem.mesh = problem_.mesh;
    scene_->made.problem.dt = problem_.dt;
    scene_->made.problem.probes = problem_.probes;
    scene_->made.problem.eps0 = problem_.eps0;
    scene_->made.problem.mu0 = problem_.mu0;
    build();
  }
  ~State() {
    const Session::State::Call call(*session_);
    const Session::State::Awake awake(*session_);
    simulation_.reset();
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  void start();
  void set_moment(std::size_t source, std::span<const double> moment);
  void advance(long steps);
  void field(Component component, std::span<double> to, At at);
  std::vector<double> probe_values();
  [[nodiscard]] std::vector<std::string> probe_names() const;
  std::vector<Spectrum> spectra();
  std::vector<FarField> far_fields();
  std::vector<Flux> fluxes();
  std::vector<Resonance> resonances();
  std::vector<Scattering> scattering();

  [[nodiscard]] long step() const { return simulation_->time(); }
  [[nodiscard]] long steps() const { return scene_ ? static_cast<long>(scene_->scene.steps) : 0; }
  [[nodiscard]] const house::Problem& problem() const { return problem_; }
  [[nodiscard]] std::array<double, 3> origin() const {
    return scene_ ? scene_->scene.grid.origin : std::array<double, 3>{};
  }

 private:
  void build();
  void entries(Component component, std::span<double> to);
  void centres(Component component, std::span<double> to);

  std::shared_ptr<Session::State> session_;
  house::Problem problem_;
  Moments moments_;
  std::optional<OfScene> scene_;
  house::DivisionOptions division_;
  std::unique_ptr<house::Simulation> simulation_;
};

void Simulation::State::build() {
  const Session::State::Awake awake(*session_);
  std::optional<double> chosen;
  const asterism::Session& running = start_for(
      *session_, house::step_work_of(division_, problem_),
      [&](asterism::SessionOptions& suited) {
        if (const auto streams = house::suited_streams(division_); streams && uses_gpus(suited))
          suited.streams = streams;
      },
      chosen);
  KnownRates known = known_rates();
  const std::vector<double> weights =
      running.devices() > 1 ? house::gpu_weights_of(problem_, running, known) : std::vector<double>{};
  const double share = house::gpu_share_of(division_, problem_, running, chosen, known, weights, [] {}).share;
  const house::Division d = house::divide(division_, problem_, running, share, weights);
  simulation_ = std::make_unique<house::Simulation>(problem_, d.bricks, d.placement, d.overlap, d.exchange);
  starpu_task_wait_for_all();
}

void Simulation::State::start() {
  const Session::State::Call call(*session_);
  const Session::State::Awake awake(*session_);
  const auto zero = [&](const house::Box& box, void* values) {
    std::memset(values, 0, 3 * static_cast<std::size_t>(box.cells()) * simulation_->element());
  };
  simulation_->set(0, zero, zero);
  starpu_task_wait_for_all();
}

void Simulation::State::set_moment(std::size_t source, std::span<const double> moment) {
  const Session::State::Call call(*session_);
  if (source >= moments_.size()) bad_input("source {}: expected one of {}", source, moments_.size());
  for (std::size_t n = 0; n < moment.size(); ++n)
    if (!std::isfinite(moment[n])) bad_input("moment[{}] is {}: expected a finite number", n, moment[n]);
  moments_[source]->assign(moment.begin(), moment.end());
}

void Simulation::State::advance(long steps) {
  const Session::State::Call call(*session_);
  const Session::State::Awake awake(*session_);
  advance_checked(
      step(), steps, check_every, [&](long n) { simulation_->advance(n); },
      [&](long at) {
        if (const auto sums = simulation_->exchange_sums()) house::require_finite(*sums, at - check_every + 1);
      });
}

/// Rows along z of the component, from parts of the domain.
void Simulation::State::entries(Component component, std::span<double> to) {
  const std::array<int, 3> n = house::extents(problem_);
  const auto c = as_size(axis_of(component));
  simulation_->get(field_of(component), [&](const house::Box& box, const void* values) {
    with_precision(problem_.precision, [&](auto number) {
      const auto* row = static_cast<const decltype(number)*>(values) + c * static_cast<std::size_t>(box.cells());
      const int length = box.z1 - box.z0;
      for (int i = box.x0; i < box.x1; ++i)
        for (int j = box.y0; j < box.y1; ++j, row += length)
          std::copy_n(row, length, to.begin() + (static_cast<std::ptrdiff_t>(i) * n[1] + j) * n[2] + box.z0);
    });
  });
}

/// Means of the entries around each cell. Beyond an upper face are the first entries of a periodic axis, zeros on an
/// electric conductor, and the last entries on a magnetic one.
void Simulation::State::centres(Component component, std::span<double> to) {
  const std::array<int, 3> n = house::extents(problem_);
  const std::array<int, 3>& cells = problem_.cells;
  std::vector<double> all(product(n));
  entries(component, all);
  const auto at = [&](std::array<int, 3> entry) {
    for (std::size_t a = 0; a < 3; ++a) {
      if (entry[a] < n[a]) continue;
      if (problem_.face[2 * a + 1] != house::Face::neighbour) return 0.0;
      entry[a] = 0;
    }
    return all[(as_size(entry[0]) * as_size(n[1]) + as_size(entry[1])) * as_size(n[2]) + as_size(entry[2])];
  };
  with_precision(problem_.precision, [&](auto number) {
    using T = decltype(number);
    constexpr std::int64_t stride[3] = {4, 2, 1};
    std::size_t cell = 0;
    for (int i = 0; i < cells[0]; ++i)
      for (int j = 0; j < cells[1]; ++j)
        for (int k = 0; k < cells[2]; ++k, ++cell) {
          T corner[8];
          for (int e = 0; e < 8; ++e) corner[e] = static_cast<T>(at({i + e / 4, j + e / 2 % 2, k + e % 2}));
          to[cell] = house::at_centre(field_of(component), axis_of(component), corner, stride);
        }
  });
}

void Simulation::State::field(Component component, std::span<double> to, At where) {
  const Session::State::Call call(*session_);
  const std::size_t expected = product(where == At::entries ? house::extents(problem_) : problem_.cells);
  if (to.size() != expected) bad_input("field has {} values: expected {}", to.size(), expected);
  const Session::State::Awake awake(*session_);
  house::require_finite(simulation_->sums(house::Field::electric), step());
  if (where == At::entries)
    entries(component, to);
  else
    centres(component, to);
}

std::vector<double> Simulation::State::probe_values() {
  const Session::State::Call call(*session_);
  const Session::State::Awake awake(*session_);
  return simulation_->probe_values();
}

std::vector<std::string> Simulation::State::probe_names() const {
  if (scene_) return scene_->made.probe_names;
  std::vector<std::string> names;
  for (const house::Probe& p : problem_.probes)
    names.push_back(
        fmt::format("{} {} {} {}", house::component_name(p.field, p.component), p.cell[0], p.cell[1], p.cell[2]));
  return names;
}

std::vector<Spectrum> Simulation::State::spectra() {
  const Session::State::Call call(*session_);
  if (!scene_) return {};
  const Session::State::Awake awake(*session_);
  const std::vector<house::Spectrum> seen = simulation_->spectra();
  std::vector<Spectrum> all;
  for (const house::SceneMonitor& m : scene_->made.monitors) {
    const house::Spectrum& of = seen[m.monitor];
    for (std::size_t c = 0; c < of.monitor.components.size(); ++c) {
      const house::Box& b = of.monitor.components[c].entries;
      Spectrum& spectrum = all.emplace_back();
      spectrum.monitor = scene_->scene.monitors[m.of].name;
      spectrum.component = component_of(of.monitor.field, of.monitor.components[c].component);
      spectrum.frequencies = of.monitor.frequencies;
      spectrum.first = {b.x0, b.y0, b.z0};
      spectrum.shape = {b.x1 - b.x0, b.y1 - b.y0, b.z1 - b.z0};
      for (int f = 0; f < static_cast<int>(spectrum.frequencies.size()); ++f)
        for (int i = b.x0; i < b.x1; ++i)
          for (int j = b.y0; j < b.y1; ++j)
            for (int k = b.z0; k < b.z1; ++k) spectrum.values.push_back(of.at(static_cast<int>(c), f, i, j, k));
    }
  }
  return all;
}

std::vector<FarField> Simulation::State::far_fields() {
  const Session::State::Call call(*session_);
  if (!scene_) return {};
  const Session::State::Awake awake(*session_);
  std::vector<FarField> all;
  for (const house::SceneFarField& far :
       house::far_fields(scene_->scene, scene_->made, simulation_->spectra(), simulation_->time()))
    all.push_back({static_cast<int>(far.of), far.frequency, far.towards.theta / degree, far.towards.phi / degree,
                   far.field.theta, far.field.phi, far.radiated, far.directivity, far.scattering, far.radar});
  return all;
}

std::vector<Flux> Simulation::State::fluxes() {
  const Session::State::Call call(*session_);
  if (!scene_) return {};
  const Session::State::Awake awake(*session_);
  std::vector<Flux> all;
  for (const house::SceneFlux& flux : house::fluxes(scene_->scene, scene_->made, simulation_->spectra()))
    all.push_back({flux.name, flux.frequency, flux.power});
  return all;
}

std::vector<Resonance> Simulation::State::resonances() {
  if (!scene_) return {};
  std::vector<Resonance> all;
  for (const house::Ringdown& of : house::ringdowns(scene_->scene, scene_->made, probe_values()))
    if (of.resonance) all.push_back({of.probe, of.resonance->frequency, of.resonance->quality, of.resonance->residual});
  return all;
}

std::vector<Scattering> Simulation::State::scattering() {
  const Session::State::Call call(*session_);
  if (!scene_) return {};
  const Session::State::Awake awake(*session_);
  std::vector<Scattering> all;
  for (house::Scattering& at :
       house::scattering(scene_->scene, scene_->made, simulation_->spectra(), simulation_->time()))
    all.push_back({at.frequency, at.generator, at.impedance, std::move(at.s)});
  return all;
}

namespace {

/// The state, which a simulation that was moved from does not have.
template <class State>
State& open(const std::unique_ptr<State>& state) {
  return state_in(state, "fields");
}

}  // namespace

Simulation::Simulation(Session& session, const Options& options, const Materials& materials)
    : state_(translated([&] { return std::make_unique<State>(state_of_one_process(session), options, materials); })) {}
Simulation::Simulation(std::unique_ptr<State> state) : state_(std::move(state)) {}
Simulation Simulation::from_scene(Session& session, const std::string& text, const std::string& folder) {
  return Simulation(translated([&] { return std::make_unique<State>(state_of_one_process(session), text, folder); }));
}
Simulation::~Simulation() = default;
Simulation::Simulation(Simulation&& other) noexcept = default;
Simulation& Simulation::operator=(Simulation&& other) noexcept = default;

void Simulation::start() {
  translated([&] { open(state_).start(); });
}
void Simulation::set_moment(std::size_t source, std::span<const double> moment) {
  translated([&] { open(state_).set_moment(source, moment); });
}
void Simulation::advance(long steps, const std::function<void(long)>& progress, long every) {
  translated([&] { advance_in_turns(open(state_), steps, progress, every); });
}
long Simulation::step() const {
  return translated([&] { return open(state_).step(); });
}
long Simulation::steps() const {
  return translated([&] { return open(state_).steps(); });
}
double Simulation::time_step() const {
  return translated([&] { return open(state_).problem().dt; });
}
std::array<int, 3> Simulation::cells() const {
  return translated([&] { return open(state_).problem().cells; });
}
std::array<int, 3> Simulation::shape() const {
  return translated([&] { return house::extents(open(state_).problem()); });
}
std::array<double, 3> Simulation::origin() const {
  return translated([&] { return open(state_).origin(); });
}
void Simulation::field(Component component, std::span<double> to, At at) const {
  translated([&] { open(state_).field(component, to, at); });
}
std::vector<double> Simulation::probe_values() const {
  return translated([&] { return open(state_).probe_values(); });
}
std::vector<std::string> Simulation::probe_names() const {
  return translated([&] { return open(state_).probe_names(); });
}
std::vector<Spectrum> Simulation::spectra() const {
  return translated([&] { return open(state_).spectra(); });
}
std::vector<FarField> Simulation::far_fields() const {
  return translated([&] { return open(state_).far_fields(); });
}
std::vector<Flux> Simulation::fluxes() const {
  return translated([&] { return open(state_).fluxes(); });
}
std::vector<Resonance> Simulation::resonances() const {
  return translated([&] { return open(state_).resonances(); });
}
std::vector<Scattering> Simulation::scattering() const {
  return translated([&] { return open(state_).scattering(); });
}

}  // namespace asterism::v0::fdtd

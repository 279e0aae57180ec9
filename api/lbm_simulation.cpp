// SPDX-License-Identifier: Apache-2.0
// The lattice Boltzmann method for a program around: the choices of asterism-lbm, the Simulation of taskflows/lbm.
#include <asterism/lbm.hpp>
#include <cmath>
#include <optional>
#include <utility>

#include "api/translated.hpp"
#include "api/units.hpp"
#include "base/as_size.hpp"
#include "taskflows/lbm/geometry/body.hpp"
#include "taskflows/lbm/pieces.hpp"

namespace asterism::v0::lbm {
namespace {

namespace house = asterism::lbm;

/// Steps between checks for a flow that diverges, as --check-every of asterism-lbm.
constexpr long check_every = 50;

house::Face face_of(const Face& face) {
  house::Face own;
  own.periodic = face.kind == Face::Kind::periodic;
  if (face.kind == Face::Kind::pressure) own.wall.kind = house::Wall::Kind::pressure;
  if (face.kind == Face::Kind::parabola) own.wall.kind = house::Wall::Kind::parabola;
  std::copy(face.velocity.begin(), face.velocity.end(), own.wall.u);
  own.wall.rho = face.density;
  return own;
}

house::Collision::Model model_of(Collision collision) {
  switch (collision) {
    case Collision::bgk:
      return house::Collision::Model::bgk;
    case Collision::trt:
      return house::Collision::Model::trt;
    case Collision::central_moments:
      return house::Collision::Model::central_moments;
  }
  bad_input("collision {}: expected bgk, trt or central_moments", static_cast<int>(collision));
}

void require_finite(const char* what, std::span<const double> values) {
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!std::isfinite(values[i])) bad_input("{}[{}] is {}: expected a finite number", what, i, values[i]);
}

house::BodyOptions body_of(const Body& body) {
  if (!(body.length > 0)) bad_input("length {}: expected a positive number", body.length);
  house::BodyOptions options;
  options.file = body.file;
  options.degrees = body.degrees;
  options.position = body.position;
  options.mesh = mesh_of(body.vertices, body.triangles);
  options.shape = body.shape == Body::Shape::cylinder ? house::Shape::cylinder : house::Shape::sphere;
  return options;
}

house::Problem problem_of(const Options& options, std::span<const std::uint8_t> solid) {
  house::Problem problem;
  problem.cells = options.cells;
  for (std::size_t f = 0; f < options.faces.size(); ++f) problem.face[f] = face_of(options.faces[f]);
  problem.collision.model = model_of(options.collision);
  problem.collision.tau = options.tau;
  if (options.magic) house::set_magic(problem.collision, *options.magic);
  problem.collision.smagorinsky = options.smagorinsky;
  std::copy(options.force.begin(), options.force.end(), problem.collision.force);
  problem.precision = precision_of(options.precision, true);
  problem.solid.resize(solid.size());
  std::transform(solid.begin(), solid.end(), problem.solid.begin(),
                 [](std::uint8_t cell) { return std::uint8_t{cell != 0}; });
  problem.sponge = options.sponge;
  require_finite("velocity", options.velocity);
  house::check(problem);
  return problem;
}

house::Problem problem_of(const Options& options, const Body& body) {
  house::Problem problem = problem_of(options, solid_cells(body, options.cells));
  if (body.walls == Body::Walls::interpolated)
    problem.distances = house::wall_distances(body_of(body), problem, body.length);
  return problem;
}

/// Values of a box, x fastest, as those of the domain.
template <class T>
void put(const house::DomainBox& box, const std::array<int, 3>& cells, const T* values, std::span<double> to) {
  if (to.empty()) return;
  const std::size_t length = as_size(box.x1 - box.x0);
  for (int z = box.z0; z < box.z1; ++z)
    for (int y = box.y0; y < box.y1; ++y, values += length)
      std::copy_n(values, length, to.begin() + ((static_cast<std::ptrdiff_t>(z) * cells[1] + y) * cells[0] + box.x0));
}

}  // namespace

class Simulation::State {
 public:
  /// `body`: solid cells, or a Body.
  template <class Solid>
  State(std::shared_ptr<Session::State> owner, const Options& options, const Solid& body)
      : session_(std::move(owner)), velocity_(options.velocity) {
    const Session::State::Call call(*session_);
    problem_ = problem_of(options, body);
    if (const auto share = options.gpu_share; share && !(*share >= 0 && *share <= 1))
      bad_input("gpu_share {}: expected 0 to 1", *share);
    pieces_.gpu_share = options.gpu_share;
    const Session::State::Awake awake(*session_);
    std::optional<double> chosen;
    const asterism::Session& running = start_for(
        *session_, house::step_work_of(pieces_, problem_),
        [&](asterism::SessionOptions& suited) {
          if (const auto streams = house::suited_streams(pieces_, suited)) suited.streams = streams;
        },
        chosen);
    const double share = house::gpu_share_of(pieces_, problem_, running, chosen, [] {}).share;
    const house::Pieces cut = house::cut(pieces_, problem_, running, share, house::PlacedBy::program);
    simulation_ = std::make_unique<house::Simulation>(problem_, cut.bricks, cut.placement);
    begin({});
  }
  ~State() {
    const Session::State::Call call(*session_);
    const Session::State::Awake awake(*session_);
    simulation_.reset();
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  void start(const Initial& initial);
  void advance(long steps);
  void fields(const Fields& to);
  house::ForceAndMoment force_and_moment(const std::array<double, 3>& about);
  Totals totals();

  [[nodiscard]] long step() const { return simulation_->time(); }
  [[nodiscard]] std::size_t cells() const {
    return as_size(problem_.cells[0]) * as_size(problem_.cells[1]) * as_size(problem_.cells[2]);
  }
  [[nodiscard]] std::int64_t fluid_cells() const { return simulation_->fluid_cells(); }

 private:
  void begin(const Initial& initial);

  std::shared_ptr<Session::State> session_;
  std::array<double, 3> velocity_;
  house::Problem problem_;
  house::PieceOptions pieces_;
  std::unique_ptr<house::Simulation> simulation_;
};

void Simulation::State::begin(const Initial& initial) {
  const auto at = [](std::span<const double> values, std::size_t cell, double otherwise) {
    return values.empty() ? otherwise : values[cell];
  };
  problem_.initial = [&](int x, int y, int z) {
    const std::size_t cell =
        as_size(x) + as_size(problem_.cells[0]) * (as_size(y) + as_size(problem_.cells[1]) * as_size(z));
    return house::Flow{
        at(initial.density, cell, 1),
        {at(initial.u, cell, velocity_[0]), at(initial.v, cell, velocity_[1]), at(initial.w, cell, velocity_[2])}};
  };
  simulation_->initialise();
  starpu_task_wait_for_all();
  problem_.initial = nullptr;  // the caller's arrays are read no more
}

void Simulation::State::start(const Initial& initial) {
  const Session::State::Call call(*session_);
  for (const auto& [name, values] :
       {std::pair{"density", initial.density}, {"u", initial.u}, {"v", initial.v}, {"w", initial.w}}) {
    require_length_or_none(name, values.size(), cells());
    require_finite(name, values);
  }
  const Session::State::Awake awake(*session_);
  begin(initial);
}

void Simulation::State::advance(long steps) {
  const Session::State::Call call(*session_);
  const Session::State::Awake awake(*session_);
  advance_checked(
      step(), steps, check_every, [&](long n) { simulation_->advance(n); },
      [&](long at) {
        if (const auto sums = simulation_->exchange_totals()) house::require_flow(*sums, at - check_every + 1);
      });
}

void Simulation::State::fields(const Fields& to) {
  const Session::State::Call call(*session_);
  const std::array<std::span<double>, 4> all{to.density, to.u, to.v, to.w};
  const char* const names[] = {"density", "u", "v", "w"};
  for (std::size_t f = 0; f < all.size(); ++f) require_length_or_none(names[f], all[f].size(), cells());
  const Session::State::Awake awake(*session_);
  house::require_flow(simulation_->totals(), step());
  simulation_->observe([&](const house::DomainBox& box, const void* values) {
    with_precision(problem_.precision, [&](auto number) {
      const auto* const first = static_cast<const decltype(number)*>(values);
      for (std::size_t f = 0; f < all.size(); ++f)
        put(box, problem_.cells, first + f * as_size(static_cast<int>(box.cells())), all[f]);
    });
  });
}

house::ForceAndMoment Simulation::State::force_and_moment(const std::array<double, 3>& about) {
  const Session::State::Call call(*session_);
  require_finite("about", about);
  const Session::State::Awake awake(*session_);
  return simulation_->force_and_moment(about);
}

Totals Simulation::State::totals() {
  const Session::State::Call call(*session_);
  const Session::State::Awake awake(*session_);
  const house::Totals sums = simulation_->totals();
  house::require_flow(sums, step());
  return {sums.mass, {sums.momentum[0], sums.momentum[1], sums.momentum[2]}, sums.energy, sums.speed};
}

namespace {

/// The state, which a simulation that was moved from does not have.
template <class State>
State& open(const std::unique_ptr<State>& state) {
  return state_in(state, "a flow");
}

}  // namespace

double relaxation_time(double velocity, double length, double reynolds) {
  return translated([&] {
    if (!(reynolds > 0)) bad_input("reynolds {}: expected a positive number", reynolds);
    return house::relaxation_time(std::abs(velocity) * length / reynolds);
  });
}

std::vector<std::uint8_t> solid_cells(const Body& body, const std::array<int, 3>& cells) {
  return translated([&] {
    for (const int n : cells)
      if (n < 1) bad_input("a domain of {} x {} x {} cells: expected at least 1 each", cells[0], cells[1], cells[2]);
    return house::solid_cells(body_of(body), cells, body.length);
  });
}

Simulation::Simulation(Session& session, const Options& options, std::span<const std::uint8_t> solid)
    : state_(translated([&] { return std::make_unique<State>(state_of_one_process(session), options, solid); })) {}
Simulation::Simulation(Session& session, const Options& options, const Body& body)
    : state_(translated([&] { return std::make_unique<State>(state_of_one_process(session), options, body); })) {}
Simulation::~Simulation() = default;
Simulation::Simulation(Simulation&& other) noexcept = default;
Simulation& Simulation::operator=(Simulation&& other) noexcept = default;

void Simulation::start(const Initial& initial) {
  translated([&] { open(state_).start(initial); });
}
void Simulation::advance(long steps, const std::function<void(long)>& progress, long every) {
  translated([&] { advance_in_turns(open(state_), steps, progress, every); });
}
long Simulation::step() const {
  return translated([&] { return open(state_).step(); });
}
void Simulation::fields(const Fields& to) const {
  translated([&] { open(state_).fields(to); });
}
std::array<double, 3> Simulation::force() const {
  return translated([&] { return open(state_).force_and_moment({}).force; });
}
std::array<double, 3> Simulation::moment(const std::array<double, 3>& about) const {
  return translated([&] { return open(state_).force_and_moment(about).moment; });
}
Totals Simulation::totals() const {
  return translated([&] { return open(state_).totals(); });
}
std::int64_t Simulation::cells() const noexcept {
  return state_ == nullptr ? 0 : static_cast<std::int64_t>(state_->cells());
}
std::int64_t Simulation::fluid_cells() const noexcept {
  return state_ == nullptr ? 0 : state_->fluid_cells();
}

}  // namespace asterism::v0::lbm

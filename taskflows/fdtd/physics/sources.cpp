// SPDX-License-Identifier: Apache-2.0
// Plane waves, of which every brick that they reach has the line, and magnetic currents.
#include <algorithm>

#include "base/error.hpp"
#include "codelets/fdtd/kernels/sources/incident.hpp"
#include "codelets/fdtd/kernels/update/boxes.hpp"
#include "taskflows/fdtd/physics/physics.hpp"
#ifdef ASTERISM_CUDA
#include "codelets/fdtd/kernels/kernels_cuda.hpp"
#include "codelets/fdtd/kernels/sources/plane_wave_cuda.hpp"
#endif

namespace asterism::fdtd {
namespace {

/// Array: the line. Before a half-step the line is where the field that is read is: E of it goes on before the domain's
/// H does, as late as it may.
template <class T>
class Correct final : public KernelHook {
 public:
  Correct(const Incident& incident, const std::array<int, 3>& origin)
      : incident_(incident), origin_{origin[0], origin[1], origin[2]} {}
  [[nodiscard]] int stages() const override { return Stage::begin | Stage::updated; }
  [[nodiscard]] std::optional<std::vector<Reach>> reach(const Grid& grid) const override {
    std::vector<Reach> sides;
    for (int axis = 0; axis < 3; ++axis)
      for (int side = 0; side < 2; ++side) {
        Box cells{};
        for (const Field field : {Field::electric, Field::magnetic}) {
          const Correction<T> c = correction<T>(field, grid, origin_, grid.cells(), incident_, axis);
          for (const Box& part : {c.entries[2 * side], c.entries[2 * side + 1]})
            if (!part.empty()) cells = cells.empty() ? part : hull(cells, part);
        }
        if (!cells.empty()) sides.push_back({cells, true});
      }
    return sides;
  }
  [[nodiscard]] std::size_t moving_bytes() const override {
    return static_cast<std::size_t>(incident_.line.elements()) * sizeof(T);
  }
  void apply(const UpdatedBox& u) const override {
    T* const line = static_cast<T*>(u.arrays[0]);
    if (u.stage == Stage::updated)
      cpu::correct(u.field, u.grid, origin_, u.cells, incident_, line, static_cast<T*>(u.values));
    else if (goes_on(u))
      cpu::advance_line(other(u.field), incident_, given_at<T>(incident_, u.step), line);
  }
#ifdef ASTERISM_CUDA
  void apply(const UpdatedBox& u, CUstream_st* stream) const override {
    T* const line = static_cast<T*>(u.arrays[0]);
    if (u.stage == Stage::updated)
      cuda::correct(u.field, u.grid, origin_, u.cells, incident_, line, static_cast<T*>(u.values), stream);
    else if (goes_on(u))
      cuda::advance_line(other(u.field), incident_, given_at<T>(incident_, u.step), line, stream);
  }
#endif

 private:
  static Field other(Field field) {
    return field == Field::electric ? Field::magnetic : Field::electric;
  }
  static bool goes_on(const UpdatedBox& u) {
    return u.field == Field::electric || u.step > 0;
  }
  Incident incident_;
  std::int32_t origin_[3];
};

template <class T>
class Wave final : public PhysicsModule {
 public:
  Wave(Simulation& simulation, const Incident& incident, std::size_t number)
      : name_(fmt::format("wave_{}", number)), length_(incident.line.elements()) {
    for (const std::size_t b : simulation.own()) {
      const std::vector<std::array<int, 3>> origins = simulation.origins(b);
      if (origins.size() > 1 && !incident.total.faces[0]) {
        // through the periodic axis, as far as an overlap may go around it
        Incident all = incident;
        all.total.planes.x0 = -incident.total.planes.x1;
        all.total.planes.x1 = 2 * incident.total.planes.x1;
        add(simulation, b, all, simulation.origin(b));
        continue;
      }
      for (const std::array<int, 3>& o : origins) add(simulation, b, incident, o);
    }
  }
  [[nodiscard]] std::vector<StateKind> arrays() const override { return {{name_, sizeof(T), length_}}; }
  void for_rows(std::size_t /*array*/, starpu_data_access_mode mode, const Row& row) const override {
    for (const BrickArray& line : lines_) row(Opened<char>(line, mode).values(), 0, length_);
  }

 private:
  void add(Simulation& simulation, std::size_t brick, const Incident& incident, const std::array<int, 3>& o) {
    if (!reaches(incident, simulation.grid(brick), {o[0], o[1], o[2]})) return;
    kernels_.push_back(std::make_unique<Correct<T>>(incident, o));
    lines_.push_back(brick_array(new_line<T>(incident), "line of the plane wave"));
    for (const Field field : {Field::electric, Field::magnetic})
      simulation.add_hook(brick, field, *kernels_.back(), {{lines_.back().handle, STARPU_RW}});
  }
  std::string name_;
  std::int64_t length_;
  std::vector<std::unique_ptr<Correct<T>>> kernels_;
  std::vector<BrickArray> lines_;
};

/// H <- H - B dt / mu0 M, with the current of an entry spread over the volume of a cell.
template <class T>
class MagneticCurrent final : public KernelHook {
 public:
  MagneticCurrent(const CurrentSource& source, const std::array<int, 3>& entry, double scale, double dt)
      : source_(source), entry_(entry), scale_(scale), dt_(dt) {}
  [[nodiscard]] std::optional<std::vector<Reach>> reach(const Grid& /*grid*/) const override {
    const auto [i, j, k] = entry_;
    return std::vector{Reach{{i, i + 1, j, j + 1, k, k + 1}, true}};
  }
  void apply(const UpdatedBox& u) const override {
    if (here(u))
      cpu::add(u.grid, source_.component, entry_[0], entry_[1], entry_[2], value(u), static_cast<T*>(u.values));
  }
#ifdef ASTERISM_CUDA
  void apply(const UpdatedBox& u, CUstream_st* stream) const override {
    if (here(u))
      cuda::add(u.grid, source_.component, entry_[0], entry_[1], entry_[2], value(u), static_cast<T*>(u.values),
                stream);
  }
#endif

 private:
  [[nodiscard]] bool here(const UpdatedBox& u) const {
    const Box b = u.grid.entries(u.field, source_.component, u.cells);
    return entry_[0] >= b.x0 && entry_[0] < b.x1 && entry_[1] >= b.y0 && entry_[1] < b.y1 && entry_[2] >= b.z0 &&
           entry_[2] < b.z1;
  }
  [[nodiscard]] T value(const UpdatedBox& u) const {
    return static_cast<T>(scale_ * source_.current(static_cast<double>(u.step) * dt_));
  }
  const CurrentSource& source_;
  std::array<int, 3> entry_;
  double scale_, dt_;
};

}  // namespace

std::unique_ptr<PhysicsModule> make_wave(Simulation& simulation, const Problem& problem, std::size_t number) {
  const WaveInBox& w = problem.waves[number];
  const Incident incident = make_incident(w.wave, w.planes, space_of(problem));
  return with_precision(problem.precision, [&](auto real) -> std::unique_ptr<PhysicsModule> {
    return std::make_unique<Wave<decltype(real)>>(simulation, incident, number);
  });
}

void add_magnetic_source(Simulation& simulation, const Problem& p, const CurrentSource& source, std::size_t brick,
                         const std::array<int, 3>& entry, double b, std::vector<std::unique_ptr<KernelHook>>& kernels) {
  const auto length = [&](int axis) { return length_of(p, Field::magnetic, source.component, axis, source.cell); };
  const double scale = -b * p.dt / (p.mu0 * length(0) * length(1) * length(2));
  with_precision(p.precision, [&](auto number) {
    kernels.push_back(std::make_unique<MagneticCurrent<decltype(number)>>(source, entry, scale, p.dt));
  });
  simulation.add_hook(brick, Field::magnetic, *kernels.back(), {});
}

}  // namespace asterism::fdtd

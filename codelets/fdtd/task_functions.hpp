// SPDX-License-Identifier: Apache-2.0
// What the tasks of the finite-difference time-domain method do, written once for CPUs and GPUs: `Unit` has the kernels
// of one of them. Data come in the order of codelets.hpp.
#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <vector>

#include "codelets/fdtd/codelets.hpp"

namespace asterism::fdtd::codelets::tasks {

constexpr Field other(Field field) {
  return field == Field::electric ? Field::magnetic : Field::electric;
}

inline bool contains(const Box& b, const PointSource& s) {
  return s.i >= b.x0 && s.i < b.x1 && s.j >= b.y0 && s.j < b.y1 && s.k >= b.z0 && s.k < b.z1;
}

template <class T>
std::array<Media<T>, 2> take_media(const Scheme& scheme, Buffers& buffers) {
  std::array<Media<T>, 2> media{};
  for (std::size_t f = 0; f < 2; ++f) {
    if (scheme.media[f]) {
      media[f].index = buffers.take<const std::uint16_t>();
      media[f].table = buffers.take<const Coefficients<T>>();
    }
    if (scheme.graded) media[f].set_inverse_lengths(scheme.grid, buffers.take<const T>());
  }
  return media;
}

/// Planes of a grid, and so many on both sides as there are.
inline Planes around(const Planes& planes, std::int32_t more, const Grid& grid) {
  return {std::max(planes.first - more, 0), std::min(planes.end + more, grid.n[0])};
}

/// What a source adds to E in a step: the current is that of the middle of the step.
inline double addition(const AdvanceArgs& a, const PointSource& source, std::int64_t step) {
  return source.scale * (*source.current)((static_cast<double>(step) + 0.5) * a.dt);
}

/// The components of a box as two layers, as which kernels copy them.
inline std::array<Layer, 2> layers_of(const Box& entries) {
  return {Layer{{0, 1}, {entries, entries}}, Layer{{2, 2}, {entries, Box{}}}};
}

/// Probes of several steps: a row of the record for each.
template <class T>
struct StepsRecorder {
  std::int32_t count;
  const ProbePlace* in_main_memory;
  const ProbePlace* places;  ///< in the unit's memory
  T* record;
};

template <class Unit, class T>
class Advance {
 public:
  Advance(void** b, const AdvanceArgs& arguments) : a_(arguments) {
    Buffers buffers(b);
    for (T*& field : field_) field = buffers.take<T>();
    media_ = take_media<T>(a_.scheme, buffers);
    for (std::size_t f = 0; f < 2; ++f) {
      const HalfStep& half = a_.half[f];
      buffers.take(static_cast<std::int32_t>(half.received.size()), received_[f].data());
      buffers.take(static_cast<std::int32_t>(half.sent.size()), sent_[f].data());
      for (const HookBinding& binding : half.hooks)
        for (std::int32_t n = 0; n < binding.arrays; ++n) arrays_[f].push_back(buffers.take<void>());
      take_absorber(f);
    }
    for (const HookBinding& binding : a_.coupling)
      for (std::int32_t n = 0; n < binding.arrays; ++n) coupling_arrays_.push_back(buffers.take<void>());
    for (std::size_t side = 0; side < 2; ++side)
      if (a_.overlap.receives[side]) from_neighbour_[side] = buffers.take<const T>();
    for (std::size_t side = 0; side < 2; ++side)
      if (a_.overlap.sends[side]) to_neighbour_[side] = buffers.take<T>();
    if (a_.several_steps && a_.several_steps->scratch)
      for (T*& field : scratch_) field = buffers.take<T>();
    if (a_.recording.probes == 0) return;
    places_ = buffers.take<const ProbePlace>();
    record_ = buffers.take<T>() + static_cast<std::int64_t>(a_.recording.row) * a_.recording.probes;
  }

  void run() {
    receive_overlap();
    for (std::int64_t step = a_.step + advance_several(); step < a_.step + a_.steps; ++step) {
      // H(n + 1/2) = A H(n - 1/2) - B dt / mu0 rot E(n)
      update(Field::magnetic, step);
      if (a_.both_fields) update_both(*a_.both_fields, step);
      send(Field::magnetic);
      // E(n + 1) = A E(n) + B dt / eps0 rot H(n + 1/2) - what currents take
      update(Field::electric, step);
      for (const HookBinding& binding : a_.coupling)
        call(binding, Field::electric, a_.scheme.grid.cells(), step, Stage::coupled, coupling_arrays_.data());
      send(Field::electric);
      if (a_.completes) call_hooks(Field::electric, a_.scheme.grid.cells(), step, Stage::end);
      record();
    }
    send_overlap();
  }

 private:
  void take_absorber(std::size_t f) {
    void* const* arrays = arrays_[f].data();
    for (const HookBinding& binding : a_.half[f].hooks) {
      if (binding.hook->absorbs()) binding.hook->absorber(arrays, &layers_[f]);
      arrays += binding.arrays;
    }
  }

  /// Steps that go through memory together, in as many passes as there are whole ones, or all where a pass may be
  /// shorter: how many.
  std::int32_t advance_several() {
    if (!a_.several_steps || (Unit::whole_passes_only && !a_.several_steps->scratch)) return 0;
    const std::int32_t pass = Unit::steps_of_pass(*a_.several_steps);
    std::vector<T> values(a_.sources.size() * static_cast<std::size_t>(pass));
    std::vector<Source<T>> sources;
    for (std::size_t s = 0; s < a_.sources.size(); ++s) {
      const PointSource& p = a_.sources[s];
      sources.push_back({p.component, p.i, p.j, p.k, values.data() + s * static_cast<std::size_t>(pass)});
    }
    std::int32_t done = 0;
    while (Unit::whole_passes_only ? done + pass <= a_.steps : done < a_.steps) {
      const std::int32_t now = std::min(pass, a_.steps - done);
      for (std::size_t s = 0; s < a_.sources.size(); ++s)
        for (std::int32_t n = 0; n < now; ++n)
          values[s * static_cast<std::size_t>(pass) + static_cast<std::size_t>(n)] =
              static_cast<T>(addition(a_, a_.sources[s], a_.step + done + n));
      done += now;
      unit_.update_steps(a_.scheme, now, needed_before(a_.steps - done), media_, layers_, sources,
                         StepsRecorder<T>{a_.recording.probes, a_.recording.places, places_, record_}, field_,
                         scratch_);
      if (a_.recording.probes > 0) record_ += std::int64_t{now} * a_.recording.probes;
    }
    return done;
  }

  /// What own planes depend on after so many more steps.
  [[nodiscard]] Planes needed_before(std::int32_t steps) const {
    const Grid& grid = a_.scheme.grid;
    if (a_.overlap.planes == 0) return {0, grid.n[0]};
    return around({a_.overlap.first, a_.overlap.end}, steps, grid);
  }
  [[nodiscard]] Box planes_of(std::int32_t first, std::int32_t end) const {
    return {first, end, 0, a_.scheme.grid.n[1], 0, a_.scheme.grid.n[2]};
  }
  /// What absorbing layers have of planes beside the fields, E first.
  template <class Body>
  void for_psi(const Box& planes, const Body& body) const {
    for (const Absorber<T>& layers : layers_)
      if (layers.layers != nullptr) for_psi_of_planes(*layers.layers, layers.psi, planes.x0, planes.x1, body);
  }
  void receive_overlap() {
    const Overlap& o = a_.overlap;
    const Box box[2] = {planes_of(o.first - o.planes, o.first), planes_of(o.end, o.end + o.planes)};
    for (std::size_t side = 0; side < 2; ++side) {
      const T* from = from_neighbour_[side];
      for (T* const field : field_) {
        if (from == nullptr) break;
        for (const Layer& layer : layers_of(box[side])) {
          unit_.unpack(a_.scheme.grid, layer, from, field);
          from += layer.elements();
        }
      }
      if (from != nullptr)
        for_psi(box[side], [&](T* psi, std::int64_t count) {
          unit_.copy(count, from, psi);
          from += count;
        });
    }
  }
  void send_overlap() {
    const Overlap& o = a_.overlap;
    const Box box[2] = {planes_of(o.first, o.first + o.planes), planes_of(o.end - o.planes, o.end)};
    for (std::size_t side = 0; side < 2; ++side) {
      T* to = to_neighbour_[side];
      for (const T* const field : field_) {
        if (to == nullptr) break;
        for (const Layer& layer : layers_of(box[side])) {
          unit_.pack(a_.scheme.grid, layer, field, to);
          to += layer.elements();
        }
      }
      if (to != nullptr)
        for_psi(box[side], [&](const T* psi, std::int64_t count) {
          unit_.copy(count, psi, to);
          to += count;
        });
    }
  }

  /// Ghosts of the other field, then the boxes of this one, sources and hooks.
  void update(Field field, std::int64_t step) {
    const std::size_t f = number(field);
    const HalfStep& half = a_.half[f];
    if (half.ghosts == Ghosts::put_in_place) put_in_place(other(field), half, received_[f]);
    if (half.begins) call_hooks(field, a_.scheme.grid.cells(), step, Stage::begin);
    for (const Box& cells : half.boxes) {
      unit_.update(field, a_.scheme, cells, media_[f], layers_[f], static_cast<const T*>(field_[number(other(field))]),
                   field_[f]);
      call_hooks(field, cells, step, Stage::updated);
      if (field != Field::electric) continue;
      add_sources(cells, step);
      call_hooks(field, cells, step, Stage::sources);
    }
  }
  void update_both(const BothFields& both, std::int64_t step) {
    unit_.update_both(a_.scheme, both, media_, layers_, field_);
    add_sources(both.e_cells, step);
  }
  void put_in_place(Field field, const HalfStep& half, const std::array<const T*, 3>& received) {
    const Grid& grid = a_.scheme.grid;
    T* const values = field_[number(field)];
    for (std::size_t n = 0; n < half.received.size(); ++n)
      unit_.unpack(grid, incoming(grid, field, half.received[n]), received[n], values);
    for (const std::int32_t axis : half.wrapped) unit_.wrap(grid, field, axis, values);
    if (field == Field::magnetic) unit_.reflect(grid, values);
  }
  void call_hooks(Field field, const Box& cells, std::int64_t step, Stage stage) {
    const std::size_t f = number(field);
    void* const* arrays = arrays_[f].data();
    for (const HookBinding& binding : a_.half[f].hooks) {
      if ((binding.hook->stages() & static_cast<int>(stage)) != 0) call(binding, field, cells, step, stage, arrays);
      arrays += binding.arrays;
    }
  }
  void call(const HookBinding& binding, Field field, const Box& cells, std::int64_t step, Stage stage,
            void* const* arrays) {
    const std::size_t f = number(field);
    const Media<T>& media = media_[f];
    unit_.call(*binding.hook, {stage,
                               field,
                               a_.scheme.grid,
                               cells,
                               step,
                               field_[number(other(field))],
                               field_[f],
                               media.index,
                               media.table,
                               arrays,
                               {media.inverse_length[0], media.inverse_length[1], media.inverse_length[2]}});
  }
  void add_sources(const Box& cells, std::int64_t step) {
    for (const PointSource& source : a_.sources) {
      if (!contains(a_.scheme.grid.entries(Field::electric, source.component, cells), source)) continue;
      unit_.add(a_.scheme.grid, source, static_cast<T>(addition(a_, source, step)), field_[0]);
    }
  }
  void send(Field field) {
    const std::size_t f = number(field);
    const Axes& axes = a_.half[f].sent;
    const Grid& grid = a_.scheme.grid;
    for (std::size_t n = 0; n < axes.size(); ++n)
      unit_.pack(grid, outgoing(grid, field, axes[n]), static_cast<const T*>(field_[f]), sent_[f][n]);
  }
  void record() {
    if (a_.recording.probes == 0) return;
    unit_.record(a_.recording.probes, places_, static_cast<const T*>(field_[0]), static_cast<const T*>(field_[1]),
                 record_);
    record_ += a_.recording.probes;
  }

  const AdvanceArgs& a_;
  const Unit unit_{};
  T* field_[2]{};
  std::array<Media<T>, 2> media_{};
  std::array<Absorber<T>, 2> layers_{};  ///< that cores' updates take with them, and several steps
  std::array<std::array<const T*, 3>, 2> received_{};
  std::array<std::array<T*, 3>, 2> sent_{};
  std::array<std::vector<void*>, 2> arrays_;
  std::vector<void*> coupling_arrays_;
  std::array<const T*, 2> from_neighbour_{};
  std::array<T*, 2> to_neighbour_{};
  T* scratch_[2]{};
  const ProbePlace* places_ = nullptr;
  T* record_ = nullptr;
};

template <class Unit, class T>
void advance(void** b, void* arguments) {
  Advance<Unit, T>(b, as<AdvanceArgs>(arguments)).run();
}

template <class Unit, class T>
void clear(void** b, void* arguments) {
  const auto& a = as<ClearArgs>(arguments);
  Buffers buffers(b);
  for (int f = 0; f < 2; ++f) Unit().clear(a.grid.elements(), buffers.take<T>());
}

template <class Unit, class T>
void store(void** b, void* arguments) {
  const auto& a = as<CopyArgs>(arguments);
  Buffers buffers(b);
  const T* const field = buffers.take<const T>();
  T* array = buffers.take<T>();
  for (const Layer& layer : layers_of(a.entries)) {
    Unit().pack(a.grid, layer, field, array);
    array += layer.elements();
  }
}

template <class Unit, class T>
void load(void** b, void* arguments) {
  const auto& a = as<CopyArgs>(arguments);
  Buffers buffers(b);
  T* const field = buffers.take<T>();
  const T* array = buffers.take<const T>();
  for (const Layer& layer : layers_of(a.entries)) {
    Unit().unpack(a.grid, layer, array, field);
    array += layer.elements();
  }
}

template <class Unit, class T>
void sum_components(const Unit& unit, Field field, const Grid& grid, const T* values, double* planes) {
  for (int c = 0; c < 3; ++c, planes += grid.n[0]) unit.sum(field, grid, c, values, planes);
}

template <class Unit, class T>
void sum(void** b, void* arguments) {
  const auto& a = as<SumArgs>(arguments);
  Buffers buffers(b);
  const T* const field = buffers.take<const T>();
  sum_components(Unit(), a.field, a.grid, field, buffers.take<double>());
}

template <class Unit, class T>
void domain(void** b, void* arguments) {
  const auto& a = as<DomainArgs>(arguments);
  const Grid& grid = a.advance.scheme.grid;
  const Unit unit;
  Buffers buffers(b);
  T* const field[2] = {buffers.take<T>(), buffers.take<T>()};
  if (a.begins_at_zero)
    for (T* const values : field) unit.clear(grid.elements(), values);
  Advance<Unit, T>(b, a.advance).run();
  if (a.advance.several_steps && a.advance.several_steps->scratch)
    for (int n = 0; n < 2; ++n) static_cast<void>(buffers.take<T>());
  if (a.ends_in_sums)
    sum_components(unit, Field::electric, grid, static_cast<const T*>(field[0]), buffers.take<double>());
}

template <class Unit, class T>
void energy(void** b, void* arguments) {
  const auto& a = as<EnergyArgs>(arguments);
  Buffers buffers(b);
  const T* const e = buffers.take<const T>();
  const T* const h = buffers.take<const T>();
  const std::array<Media<T>, 2> media = take_media<T>(a.scheme, buffers);
  Densities densities{a.density[0], a.density[1]};
  if (a.scheme.media[0]) densities.eps_r = buffers.take<const double>();
  if (a.scheme.media[1]) densities.mu_r = buffers.take<const double>();
  Unit().energy(a.scheme, media, densities, h, e, buffers.take<Energy>());
}

}  // namespace asterism::fdtd::codelets::tasks

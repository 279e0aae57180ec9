// SPDX-License-Identifier: Apache-2.0
// What a task does of the time steps of a brick (steps.hpp), written once for CPUs and GPUs: `Unit` has the kernels of
// one of them. Data come in the order of codelets.hpp.
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <span>
#include <utility>
#include <vector>

#include "base/as_size.hpp"
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

inline bool overlap(const Box& a, const Box& b) {
  return !common(a, b).empty();
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
      couple(a_.scheme.grid.cells(), step);
      send(Field::electric);
      if (a_.completes) call_hooks(Field::electric, a_.scheme.grid.cells(), step, Stage::end);
      record();
    }
    send_overlap();
  }

  /// What hooks do while steps overlap in time, on CPUs.
  void add_hooks(std::int32_t steps, cpu::BesideSteps<T>& beside) {
    for (const Reach& reach : a_.several_steps->reaches)
      beside.hooked.push_back(cells_of_entries(a_.scheme.grid, reach.cells));
    if (beside.hooked.empty()) return;
    keep_moving(steps);
    using Call = std::pair<Field, Stage>;
    const auto rows = [&](std::initializer_list<Call> calls) {
      return [this, hooked = beside.hooked, list = std::vector<Call>(calls)](int step, int plane, int first, int end) {
        const Box box{plane, plane + 1, first, end, 0, a_.scheme.grid.n[2]};
        if (std::none_of(hooked.begin(), hooked.end(), [&](const Box& b) { return overlap(b, box); })) return;
        for (const auto& [field, stage] : list)
          stage == Stage::coupled ? couple(box, first_of_pass_ + step)
                                  : call_hooks(field, box, first_of_pass_ + step, stage, step);
      };
    };
    const Field h = Field::magnetic, e = Field::electric;
    beside.h_updated = rows({{h, Stage::updated}, {e, Stage::changing}});
    beside.e_updated = rows({{e, Stage::updated}});
    beside.coupled = !a_.coupling.empty();
    if (beside.coupled) beside.added = rows({{e, Stage::sources}});
    beside.done =
        beside.coupled ? rows({{e, Stage::coupled}, {e, Stage::end}}) : rows({{e, Stage::sources}, {e, Stage::end}});
  }

  /// The cells apart from several steps of a GPU that go from arrays to others, where they come first.
  void advance_apart(const Apart& apart, std::int64_t step, T* row, T* const (&from)[2], T* const (&to)[2],
                     const std::array<Absorber<T>, 2>& layers_from, const std::array<Absorber<T>, 2>& layers_to) {
    const Grid& grid = a_.scheme.grid;
    unit_.copy_boxes(grid, apart.begin, from, to, layers_from, layers_to);
    const std::array<T*, 2> own = {field_[0], field_[1]};
    const std::array<Absorber<T>, 2> own_layers = layers_;
    std::copy_n(to, 2, field_);
    layers_ = layers_to;
    for (const Apart::Step& cells : apart.steps) {
      for (const auto& [field, boxes] : {std::pair{Field::magnetic, &cells.h}, {Field::electric, &cells.e}}) {
        put_in_place(field);
        call_hooks(field, grid.cells(), step, Stage::begin);
        update_together(field, *boxes, step);
      }
      call_hooks(Field::electric, grid.cells(), step, Stage::end);
      unit_.record(grid, apart.result, a_.recording.probes, places_, field_, row);
      row += a_.recording.probes;
      ++step;
    }
    std::copy(own.begin(), own.end(), field_);
    layers_ = own_layers;
  }
  [[nodiscard]] const SeveralSteps& several() const { return *a_.several_steps; }
  [[nodiscard]] std::int64_t first_of_pass() const { return first_of_pass_; }

 private:
  /// A whole number of arrays, one for each step, of what hooks change at the begin of half-steps.
  struct Moving {
    void* array;
    std::size_t bytes;
    std::vector<char> kept;
  };
  void keep_moving(std::int32_t steps) {
    moving_.clear();
    for (std::size_t f = 0; f < 2; ++f) {
      void* const* arrays = arrays_[f].data();
      for (const HookBinding& binding : a_.half[f].hooks) {
        const std::size_t bytes = binding.hook->moving_bytes();
        const bool known =
            std::any_of(moving_.begin(), moving_.end(), [&](const Moving& m) { return m.array == *arrays; });
        if (bytes > 0 && !known) moving_.push_back({*arrays, bytes, std::vector<char>(bytes * as_size(steps))});
        arrays += binding.arrays;
      }
    }
    for (std::int32_t step = 0; step < steps; ++step) {
      for (const Field field : {Field::magnetic, Field::electric})
        call_hooks(field, a_.scheme.grid.cells(), first_of_pass_ + step, Stage::begin);
      for (Moving& m : moving_) std::memcpy(m.kept.data() + m.bytes * as_size(step), m.array, m.bytes);
    }
  }

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
      put_in_place(Field::magnetic);
      first_of_pass_ = a_.step + done;
      done += now;
      unit_.update_steps(a_.scheme, now, needed_before(a_.steps - done), media_, layers_, sources,
                         StepsRecorder<T>{a_.recording.probes, a_.recording.places, places_, record_}, *this, field_,
                         scratch_);
      if (a_.recording.probes > 0) record_ += std::int64_t{now} * a_.recording.probes;
    }
    return done;
  }

  /// What own planes depend on after so many more steps.
  [[nodiscard]] Planes needed_before(std::int32_t steps) const {
    const Grid& grid = a_.scheme.grid;
    if (a_.overlap.planes == 0) return {0, grid.n[0]};
    const std::int32_t planes_of_step = a_.coupling.empty() ? 1 : 2;
    return around({a_.overlap.first, a_.overlap.end}, steps * planes_of_step, grid);
  }
  /// What hooks have of planes beside the fields, E first.
  template <class Body>
  void for_hooks_of(const Box& planes, const Body& body) const {
    for (std::size_t f = 0; f < 2; ++f) {
      void* const* arrays = arrays_[f].data();
      for (const HookBinding& binding : a_.half[f].hooks) {
        binding.hook->for_planes(arrays, planes.x0, planes.x1,
                                 [&](void* numbers, std::int64_t count) { body(static_cast<T*>(numbers), count); });
        arrays += binding.arrays;
      }
    }
  }
  void receive_overlap() {
    const Overlap& o = a_.overlap;
    const Grid& grid = a_.scheme.grid;
    const Box box[2] = {grid.planes(o.first - o.planes, o.first), grid.planes(o.end, o.end + o.planes)};
    for (std::size_t side = 0; side < 2; ++side) {
      const T* from = from_neighbour_[side];
      for (T* const field : field_) {
        if (from == nullptr) break;
        for (const Layer& layer : layers_of(box[side])) {
          unit_.unpack(grid, layer, from, field);
          from += layer.elements();
        }
      }
      if (from != nullptr)
        for_hooks_of(box[side], [&](T* numbers, std::int64_t count) {
          unit_.copy(count, from, numbers);
          from += count;
        });
    }
  }
  void send_overlap() {
    const Overlap& o = a_.overlap;
    const Grid& grid = a_.scheme.grid;
    const Box box[2] = {grid.planes(o.first, o.first + o.planes), grid.planes(o.end - o.planes, o.end)};
    for (std::size_t side = 0; side < 2; ++side) {
      T* to = to_neighbour_[side];
      for (const T* const field : field_) {
        if (to == nullptr) break;
        for (const Layer& layer : layers_of(box[side])) {
          unit_.pack(grid, layer, field, to);
          to += layer.elements();
        }
      }
      if (to != nullptr)
        for_hooks_of(box[side], [&](const T* numbers, std::int64_t count) {
          unit_.copy(count, numbers, to);
          to += count;
        });
    }
  }

  /// Ghosts of the other field, then the boxes of this one, sources and hooks.
  void update(Field field, std::int64_t step) {
    const HalfStep& half = a_.half[number(field)];
    put_in_place(field);
    if (half.begins) call_hooks(field, a_.scheme.grid.cells(), step, Stage::begin);
    update_boxes(field, half.boxes, step);
  }
  void update_boxes(Field field, const FixedList<Box, 6>& boxes, std::int64_t step) {
    for (const Box& cells : boxes) update_together(field, {&cells, 1}, step);
  }
  void update_together(Field field, std::span<const Box> boxes, std::int64_t step) {
    const std::size_t f = number(field);
    for (const Box& cells : boxes)
      if (field == Field::electric) call_hooks(field, cells, step, Stage::changing);
    unit_.update(field, a_.scheme, boxes, media_[f], layers_[f], static_cast<const T*>(field_[number(other(field))]),
                 field_[f]);
    for (const Box& cells : boxes) {
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
  /// Ghosts of the other field, if the half-step of `field` has them put in place.
  void put_in_place(Field field) {
    const HalfStep& half = a_.half[number(field)];
    if (half.ghosts != Ghosts::put_in_place) return;
    const Grid& grid = a_.scheme.grid;
    const Field from = other(field);
    T* const values = field_[number(from)];
    for (std::size_t n = 0; n < half.received.size(); ++n)
      unit_.unpack(grid, incoming(grid, from, half.received[n]), received_[number(field)][n], values);
    for (const std::int32_t axis : half.wrapped) unit_.wrap(grid, from, axis, values);
    if (from == Field::magnetic) unit_.reflect(grid, values);
  }
  void couple(const Box& cells, std::int64_t step) {
    for (const HookBinding& binding : a_.coupling)
      call(binding, Field::electric, cells, step, Stage::coupled, coupling_arrays_.data());
  }
  /// `of_pass`: which of several steps that overlap in time, if it is one.
  void call_hooks(Field field, const Box& cells, std::int64_t step, Stage stage, int of_pass = -1) {
    const std::size_t f = number(field);
    void* const* arrays = arrays_[f].data();
    for (const HookBinding& binding : a_.half[f].hooks) {
      if (!binding.hook->absorbs() && (binding.hook->stages() & static_cast<int>(stage)) != 0)
        call(binding, field, cells, step, stage, arrays, of_pass);
      arrays += binding.arrays;
    }
  }
  void call(const HookBinding& binding, Field field, const Box& cells, std::int64_t step, Stage stage,
            void* const* arrays, int of_pass = -1) {
    const std::size_t f = number(field);
    const Media<T>& media = media_[f];
    void* moved = nullptr;
    if (of_pass >= 0 && binding.hook->moving_bytes() > 0)
      for (Moving& m : moving_)
        if (m.array == *arrays) moved = m.kept.data() + m.bytes * as_size(of_pass);
    if (moved != nullptr) arrays = &moved;
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
  std::array<Absorber<T>, 2> layers_{};
  std::array<std::array<const T*, 3>, 2> received_{};
  std::array<std::array<T*, 3>, 2> sent_{};
  std::array<std::vector<void*>, 2> arrays_;
  std::vector<void*> coupling_arrays_;
  std::vector<Moving> moving_;
  std::int64_t first_of_pass_ = 0;
  std::array<const T*, 2> from_neighbour_{};
  std::array<T*, 2> to_neighbour_{};
  T* scratch_[2]{};
  const ProbePlace* places_ = nullptr;
  T* record_ = nullptr;
};

}  // namespace asterism::fdtd::codelets::tasks

// What the tasks of the finite-difference time-domain method do, written once for CPUs and GPUs: `Unit` has the kernels
// of one of them. Data come in the order of codelets.hpp.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "codelets/fdtd/codelets.hpp"

namespace asterism::fdtd::codelets::bodies {

inline constexpr Field fields[2] = {Field::electric, Field::magnetic};

constexpr int number(Field field) {
  return static_cast<int>(field);
}
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
    if (scheme.media[f] == 0) continue;
    media[f].index = buffers.take<const std::uint16_t>();
    media[f].table = buffers.take<const Coefficients<T>>();
  }
  return media;
}

/// What a source adds to E in a step: the current is that of the middle of the step.
inline double addition(const AdvanceArgs& a, const PointSource& source, std::int64_t step) {
  return source.scale * (*source.current)((static_cast<double>(step) + 0.5) * a.dt);
}

/// The components of a box as two layers, as which kernels copy them.
inline std::array<Layer, 2> layers_of(const Box& entries) {
  return {Layer{{0, 1}, {entries, entries}}, Layer{{2, 2}, {entries, Box{}}}};
}

template <class Unit, class T>
class Advance {
 public:
  Advance(void** b, const AdvanceArgs& arguments) : a_(arguments) {
    Buffers buffers(b);
    for (T*& field : field_) field = buffers.take<T>();
    media_ = take_media<T>(a_.scheme, buffers);
    for (std::size_t f = 0; f < 2; ++f) {
      const Half& half = a_.half[f];
      buffers.take(half.received, received_[f].data());
      buffers.take(half.sent, sent_[f].data());
      for (std::int32_t e = 0; e < half.extensions; ++e)
        for (std::int32_t n = 0; n < half.extension[e].arrays; ++n) arrays_[f].push_back(buffers.take<void>());
    }
    const Overlap& overlap = a_.overlap;
    for (std::size_t side = 0; side < 2; ++side)
      if (overlap.receive[side] != 0) from_neighbour_[side] = buffers.take<const T>();
    for (std::size_t side = 0; side < 2; ++side)
      if (overlap.send[side] != 0) to_neighbour_[side] = buffers.take<T>();
    if (a_.scratch != 0)
      for (T*& field : scratch_) field = buffers.take<T>();
    if (a_.probes == 0) return;
    places_ = buffers.take<const ProbePlace>();
    record_ = buffers.take<T>() + static_cast<std::int64_t>(a_.row) * a_.probes;
  }

  void run() {
    receive_overlap();
    const bool waves = a_.wave > 0 && (a_.scratch != 0 || !Unit::whole_waves);
    const std::int32_t done = waves ? run_waves() : 0;
    for (std::int64_t step = a_.step + done; step < a_.step + a_.steps; ++step) {
      begin(Field::magnetic, step);
      if (a_.fused != 0) {
        unit_.update_both(a_.scheme, a_.fused_cells, media_, field_);
        add_sources(a_.fused_cells[number(Field::electric)], step);
      }
      pack(Field::magnetic);
      begin(Field::electric, step);
      pack(Field::electric);
      if (a_.ends != 0) extend(Field::electric, a_.scheme.grid.cells(), step, Stage::end);
      if (a_.probes > 0) {
        unit_.record(a_.probes, places_, field_[0], field_[1], record_);
        record_ += a_.probes;
      }
    }
    send_overlap();
  }

 private:
  /// As many steps as go into whole waves, or all where a wave may be shorter: how many.
  std::int32_t run_waves() {
    const std::int32_t wave = Unit::wave(a_.wave);
    std::vector<T> values(static_cast<std::size_t>(a_.sources) * static_cast<std::size_t>(wave));
    std::vector<Source<T>> sources;
    for (std::int32_t s = 0; s < a_.sources; ++s) {
      const PointSource& p = a_.source[s];
      sources.push_back({p.component, p.i, p.j, p.k, values.data() + static_cast<std::ptrdiff_t>(s) * wave});
    }
    std::int32_t done = 0;
    while (Unit::whole_waves ? done + wave <= a_.steps : done < a_.steps) {
      const std::int32_t now = std::min(wave, a_.steps - done);
      for (std::int32_t s = 0; s < a_.sources; ++s)
        for (std::int32_t n = 0; n < now; ++n)
          values[static_cast<std::size_t>(s * wave + n)] =
              static_cast<T>(addition(a_, a_.source[s], a_.step + done + n));
      unit_.update_steps(a_.scheme, now, media_, sources, field_, scratch_);
      done += now;
    }
    return done;
  }

  [[nodiscard]] Box planes_of(std::int32_t first, std::int32_t end) const {
    return {first, end, 0, a_.scheme.grid.n[1], 0, a_.scheme.grid.n[2]};
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
    }
  }

  /// Ghosts of the other field, then the boxes of this one.
  void begin(Field field, std::int64_t step) {
    const Half& half = a_.half[number(field)];
    if (half.complete != 0) complete(other(field), half, received_[static_cast<std::size_t>(field)]);
    if (half.begins != 0) extend(field, a_.scheme.grid.cells(), step, Stage::begin);
    for (std::int32_t b = 0; b < half.boxes; ++b) {
      const Box& cells = half.box[b];
      const auto f = static_cast<std::size_t>(field);
      unit_.update(field, a_.scheme, cells, media_[f], field_[number(other(field))], field_[f]);
      extend(field, cells, step, Stage::updated);
      if (field != Field::electric) continue;
      add_sources(cells, step);
      extend(field, cells, step, Stage::driven);
    }
  }
  void complete(Field field, const Half& half, const std::array<const T*, 3>& received) {
    const Grid& grid = a_.scheme.grid;
    T* const values = field_[number(field)];
    for (std::int32_t n = 0; n < half.received; ++n)
      unit_.unpack(grid, incoming(grid, field, half.receive[n]), received[static_cast<std::size_t>(n)], values);
    for (std::int32_t n = 0; n < half.wrapped; ++n) unit_.wrap(grid, field, half.wrap[n], values);
    if (field == Field::magnetic) unit_.reflect(grid, values);
  }
  void extend(Field field, const Box& cells, std::int64_t step, Stage stage) {
    const auto f = static_cast<std::size_t>(field);
    void* const* arrays = arrays_[f].data();
    for (std::int32_t e = 0; e < a_.half[f].extensions; ++e) {
      const Extending& extending = a_.half[f].extension[e];
      if ((extending.kernel->stages() & static_cast<int>(stage)) != 0)
        unit_.extend(*extending.kernel, {stage, field, a_.scheme.grid, cells, step, field_[number(other(field))],
                                         field_[f], media_[f].index, media_[f].table, arrays});
      arrays += extending.arrays;
    }
  }
  void add_sources(const Box& cells, std::int64_t step) {
    for (std::int32_t s = 0; s < a_.sources; ++s) {
      const PointSource& source = a_.source[s];
      if (!contains(a_.scheme.grid.entries(Field::electric, source.component, cells), source)) continue;
      unit_.add(a_.scheme.grid, source, static_cast<T>(addition(a_, source, step)), field_[0]);
    }
  }
  void pack(Field field) {
    const auto f = static_cast<std::size_t>(field);
    const Half& half = a_.half[f];
    const Grid& grid = a_.scheme.grid;
    for (std::int32_t n = 0; n < half.sent; ++n)
      unit_.pack(grid, outgoing(grid, field, half.send[n]), field_[f], sent_[f][static_cast<std::size_t>(n)]);
  }

  const AdvanceArgs& a_;
  const Unit unit_{};
  T* field_[2]{};
  std::array<Media<T>, 2> media_{};
  std::array<std::array<const T*, 3>, 2> received_{};
  std::array<std::array<T*, 3>, 2> sent_{};
  std::array<std::vector<void*>, 2> arrays_;
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
  if (a.first != 0)
    for (T* const values : field) unit.clear(grid.elements(), values);
  Advance<Unit, T>(b, a.advance).run();
  for (int n = 0; a.advance.scratch != 0 && n < 2; ++n) static_cast<void>(buffers.take<T>());
  if (a.last != 0) sum_components(unit, Field::electric, grid, static_cast<const T*>(field[0]), buffers.take<double>());
}

template <class Unit, class T>
void energy(void** b, void* arguments) {
  const auto& a = as<EnergyArgs>(arguments);
  Buffers buffers(b);
  const T* const e = buffers.take<const T>();
  const T* const h = buffers.take<const T>();
  const std::array<Media<T>, 2> media = take_media<T>(a.scheme, buffers);
  Densities densities{a.density[0], a.density[1]};
  if (a.scheme.media[0] != 0) densities.eps_r = buffers.take<const double>();
  if (a.scheme.media[1] != 0) densities.mu_r = buffers.take<const double>();
  Unit().energy(a.scheme, media, densities, h, e, buffers.take<Energy>());
}

}  // namespace asterism::fdtd::codelets::bodies

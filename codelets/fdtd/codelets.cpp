// SPDX-License-Identifier: Apache-2.0
#include "codelets/fdtd/codelets.hpp"

#include <algorithm>

#include "codelets/fdtd/codelets_cuda.hpp"
#include "codelets/fdtd/kernels/costs.hpp"
#include "codelets/fdtd/task_functions.hpp"

namespace asterism::fdtd::codelets {
namespace {

struct Cpu {
  /// A pass may have fewer steps than the others, and needs no scratch arrays.
  static constexpr bool whole_passes_only = false;
  static constexpr std::int32_t steps_of_pass(const SeveralSteps& /*unused*/) { return cpu::steps_at_once; }

  template <class T>
  void update(Field field, const Scheme& s, std::span<const Box> boxes, const Media<T>& media,
              const Absorber<T>& layers, const T* from, T* to) const {
    for (const Box& cells : boxes) cpu::update(field, s.grid, cells, s.factors[number(field)], media, from, to, layers);
  }
  template <class T>
  void update_both(const Scheme& s, const BothFields& both, const std::array<Media<T>, 2>& media,
                   const std::array<Absorber<T>, 2>& layers, T* const (&field)[2]) const {
    cpu::update_both(s.grid, both.h_cells, both.e_cells, s.factors[1], s.factors[0], media[1], media[0], field[1],
                     field[0], layers[1], layers[0]);
  }
  template <class T>
  void update_steps(const Scheme& s, std::int32_t steps, const Planes& needed, const std::array<Media<T>, 2>& media,
                    const std::array<Absorber<T>, 2>& layers, const std::vector<Source<T>>& sources,
                    const tasks::StepsRecorder<T>& probes, tasks::Advance<Cpu, T>& task, T* const (&field)[2],
                    T* const (&)[2]) const {
    cpu::BesideSteps<T> beside{layers[1], layers[0]};
    task.add_hooks(steps, beside);
    // probes on conductors, which no step changes, are recorded at once
    for (std::int32_t n = 0; n < steps; ++n)
      cpu::record(probes.count, probes.places, static_cast<const T*>(field[0]), static_cast<const T*>(field[1]),
                  probes.record + std::int64_t{n} * probes.count);
    if (probes.count > 0)
      beside.done = [&, hooks = beside.done](int step, int plane, int first, int end) {
        if (hooks) hooks(step, plane, first, end);
        record(s.grid, probes, {plane, plane + 1, first, end, 0, s.grid.n[2]}, step, field);
      };
    cpu::update_steps(s.grid, steps, needed, s.factors[1], s.factors[0], media[1], media[0], sources.data(),
                      static_cast<std::int32_t>(sources.size()), field[1], field[0], beside);
  }
  /// Probes in a box.
  template <class T>
  static void record(const Grid& grid, const tasks::StepsRecorder<T>& probes, const Box& box, int step,
                     T* const (&field)[2]) {
    for (std::int32_t p = 0; p < probes.count; ++p) {
      const ProbePlace& place = probes.places[p];
      const auto [i, j, k] = cell_of(grid, place);
      const auto within = [&](int at, int first, int end, int axis) {
        return at >= first && (at < end || (at == end && end == grid.n[axis]));  // on a magnetic conductor
      };
      if (within(i, box.x0, box.x1, 0) && within(j, box.y0, box.y1, 1))
        probes.record[std::int64_t{step} * probes.count + p] = field[number(place.field)][place.at];
    }
  }
  void call(const KernelHook& hook, const UpdatedBox& box) const { hook.apply(box); }
  template <class T>
  void copy(std::int64_t count, const T* from, T* to) const {
    std::copy_n(from, count, to);
  }
  template <class T>
  void pack(const Grid& grid, const Layer& layer, const T* field, T* array) const {
    cpu::pack(grid, layer, field, array);
  }
  template <class T>
  void unpack(const Grid& grid, const Layer& layer, const T* array, T* field) const {
    cpu::unpack(grid, layer, array, field);
  }
  template <class T>
  void wrap(const Grid& grid, Field field, int axis, T* values) const {
    cpu::wrap(grid, field, axis, values);
  }
  template <class T>
  void reflect(const Grid& grid, T* h) const {
    cpu::reflect(grid, h);
  }
  template <class T>
  void add(const Grid& grid, const PointSource& s, T value, T* e) const {
    cpu::add(grid, s.component, s.i, s.j, s.k, value, e);
  }
  template <class T>
  void record(std::int32_t count, const ProbePlace* places, const T* e, const T* h, T* row) const {
    cpu::record(count, places, e, h, row);
  }
  template <class T>
  void clear(std::int64_t count, T* values) const {
    std::fill_n(values, count, T{0});
  }
  template <class T>
  void sum(Field field, const Grid& grid, int component, const T* values, double* planes) const {
    cpu::sum(field, grid, grid.cells(), component, values, planes);
  }
  template <class T>
  void energy(const Scheme& s, const std::array<Media<T>, 2>& media, const Densities& densities, const T* h, const T* e,
              Energy* planes) const {
    cpu::energy(s.grid, s.grid.cells(), s.factors[1], media[1], media[0], densities, h, e, planes);
  }
};

double operations(const AdvanceArgs& a) {
  double sum = 0;
  const auto count = [&](Field field, const Box& cells) {
    sum += a.steps * flops(field, a.scheme.grid, cells, a.scheme.media[number(field)]);
  };
  for (const Field field : {Field::electric, Field::magnetic}) {
    for (const Box& cells : a.half[number(field)].boxes) count(field, cells);
    if (a.both_fields) count(field, field == Field::electric ? a.both_fields->e_cells : a.both_fields->h_cells);
  }
  return sum;
}
double advance_flops(const void* arguments, std::span<const Access> /*accesses*/) {
  return operations(*static_cast<const AdvanceArgs*>(arguments));
}
double domain_flops(const void* arguments, std::span<const Access> /*accesses*/) {
  return operations(static_cast<const DomainArgs*>(arguments)->advance);
}

CodeletSpec spec(const char* name, starpu_cpu_func_t cpu, starpu_cuda_func_t cuda, TaskFlops flops = nullptr) {
  return {.name = name, .variant = "", .cpu = cpu, .cuda = cuda, .flops = flops, .footprint = footprint_by_cells};
}

const gpu::Functions of_float = gpu::functions<float>();
const gpu::Functions of_double = gpu::functions<double>();

}  // namespace

PrecisionCodelet advance(spec("fdtd_advance", tasks::advance<Cpu, float>, of_float.advance, advance_flops),
                         spec("fdtd_advance", tasks::advance<Cpu, double>, of_double.advance, advance_flops));
PrecisionCodelet domain(spec("fdtd_domain", tasks::domain<Cpu, float>, of_float.domain, domain_flops),
                        spec("fdtd_domain", tasks::domain<Cpu, double>, of_double.domain, domain_flops));
PrecisionCodelet clear(spec("fdtd_clear", tasks::clear<Cpu, float>, of_float.clear),
                       spec("fdtd_clear", tasks::clear<Cpu, double>, of_double.clear));
PrecisionCodelet store(spec("fdtd_store", tasks::store<Cpu, float>, of_float.store),
                       spec("fdtd_store", tasks::store<Cpu, double>, of_double.store));
PrecisionCodelet load(spec("fdtd_load", tasks::load<Cpu, float>, of_float.load),
                      spec("fdtd_load", tasks::load<Cpu, double>, of_double.load));
PrecisionCodelet sum(spec("fdtd_sum", tasks::sum<Cpu, float>, of_float.sum),
                     spec("fdtd_sum", tasks::sum<Cpu, double>, of_double.sum));
PrecisionCodelet energy(spec("fdtd_energy", tasks::energy<Cpu, float>, of_float.energy),
                        spec("fdtd_energy", tasks::energy<Cpu, double>, of_double.energy));

}  // namespace asterism::fdtd::codelets

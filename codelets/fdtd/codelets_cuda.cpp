// SPDX-License-Identifier: Apache-2.0
// The kernels of GPUs, as the functions of the tasks call them.
#include "codelets/fdtd/codelets_cuda.hpp"

#include <starpu_cuda.h>

#include <span>

#include "base/cuda_check.hpp"
#include "codelets/fdtd/kernels/kernels_cuda.hpp"
#include "codelets/fdtd/kernels/media/cpml_cuda.hpp"
#include "codelets/fdtd/task_functions.hpp"

namespace asterism::fdtd::codelets::gpu {
namespace {

/// Asynchronous on the worker's stream.
struct Gpu {
  /// A pass is two launches of half of the steps each, to the scratch arrays and back.
  static constexpr bool whole_passes_only = true;
  static constexpr std::int32_t steps_of_pass(const SeveralSteps& several) { return several.steps_of_gpu; }
  cudaStream_t stream = starpu_cuda_get_local_stream();

  template <class T>
  void update(Field field, const Scheme& s, std::span<const Box> boxes, const Media<T>& media,
              const Absorber<T>& layers, const T* from, T* to) const {
    cuda::update(field, s.grid, {boxes.begin(), boxes.end()}, s.factors[number(field)], media, from, to, stream);
    if (layers.layers == nullptr) return;
    for (const Box& cells : boxes)
      cuda::absorb(field, s.grid, cells, s.factors[number(field)], media, *layers.layers, layers.stretches, from,
                   layers.psi, to, stream);
  }
  template <class T>
  void update_both(const Scheme& s, const BothFields& both, const std::array<Media<T>, 2>& media,
                   const std::array<Absorber<T>, 2>& layers, T* const (&field)[2]) const {
    update<T>(Field::magnetic, s, {&both.h_cells, 1}, media[1], layers[1], field[0], field[1]);
    update<T>(Field::electric, s, {&both.e_cells, 1}, media[0], layers[0], field[1], field[0]);
  }
  /// Half of the steps to the scratch arrays, where psi comes behind a field, the other half back.
  template <class T>
  void update_steps(const Scheme& s, std::int32_t steps, const Planes& needed, const std::array<Media<T>, 2>& media,
                    const std::array<Absorber<T>, 2>& layers, std::vector<Source<T>>& sources,
                    const tasks::StepsRecorder<T>& probes, tasks::Advance<Gpu, T>& task, T* const (&field)[2],
                    T* const (&scratch)[2]) const {
    std::array<Absorber<T>, 2> back = layers;
    for (std::size_t f = 0; f < 2; ++f) {
      T* next = scratch[f] + s.grid.elements();
      for (int axis = 0; axis < 3 && layers[f].layers != nullptr; ++axis) {
        back[f].psi.along[axis] = next;
        next += layers[f].layers->elements(axis);
      }
    }
    // those on conductors, which no step changes; the kernels record the others
    for (std::int32_t n = 0; n < steps; ++n)
      record(probes.count, probes.places, static_cast<const T*>(field[0]), static_cast<const T*>(field[1]),
             probes.record + std::int64_t{n} * probes.count);
    const auto launch = [&](std::int32_t done, const Planes& planes, const std::array<Absorber<T>, 2>& layers_from,
                            const std::array<Absorber<T>, 2>& layers_to, T* const(&from)[2], T* const(&to)[2]) {
      T* const row = probes.record + std::int64_t{done} * probes.count;
      cuda::BesideSteps<T> beside{layers_from[1],
                                  layers_from[0],
                                  layers_to[1].psi,
                                  layers_to[0].psi,
                                  {probes.count, probes.in_main_memory, probes.places, row},
                                  {},
                                  task.several().media};
      if (const Apart* apart = task.several().apart) {
        task.advance_apart(*apart, task.first_of_pass() + done, row, from, to, layers_from, layers_to);
        beside.apart = apart->result;
      }
      for (Source<T>& source : sources) source.values += done;
      cuda::update_steps(s.grid, steps / 2, planes, s.factors[1], s.factors[0], media[1], media[0], sources.data(),
                         static_cast<std::int32_t>(sources.size()), beside, static_cast<const T*>(from[1]),
                         static_cast<const T*>(from[0]), to[1], to[0], stream);
      for (Source<T>& source : sources) source.values -= done;
    };
    launch(0, tasks::around(needed, steps / 2, s.grid), layers, back, field, scratch);
    launch(steps / 2, needed, back, layers, scratch, field);
  }
  template <class T>
  void copy_boxes(const Grid& grid, const std::vector<Box>& boxes, T* const (&from)[2], T* const (&to)[2],
                  const std::array<Absorber<T>, 2>& layers_from, const std::array<Absorber<T>, 2>& layers_to) const {
    std::vector<cuda::BlockCopy<T>> copies;
    for (const Box& box : boxes)
      for (std::size_t f = 0; f < 2; ++f) {
        cuda::add_field(grid, box, from[f], to[f], copies);
        if (layers_from[f].layers != nullptr)
          cuda::add_psi(*layers_from[f].layers, common(box, grid.entries()), layers_from[f].psi, layers_to[f].psi,
                        copies);
      }
    cuda::copy_boxes(copies, stream);
  }
  template <class T>
  void record(const Grid& grid, const std::vector<Box>& boxes, std::int32_t count, const ProbePlace* places,
              T* const (&field)[2], T* row) const {
    cuda::record(grid, boxes, count, places, static_cast<const T*>(field[0]), static_cast<const T*>(field[1]), row,
                 stream);
  }
  void call(const KernelHook& hook, const UpdatedBox& box) const { hook.apply(box, stream); }
  template <class T>
  void copy(std::int64_t count, const T* from, T* to) const {
    ASTERISM_CHECK_CUDA(
        cudaMemcpyAsync(to, from, static_cast<std::size_t>(count) * sizeof(T), cudaMemcpyDeviceToDevice, stream));
  }
  template <class T>
  void pack(const Grid& grid, const Layer& layer, const T* field, T* array) const {
    cuda::pack(grid, layer, field, array, stream);
  }
  template <class T>
  void unpack(const Grid& grid, const Layer& layer, const T* array, T* field) const {
    cuda::unpack(grid, layer, array, field, stream);
  }
  template <class T>
  void wrap(const Grid& grid, Field field, int axis, T* values) const {
    cuda::wrap(grid, field, axis, values, stream);
  }
  template <class T>
  void reflect(const Grid& grid, T* h) const {
    cuda::reflect(grid, h, stream);
  }
  template <class T>
  void add(const Grid& grid, const PointSource& s, T value, T* e) const {
    cuda::add(grid, s.component, s.i, s.j, s.k, value, e, stream);
  }
  template <class T>
  void record(std::int32_t count, const ProbePlace* places, const T* e, const T* h, T* row) const {
    cuda::record(count, places, e, h, row, stream);
  }
  template <class T>
  void clear(std::int64_t count, T* values) const {
    ASTERISM_CHECK_CUDA(cudaMemsetAsync(values, 0, static_cast<std::size_t>(count) * sizeof(T), stream));
  }
  template <class T>
  void sum(Field field, const Grid& grid, int component, const T* values, double* planes) const {
    cuda::sum(field, grid, grid.cells(), component, values, planes, stream);
  }
  template <class T>
  void energy(const Scheme& s, const std::array<Media<T>, 2>& media, const Densities& densities, const T* h, const T* e,
              Energy* planes) const {
    cuda::energy(s.grid, s.grid.cells(), s.factors[1], media[1], media[0], densities, h, e, planes, stream);
  }
};

}  // namespace

template <class T>
Functions functions() {
  namespace t = tasks;
  return {.advance = t::advance<Gpu, T>,
          .clear = t::clear<Gpu, T>,
          .domain = t::domain<Gpu, T>,
          .store = t::store<Gpu, T>,
          .load = t::load<Gpu, T>,
          .sum = t::sum<Gpu, T>,
          .energy = t::energy<Gpu, T>};
}
template Functions functions<float>();
template Functions functions<double>();

}  // namespace asterism::fdtd::codelets::gpu

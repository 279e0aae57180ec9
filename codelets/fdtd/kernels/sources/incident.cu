// SPDX-License-Identifier: Apache-2.0
#include "codelets/fdtd/kernels/sources/incident.cuh"

#include "base/cuda_check.hpp"
#include "codelets/fdtd/kernels/sources/plane_wave_cuda.hpp"

namespace asterism::fdtd::cuda {
namespace {

std::uint32_t blocks_for(std::uint32_t count) {
  return (count + incident_threads - 1) / incident_threads;
}

}  // namespace

template <class T>
void advance_line(Field field, const Incident& incident, const Given<T>& given, T* line, cudaStream_t stream) {
  const LineStep<T> step = line_step<T>(field, incident);
  const std::uint32_t blocks = blocks_for(static_cast<std::uint32_t>(3 * step.line.length));
  const auto kernel = field == Field::electric ? line_kernel<Field::electric, T> : line_kernel<Field::magnetic, T>;
  kernel<<<blocks, incident_threads, 0, stream>>>(step, given, line);
  ASTERISM_CHECK_CUDA(cudaGetLastError());
}

template <class T>
void correct(Field field, const Grid& grid, const std::int32_t (&origin)[3], const Box& cells, const Incident& incident,
             const T* line, T* to, cudaStream_t stream) {
  const auto kernel =
      field == Field::electric ? correct_kernel<Field::electric, T> : correct_kernel<Field::magnetic, T>;
  for (int axis = 0; axis < 3; ++axis) {  // one after the other, as they share entries on edges of the box
    const Correction<T> c = correction<T>(field, grid, origin, cells, incident, axis);
    const std::uint32_t blocks = blocks_for(entries_of(c));
    if (blocks == 0) continue;
    kernel<<<blocks, incident_threads, 0, stream>>>(c, line, to);
    ASTERISM_CHECK_CUDA(cudaGetLastError());
  }
}

template void advance_line(Field, const Incident&, const Given<double>&, double*, cudaStream_t);
template void advance_line(Field, const Incident&, const Given<float>&, float*, cudaStream_t);
template void correct(Field, const Grid&, const std::int32_t (&)[3], const Box&, const Incident&, const double*,
                      double*, cudaStream_t);
template void correct(Field, const Grid&, const std::int32_t (&)[3], const Box&, const Incident&, const float*, float*,
                      cudaStream_t);

}  // namespace asterism::fdtd::cuda

// SPDX-License-Identifier: Apache-2.0
#include "codelets/fdtd/kernels/update/steps.hpp"

#include <algorithm>
#include <map>

#include "base/cuda_check.hpp"
#include "codelets/fdtd/kernels/kernels_cuda.hpp"

namespace asterism::fdtd::cuda {
namespace {

/// Streams of a thread on a GPU for launches that run beside one of another stream. They stay.
struct Beside {
  cudaStream_t stream[most_psi] = {};
  cudaEvent_t begin = nullptr;
  cudaEvent_t end[most_psi] = {};

  static Beside& of_thread(int device) {
    thread_local std::map<int, Beside> of_all;
    Beside& beside = of_all[device];
    if (beside.begin != nullptr) return beside;
    for (int n = 0; n < most_psi; ++n) {
      ASTERISM_CHECK_CUDA(cudaStreamCreateWithFlags(&beside.stream[n], cudaStreamNonBlocking));
      ASTERISM_CHECK_CUDA(cudaEventCreateWithFlags(&beside.end[n], cudaEventDisableTiming));
    }
    ASTERISM_CHECK_CUDA(cudaEventCreateWithFlags(&beside.begin, cudaEventDisableTiming));
    return beside;
  }
};

}  // namespace

template <class T>
void update_steps(const Grid& grid, int steps, const Planes& needed, const Factors& h_factors, const Factors& e_factors,
                  const Media<T>& h_media, const Media<T>& e_media, const Source<T>* sources, std::int32_t count,
                  const BesideSteps<T>& beside, const T* h_from, const T* e_from, T* h_to, T* e_to, cudaStream_t stream,
                  std::int32_t planes) {
  int device = 0;
  int processors = 0;  // each runs one block at a time
  ASTERISM_CHECK_CUDA(cudaGetDevice(&device));
  ASTERISM_CHECK_CUDA(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
  const std::vector<StepsLaunch<T>> launches = describe_steps(grid, steps, needed, h_factors, e_factors, h_media,
                                                              e_media, sources, count, beside, planes, processors);
  Beside* const others = launches.size() > 1 ? &Beside::of_thread(device) : nullptr;
  if (others != nullptr) ASTERISM_CHECK_CUDA(cudaEventRecord(others->begin, stream));
  int used = 0;  // other streams
  for (const StepsLaunch<T>& l : launches) {
    cudaStream_t of_launch = stream;
    if (l.psi != launches[0].psi) {
      const int n = most_psi - 1 - l.psi;
      of_launch = others->stream[n];
      if (n >= used) ASTERISM_CHECK_CUDA(cudaStreamWaitEvent(of_launch, others->begin, 0));
      used = std::max(used, n + 1);
    }
    with_steps_kernel<T>(steps, l.psi, [&](auto kernel, int columns, std::size_t bytes) {
      ASTERISM_CHECK_CUDA(
          cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)));
      kernel<<<l.blocks, static_cast<unsigned>(columns), bytes, of_launch>>>(l.steps, e_from, h_from, e_to, h_to);
      ASTERISM_CHECK_CUDA(cudaGetLastError());
    });
  }
  for (int n = 0; n < used; ++n) {
    ASTERISM_CHECK_CUDA(cudaEventRecord(others->end[n], others->stream[n]));
    ASTERISM_CHECK_CUDA(cudaStreamWaitEvent(stream, others->end[n], 0));
  }
}

template void update_steps(const Grid&, int, const Planes&, const Factors&, const Factors&, const Media<double>&,
                           const Media<double>&, const Source<double>*, std::int32_t, const BesideSteps<double>&,
                           const double*, const double*, double*, double*, cudaStream_t, std::int32_t);
template void update_steps(const Grid&, int, const Planes&, const Factors&, const Factors&, const Media<float>&,
                           const Media<float>&, const Source<float>*, std::int32_t, const BesideSteps<float>&,
                           const float*, const float*, float*, float*, cudaStream_t, std::int32_t);

}  // namespace asterism::fdtd::cuda

// SPDX-License-Identifier: Apache-2.0
#include "codelets/fdtd/kernels/update/steps.hpp"

#include <map>
#include <vector>

#include "base/cuda_check.hpp"
#include "codelets/fdtd/kernels/kernels_cuda.hpp"

namespace asterism::fdtd::cuda {
namespace {

/// Streams beside one of a GPU's for launches at the same time; a thread has them for as long as it lives.
class StreamsBeside {
 public:
  static StreamsBeside& of(cudaStream_t stream) {
    thread_local std::map<cudaStream_t, StreamsBeside> all;
    return all[stream];
  }
  /// What the stream has to do until now comes before what these do.
  void begin(cudaStream_t stream, std::size_t count) {
    while (streams_.size() < count) {
      streams_.emplace_back();
      ended_.emplace_back();
      ASTERISM_CHECK_CUDA(cudaStreamCreateWithFlags(&streams_.back(), cudaStreamNonBlocking));
      ASTERISM_CHECK_CUDA(cudaEventCreateWithFlags(&ended_.back(), cudaEventDisableTiming));
    }
    if (count == 0) return;
    if (begun_ == nullptr) ASTERISM_CHECK_CUDA(cudaEventCreateWithFlags(&begun_, cudaEventDisableTiming));
    ASTERISM_CHECK_CUDA(cudaEventRecord(begun_, stream));
    for (std::size_t n = 0; n < count; ++n) ASTERISM_CHECK_CUDA(cudaStreamWaitEvent(streams_[n], begun_));
  }
  /// The stream goes on after them.
  void end(cudaStream_t stream, std::size_t count) {
    for (std::size_t n = 0; n < count; ++n) {
      ASTERISM_CHECK_CUDA(cudaEventRecord(ended_[n], streams_[n]));
      ASTERISM_CHECK_CUDA(cudaStreamWaitEvent(stream, ended_[n]));
    }
  }
  [[nodiscard]] cudaStream_t operator[](std::size_t n) const { return streams_[n]; }

 private:
  std::vector<cudaStream_t> streams_;
  std::vector<cudaEvent_t> ended_;
  cudaEvent_t begun_ = nullptr;
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
  if (launches.empty()) return;
  // one kind of tiles fills what another one leaves of the GPU at its end
  StreamsBeside& others = StreamsBeside::of(stream);
  others.begin(stream, launches.size() - 1);
  for (std::size_t n = 0; n < launches.size(); ++n) {
    const StepsLaunch<T>& l = launches[n];
    with_steps_kernel<T>(steps, l.media, l.with_more, [&](auto kernel, int columns, std::size_t bytes) {
      ASTERISM_CHECK_CUDA(
          cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)));
      kernel<<<l.blocks, static_cast<unsigned>(columns), bytes, n == 0 ? stream : others[n - 1]>>>(l.steps, e_from,
                                                                                                   h_from, e_to, h_to);
      ASTERISM_CHECK_CUDA(cudaGetLastError());
    });
  }
  others.end(stream, launches.size() - 1);
}

template void update_steps(const Grid&, int, const Planes&, const Factors&, const Factors&, const Media<double>&,
                           const Media<double>&, const Source<double>*, std::int32_t, const BesideSteps<double>&,
                           const double*, const double*, double*, double*, cudaStream_t, std::int32_t);
template void update_steps(const Grid&, int, const Planes&, const Factors&, const Factors&, const Media<float>&,
                           const Media<float>&, const Source<float>*, std::int32_t, const BesideSteps<float>&,
                           const float*, const float*, float*, float*, cudaStream_t, std::int32_t);

}  // namespace asterism::fdtd::cuda

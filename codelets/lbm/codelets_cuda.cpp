// The CUDA side of the codelets: unpacks StarPU's buffers and calls the kernels, asynchronously on the worker's stream.
#include "codelets/lbm/codelets_cuda.hpp"

#include <starpu_cuda.h>

#include <algorithm>

#include "codelets/lbm/buffers.hpp"
#include "codelets/lbm/copy.hpp"
#include "codelets/lbm/kernels_cuda.hpp"
#include "taskflows/runtime/cuda_check.hpp"

namespace asterism::lbm::codelets::gpu {
namespace {

cudaStream_t stream() {
  return starpu_cuda_get_local_stream();
}

cuda::Transfers transfers(std::int32_t count, const Transfer* of) {
  cuda::Transfers t;
  t.count = count;
  std::copy_n(of, count, t.transfer);
  return t;
}

template <class T>
void finish(const Completion& c, const Brick& brick, const Obstacle& obstacle, const T* const* received, T* f) {
  if (c.pending == 0) return;
  if (c.received > 0) cuda::unpack(brick, transfers(c.received, c.receive), received, f, stream());
  if (c.walls > 0) {
    cuda::Walls walls;
    walls.count = c.walls;
    std::copy_n(c.wall, c.walls, walls.wall);
    cuda::reflect(c.last, brick, walls, f, stream());
  }
  if (obstacle.solid != nullptr) cuda::reflect(c.last, obstacle.links, f, stream());
}

}  // namespace

template <class T>
void advance(void** b, void* arguments) {
  const auto& a = as<AdvanceArgs>(arguments);
  Buffers buffers(b);
  T* const f = buffers.take<T>();
  const Obstacle obstacle = take_obstacle(a.place, buffers);
  const T* received[2]{};
  T* sent[2]{};
  buffers.take(a.completion.received, received);
  buffers.take(a.sent, sent);
  finish(a.completion, a.place.brick, obstacle, received, f);
  cuda::Boxes boxes;
  boxes.count = a.boxes;
  std::copy_n(a.box, a.boxes, boxes.box);
  if (a.boxes > 0) cuda::update(a.half, a.place.brick, boxes, a.collision, obstacle.solid, f, stream());
  if (a.sent > 0) cuda::pack(a.place.brick, transfers(a.sent, a.send), f, sent, stream());
}

template <class T>
void forward(void** b, void* arguments) {
  const auto& a = as<ForwardArgs>(arguments);
  Buffers buffers(b);
  T* const f = buffers.take<T>();
  const T* received[2]{};
  T* sent[2]{};
  buffers.take(a.received, received);
  buffers.take(a.sent, sent);
  if (a.received > 0) cuda::unpack(a.brick, transfers(a.received, a.receive), received, f, stream());
  if (a.sent > 0) cuda::pack(a.brick, transfers(a.sent, a.send), f, sent, stream());
}

template <class T>
void complete(void** b, void* arguments) {
  const auto& a = as<CompleteArgs>(arguments);
  Buffers buffers(b);
  T* const f = buffers.take<T>();
  const Obstacle obstacle = take_obstacle(a.place, buffers);
  const T* received[2]{};
  buffers.take(a.completion.received, received);
  if (a.measure_force != 0) {
    auto* const force = buffers.take<double>();
    ASTERISM_CHECK_CUDA(cudaMemsetAsync(force, 0, 3 * sizeof(double), stream()));
    if (obstacle.solid != nullptr) cuda::force(a.completion.last, obstacle.links, f, force, stream());
  }
  finish(a.completion, a.place.brick, obstacle, received, f);
}

template <class T>
void observe(void** b, void* arguments) {
  const auto& a = as<ObserveArgs>(arguments);
  Buffers buffers(b);
  const T* const f = buffers.take<const T>();
  const Obstacle obstacle = take_obstacle(a.place, buffers);
  cuda::observe(a.settled != 0, a.place.brick, a.box, a.collision, obstacle.solid, f, buffers.take<T>(), stream());
}

template <class T>
void total(void** b, void* arguments) {
  const auto& a = as<ObserveArgs>(arguments);
  Buffers buffers(b);
  const T* const f = buffers.take<const T>();
  const Obstacle obstacle = take_obstacle(a.place, buffers);
  auto* const totals = buffers.take<Totals>();
  cuda::total(a.settled != 0, a.place.brick, a.box, a.collision, obstacle.solid, f, totals, buffers.take<void>(),
              stream());
}

template <class T>
void store(void** b, void* arguments) {
  const auto& a = as<CopyArgs>(arguments);
  Buffers buffers(b);
  const T* const f = buffers.take<const T>();
  cuda::store(a.brick, a.box, f, buffers.take<T>(), stream());
}

template <class T>
void load(void** b, void* arguments) {
  const auto& a = as<CopyArgs>(arguments);
  Buffers buffers(b);
  T* const f = buffers.take<T>();
  cuda::load(a.brick, a.box, buffers.take<const T>(), f, stream());
}

#define ASTERISM_INSTANTIATE(name)          \
  template void name<float>(void**, void*); \
  template void name<double>(void**, void*);
ASTERISM_INSTANTIATE(advance)
ASTERISM_INSTANTIATE(forward)
ASTERISM_INSTANTIATE(complete)
ASTERISM_INSTANTIATE(observe)
ASTERISM_INSTANTIATE(total)
ASTERISM_INSTANTIATE(store)
ASTERISM_INSTANTIATE(load)
#undef ASTERISM_INSTANTIATE

}  // namespace asterism::lbm::codelets::gpu

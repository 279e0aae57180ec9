// SPDX-License-Identifier: Apache-2.0
// The kernels of GPUs, as task_functions.hpp calls them.
#include "codelets/lbm/codelets_cuda.hpp"

#include <starpu_cuda.h>

#include <algorithm>

#include "base/cuda_check.hpp"
#include "codelets/lbm/kernels/copy.hpp"
#include "codelets/lbm/kernels/kernels_cuda.hpp"
#include "codelets/lbm/task_functions.hpp"

namespace asterism::lbm::codelets::gpu {
namespace {

cuda::Transfers transfers(std::int32_t count, const Transfer* of) {
  cuda::Transfers t;
  t.count = count;
  std::copy_n(of, count, t.transfer);
  return t;
}

cuda::Walls walls(std::int32_t count, const Wall* of) {
  cuda::Walls w;
  w.count = count;
  std::copy_n(of, count, w.wall);
  return w;
}

/// Asynchronous on the worker's stream.
struct Gpu {
  static constexpr bool returns_at_once = true;
  cudaStream_t stream = starpu_cuda_get_local_stream();

  template <class T>
  void unpack(const Brick& brick, std::int32_t count, const Transfer* of, const T* const* arrays, T* f) const {
    if (count > 0) cuda::unpack(brick, transfers(count, of), arrays, f, stream);
  }
  template <class T>
  void pack(const Brick& brick, std::int32_t count, const Transfer* of, const T* f, T* const* arrays) const {
    if (count > 0) cuda::pack(brick, transfers(count, of), f, arrays, stream);
  }
  template <class T>
  void wrap(Half last, const Brick& brick, std::uint32_t wraps, T* f) const {
    if (wraps != 0) cuda::wrap(last, brick, wraps, f, stream);
  }
  template <class T>
  void reflect(Half last, const Brick& brick, std::int32_t count, const Wall* of, T* f) const {
    if (count > 0) cuda::reflect(last, brick, walls(count, of), f, stream);
  }
  template <class T>
  void reflect_before_update(Half last, const Brick& brick, std::int32_t count, const Wall* of, bool returned,
                             T* f) const {
    if (count > 0) cuda::reflect_before_update(last, brick, walls(count, of), returned, f, stream);
  }
  template <class T>
  void reflect(Half last, const Brick& brick, const Links& links, T* f) const {
    cuda::reflect(last, brick, links, f, stream);
  }
  template <class T>
  void update(Half half, const Brick& brick, std::int32_t count, const Box* of, const Collision& collision,
              const std::uint8_t* solid, std::int32_t returning, std::int32_t at_once, const Wall* wall, T* f) const {
    if (count == 0) return;
    cuda::Boxes boxes;
    boxes.count = count;
    std::copy_n(of, count, boxes.box);
    cuda::update(half, brick, boxes, collision, solid, walls(returning, wall), walls(at_once, wall), f, stream);
  }
  void clear(ForceSums* sums) const { ASTERISM_CHECK_CUDA(cudaMemsetAsync(sums, 0, sizeof(ForceSums), stream)); }
  template <class T>
  void force(Half last, const Brick& brick, const Origin& origin, const Links& links, const T* f,
             ForceSums* sums) const {
    cuda::force(last, brick, origin, links, f, sums, stream);
  }
  template <class T>
  void observe(Half next, const Brick& brick, const Box& box, const Collision& collision, const std::uint8_t* solid,
               const T* f, Arithmetic<T>* out) const {
    cuda::observe(next, brick, box, collision, solid, f, out, stream);
  }
  template <class T>
  void total(Half next, const Brick& brick, const Box& box, const Collision& collision, const std::uint8_t* solid,
             const T* f, Totals* totals, void* scratch) const {
    cuda::total(next, brick, box, collision, solid, f, totals, scratch, stream);
  }
  template <class T>
  void store(const Brick& brick, const Box& box, const T* f, T* array) const {
    cuda::store(brick, box, f, array, stream);
  }
  template <class T>
  void load(const Brick& brick, const Box& box, bool fresh, const T* array, T* f) const {
    // an update reads two cells at once, and at walls what it does not use: places that nothing may ever be written to
    if (fresh)
      ASTERISM_CHECK_CUDA(cudaMemsetAsync(f, 0, static_cast<std::size_t>(brick.elements()) * sizeof(T), stream));
    cuda::load(brick, box, array, f, stream);
  }
};

}  // namespace

template <class T>
Functions functions() {
  return {.advance = task_functions::advance<Gpu, T>,
          .forward = task_functions::forward<Gpu, T>,
          .complete = task_functions::complete<Gpu, T>,
          .observe = task_functions::observe<Gpu, T>,
          .total = task_functions::total<Gpu, T>,
          .store = task_functions::store<Gpu, T>,
          .load = task_functions::load<Gpu, T>};
}
template Functions functions<Float16>();
template Functions functions<float>();
template Functions functions<double>();

}  // namespace asterism::lbm::codelets::gpu

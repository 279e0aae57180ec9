// SPDX-License-Identifier: Apache-2.0
// The kernels of kernels.hpp on GPUs: asynchronous on a stream, all pointers to device memory but those of small
// descriptions (boxes, walls, transfers), which are passed by value.
#pragma once

#include <cuda_runtime_api.h>

#include "codelets/lbm/kernels/kernels.hpp"

namespace asterism::lbm::cuda {

/// Boxes of one launch: the shell of a brick is up to six of them.
struct Boxes {
  std::int32_t count = 0;
  Box box[faces];
};
struct Walls {
  std::int32_t count = 0;
  Wall wall[faces];
};
struct Transfers {
  std::int32_t count = 0;
  Transfer transfer[faces];
};

/// `returning`: velocity walls whose reflection of the half-step before is still to be done, as part of this one; with
/// others in it, which come before them, these have been done. `at_once`: all walls, where those that may
/// (may_return_at_once) are to return at once what they are sent; else none. `threads`: of a thread block, 256 at most,
/// 128 with half precision; 0: as is fastest.
template <class T>
void update(Half half, const Brick& brick, const Boxes& boxes, const Collision& collision, const std::uint8_t* solid,
            const Walls& returning, const Walls& at_once, T* f, cudaStream_t stream, int threads = 0);
template <class T>
void reflect(Half last, const Brick& brick, const Walls& walls, T* f, cudaStream_t stream);
/// All but velocity walls, and those that `returned` within the half-step itself.
template <class T>
void reflect_before_update(Half last, const Brick& brick, const Walls& walls, bool returned, T* f, cudaStream_t stream);
template <class T>
void reflect(Half last, const Brick& brick, const Links& links, T* f, cudaStream_t stream);
/// `sums`: in device memory, added to. Bit-identical to those of a CPU.
template <class T>
void force(Half last, const Brick& brick, const Origin& origin, const Links& links, const T* f, ForceSums* sums,
           cudaStream_t stream);
template <class T>
void wrap(Half last, const Brick& brick, std::uint32_t wraps, T* f, cudaStream_t stream);
/// `arrays`: in main memory, pointers to device memory.
template <class T>
void pack(const Brick& brick, const Transfers& transfers, const T* f, T* const* arrays, cudaStream_t stream);
template <class T>
void unpack(const Brick& brick, const Transfers& transfers, const T* const* arrays, T* f, cudaStream_t stream);
template <class T>
void observe(Half next, const Brick& brick, const Box& box, const Collision& collision, const std::uint8_t* solid,
             const T* f, Arithmetic<T>* out, cudaStream_t stream);
/// `totals`: one in device memory, set. `scratch`: total_scratch_bytes().
template <class T>
void total(Half next, const Brick& brick, const Box& box, const Collision& collision, const std::uint8_t* solid,
           const T* f, Totals* totals, void* scratch, cudaStream_t stream);
std::size_t total_scratch_bytes();

}  // namespace asterism::lbm::cuda

// SPDX-License-Identifier: Apache-2.0
// Messages from GPU to GPU between ranks, run by mpirun; without a GPU what does not need one.
#include <gtest/gtest.h>
#include <starpu.h>
#ifdef ASTERISM_CUDA
#include <cuda_runtime_api.h>
#endif

#include <algorithm>
#include <optional>
#include <vector>

#include "base/as_size.hpp"
#include "runtime/handle.hpp"
#include "runtime/ranks/direct/direct_messages.hpp"
#include "runtime/ranks/ranks.hpp"
#include "runtime/session.hpp"
#include "runtime/submit.hpp"

namespace asterism {
namespace {

SessionOptions with_cores(int cores, std::optional<int> gpus) {
  SessionOptions options;
  options.cpus = cores;
  options.gpus = gpus;
  options.ranks = Ranks::any;
  return options;
}

TEST(DirectMessages, AreNotUsedWithoutGpus) {
  const Session session(with_cores(1, 0));
  for (int rank = 0; rank < rank_group().ranks(); ++rank) EXPECT_FALSE(goes_directly(rank, std::size_t{1} << 24U));
}

#ifdef ASTERISM_CUDA

struct ByteArgs {
  int value;
};

void fill_on_gpu(void** b, void* arguments) {
  const auto& vector = *static_cast<starpu_vector_interface*>(b[0]);
  cudaMemsetAsync(reinterpret_cast<void*>(vector.ptr), static_cast<ByteArgs*>(arguments)->value, vector.nx,
                  starpu_cuda_get_local_stream());
}
void fill_on_core(void** b, void* arguments) {
  const auto& vector = *static_cast<starpu_vector_interface*>(b[0]);
  std::fill_n(reinterpret_cast<unsigned char*>(vector.ptr), vector.nx,
              static_cast<unsigned char>(static_cast<ByteArgs*>(arguments)->value));
}
/// result <- how many elements of the datum are not `value`
void count_on_gpu(void** b, void* arguments) {
  const auto& vector = *static_cast<starpu_vector_interface*>(b[0]);
  std::vector<unsigned char> values(vector.nx);
  cudaMemcpyAsync(values.data(), reinterpret_cast<void*>(vector.ptr), vector.nx, cudaMemcpyDeviceToHost,
                  starpu_cuda_get_local_stream());
  cudaStreamSynchronize(starpu_cuda_get_local_stream());
  const int value = static_cast<ByteArgs*>(arguments)->value;
  const auto wrong =
      static_cast<std::int64_t>(vector.nx) - std::ranges::count(values, static_cast<unsigned char>(value));
  const auto& result = *static_cast<starpu_vector_interface*>(b[1]);
  cudaMemcpyAsync(reinterpret_cast<void*>(result.ptr), &wrong, sizeof wrong, cudaMemcpyHostToDevice,
                  starpu_cuda_get_local_stream());
  cudaStreamSynchronize(starpu_cuda_get_local_stream());
}

starpu_codelet codelet(starpu_cpu_func_t cpu, starpu_cuda_func_t cuda, const char* name) {
  starpu_codelet c;
  starpu_codelet_init(&c);
  c.cpu_funcs[0] = cpu;
  c.cuda_funcs[0] = cuda;
  if (cuda != nullptr) c.cuda_flags[0] = STARPU_CUDA_ASYNC;
  c.where = (cpu != nullptr ? STARPU_CPU : 0) | (cuda != nullptr ? STARPU_CUDA : 0);
  c.nbuffers = STARPU_VARIABLE_NBUFFERS;
  c.name = name;
  return c;
}

/// Ring of ranks: each round a rank writes its datum, and the next one checks it; which also sends what it got on.
void run_rounds(std::size_t bytes, int rounds, bool from_core) {
  static starpu_codelet fill = codelet(nullptr, fill_on_gpu, "fill");
  static starpu_codelet fill_core = codelet(fill_on_core, nullptr, "fill_core");
  static starpu_codelet count = codelet(nullptr, count_on_gpu, "count");
  const int me = rank_group().rank();
  const int ranks = rank_group().ranks();
  const int next = (me + 1) % ranks;
  const int before = (me + ranks - 1) % ranks;
  const std::int64_t tags = rank_group().allocate_tags(ranks);
  std::vector<std::int64_t> wrong(as_size(rounds), -1);
  {
    const Handle mine = Handle::vector(nullptr, bytes, 1, "mine").shared(me, tags + me);
    const Handle theirs = Handle::vector(nullptr, bytes, 1, "theirs").shared(before, tags + before);
    std::vector<Handle> results;
    for (int k = 0; k < rounds; ++k) {
      results.push_back(Handle::vector(&wrong[as_size(k)], 1, sizeof(std::int64_t), "wrong"));
      submit(from_core && k % 2 == 1 ? fill_core : fill, ByteArgs{(31 * k + me) % 251}, {{mine, STARPU_W}});
      // what the next rank reads of this one, and what it writes of its own
      exchange_data(std::vector<Access>{{mine, STARPU_R}}, next);
      exchange_data(std::vector<Access>{{theirs, STARPU_W}}, before);
      submit(count, ByteArgs{(31 * k + before) % 251}, {{theirs, STARPU_R}, {results.back(), STARPU_W}});
    }
  }
  for (int k = 0; k < rounds; ++k) EXPECT_EQ(wrong[as_size(k)], 0) << bytes << " bytes, round " << k;
}

TEST(DirectMessages, CarryWhatGpusAndCoresHaveWritten) {
  if (visible_gpus() == 0) GTEST_SKIP() << "no GPU";
  if (rank_group().ranks() == 1) GTEST_SKIP() << "one rank";
  const Session session(with_cores(1, std::nullopt));
  for (const std::size_t bytes : {std::size_t{100}, std::size_t{16384}, std::size_t{100001}, std::size_t{9000000}}) {
    EXPECT_EQ(goes_directly((rank_group().rank() + 1) % rank_group().ranks(), bytes), bytes >= 16384);
    for (int again = 0; again < 3; ++again) run_rounds(bytes, 40, true);
  }
}

#endif

}  // namespace
}  // namespace asterism

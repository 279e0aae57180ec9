// SPDX-License-Identifier: Apache-2.0
#include "runtime/ranks/all_gather.hpp"

#include <fmt/format.h>
#ifdef ASTERISM_CUDA
#include <cuda_runtime_api.h>

#include "base/cuda_check.hpp"
#endif

#include <algorithm>
#include <cstring>
#include <numeric>

#include "runtime/codelet.hpp"
#include "runtime/ranks/direct/direct_messages.hpp"
#include "runtime/ranks/ranks.hpp"

namespace asterism {
namespace {

/// The items of all inputs, one after the other, to places first, first + 1, ... of the output, whose end is followed
/// by its beginning, until it is full. Access: output W, all inputs R.
struct AppendArgs {
  std::int64_t item_bytes;
  std::int64_t items;  ///< of the output
  std::int64_t first;
  std::int32_t inputs;
};

/// copy(to, from, bytes) for every piece that is contiguous on both sides.
template <class Copy>
void for_pieces(void** buffers, const AppendArgs& a, const Copy& copy) {
  auto* const out = reinterpret_cast<char*>(STARPU_VECTOR_GET_PTR(buffers[0]));
  std::int64_t done = 0;
  for (std::int32_t k = 0; k < a.inputs; ++k) {
    const auto* const in = reinterpret_cast<const char*>(STARPU_VECTOR_GET_PTR(buffers[1 + k]));
    const auto bytes =
        static_cast<std::int64_t>(STARPU_VECTOR_GET_NX(buffers[1 + k]) * STARPU_VECTOR_GET_ELEMSIZE(buffers[1 + k]));
    const std::int64_t wanted = std::min(bytes / a.item_bytes, a.items - done);
    for (std::int64_t from = 0; from < wanted;) {
      const std::int64_t to = (a.first + done) % a.items;
      const std::int64_t now = std::min(wanted - from, a.items - to);
      copy(out + to * a.item_bytes, in + from * a.item_bytes, static_cast<std::size_t>(now * a.item_bytes));
      from += now;
      done += now;
    }
  }
}

void append_cpu(void** buffers, void* arguments) {
  for_pieces(buffers, *static_cast<const AppendArgs*>(arguments),
             [](char* to, const char* from, std::size_t bytes) { std::memcpy(to, from, bytes); });
}

#ifdef ASTERISM_CUDA
void append_cuda(void** buffers, void* arguments) {
  for_pieces(buffers, *static_cast<const AppendArgs*>(arguments), [](char* to, const char* from, std::size_t bytes) {
    ASTERISM_CHECK_CUDA(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, starpu_cuda_get_local_stream()));
  });
}
#else
constexpr starpu_cuda_func_t append_cuda = nullptr;
#endif

// small data stay in main memory, where messages come from and go to
Codelet append({.name = "append",
                .variant = "",
                .cpu = append_cpu,
                .cuda = append_cuda,
                .main_memory_first = 0,
                .main_memory_last = max_buffers});

// large ones go from GPU to GPU
Codelet append_large({.name = "append_large", .variant = "", .cpu = append_cpu, .cuda = append_cuda});

int rounds_of(int ranks) {
  int rounds = 0;
  while (1 << rounds < ranks) ++rounds;
  return rounds;
}

}  // namespace

bool ranks_send_at_once() {
  constexpr int most = 4;
  return rank_group().distributed() && rank_group().ranks() <= most && all_gpus_reach_each_other();
}

AllGather::AllGather(const std::string& name, std::size_t item_bytes, std::vector<int> begin)
    : item_bytes_(item_bytes), begin_(std::move(begin)) {
  const int ranks = rank_group().ranks();
  const int me = rank_group().rank();
  const std::int64_t tags = rank_group().allocate_tags(std::int64_t{rounds_of(ranks)} * ranks);
  const auto add = [&](std::vector<Part>& parts, int rank, int handed, std::int64_t tag) {
    parts.push_back(make_part(fmt::format("{}, {} ranks from {}", name, handed, rank), items_of(rank, handed)));
    parts.back().handle = std::move(parts.back().handle).shared(rank, tag);
  };
  if (ranks_send_at_once()) {
    add(mine_, me, 1, tags + me);
    for (int k = 1; k < ranks; ++k) add(theirs_, (me + k) % ranks, 1, tags + (me + k) % ranks);
  } else {
    for (int round = 0; round < rounds_of(ranks); ++round) {
      const int other = (me + (1 << round)) % ranks;
      const std::int64_t of_round = tags + std::int64_t{round} * ranks;
      add(mine_, me, handed_over(round), of_round + me);
      add(theirs_, other, handed_over(round), of_round + other);
    }
  }
  std::size_t smallest = items() * item_bytes_;
  for (int rank = 0; rank < ranks; ++rank) smallest = std::min(smallest, items_of(rank, 1) * item_bytes_);
  on_gpus_ = ranks > 1 && all_gpus_reach_each_other() && goes_directly((me + 1) % ranks, smallest);
  memory_ = HostBuffer<char>(items() * item_bytes_);
  gathered_ = handle_of(memory_, name + ", all");
}

AllGather::Part AllGather::make_part(const std::string& name, std::size_t items) const {
  Part part;
  part.memory = HostBuffer<char>(items * item_bytes_);
  part.handle = handle_of(part.memory, name);
  return part;
}

// whole numbers of elements as large as items let them be: StarPU counts them in 32 bits
Handle AllGather::handle_of(const HostBuffer<char>& memory, const std::string& name) const {
  const std::size_t element = std::gcd(item_bytes_, sizeof(double));
  return Handle::vector(memory.data(), memory.size() / element, element, name);
}

/// Ranks whose items a rank gives to the one before it.
int AllGather::handed_over(int round) {
  return std::min(1 << round, rank_group().ranks() - (1 << round));
}

std::size_t AllGather::items_of(int rank, int ranks) const {
  std::size_t items = 0;
  for (int k = 0; k < ranks; ++k) {
    const auto r = static_cast<std::size_t>((rank + k) % rank_group().ranks());
    items += static_cast<std::size_t>(begin_[r + 1] - begin_[r]);
  }
  return items;
}

/// items of the output, places first, first + 1, ... <- inputs
void AllGather::submit_append(const Handle& to, std::int64_t items, std::int64_t first,
                              const std::vector<Access>& inputs) {
  const AppendArgs args{static_cast<std::int64_t>(item_bytes_), items, first, static_cast<std::int32_t>(inputs.size())};
  std::vector<Access> accesses{{to, STARPU_W}};
  accesses.insert(accesses.end(), inputs.begin(), inputs.end());
  if (on_gpus_)
    asterism::submit(append_large, args, accesses, TaskOptions{.where = STARPU_CUDA});
  else
    asterism::submit(append, args, accesses);
}

namespace {
/// Another rank's task that reads or writes a datum.
void submit_elsewhere(const Handle& handle, starpu_data_access_mode mode, int rank) {
  asterism::submit(append, AppendArgs{}, {{handle, mode}}, {.rank = rank});
}
}  // namespace

void AllGather::submit_at_once(const std::vector<Access>& mine) {
  const int ranks = rank_group().ranks();
  const int me = rank_group().rank();
  submit_append(mine_[0].handle, static_cast<std::int64_t>(items_of(me, 1)), 0, mine);
  for (int k = 1; k < ranks; ++k) submit_elsewhere(mine_[0].handle, STARPU_R, (me + k) % ranks);
  std::vector<Access> inputs{{mine_[0].handle, STARPU_R}};
  for (int k = 1; k < ranks; ++k) {
    const Part& part = theirs_[static_cast<std::size_t>(k - 1)];
    submit_elsewhere(part.handle, STARPU_W, (me + k) % ranks);
    inputs.push_back({part.handle, STARPU_R});
  }
  submit_append(gathered_, static_cast<std::int64_t>(items()), begin_[static_cast<std::size_t>(me)], inputs);
}

void AllGather::submit(const std::vector<Access>& mine) {
  const int ranks = rank_group().ranks();
  const int me = rank_group().rank();
  if (ranks_send_at_once()) return submit_at_once(mine);
  const int rounds = rounds_of(ranks);
  std::vector<Access> inputs = mine;
  for (int round = 0; round < rounds; ++round) {
    const auto r = static_cast<std::size_t>(round);
    submit_append(mine_[r].handle, static_cast<std::int64_t>(items_of(me, handed_over(round))), 0, inputs);
    // the rank 2^round before appends what this one has
    submit_elsewhere(mine_[r].handle, STARPU_R, (me + ranks - (1 << round)) % ranks);
    submit_elsewhere(theirs_[r].handle, STARPU_W, (me + (1 << round)) % ranks);
    // in the last round not all of what this rank has is handed over
    if (round + 1 < rounds) inputs = {{mine_[r].handle, STARPU_R}};
    inputs.push_back({theirs_[r].handle, STARPU_R});
  }
  submit_append(gathered_, static_cast<std::int64_t>(items()), begin_[static_cast<std::size_t>(me)], inputs);
}

}  // namespace asterism

// SPDX-License-Identifier: Apache-2.0
#include "runtime/ranks/direct/direct_messages.hpp"

#include "runtime/session.hpp"

#ifndef ASTERISM_CUDA

namespace asterism {

void open_direct_messages(std::span<const Unit> /*units*/) {}
void close_direct_messages(bool /*finished*/) {}
bool all_gpus_reach_each_other() {
  return false;
}
bool goes_directly(int /*rank*/, std::size_t /*bytes*/) {
  return false;
}
void send_directly(starpu_data_handle_t /*handle*/, int /*rank*/, std::int64_t /*tag*/, int /*priority*/) {}
void receive_directly(starpu_data_handle_t /*handle*/, int /*rank*/, std::int64_t /*tag*/, int /*priority*/,
                      int /*node*/) {}

}  // namespace asterism

#else

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <utility>
#include <vector>

#include "base/as_size.hpp"
#include "runtime/machine/simulated_machine.hpp"
#include "runtime/ranks/direct/message_thread.hpp"
#include "runtime/ranks/direct/reachable_ranks.hpp"
#include "runtime/ranks/ranks.hpp"

namespace asterism {
namespace {

/// Smaller data are host's: sums and counts, which a core reads next.
constexpr std::size_t smallest = 16384;

std::unique_ptr<MessageThread>& messages() {
  static std::unique_ptr<MessageThread> of_this_rank;
  return of_this_rank;
}

/// The GPUs of this rank, if they may be reached.
std::vector<GpuNode> gpus_of(std::span<const Unit> units) {
  const char* const direct = std::getenv("STARPU_ENABLE_CUDA_GPU_GPU_DIRECT");
  std::vector<GpuNode> gpus;
  if (direct != nullptr && std::atoi(direct) == 0) return gpus;
  for (const Unit& unit : units)
    if (unit.gpu && (gpus.empty() || gpus.back().device != unit.device))
      gpus.push_back({static_cast<int>(unit.node), unit.device});
  return gpus;
}

bool& all_reach() {
  static bool by_all_ranks = false;
  return by_all_ranks;
}

}  // namespace

void open_direct_messages(std::span<const Unit> units) {
  if (simulated || !rank_group().distributed()) return;
  std::vector<GpuNode> gpus = gpus_of(units);
  std::vector<int> devices;
  for (const GpuNode& gpu : gpus) devices.push_back(gpu.device);
  auto inboxes = std::make_unique<Inboxes>(!gpus.empty());
  std::vector<char> reached = reachable_ranks(devices);
  for (int rank = 0; rank < rank_group().ranks(); ++rank)
    if (inboxes->to(rank) == nullptr) reached[as_size(rank)] = 0;
  const auto by_rank = rank_group().all_gather(std::span<const char>(reached));
  for (int rank = 0; rank < rank_group().ranks(); ++rank)
    if (by_rank[as_size(rank)][as_size(rank_group().rank())] == 0) reached[as_size(rank)] = 0;
  const auto others = std::ranges::count_if(reached, [](char of_rank) { return of_rank != 0; });
  const char* const traced = std::getenv("STARPU_FXT_TRACE");
  const bool recorded = traced != nullptr && std::atoi(traced) != 0;
  if (others > 0 && !recorded)
    messages() = std::make_unique<MessageThread>(std::move(gpus), std::move(reached), std::move(inboxes));
  const std::vector<char> of_ranks = rank_group().all_gather(static_cast<char>(others + 1 == rank_group().ranks()));
  all_reach() = std::ranges::all_of(of_ranks, [](char of_rank) { return of_rank != 0; });
}

void close_direct_messages(bool finished) {
  if (simulated || !rank_group().distributed()) return;
  if (finished && messages() != nullptr) messages()->finish();
  messages().reset();
  all_reach() = false;
  if (finished) rank_group().barrier();
}

bool all_gpus_reach_each_other() {
  return all_reach();
}

bool goes_directly(int rank, std::size_t bytes) {
  return bytes >= smallest && messages() != nullptr && messages()->reaches(rank);
}

void send_directly(starpu_data_handle_t handle, int rank, std::int64_t tag, int priority) {
  messages()->submit({nullptr, handle, rank, tag, -1, true}, priority);
}
void receive_directly(starpu_data_handle_t handle, int rank, std::int64_t tag, int priority, int node) {
  messages()->submit({nullptr, handle, rank, tag, node, false}, priority);
}

}  // namespace asterism

#endif

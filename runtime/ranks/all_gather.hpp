// SPDX-License-Identifier: Apache-2.0
// A vector to which every rank contributes some items, brought together on all ranks by tasks. Up to four ranks of GPUs
// that reach each other send theirs to all others; else they do it in as many rounds as the number of ranks has bits:
// in round k a rank appends what the rank 2^k behind it has gathered so far, in the last one what it still lacks of
// that (J. Bruck et al., IEEE Transactions on Parallel and Distributed Systems 8 (1997)). What a rank submits grows
// with the rounds only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "runtime/handle.hpp"
#include "runtime/memory/host_memory.hpp"
#include "runtime/submit.hpp"

namespace asterism {

/// Whether each rank sends to every other one: up to four whose GPUs reach each other, for which fewer messages one
/// after the other count for more than fewer in all.
bool ranks_send_at_once();

class AllGather {
 public:
  /// Rank r contributes items [begin[r], begin[r + 1]), each of `item_bytes`. All ranks make it with the same
  /// arguments.
  AllGather(const std::string& name, std::size_t item_bytes, std::vector<int> begin);

  /// Submits what brings the present items together. `mine`: vectors that hold this rank's, in their order, with R.
  void submit(const std::vector<Access>& mine);
  /// All items in their order, for tasks submitted then.
  [[nodiscard]] starpu_data_handle_t all() const { return gathered_; }
  [[nodiscard]] std::size_t items() const { return static_cast<std::size_t>(begin_.back()); }

 private:
  /// Items of ranks `of` to `of` + handed_over(round) - 1, as rank `of` has them.
  struct Part {
    HostBuffer<char> memory;
    Handle handle;
  };
  void submit_at_once(const std::vector<Access>& mine);
  void submit_append(const Handle& to, std::int64_t items, std::int64_t first, const std::vector<Access>& inputs);
  [[nodiscard]] std::size_t items_of(int rank, int ranks) const;
  [[nodiscard]] static int handed_over(int round);
  Part make_part(const std::string& name, std::size_t items) const;
  [[nodiscard]] Handle handle_of(const HostBuffer<char>& memory, const std::string& name) const;

  std::size_t item_bytes_;
  bool on_gpus_ = false;  ///< of all ranks, which reach each other: items never see main memory
  std::vector<int> begin_;
  std::vector<Part> mine_;    ///< by round, or one
  std::vector<Part> theirs_;  ///< of the rank 2^round behind, by round; or of all others, from the next one on
  HostBuffer<char> memory_;
  Handle gathered_;
};

}  // namespace asterism

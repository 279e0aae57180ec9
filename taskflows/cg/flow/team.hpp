// SPDX-License-Identifier: Apache-2.0
// Whole iterations in a task: of a single block-row, or of several whose tasks run at the same time, each on a unit of
// its own (codelets/cg/kernels/team.hpp). The units may be GPUs of several ranks on one machine.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "codelets/cg/codelets.hpp"
#include "runtime/handle.hpp"
#include "runtime/memory/host_memory.hpp"
#include "runtime/ranks/gpus_of_ranks.hpp"
#include "runtime/session.hpp"
#include "taskflows/cg/decomposition.hpp"
#include "taskflows/cg/options.hpp"

namespace asterism::cg {

/// The data that the block-rows of a team have beside those of the flow. Empty for a single block-row.
class Team {
 public:
  Team() = default;
  Team(const Session& session, const Options& options, const Partition& partition);

  /// StarPU's number of the unit of block-row i of this rank, that of the scheduler cyclic; -1 for a single one.
  [[nodiscard]] int worker(int i) const {
    return workers_.empty() ? -1 : workers_[static_cast<std::size_t>(i) % workers_.size()];
  }
  /// What each block-row of the team says to the others.
  [[nodiscard]] const std::vector<Handle>& introductions() const { return introductions_; }
  [[nodiscard]] Mailbox* mailbox(int i) const { return &mailboxes_[static_cast<std::size_t>(i)]; }

  std::uint64_t round = 0;      ///< iterations submitted
  bool known_to_ranks = false;  ///< other ranks know where the data of this one's block-rows are

 private:
  std::vector<int> workers_;
  HostBuffer<Introduction> introduction_memory_;
  HostBuffer<Mailbox> mailboxes_;
  std::vector<Handle> introductions_;
};

/// Whether the units of this session can do whole iterations with these options; empty, or why not. Over several ranks
/// all call it, and get the same answer.
std::string why_no_team(const Options& options, const Session& session);
/// Over several ranks with these GPUs, as far as that is all there is to know.
std::string why_no_team(int blocks, const GpusOfRanks& gpus);
/// Whether each GPU of all ranks is another one and has one block-row.
bool one_block_row_each(int blocks, const GpusOfRanks& gpus);

/// Sets what one task does where the user leaves it open, and if also open what of p is transferred: whole iterations
/// of a single block-row, and where each unit has one. A scheduler that decides where tasks run gets the operations.
/// Over several ranks all call it, with the same options.
void choose_task(Options& options, const Session& session, bool transfer_is_open);

}  // namespace asterism::cg

// SPDX-License-Identifier: Apache-2.0
// Whole iterations in a task: of a single block-row, or of several whose tasks run at the same time, each on a unit of
// its own (codelets/cg/kernels/team.hpp).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "codelets/cg/codelets.hpp"
#include "runtime/handle.hpp"
#include "runtime/host_memory.hpp"
#include "runtime/session.hpp"
#include "taskflows/cg/options.hpp"

namespace asterism::cg {

/// The data that the block-rows of a team have beside those of the flow. Empty for a single block-row.
class Team {
 public:
  Team() = default;
  Team(const Session& session, const Options& options);

  /// StarPU's number of the unit of block-row i; -1 for a single one.
  [[nodiscard]] int worker(int i) const { return workers_.empty() ? -1 : workers_[static_cast<std::size_t>(i)]; }
  [[nodiscard]] const std::vector<Handle>& members() const { return members_; }
  [[nodiscard]] Mailbox* mailbox(int i) const { return &mailboxes_[static_cast<std::size_t>(i)]; }

  std::uint64_t round = 0;  ///< iterations submitted

 private:
  std::vector<int> workers_;
  HostBuffer<Member> member_memory_;
  HostBuffer<Mailbox> mailboxes_;
  std::vector<Handle> members_;
};

/// Whether the units of this session can do whole iterations with these options; empty, or why not.
std::string why_no_team(const Options& options, const Session& session);

/// Sets what one task does where the user leaves it open, and if also open what of p is transferred: whole iterations
/// of a single block-row, and where each unit has one. A scheduler that decides where tasks run gets the operations.
void choose_task(Options& options, const Session& session, bool transfer_is_open);

}  // namespace asterism::cg

// SPDX-License-Identifier: Apache-2.0
// A team: block-rows whose tasks do several iterations at the same time, each on a unit of its own. Between two tasks
// of StarPU a unit waits until the host has seen the end of the first; a team exchanges what it needs within its tasks:
// a member writes its contributions to a scalar, and its elements of p that others need, straight into memory of the
// others, and waits for theirs. Contributions are added in the order of the block-rows, as between tasks.
//
// Three exchanges follow each other in an iteration: p.q, {r.r, r.z}, and the elements of p. A letter of one iteration
// is never overwritten before it is read: its writer has first waited for a later letter of the reader.
#pragma once

#include <cstdint>

#include "codelets/cg/kernels/recurrence.hpp"

namespace asterism::cg {

/// Most block-rows of a team.
inline constexpr int max_team = 8;

/// A value of the iteration `round`, counted through all tasks of the team.
template <class T>
struct Letter {
  T value;
  std::uint64_t round = 0;
};

/// Where the members of a team write to one of them; in the memory of its unit.
struct Mailbox {
  Letter<Sum> p_dot_q[max_team];  // by writer
  Letter<Dots> dots[max_team];
  std::uint64_t halo[max_team] = {};  ///< the round whose elements of p have arrived
};

/// What a member tells the others before they begin: addresses that their units can write to.
struct Member {
  Mailbox* mailbox;
  double* halo[max_team];           ///< where elements of p go, by their writer
  std::int64_t elements[max_team];  ///< how many; 0: none are needed
};

}  // namespace asterism::cg

// SPDX-License-Identifier: Apache-2.0
// How the members of a team (kernels/team.hpp) learn where they write to each other.
#pragma once

#include <cstdint>

#include "codelets/cg/kernels/team.hpp"
#include "runtime/ranks/direct/exported_address.hpp"

namespace asterism::cg {

/// Stands for the rank where a team is in one process.
inline constexpr std::int32_t one_process = -1;

/// What a member says before the iterations: the addresses for members of its own process, and the same places as other
/// ranks can open them.
struct Introduction {
  Member member{};
  std::int32_t rank = one_process;  ///< whose member it is; one_process: addresses suffice
  ExportedAddress mailbox{};
  ExportedAddress halo[max_team]{};
};

}  // namespace asterism::cg

// SPDX-License-Identifier: Apache-2.0
// The exchange between bricks: five of nineteen populations through each face, in three ordered phases x, y, z. What
// belongs to a neighbour across an edge goes by way of two faces, so that each brick has six partners at most
// (section 4.3 of the paper). Which populations: bricks/halo.hpp.
#pragma once

#include <optional>

#include "taskflows/lbm/bricks/bricks.hpp"

namespace asterism::lbm {

/// Adds to a task's data what the brick sends along `axis` after `half`, fills `transfers` (two at most), and returns
/// their number.
std::int32_t send(const BrickData& brick, Half half, int axis, Transfer* transfers, std::vector<Access>& data);
/// Adds to a task's data what comes to the brick along `axis` after `half`, fills `transfers`, and returns their
/// number.
std::int32_t receive(const Bricks& bricks, const BrickData& brick, Half half, int axis, Transfer* transfers,
                     std::vector<Access>& data);
/// What came in the last phase of the half-step completion.last is put in place by the task that completes it.
void receive_last_phase(const Bricks& bricks, const BrickData& brick, codelets::Completion& completion,
                        std::vector<Access>& data);

/// What came along one axis, if any, is put in place, and what has to go on along another is packed.
void submit_forward(Bricks& bricks, BrickData& brick, Half half, std::optional<int> received_axis, int sent_axis);

/// All phases of a half-step without the half-step itself: after a state was loaded.
void submit_exchange(Bricks& bricks, Half half);

}  // namespace asterism::lbm

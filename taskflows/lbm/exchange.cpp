// SPDX-License-Identifier: Apache-2.0
#include "taskflows/lbm/exchange.hpp"

#include "taskflows/lbm/flow.hpp"

namespace asterism::lbm {

std::int32_t send(const BrickData& brick, Half half, int axis, Transfer* transfers, std::vector<Access>& data) {
  std::int32_t count = 0;
  for (const int face : {2 * axis, 2 * axis + 1}) {
    if (!brick.place.neighbour[static_cast<std::size_t>(face)]) continue;
    transfers[count++] = outgoing(half, brick.descriptor.layout, brick.connected, face);
    data.push_back({brick.sent[static_cast<std::size_t>(half)][static_cast<std::size_t>(face)], STARPU_W});
  }
  return count;
}

std::int32_t receive(const Bricks& bricks, const BrickData& brick, Half half, int axis, Transfer* transfers,
                     std::vector<Access>& data) {
  std::int32_t count = 0;
  for (const int face : {2 * axis, 2 * axis + 1}) {
    const auto neighbour = brick.place.neighbour[static_cast<std::size_t>(face)];
    if (!neighbour) continue;
    transfers[count++] = incoming(half, brick.descriptor.layout, brick.connected, face);
    const BrickData* const from = bricks.number[static_cast<std::size_t>(*neighbour)].get();
    if (from == nullptr) continue;  // far from this rank, as the brick's other neighbours
    data.push_back({from->sent[static_cast<std::size_t>(half)][static_cast<std::size_t>(face ^ 1)], STARPU_R});
  }
  return count;
}

void receive_last_phase(const Bricks& bricks, const BrickData& brick, codelets::Completion& completion,
                        std::vector<Access>& data) {
  if (bricks.axes.empty()) return;
  completion.received = receive(bricks, brick, completion.last, bricks.axes.back(), completion.receive, data);
}

// slots of the border -> array -> slots of the neighbour's ghosts after alpha; ghosts -> border after beta
void submit_forward(Bricks& bricks, BrickData& brick, Half half, std::optional<int> received_axis, int sent_axis) {
  codelets::ForwardArgs args;
  args.brick = brick.descriptor.layout;
  std::vector<Access> data{{brick.populations, STARPU_RW}};
  if (received_axis) args.received = receive(bricks, brick, half, *received_axis, args.receive, data);
  args.sent = send(brick, half, sent_axis, args.send, data);
  for (std::int32_t k = 0; k < args.received; ++k) args.work.cells += args.receive[k].box.cells();
  submit(codelets::forward.of(bricks.problem.precision), args, data, brick.options(priority_of_exchange));
  if (brick.here) ++bricks.tasks;
}

void submit_exchange(Bricks& bricks, Half half) {
  std::optional<int> previous;
  for (const int axis : bricks.axes) {
    for (BrickData* const brick : bricks.near) submit_forward(bricks, *brick, half, previous, axis);
    previous = axis;
  }
}

}  // namespace asterism::lbm

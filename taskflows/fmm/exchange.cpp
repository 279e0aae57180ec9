// SPDX-License-Identifier: Apache-2.0
// The messages of an evaluation between ranks: each is submitted once at each of its two ends, where only the tasks of
// that rank are known.
#include <array>

#include "codelets/fmm/codelets.hpp"
#include "codelets/fmm/kernels/costs.hpp"
#include "runtime/ranks/rank_exchange.hpp"
#include "taskflows/fmm/flow.hpp"

namespace asterism::fmm {
namespace {

/// Says that another rank writes its datum anew: what is here of it is out of date.
void expect(const Handle& handle, int writer) {
  exchange_for_task(std::array{Access{handle, STARPU_W}}, writer, 0);
}

/// Sends an own datum, as the tasks submitted so far leave it, to a rank that reads it.
void send(const Handle& handle, int reader, int priority) {
  exchange_for_task(std::array{Access{handle, STARPU_R}}, reader, priority);
}

}  // namespace

void Flow::expect_messages() {
  for (const NearMessage& message : simulation_.near_messages()) expect(message.data, message.rank);
  const Tree& tree = simulation_.tree();
  if (!simulation_.distributed() || !tree.has_far_field()) return;
  for (int l = tree.top_level(); l <= tree.leaf_level(); ++l) {
    const CellMessages& messages = simulation_.cell_messages_of(l);
    for (const std::int32_t g : messages.multipoles_in) expect(simulation_.cells(l, g).multipoles, tree.owner(l, g));
    for (const std::int32_t g : messages.locals_in) expect(simulation_.cells(l, g).locals, tree.owner(l, g));
  }
}

// message(x_i) = near(x_i) for the copies x_i of leaves of another rank
void Flow::send_near(std::int32_t group) {
  for (const NearMessage& message : simulation_.particles(group).near_out) {
    const codelets::ReductionArgs args{{reduction_flops * message.particles, 0},
                                       std::int64_t{message.particles},
                                       1,
                                       message.packed_parts,
                                       codelets::ResultUpdate::overwrite};
    asterism::submit(
        codelets::reduction, args,
        {{message.packing, STARPU_R}, {message.data, STARPU_W}, {simulation_.near_values(group), STARPU_R}},
        {.priority = priorities().packing()});
    ++tasks_;
    send(message.data, message.rank, priorities().packing());
  }
}

void Flow::send_multipoles(int level) {
  if (!simulation_.distributed()) return;
  for (const Reader& reader : simulation_.cell_messages_of(level).multipoles_out)
    send(simulation_.cells(level, reader.group).multipoles, reader.rank, priorities().m2m(level));
}

void Flow::send_locals(int level) {
  if (!simulation_.distributed()) return;
  for (const Reader& reader : simulation_.cell_messages_of(level).locals_out)
    send(simulation_.cells(level, reader.group).locals, reader.rank, priorities().l2l(level));
}

}  // namespace asterism::fmm

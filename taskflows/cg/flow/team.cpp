// SPDX-License-Identifier: Apache-2.0
#include "taskflows/cg/flow/team.hpp"

#include <fmt/format.h>

#include "base/as_size.hpp"
#include "runtime/machine/simulated_machine.hpp"
#include "runtime/ranks/ranks.hpp"

namespace asterism::cg {
namespace {

/// The units that block-rows are dealt to: GPUs where there are any.
std::vector<int> workers_of(const Session& session) {
  std::vector<int> workers;
  for (const Unit& unit : session.units())
    if (unit.gpu == (session.gpus() > 0)) workers.push_back(unit.worker);
  return workers;
}

}  // namespace

Team::Team(const Session& session, const Options& options) {
  if (options.task == TaskSize::operation || options.blocks == 1) return;
  workers_ = workers_of(session);
  member_memory_ = HostBuffer<Member>(as_size(options.blocks));
  mailboxes_ = HostBuffer<Mailbox>(as_size(options.blocks));
  for (int i = 0; i < options.blocks; ++i)
    members_.push_back(Handle::vector(&member_memory_[as_size(i)], 1, sizeof(Member), fmt::format("member[{}]", i),
                                      Coordinates{i, i}));
}

std::string why_no_team(const Options& options, const Session& session) {
  if (options.blocks == 1) return {};
  if (simulated) return "several block-rows on a simulated machine; expected one";
  if (rank_group().ranks() > 1) return "several processes; expected one";
  const int units = session.gpus() > 0 ? session.gpus() : session.cpus();
  if (options.blocks > units)
    return fmt::format("{} block-rows on {} units; expected a unit for each", options.blocks, units);
  if (!session.gpus_reach_each_other()) return "GPUs that do not reach each other's memory; expected --task operation";
  return {};
}

void choose_task(Options& options, const Session& session, bool transfer_is_open) {
  options.task = TaskSize::operation;
  Options whole = options;
  whole.task = TaskSize::graph;
  if (transfer_is_open && options.blocks > 1) whole.transfer = Transfer::packed;
  const bool all = options.blocks == 1 || options.blocks == (session.gpus() > 0 ? session.gpus() : session.cpus());
  const bool placed = session.scheduler() == "cyclic" || session.units().size() == 1;
  const bool suited = all && placed && why_no_whole_iterations(whole).empty() && why_no_team(whole, session).empty();
  if (suited) options = whole;
}

}  // namespace asterism::cg

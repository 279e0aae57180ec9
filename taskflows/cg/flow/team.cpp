// SPDX-License-Identifier: Apache-2.0
#include "taskflows/cg/flow/team.hpp"

#include <fmt/format.h>

#include "base/as_size.hpp"
#include "runtime/machine/simulated_machine.hpp"
#include "runtime/ranks/direct/direct_messages.hpp"
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

int units_of(const Session& session) {
  return session.gpus() > 0 ? session.gpus() : session.cpus();
}

/// How many block-rows each rank has.
std::vector<int> dealt(int blocks, int ranks) {
  Partition partition{std::vector<std::int64_t>(as_size(blocks) + 1), {}};
  deal(partition, ranks);
  std::vector<int> of_rank(as_size(ranks));
  for (int rank = 0; rank < ranks; ++rank)
    of_rank[as_size(rank)] = partition.first_block(rank + 1) - partition.first_block(rank);
  return of_rank;
}

}  // namespace

Team::Team(const Session& session, const Options& options, const Partition& partition) {
  if (options.task == TaskSize::operation || options.blocks == 1) return;
  workers_ = workers_of(session);
  introduction_memory_ = HostBuffer<Introduction>(as_size(options.blocks));
  mailboxes_ = HostBuffer<Mailbox>(as_size(options.blocks));
  const std::int64_t tags = rank_group().allocate_tags(options.blocks);
  for (int i = 0; i < options.blocks; ++i)
    introductions_.push_back(Handle::vector(&introduction_memory_[as_size(i)], 1, sizeof(Introduction),
                                            fmt::format("introduction[{}]", i), Coordinates{i, i})
                                 .shared(partition.owner(i), tags + i));
}

std::string why_no_team(int blocks, const GpusOfRanks& gpus) {
  const std::vector<int> of_rank = dealt(blocks, static_cast<int>(gpus.workers.size()));
  for (std::size_t rank = 0; rank < of_rank.size(); ++rank) {
    if (gpus.workers[rank] == 0) return fmt::format("no GPU on rank {}; expected one for each block-row", rank);
    if (of_rank[rank] > gpus.workers[rank])
      return fmt::format("{} block-rows on {} GPUs of rank {}; expected a GPU for each", of_rank[rank],
                         gpus.workers[rank], rank);
  }
  return gpus.on_one_machine ? "" : "ranks on several machines; expected one";
}

bool one_block_row_each(int blocks, const GpusOfRanks& gpus) {
  return gpus.of_one_rank_each && gpus.workers == dealt(blocks, static_cast<int>(gpus.workers.size()));
}

std::string why_no_team(const Options& options, const Session& session) {
  if (options.blocks == 1) return {};
  if (simulated) return "several block-rows on a simulated machine; expected one";
  const bool distributed = rank_group().distributed();
  if (!distributed && options.blocks > units_of(session))
    return fmt::format("{} block-rows on {} units; expected a unit for each", options.blocks, units_of(session));
  if (distributed)
    if (std::string why_not = why_no_team(options.blocks, gpus_of_ranks(session)); !why_not.empty()) return why_not;
  bool reach = rank_group().everywhere(session.gpus_reach_each_other());
  if (distributed) reach = reach && all_gpus_reach_each_other();
  return reach ? "" : "GPUs that do not reach each other's memory; expected --task operation";
}

void choose_task(Options& options, const Session& session, bool transfer_is_open) {
  options.task = TaskSize::operation;
  Options whole = options;
  whole.task = TaskSize::graph;
  if (transfer_is_open && options.blocks > 1) whole.transfer = Transfer::packed;
  const bool placed = session.scheduler() == "cyclic" || session.units().size() == 1;
  if (!rank_group().everywhere(placed) || !why_no_whole_iterations(whole).empty()) return;
  bool all = options.blocks == 1 || options.blocks == units_of(session);
  if (rank_group().distributed()) all = !simulated && one_block_row_each(options.blocks, gpus_of_ranks(session));
  if (all && why_no_team(whole, session).empty()) options = whole;
}

}  // namespace asterism::cg

// SPDX-License-Identifier: Apache-2.0
#include "apps/replay/one_process.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

namespace asterism::apps::replay {
namespace {

bool is_copy(const traces::Message& message) {
  return message.handle != traces::none && message.received != traces::none && message.sent_after != traces::none &&
         message.releases != traces::none;
}

}  // namespace

traces::Recording as_one_process(const traces::Recording& recording) {
  traces::Recording one = recording;
  one.ranks = 1;
  one.messages.clear();
  for (std::size_t u = 0; u < one.units.size(); ++u) {
    one.units[u].rank = 0;
    one.units[u].worker = static_cast<std::uint32_t>(u);
  }
  for (std::size_t n = 0; n < one.nodes.size(); ++n) {
    one.nodes[n].rank = 0;
    one.nodes[n].index = static_cast<std::uint32_t>(n);
  }
  std::vector<const traces::Message*> sent_by;  // of the nodes that are no task
  std::vector<std::vector<std::uint32_t>> messages_for(recording.tasks.size());
  const auto codelet = static_cast<std::uint32_t>(one.codelets.size());
  one.codelets.push_back({std::string(message_name), {}});
  for (const traces::Message& message : recording.messages) {
    if (!is_copy(message)) continue;
    messages_for[message.releases].push_back(static_cast<std::uint32_t>(one.tasks.size()));
    sent_by.push_back(&message);
    traces::Task node;
    node.codelet = codelet;
    node.priority = message.priority;
    one.tasks.push_back(node);
  }
  const std::size_t tasks = recording.tasks.size();
  std::vector<std::uint32_t> order(one.tasks.size());
  std::iota(order.begin(), order.end(), 0);
  // as in a recording that was read: nodes that were not submitted by the program come first
  const auto submitted = [&](std::uint32_t t) {
    return std::isfinite(one.tasks[t].submitted) ? one.tasks[t].submitted : -std::numeric_limits<double>::infinity();
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return submitted(a) < submitted(b); });
  std::vector<std::uint32_t> place(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) place[order[i]] = static_cast<std::uint32_t>(i);

  std::vector<traces::Task> sorted;
  one.dependencies = {};
  one.accesses = {};
  for (const std::uint32_t t : order) {
    traces::Task task = one.tasks[t];
    task.rank = 0;
    task.id = task.submit_order = sorted.size() + 1;
    sorted.push_back(task);
    if (t < tasks) {
      for (const std::uint32_t before : recording.predecessors(t)) one.dependencies.item.push_back(place[before]);
      for (const std::uint32_t node : messages_for[t]) one.dependencies.item.push_back(place[node]);
      for (const traces::Access& access : recording.data(t)) one.accesses.item.push_back(access);
    } else {
      const traces::Message& message = *sent_by[t - tasks];
      one.dependencies.item.push_back(place[message.sent_after]);
      one.accesses.item.push_back({message.handle, traces::Mode::read});
      one.accesses.item.push_back({message.received, traces::Mode::write});
    }
    std::sort(one.dependencies.item.begin() + static_cast<std::ptrdiff_t>(one.dependencies.offset.back()),
              one.dependencies.item.end());
    one.dependencies.close();
    one.accesses.close();
  }
  one.tasks = std::move(sorted);
  one.timeline.assign(one.units.size(), {});  // of tasks by their old numbers
  return one;
}

}  // namespace asterism::apps::replay

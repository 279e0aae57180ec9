// SPDX-License-Identifier: Apache-2.0
#include "apps/replay/optimum.hpp"

#include <fmt/format.h>
#include <starpu.h>

#include <algorithm>
#include <cmath>

#include "io/output_file.hpp"

namespace asterism::apps::replay {
namespace {

void connect(const Platform& platform, bounds::Workload& work) {
  const auto memories = static_cast<std::uint32_t>(work.memories);
  work.connections.assign(work.memories * work.memories, {});
  work.shared_rate = platform.shared.value_or(0);
  const auto set = [&](std::uint32_t from, std::uint32_t to, const Link& link) {
    bounds::Connection& c = work.connections[from * memories + to];
    c = {link.latency, link.bandwidth, true, 1 + from * memories + to};
    if (!platform.shared || (from != 0 && to != 0)) return;
    c.bandwidth = std::min(c.bandwidth, *platform.shared);
    c.resource = 0;
  };
  for (std::uint32_t gpu = 1; gpu < memories; ++gpu) {
    set(0, gpu, platform.to_gpu[gpu - 1]);
    set(gpu, 0, platform.from_gpu[gpu - 1]);
    for (std::uint32_t other = 1; !platform.peers.empty() && other < memories; ++other)
      if (other != gpu) set(gpu, other, *platform.peer(static_cast<int>(gpu) - 1, static_cast<int>(other) - 1));
  }
}

}  // namespace

bounds::Workload workload(const traces::Recording& recording, const TaskTimes& times, const Platform& platform,
                          const Graph& graph) {
  bounds::Workload work = bounds::workload_of(recording);
  work.kinds = times.kinds();
  work.memories = 1 + static_cast<std::size_t>(platform.gpus());
  for (unsigned w = 0; w < starpu_worker_get_count(); ++w) {
    const int worker = static_cast<int>(w);
    const bool gpu = starpu_worker_get_type(worker) == STARPU_CUDA_WORKER;
    const int device = starpu_worker_get_devid(worker);
    work.units.push_back({gpu ? static_cast<std::uint32_t>(1 + platform.kind_of_gpu(device)) : 0U,
                          gpu ? static_cast<std::uint32_t>(1 + device) : 0U});
  }
  for (const traces::Handle& handle : recording.handles) work.bytes.push_back(static_cast<double>(handle.bytes));
  for (std::size_t t = 0; t < work.tasks(); ++t) {
    for (std::size_t kind = 0; kind < work.kinds; ++kind) {
      const double seconds = work.runs[t] ? times.seconds(t, kind) : 0;
      work.seconds.push_back(std::isfinite(seconds) ? seconds : bounds::impossible);
    }
    if (work.runs[t])
      for (const auto& [handle, mode] : graph.data(t))
        work.accesses.item.push_back({handle, mode == STARPU_R   ? traces::Mode::read
                                              : mode == STARPU_W ? traces::Mode::write
                                                                 : traces::Mode::read_write});
    work.accesses.close();
  }
  connect(platform, work);
  return work;
}

std::map<std::string, double> busy_shares(const bounds::Workload& work, const bounds::Schedule& schedule) {
  std::map<std::string, double> seconds;
  std::map<std::string, double> count;
  const auto kind = [](std::uint32_t k) { return fmt::format("kind {}", k); };
  const auto way = [](std::size_t from, std::size_t to) {
    return from == 0 ? "from main memory" : to == 0 ? "to main memory" : "between GPUs";
  };
  for (const bounds::Workload::Unit& unit : work.units) ++count[kind(unit.kind)];
  for (std::size_t from = 0; from < work.memories; ++from)
    for (std::size_t to = 0; to < work.memories; ++to)
      if (from != to && work.connection(from, to).exists) ++count[way(from, to)];
  for (const bounds::Placed& task : schedule.tasks)
    if (task.unit != traces::none) seconds[kind(work.units[task.unit].kind)] += task.end - task.start;
  for (const bounds::Copy& copy : schedule.copies) {
    seconds[way(copy.from, copy.to)] += copy.end - copy.start;
    if (work.shared_rate > 0 && work.connection(copy.from, copy.to).resource == 0)
      seconds["shared"] += work.bytes[copy.datum] / work.shared_rate;
  }
  if (work.shared_rate > 0) count["shared"] = 1;
  std::map<std::string, double> shares;
  for (const auto& [name, n] : count) shares[name] = schedule.makespan > 0 ? seconds[name] / n / schedule.makespan : 0;
  return shares;
}

void write_schedule(const std::filesystem::path& path, const traces::Recording& recording,
                    const bounds::Schedule& schedule) {
  std::vector<std::uint32_t> order;
  for (std::uint32_t t = 0; t < schedule.tasks.size(); ++t)
    if (schedule.tasks[t].unit != traces::none) order.push_back(t);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return schedule.tasks[a].start < schedule.tasks[b].start; });
  OutputFile file(path);
  for (std::size_t place = 0; place < order.size(); ++place) {
    const std::uint32_t t = order[place];
    file.stream() << fmt::format("SubmitOrder: {}\nPriority: {}\nSpecificWorker: {}\nWorkers: {}\n\n",
                                 recording.tasks[t].submit_order, order.size() - place, schedule.tasks[t].unit,
                                 schedule.tasks[t].unit);
  }
  file.commit();
}

}  // namespace asterism::apps::replay

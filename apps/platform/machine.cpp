// SPDX-License-Identifier: Apache-2.0
#include "apps/platform/machine.hpp"

#include <starpu.h>

#include <exception>
#include <map>

#include "apps/platform/overheads.hpp"
#include "base/error.hpp"
#include "runtime/machine/bandwidth.hpp"
#include "runtime/machine/link_bandwidth.hpp"
#include "runtime/machine/this_machine.hpp"
#include "runtime/session.hpp"

namespace asterism::apps::platform {
namespace {

constexpr double megabyte = 1e6;
constexpr double microsecond = 1e-6;

Link link(unsigned from, unsigned to) {
  return {starpu_transfer_bandwidth(from, to) * megabyte, starpu_transfer_latency(from, to) * microsecond};
}

Link mean(const std::vector<Link>& links) {
  Link sum;
  for (const Link& l : links) {
    sum.bandwidth += l.bandwidth / static_cast<double>(links.size());
    sum.latency += l.latency / static_cast<double>(links.size());
  }
  return sum;
}

}  // namespace

Platform measure_machine() {
  const Session session({});
  Platform platform;
  const Machine machine = this_machine();
  platform.cores = machine.cores;
  platform.cpu_model = machine.processor;
  std::map<int, const Unit*> gpus;
  for (const Unit& unit : session.units())
    if (unit.gpu) gpus.try_emplace(unit.device, &unit);
  GpuKind kind{static_cast<int>(gpus.size()), {}, 0, {}};
  for (const auto& [device, gpu] : gpus) {
    const std::string model = gpu->model();
    if (!kind.model.empty() && model != kind.model)
      bad_input("GPUs of several kinds, {} and {}: expected one (CUDA_VISIBLE_DEVICES leaves out others)", kind.model,
                model);
    kind.model = model;
    kind.memory = static_cast<double>(starpu_memory_get_total(gpu->node));
    platform.to_gpu.push_back(link(STARPU_MAIN_RAM, gpu->node));
    platform.from_gpu.push_back(link(gpu->node, STARPU_MAIN_RAM));
  }
  std::vector<Link> between;
  for (const auto& [device, gpu] : gpus)
    for (const auto& [other_device, other] : gpus)
      if (device != other_device) between.push_back(link(gpu->node, other->node));
  if (!between.empty()) platform.peers.assign(gpus.size() * gpus.size(), mean(between));
  const Bandwidth bandwidth = measure_bandwidth();
  if (session.cpus() > 0) platform.cpu.bytes = bandwidth.cpu_copy / session.cpus();
  kind.rates.bytes = bandwidth.gpu_copy;
  if (kind.count > 0) {
    platform.gpu_kinds = {kind};
    std::vector<int> workers;
    for (const auto& [device, gpu] : gpus) workers.push_back(gpu->worker);
    platform.overheads = measure_overheads(workers, platform.peers.empty() ? 0 : platform.peers.front().latency);
  }
#ifdef ASTERISM_CUDA
  if (kind.count > 0) try {
      platform.shared = measure_transfers_together(kind.count);
    } catch (const std::exception& e) {
      failed("transfers of all GPUs: {}", e.what());
    }
#endif
  return platform;
}

}  // namespace asterism::apps::platform

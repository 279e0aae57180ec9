// SPDX-License-Identifier: Apache-2.0
// "multiprio": a heap of ready tasks for each memory node, with scores of its own for each task; the rules are in
// heaps.hpp. What they need of StarPU:
//
// Durations come from performance models. Successors are those submitted by the time that the task is ready, 64 at
// most; StarPU does not say how many predecessors each has, so that the number of its data stands for it. Locality is
// the paper's LS_SDH2: on this node, the bytes of data that the task reads, and the squares of the bytes that it
// writes.
#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "runtime/starpu_mutex.hpp"
#include "schedulers/multiprio/heaps.hpp"
#include "schedulers/policies.hpp"
#include "schedulers/policy_of_context.hpp"

namespace asterism::schedulers {
namespace multiprio {
namespace {

struct Node {
  unsigned memory;
  starpu_worker_archtype type;
  std::vector<int> workers;
};

struct Policy {
  std::vector<int> workers;
  Mutex mutex;  ///< of all that follows
  std::vector<Node> nodes;
  std::array<std::size_t, STARPU_NMAXWORKERS> node_of{};
  Heaps heaps;
  std::atomic<std::size_t> waiting{0};  ///< their tasks, to be read without the lock
};

class Locked {
 public:
  explicit Locked(Policy& policy) : mutex_(policy.mutex) {
    starpu_worker_relax_on();
    mutex_.lock();
    starpu_worker_relax_off();
  }
  ~Locked() { mutex_.unlock(); }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;

 private:
  Mutex& mutex_;
};

double out_degree(starpu_task* task) {
  std::array<starpu_task*, 64> successors;
  const int count = starpu_task_get_task_scheduled_succs(task, successors.size(), successors.data());
  double degree = 0;
  for (std::size_t i = 0; i < std::min(static_cast<std::size_t>(count), successors.size()); ++i)
    degree += 1. / std::max<double>(1, STARPU_TASK_GET_NBUFFERS(successors[i]));
  return degree;
}

double locality(starpu_task* task, unsigned memory) {
  double sum = 0;
  for (unsigned i = 0; i < STARPU_TASK_GET_NBUFFERS(task); ++i) {
    starpu_data_handle_t const data = STARPU_TASK_GET_HANDLE(task, i);
    int valid = 0;
    int requested = 0;
    starpu_data_query_status(data, static_cast<int>(memory), nullptr, &valid, &requested);
    if (valid == 0 && requested == 0) continue;
    const auto mode = static_cast<unsigned>(STARPU_TASK_GET_MODE(task, i));
    const auto bytes = static_cast<double>(starpu_data_get_size(data));
    if ((mode & STARPU_R) != 0) sum += bytes;
    if ((mode & STARPU_W) != 0) sum += bytes * bytes;
  }
  return sum;
}

/// Locked. The nodes whose units can run the task.
std::vector<std::size_t> enter(Policy& policy, starpu_task* task) {
  std::vector<std::optional<double>> lengths(policy.nodes.size());
  std::vector<std::size_t> able;
  for (std::size_t node = 0; node < lengths.size(); ++node) {
    for (const int worker : policy.nodes[node].workers) {
      unsigned implementation = 0;
      if (!starpu_worker_can_execute_task_first_impl(static_cast<unsigned>(worker), task, &implementation)) continue;
      const double length =
          starpu_task_expected_length(task, starpu_worker_get_perf_archtype(worker, task->sched_ctx), implementation);
      lengths[node] = std::isfinite(length) && length > 0 ? length : 0;
      able.push_back(node);
      break;
    }
  }
  if (!able.empty()) policy.heaps.push(task, lengths, out_degree(task));
  policy.waiting.store(policy.heaps.size());
  return able;
}

void init(unsigned context) {
  keep(context, new Policy);
}

/// Nodes anew, and the tasks that wait put into their heaps.
void arrange(Policy& policy) {
  const Locked lock(policy);
  policy.nodes.clear();
  for (const int worker : policy.workers) {
    const unsigned memory = starpu_worker_get_memory_node(static_cast<unsigned>(worker));
    const starpu_worker_archtype type = starpu_worker_get_type(worker);
    auto node = std::find_if(policy.nodes.begin(), policy.nodes.end(),
                             [&](const Node& known) { return known.memory == memory && known.type == type; });
    if (node == policy.nodes.end()) node = policy.nodes.insert(node, Node{memory, type, {}});
    node->workers.push_back(worker);
    policy.node_of[static_cast<std::size_t>(worker)] = static_cast<std::size_t>(node - policy.nodes.begin());
  }
  std::vector<unsigned> units;
  for (const Node& node : policy.nodes) units.push_back(static_cast<unsigned>(node.workers.size()));
  for (void* const task : policy.heaps.reset(std::move(units))) enter(policy, static_cast<starpu_task*>(task));
}

void add(unsigned context, int* workers, unsigned count) {
  schedulers::add_workers<Policy>(context, workers, count);
  arrange(policy_of<Policy>(context));
}

void remove(unsigned context, int* workers, unsigned count) {
  schedulers::remove_workers<Policy>(context, workers, count);
  arrange(policy_of<Policy>(context));
}

int push_task(starpu_task* task) {
  Policy& policy = policy_of<Policy>(task->sched_ctx);
  std::vector<int> woken;
  {
    const Locked lock(policy);
    const std::vector<std::size_t> able = enter(policy, task);
    if (able.empty()) return -ENODEV;
    starpu_push_task_end(task);
    for (const std::size_t node : able)
      woken.insert(woken.end(), policy.nodes[node].workers.begin(), policy.nodes[node].workers.end());
  }
  for (const int worker : woken) starpu_wake_worker_relax_light(worker);
  return 0;
}

starpu_task* pop_task(unsigned context) {
  Policy& policy = policy_of<Policy>(context);
  if (policy.waiting.load() == 0) return nullptr;
  const auto worker = static_cast<unsigned>(starpu_worker_get_id_check());
  const Locked lock(policy);
  const std::size_t node = policy.node_of[worker];
  unsigned implementation = 0;
  auto* const task = static_cast<starpu_task*>(policy.heaps.pop(node, [&](void* one) -> std::optional<double> {
    auto* const candidate = static_cast<starpu_task*>(one);
    if (!starpu_worker_can_execute_task_first_impl(worker, candidate, &implementation)) return std::nullopt;
    return policy.nodes.size() < 2 ? 0. : locality(candidate, policy.nodes[node].memory);
  }));
  policy.waiting.store(policy.heaps.size());
  if (task == nullptr) return nullptr;
  starpu_worker_can_execute_task_first_impl(worker, task, &implementation);
  starpu_task_set_implementation(task, implementation);
  return task;
}

}  // namespace
}  // namespace multiprio

starpu_sched_policy multiprio_policy =
    make_policy("multiprio", "a heap per memory node: gain, out-degree, locality, eviction (Tayeb and others, 2024)",
                {multiprio::init, drop<multiprio::Policy>, multiprio::add, multiprio::remove, multiprio::push_task,
                 multiprio::pop_task});

}  // namespace asterism::schedulers

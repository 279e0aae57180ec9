// SPDX-License-Identifier: Apache-2.0
#include "apps/replay/graph.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <new>
#include <random>

#include "apps/replay/one_process.hpp"
#include "base/error.hpp"
#include "runtime/clock.hpp"

namespace asterism::apps::replay {
namespace {

void nothing(void** /*buffers*/, void* /*arguments*/) {}

/// Throws when tasks wait for each other in a circle (Kahn, CACM 5, 1962).
void require_no_cycle(const traces::Recording& recording) {
  const std::size_t count = recording.tasks.size();
  std::vector<std::uint32_t> waits(count, 0);
  std::vector<std::vector<std::uint32_t>> successors(count);
  for (std::size_t t = 0; t < count; ++t)
    for (const std::uint32_t before : recording.predecessors(t)) {
      ++waits[t];
      successors[before].push_back(static_cast<std::uint32_t>(t));
    }
  std::vector<std::uint32_t> ready;
  for (std::size_t t = 0; t < count; ++t)
    if (waits[t] == 0) ready.push_back(static_cast<std::uint32_t>(t));
  std::size_t done = 0;
  for (; done < ready.size(); ++done)
    for (const std::uint32_t next : successors[ready[done]])
      if (--waits[next] == 0) ready.push_back(next);
  if (done < count)
    bad_input("{}: {} tasks wait for each other in a circle: the dependencies are not those of one run", recording.name,
              count - done);
}

starpu_data_access_mode mode_of(traces::Mode mode) {
  return mode == traces::Mode::read ? STARPU_R : mode == traces::Mode::write ? STARPU_W : STARPU_RW;
}

/// The data of a task that are moved, each once, as StarPU wants them; those without a known mode (scratch) are left
/// out.
std::vector<std::pair<std::uint32_t, starpu_data_access_mode>> data_of(const traces::Recording& recording,
                                                                       std::size_t task,
                                                                       const std::vector<bool>& moved) {
  std::vector<std::pair<std::uint32_t, starpu_data_access_mode>> data;
  for (const traces::Access& access : recording.data(task)) {
    if (access.handle == traces::none || access.mode == traces::Mode::other || !moved[access.handle]) continue;
    const auto same =
        std::find_if(data.begin(), data.end(), [&](const auto& other) { return other.first == access.handle; });
    if (same == data.end())
      data.emplace_back(access.handle, mode_of(access.mode));
    else if (same->second != mode_of(access.mode))
      same->second = STARPU_RW;
  }
  return data;
}

/// All data of a recording, in main memory at first. Nothing reads or writes them: no memory stands behind them.
class Data {
 public:
  explicit Data(const traces::Recording& recording) : handles_(recording.handles.size(), nullptr) {
    constexpr std::uintptr_t somewhere = 4096;
    for (std::size_t i = 0; i < handles_.size(); ++i) {
      const traces::Handle& handle = recording.handles[i];
      if (handle.bytes > 0)
        starpu_vector_data_register(&handles_[i], STARPU_MAIN_RAM, somewhere, 1, handle.bytes);
      else
        starpu_void_data_register(&handles_[i]);
      starpu_data_set_sequential_consistency_flag(handles_[i], 0);  // dependencies are those of the recording
      starpu_data_set_name(handles_[i], handle.name.c_str());
      std::vector<int> coordinates = handle.coordinates;  // what schedulers such as cyclic go by
      if (!coordinates.empty())
        starpu_data_set_coordinates_array(handles_[i], static_cast<unsigned>(coordinates.size()), coordinates.data());
    }
  }
  ~Data() {
    for (starpu_data_handle_t& handle : handles_) starpu_data_unregister_no_coherency(handle);
  }
  Data(const Data&) = delete;
  Data& operator=(const Data&) = delete;
  [[nodiscard]] const std::vector<starpu_data_handle_t>& handles() const { return handles_; }

 private:
  std::vector<starpu_data_handle_t> handles_;
};

}  // namespace

std::vector<bool> moved_data(const traces::Recording& recording) {
  std::vector<std::uint64_t> copies(recording.handles.size(), 0);
  bool known = false;
  for (const traces::Transfer& transfer : recording.transfers)
    if (transfer.handle != traces::none) known = ++copies[transfer.handle] > 0;
  std::vector<bool> moved(recording.handles.size(), true);
  if (!known) return moved;
  struct Version {
    std::vector<std::uint32_t> nodes;  ///< whose memory the last writer or a reader since then has
    std::uint64_t needed = 0;          ///< copies
  };
  std::vector<Version> versions(recording.handles.size());
  for (std::size_t t = 0; t < recording.tasks.size(); ++t) {
    if (!recording.tasks[t].executed()) continue;
    const std::uint32_t node = recording.units[recording.tasks[t].unit].node;
    for (const traces::Access& access : recording.data(t)) {
      if (access.handle == traces::none || access.mode == traces::Mode::other) continue;
      Version& version = versions[access.handle];
      const bool held = std::find(version.nodes.begin(), version.nodes.end(), node) != version.nodes.end();
      if (access.mode != traces::Mode::write && !version.nodes.empty() && !held) ++version.needed;
      if (access.mode != traces::Mode::read) version.nodes = {node};
      if (access.mode == traces::Mode::read && !held && !version.nodes.empty()) version.nodes.push_back(node);
    }
  }
  for (std::size_t h = 0; h < moved.size(); ++h) moved[h] = 2 * copies[h] >= versions[h].needed;
  return moved;
}

struct Graph::Class {
  starpu_perfmodel model{};
  starpu_codelet codelet{};
};

Graph::Graph(const traces::Recording& recording, const TaskTimes& times, const Platform& platform, Noise noise)
    : recording_(recording), times_(times), platform_(platform), moved_(moved_data(recording)) {
  require_no_cycle(recording);
  arguments_.reserve(recording.tasks.size());
  for (std::size_t t = 0; t < recording.tasks.size(); ++t) {
    double factor = 1;
    if (noise.deviation > 0) {
      std::seed_seq seeds{noise.seed & 0xffffffffU, noise.seed >> 32, static_cast<std::uint64_t>(t)};
      std::mt19937_64 random(seeds);
      const double z = std::normal_distribution<double>()(random);
      factor = std::exp(noise.deviation * z - noise.deviation * noise.deviation / 2);
    }
    arguments_.push_back({this, t, factor, Argument::none});
  }
  classes_ = std::make_unique<Class[]>(recording.codelets.size());
  std::size_t next = 0;
  for (const traces::Codelet& codelet : recording.codelets) {
    Class& own = classes_[next++];
    if (codelet.name == message_name) {  // no unit executes it: its data pass through main memory
      starpu_codelet_init(&own.codelet);
      own.codelet.name = codelet.name.c_str();
      own.codelet.where = STARPU_NOWHERE;
      own.codelet.nbuffers = STARPU_VARIABLE_NBUFFERS;
      own.codelet.specific_nodes = 1;
      own.codelet.nodes[0] = own.codelet.nodes[1] = STARPU_MAIN_RAM;
      continue;
    }
    own.model.symbol = bounds::symbol_of(codelet).c_str();
    own.model.type = STARPU_PER_ARCH;
    own.model.arch_cost_function = &Graph::microseconds;
    own.model.footprint = &Graph::footprint;
    starpu_codelet_init(&own.codelet);
    own.codelet.name = codelet.name.c_str();
    own.codelet.model = &own.model;
    own.codelet.where = STARPU_CPU | STARPU_CUDA;
    own.codelet.cpu_funcs[0] = nothing;
    own.codelet.cuda_funcs[0] = nothing;
    own.codelet.cuda_flags[0] = STARPU_CUDA_ASYNC;
    own.codelet.can_execute = &Graph::can_run;
    own.codelet.nbuffers = STARPU_VARIABLE_NBUFFERS;
  }
}

Graph::~Graph() = default;

std::size_t Graph::kind_of(starpu_worker_archtype type, int device) const {
  return type == STARPU_CUDA_WORKER ? 1 + platform_.kind_of_gpu(device) : 0;
}

double Graph::microseconds(starpu_task* task, starpu_perfmodel_arch* unit, unsigned /*implementation*/) {
  const auto& argument = *static_cast<const Argument*>(task->cl_arg);
  const Graph& graph = *argument.graph;
  const std::size_t kind = graph.kind_of(unit->devices[0].type, unit->devices[0].devid);
  const double seconds = graph.times_.seconds(argument.task, kind);
  // StarPU asks with the same function how long the task that it runs takes, and schedulers how long one may take
  const double factor = starpu_task_get_current() == task ? argument.factor : 1;
  constexpr double least = 1e-3;  // StarPU takes 0 for unknown
  return std::isfinite(seconds) ? std::max(least, 1e6 * seconds * factor) : seconds;
}

/// By the worker that ran the task, when it has ended.
void Graph::count(void* data) {
  auto& argument = *static_cast<Argument*>(data);
  const int worker = starpu_worker_get_id_check();
  argument.kind = argument.graph->kind_of(starpu_worker_get_type(worker), starpu_worker_get_devid(worker));
}

std::vector<double> Graph::busy_seconds() const {
  std::vector<double> seconds(times_.kinds(), 0);
  for (const Argument& argument : arguments_)
    if (argument.kind != Argument::none)
      seconds[argument.kind] += argument.factor * times_.seconds(argument.task, argument.kind);
  return seconds;
}

int Graph::can_run(unsigned worker, starpu_task* task, unsigned /*implementation*/) {
  const auto& argument = *static_cast<const Argument*>(task->cl_arg);
  const Graph& graph = *argument.graph;
  const std::size_t kind = graph.kind_of(starpu_worker_get_type(static_cast<int>(worker)),
                                         starpu_worker_get_devid(static_cast<int>(worker)));
  return std::isfinite(graph.times_.seconds(argument.task, kind)) ? 1 : 0;
}

std::uint32_t Graph::footprint(starpu_task* task) {
  const auto& argument = *static_cast<const Argument*>(task->cl_arg);
  return argument.graph->recording_.tasks[argument.task].footprint;
}

std::vector<std::pair<std::uint32_t, starpu_data_access_mode>> Graph::data(std::size_t task) const {
  return data_of(recording_, task, moved_);
}

starpu_task* Graph::make(std::size_t t, const std::vector<starpu_data_handle_t>& handles) {
  const traces::Task& recorded = recording_.tasks[t];
  starpu_task* const task = starpu_task_create();
  const bool message = !recorded.executed() && recorded.codelet != traces::none &&
                       recording_.codelets[recorded.codelet].name == message_name;
  if (!message && (!recorded.executed() || recorded.codelet == traces::none))
    return task;  // it only joins dependencies
  task->cl = &classes_[recorded.codelet].codelet;
  task->name = task->cl->name;
  task->priority = recorded.priority;
  if (!message) {
    task->cl_arg = &arguments_[t];
    task->cl_arg_size = sizeof(Argument);
    task->callback_func = &Graph::count;
    task->callback_arg = &arguments_[t];
    task->flops = recorded.flops;
  }
  const auto data = this->data(t);
  task->nbuffers = static_cast<int>(data.size());
  starpu_data_handle_t* own_handles = task->handles;
  starpu_data_access_mode* own_modes = task->modes;
  if (data.size() > STARPU_NMAXBUFS) {  // StarPU frees both with the task
    own_handles = task->dyn_handles =
        static_cast<starpu_data_handle_t*>(std::malloc(data.size() * sizeof(starpu_data_handle_t)));
    own_modes = task->dyn_modes =
        static_cast<starpu_data_access_mode*>(std::malloc(data.size() * sizeof(starpu_data_access_mode)));
    if (own_handles == nullptr || own_modes == nullptr) throw std::bad_alloc();
  }
  for (std::size_t i = 0; i < data.size(); ++i) {
    own_handles[i] = handles[data[i].first];
    own_modes[i] = data[i].second;
  }
  return task;
}

void Graph::require_units() const {
  std::vector<bool> started(times_.kinds(), false);
  for (unsigned w = 0; w < starpu_worker_get_count(); ++w) {
    const int worker = static_cast<int>(w);
    started[kind_of(starpu_worker_get_type(worker), starpu_worker_get_devid(worker))] = true;
  }
  for (std::size_t t = 0; t < recording_.tasks.size(); ++t) {
    bool runs = !recording_.tasks[t].executed();
    for (std::size_t kind = 0; kind < started.size(); ++kind)
      runs = runs || (started[kind] && std::isfinite(times_.seconds(t, kind)));
    if (!runs)
      bad_input("no unit that was started has a duration of the task '{}'; expected other --cpus or --gpus",
                recording_.codelet_name(recording_.tasks[t]));
  }
}

double Graph::run() {
  require_units();
  const Data data(recording_);
  std::vector<starpu_task*> tasks;
  tasks.reserve(recording_.tasks.size());
  for (std::size_t t = 0; t < recording_.tasks.size(); ++t) tasks.push_back(make(t, data.handles()));
  std::vector<starpu_task*> before;
  for (std::size_t t = 0; t < tasks.size(); ++t) {
    before.clear();
    for (const std::uint32_t b : recording_.predecessors(t)) before.push_back(tasks[b]);
    if (!before.empty()) starpu_task_declare_deps_array(tasks[t], static_cast<unsigned>(before.size()), before.data());
  }
  const Clock::time_point begin = Clock::now();
  for (std::size_t t = 0; t < tasks.size(); ++t) {
    const int status = starpu_task_submit(tasks[t]);
    if (status != 0) failed("starpu_task_submit: {}", std::strerror(-status));
  }
  starpu_task_wait_for_all();
  return seconds_since(begin);
}

}  // namespace asterism::apps::replay

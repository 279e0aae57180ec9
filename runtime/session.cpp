// SPDX-License-Identifier: Apache-2.0
#include "runtime/session.hpp"

#include <dlfcn.h>
#include <starpu_fxt.h>
#include <unistd.h>
#ifdef ASTERISM_CUDA
#include <cuda_runtime_api.h>
#endif

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <set>
#include <thread>

#ifdef ASTERISM_SMPI
#include "runtime/scheduler_library.hpp"
#endif
#include "base/error.hpp"
#include "runtime/machine/local_units.hpp"
#include "runtime/machine/simulated_machine.hpp"
#include "runtime/memory/memory_limits.hpp"
#include "runtime/program_library.hpp"
#include "runtime/ranks/direct/direct_messages.hpp"
#include "runtime/ranks/ranks.hpp"

namespace asterism {
namespace {

constexpr const char* plugin_file = "libasterism-schedulers.so";

/// What STARPU_SCHED_LIB names; empty when nothing. On a simulated machine Asterism's own library is the one beside the
/// program: another, which programs on this machine use, is made for another StarPU.
std::string named_library() {
  const char* const variable = std::getenv("STARPU_SCHED_LIB");
  const std::string named = variable == nullptr ? std::string{} : variable;
  return simulated && named.ends_with(plugin_file) ? std::string{} : named;
}

/// The plug-in library: where STARPU_SCHED_LIB says, else Asterism's.
std::string plugin_library() {
  const std::string named = named_library();
  return named.empty() ? library_beside_program(plugin_file) : named;
}

std::vector<std::string> names_of(starpu_sched_policy** policies) {
  std::vector<std::string> names;
  for (; policies != nullptr && *policies != nullptr; ++policies) names.emplace_back((*policies)->policy_name);
  return names;
}

std::vector<std::string> schedulers_in(const std::string& library) {
  void* opened = library.empty() ? nullptr : dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (opened == nullptr) return {};
  const auto list = reinterpret_cast<starpu_sched_policy** (*)()>(dlsym(opened, "starpu_get_sched_lib_policies"));
  return list == nullptr ? std::vector<std::string>{} : names_of(list());
}

/// Where FxT believes this process's last recording to be.
std::filesystem::path last_recording;

#ifdef ASTERISM_SMPI

std::vector<std::string> plugin_schedulers() {
  return names_of(starpu_get_sched_lib_policies());
}

/// Asterism's schedulers are part of a program for simulated clusters.
starpu_sched_policy* built_in(const std::string& scheduler) {
  return starpu_get_sched_lib_policy(scheduler.c_str());
}

#else

std::vector<std::string> plugin_schedulers() {
  return schedulers_in(plugin_library());
}

starpu_sched_policy* built_in(const std::string& /*scheduler*/) {
  return nullptr;
}

#endif

bool holds(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

void mark(const char* text) {
#ifdef STARPU_USE_FXT
  if (starpu_fxt_is_enabled() != 0) starpu_fxt_trace_user_event_string(text);
#else
  (void)text;
#endif
}

namespace {

int gpus_of_machine() {
  int count = 0;
  if (const Platform* platform = simulated_platform()) count = platform->gpus();
#ifdef ASTERISM_CUDA
  if (cudaGetDeviceCount(&count) != cudaSuccess) return 0;
#endif
  return count;
}

bool given(const char* variable) {
  return std::getenv(variable) != nullptr;
}

}  // namespace

int visible_gpus() {
  int count = gpus_of_machine();
  if (const char* limit = std::getenv("STARPU_NCUDA"); limit != nullptr) count = std::min(count, std::atoi(limit));
  return std::max(0, count);
}

std::vector<std::string> scheduler_names() {
  std::vector<std::string> names = names_of(starpu_sched_get_predefined_policies());
  for (std::string& name : plugin_schedulers()) names.push_back(std::move(name));
  return names;
}

std::optional<std::string> scheduler_library(const std::string& scheduler) {
  const std::string named = named_library();
  const std::string own = library_beside_program(plugin_file);
  if (!named.empty() && holds(schedulers_in(named), scheduler)) return named;
  if (holds(names_of(starpu_sched_get_predefined_policies()), scheduler)) return std::string{};
  if (holds(schedulers_in(own), scheduler)) return own;
  if (!named.empty() && named.find(plugin_file) == std::string::npos) return named;
  return std::nullopt;
}

bool uses_gpus(const SessionOptions& options) {
  return options.gpus.value_or(visible_gpus()) > 0;
}

Session::Session(const SessionOptions& options) {
  if (rank_group().distributed() && options.ranks == Ranks::one)
    bad_input("{} processes: this program does not run over several yet", rank_group().ranks());
  const std::string scheduler = choose_scheduler(options);
  choose_resources(options);
  if (options.calibrate) environment_.set("STARPU_CALIBRATE", "1");
  if (options.trace) prepare_recording(*options.trace);
  if (!options.hprio_order.empty() && std::getenv("ASTERISM_HPRIO_ORDER") == nullptr)
    environment_.set("ASTERISM_HPRIO_ORDER", options.hprio_order);
  // StarPU's heteroprio would overwrite what it is told
  if (options.scheduler_set_up != nullptr && std::getenv("STARPU_HETEROPRIO_USE_AUTO_CALIBRATION") == nullptr)
    environment_.set("STARPU_HETEROPRIO_USE_AUTO_CALIBRATION", "0");
  starpu_conf conf;
  starpu_conf_init(&conf);
  conf.catch_signals = 0;
  conf.sched_policy = built_in(scheduler);
  conf.sched_policy_callback = options.scheduler_set_up;
  const int status = rank_group().start_starpu(conf);
  if (status == -ENODEV)
    failed("StarPU found no processing unit to work with (STARPU_NCPU, STARPU_NCUDA, --cpus, --gpus)");
  if (status != 0) failed("starpu_init: {}", std::strerror(-status));
  if (const char* swap = std::getenv("STARPU_DISK_SWAP"); swap != nullptr && starpu_disk_swap_node < 0) {
    rank_group().stop_starpu();
    failed("StarPU cannot use {} for data that do not fit into memory (--swap, STARPU_DISK_SWAP)", swap);
  }

#ifdef ASTERISM_SMPI
  // what comes from other ranks is put into the same pages all of it, which SMPI does not even write
  starpu_malloc_on_node_set_default_flags(STARPU_MAIN_RAM,
                                          STARPU_MALLOC_PINNED | STARPU_MALLOC_COUNT | STARPU_MALLOC_SIMULATION_FOLDED);
#endif

  for (unsigned w = 0; w < starpu_worker_get_count(); ++w) {
    const int worker = static_cast<int>(w);
    char name[128];
    starpu_worker_get_name(worker, name, sizeof name);
    units_.push_back({worker, starpu_worker_get_type(worker) == STARPU_CUDA_WORKER, starpu_worker_get_devid(worker),
                      starpu_worker_get_memory_node(w), name});
  }
  mark_models();
  open_direct_messages(units_);
}

/// Sets which scheduler StarPU starts with; returns its name, empty for StarPU's default.
std::string Session::choose_scheduler(const SessionOptions& options) {
  const std::vector<std::string> plugins = plugin_schedulers();
  std::string wanted;
  if (options.calibrate)
    wanted = "calibrate";
  else if (options.scheduler)
    wanted = *options.scheduler;
  else if (const char* named = std::getenv("STARPU_SCHED"); named != nullptr)
    wanted = named;
  if (!wanted.empty()) {
    const std::vector<std::string> known = scheduler_names();
    // a library named by the user may answer to names that it does not list
    const char* library = std::getenv("STARPU_SCHED_LIB");
    const bool foreign = library != nullptr && std::strstr(library, plugin_file) == nullptr;
    if (std::find(known.begin(), known.end(), wanted) == known.end() && !foreign) {
      std::string list;
      for (const std::string& name : known) list += (list.empty() ? "" : ", ") + name;
      bad_input("--scheduler {}: no such scheduler; expected one of {}", wanted, list);
    }
    if (built_in(wanted) != nullptr)
      environment_.set("STARPU_SCHED", std::nullopt);
    else if (environment_.set("STARPU_SCHED", wanted); holds(plugins, wanted))
      environment_.set("STARPU_SCHED_LIB", plugin_library());
  }
  return wanted;
}

/// Sets how many units and how much memory StarPU uses.
void Session::choose_resources(const SessionOptions& options) {
  // Through the environment, because starpu_conf's members either lose against it or silence all of it.
  const auto number_of = [&](const char* variable, const char* synonym, const std::optional<int>& count) {
    if (!count) return;
    environment_.set(variable, std::to_string(*count));
    if (synonym != nullptr) environment_.set(synonym, std::nullopt);
  };
  number_of("STARPU_NCPU", "STARPU_NCPUS", options.cpus);
  number_of("STARPU_NCUDA", nullptr, options.gpus);
  if (rank_group().distributed() && !simulated) take_own_units(options);
  if (options.each_rank_alone) rank_group().leave_each_alone();
  if (options.resting_cores) rest_when_idle(200);
  // A core for the thread that submits: it would take turns with one that drives a GPU, which then waits for work.
  if (!options.cpus && !given("STARPU_NCPU") && !given("STARPU_NCPUS") && !given("STARPU_RESERVE_NCPU") &&
      uses_gpus(options))
    environment_.set("STARPU_RESERVE_NCPU", "1");
  if (simulated && options.streams.value_or(1) > 1)
    bad_input("{} streams per GPU: StarPU simulates one task at a time on each", *options.streams);
  number_of("STARPU_NWORKER_PER_CUDA", nullptr, options.streams);
  constexpr std::uint64_t mebibyte = 1U << 20U;  // in which StarPU counts
  if (options.memory) environment_.set("STARPU_LIMIT_CPU_MEM", std::to_string(*options.memory / mebibyte));
  if (options.swap) {
    if (!std::filesystem::is_directory(*options.swap) || access(options.swap->c_str(), W_OK) != 0)
      bad_input("--swap {}: expected a folder that can be written to", *options.swap);
    environment_.set("STARPU_DISK_SWAP", std::filesystem::absolute(*options.swap).string());
  }
  if (uses_gpus(options) && !simulated) leave_others_their_memory(environment_, gpus_of_machine());
  if (options.streams && std::getenv("STARPU_CUDA_THREAD_PER_WORKER") == nullptr)
    environment_.set("STARPU_CUDA_THREAD_PER_WORKER", "0");  // one core drives all of a GPU's
}

/// Makes the folder of the recording ready, without the recordings of earlier runs.
void Session::prepare_recording(const std::string& folder) {
#ifndef STARPU_USE_FXT
  bad_input("--trace: this StarPU was built without FxT");
#endif
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) bad_input("--trace {}: the folder cannot be made ({})", folder, error.message());
  if (rank_group().is_root()) {
    for (const auto& entry : std::filesystem::directory_iterator(folder))
      if (entry.path().filename().string().starts_with("prof_file")) std::filesystem::remove(entry.path(), error);
  }
  rank_group().barrier();
  trace_ = std::filesystem::absolute(folder);
  if (!last_recording.empty()) std::ofstream(last_recording).put('\0');  // something for FxT to move
  environment_.set("STARPU_FXT_TRACE", "1");
  environment_.set("STARPU_FXT_PREFIX", (trace_ / "").string());
}

/// For those who read the recording: asterism-trace and asterism-bounds take GPUs of one model for alike.
void Session::mark_models() const {
  const std::vector<std::string> models = gpu_models();
  if (std::adjacent_find(models.begin(), models.end(), std::not_equal_to<>()) == models.end()) return;
  for (const Unit& unit : units_)
    if (unit.gpu) mark(fmt::format("unit CUDA {}: {}", unit.device, unit.model()).c_str());
}

void Session::take_own_units(const SessionOptions& options) {
  cores_ = std::make_unique<OwnCores>();
  if (cores_->crowded()) environment_.set("STARPU_WORKERS_NOBIND", "1");
  std::optional<int> wanted = options.gpus;
  if (!wanted && given("STARPU_NCUDA")) wanted = visible_gpus();
  const std::vector<int> gpus = own_gpus(gpus_of_machine(), wanted);
  if (!gpus.empty()) {
    std::string numbers;
    for (const int gpu : gpus) numbers += (numbers.empty() ? "" : " ") + std::to_string(gpu);
    environment_.set("STARPU_WORKERS_CUDAID", numbers);
    environment_.set("STARPU_NCUDA", std::to_string(gpus.size()));
  }
  const bool open = !options.cpus && !given("STARPU_NCPU") && !given("STARPU_NCPUS");
  if (open && !cores_->told() && !cores_->crowded()) share_cores();
  const char* const workers = std::getenv("STARPU_NCPU");
  const int for_messages = options.each_rank_alone ? 0 : 1;
  const int threads = for_messages + (workers != nullptr ? std::atoi(workers) : cores_->count());
  if (cores_->crowded() || threads > cores_->count()) rest_when_idle(30);
}

/// For so many microseconds: see scripts/starpu-patches/idle-sleep.patch. StarPU without it polls.
void Session::rest_when_idle(int microseconds) {
  if (!given("STARPU_IDLE_SLEEP")) environment_.set("STARPU_IDLE_SLEEP", std::to_string(microseconds));
}

void Session::share_cores() {
  // a core drives each GPU, one submits beside them, and StarPU-MPI has a thread of its own
  const int devices = visible_gpus();
  const int others = devices + (devices > 0 ? 2 : 1);
  environment_.set("STARPU_NCPU", std::to_string(std::max(devices > 0 ? 0 : 1, cores_->count() - others)));
}

Session::~Session() {
  // other ranks may wait for what this one would have sent, and StarPU would wait for them
  const bool by_error = std::uncaught_exceptions() > exceptions_;
  if (by_error && !rank_group().all_have_failed()) return;
  close_direct_messages(!by_error);
  rank_group().stop_starpu();
  if (!trace_.empty()) {
    // Kept under another name: FxT moves the file to where the next recording of this process goes.
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator(trace_, ignored)) {
      const std::string name = entry.path().filename().string();
      if (!name.starts_with("prof_file_") || name.starts_with("prof_file_rank")) continue;
      if (!name.ends_with(fmt::format("_{}", rank_group().rank()))) continue;
      last_recording = entry.path();
      std::filesystem::rename(entry.path(), trace_ / ("prof_file_rank" + name.substr(name.rfind('_'))), ignored);
    }
  }
#ifdef ASTERISM_CUDA
  if (starpu_is_initialized() != 0) return;  // the program around had started it, and goes on with it
  // StarPU 1.4.10 takes "already enabled" for "not possible": a later session of this process would copy from
  // GPU to GPU through main memory.
  int devices = 0;
  if (gpus() < 2 || cudaGetDeviceCount(&devices) != cudaSuccess) return;
  for (int device = 0; device < devices; ++device) {
    cudaSetDevice(device);
    for (int peer = 0; peer < devices; ++peer)
      if (peer != device) cudaDeviceDisablePeerAccess(peer);
  }
  cudaGetLastError();  // forget the pairs that were not connected
#endif
}

int Session::cpus() const noexcept {
  return static_cast<int>(std::count_if(units_.begin(), units_.end(), [](const Unit& u) { return !u.gpu; }));
}
int Session::gpus() const noexcept {
  return static_cast<int>(units_.size()) - cpus();
}

int Session::devices() const noexcept {
  std::set<int> numbers;
  for (const Unit& unit : units_)
    if (unit.gpu) numbers.insert(unit.device);
  return static_cast<int>(numbers.size());
}

bool Session::gpus_reach_each_other() const {
  if (devices() < 2 || simulated_platform() != nullptr) return true;
#ifdef ASTERISM_CUDA
  const char* const direct = std::getenv("STARPU_ENABLE_CUDA_GPU_GPU_DIRECT");
  if (direct != nullptr && std::atoi(direct) == 0) return false;
  for (const Unit& from : units_)
    for (const Unit& to : units_) {
      int reaches = 1;
      if (!from.gpu || !to.gpu || from.device == to.device) continue;
      if (cudaDeviceCanAccessPeer(&reaches, from.device, to.device) != cudaSuccess || reaches == 0) return false;
    }
#endif
  return true;
}

std::vector<std::string> Session::gpu_models() const {
  std::map<int, std::string> models;
  for (const Unit& unit : units_)
    if (unit.gpu) models.try_emplace(unit.device, unit.model());
  std::vector<std::string> names;
  for (const auto& [device, model] : models) names.push_back(model);
  return names;
}

/// StarPU's name is "CUDA 0.0 (NVIDIA H200 137.1 GiB 8a:00.0)", without the last on a simulated machine.
std::string Unit::model() const {
  if (!gpu) return {};
  const std::size_t begin = name.find('(');
  const std::size_t unit = name.rfind(" GiB");
  if (begin == std::string::npos || unit == std::string::npos || unit < begin) return name;
  return name.substr(begin + 1, name.rfind(' ', unit - 1) - begin - 1);
}

std::string Session::scheduler() const {
  return starpu_sched_get_sched_policy()->policy_name;
}

}  // namespace asterism

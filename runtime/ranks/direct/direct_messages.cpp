// SPDX-License-Identifier: Apache-2.0
#include "runtime/ranks/direct/direct_messages.hpp"

#include "runtime/session.hpp"

#ifndef ASTERISM_CUDA

namespace asterism {

void open_direct_messages(std::span<const Unit> /*units*/) {}
void close_direct_messages(bool /*finished*/) {}
bool all_gpus_reach_each_other() {
  return false;
}
bool goes_directly(int /*rank*/, std::size_t /*bytes*/) {
  return false;
}
void send_directly(starpu_data_handle_t /*handle*/, int /*rank*/, std::int64_t /*tag*/, int /*priority*/) {}
void receive_directly(starpu_data_handle_t /*handle*/, int /*rank*/, std::int64_t /*tag*/, int /*priority*/,
                      int /*node*/) {}

}  // namespace asterism

#else

#include <cuda_runtime_api.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "base/as_size.hpp"
#include "base/cuda_check.hpp"
#include "runtime/machine/simulated_machine.hpp"
#include "runtime/ranks/direct/imported_memory.hpp"
#include "runtime/ranks/direct/inbox.hpp"
#include "runtime/ranks/direct/reachable_ranks.hpp"
#include "runtime/ranks/ranks.hpp"

namespace asterism {
namespace {

/// Smaller data are host's: sums and counts, which a core reads next.
constexpr std::size_t smallest = 16384;

/// A GPU of this rank.
struct Gpu {
  int node;
  int device;
};

class DirectMessages;

/// A datum that StarPU gives for a message.
struct Request {
  DirectMessages* owner;
  starpu_data_handle_t handle;
  int rank;  ///< the other one
  std::int64_t tag;
  int node;  ///< where the datum is; before: where it should be, if known
  bool sends;
};

class DirectMessages {
 public:
  DirectMessages(std::vector<Gpu> gpus, std::vector<char> reached, std::unique_ptr<Inboxes> inboxes)
      : gpus_(std::move(gpus)),
        reached_(std::move(reached)),
        inboxes_(std::move(inboxes)),
        thread_([this] { run(); }) {}
  ~DirectMessages() {
    stop_ = true;
    if (thread_.joinable()) thread_.join();
  }
  /// Until the others have been told everything.
  void finish() {
    finishing_ = true;
    thread_.join();
  }
  DirectMessages(const DirectMessages&) = delete;
  DirectMessages& operator=(const DirectMessages&) = delete;

  [[nodiscard]] bool reaches(int rank) const { return reached_[as_size(rank)] != 0; }
  void submit(const Request& request, int priority);

 private:
  /// Messages of one tag between this rank and another.
  struct Channel {
    std::deque<Request> given;            ///< by StarPU
    std::deque<ExportedAddress> waiting;  ///< sends: where the reader has room
  };
  struct Copy {
    Request request;
    cudaEvent_t end;
  };
  using Key = std::pair<int, std::int64_t>;  // other rank, tag

  static void choose_node(void* request, int* node, starpu_data_access_mode mode);
  static void given(void* request);

  void run();
  bool take_given();
  bool take_notes();
  bool end_copies();
  void announce(const Request& request);
  void copy_if_possible(const Key& key, Channel& channel);
  void tell(int rank, const Note& note);
  bool send_notes();
  [[nodiscard]] bool all_told() const;
  void rest(bool moved);
  [[nodiscard]] int device_of(int node) const;
  cudaStream_t stream_to(int rank, int device);
  cudaEvent_t event_on(int device);

  std::vector<Gpu> gpus_;
  std::vector<char> reached_;  ///< ranks
  std::unique_ptr<Inboxes> inboxes_;
  std::mutex mutex_;
  std::vector<Request> new_;  ///< given, not seen by the thread yet
  std::atomic<bool> any_new_ = false;
  std::atomic<bool> finishing_ = false;
  std::atomic<bool> stop_ = false;
  std::atomic<std::int64_t> open_ = 0;  ///< requests that have not ended

  // of the thread
  ImportedMemory imported_;
  std::map<Key, Channel> sends_, receives_;
  std::map<std::pair<int, int>, cudaStream_t> streams_;
  std::map<int, std::vector<cudaEvent_t> > events_;  ///< by GPU, not in use
  std::map<cudaStream_t, std::deque<Copy> > copies_;
  std::map<int, std::deque<Note> > unsent_;
  std::chrono::steady_clock::time_point last_move_;
  std::thread thread_;
};

/// StarPU asks, when the tasks before have ended and before it brings the datum anywhere.
void DirectMessages::choose_node(void* request, int* node, starpu_data_access_mode /*mode*/) {
  Request& r = *static_cast<Request*>(request);
  const std::vector<Gpu>& gpus = r.owner->gpus_;
  int chosen = r.node;
  for (const Gpu& gpu : gpus) {
    int allocated = 0;
    int valid = 0;
    int loading = 0;
    int requested = 0;
    starpu_data_query_status2(r.handle, gpu.node, &allocated, &valid, &loading, &requested);
    if (r.sends ? valid != 0 : (chosen < 0 && allocated != 0)) {
      chosen = gpu.node;
      break;
    }
  }
  if (chosen < 0) chosen = r.sends ? STARPU_MAIN_RAM : gpus.front().node;
  r.node = *node = chosen;
}

/// StarPU calls in one of its threads, or in that which submits.
void DirectMessages::given(void* request) {
  const std::unique_ptr<Request> r(static_cast<Request*>(request));
  DirectMessages& owner = *r->owner;
  const std::lock_guard lock(owner.mutex_);
  owner.new_.push_back(*r);
  owner.any_new_ = true;
}

void DirectMessages::submit(const Request& request, int priority) {
  ++open_;
  auto copy = std::make_unique<Request>(request);
  copy->owner = this;
  constexpr int in_order = 1;
  constexpr int quick = 1;
  starpu_data_acquire_on_node_cb_sequential_consistency_sync_jobids(
      request.handle, STARPU_ACQUIRE_NO_NODE, request.sends ? STARPU_R : STARPU_W, choose_node, given, copy.release(),
      in_order, quick, nullptr, nullptr, priority);
}

void DirectMessages::run() {
  last_move_ = std::chrono::steady_clock::now();
  while (!stop_ && !(finishing_ && open_ == 0 && all_told())) {
    bool moved = take_given();
    moved = take_notes() || moved;
    moved = end_copies() || moved;
    moved = send_notes() || moved;
    rest(moved);
  }
  for (auto& [key, stream] : streams_) cudaStreamDestroy(stream);
  for (auto& [device, free] : events_)
    for (cudaEvent_t event : free) cudaEventDestroy(event);
}

/// A message is late by what its threads sleep; without messages a core is worth more.
void DirectMessages::rest(bool moved) {
  constexpr auto patience = std::chrono::microseconds(300);
  const auto now = std::chrono::steady_clock::now();
  if (moved) last_move_ = now;
  if (moved) return;
  if (now - last_move_ < patience)
    std::this_thread::yield();
  else
    std::this_thread::sleep_for(std::chrono::microseconds(open_ > 0 ? 5 : 100));
}

bool DirectMessages::take_given() {
  if (!any_new_) return false;
  std::vector<Request> requests;
  {
    const std::lock_guard lock(mutex_);
    requests.swap(new_);
    any_new_ = false;
  }
  for (const Request& request : requests) {
    const Key key{request.rank, request.tag};
    Channel& channel = (request.sends ? sends_ : receives_)[key];
    channel.given.push_back(request);
    if (request.sends)
      copy_if_possible(key, channel);
    else
      announce(request);
  }
  return true;
}

/// The note that says where there is room.
void DirectMessages::announce(const Request& request) {
  ASTERISM_CHECK_CUDA(cudaSetDevice(device_of(request.node)));
  const void* const place = starpu_data_handle_to_pointer(request.handle, static_cast<unsigned>(request.node));
  tell(request.rank, {Note::Kind::ready, request.tag, exported(place)});
}

bool DirectMessages::take_notes() {
  bool any = false;
  for (int rank = 0; rank < rank_group().ranks(); ++rank) {
    NoteRing* const ring = inboxes_->from(rank);
    if (ring == nullptr) continue;
    while (const std::optional<Note> note = ring->take()) {
      any = true;
      const Key key{rank, note->tag};
      if (note->kind == Note::Kind::ready) {
        // opened while the datum is still computed
        ASTERISM_CHECK_CUDA(cudaSetDevice(gpus_.front().device));
        imported_.address(rank, note->place);
        Channel& channel = sends_[key];
        channel.waiting.push_back(note->place);
        copy_if_possible(key, channel);
        continue;
      }
      Channel& channel = receives_[key];
      const Request request = channel.given.front();
      channel.given.pop_front();
      starpu_data_release_on_node(request.handle, request.node);
      --open_;
    }
  }
  return any;
}

void DirectMessages::copy_if_possible(const Key& key, Channel& channel) {
  while (!channel.given.empty() && !channel.waiting.empty()) {
    const Request request = channel.given.front();
    channel.given.pop_front();
    const ExportedAddress to = channel.waiting.front();
    channel.waiting.pop_front();
    const int device = device_of(request.node);
    ASTERISM_CHECK_CUDA(cudaSetDevice(device));
    const void* const from = starpu_data_handle_to_pointer(request.handle, static_cast<unsigned>(request.node));
    cudaStream_t const stream = stream_to(key.first, device);
    cudaEvent_t const end = event_on(device);
    ASTERISM_CHECK_CUDA(cudaMemcpyAsync(imported_.address(key.first, to), from, starpu_data_get_size(request.handle),
                                        cudaMemcpyDefault, stream));
    ASTERISM_CHECK_CUDA(cudaEventRecord(end, stream));
    copies_[stream].push_back({request, end});
  }
}

bool DirectMessages::end_copies() {
  bool any = false;
  for (auto& [stream, copies] : copies_) {
    while (!copies.empty()) {
      const Copy copy = copies.front();
      const cudaError_t status = cudaEventQuery(copy.end);
      if (status == cudaErrorNotReady) break;
      ASTERISM_CHECK_CUDA(status);
      copies.pop_front();
      any = true;
      tell(copy.request.rank, {Note::Kind::done, copy.request.tag, {}});
      events_[device_of(copy.request.node)].push_back(copy.end);
      starpu_data_release_on_node(copy.request.handle, copy.request.node);
      --open_;
    }
  }
  return any;
}

void DirectMessages::tell(int rank, const Note& note) {
  std::deque<Note>& before = unsent_[rank];
  if (!before.empty() || !inboxes_->to(rank)->put(note)) before.push_back(note);
}

/// Notes for which a ring had no place.
bool DirectMessages::send_notes() {
  bool any = false;
  for (auto& [rank, notes] : unsent_)
    for (; !notes.empty() && inboxes_->to(rank)->put(notes.front()); any = true) notes.pop_front();
  return any;
}

bool DirectMessages::all_told() const {
  return std::ranges::all_of(unsent_, [](const auto& of_rank) { return of_rank.second.empty(); });
}

/// Main memory is read through the first GPU.
int DirectMessages::device_of(int node) const {
  for (const Gpu& gpu : gpus_)
    if (gpu.node == node) return gpu.device;
  return gpus_.front().device;
}

cudaStream_t DirectMessages::stream_to(int rank, int device) {
  cudaStream_t& stream = streams_[{rank, device}];
  if (stream != nullptr) return stream;
  int least = 0;
  int greatest = 0;
  ASTERISM_CHECK_CUDA(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  ASTERISM_CHECK_CUDA(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, greatest));
  return stream;
}

cudaEvent_t DirectMessages::event_on(int device) {
  std::vector<cudaEvent_t>& free = events_[device];
  if (!free.empty()) {
    cudaEvent_t const event = free.back();
    free.pop_back();
    return event;
  }
  cudaEvent_t event = nullptr;
  ASTERISM_CHECK_CUDA(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  return event;
}

std::unique_ptr<DirectMessages>& messages() {
  static std::unique_ptr<DirectMessages> of_this_rank;
  return of_this_rank;
}

/// The GPUs of this rank, if they may be reached.
std::vector<Gpu> gpus_of(std::span<const Unit> units) {
  const char* const direct = std::getenv("STARPU_ENABLE_CUDA_GPU_GPU_DIRECT");
  std::vector<Gpu> gpus;
  if (direct != nullptr && std::atoi(direct) == 0) return gpus;
  for (const Unit& unit : units)
    if (unit.gpu && (gpus.empty() || gpus.back().device != unit.device))
      gpus.push_back({static_cast<int>(unit.node), unit.device});
  return gpus;
}

bool& all_reach() {
  static bool by_all_ranks = false;
  return by_all_ranks;
}

}  // namespace

void open_direct_messages(std::span<const Unit> units) {
  if (simulated || !rank_group().distributed()) return;
  std::vector<Gpu> gpus = gpus_of(units);
  std::vector<int> devices;
  for (const Gpu& gpu : gpus) devices.push_back(gpu.device);
  auto inboxes = std::make_unique<Inboxes>(!gpus.empty());
  std::vector<char> reached = reachable_ranks(devices);
  for (int rank = 0; rank < rank_group().ranks(); ++rank)
    if (inboxes->to(rank) == nullptr) reached[as_size(rank)] = 0;
  const auto others = std::ranges::count_if(reached, [](char of_rank) { return of_rank != 0; });
  if (others > 0)
    messages() = std::make_unique<DirectMessages>(std::move(gpus), std::move(reached), std::move(inboxes));
  const std::vector<char> of_ranks = rank_group().all_gather(static_cast<char>(others + 1 == rank_group().ranks()));
  all_reach() = std::ranges::all_of(of_ranks, [](char of_rank) { return of_rank != 0; });
}

void close_direct_messages(bool finished) {
  if (simulated || !rank_group().distributed()) return;
  if (finished && messages() != nullptr) messages()->finish();
  messages().reset();
  all_reach() = false;
  if (finished) rank_group().barrier();
}

bool all_gpus_reach_each_other() {
  return all_reach();
}

bool goes_directly(int rank, std::size_t bytes) {
  return bytes >= smallest && messages() != nullptr && messages()->reaches(rank);
}

void send_directly(starpu_data_handle_t handle, int rank, std::int64_t tag, int priority) {
  messages()->submit({nullptr, handle, rank, tag, -1, true}, priority);
}
void receive_directly(starpu_data_handle_t handle, int rank, std::int64_t tag, int priority, int node) {
  messages()->submit({nullptr, handle, rank, tag, node, false}, priority);
}

}  // namespace asterism

#endif

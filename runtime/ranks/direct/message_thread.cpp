// SPDX-License-Identifier: Apache-2.0
#ifdef ASTERISM_CUDA
#include "runtime/ranks/direct/message_thread.hpp"

#include <algorithm>
#include <optional>

#include "base/cuda_check.hpp"
#include "runtime/ranks/ranks.hpp"

namespace asterism {

/// StarPU asks, when the tasks before have ended and before it brings the datum anywhere.
void MessageThread::choose_node(void* request, int* node, starpu_data_access_mode /*mode*/) {
  MessageRequest& r = *static_cast<MessageRequest*>(request);
  const std::vector<GpuNode>& gpus = r.owner->gpus_;
  int chosen = r.node;
  for (const GpuNode& gpu : gpus) {
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
void MessageThread::given(void* request) {
  const std::unique_ptr<MessageRequest> r(static_cast<MessageRequest*>(request));
  MessageThread& owner = *r->owner;
  const std::lock_guard lock(owner.mutex_);
  owner.new_.push_back(*r);
  owner.any_new_ = true;
}

void MessageThread::submit(const MessageRequest& request, int priority) {
  ++open_;
  auto copy = std::make_unique<MessageRequest>(request);
  copy->owner = this;
  constexpr int in_order = 1;
  constexpr int quick = 1;
  starpu_data_acquire_on_node_cb_sequential_consistency_sync_jobids(
      request.handle, STARPU_ACQUIRE_NO_NODE, request.sends ? STARPU_R : STARPU_W, choose_node, given, copy.release(),
      in_order, quick, nullptr, nullptr, priority);
}

void MessageThread::run() {
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
void MessageThread::rest(bool moved) {
  constexpr auto patience = std::chrono::microseconds(300);
  const auto now = std::chrono::steady_clock::now();
  if (moved) last_move_ = now;
  if (moved) return;
  if (now - last_move_ < patience)
    std::this_thread::yield();
  else
    std::this_thread::sleep_for(std::chrono::microseconds(open_ > 0 ? 5 : 100));
}

bool MessageThread::take_given() {
  if (!any_new_) return false;
  std::vector<MessageRequest> requests;
  {
    const std::lock_guard lock(mutex_);
    requests.swap(new_);
    any_new_ = false;
  }
  for (const MessageRequest& request : requests) {
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
void MessageThread::announce(const MessageRequest& request) {
  ASTERISM_CHECK_CUDA(cudaSetDevice(device_of(request.node)));
  const void* const place = starpu_data_handle_to_pointer(request.handle, static_cast<unsigned>(request.node));
  tell(request.rank, {Note::Kind::ready, request.tag, exported(place)});
}

bool MessageThread::take_notes() {
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
      const MessageRequest request = channel.given.front();
      channel.given.pop_front();
      starpu_data_release_on_node(request.handle, request.node);
      --open_;
    }
  }
  return any;
}

void MessageThread::copy_if_possible(const Key& key, Channel& channel) {
  while (!channel.given.empty() && !channel.waiting.empty()) {
    const MessageRequest request = channel.given.front();
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

bool MessageThread::end_copies() {
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

void MessageThread::tell(int rank, const Note& note) {
  std::deque<Note>& before = unsent_[rank];
  if (!before.empty() || !inboxes_->to(rank)->put(note)) before.push_back(note);
}

/// Notes for which a ring had no place.
bool MessageThread::send_notes() {
  bool any = false;
  for (auto& [rank, notes] : unsent_)
    for (; !notes.empty() && inboxes_->to(rank)->put(notes.front()); any = true) notes.pop_front();
  return any;
}

bool MessageThread::all_told() const {
  return std::ranges::all_of(unsent_, [](const auto& of_rank) { return of_rank.second.empty(); });
}

/// Main memory is read through the first GPU.
int MessageThread::device_of(int node) const {
  for (const GpuNode& gpu : gpus_)
    if (gpu.node == node) return gpu.device;
  return gpus_.front().device;
}

cudaStream_t MessageThread::stream_to(int rank, int device) {
  cudaStream_t& stream = streams_[{rank, device}];
  if (stream != nullptr) return stream;
  int least = 0;
  int greatest = 0;
  ASTERISM_CHECK_CUDA(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  ASTERISM_CHECK_CUDA(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, greatest));
  return stream;
}

cudaEvent_t MessageThread::event_on(int device) {
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

}  // namespace asterism
#endif

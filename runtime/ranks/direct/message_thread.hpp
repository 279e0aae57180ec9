// SPDX-License-Identifier: Apache-2.0
// The thread of a rank that sees to its messages from GPU to GPU.
#pragma once

#include <cuda_runtime_api.h>
#include <starpu.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "base/as_size.hpp"
#include "runtime/ranks/direct/imported_memory.hpp"
#include "runtime/ranks/direct/inbox.hpp"

namespace asterism {

/// A GPU of this rank.
struct GpuNode {
  int node;
  int device;
};

class MessageThread;

/// A datum that StarPU gives for a message.
struct MessageRequest {
  MessageThread* owner;
  starpu_data_handle_t handle;
  int rank;  ///< the other one
  std::int64_t tag;
  int node;  ///< where the datum is; before: where it should be, if known
  bool sends;
};

class MessageThread {
 public:
  MessageThread(std::vector<GpuNode> gpus, std::vector<char> reached, std::unique_ptr<Inboxes> inboxes)
      : gpus_(std::move(gpus)),
        reached_(std::move(reached)),
        inboxes_(std::move(inboxes)),
        thread_([this] { run(); }) {}
  ~MessageThread() {
    stop_ = true;
    if (thread_.joinable()) thread_.join();
  }
  /// Until the others have been told everything.
  void finish() {
    finishing_ = true;
    thread_.join();
  }
  MessageThread(const MessageThread&) = delete;
  MessageThread& operator=(const MessageThread&) = delete;

  [[nodiscard]] bool reaches(int rank) const { return reached_[as_size(rank)] != 0; }
  void submit(const MessageRequest& request, int priority);

 private:
  /// Messages of one tag between this rank and another.
  struct Channel {
    std::deque<MessageRequest> given;     ///< by StarPU
    std::deque<ExportedAddress> waiting;  ///< sends: where the reader has room
  };
  struct Copy {
    MessageRequest request;
    cudaEvent_t end;
  };
  using Key = std::pair<int, std::int64_t>;  // other rank, tag

  static void choose_node(void* request, int* node, starpu_data_access_mode mode);
  static void given(void* request);

  void run();
  bool take_given();
  bool take_notes();
  bool end_copies();
  void announce(const MessageRequest& request);
  void copy_if_possible(const Key& key, Channel& channel);
  void tell(int rank, const Note& note);
  bool send_notes();
  [[nodiscard]] bool all_told() const;
  void rest(bool moved);
  [[nodiscard]] int device_of(int node) const;
  cudaStream_t stream_to(int rank, int device);
  cudaEvent_t event_on(int device);

  std::vector<GpuNode> gpus_;
  std::vector<char> reached_;  ///< ranks
  std::unique_ptr<Inboxes> inboxes_;
  std::mutex mutex_;
  std::vector<MessageRequest> new_;  ///< given, not seen by the thread yet
  std::atomic<bool> any_new_ = false;
  std::atomic<bool> finishing_ = false;
  std::atomic<bool> stop_ = false;
  std::atomic<std::int64_t> open_ = 0;  ///< requests that have not ended

  // of the thread
  ImportedMemory imported_;
  std::map<Key, Channel> sends_, receives_;
  std::map<std::pair<int, int>, cudaStream_t> streams_;
  std::map<int, std::vector<cudaEvent_t>> events_;  ///< by GPU, not in use
  std::map<cudaStream_t, std::deque<Copy>> copies_;
  std::map<int, std::deque<Note>> unsent_;
  std::chrono::steady_clock::time_point last_move_;
  std::thread thread_;
};

}  // namespace asterism

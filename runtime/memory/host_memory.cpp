// SPDX-License-Identifier: Apache-2.0
#include "runtime/memory/host_memory.hpp"

#include <starpu.h>
#include <sys/mman.h>

#include <algorithm>
#include <mutex>
#include <new>
#include <thread>
#include <vector>

#include "runtime/machine/simulated_machine.hpp"

namespace asterism {
namespace {

constexpr std::size_t huge_page = std::size_t{1} << 21;
constexpr std::size_t chunk_bytes = 32 * huge_page;
constexpr std::size_t alignment = 256;

constexpr std::size_t rounded(std::size_t bytes, std::size_t to) {
  return (bytes + to - 1) / to * to;
}

class Chunk {
 public:
  explicit Chunk(std::size_t bytes) : bytes_(rounded(bytes, huge_page)) {
    // huge pages begin at their multiples: ask for one more than needed
    mapped_ = bytes_ + huge_page;
    // what only kernels would write is never touched on a simulated machine, and takes no memory there
    const int promised = simulated ? MAP_NORESERVE : 0;
    base_ = mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | promised, -1, 0);
    if (base_ == MAP_FAILED) throw std::bad_alloc();
    begin_ = reinterpret_cast<char*>(rounded(reinterpret_cast<std::size_t>(base_), huge_page));
    if (simulated) return;
    madvise(begin_, bytes_, MADV_HUGEPAGE);
    if (starpu_is_initialized() == 0 || starpu_cuda_worker_get_count() == 0) return;  // first touch by whoever fills it
    touch();
    pinned_ = starpu_memory_pin(begin_, bytes_) == 0;
  }
  Chunk(const Chunk&) = delete;
  Chunk& operator=(const Chunk&) = delete;
  ~Chunk() {
    if (pinned_ && starpu_is_initialized() != 0) starpu_memory_unpin(begin_, bytes_);
    munmap(base_, mapped_);
  }

  /// Null when it does not fit any more.
  char* cut(std::size_t bytes) {
    if (bytes > bytes_ - used_) return nullptr;
    char* const piece = begin_ + used_;
    used_ = std::min(bytes_, used_ + rounded(bytes, alignment));
    return piece;
  }

 private:
  void touch() const {
    const std::size_t pages = bytes_ / huge_page;
    const std::size_t threads =
        std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, std::min<std::size_t>(pages, 16));
    const auto part = [this, pages, threads](std::size_t t) {
      for (std::size_t p = pages * t / threads; p < pages * (t + 1) / threads; ++p)
        for (std::size_t at = 0; at < huge_page; at += 4096)
          *static_cast<volatile char*>(begin_ + p * huge_page + at) = 0;
    };
    std::vector<std::jthread> others;
    for (std::size_t t = 1; t < threads; ++t) others.emplace_back(part, t);
    part(0);
  }

  std::size_t bytes_;
  std::size_t mapped_ = 0;
  std::size_t used_ = 0;
  void* base_ = nullptr;
  char* begin_ = nullptr;
  bool pinned_ = false;
};

}  // namespace

std::shared_ptr<void> host_memory(std::size_t bytes) {
  static std::mutex mutex;
  static std::weak_ptr<Chunk> current;  // lives with its pieces
  if (bytes >= chunk_bytes / 4) {
    const auto chunk = std::make_shared<Chunk>(bytes);
    return {chunk, chunk->cut(bytes)};
  }
  const std::lock_guard lock(mutex);
  std::shared_ptr<Chunk> chunk = current.lock();
  char* piece = chunk ? chunk->cut(bytes) : nullptr;
  if (piece == nullptr) {
    chunk = std::make_shared<Chunk>(chunk_bytes);
    current = chunk;
    piece = chunk->cut(bytes);
  }
  return {chunk, piece};
}

std::shared_ptr<void> task_memory(std::size_t bytes) {
  if (!simulated_cluster()) return host_memory(bytes);
  constexpr int folded = STARPU_MALLOC_SIMULATION_FOLDED;
  void* memory = nullptr;
  if (starpu_malloc_flags(&memory, bytes, folded) != 0) throw std::bad_alloc();
  return {memory, [bytes](void* given) { starpu_free_flags(given, bytes, folded); }};
}

}  // namespace asterism

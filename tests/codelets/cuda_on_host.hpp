// SPDX-License-Identifier: Apache-2.0
// Runs device code on the host, one thread block after the other and its threads in turn up to the next barrier. They
// begin as ucontexts and go on by _longjmp, which asks nothing of the system. Enough for kernels that use threadIdx,
// blockIdx, static shared memory and __syncthreads; include it before the kernel. A barrier that not all threads reach
// throws.
#pragma once

#include <setjmp.h>
#include <ucontext.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <stdexcept>
#include <vector>

#define __global__
#define __device__
#define __host__
#define __shared__ static
#define __launch_bounds__(...)
#define __grid_constant__

namespace cuda_on_host {

/// As much as a thread block of an H100 may have, and its begin.
alignas(128) inline char dynamic_shared[227 * 1024];

struct Index {
  unsigned x;
};

/// The thread that runs, and how the others wait.
struct Thread {
  ucontext_t begin;
  jmp_buf barrier;
  bool begun = false;
  bool ended = false;
};
struct Block {
  std::vector<Thread> threads;
  jmp_buf scheduler;
  std::function<void()> body;
  unsigned current = 0;
};
inline Block* running = nullptr;

inline void enter() {
  running->body();
  running->threads[running->current].ended = true;
  _longjmp(running->scheduler, 1);
}

/// Lets the current thread run up to its next barrier, or its end.
inline void go_on() {
  if (_setjmp(running->scheduler) != 0) return;
  Thread& thread = running->threads[running->current];
  if (thread.begun) _longjmp(thread.barrier, 1);
  thread.begun = true;
  setcontext(&thread.begin);
}

}  // namespace cuda_on_host

inline cuda_on_host::Index threadIdx{};
inline cuda_on_host::Index blockIdx{};
inline cuda_on_host::Index blockDim{};

inline void __syncthreads() {
  cuda_on_host::Block& b = *cuda_on_host::running;
  if (_setjmp(b.threads[b.current].barrier) == 0) _longjmp(b.scheduler, 1);
}
template <class T>
T __ldg(const T* p) {
  return *p;
}
template <class T>
T atomicAdd(T* p, T value) {
  const T before = *p;
  *p = before + value;
  return before;
}
inline int __double2hiint(double x) {
  std::int64_t bits;
  std::memcpy(&bits, &x, sizeof(bits));
  return static_cast<int>(bits >> 32);
}

namespace cuda_on_host {

/// Stacks of so many threads, one after the other, kept between launches.
inline constexpr std::size_t stack = 64 * 1024;
inline char* stacks_of(unsigned threads) {
  static std::unique_ptr<char[]> stacks;
  static unsigned most = 0;
  if (threads > most) stacks.reset(new char[stack * (most = threads)]);
  return stacks.get();
}

template <class F>
void launch(unsigned blocks, unsigned threads, F body) {
  char* const stacks = stacks_of(threads);
  blockDim.x = threads;
  for (unsigned block = 0; block < blocks; ++block) {
    Block b;
    b.threads.resize(threads);
    b.body = body;
    running = &b;
    blockIdx.x = block;
    for (unsigned t = 0; t < threads; ++t) {
      ucontext_t& begin = b.threads[t].begin;
      getcontext(&begin);
      begin.uc_stack.ss_sp = &stacks[stack * t];
      begin.uc_stack.ss_size = stack;
      begin.uc_link = nullptr;
      makecontext(&begin, enter, 0);
    }
    for (unsigned alive = threads; alive > 0;) {
      for (unsigned i = 0; i < threads; ++i) {
        const unsigned t = block % 2 == 0 ? i : threads - 1 - i;  // no order is promised
        if (b.threads[t].ended) throw std::logic_error("not all threads of the block reach the barrier");
        b.current = threadIdx.x = t;
        go_on();
        if (b.threads[t].ended) --alive;
      }
      if (alive != 0 && alive != threads) throw std::logic_error("not all threads of the block reach the barrier");
    }
    running = nullptr;
  }
}

/// The same with so many bytes of dynamic shared memory, which begin with numbers that are none: throws if there are
/// fewer, or if what lies behind them is written.
template <class F>
void launch(unsigned blocks, unsigned threads, std::size_t bytes, F body) {
  constexpr char unknown = -1;
  if (bytes > sizeof(dynamic_shared)) throw std::logic_error("more shared memory than there is");
  std::memset(dynamic_shared, unknown, sizeof(dynamic_shared));
  launch(blocks, threads, body);
  for (std::size_t n = bytes; n < sizeof(dynamic_shared); ++n)
    if (dynamic_shared[n] != unknown) throw std::logic_error("written behind the shared memory of the launch");
}

}  // namespace cuda_on_host

// SPDX-License-Identifier: Apache-2.0
// Task submission: the one function through which every flow inserts its tasks.
#pragma once

#include <starpu.h>

#include <cstdlib>
#include <new>
#include <span>
#include <type_traits>
#include <vector>

#include "runtime/codelet.hpp"
#include "runtime/ranks/rank_exchange.hpp"

namespace asterism {

struct TaskOptions {
  int priority = 0;
  double flops = 0;               ///< floating-point operations, for rates and bounds
  int worker = -1;                ///< StarPU's number of the unit to run on; -1: the scheduler decides
  unsigned where = 0;             ///< kinds of units, as STARPU_CPU; 0: all that the codelet is for
  void (*done)(void*) = nullptr;  ///< called with `done_argument` by the unit's thread when the task has ended
  void* done_argument = nullptr;
  int rank = this_rank_runs;  ///< of the cluster, that runs the task
  /// Whether messages bring what the task reads of other ranks, and take to them what it writes. false: its data come
  /// and go by another way, or by exchange_data().
  bool exchange = true;
};

/// Inserts a task that runs `codelet` on the data of `accesses`, in this order, with a copy of `arguments`.
/// Dependencies follow from the access modes and the order of submission. Throws Error: failed when no unit of this
/// machine can run the codelet, bad_input when only a GPU can and has no room for the data.
/// Over several ranks: the rank of `options` runs the task, and the others that call this see to the messages that it
/// needs, and to nothing else; their data that no message is about may be null.
void submit(starpu_codelet& codelet, const void* arguments, std::size_t arguments_size,
            std::span<const Access> accesses, const TaskOptions& options = {});

template <class Arguments>
void submit(starpu_codelet& codelet, const Arguments& arguments, std::span<const Access> accesses,
            const TaskOptions& options = {}) {
  static_assert(std::is_trivially_copyable_v<Arguments>);
  submit(codelet, &arguments, sizeof arguments, accesses, options);
}

template <class Arguments>
void submit(starpu_codelet& codelet, const Arguments& arguments, std::initializer_list<Access> accesses,
            const TaskOptions& options = {}) {
  submit(codelet, arguments, std::span<const Access>(accesses.begin(), accesses.size()), options);
}

/// The same for a Codelet; where it knows its cost, the task's operations are those.
template <class Arguments>
void submit(Codelet& codelet, const Arguments& arguments, std::span<const Access> accesses, TaskOptions options = {}) {
  if (codelet.spec().flops != nullptr) options.flops = codelet.spec().flops(&arguments, accesses);
  submit(codelet.starpu(), arguments, accesses, options);
}

template <class Arguments>
void submit(Codelet& codelet, const Arguments& arguments, std::initializer_list<Access> accesses,
            const TaskOptions& options = {}) {
  submit(codelet, arguments, std::span<const Access>(accesses.begin(), accesses.size()), options);
}

}  // namespace asterism

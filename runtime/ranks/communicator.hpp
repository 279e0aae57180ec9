// SPDX-License-Identifier: Apache-2.0
// All ranks, for a library that calls MPI itself: its messages are apart from those of the task flow.
#pragma once

#include <cstddef>

namespace asterism {

class Communicator {
 public:
  /// All ranks make it, and in the end destroy it, together. There have to be several (RankGroup::distributed()).
  Communicator();
  ~Communicator();
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  /// As Fortran numbers it.
  [[nodiscard]] int number() const noexcept { return number_; }
  /// What rank 0 has there goes to all. Any thread may call it, one at a time, on all ranks in the same order.
  void broadcast(void* values, std::size_t bytes) const;

 private:
  int number_ = 0;
};

}  // namespace asterism

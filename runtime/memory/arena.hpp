// SPDX-License-Identifier: Apache-2.0
// Pieces of one vector that lie next to each other on whichever memory node they are.
//
// StarPU allocates every datum on its own, so a task that needs a whole vector kept in pieces would have to
// copy them together first. An arena reserves the whole vector once on each memory node that holds any of
// its pieces; a piece is a StarPU datum whose place on a node is its offset in that node's reservation.
// A transfer then puts a piece where it belongs, and the task reads one contiguous vector: the paper's
// "we ensure that all the pieces of p get copied in a contiguous fashion on the device" (section 7.2).
#pragma once

#include <starpu.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "runtime/handle.hpp"

namespace asterism {

class Mutex;

/// A vector of doubles in pieces. Must outlive its pieces.
class Arena {
 public:
  explicit Arena(std::size_t elements);
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  /// Elements [offset, offset + elements) as a datum of their own. Throws Error when out of range.
  Handle piece(std::size_t offset, std::size_t elements, const std::string& name, Coordinates where);

  [[nodiscard]] std::size_t size() const noexcept { return elements_; }

  // For the data interface only.
  std::uintptr_t acquire(unsigned node);
  void release(unsigned node);

 private:
  struct Reservation {
    std::uintptr_t base = 0;
    int pieces = 0;
  };
  std::size_t elements_;
  std::unique_ptr<Mutex> mutex_;
  std::array<Reservation, STARPU_MAXNODES> reserved_{};
};

/// What a task sees of a piece; begins like every StarPU interface with its id.
struct ArenaPiece {
  enum starpu_data_interface_id id;
  Arena* arena;
  std::size_t offset;  ///< first element in the arena
  std::size_t elements;
  std::uintptr_t base;  ///< the arena's address on this node, 0 when the piece is not there
};

/// Contiguous elements of a buffer of a task, a piece of an arena or a plain vector.
double* elements_of(void* buffer);
/// Number of those elements.
std::size_t count_of(const void* buffer);
/// Address of element 0 of the vector that the buffer belongs to: the arena's, or the plain vector's own.
const double* window_of(const void* buffer);

}  // namespace asterism

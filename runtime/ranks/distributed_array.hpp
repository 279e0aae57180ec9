// SPDX-License-Identifier: Apache-2.0
// An array of which every rank has some boxes, and copies of any boxes of it: for files, whose chunks and pictures are
// cut elsewhere than the work is. No rank needs room for more than its boxes and what it asks for.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/array.hpp"

namespace asterism {

/// A box of an array of four dimensions, such as components and three axes; the last index is fastest.
struct ArrayBox {
  std::array<std::int64_t, 4> first;
  std::array<std::int64_t, 4> extent;

  [[nodiscard]] std::int64_t size() const { return extent[0] * extent[1] * extent[2] * extent[3]; }
};
/// What lies in both, possibly nothing.
ArrayBox intersection(const ArrayBox& a, const ArrayBox& b);
/// Copies the values in `common`, each of `element` bytes, from those of one box to those of another.
void copy_box(const ArrayBox& from_box, const char* from, const ArrayBox& to_box, char* to, const ArrayBox& common,
              std::size_t element);

class DistributedArray {
 public:
  struct Part {
    ArrayBox box;
    Array<char> values;
  };
  enum class Owners {
    this_process,  ///< has all of the array
    all_ranks,     ///< each has `mine`; all of them make the array and fetch together
  };
  /// Boxes do not overlap; `element`: bytes of a value.
  DistributedArray(std::size_t element, std::vector<Part> mine, Owners owners);

  /// wanted[r]: what rank r wants to have, the same on all ranks. The values of each of this rank's, 0 where nobody has
  /// some; 1 list for Owners::this_process.
  [[nodiscard]] std::vector<Array<char>> fetch(const std::vector<std::vector<ArrayBox>>& wanted) const;
  /// What rank 0 wants; nothing on the others.
  [[nodiscard]] Array<char> fetch_on_rank_0(const ArrayBox& box) const;
  /// How many values of a box are here.
  [[nodiscard]] std::int64_t here(const ArrayBox& box) const;
  [[nodiscard]] std::size_t element() const { return element_; }

 private:
  [[nodiscard]] std::vector<char> message_for(const std::vector<ArrayBox>& wanted) const;

  std::size_t element_;
  std::vector<Part> mine_;
  std::vector<std::vector<ArrayBox>> boxes_;  ///< of every rank
  std::size_t me_ = 0;                        ///< among them
};

}  // namespace asterism

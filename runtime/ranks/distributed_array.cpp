// SPDX-License-Identifier: Apache-2.0
#include "runtime/ranks/distributed_array.hpp"

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

#include "runtime/ranks/ranks.hpp"

namespace asterism {
namespace {

std::size_t place_in(const ArrayBox& box, const std::array<std::int64_t, 4>& at) {
  std::int64_t place = 0;
  for (std::size_t d = 0; d < 4; ++d) place = place * box.extent[d] + at[d] - box.first[d];
  return static_cast<std::size_t>(place);
}

}  // namespace

ArrayBox intersection(const ArrayBox& a, const ArrayBox& b) {
  ArrayBox common{};
  for (std::size_t d = 0; d < 4; ++d) {
    common.first[d] = std::max(a.first[d], b.first[d]);
    const std::int64_t end = std::min(a.first[d] + a.extent[d], b.first[d] + b.extent[d]);
    common.extent[d] = std::max<std::int64_t>(end - common.first[d], 0);
  }
  return common;
}

void copy_box(const ArrayBox& from_box, const char* from, const ArrayBox& to_box, char* to, const ArrayBox& common,
              std::size_t element) {
  if (common.size() == 0) return;
  const std::size_t row = static_cast<std::size_t>(common.extent[3]) * element;
  std::array<std::int64_t, 4> at = common.first;
  for (at[0] = common.first[0]; at[0] < common.first[0] + common.extent[0]; ++at[0])
    for (at[1] = common.first[1]; at[1] < common.first[1] + common.extent[1]; ++at[1])
      for (at[2] = common.first[2]; at[2] < common.first[2] + common.extent[2]; ++at[2])
        std::memcpy(to + place_in(to_box, at) * element, from + place_in(from_box, at) * element, row);
}

DistributedArray::DistributedArray(std::size_t element, std::vector<Part> mine, Owners owners)
    : element_(element), mine_(std::move(mine)) {
  std::vector<ArrayBox> boxes;
  for (const Part& part : mine_) boxes.push_back(part.box);
  if (owners == Owners::this_process) {
    boxes_.push_back(std::move(boxes));
    return;
  }
  boxes_ = rank_group().all_gather(std::span<const ArrayBox>(boxes));
  me_ = static_cast<std::size_t>(rank_group().rank());
}

std::int64_t DistributedArray::here(const ArrayBox& box) const {
  std::int64_t values = 0;
  for (const Part& part : mine_) values += intersection(part.box, box).size();
  return values;
}

/// What is here of these boxes, each part after the other.
std::vector<char> DistributedArray::message_for(const std::vector<ArrayBox>& wanted) const {
  std::vector<char> message;
  for (const ArrayBox& box : wanted)
    for (const Part& part : mine_) {
      const ArrayBox common = intersection(part.box, box);
      const std::size_t at = message.size();
      message.resize(at + static_cast<std::size_t>(common.size()) * element_);
      copy_box(part.box, part.values.data(), common, message.data() + at, common, element_);
    }
  return message;
}

std::vector<Array<char>> DistributedArray::fetch(const std::vector<std::vector<ArrayBox>>& wanted) const {
  const std::vector<ArrayBox>& mine = wanted[me_];
  std::vector<Array<char>> values;
  for (const ArrayBox& box : mine) values.emplace_back(static_cast<std::size_t>(box.size()) * element_);
#pragma omp parallel for schedule(dynamic)
  for (std::size_t w = 0; w < mine.size(); ++w) {
    std::fill(values[w].begin(), values[w].end(), '\0');
    for (const Part& part : mine_)
      copy_box(part.box, part.values.data(), mine[w], values[w].data(), intersection(part.box, mine[w]), element_);
  }
  if (boxes_.size() == 1) return values;
  std::vector<std::vector<char>> to(boxes_.size());
  for (std::size_t rank = 0; rank < to.size(); ++rank)
    if (rank != me_) to[rank] = message_for(wanted[rank]);
  const std::vector<std::vector<char>> from = rank_group().exchange(std::move(to));
  for (std::size_t rank = 0; rank < from.size(); ++rank) {
    if (rank == me_) continue;
    const char* next = from[rank].data();
    for (std::size_t w = 0; w < mine.size(); ++w)
      for (const ArrayBox& box : boxes_[rank]) {
        const ArrayBox common = intersection(box, mine[w]);
        copy_box(common, next, mine[w], values[w].data(), common, element_);
        next += static_cast<std::size_t>(common.size()) * element_;
      }
  }
  return values;
}

Array<char> DistributedArray::fetch_on_rank_0(const ArrayBox& box) const {
  std::vector<std::vector<ArrayBox>> wanted(boxes_.size());
  wanted[0].push_back(box);
  std::vector<Array<char>> values = fetch(wanted);
  return values.empty() ? Array<char>() : std::move(values[0]);
}

}  // namespace asterism

// SPDX-License-Identifier: Apache-2.0
// What the products with slices are added up in: rows of the unknowns, and the sums of those who compute them.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "codelets/tdbem/kernels/product/cache_lines.hpp"
#include "taskflows/tdbem/simulation.hpp"

namespace asterism::tdbem {
namespace {

/// Partial sums where the scheduler decides who computes a block: enough that no unit waits for another's, few enough
/// that adding them up takes no time.
constexpr std::size_t sums_per_unit = 2;
constexpr std::size_t most_sums = 32;

template <class U>
void append(std::vector<char>& bytes, const std::vector<U>& values) {
  const auto at = static_cast<std::size_t>(aligned(static_cast<std::int64_t>(bytes.size())));
  bytes.resize(at + values.size() * sizeof(U));
  if (!values.empty()) std::memcpy(bytes.data() + at, values.data(), values.size() * sizeof(U));
}

}  // namespace

template <class T>
std::vector<Range> Simulation<T>::rows_of_parts() const {
  std::vector<Range> rows;
  if (distributed_sums_ && distributed_sums_->own_rows()) {
    for (const auto& piece : distributed_sums_->pieces())
      rows.push_back({piece.row_begin, piece.row_begin + piece.rows});
    return rows;
  }
  const std::vector<Range>& blocks = matrices_.structure().blocks;
  // one unit does all that follows the products where that is a GPU
  const std::size_t count =
      gpus_.empty() ? std::min({cores_.size(), blocks.size(), static_cast<std::size_t>(codelets::most_parts)}) : 1;
  std::size_t first = 0;
  for (const std::size_t end : equal_rows(blocks, count)) {
    rows.push_back({blocks[first].begin, blocks[end - 1].end});
    first = end;
  }
  return rows;
}

template <class T>
void Simulation<T>::build_parts() {
  const NearPairs<T> pairs = width_ > 1 ? matrices_.near(width_) : NearPairs<T>{};
  for (const Range& part_rows : rows_of_parts()) {
    Part part;
    part.row_begin = part_rows.begin;
    part.rows = part_rows.size();
    const std::string name = fmt::format("rows_{}", parts_.size());
    const auto rows = static_cast<std::size_t>(waves_) * static_cast<std::size_t>(part.rows);
    part.totals_memory = HostBuffer<T>(rows * static_cast<std::size_t>(width_));
    part.totals =
        Handle::temporary(part.totals_memory.data(), part.totals_memory.size(), sizeof(T), "totals_of_" + name);
    for (std::int32_t w = 0; w < waves_; ++w)
      part.incident.push_back(
          Handle::temporary(nullptr, static_cast<std::size_t>(part.rows) * static_cast<std::size_t>(method_.group),
                            sizeof(T), fmt::format("incident_{}_of_{}", w, name))
              .kept_in_memory());
    if (width_ > 1) {
      const NearRows<T> near = near_rows(pairs, part.row_begin, part.rows);
      append(part.near_bytes, near.begin);
      part.radiate.reached = aligned(static_cast<std::int64_t>(part.near_bytes.size()));
      append(part.near_bytes, near.reached);
      part.radiate.column = aligned(static_cast<std::int64_t>(part.near_bytes.size()));
      append(part.near_bytes, near.column);
      part.radiate.values = aligned(static_cast<std::int64_t>(part.near_bytes.size()));
      append(part.near_bytes, near.values);
      part.near_bytes.resize(static_cast<std::size_t>(aligned(static_cast<std::int64_t>(part.near_bytes.size()))));
      part.radiate.work.cells = near.pairs;
      part.radiate.row_begin = part.row_begin;
      part.radiate.rows = part.rows;
      part.radiate.lags = near.lags;
      part.radiate.unknowns = unknowns_;
      part.radiate.group = method_.group;
      part.radiate.waves = waves_;
    }
    parts_.push_back(std::move(part));
  }
  for (std::size_t p = 0; p < parts_.size(); ++p)
    if (!parts_[p].near_bytes.empty())
      parts_[p].near = Handle::temporary(parts_[p].near_bytes.data(), parts_[p].near_bytes.size() / 64, 64,
                                         fmt::format("near_{}", p));
}

template <class T>
typename Simulation<T>::Partial Simulation<T>::partial_of(std::size_t first, std::size_t end, int worker,
                                                          const std::string& name) const {
  const std::vector<Range>& blocks = matrices_.structure().blocks;
  Partial p;
  p.first = first;
  p.end = end;
  p.row_begin = blocks[first].begin;
  p.rows = blocks[end - 1].end - p.row_begin;
  p.worker = worker;
  p.sums = Handle::temporary(nullptr,
                             static_cast<std::size_t>(waves_) * static_cast<std::size_t>(p.rows) *
                                 static_cast<std::size_t>(method_.group),
                             sizeof(T), name)
               .kept_in_memory();
  return p;
}

template <class T>
void Simulation<T>::build_partials() {
  const std::size_t blocks = matrices_.blocks();
  codelets::PartOfBlock largest = matrices_.place(0, 0, blocks);
  product_scratch_ = Handle::temporary(nullptr, codelets::product_scratch_bytes<T>(largest, method_.group, waves_), 1,
                                       "scratch_of_products");
  if (sharing_ == Sharing::scheduler) {
    // products of one partial sum follow each other, in the same order whoever computes them
    const auto own = static_cast<std::size_t>(matrices_.own().size());
    const std::size_t sums = std::min({sums_per_unit * (cores_.size() + gpus_.size()), own, most_sums});
    static_assert(most_sums <= most_partials);
    for (std::size_t s = 0; s < sums; ++s)
      partials_.push_back(partial_of(0, blocks, any_worker, fmt::format("sums_{}", s)));
    return;
  }
  if (!cores_.empty()) {
    std::size_t first = 0;
    const std::size_t cores = std::min(cores_.size(), blocks);
    for (const std::size_t end : equal_rows(matrices_.structure().blocks, cores)) {
      const std::size_t core = partials_.size();
      partials_.push_back(partial_of(first, end, cores_[core], fmt::format("sums_of_core_{}", core)));
      first = end;
    }
  }
  core_partials_ = partials_.size();
  for (std::size_t g = 0; g < gpus_.size(); ++g)
    partials_.push_back(partial_of(0, blocks, gpus_[g], fmt::format("sums_of_gpu_{}", g)));
}

template class Simulation<float>;
template class Simulation<double>;

}  // namespace asterism::tdbem

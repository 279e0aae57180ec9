// SPDX-License-Identifier: Apache-2.0
#include "taskflows/cg/preconditioner/halo_vector.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "base/as_size.hpp"
#include "codelets/cg/codelets.hpp"
#include "runtime/ranks/ranks.hpp"
#include "runtime/submit.hpp"

namespace asterism::cg {

HaloVector::HaloVector(const std::string& name, const Cuts& cuts, const std::vector<Reader>& readers,
                       const Partition& owners)
    : name_(name), cuts_(cuts), owners_(owners) {
  int windows = blocks();
  for (const Reader& reader : readers) windows = std::max(windows, static_cast<int>(reader.rows->size()) - 1);
  arenas_.resize(as_size(windows));
  inputs_.resize(as_size(windows));
  needed_.resize(as_size(windows));
  pieces_.resize(as_size(blocks()));
  index_memory_.resize(as_size(blocks()));
  index_.resize(as_size(blocks()));
  const std::int64_t tags = rank_group().allocate_tags(std::int64_t{windows} * blocks());
  for (int i = 0; i < windows; ++i) {
    const auto [first, last] = own_range(i);
    std::vector<std::int32_t> columns;
    for (const Reader& reader : readers) {
      if (i + 1 >= static_cast<int>(reader.rows->size())) continue;
      const CsrMatrix& a = *reader.matrix;
      if (first == 0 && last == a.n) continue;  // all are its own
      for (std::int64_t row = (*reader.rows)[as_size(i)]; row < (*reader.rows)[as_size(i) + 1]; ++row) {
        // columns ascend: those of others are at both ends
        const std::span<const std::int32_t> of_row(a.column.begin() + a.begin_of(row),
                                                   a.column.begin() + a.begin_of(row + 1));
        for (auto at = of_row.begin(); at != of_row.end() && *at < first; ++at) columns.push_back(*at);
        for (auto at = of_row.rbegin(); at != of_row.rend() && *at >= last; ++at) columns.push_back(*at);
      }
    }
    needed_[as_size(i)] = std::make_unique<NeededColumns>(columns);
    const NeededColumns& needed = *needed_[as_size(i)];
    const auto own = as_size(last - first);
    if (is_here(i)) arenas_[as_size(i)] = std::make_unique<Arena>(own + as_size(needed.size()));
    if (is_here(i) && i < blocks()) {
      owned_.push_back(arenas_[as_size(i)]->piece(0, own, fmt::format("{}[{}]", name, i), Coordinates{i, i}));
      pieces_[as_size(i)] = owned_.back();
      inputs_[as_size(i)].push_back(owned_.back());
    }
    for (int j = 0; j < blocks(); ++j) {
      if (i == j || (!is_here(i) && !is_here(j))) continue;
      std::vector<std::int32_t> of_piece = needed.list(cuts_[as_size(j)], cuts_[as_size(j) + 1]);
      if (of_piece.empty()) continue;
      const auto offset = own + as_size(needed.rank(cuts_[as_size(j)]));
      make_halo(i, j, std::move(of_piece), offset, tags + std::int64_t{i} * blocks() + j);
    }
  }
  for (int j = 0; j < blocks(); ++j) {
    if (index_memory_[as_size(j)].empty()) continue;
    owned_.push_back(Handle::vector(index_memory_[as_size(j)].data(), index_memory_[as_size(j)].size(),
                                    sizeof(std::int32_t), fmt::format("{}_index[{}]", name, j), Coordinates{j, j}));
    index_[as_size(j)] = owned_.back();
  }
}

bool HaloVector::is_here(int k) const {
  return owners_.rank_begin.empty() || owners_.owner(k) == rank_group().rank();
}

std::pair<std::int64_t, std::int64_t> HaloVector::own_range(int i) const {
  if (i >= blocks()) return {0, 0};
  return {cuts_[as_size(i)], cuts_[as_size(i) + 1]};
}

/// What block-row i needs of piece j, in ascending order of i for each j.
void HaloVector::make_halo(int i, int j, std::vector<std::int32_t> columns, std::size_t offset, std::int64_t tag) {
  const std::string name = fmt::format("{}[{}<-{}]", name_, i, j);
  const Coordinates where{j, i};
  Handle halo = is_here(i) ? arenas_[as_size(i)]->piece(offset, columns.size(), name, where)
                           : Handle::vector(nullptr, columns.size(), sizeof(double), name, where);
  if (!is_here(i) || !is_here(j)) halo = std::move(halo).shared(owners_.owner(j), tag);
  halo_[{j, i}] = halo;
  if (is_here(i)) inputs_[as_size(i)].push_back(halo);
  if (is_here(j)) index_memory_[as_size(j)].insert(index_memory_[as_size(j)].end(), columns.begin(), columns.end());
  owned_.push_back(std::move(halo));
}

void HaloVector::exchange() {
  for (int j = 0; j < blocks(); ++j) {
    // x_ij <- the elements of x_j that block-row i needs
    std::vector<Access> accesses;
    if (is_here(j)) accesses = {{index_[as_size(j)], STARPU_R}, {piece(j), STARPU_R}};
    std::int32_t outputs = 0;
    for (auto at = halo_.lower_bound({j, 0}); at != halo_.end() && at->first.first == j; ++at, ++outputs)
      accesses.push_back({at->second, STARPU_W});
    if (outputs == 0) continue;
    if (is_here(j))
      submit(codelets::pack, codelets::PackArgs{outputs}, accesses);
    else
      exchange_data(accesses, owners_.owner(j));
  }
  if (owners_.rank_begin.empty()) return;
  for (const auto& [pair, halo] : halo_)
    if (owners_.owner(pair.first) != owners_.owner(pair.second))
      exchange_data(std::vector<Access>{{halo, STARPU_R}}, owners_.owner(pair.second));
}

}  // namespace asterism::cg

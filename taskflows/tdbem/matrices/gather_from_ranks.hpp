// SPDX-License-Identifier: Apache-2.0
// What every rank has a part of, whole on all of them.
#pragma once

#include <span>
#include <vector>

#include "runtime/ranks/ranks.hpp"

namespace asterism::tdbem {

/// Every rank's values, in the order of the ranks. All ranks call it.
template <class V>
std::vector<V> gather_from_ranks(const std::vector<V>& mine) {
  std::vector<V> all;
  for (const std::vector<V>& part : rank_group().all_gather(std::span<const V>(mine)))
    all.insert(all.end(), part.begin(), part.end());
  return all;
}

}  // namespace asterism::tdbem

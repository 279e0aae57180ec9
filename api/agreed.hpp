// SPDX-License-Identifier: Apache-2.0
// Errors over several processes: what one of them throws before a step that all make together would leave the others
// waiting.
#pragma once

#include <functional>
#include <vector>

#include "base/error.hpp"
#include "runtime/ranks/ranks.hpp"

namespace asterism::v0 {

/// Runs `body`, on all ranks. Where it throws on any of them this throws on all: there what it has thrown, elsewhere an
/// error that names the first such rank and says the same.
void agreed(const std::function<void()>& body);

/// Throws Error (bad_input) on all ranks unless they have the same value.
template <class T, class Same = std::equal_to<T>>
void require_same(const char* what, const T& value, const Same& same = {}) {
  bool differs = false;
  const std::vector<T> all = rank_group().all_gather(value);
  for (const T& other : all) differs = differs || !same(all.front(), other);
  if (differs) bad_input("{}: expected the same on all {} processes", what, all.size());
}

}  // namespace asterism::v0

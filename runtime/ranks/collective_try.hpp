// SPDX-License-Identifier: Apache-2.0
// What all ranks do together, or none of them: a failure of one is everybody's, so that nobody waits for it.
#pragma once

#include <functional>

namespace asterism {

/// Every rank runs its `body`; all have to call this. When some throw, all throw the Error of the first of those, in
/// the order of ranks. With one rank: runs it.
void collective_try(const std::function<void()>& body);

}  // namespace asterism

// SPDX-License-Identifier: Apache-2.0
// The table that the application gave to "hprio" (asterism_hprio.h), and who is to hear of a new one.
#pragma once

#include <functional>
#include <optional>

#include "schedulers/hprio/order.hpp"

namespace asterism::schedulers::hprio {

using Listener = std::function<void(const std::optional<Table>&)>;

/// Calls the listener with the application's table, if it gave one, now and at every change until it leaves.
void listen(const void* who, Listener listener);
void leave(const void* who);

}  // namespace asterism::schedulers::hprio

// SPDX-License-Identifier: Apache-2.0
// The rates that programs keep of this machine.
#pragma once

namespace asterism::apps::platform {

/// Prints them. Returns the exit status.
int show_rates();

/// Forgets them: the next runs measure again. Throws Error (failed) when the file cannot be written.
int forget_rates();

}  // namespace asterism::apps::platform

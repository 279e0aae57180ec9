// SPDX-License-Identifier: Apache-2.0
// The schedulers that SessionOptions::scheduler takes, and Asterism's own for StarPU programs without a session.
#pragma once

#include <asterism/error.hpp>
#include <asterism/export.hpp>
#include <string>
#include <vector>

namespace asterism {
ASTERISM_BEGIN_INTERFACE
namespace schedulers {

/// StarPU's and Asterism's, by name.
ASTERISM_EXPORT std::vector<std::string> names();

/// The file with Asterism's: STARPU_SCHED_LIB of any StarPU program, which then knows hprio, cyclic and others as
/// STARPU_SCHED. Throws Error (failed) when it is not beside the library.
ASTERISM_EXPORT std::string plug_in();

}  // namespace schedulers
ASTERISM_END_INTERFACE
}  // namespace asterism

// SPDX-License-Identifier: Apache-2.0
#include <asterism/schedulers.hpp>
#include <optional>

#include "api/translated.hpp"
#include "runtime/session.hpp"

namespace asterism::v0::schedulers {

std::vector<std::string> names() {
  return translated([] { return scheduler_names(); });
}

std::string plug_in() {
  return translated([] {
    const std::optional<std::string> file = scheduler_library("hprio");
    if (!file || file->empty()) failed("the schedulers of Asterism are not beside its library");
    return *file;
  });
}

}  // namespace asterism::v0::schedulers

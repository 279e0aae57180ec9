// SPDX-License-Identifier: Apache-2.0
#include "schedulers/hprio/interface.hpp"

#include <map>
#include <mutex>

#include "schedulers/asterism_hprio.h"

namespace asterism::schedulers::hprio {
namespace {

/// The application calls before StarPU starts: there is no other place to keep what it said.
struct Said {
  std::mutex mutex;
  std::optional<Table> table;
  std::map<const void*, Listener> listeners;
};
Said& said() {
  static Said said;
  return said;
}
std::string& last_error() {
  static thread_local std::string error;
  return error;
}

}  // namespace

void listen(const void* who, Listener listener) {
  const std::lock_guard lock(said().mutex);
  listener(said().table);
  said().listeners[who] = std::move(listener);
}

void leave(const void* who) {
  const std::lock_guard lock(said().mutex);
  said().listeners.erase(who);
}

}  // namespace asterism::schedulers::hprio

using namespace asterism::schedulers::hprio;

extern "C" [[gnu::visibility("default")]] int asterism_hprio_order(const char* text) {
  std::optional<Table> table;
  if (text != nullptr && *text != '\0') {
    table = parse_table(text);
    last_error() = table->error;
    if (!table->error.empty()) return -1;
  }
  last_error().clear();
  const std::lock_guard lock(said().mutex);
  said().table = std::move(table);
  for (const auto& [who, listener] : said().listeners) listener(said().table);
  return 0;
}

extern "C" [[gnu::visibility("default")]] const char* asterism_hprio_error() {
  return last_error().c_str();
}

// SPDX-License-Identifier: Apache-2.0
#include "io/temporary_files.hpp"

#include <unistd.h>

#include <array>
#include <atomic>
#include <climits>

namespace asterism {
namespace {

// Memory of its own: a handler must not meet a name that is being freed.
struct Slot {
  enum State { free, being_set, set };
  std::atomic<int> state{free};
  pid_t process = 0;
  char path[PATH_MAX] = {};
};
constexpr std::size_t slots = 64;
std::array<Slot, slots> files;

}  // namespace

TemporaryFile::TemporaryFile(const std::string& path) noexcept {
  if (path.size() >= PATH_MAX) return;
  for (std::size_t i = 0; i < slots && slot_ < 0; ++i) {
    Slot& slot = files[i];
    int expected = Slot::free;
    if (!slot.state.compare_exchange_strong(expected, Slot::being_set)) continue;
    path.copy(slot.path, path.size());
    slot.path[path.size()] = '\0';
    slot.process = getpid();
    slot.state = Slot::set;
    slot_ = static_cast<int>(i);
  }
}

TemporaryFile::~TemporaryFile() {
  if (slot_ >= 0) files[static_cast<std::size_t>(slot_)].state = Slot::free;
}

void remove_temporary_files() noexcept {
  for (const Slot& slot : files)
    if (slot.state == Slot::set && slot.process == getpid()) unlink(slot.path);
}

}  // namespace asterism

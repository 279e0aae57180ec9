// SPDX-License-Identifier: Apache-2.0
// What the physics modules of a problem have beside the fields, to and from main memory: arrays of the whole domain,
// window after window, of which every brick has some rows. Over several ranks, each hands over its own, or rank 0 puts
// together what all send.
#include <algorithm>
#include <cstring>
#include <span>

#include "base/array.hpp"
#include "runtime/ranks/ranks.hpp"
#include "taskflows/fdtd/physics/physics.hpp"

namespace asterism::fdtd {
namespace {

/// Numbers of an array that are in memory at a time.
constexpr std::int64_t window_size = std::int64_t{4} << 20;

/// An array of one of the modules.
struct ModuleArray {
  const PhysicsModule& module;
  std::size_t number;
  StateKind kind;

  [[nodiscard]] std::size_t bytes(std::int64_t numbers) const {
    return static_cast<std::size_t>(numbers) * kind.element;
  }
};

ModuleArray array_of(const std::vector<std::unique_ptr<PhysicsModule>>& modules, std::size_t array) {
  std::size_t module = 0;
  std::vector<StateKind> kinds = modules[module]->arrays();
  while (array >= kinds.size()) {
    array -= kinds.size();
    kinds = modules[++module]->arrays();
  }
  return {*modules[module], array, kinds[array]};
}

/// row(numbers of a brick, place, how many) of what lies in [first, first + count).
void for_rows_in(const ModuleArray& array, std::int64_t first, std::int64_t count, starpu_data_access_mode mode,
                 const PhysicsModule::Row& row) {
  array.module.for_rows(array.number, mode, [&](char* numbers, std::int64_t there, std::int64_t length) {
    const std::int64_t from = std::max(there, first);
    const std::int64_t to = std::min(there + length, first + count);
    if (from < to) row(numbers + array.bytes(from - there), from, to - from);
  });
}

struct Header {
  std::int64_t there;
  std::int64_t count;
};

/// Rows, each after its header.
std::vector<char> message_of(const ModuleArray& array, std::int64_t first, std::int64_t count) {
  std::vector<char> message;
  for_rows_in(array, first, count, STARPU_R, [&](const char* numbers, std::int64_t there, std::int64_t length) {
    const Header header{there, length};
    const auto* const bytes = reinterpret_cast<const char*>(&header);
    message.insert(message.end(), bytes, bytes + sizeof header);
    message.insert(message.end(), numbers, numbers + array.bytes(length));
  });
  return message;
}

void put(const ModuleArray& array, std::int64_t first, std::span<const char> message, char* window) {
  for (std::size_t at = 0; at < message.size();) {
    Header header{};
    std::memcpy(&header, message.data() + at, sizeof header);
    at += sizeof header;
    std::memcpy(window + array.bytes(header.there - first), message.data() + at, array.bytes(header.count));
    at += array.bytes(header.count);
  }
}

}  // namespace

std::vector<StateKind> Simulation::auxiliary_arrays() const {
  std::vector<StateKind> all;
  for (const auto& module : modules_)
    for (StateKind& kind : module->arrays()) all.push_back(std::move(kind));
  return all;
}

void Simulation::get_auxiliary(std::size_t number, const WriteNumbers& write) const {
  const ModuleArray array = array_of(modules_, number);
  const bool takes = !dealt_ || rank_group().is_root();
  Array<char> window(takes ? array.bytes(std::min(window_size, array.kind.size)) : 0);
  for (std::int64_t first = 0; first < array.kind.size; first += window_size) {
    const std::int64_t count = std::min(window_size, array.kind.size - first);
    std::vector<char> message;
    if (takes) {
      std::memset(window.data(), 0, array.bytes(count));
      for_rows_in(array, first, count, STARPU_R, [&](const char* numbers, std::int64_t there, std::int64_t length) {
        std::memcpy(window.data() + array.bytes(there - first), numbers, array.bytes(length));
      });
    } else {
      message = message_of(array, first, count);
    }
    if (dealt_)
      rank_group().collect(std::span<const char>(message),
                           [&](int /*rank*/, std::span<const char> part) { put(array, first, part, window.data()); });
    if (takes) write(first, count, window.data());
  }
}

void Simulation::get_auxiliary_here(std::size_t number, const WriteNumbers& write) const {
  if (!dealt_) return get_auxiliary(number, write);
  const ModuleArray array = array_of(modules_, number);
  // rows that follow each other are handed over as one
  Array<char> window(array.bytes(std::min(window_size, array.kind.size)));
  std::int64_t first = 0;
  std::int64_t held = 0;
  const auto hand_over = [&] {
    if (held > 0) write(first, held, window.data());
    held = 0;
  };
  array.module.for_rows(array.number, STARPU_R, [&](const char* numbers, std::int64_t there, std::int64_t count) {
    while (count > 0) {
      if (there != first + held || held == window_size) hand_over();
      if (held == 0) first = there;
      const std::int64_t now = std::min(count, window_size - held);
      std::memcpy(window.data() + array.bytes(held), numbers, array.bytes(now));
      held += now;
      numbers += array.bytes(now);
      there += now;
      count -= now;
    }
  });
  hand_over();
}

void Simulation::set_auxiliary(std::size_t number, const ReadNumbers& read) {
  exchange_again_ = true;
  const ModuleArray array = array_of(modules_, number);
  std::vector<bool> wanted(static_cast<std::size_t>((array.kind.size + window_size - 1) / window_size));
  array.module.for_rows(array.number, STARPU_R, [&](const char* /*numbers*/, std::int64_t there, std::int64_t count) {
    for (std::int64_t window = there / window_size; window * window_size < there + count; ++window)
      wanted[static_cast<std::size_t>(window)] = true;
  });
  Array<char> values(array.bytes(std::min(window_size, array.kind.size)));
  for (std::size_t window = 0; window < wanted.size(); ++window) {
    if (!wanted[window]) continue;
    const std::int64_t first = static_cast<std::int64_t>(window) * window_size;
    const std::int64_t count = std::min(window_size, array.kind.size - first);
    read(first, count, values.data());
    for_rows_in(array, first, count, STARPU_RW, [&](char* numbers, std::int64_t there, std::int64_t length) {
      std::memcpy(numbers, values.data() + array.bytes(there - first), array.bytes(length));
    });
  }
}

std::vector<StateArray> Simulation::auxiliary_state() const {
  std::vector<StateArray> state;
  for (const StateKind& kind : auxiliary_arrays()) {
    StateArray& array = state.emplace_back(StateArray{kind.name, kind.element, {}});
    get_auxiliary(state.size() - 1, [&](std::int64_t first, std::int64_t count, const void* values) {
      array.values.resize(static_cast<std::size_t>(first + count) * kind.element);
      std::memcpy(array.values.data() + static_cast<std::size_t>(first) * kind.element, values,
                  static_cast<std::size_t>(count) * kind.element);
    });
  }
  return state;
}

void Simulation::set_auxiliary_state(const std::vector<StateArray>& state) {
  exchange_again_ = true;
  const std::vector<StateKind> kinds = auxiliary_arrays();
  for (std::size_t a = 0; a < kinds.size(); ++a) {
    const std::size_t element = kinds[a].element;
    const auto found =
        std::find_if(state.begin(), state.end(), [&](const StateArray& array) { return array.name == kinds[a].name; });
    if (found != state.end()) {
      set_auxiliary(a, [&](std::int64_t first, std::int64_t count, void* values) {
        std::memcpy(values, found->values.data() + static_cast<std::size_t>(first) * element,
                    static_cast<std::size_t>(count) * element);
      });
      continue;
    }
    const ModuleArray array = array_of(modules_, a);
    array.module.for_rows(array.number, STARPU_RW, [&](char* numbers, std::int64_t /*there*/, std::int64_t count) {
      std::memset(numbers, 0, array.bytes(count));
    });
  }
}

std::vector<Spectrum> Simulation::spectra() const {
  std::vector<Spectrum> all;
  const std::vector<StateKind> kinds = auxiliary_arrays();
  for (std::size_t m = 0; m < problem_.monitors.size(); ++m) {
    const auto kind =
        std::find_if(kinds.begin(), kinds.end(), [&](const StateKind& k) { return k.name == monitor_array(m); });
    Spectrum spectrum(problem_.monitors[m]);
    get_auxiliary(static_cast<std::size_t>(kind - kinds.begin()), [&](std::int64_t first, std::int64_t count,
                                                                      const void* values) {
      std::memcpy(spectrum.values.data() + first, values, static_cast<std::size_t>(count) * sizeof(double));
    });
    if (!dealt_ || rank_group().is_root()) all.push_back(std::move(spectrum));
  }
  return all;
}

}  // namespace asterism::fdtd

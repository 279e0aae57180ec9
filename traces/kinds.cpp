// SPDX-License-Identifier: Apache-2.0
// Kinds of units, and names for readers, from StarPU's names of workers and what the program marked of its GPUs.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "traces/readers/assembling.hpp"

namespace asterism::traces {
namespace {

constexpr std::string_view vendor = "NVIDIA ";

/// "CUDA1_0" -> kind "CUDA", "1_0"
std::pair<std::string, std::string> split_name(std::string_view name) {
  std::size_t i = 0;
  while (i < name.size() && !(name[i] >= '0' && name[i] <= '9')) ++i;
  std::string kind(name.substr(0, i));
  while (!kind.empty() && (kind.back() == ' ' || kind.back() == '_')) kind.pop_back();
  return {kind.empty() ? "worker" : kind, std::string(name.substr(i))};
}

/// The device of a worker: what stands in its name before the number of its stream.
std::pair<std::uint32_t, std::string> device_of(const Unit& unit) {
  return {unit.rank, unit.name.substr(0, unit.name.find('_'))};
}

/// What the program marked of a GPU, "CUDA 0", without the vendor; empty: nothing.
std::string model_of(const Recording& r, std::uint32_t rank, const std::string& device) {
  const std::string opening = fmt::format("{}{}: ", unit_mark, device);
  for (const Marker& m : r.markers)
    if (m.rank == rank && m.text.starts_with(opening)) {
      const std::string model = m.text.substr(opening.size());
      return model.starts_with(vendor) ? model.substr(vendor.size()) : model;
    }
  return {};
}

void add_device(Kind& kind, std::string_view device) {
  int number = 0;
  const std::string_view digits = device.substr(device.rfind(' ') + 1);
  if (std::from_chars(digits.data(), digits.data() + digits.size(), number).ec != std::errc{}) return;
  if (std::find(kind.devices.begin(), kind.devices.end(), number) == kind.devices.end()) kind.devices.push_back(number);
}

}  // namespace

void name_kinds(Recording& r) {
  std::map<std::pair<std::uint32_t, std::string>, int> of_device;
  for (const Unit& u : r.units) ++of_device[device_of(u)];
  for (Unit& u : r.units) {
    auto [kind, rest] = split_name(u.name);
    const std::size_t bar = rest.find('_');
    const bool alone = of_device[device_of(u)] == 1;
    if (bar != std::string::npos && alone) rest.resize(bar);
    if (bar != std::string::npos && !alone) rest[bar] = '.';
    u.name = rest.empty() ? kind : kind + " " + rest;
    const std::string device = u.name.substr(0, u.name.find('.'));
    const std::string model = model_of(r, u.rank, device);
    if (!model.empty()) kind += fmt::format(" ({})", model);
    const auto known =
        std::find_if(r.kinds.begin(), r.kinds.end(), [&, k = kind](const Kind& other) { return other.name == k; });
    u.kind = static_cast<std::uint32_t>(known - r.kinds.begin());
    if (known == r.kinds.end()) r.kinds.push_back({kind});
    if (!model.empty()) add_device(r.kinds[u.kind], device);
  }
  std::erase_if(r.markers, [](const Marker& m) { return m.text.starts_with(unit_mark); });
}

}  // namespace asterism::traces

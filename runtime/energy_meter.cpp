// SPDX-License-Identifier: Apache-2.0
#include "runtime/energy_meter.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <utility>

namespace asterism {
namespace {

namespace fs = std::filesystem;

std::string line_of(const fs::path& path) {
  std::string line;
  std::getline(std::ifstream(path), line);
  return line;
}

/// Microjoules in a file of Linux's powercap, as joules.
std::optional<double> joules_in(const fs::path& path) {
  std::ifstream file(path);
  double microjoules = 0;
  if (!(file >> microjoules)) return std::nullopt;
  return 1e-6 * microjoules;
}

/// A function of NVML.
template <class... Arguments>
auto function_of(void* library, const char* name) {
  return reinterpret_cast<int (*)(Arguments...)>(dlsym(library, name));
}

}  // namespace

EnergyMeter::EnergyMeter() {
  find_processors();
  find_gpus();
  const bool wraps = std::any_of(counters_.begin(), counters_.end(), [](const Counter& c) { return c.range > 0; });
  if (wraps) watching_ = std::thread([this] { watch(); });
}

EnergyMeter::~EnergyMeter() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  if (watching_.joinable()) watching_.join();
  if (nvml_ == nullptr) return;
  if (const auto shut_down = function_of<>(nvml_, "nvmlShutdown")) shut_down();
  dlclose(nvml_);
}

void EnergyMeter::add(EnergyCount count, std::function<std::optional<double>()> read, double range) {
  if (read()) counters_.push_back({std::move(count), std::move(read), range});
}

/// Zones are called intel-rapl:0, also on processors of AMD, and intel-rapl:0:1 within the first. Only memory is not a
/// part of its package; a zone psys is of everything.
void EnergyMeter::find_processors() {
  const char* const given = std::getenv("ASTERISM_POWERCAP");
  std::error_code error;
  std::vector<fs::path> zones;
  for (const auto& entry : fs::directory_iterator(given != nullptr ? given : "/sys/class/powercap", error))
    if (entry.path().filename().string().starts_with("intel-rapl:")) zones.push_back(entry.path());
  std::sort(zones.begin(), zones.end());
  for (const fs::path& zone : zones) {
    const std::string number = zone.filename();
    const bool within = std::count(number.begin(), number.end(), ':') > 1;
    std::string name = line_of(zone / "name");
    if (within ? name != "dram" : !name.starts_with("package")) continue;
    if (within) name = line_of(zone.parent_path() / number.substr(0, number.rfind(':')) / "name") + " " + name;
    const fs::path counter = zone / "energy_uj";
    add(
        {name}, [counter] { return joules_in(counter); }, joules_in(zone / "max_energy_range_uj").value_or(0));
  }
}

void EnergyMeter::find_gpus() {
  nvml_ = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  if (nvml_ == nullptr) return;
  using Device = void*;
  const auto begin = function_of<>(nvml_, "nvmlInit_v2");
  const auto count_of = function_of<unsigned*>(nvml_, "nvmlDeviceGetCount_v2");
  const auto device_of = function_of<unsigned, Device*>(nvml_, "nvmlDeviceGetHandleByIndex_v2");
  const auto name_of = function_of<Device, char*, unsigned>(nvml_, "nvmlDeviceGetName");
  const auto millijoules_of = function_of<Device, unsigned long long*>(nvml_, "nvmlDeviceGetTotalEnergyConsumption");
  unsigned count = 0;
  if (!begin || !count_of || !device_of || !name_of || !millijoules_of || begin() != 0 || count_of(&count) != 0) return;
  for (unsigned i = 0; i < count; ++i) {
    Device device = nullptr;
    std::array<char, 96> name{};
    if (device_of(i, &device) != 0) continue;
    name_of(device, name.data(), name.size());
    const auto read = [millijoules_of, device]() -> std::optional<double> {
      unsigned long long millijoules = 0;
      if (millijoules_of(device, &millijoules) != 0) return std::nullopt;
      return 1e-3 * static_cast<double>(millijoules);
    };
    add({"GPU " + std::to_string(i) + ": " + name.data(), true}, read, 0);
  }
}

/// Locked. Reads all counters; what they advanced by counts if `counting`.
void EnergyMeter::advance(bool counting) {
  for (Counter& counter : counters_) {
    const std::optional<double> now = counter.lost ? std::nullopt : counter.read();
    counter.lost = !now;
    if (!now) continue;
    if (counting) counter.count.joules += *now - counter.last + (*now < counter.last ? counter.range : 0);
    counter.last = *now;
  }
}

void EnergyMeter::start() {
  const std::lock_guard lock(mutex_);
  advance(std::exchange(counting_, true));
}

void EnergyMeter::stop() {
  const std::lock_guard lock(mutex_);
  advance(std::exchange(counting_, false));
}

std::vector<EnergyCount> EnergyMeter::counts() const {
  const std::lock_guard lock(mutex_);
  std::vector<EnergyCount> counts;
  for (const Counter& counter : counters_)
    if (!counter.lost) counts.push_back(counter.count);
  return counts;
}

void EnergyMeter::watch() {
  constexpr std::chrono::seconds often{20};  // the smallest range is some 65 kJ
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, often, [&] { return ends_; }))
    if (counting_) advance(true);
}

}  // namespace asterism

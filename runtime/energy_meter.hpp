// SPDX-License-Identifier: Apache-2.0
// What the machine itself counts of the energy that it draws: its processors by RAPL, as Linux shows it in
// /sys/class/powercap, and its GPUs by NVML (libnvidia-ml.so.1, which is opened if it is there). Counters are those of
// whole packages and GPUs, whoever uses them. Containers often hide them, and Linux lets root alone read those of
// processors by default: what cannot be read is left out.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace asterism {

struct EnergyCount {
  std::string name;  ///< "package-0", "package-0 dram", "GPU 0: NVIDIA H200"
  bool gpu = false;
  double joules = 0;
};

class EnergyMeter {
 public:
  /// ASTERISM_POWERCAP names another folder than /sys/class/powercap.
  EnergyMeter();
  ~EnergyMeter();
  EnergyMeter(const EnergyMeter&) = delete;
  EnergyMeter& operator=(const EnergyMeter&) = delete;

  /// From start() to stop() joules are added up, as often as they are called.
  void start();
  void stop();
  /// The counters that could be read each time.
  [[nodiscard]] std::vector<EnergyCount> counts() const;

 private:
  struct Counter {
    EnergyCount count;
    std::function<std::optional<double>()> read;  ///< joules since some time in the past
    double range = 0;                             ///< joules after which it begins again at 0; 0: never
    double last = 0;
    bool lost = false;
  };
  void find_processors();
  void find_gpus();
  void add(EnergyCount count, std::function<std::optional<double>()> read, double range);
  void advance(bool counting);
  void watch();

  std::vector<Counter> counters_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool counting_ = false;
  bool ends_ = false;
  void* nvml_ = nullptr;
  std::thread watching_;  ///< reads often enough that no counter goes round twice
};

}  // namespace asterism

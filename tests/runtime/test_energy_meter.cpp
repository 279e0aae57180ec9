// SPDX-License-Identifier: Apache-2.0
// Counters of energy: a folder as Linux's powercap has it, and an NVML of GPUs that do not exist (fake_nvml.cpp).
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "runtime/energy_meter.hpp"

namespace asterism {
namespace {

namespace fs = std::filesystem;

class Energy : public testing::Test {
 protected:
  Energy() {
    fs::create_directories(folder_);
    setenv("ASTERISM_POWERCAP", folder_.c_str(), 1);
    setenv("FAKE_NVML", (folder_ / "gpu").c_str(), 1);
  }
  ~Energy() override {
    fs::remove_all(folder_);
    unsetenv("ASTERISM_POWERCAP");
    unsetenv("FAKE_NVML");
  }
  void zone(const std::string& number, const std::string& name, double joules, double range = 65000) const {
    fs::create_directories(folder_ / number);
    write(number + "/name", name);
    write(number + "/max_energy_range_uj", std::to_string(static_cast<long long>(1e6 * range)));
    draw(number, joules);
  }
  /// The counter stands at so many joules.
  void draw(const std::string& number, double joules) const {
    write(number + "/energy_uj", std::to_string(static_cast<long long>(1e6 * joules)));
  }
  void write(const std::string& file, const std::string& text) const { std::ofstream(folder_ / file) << text << "\n"; }

  fs::path folder_ = fs::temp_directory_path() / ("energy_test_" + std::to_string(getpid()));
};

TEST_F(Energy, PackagesAndTheirMemoryFromStartToStop) {
  zone("intel-rapl:0", "package-0", 100);
  zone("intel-rapl:0:0", "core", 50);  // a part of the package
  zone("intel-rapl:0:1", "dram", 10);
  zone("intel-rapl:1", "package-1", 64990);
  zone("intel-rapl:2", "psys", 1000);
  zone("dtpm", "package-9", 1000);
  EnergyMeter meter;
  draw("intel-rapl:0", 200);
  meter.start();
  draw("intel-rapl:0", 230);
  draw("intel-rapl:0:1", 12.5);
  draw("intel-rapl:1", 20);  // went round
  meter.stop();
  draw("intel-rapl:0", 1000);
  meter.start();
  draw("intel-rapl:0", 1001);
  meter.stop();
  const std::vector<EnergyCount> counts = meter.counts();
  ASSERT_EQ(counts.size(), 3U);
  const EnergyCount expected[] = {{"package-0", false, 31}, {"package-0 dram", false, 2.5}, {"package-1", false, 30}};
  for (std::size_t i = 0; i < counts.size(); ++i) {
    EXPECT_EQ(counts[i].name, expected[i].name);
    EXPECT_FALSE(counts[i].gpu);
    EXPECT_NEAR(counts[i].joules, expected[i].joules, 1e-6) << counts[i].name;
  }
}

TEST_F(Energy, GpusThatTell) {
  write("gpu", "5000");
  EnergyMeter meter;
  meter.start();
  write("gpu", "5750");
  meter.stop();
  ASSERT_EQ(meter.counts().size(), 1U);
  EXPECT_EQ(meter.counts()[0].name, "GPU 0: Fake GPU");
  EXPECT_TRUE(meter.counts()[0].gpu);
  EXPECT_NEAR(meter.counts()[0].joules, 0.75, 1e-9);
}

TEST_F(Energy, WhatCannotBeReadIsLeftOut) {
  zone("intel-rapl:0", "package-0", 1);
  zone("intel-rapl:1", "package-1", 1);
  fs::remove(folder_ / "intel-rapl:1" / "energy_uj");
  EnergyMeter meter;
  ASSERT_EQ(meter.counts().size(), 1U);
  meter.start();
  fs::remove(folder_ / "intel-rapl:0" / "energy_uj");
  meter.stop();
  EXPECT_TRUE(meter.counts().empty());
  setenv("ASTERISM_POWERCAP", (folder_ / "nowhere").c_str(), 1);
  EXPECT_TRUE(EnergyMeter().counts().empty());
}

}  // namespace
}  // namespace asterism

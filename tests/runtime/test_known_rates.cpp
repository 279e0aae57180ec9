// SPDX-License-Identifier: Apache-2.0
// Rates of a machine: kept once, for one machine, in a file that several programs write.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <sstream>

#include "runtime/environment.hpp"
#include "runtime/machine/known_rates.hpp"

namespace {

namespace fs = std::filesystem;
using asterism::KnownRates;

class KnownRatesTest : public testing::Test {
 protected:
  KnownRatesTest() { fs::create_directories(folder_); }
  ~KnownRatesTest() override {
    std::error_code ignored;
    fs::permissions(folder_, fs::perms::owner_all, ignored);
    fs::remove_all(folder_, ignored);
  }
  [[nodiscard]] KnownRates rates() const { return {file_, machine_}; }
  [[nodiscard]] std::string text() const {
    std::ostringstream text;
    text << std::ifstream(file_).rdbuf();
    return text.str();
  }

  const fs::path folder_ = fs::temp_directory_path() / ("known_rates_" + std::to_string(getpid()));
  const fs::path file_ = folder_ / "cache" / "rates.json";
  const asterism::RatedMachine machine_{"host", "processor", 4, {"GPU"}, "driver", "13000", "1.0"};
};

TEST_F(KnownRatesTest, TwoSignificantDigitsAreKept) {
  EXPECT_EQ(rates().find("copy"), std::nullopt);
  EXPECT_EQ(rates().keep("copy", 1.2749e9), 1.3e9);
  EXPECT_EQ(rates().find("copy"), 1.3e9);
  EXPECT_EQ(rates().keep("task", 3.14159e-6), 3.1e-6);
  EXPECT_EQ(rates().keep("nothing", 0), 0);
  EXPECT_EQ(rates().all().size(), 3U);
}

TEST_F(KnownRatesTest, TheFirstValueStays) {
  KnownRates one = rates();
  KnownRates other = rates();
  EXPECT_EQ(one.keep("copy", 1e9), 1e9);
  EXPECT_EQ(one.keep("copy", 2e9), 1e9);
  // of another program that had read the file before
  EXPECT_EQ(other.find("copy"), std::nullopt);
  EXPECT_EQ(other.keep("copy", 3e9), 1e9);
  EXPECT_EQ(other.find("copy"), 1e9);
}

TEST_F(KnownRatesTest, WhatIsKnownIsNotMeasured) {
  int measured = 0;
  const auto measure = [&] {
    ++measured;
    return 5.0;
  };
  EXPECT_EQ(rates().find_or_measure("copy", measure), 5);
  EXPECT_EQ(rates().find_or_measure("copy", measure), 5);
  EXPECT_EQ(measured, 1);
}

TEST_F(KnownRatesTest, WhatIsNoRateIsNotKept) {
  EXPECT_EQ(rates().keep("copy", std::numeric_limits<double>::infinity()), std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(rates().keep("copy", std::nan(""))));
  EXPECT_EQ(rates().keep("copy", -1), -1);
  EXPECT_FALSE(fs::exists(file_));
}

TEST_F(KnownRatesTest, EveryMachineHasItsOwn) {
  rates().keep("copy", 1);
  for (const auto& change : std::vector<void (*)(asterism::RatedMachine&)>{
           [](auto& m) { m.host = "elsewhere"; }, [](auto& m) { m.processor = "newer"; }, [](auto& m) { m.cores = 3; },
           [](auto& m) { m.gpus.clear(); }, [](auto& m) { m.driver = "newer"; }, [](auto& m) { m.runtime = "newer"; },
           [](auto& m) { m.version = "1.1"; }}) {
    asterism::RatedMachine other = machine_;
    change(other);
    EXPECT_EQ(KnownRates(file_, other).find("copy"), std::nullopt);
    EXPECT_EQ(KnownRates(file_, other).keep("copy", 2), 2);
  }
  EXPECT_EQ(rates().find("copy"), 1);
}

TEST_F(KnownRatesTest, ProgramsThatWriteAtOnceLoseNothing) {
  constexpr int programs = 8;
  constexpr int names = 10;
  std::vector<pid_t> children;
  for (int p = 0; p < programs; ++p) {
    const pid_t child = fork();
    if (child == 0) {
      KnownRates own = rates();
      for (int n = 0; n < names; ++n) own.keep(std::to_string(p) + "/" + std::to_string(n), p + 1);
      _exit(0);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(rates().all().size(), static_cast<std::size_t>(programs * names));
  EXPECT_EQ(std::distance(fs::directory_iterator(file_.parent_path()), fs::directory_iterator()), 1);
}

TEST_F(KnownRatesTest, ADamagedFileIsReplaced) {
  fs::create_directories(file_.parent_path());
  rates().keep("copy", 1);
  const std::string whole = text();
  for (const std::string& damaged :
       {std::string(), whole.substr(0, whole.size() / 2), std::string("[1, 2]"), std::string("{\"machines\": 3}"),
        std::string("{\"machines\": [7, {\"machine\": 1}, {}]}"), std::string(100, '\0')}) {
    std::ofstream(file_) << damaged;
    EXPECT_EQ(rates().find("copy"), std::nullopt) << damaged;
    EXPECT_EQ(rates().keep("copy", 2), 2) << damaged;
    EXPECT_EQ(rates().find("copy"), 2) << damaged;
  }
}

TEST_F(KnownRatesTest, AFileThatCannotBeWrittenIsNoError) {
  std::ofstream(folder_ / "file") << "no folder";
  KnownRates nowhere(folder_ / "file" / "rates.json", machine_);
  EXPECT_EQ(nowhere.keep("copy", 1), 1);
  EXPECT_EQ(nowhere.find("copy"), 1);
  EXPECT_FALSE(nowhere.forget());
  KnownRates without({}, machine_);
  EXPECT_EQ(without.keep("copy", 1), 1);
  EXPECT_EQ(without.find("copy"), 1);
  EXPECT_TRUE(without.forget());
  EXPECT_EQ(without.find("copy"), std::nullopt);
}

TEST_F(KnownRatesTest, ForgettingIsOfOneMachine) {
  asterism::RatedMachine other = machine_;
  other.cores = 1;
  rates().keep("copy", 1);
  KnownRates(file_, other).keep("copy", 2);
  EXPECT_TRUE(rates().forget());
  EXPECT_EQ(rates().find("copy"), std::nullopt);
  EXPECT_EQ(KnownRates(file_, other).find("copy"), 2);
}

TEST_F(KnownRatesTest, TheEnvironmentSaysWhere) {
  asterism::Environment environment;
  environment.set("ASTERISM_RATES", std::nullopt);
  environment.set("ASTERISM_CACHE", "/one");
  environment.set("XDG_CACHE_HOME", "/two");
  environment.set("HOME", "/three");
  EXPECT_EQ(asterism::known_rates().file(), "/one/rates.json");
  environment.set("ASTERISM_CACHE", std::nullopt);
  EXPECT_EQ(asterism::known_rates().file(), "/two/asterism/rates.json");
  environment.set("XDG_CACHE_HOME", std::nullopt);
  EXPECT_EQ(asterism::known_rates().file(), "/three/.cache/asterism/rates.json");
  environment.set("HOME", std::nullopt);
  EXPECT_EQ(asterism::known_rates().file(), "");
  environment.set("ASTERISM_RATES", "here.json");
  EXPECT_EQ(asterism::known_rates().file(), "here.json");
  environment.set("ASTERISM_RATES", "off");
  EXPECT_EQ(asterism::known_rates().file(), "");
}

TEST_F(KnownRatesTest, TheMachineAtHandIsDescribed) {
  const asterism::RatedMachine& machine = asterism::rated_machine();
  EXPECT_FALSE(machine.host.empty());
  EXPECT_FALSE(machine.version.empty());
  EXPECT_GE(machine.cores, 1);
  EXPECT_EQ(machine.gpus.empty(), machine.driver.empty());
}

}  // namespace

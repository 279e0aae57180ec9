// SPDX-License-Identifier: Apache-2.0
// --simulate of the ordinary programs: they go on as the programs for simulated machines, for which a script stands
// here that prints its arguments.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/apps/run_program.hpp"

namespace {

namespace fs = std::filesystem;
using namespace asterism::tests;

const std::string good =
    "description = \"a machine\"\n[cpu]\ncores = 2\nrates = { flops = 1e9, bytes = 1e9, seconds = 1e-6 }\n";

class Simulate : public ProgramTest, public testing::WithParamInterface<std::string> {
 protected:
  Simulate() : Simulate(std::string(PROGRAMS) + "/" + GetParam()) {}
  ~Simulate() override { unsetenv("ASTERISM_SIMULATED"); }

  /// Makes the program that the ordinary one is to become.
  void install_sibling() const {
    const fs::path script = folder_ / GetParam();
    file("#!/bin/sh\necho simulated\nprintf '<%s>\\n' \"$@\"\nexit 7\n", GetParam());
    fs::permissions(script, fs::perms::owner_all);
    setenv("ASTERISM_SIMULATED", folder_.c_str(), 1);
  }
  void expect_handed_over(const Arguments& arguments, const Arguments& as) const {
    const Ran ran = run(arguments);
    EXPECT_EQ(ran.status, 7) << ran.err;
    std::string expected = "simulated\n";
    for (const std::string& argument : as) expected += "<" + argument + ">\n";
    EXPECT_EQ(ran.out, expected);
  }

 private:
  explicit Simulate(const std::string& program) : ProgramTest(GetParam(), "NO_SUCH_VARIABLE", program, {}) {}
};

/// Options without which the program would have nothing to do.
Arguments something(const std::string& program) {
  if (program == "asterism-cg") return {"--stencil", "7pts-4"};
  return {};
}

TEST_P(Simulate, HandsOver) {
  install_sibling();
  const std::string platform = file(good, "machine.toml").string();
  Arguments all = something(GetParam());
  const Arguments rest = all;
  all.insert(all.begin(), {"--gpus", "0", "--simulate", platform});
  Arguments expected{"--gpus", "0"};
  expected.insert(expected.end(), rest.begin(), rest.end());
  expected.insert(expected.end(), {"--simulate", platform});
  expect_handed_over(all, expected);
  all = rest;
  all.push_back("--simulate=" + platform);
  expected.erase(expected.begin(), expected.begin() + 2);
  expect_handed_over(all, expected);
}

TEST_P(Simulate, PlatformsByName) {
  install_sibling();
  const fs::path shipped = fs::canonical(fs::path(PROGRAMS) / "../share/asterism/machines/h200x4.toml");
  Arguments arguments = something(GetParam());
  Arguments expected = arguments;
  arguments.insert(arguments.end(), {"--simulate", "h200x4"});
  expected.insert(expected.end(), {"--simulate", shipped.string()});
  expect_handed_over(arguments, expected);
  arguments.back() = "h300";
  expect_bad_input(arguments, {"--simulate h300", "h200x4"});
  arguments.back() = "missing.toml";
  expect_bad_input(arguments, {"missing.toml", "no such file"});
}

TEST_P(Simulate, SaysWhatIsMissing) {
  setenv("ASTERISM_SIMULATED", (folder_ / "none").c_str(), 1);
  Arguments arguments = something(GetParam());
  arguments.insert(arguments.end(), {"--simulate", file(good, "machine.toml").string()});
  const Ran ran = run(arguments);
  EXPECT_EQ(ran.status, 2);
  expect_one_line(ran.err, {GetParam(), "scripts/build --simulated"});
}

INSTANTIATE_TEST_SUITE_P(Solvers, Simulate,
                         testing::Values("asterism-cg", "asterism-fmm", "asterism-lbm", "asterism-fdtd",
                                         "asterism-tdbem"),
                         [](const auto& info) { return info.param.substr(info.param.find('-') + 1); });

TEST(SimulateCommands, AreKept) {
  const fs::path folder = fs::temp_directory_path() / ("simulate_test_" + std::to_string(getpid()));
  fs::create_directories(folder);
  std::ofstream(folder / "asterism-fdtd") << "#!/bin/sh\nprintf '<%s>' \"$@\"\n";
  fs::permissions(folder / "asterism-fdtd", fs::perms::owner_all);
  std::ofstream(folder / "machine.toml") << good;
  std::ofstream(folder / "run.toml") << "simulate = \"" << (folder / "machine.toml").string() << "\"\n";
  const auto output_of = [&](const std::string& arguments) {
    const std::string command =
        "ASTERISM_SIMULATED='" + folder.string() + "' '" PROGRAMS "/asterism-fdtd' " + arguments + " 2>&1";
    FILE* const pipe = popen(command.c_str(), "r");
    std::string text;
    for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) text += static_cast<char>(c);
    pclose(pipe);
    return text;
  };
  const std::string platform = (folder / "machine.toml").string();
  EXPECT_EQ(output_of("farm --simulate '" + platform + "' --size 20"),
            "<farm><--size><20><--simulate><" + platform + ">");
  const std::string config = (folder / "run.toml").string();
  EXPECT_EQ(output_of("--size 20 --config '" + config + "'"),
            "<--size><20><--config><" + config + "><--simulate><" + platform + ">");
  fs::remove_all(folder);
}

}  // namespace

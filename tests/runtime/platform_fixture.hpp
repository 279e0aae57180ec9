// SPDX-License-Identifier: Apache-2.0
// A platform file for tests, and a folder to read it from.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "base/error.hpp"
#include "runtime/machine/platform.hpp"

namespace asterism {

namespace fs = std::filesystem;

inline const char* const good = R"(description = "a machine"
[cpu]
cores = 6
model = "a core"
rates = { flops = 2e9, bytes = 4e9, seconds = 1e-6 }
[gpu]
count = 2
model = "a GPU"
memory = 3e9
rates = { flops = 1e12, bytes = 5e11, seconds = 1e-5 }
[bus]
to_gpu = [{ bandwidth = 1e10, latency = 1e-5 }, { bandwidth = 2e10, latency = 2e-5 }]
from_gpu = { bandwidth = 3e10, latency = 3e-5 }
shared = 2.5e10
peer = { bandwidth = 5e10, latency = 5e-6 }
[codelets.product]
gpu = { flops = 2e12 }
[codelets.product_double]
gpu = { bytes = 1e11, seconds = 2e-5 }
cpu = "none"
[codelets.measured]
cpu = { by = "bytes", samples = [[1e3, 1e-4], [1e5, 1e-2]], classes = [["a1", 0.5]] }
[codelets.both]
cpu = { flops = 1e9, bytes = 1e9 }
[codelets.copied]
gpu = { flops = 1e12, chunk = 1e-7 }
)";

/// The platform `good` with two kinds of GPUs instead of one: one GPU, then two half as fast.
inline std::string with_two_kinds() {
  std::string text = good;
  const auto replace = [&](const std::string& what, const std::string& instead) {
    const std::size_t at = text.find(what);
    EXPECT_NE(at, std::string::npos) << what;
    text.replace(at, what.size(), instead);
  };
  replace("[gpu]\ncount = 2", "[[gpu]]\ncount = 1");
  replace("[bus]\n", R"([[gpu]]
count = 2
model = "a smaller GPU"
memory = 1e9
rates = { flops = 5e11, bytes = 2.5e11, seconds = 2e-5 }
[bus]
)");
  replace("latency = 2e-5 }]", "latency = 2e-5 }, { bandwidth = 2e10, latency = 4e-5 }]");
  replace("gpu = { flops = 2e12 }", "gpu = [{ flops = 2e12 }, { flops = 1e12 }]");
  return text;
}

class PlatformTest : public testing::Test {
 protected:
  PlatformTest() { fs::create_directories(folder_); }
  ~PlatformTest() override { fs::remove_all(folder_); }

  fs::path file(const std::string& text) const {
    const fs::path path = folder_ / "box.toml";
    std::ofstream(path) << text;
    return path;
  }
  Platform read(const std::string& text) const { return read_platform(file(text)); }
  /// `good` with its first `what` replaced.
  static std::string with(const std::string& what, const std::string& instead) {
    std::string text = good;
    const std::size_t at = text.find(what);
    EXPECT_NE(at, std::string::npos) << what;
    return text.replace(at, what.size(), instead);
  }
  /// What the error says, which is bad input in one line.
  std::string complaint(const std::string& text) const {
    try {
      read(text);
    } catch (const Error& error) {
      EXPECT_EQ(error.exit_status(), 2);
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
      return error.what();
    }
    return "none";
  }
  void expect_complaint(const std::string& text, const std::string& about) const {
    const std::string says = complaint(text);
    EXPECT_NE(says.find(about), std::string::npos) << says;
    EXPECT_NE(says.find("box.toml"), std::string::npos) << says;
  }

  fs::path folder_ = fs::temp_directory_path() / ("platform_test_" + std::to_string(getpid()));
};
}  // namespace asterism

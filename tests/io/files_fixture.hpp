// SPDX-License-Identifier: Apache-2.0
// What the tests of files share: a folder of the test's own, a disk that is full, and checks of complaints.
#pragma once

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "base/error.hpp"

namespace asterism {

namespace fs = std::filesystem;

class FileTests : public testing::Test {
 protected:
  FileTests() : folder_(fs::temp_directory_path() / fmt::format("asterism_files_{}", getpid())) {
    fs::remove_all(folder_);
    fs::create_directory(folder_);
  }
  ~FileTests() override { fs::remove_all(folder_); }

  fs::path file(const std::string& name, const std::string& bytes) const {
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
    return folder_ / name;
  }
  std::string bytes(const fs::path& path) const {
    std::ostringstream out;
    out << std::ifstream(path, std::ios::binary).rdbuf();
    return out.str();
  }

  const fs::path folder_;
};

/// No file grows beyond a number of bytes, as on a full disk.
class FullDisk {
 public:
  explicit FullDisk(std::size_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit small = {.rlim_cur = bytes, .rlim_max = before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &small);
  }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;
  ~FullDisk() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_{};
  void (*handler_)(int);
};

/// The call throws an error of this kind, one line that holds every fragment.
template <class Call>
void expect_error(Error::Kind kind, Call call, const std::vector<std::string>& fragments) {
  try {
    call();
    ADD_FAILURE() << "accepted; expected a complaint with: " << testing::PrintToString(fragments);
  } catch (const Error& error) {
    const std::string message = error.what();
    EXPECT_EQ(error.kind(), kind) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    for (const std::string& fragment : fragments) EXPECT_NE(message.find(fragment), std::string::npos) << message;
  }
}

template <class Call>
void expect_bad_input(Call call, const std::vector<std::string>& fragments) {
  expect_error(Error::Kind::bad_input, call, fragments);
}

}  // namespace asterism

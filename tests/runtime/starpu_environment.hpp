// SPDX-License-Identifier: Apache-2.0
// StarPU for a program of tests: started once, with the scheduler that STARPU_SCHED names.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <memory>

#include "runtime/session.hpp"

namespace asterism {

class Runtime : public testing::Environment {
 public:
  void SetUp() override {
    alarm(limit_seconds);
    session_ = std::make_unique<Session>(SessionOptions{});
  }
  void TearDown() override {
    session_.reset();
    alarm(0);
  }
  static const Session& session() { return *session_; }

 private:
  static constexpr unsigned limit_seconds = 800;  ///< a hang ends the program
  static inline std::unique_ptr<Session> session_;
};
[[maybe_unused]] inline const auto* const runtime = testing::AddGlobalTestEnvironment(new Runtime);

}  // namespace asterism

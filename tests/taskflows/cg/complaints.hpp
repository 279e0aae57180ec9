// SPDX-License-Identifier: Apache-2.0
// What the readers and makers of matrices complain about.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "base/error.hpp"

namespace asterism::cg {

/// The one line of the bad_input that `action` throws.
inline std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::bad_input);
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
    return error.what();
  }
  return "no error";
}

}  // namespace asterism::cg

// SPDX-License-Identifier: Apache-2.0
// The one error type of Asterism. what() is a single line naming the file, line, option or call that
// failed, what was found and what was expected; the kind decides the exit status of a program.
#pragma once

#include <fmt/format.h>

#include <cerrno>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

namespace asterism {

class Error : public std::runtime_error {
 public:
  enum class Kind {
    bad_input,  ///< the user's file, option or data is wrong: exit status 2
    failed,     ///< the run failed or its answer is wrong: exit status 1
  };

  Error(Kind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}

  [[nodiscard]] Kind kind() const noexcept { return kind_; }
  [[nodiscard]] int exit_status() const noexcept { return kind_ == Kind::bad_input ? 2 : 1; }

 private:
  Kind kind_;
};

/// Throws a bad-input error; the arguments are those of fmt::format.
template <class... Args>
[[noreturn]] void bad_input(fmt::format_string<Args...> format, Args&&... args) {
  throw Error(Error::Kind::bad_input, fmt::format(format, std::forward<Args>(args)...));
}

/// Throws a failure of the run itself; the arguments are those of fmt::format.
template <class... Args>
[[noreturn]] void failed(fmt::format_string<Args...> format, Args&&... args) {
  throw Error(Error::Kind::failed, fmt::format(format, std::forward<Args>(args)...));
}

/// What the system says of an errno; one that was not set (0) is an input or output error.
inline std::string system_message(int error) {
  return std::generic_category().message(error == 0 ? EIO : error);
}

}  // namespace asterism

// SPDX-License-Identifier: Apache-2.0
// Numbers of the CSV files that runs of scenes write.
#pragma once

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>

#include "base/error.hpp"

namespace asterism::fdtd {

/// The number at the beginning of a text, which is shortened by it and by the comma that follows. Throws Error.
inline double take_number(std::string_view& text, const std::string& where) {
  double value = 0;
  const auto [next, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const auto length = static_cast<std::size_t>(next - text.data());
  if (error != std::errc{} || (length < text.size() && text[length] != ','))
    bad_input("{}: found \"{}\"; expected a number", where, text);
  text.remove_prefix(std::min(length + 1, text.size()));
  return value;
}

}  // namespace asterism::fdtd

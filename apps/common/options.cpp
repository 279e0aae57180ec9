// SPDX-License-Identifier: Apache-2.0
#include "apps/common/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>

#include "base/error.hpp"

namespace asterism::apps {

std::array<int, 3> triple(const std::string& option, const std::string& text) {
  std::array<int, 3> n{};
  std::size_t count = 0;
  std::string_view rest = text;
  for (;;) {
    const std::string_view part = rest.substr(0, rest.find('x'));
    const auto [end, error] =
        std::from_chars(part.data(), part.data() + part.size(), n[std::min<std::size_t>(count, 2)]);
    if (error != std::errc{} || end != part.data() + part.size() || ++count > 3)
      bad_input("{} {}: expected N or NxMxK", option, text);
    if (part.size() == rest.size()) break;
    rest.remove_prefix(part.size() + 1);
  }
  if (count == 1) n[1] = n[2] = n[0];
  if (count == 2) bad_input("{} {}: expected N or NxMxK", option, text);
  for (const int i : n)
    if (i < 1) bad_input("{} {}: expected positive numbers", option, text);
  return n;
}

std::optional<double> share_of_gpus(const std::string& option, const std::string& text) {
  if (text == "auto") return std::nullopt;
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !(value >= 0 && value <= 1))
    bad_input("{} {}: expected auto or a number from 0 to 1", option, text);
  return value;
}

std::size_t face_of(const std::string& option, const std::string& text) {
  const std::size_t f =
      text.size() < 3 || text[2] != '=' ? std::string::npos : std::string_view("-x+x-y+y-z+z").find(text.substr(0, 2));
  if (f == std::string_view::npos || f % 2 != 0)
    bad_input("{} {}: expected -x=, +x=, -y=, +y=, -z= or +z= first", option, text);
  return f / 2;
}

namespace {

CLI::Validator number_that(bool (*fits)(double), const char* expected) {
  return CLI::Validator(
      [fits, expected](const std::string& text) {
        double value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        const bool number = error == std::errc{} && end == text.data() + text.size() && std::isfinite(value);
        return number && fits(value) ? std::string() : fmt::format("{}: expected {}", text, expected);
      },
      "");
}

}  // namespace

CLI::Validator positive_number() {
  return number_that([](double value) { return value > 0; }, "a number above 0");
}

CLI::Validator bytes_of_a_machine() {
  return number_that([](double value) { return value > 0 && value <= 0x1p60; }, "at most 2^60 bytes");
}

CLI::Validator not_negative_number() {
  return number_that([](double value) { return value >= 0; }, "a number not below 0");
}

}  // namespace asterism::apps

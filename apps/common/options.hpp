// SPDX-License-Identifier: Apache-2.0
// Values of options that several programs take.
#pragma once

#include <CLI/CLI.hpp>
#include <array>
#include <cstddef>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace asterism::apps {

// All throw Error (bad input) naming the option, what was found and what was expected.

/// "64" or "512x512x128".
std::array<int, 3> triple(const std::string& option, const std::string& text);
/// A number from 0 to 1; none: "auto".
std::optional<double> share_of_gpus(const std::string& option, const std::string& text);
/// Of "-x=...", "+x=...", "-y=...": 0, 1, 2, ... The value begins at character 3.
std::size_t face_of(const std::string& option, const std::string& text);

/// An option that takes the name of one of `values`, as name_of says it.
template <class Target, class Enum>
CLI::Option* add_choice(CLI::Option_group* group, const std::string& option, Target& target, const std::string& help,
                        std::initializer_list<Enum> values) {
  std::map<std::string, Enum> by_name;
  for (const Enum value : values) by_name.emplace(name_of(value), value);
  std::vector<std::string> names;
  for (const Enum value : values) names.push_back(name_of(value));
  return group
      ->add_option_function<std::string>(
          option, [&target, by_name](const std::string& name) { target = by_name.at(name); }, help)
      ->check(CLI::IsMember(names));
}

/// For CLI11's check(): a finite number above 0, or not below it. CLI11's own print the largest double in their
/// complaints.
CLI::Validator positive_number();
CLI::Validator not_negative_number();
/// Bytes, as a number, of at most 2^60: CLI11 makes the largest integer of numbers that are larger.
CLI::Validator bytes_of_a_machine();

}  // namespace asterism::apps

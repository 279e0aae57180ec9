// SPDX-License-Identifier: Apache-2.0
#include "io/text_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <sstream>
#include <system_error>

namespace asterism {

std::string in_quotes(std::string_view word) {
  constexpr std::size_t longest = 40;
  std::string shown(word.substr(0, longest));
  std::replace_if(
      shown.begin(), shown.end(), [](unsigned char c) { return std::isprint(c) == 0; }, '?');
  return fmt::format("\"{}{}\"", shown, word.size() > longest ? "..." : "");
}

std::string lower_case(std::string_view word) {
  std::string result(word);
  std::transform(result.begin(), result.end(), result.begin(), [](unsigned char c) { return std::tolower(c); });
  return result;
}

std::string_view trimmed(std::string_view word) {
  while (!word.empty() && is_blank(word.front())) word.remove_prefix(1);
  while (!word.empty() && is_blank(word.back())) word.remove_suffix(1);
  return word;
}

namespace {

/// What std::from_chars does not take: Fortran's D exponents, and values out of range.
bool parse_unusual(std::string_view word, double& value) {
  std::string copy(word);
  const std::size_t d = copy.find_first_of("dD");
  if (d != std::string::npos && d > 0) copy[d] = 'e';
  double parsed = 0;
  const auto [last, error] = std::from_chars(copy.data(), copy.data() + copy.size(), parsed);
  if (error == std::errc::invalid_argument || last != copy.data() + copy.size()) return false;
  value = error == std::errc::result_out_of_range ? std::strtod(copy.c_str(), nullptr) : parsed;
  return true;
}

}  // namespace

bool parse_number(std::string_view word, double& value) {
  if (word.size() > 1 && word[0] == '+' && word[1] != '-') word.remove_prefix(1);
  double parsed = 0;
  const auto [last, error] = std::from_chars(word.data(), word.data() + word.size(), parsed);
  if (error != std::errc() || last != word.data() + word.size()) return parse_unusual(word, value);
  value = parsed;
  return true;
}

bool parse_integer(std::string_view word, std::int64_t& value) {
  std::int64_t parsed = 0;
  const auto [last, error] = std::from_chars(word.data(), word.data() + word.size(), parsed);
  if (error != std::errc() || last != word.data() + word.size()) return false;
  value = parsed;
  return true;
}

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

}  // namespace asterism

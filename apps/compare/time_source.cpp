// SPDX-License-Identifier: Apache-2.0
#include "apps/compare/time_source.hpp"

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/error.hpp"

namespace asterism::apps::compare {
namespace {

using nlohmann::json;

// libstdc++'s other matcher needs stack for every character of a line and, for some patterns, exponential time. This
// one needs neither, and refuses references back to what was matched.
#ifdef __GLIBCXX__
constexpr auto linear_time = std::regex_constants::__polynomial;
#else
constexpr auto linear_time = std::regex_constants::ECMAScript;
#endif

std::string contents(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// The whole text, else the last line that is a JSON object.
json json_in(const std::string& text) {
  json value = json::parse(text, nullptr, false);
  if (!value.is_discarded()) return value;
  value = json();
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    if (line.find('{') == std::string::npos) continue;
    json candidate = json::parse(line, nullptr, false);
    if (candidate.is_object()) value = std::move(candidate);
  }
  return value;
}

double member(const json& root, const std::string& key, const std::string& where) {
  const json* at = &root;
  std::istringstream names(key);
  for (std::string name; std::getline(names, name, '.');) {
    const bool index = at->is_array() && !name.empty() && name.find_first_not_of("0123456789") == std::string::npos;
    if (index && std::strtoull(name.c_str(), nullptr, 10) < at->size())
      at = &(*at)[std::strtoull(name.c_str(), nullptr, 10)];
    else if (at->is_object() && at->contains(name))
      at = &(*at)[name];
    else
      failed("{}: there is no {} in its JSON", where, key);
  }
  if (!at->is_number()) failed("{}: {} is {}; expected a number of seconds", where, key, at->type_name());
  return at->get<double>();
}

double last_match(const std::regex& pattern, const std::string& text) {
  double value = std::nan("");
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    std::smatch match;
    if (!std::regex_search(line, match, pattern)) continue;
    char* end = nullptr;
    const std::string number = match[1];
    const double candidate = std::strtod(number.c_str(), &end);
    if (end != number.c_str()) value = candidate;
  }
  return value;
}

}  // namespace

TimeSource TimeSource::parse(const std::string& text) {
  TimeSource source;
  source.text = text;
  if (text == "trace") return source;
  if (text == "wall") {
    source.kind = Kind::wall;
    return source;
  }
  if (text.starts_with("json:") && text.size() > 5) {
    source.kind = Kind::json;
    source.key = text.substr(5);
    if (const std::size_t colon = source.key.rfind(':'); colon != std::string::npos) {
      source.file = source.key.substr(0, colon);
      source.key.erase(0, colon + 1);
    }
    if (source.key.empty()) bad_input("--time-from {}: a key is missing after the colon", text);
    return source;
  }
  if (text.starts_with("regex:")) {
    source.kind = Kind::regex;
    try {
      source.pattern = std::regex(text.substr(6), std::regex::ECMAScript | linear_time);
    } catch (const std::regex_error& error) {
      bad_input("--time-from {}: not a regular expression: {}", text, error.what());
    }
    if (source.pattern.mark_count() < 1)
      bad_input("--time-from {}: expected parentheses around the number, as in 'regex:time *= *([0-9.]+)'", text);
    return source;
  }
  bad_input("--time-from {}: expected trace, wall, json:KEY, json:FILE:KEY or regex:PATTERN", text);
}

std::optional<std::filesystem::file_time_type> TimeSource::written() const {
  std::error_code error;
  const auto time = std::filesystem::last_write_time(file, error);
  return error ? std::nullopt : std::optional(time);
}

double TimeSource::told(const std::filesystem::path& output, const std::filesystem::path& errors,
                        const std::optional<std::filesystem::file_time_type>& before) const {
  double value = std::nan("");
  if (kind == Kind::json) {
    if (!file.empty() && (!written() || written() == before))
      failed("--time-from {}: the program did not write {}", text, file.string());
    value = member(json_in(contents(file.empty() ? output : file)), key, file.empty() ? "stdout" : file.string());
  } else {
    value = last_match(pattern, contents(output));
    if (std::isnan(value)) value = last_match(pattern, contents(errors));
    if (std::isnan(value)) failed("nothing that the program printed matches --time-from {}", text);
  }
  if (!std::isfinite(value) || value <= 0) failed("--time-from {}: found {}; expected a positive number", text, value);
  return value;
}

}  // namespace asterism::apps::compare

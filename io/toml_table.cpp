// SPDX-License-Identifier: Apache-2.0
#include "io/toml_table.hpp"

#include <algorithm>
#include <cmath>

#include "base/nearest.hpp"
#include "io/text_file.hpp"
#include "io/text_words.hpp"

namespace asterism {
namespace {

/// Characters by which a key that is missing may differ from one that was meant for it.
constexpr std::size_t most_changes = 2;

std::string one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

/// "name: line 3: key", without the key for the file itself.
std::string place(const std::string& file, const toml::source_region& source, const std::string& key) {
  return fmt::format("{}: line {}{}{}", file, source.begin.line, key.empty() ? "" : ": ", key);
}

std::string shown(const toml::node& node) {
  constexpr std::size_t most = 6;
  if (const auto* text = node.as_string()) return in_quotes(text->get());
  if (const auto* number = node.as_integer()) return fmt::format("{}", number->get());
  if (const auto* number = node.as_floating_point()) return fmt::format("{}", number->get());
  if (const auto* value = node.as_boolean()) return value->get() ? "true" : "false";
  if (node.is_table()) return "a table";
  const auto* array = node.as_array();
  if (array == nullptr) return "a date or time";
  if (array->size() > most) return fmt::format("an array of {} values", array->size());
  std::vector<std::string> elements;
  for (const toml::node& element : *array) elements.push_back(shown(element));
  return fmt::format("[{}]", fmt::join(elements, ", "));
}

}  // namespace

// ---- values --------------------------------------------------------------------------------------------

TomlValue::TomlValue(const toml::node& node, std::string file, std::string key)
    : node_(&node), file_(std::move(file)), key_(std::move(key)) {}

std::string TomlValue::show() const {
  return shown(*node_);
}

void TomlValue::refuse(std::string_view expected) const {
  refuse(show(), expected);
}

void TomlValue::refuse(std::string_view found, std::string_view expected) const {
  bad_input("{}: found {}; expected {}", place(file_, node_->source(), key_), found, expected);
}

double TomlValue::number() const {
  const auto value = node_->is_number() ? node_->value<double>() : std::nullopt;
  if (!value || !std::isfinite(*value)) refuse("a number");
  return *value;
}

double TomlValue::positive() const {
  if (!node_->is_number() || !(number() > 0)) refuse("a positive number");
  return number();
}

double TomlValue::not_negative() const {
  if (!node_->is_number() || !(number() >= 0)) refuse("a number of at least 0");
  return number();
}

std::int64_t TomlValue::integer(std::int64_t least, std::int64_t most) const {
  const auto* value = node_->as_integer();
  if (value == nullptr || value->get() < least || value->get() > most) {
    refuse(fmt::format("an integer from {} to {}", least, most));
  }
  return value->get();
}

bool TomlValue::boolean() const {
  const auto* value = node_->as_boolean();
  if (value == nullptr) refuse("true or false");
  return value->get();
}

std::string TomlValue::text() const {
  const auto* value = node_->as_string();
  if (value == nullptr || value->get().empty()) refuse("a text in quotes");
  return value->get();
}

TomlTable TomlValue::table() const {
  const auto* value = node_->as_table();
  if (value == nullptr) refuse("a table");
  return {*value, file_, key_};
}

std::vector<TomlValue> TomlValue::elements() const {
  const auto* array = node_->as_array();
  if (array == nullptr) refuse("an array");
  std::vector<TomlValue> result;
  for (const toml::node& element : *array) {
    result.emplace_back(element, file_, fmt::format("{}[{}]", key_, result.size()));
  }
  return result;
}

std::vector<TomlValue> TomlValue::elements(std::size_t count, const char* expected) const {
  const auto* array = node_->as_array();
  if (array == nullptr || array->size() != count) refuse(expected);
  return elements();
}

std::vector<TomlValue> TomlValue::one_or_more() const {
  if (!is_array()) return {*this};
  if (elements().empty()) refuse("an empty array", "at least one value");
  return elements();
}

std::array<double, 3> TomlValue::vector() const {
  const std::vector<TomlValue> numbers = elements(3, "an array of 3 numbers");
  return {numbers[0].number(), numbers[1].number(), numbers[2].number()};
}

// ---- tables --------------------------------------------------------------------------------------------

TomlTable::TomlTable(const toml::table& table, std::string file, std::string key)
    : table_(&table), file_(std::move(file)), key_(std::move(key)) {}

std::string TomlTable::path_of(const std::string& key) const {
  return key_.empty() ? key : key_ + '.' + key;
}

std::string TomlTable::where() const {
  return place(file_, table_->source(), key_);
}

std::optional<TomlValue> TomlTable::find(const std::string& key) {
  known_.insert(key);
  const toml::node* node = table_->get(key);
  if (node == nullptr) return std::nullopt;
  return TomlValue(*node, file_, path_of(key));
}

TomlValue TomlTable::get(const std::string& key, std::string_view expected) {
  const std::optional<TomlValue> value = find(key);
  if (value) return *value;
  for (const auto& [other, node] : *table_) {
    if (known_.contains(other.str()) || edit_distance(other.str(), key) > most_changes) continue;
    bad_input("{}: found an unknown key; expected {}, {}",
              place(file_, other.source(), path_of(in_quotes(other.str()))), key, expected);
  }
  bad_input("{}: found none; expected {}", place(file_, table_->source(), path_of(key)), expected);
}

TomlValue TomlTable::one_of(const std::string& a, const std::string& b, bool& first) {
  const std::optional<TomlValue> value = find(a);
  const std::optional<TomlValue> other = find(b);
  if (value.has_value() == other.has_value()) {
    refuse(fmt::format("{} {} {} {}", value ? "both" : "neither", a, value ? "and" : "nor", b), "one of them");
  }
  first = value.has_value();
  return first ? *value : *other;
}

void TomlTable::finish() const {
  const toml::key* unknown = nullptr;
  for (const auto& [key, node] : *table_) {
    if (known_.contains(key.str())) continue;
    if (unknown == nullptr || key.source().begin < unknown->source().begin) unknown = &key;
  }
  if (unknown == nullptr) return;
  const std::string near = nearest(unknown->str(), {known_.begin(), known_.end()});
  bad_input("{}: found an unknown key; expected one of {}{}",
            place(file_, unknown->source(), path_of(in_quotes(unknown->str()))), fmt::join(known_, ", "),
            near.empty() ? "" : "; the nearest is " + near);
}

std::vector<std::pair<std::string, TomlValue>> TomlTable::entries() {
  std::vector<std::pair<std::string, TomlValue>> result;
  for (const auto& [key, node] : *table_) {
    const std::string name(key.str());
    known_.insert(name);
    result.emplace_back(name, TomlValue(node, file_, path_of(name)));
  }
  return result;
}

void TomlTable::refuse(std::string_view found, std::string_view expected) const {
  bad_input("{}: found {}; expected {}", where(), found, expected);
}

// ---- files ---------------------------------------------------------------------------------------------

TomlFile::TomlFile(const std::filesystem::path& path)
    : TomlFile(std::string(TextFile(path, "a TOML file").text), path.string()) {}

TomlFile::TomlFile(const std::string& text, std::string name) : name_(std::move(name)) {
  try {
    table_ = toml::parse(text, name_);
  } catch (const toml::parse_error& error) {
    bad_input("{}: found no TOML: {}", place(name_, error.source(), ""), one_line(std::string(error.description())));
  }
}

}  // namespace asterism

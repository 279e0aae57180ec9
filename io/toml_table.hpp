// SPDX-License-Identifier: Apache-2.0
// TOML files: values by key, of the type that is expected; complaints in one line that names file, line and key, says
// what was found and what was expected.
#pragma once

#include <toml++/toml.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace asterism {

class TomlTable;

/// A value and where it stands. All calls throw Error (bad_input) when the value is of another type.
class TomlValue {
 public:
  TomlValue(const toml::node& node, std::string file, std::string key);

  /// "grid.cells", "sources[2].position": of the whole file.
  [[nodiscard]] const std::string& key() const noexcept { return key_; }

  [[nodiscard]] double number() const;  ///< finite; integers are numbers
  [[nodiscard]] double positive() const;
  [[nodiscard]] double not_negative() const;
  [[nodiscard]] std::int64_t integer(std::int64_t least, std::int64_t most) const;
  [[nodiscard]] bool boolean() const;
  [[nodiscard]] std::string text() const;  ///< not empty
  [[nodiscard]] TomlTable table() const;
  [[nodiscard]] bool is_array() const { return node_->is_array(); }
  [[nodiscard]] bool is_table() const { return node_->is_table(); }
  [[nodiscard]] bool is_text() const { return node_->is_string(); }
  [[nodiscard]] bool is_boolean() const { return node_->is_boolean(); }
  [[nodiscard]] std::vector<TomlValue> elements() const;
  [[nodiscard]] std::vector<TomlValue> elements(std::size_t count, const char* expected) const;
  /// A value on its own, or an array of some.
  [[nodiscard]] std::vector<TomlValue> one_or_more() const;
  [[nodiscard]] std::array<double, 3> vector() const;
  /// What a word stands for.
  template <class T>
  [[nodiscard]] T choice(std::initializer_list<std::pair<const char*, T>> words) const;

  /// Throws: found this value, expected something else.
  [[noreturn]] void refuse(std::string_view expected) const;
  [[noreturn]] void refuse(std::string_view found, std::string_view expected) const;
  [[nodiscard]] std::string show() const;

 private:
  const toml::node* node_;
  std::string file_, key_;
};

/// A table every key of which is asked for; keys that nobody asked for are refused in the end.
class TomlTable {
 public:
  TomlTable(const toml::table& table, std::string file, std::string key);

  /// Nothing when the key is missing. `key` is known from then on.
  [[nodiscard]] std::optional<TomlValue> find(const std::string& key);
  /// Throws when it is missing.
  [[nodiscard]] TomlValue get(const std::string& key, std::string_view expected);
  /// The one of two keys that is there; throws when none or both are. first: whether it is the first.
  [[nodiscard]] TomlValue one_of(const std::string& a, const std::string& b, bool& first);
  /// Throws Error (bad_input) for the first key in the file that was not asked for.
  void finish() const;
  /// All, by name.
  [[nodiscard]] std::vector<std::pair<std::string, TomlValue>> entries();

  /// Throws: something about the table as a whole.
  [[noreturn]] void refuse(std::string_view found, std::string_view expected) const;
  /// "scene.toml: line 7: geometry[0]"
  [[nodiscard]] std::string where() const;

 private:
  [[nodiscard]] std::string path_of(const std::string& key) const;

  const toml::table* table_;
  std::string file_, key_;
  std::set<std::string, std::less<>> known_;
};

class TomlFile {
 public:
  /// Throws Error (bad_input): no such file, or no TOML, with the line.
  explicit TomlFile(const std::filesystem::path& path);
  /// Text that is in no file: `name` stands for it in complaints. Throws Error (bad_input): no TOML, with the line.
  TomlFile(const std::string& text, std::string name);
  [[nodiscard]] TomlTable root() const { return {table_, name_, ""}; }

 private:
  std::string name_;
  toml::table table_;
};

template <class T>
T TomlValue::choice(std::initializer_list<std::pair<const char*, T>> words) const {
  std::string expected;
  for (const auto& [word, meaning] : words) {
    if (node_->is_string() && node_->as_string()->get() == word) return meaning;
    expected += fmt::format("{}\"{}\"", expected.empty() ? "" : words.size() == 2 ? " or " : ", ", word);
  }
  refuse(words.size() > 2 ? "one of " + expected : expected);
}

}  // namespace asterism

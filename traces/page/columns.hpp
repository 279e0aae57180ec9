// SPDX-License-Identifier: Apache-2.0
// The numbers of a recording as the page carries them: columns of varints or doubles, one after the other in one
// buffer, which is then compressed. traces/page/data.js reads them back.
//
// A varint is little-endian base 128. 0 stands for a missing value (no time, asterism::traces::none); otherwise it is
// zigzag(v) + 1, where v is the value ("plain") or its difference from the previous present value ("delta").
// Times are whole nanoseconds from the recording's begin: exact in a double up to 104 days, and a tenth of the bytes of
// doubles in seconds.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "traces/recording.hpp"

namespace asterism::traces::page {

enum class Coding { plain, delta };

class Columns {
 public:
  using Value = std::optional<std::int64_t>;

  /// A column of `count` integers; `value(i)` gives the i-th.
  template <class F>
  void integers(const std::string& name, Coding coding, std::size_t count, F&& value) {
    const std::size_t first = data_.size();
    std::int64_t previous = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const Value v = value(i);
      if (!v) {
        data_.push_back('\0');
        continue;
      }
      append_varint(coding == Coding::delta ? *v - previous : *v);
      previous = *v;
    }
    describe(name, coding == Coding::delta ? "delta" : "plain", count, first);
  }

  template <class F>
  void doubles(const std::string& name, std::size_t count, F&& value) {
    const std::size_t first = data_.size();
    for (std::size_t i = 0; i < count; ++i) append_double(value(i));
    describe(name, "double", count, first);
  }

  template <class F>
  void bytes(const std::string& name, std::size_t count, F&& value) {
    const std::size_t first = data_.size();
    for (std::size_t i = 0; i < count; ++i) data_.push_back(static_cast<char>(value(i)));
    describe(name, "byte", count, first);
  }

  /// Two columns: NAME.length in bytes of UTF-8, and NAME.text with all of them joined.
  template <class F>
  void strings(const std::string& name, std::size_t count, F&& value) {
    integers(name + ".length", Coding::plain, count,
             [&](std::size_t i) { return static_cast<std::int64_t>(std::string_view(value(i)).size()); });
    const std::size_t first = data_.size();
    for (std::size_t i = 0; i < count; ++i) data_ += value(i);
    describe(name + ".text", "byte", data_.size() - first, first);
  }

  /// [{name, type, count, at, bytes}]: where each column lies in data().
  [[nodiscard]] const nlohmann::json& description() const noexcept { return description_; }
  [[nodiscard]] const std::string& data() const noexcept { return data_; }

 private:
  void append_varint(std::int64_t value);
  void append_double(double value);
  void describe(const std::string& name, const char* type, std::size_t count, std::size_t first);

  nlohmann::json description_ = nlohmann::json::array();
  std::string data_;
};

/// All columns of a recording; `path` are the tasks of its critical path.
Columns columns_of(const Recording& recording, const std::vector<std::uint32_t>& path);

}  // namespace asterism::traces::page

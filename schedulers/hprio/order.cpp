// SPDX-License-Identifier: Apache-2.0
#include "schedulers/hprio/order.hpp"

#include <fnmatch.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>
#include <utility>

namespace asterism::schedulers::hprio {
namespace {

/// What is wrong with a line.
struct Wrong {
  std::string what;
};

std::vector<std::string> words_of(std::string_view line) {
  std::istringstream in{std::string(line.substr(0, line.find('#')))};
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(std::move(word));
  return words;
}

std::optional<int> number(std::string_view text) {
  int value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// Reads the words of one line from left to right; the first thing that is wrong is thrown.
class LineReader {
 public:
  /// `models`: the columns of GPUs; none: one.
  LineReader(std::vector<std::string> words, const std::vector<std::string>& models)
      : words_(std::move(words)), models_(models) {}

  /// A line that is no bucket's but names the columns.
  [[nodiscard]] bool names_columns() const {
    return words_.front() == "units" && std::none_of(words_.begin(), words_.end(), [](const std::string& word) {
             return word.find('=') != std::string::npos;
           });
  }
  std::vector<std::string> columns() {
    word("units");
    word("CPU");
    std::vector<std::string> models{next("a pattern of a GPU's model")};
    while (place_ < words_.size() && models.size() < gpu_kinds.size()) models.push_back(words_[place_++]);
    if (place_ < words_.size()) fail("at most " + std::to_string(gpu_kinds.size()) + " models", quoted(words_[place_]));
    return models;
  }

  Line read() {
    Line line;
    line.name = next("a bucket's name");
    if (line.name.find('=') != std::string::npos)
      fail("a bucket's name before " + quoted(line.name), quoted(line.name));
    read_match(line);
    if (peek() == "split") {
      if (line.per_priority) fail("split or per-priority, not both", "'split' after 'per-priority'");
      ++place_;
      word("large");
      line.ranks = ranks();
      word("small");
      line.small = ranks();
    } else {
      line.ranks = ranks();
    }
    if (place_ < words_.size()) fail("the end of the line", quoted(words_[place_]));
    return line;
  }

 private:
  static std::string quoted(std::string_view word) { return "'" + std::string(word) + "'"; }
  [[noreturn]] static void fail(const std::string& expected, const std::string& found) {
    throw Wrong{"expected " + expected + ", found " + found};
  }
  [[nodiscard]] std::string_view peek() const {
    return place_ < words_.size() ? std::string_view(words_[place_]) : std::string_view();
  }
  std::string next(const std::string& expected) {
    if (place_ >= words_.size()) fail(expected, "the end of the line");
    return words_[place_++];
  }
  void word(const std::string& expected) {
    const std::string found = next(quoted(expected));
    if (found != expected) fail(quoted(expected), quoted(found));
  }

  void read_match(Line& line) {
    bool by_codelet = false;
    bool by_priority = false;
    for (;; ++place_) {
      const std::string_view found = peek();
      if (found.starts_with("codelet=")) {
        if (std::exchange(by_codelet, true)) fail("codelet= once", quoted(found));
        line.codelet = found.substr(8);
        if (line.codelet.empty()) fail("a name or pattern after codelet=", "nothing");
      } else if (found.starts_with("priority=")) {
        if (std::exchange(by_priority, true)) fail("priority= once", quoted(found));
        read_priorities(line, found.substr(9));
      } else if (found == "per-priority") {
        line.per_priority = true;
      } else {
        break;
      }
    }
    if (!by_codelet && !by_priority)
      fail("codelet=NAME or priority=N or priority=LOWEST..HIGHEST",
           peek().empty() ? "the end of the line" : quoted(peek()));
  }

  static void read_priorities(Line& line, std::string_view text) {
    const std::size_t dots = text.find("..");
    line.lowest = number(text.substr(0, dots));
    line.highest = dots == std::string_view::npos ? line.lowest : number(text.substr(dots + 2));
    if (!line.lowest || !line.highest || *line.lowest > *line.highest)
      fail("priority=N or priority=LOWEST..HIGHEST with whole numbers", quoted("priority=" + std::string(text)));
  }

  Ranks ranks() {
    Ranks ranks;
    bool any = false;
    for (std::size_t column = 0; column < 1 + std::max<std::size_t>(1, models_.size()); ++column) {
      const std::string unit = column == 0 ? "CPU" : models_.empty() ? "GPU" : models_[column - 1];
      const std::string expected = "the " + unit + " priority (0, 1, 2, ... or -)";
      const std::string found = next(expected);
      if (found == "-") continue;
      ranks[column] = number(found);
      if (!ranks[column] || *ranks[column] < 0) fail(expected, quoted(found));
      any = true;
    }
    if (!any) fail("a priority for one kind of unit at least", "'- -'");
    return ranks;
  }

  std::vector<std::string> words_;
  const std::vector<std::string>& models_;
  std::size_t place_ = 0;
};

}  // namespace

bool Line::names(std::string_view symbol, std::string_view codelet_name) const {
  for (const std::string_view name : {symbol, codelet_name})
    if (!name.empty() && fnmatch(codelet.c_str(), std::string(name).c_str(), 0) == 0) return true;
  return codelet == "*";
}

Table parse_table(std::string_view text) {
  Table table;
  int count = 0;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::vector<std::string> words = words_of(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    ++count;
    if (words.empty()) continue;
    try {
      LineReader reader(std::move(words), table.models);
      if (reader.names_columns()) {
        if (!table.lines.empty() || !table.models.empty()) throw Wrong{"expected 'units' once, before the buckets"};
        table.models = reader.columns();
        continue;
      }
      Line line = reader.read();
      for (const Line& before : table.lines)
        if (before.name == line.name)
          throw Wrong{"expected a name of its own for every bucket, found '" + line.name + "' again"};
      table.lines.push_back(std::move(line));
    } catch (const Wrong& wrong) {
      return {{}, {}, "line " + std::to_string(count) + ": " + wrong.what};
    }
  }
  if (table.lines.empty()) table.error = "line 1: expected a bucket, found none";
  return table;
}

Ranks ranks_of_kinds(const Ranks& columns, const std::vector<std::string>& patterns,
                     const std::vector<std::string>& models) {
  Ranks ranks;
  ranks[at(Kind::cpu)] = columns[0];
  for (const Kind kind : gpu_kinds) {
    std::size_t column = 0;
    const std::string model = at(kind) <= models.size() ? models[at(kind) - 1] : "";
    while (column < patterns.size() && fnmatch(patterns[column].c_str(), model.c_str(), 0) != 0) ++column;
    ranks[at(kind)] = columns[1 + (column < patterns.size() ? column : 0)];
  }
  return ranks;
}

Text text_or_file(const std::string& value) {
  if (value.find_first_of("\n=") != std::string::npos) return {value, {}};
  std::error_code error;
  constexpr std::uintmax_t most_bytes = 1 << 20;
  if (std::filesystem::exists(value, error) &&
      (!std::filesystem::is_regular_file(value, error) || std::filesystem::file_size(value, error) > most_bytes))
    return {{}, value + ": expected a regular file of at most 1 MiB, or the table itself"};
  std::ifstream in(value);
  std::ostringstream out;
  if (in) out << in.rdbuf();
  if (!in || out.fail()) return {{}, value + ": expected a file that can be read, or the table itself"};
  return {out.str(), {}};
}

ParsedRules parse_rules(std::string_view text) {
  ParsedRules parsed;
  Rules& rules = parsed.rules;
  const std::array<std::pair<std::string_view, bool*>, 7> known{{{"termination", &rules.termination},
                                                                 {"backlog", &rules.backlog},
                                                                 {"split", &rules.split},
                                                                 {"priorities", &rules.priorities},
                                                                 {"prefetch", &rules.prefetch},
                                                                 {"locality", &rules.locality},
                                                                 {"speedup", &rules.speedup}}};
  while (!text.empty()) {
    const std::size_t end = text.find(',');
    std::string_view word = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    while (word.starts_with(' ')) word.remove_prefix(1);
    while (word.ends_with(' ')) word.remove_suffix(1);
    if (word.empty()) continue;
    bool* rule = nullptr;
    for (const auto& [name, value] : known)
      if (word.starts_with('-') && word.substr(1) == name) rule = value;
    if (rule != nullptr)
      *rule = false;
    else if (parsed.error.empty())
      parsed.error =
          "expected -termination, -backlog, -split, -priorities, -prefetch, -locality or -speedup, separated by "
          "commas; found '" +
          std::string(word) + "'";
  }
  return parsed;
}

}  // namespace asterism::schedulers::hprio

// SPDX-License-Identifier: Apache-2.0
// Where the time that is compared comes from.
#pragma once

#include <filesystem>
#include <optional>
#include <regex>
#include <string>

namespace asterism::apps::compare {

struct TimeSource {
  enum class Kind {
    trace,  ///< the makespan of the recording: first task's start to last task's end, without StarPU's start-up
    wall,   ///< from the start of the process to its end
    json,   ///< a number in JSON that the program prints or writes
    regex,  ///< a number that the program prints
  };
  Kind kind = Kind::trace;
  std::string text = "trace";  ///< as given
  std::string key;             ///< json: names of members and indices, with dots between
  std::filesystem::path file;  ///< json: the file; empty: stdout
  std::regex pattern;

  /// "trace", "wall", "json:KEY", "json:FILE:KEY" or "regex:PATTERN". Throws Error (bad_input).
  static TimeSource parse(const std::string& text);

  /// When `file` was last written; nothing when there is none.
  [[nodiscard]] std::optional<std::filesystem::file_time_type> written() const;
  /// Seconds that the program itself told, of kinds json and regex. `before`: written() before the run, to know a file
  /// of an earlier run. Throws Error saying what is missing.
  [[nodiscard]] double told(const std::filesystem::path& output, const std::filesystem::path& errors,
                            const std::optional<std::filesystem::file_time_type>& before) const;
};

}  // namespace asterism::apps::compare

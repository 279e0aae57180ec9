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

  /// Seconds that the program itself told, of kinds json and regex. `begun`: a file last written before is of an
  /// earlier run. Throws Error saying what is missing.
  [[nodiscard]] double told(const std::filesystem::path& output, const std::filesystem::path& errors,
                            std::filesystem::file_time_type begun) const;
};

}  // namespace asterism::apps::compare

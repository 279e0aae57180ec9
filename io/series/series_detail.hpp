// SPDX-License-Identifier: Apache-2.0
// What the writers of time series share.
#pragma once

#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/error.hpp"
#include "io/output_file.hpp"
#include "io/series/series.hpp"
#include "io/text_words.hpp"

namespace asterism::output::detail {

/// A new file can be made at `path`, which has the extension that is expected.
inline void check_output(const std::filesystem::path& path, std::string_view extension, const char* what) {
  if (lower_case(path.extension().string()) != extension) {
    bad_input("{}: {} is no extension of {}; expected {}", path.string(), in_quotes(path.extension().string()), what,
              extension);
  }
  const PendingFile only_checked(path);
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  if (access(folder.c_str(), W_OK | X_OK) != 0) {
    bad_input("{}: cannot be written: the folder {}: {}", path.string(), folder.string(), system_message(errno));
  }
}

/// Every field has a name of its own and one value per place of the grid for each component.
template <class T>
void check_fields(const std::filesystem::path& path, const Grid& grid, const Fields<T>& fields) {
  if (fields.empty()) failed("{}: no field; expected one at least", path.string());
  std::set<std::string_view> names;
  for (const Field<T>& field : fields) {
    if (field.name.empty() || field.name.find_first_of("/,\"\n") != std::string::npos ||
        !names.insert(field.name).second) {
      failed("{}: a field of the name {}; expected another name", path.string(), in_quotes(field.name));
    }
    if (field.components.size() != 1 && field.components.size() != 3) {
      failed("{}: {} has {} components; expected 1 or 3", path.string(), field.name, field.components.size());
    }
    for (const std::span<const T> values : field.components) {
      if (values.size() != grid.size()) {
        failed("{}: {} values of {} for {} {}", path.string(), values.size(), field.name, fmt::join(grid.n, " x "),
               grid.centre == Centre::cell ? "cells" : "nodes");
      }
    }
  }
}

/// The last step of what a series kept of an older one.
inline std::int64_t last_step(const std::vector<SavedTime>& kept) {
  return kept.empty() ? keep_nothing : kept.back().step;
}

inline void check_step(const std::filesystem::path& path, const std::vector<SavedTime>& times, std::int64_t step) {
  if (step < 0 || (!times.empty() && step <= times.back().step)) {
    failed("{}: step {} after step {}; expected ascending ones", path.string(), step,
           times.empty() ? -1 : times.back().step);
  }
}

template <class T>
void check_append(const std::filesystem::path& path, const Grid& grid, const std::vector<SavedTime>& times,
                  std::int64_t step, const Fields<T>& fields) {
  check_fields(path, grid, fields);
  check_step(path, times, step);
}

/// Text as it may stand in an XML attribute or element.
inline std::string xml(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

}  // namespace asterism::output::detail

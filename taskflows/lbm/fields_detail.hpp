// What the writers of time series share.
#pragma once

#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "taskflows/lbm/fields.hpp"
#include "taskflows/runtime/error.hpp"
#include "taskflows/runtime/output_file.hpp"
#include "taskflows/runtime/text_words.hpp"

namespace asterism::lbm::detail {

/// A new file can be made at `path`, which has the extension that is expected.
inline void check_output(const std::filesystem::path& path, std::string_view extension, const char* what) {
  if (lower_case(path.extension().string()) != extension) {
    bad_input("{}: {} is no extension of {}; expected {}", path.string(), in_quotes(path.extension().string()), what,
              extension);
  }
  const PendingFile only_checked(path);
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  if (access(folder.c_str(), W_OK | X_OK) != 0) {
    bad_input("{}: cannot be written: the folder {}: {}", path.string(), folder.string(),
              std::generic_category().message(errno));
  }
}

template <class T>
void check_append(const std::filesystem::path& path, const Grid& grid, const std::vector<SavedTime>& times,
                  std::int64_t step, const Fields<T>& fields) {
  for (const std::span<const T> field : {fields.rho, fields.u, fields.v, fields.w}) {
    if (field.size() != grid.cells()) {
      failed("{}: {} values for {} x {} x {} cells", path.string(), field.size(), grid.nx, grid.ny, grid.nz);
    }
  }
  if (step < 0 || (!times.empty() && step <= times.back().step)) {
    failed("{}: step {} after step {}; expected ascending ones", path.string(), step,
           times.empty() ? -1 : times.back().step);
  }
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

}  // namespace asterism::lbm::detail

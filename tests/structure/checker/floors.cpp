// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "tests/structure/checker/checks.hpp"
#include "tests/structure/checker/source_text.hpp"

namespace asterism::structure {
namespace {

/// A pattern stands for the files in a folder and below it. A component M is a method, the same one in all patterns of
/// a row; a last component * is one file directly in the folder.
struct Floor {
  std::string_view files;
  std::vector<std::string_view> may_include;
};

/// The first row whose pattern fits a file is that file's floor.
const std::vector<Floor>& floors() {
  static const std::vector<Floor> table = {
      {"base/", {"base/"}},
      {"cmake/pch/", {"cmake/pch/"}},
      {"io/", {"io/", "base/"}},
      {"runtime/", {"runtime/", "io/", "base/"}},
      {"codelets/M/kernels/", {"codelets/M/kernels/", "base/"}},
      {"codelets/M/", {"codelets/M/", "codelets/*", "runtime/", "io/", "base/"}},
      {"codelets/*", {"codelets/*", "runtime/", "io/", "base/"}},
      {"taskflows/M/", {"taskflows/M/", "codelets/M/", "codelets/*", "runtime/", "io/", "base/"}},
      {"schedulers/", {"schedulers/", "runtime/", "io/", "base/"}},
      {"traces/", {"traces/", "runtime/", "io/", "base/"}},
      {"bounds/", {"bounds/", "traces/", "runtime/", "io/", "base/"}},
      {"include/", {}},  // public headers, which include each other as <asterism/cg.hpp>
      {"api/", {"api/", "bounds/", "traces/", "schedulers/", "taskflows/", "codelets/", "runtime/", "io/", "base/"}},
      {"python/", {"python/"}},  // over the public headers
      {"apps/", {"apps/", "bounds/", "traces/", "schedulers/", "taskflows/", "codelets/", "runtime/", "io/", "base/"}},
      {"examples/",
       {"examples/", "apps/", "bounds/", "traces/", "schedulers/", "taskflows/", "codelets/", "runtime/", "io/",
        "base/"}},
      {"tests/", {""}},
  };
  return table;
}

/// Headers of the system, by the beginning of their names, that some files must not see.
struct Forbidden {
  std::string_view files;
  std::vector<std::string_view> headers;
  std::string_view expected;
};

const std::vector<Forbidden>& forbidden() {
  static const std::vector<Forbidden> table = {
      {"codelets/M/kernels/", {"starpu", "mpi.h", "hwloc"}, "no StarPU, MPI or hwloc in kernels"},
      {"base/", {"starpu"}, "no StarPU in base/"},
      {"io/", {"starpu"}, "no StarPU in io/"},
      {"traces/", {"starpu"}, "StarPU in traces/readers/fxt.cpp only, of all traces/"},
      {"bounds/", {"starpu"}, "no StarPU in bounds/"},
      {"include/",
       {"starpu", "mpi.h", "hdf5", "H5", "nlohmann", "fmt/", "Eigen", "hwloc", "cuda"},
       "the standard library and asterism/ in public headers"},
      {"", {"mpi.h", "starpu_mpi"}, "MPI in runtime/ only"},
  };
  return table;
}

bool may_see(const std::string& file, const Forbidden& row) {
  if (row.files == "traces/") return file == "traces/readers/fxt.cpp";
  return row.files.empty() && (file.starts_with("runtime/") || file.starts_with("tests/"));
}

/// The method that M stands for, empty if there is no M; nothing if the pattern does not fit.
std::optional<std::string> fits(std::string_view pattern, std::string_view path) {
  std::string method;
  while (!pattern.empty()) {
    const std::size_t slash = path.find('/');
    if (pattern == "*") return slash == std::string_view::npos ? std::optional(method) : std::nullopt;
    if (slash == std::string_view::npos) return std::nullopt;
    const std::string_view component = pattern.substr(0, pattern.find('/'));
    if (component == "M") {
      method = path.substr(0, slash);
    } else if (component != path.substr(0, slash)) {
      return std::nullopt;
    }
    pattern.remove_prefix(component.size() + 1);
    path.remove_prefix(slash + 1);
  }
  return method;
}

const Floor* floor_of(const std::string& file) {
  const auto fitting = [&](const Floor& floor) { return fits(floor.files, file).has_value(); };
  const auto floor = std::find_if(floors().begin(), floors().end(), fitting);
  return floor == floors().end() ? nullptr : &*floor;
}

/// What a file may include, with the name of its method in the place of M.
std::vector<std::string> allowed_for(const Floor& floor, const std::string& file) {
  const std::string method = fits(floor.files, file).value();
  std::vector<std::string> allowed;
  for (const std::string_view pattern : floor.may_include) {
    std::string prefix(pattern);
    const std::size_t m = prefix.find("/M/");
    if (m != std::string::npos) prefix.replace(m + 1, 1, method);
    allowed.push_back(prefix);
  }
  return allowed;
}

/// The method of a file in codelets/, taskflows/ or apps/; empty: of none.
std::string method_of(const std::vector<std::string>& methods, const std::string& file) {
  for (const char* above : {"codelets/M/", "taskflows/M/", "apps/M/"}) {
    std::string method = fits(above, file).value_or("");
    if (std::find(methods.begin(), methods.end(), method) != methods.end()) return method;
  }
  return {};
}

class Checker {
 public:
  explicit Checker(const SourceTree& tree) : tree_(tree), methods_(methods(tree)) {}

  void check(const std::string& file, const std::string& text) {
    const Floor* const floor = floor_of(file);
    if (floor == nullptr) {
      complain(file, 0, "a source file on no floor of the house", "a folder of tests/structure/checker/floors.cpp");
      return;
    }
    const std::vector<std::string> allowed = allowed_for(*floor, file);
    for (const Include& include : includes(split_lines(text))) {
      if (!include.quoted) check_system(file, include);
      if (tree_.contains(include.name)) {
        check_floor(file, include, allowed);
      } else if (in_own_example(file, include.name)) {
        continue;
      } else if (include.quoted) {
        complain(file, include.line, fmt::format("includes \"{}\", which the repository has not", include.name),
                 "the path of a file from the root");
      }
    }
  }

  std::vector<Complaint> found;

 private:
  /// An example that is a method of its own has the folders of the house in its own folder.
  [[nodiscard]] bool in_own_example(const std::string& file, const std::string& name) const {
    constexpr std::string_view examples = "examples/";
    if (!file.starts_with(examples)) return false;
    return tree_.contains(file.substr(0, file.find('/', examples.size()) + 1) + name);
  }

  void check_system(const std::string& file, const Include& include) {
    for (const Forbidden& row : forbidden()) {
      const auto begins = [&](std::string_view header) { return include.name.starts_with(header); };
      if (!fits(row.files, file) || may_see(file, row)) continue;
      if (std::none_of(row.headers.begin(), row.headers.end(), begins)) continue;
      complain(file, include.line, fmt::format("includes <{}>", include.name), std::string(row.expected));
      return;
    }
    if (tree_.contains(include.name)) {
      complain(file, include.line, fmt::format("includes <{}>", include.name),
               "quotes around a file of the repository");
    }
  }

  void check_floor(const std::string& file, const Include& include, const std::vector<std::string>& allowed) {
    const auto fitting = [&](const std::string& pattern) { return fits(pattern, include.name).has_value(); };
    const std::string text = fmt::format("includes \"{}\"", include.name);
    const std::string method = method_of(methods_, file);
    const std::string other = method_of(methods_, include.name);
    if (std::none_of(allowed.begin(), allowed.end(), fitting)) {
      complain(file, include.line, text, fmt::format("a file of {}", fmt::join(allowed, ", ")));
    } else if (!method.empty() && !other.empty() && method != other) {
      complain(file, include.line, text, fmt::format("no method but {}", method));
    }
  }

  void complain(const std::string& file, int line, const std::string& what, const std::string& expected) {
    found.push_back({file, line, what, expected, file});
  }

  const SourceTree& tree_;
  std::vector<std::string> methods_;
};

}  // namespace

std::vector<Complaint> check_floors(const SourceTree& tree) {
  Checker checker(tree);
  for (const auto& [file, text] : tree) {
    if (is_cpp(file)) checker.check(file, text);
  }
  return std::move(checker.found);
}

}  // namespace asterism::structure

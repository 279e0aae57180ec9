// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <string_view>

#include "tests/structure/checker/checks.hpp"

namespace asterism::structure {
namespace {

constexpr int most_lines_of_main = 60;

/// A part of the contract; M stands for the method.
struct Part {
  std::string_view path;  ///< a folder if it ends in '/'
  std::string_view role;
};

constexpr Part parts[] = {
    {"codelets/M/kernels/kernels.hpp", "the index of the mathematics"},
    {"codelets/M/kernels/costs.hpp", "bytes and flops of each kernel"},
    {"codelets/M/codelets.hpp", "the codelets"},
    {"codelets/M/codelets.cpp", "the codelets"},
    {"codelets/M/codelets_cuda.cpp", "the codelets' functions for GPUs"},
    {"taskflows/M/problem.hpp", "what is computed"},
    {"taskflows/M/cases.hpp", "named cases"},
    {"taskflows/M/cases.cpp", "named cases"},
    {"taskflows/M/decomposition.hpp", "pieces, owners, shares of units"},
    {"taskflows/M/simulation.hpp", "the data and their life"},
    {"taskflows/M/simulation.cpp", "the data and their life"},
    {"taskflows/M/flow.hpp", "the order of operations"},
    {"taskflows/M/flow.cpp", "the order of operations"},
    {"taskflows/M/checkpoint.hpp", "state on file"},
    {"taskflows/M/checkpoint.cpp", "state on file"},
    {"taskflows/M/verify.hpp", "judgement of a result"},
    {"taskflows/M/verify.cpp", "judgement of a result"},
    {"taskflows/M/reference.hpp", "an answer that shares no code"},
    {"taskflows/M/reference.cpp", "an answer that shares no code"},
    {"apps/M/arguments.hpp", "options"},
    {"apps/M/arguments.cpp", "options"},
    {"apps/M/main.cpp", "the call of the common driver"},
    {"tests/codelets/M/", "tests of kernels and codelets"},
    {"tests/taskflows/M/", "tests of the flow"},
};

std::string in_method(std::string_view path, const std::string& method) {
  std::string file(path);
  return file.replace(file.find("/M/") + 1, 1, method);
}

bool has(const SourceTree& tree, const std::string& path) {
  if (path.ends_with('/')) return has_folder(tree, path);
  // a reference of several files has a folder
  const std::string name = "/reference.";
  const std::size_t reference = path.find(name);
  if (tree.contains(path) || reference == std::string::npos) return tree.contains(path);
  return tree.contains(path.substr(0, reference) + "/reference" + path.substr(reference));
}

}  // namespace

std::vector<Complaint> check_contract(const SourceTree& tree) {
  std::vector<Complaint> found;
  for (const std::string& method : methods(tree)) {
    for (const Part& part : parts) {
      const std::string path = in_method(part.path, method);
      if (has(tree, path)) continue;
      found.push_back({path, 0, "is missing", fmt::format("by the contract of a method: {}", part.role), path});
    }
    const std::string main = in_method("apps/M/main.cpp", method);
    const int lines = tree.contains(main) ? count_lines(tree.at(main)) : 0;
    if (lines <= most_lines_of_main) continue;
    found.push_back({main, most_lines_of_main + 1, fmt::format("a main.cpp of {} lines", lines),
                     fmt::format("at most {}", most_lines_of_main), main});
  }
  return found;
}

}  // namespace asterism::structure

// SPDX-License-Identifier: Apache-2.0
// A short run of each of the five programs, for tests of what they promise of their files.
#pragma once

#include <array>
#include <cstdlib>
#include <string>
#include <vector>

#include "tests/apps/run_program.hpp"

namespace asterism::tests {

struct Method {
  const char* name;
  const char* variable;  ///< of the environment, which may name the program elsewhere
  const char* program;
  Arguments problem;
  const char* steps;       ///< the option with their number
  Arguments results = {};  ///< files besides the checkpoint

  [[nodiscard]] std::string path() const {
    const char* const elsewhere = std::getenv(variable);
    return elsewhere != nullptr ? elsewhere : program;
  }
  [[nodiscard]] Arguments to(long number, const Arguments& more = {}) const {
    Arguments all = problem;
    all.insert(all.end(), {steps, std::to_string(number), "--quiet"});
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
};

/// The options for a checkpoint of every seventh step.
inline Arguments with_checkpoint(const std::string& name, Arguments more = {}) {
  more.insert(more.end(), {"--checkpoint", name, "--checkpoint-every", "7"});
  return more;
}

inline std::ostream& operator<<(std::ostream& out, const Method& method) {
  return out << method.name;
}

inline const std::array<Method, 5> methods{
    Method{"cg",
           "ASTERISM_CG",
           ASTERISM_CG,
           {"--stencil", "7pts-16", "--flow", "fused"},
           "--iterations",
           {"--solution", "x.mtx"}},
    Method{"fmm",
           "ASTERISM_FMM",
           ASTERISM_FMM,
           {"--particles", "60", "--accuracy", "3", "--height", "3", "--group-size", "8"},
           "--steps"},
    Method{"lbm", "ASTERISM_LBM", ASTERISM_LBM, {"--size", "14x11x9", "--re", "30"}, "--steps", {"--output", "o.h5"}},
    Method{"fdtd", "ASTERISM_FDTD", ASTERISM_FDTD, {"--size", "14x11x9"}, "--steps", {"--output", "o.h5"}},
    Method{"tdbem",
           "ASTERISM_TDBEM",
           ASTERISM_TDBEM,
           {"--unknowns", "42", "--group", "7"},
           "--steps",
           {"--output", "o.h5"}}};

/// Checksums of the values of a checkpoint, by dataset.
inline std::vector<std::string> values_of(const fs::path& checkpoint) {
  std::vector<std::string> sums;
  const std::string text = contents(checkpoint);
  const std::size_t table = text.rfind("asterism checksums 1\n");
  if (table == std::string::npos) return sums;
  for (const std::string& line : lines_of(text.substr(table)))
    if (line.size() > 51 && !contains(line, "structure")) sums.push_back(line.substr(34));
  return sums;
}

}  // namespace asterism::tests

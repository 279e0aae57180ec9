// SPDX-License-Identifier: Apache-2.0
// The options of asterism-fmm about periodic boxes and crystals.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "taskflows/fmm/cases.hpp"
#include "taskflows/fmm/periodic/periodic_box.hpp"

namespace asterism::apps::fmm {

struct Arguments;

struct PeriodicOptions {
  std::string directions;   ///< x, xy or xyz; empty: open boundaries
  std::vector<double> box;  ///< one length or three
  [[nodiscard]] bool given() const { return !directions.empty(); }
};

void add_periodic(CLI::Option_group* what, PeriodicOptions& periodic, asterism::fmm::GeneratedCase& generated);
/// Throws Error (bad_input) for options that do not go together.
void check_periodic(const Arguments& arguments);

/// The box of --periodic, that of --box or of the generated case; none: open boundaries.
std::optional<asterism::fmm::PeriodicBox> periodic_box(const Arguments& arguments);

}  // namespace asterism::apps::fmm

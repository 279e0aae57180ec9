// SPDX-License-Identifier: Apache-2.0
// What the paper prints beside what we get, with the relative difference, or that in points where figures are percent:
// as a table, as JSON and as CSV.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "apps/reproduce/experiment.hpp"
#include "apps/reproduce/paper.hpp"

namespace asterism::apps::reproduce {

struct Ours {
  std::optional<double> value;
  std::optional<double> difference;  ///< (ours - paper's) / |paper's|; none where the paper gives nothing, 0 or percent
  std::optional<double> points;      ///< ours - paper's, of percentages
};
struct ComparedFigure {
  std::string name;
  std::optional<double> paper;
  std::vector<Ours> ours;  ///< by column
  std::string why;         ///< they differ, as the paper's file says of it alone; may be empty
};
struct ComparedSection {
  std::string title, unit, says;
  std::string why;  ///< its figures differ, where they have no reason of their own
  std::vector<ComparedFigure> figures;
};
using Comparison = std::vector<ComparedSection>;

/// Every figure of the paper's sections beside ours. Throws Error (failed) naming the figure when ours do not have it,
/// have another number of columns, or have one that the paper's file does not list.
Comparison compare(const Paper& paper, const OurFigures& ours);

/// On stdout.
void print(const std::string& name, const Paper& paper, const Comparison& comparison);
/// The part of a record that says everything print() does.
nlohmann::json record_of(const Paper& paper, const Comparison& comparison);
/// A line per figure and column: section, figure, unit, paper, column, ours, difference.
void write_csv(const std::filesystem::path& path, const Paper& paper, const Comparison& comparison);

}  // namespace asterism::apps::reproduce

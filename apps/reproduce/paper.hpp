// SPDX-License-Identifier: Apache-2.0
// What a paper prints of an experiment: figures with the sentence that they come from, read from a TOML file.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace asterism::apps::reproduce {

struct Figure {
  std::string name;
  std::optional<double> value;  ///< none: the paper does not give it
  std::string why;              ///< ours differs, if its section does not say it; may be empty
};

struct Section {
  std::string title;
  std::string unit;           ///< of all figures; may be empty
  std::string says;           ///< the paper's words
  std::string why;            ///< ours differ, where a figure has no reason of its own; may be empty
  bool rounded_down = false;  ///< whole numbers without their fractions: v stands for v to v + 1
  std::vector<Figure> figures;
};

struct Paper {
  std::string paper;                 ///< authors, journal, year
  std::string doi;                   ///< empty: none
  std::string place;                 ///< table, figure, section
  std::string title;                 ///< of the experiment
  std::vector<std::string> columns;  ///< names of the variants of our figures, at least one
  std::vector<std::string> notes;    ///< definitions and assumptions
  std::vector<Section> sections;     ///< to be compared
  std::vector<Section> inputs;       ///< figures of the paper that ours are computed from

  /// Throws Error (bad_input) if the file has no such input.
  [[nodiscard]] double input(const std::string& section, const std::string& figure) const;
};

/// The file NAME.toml of `folder`:
///
///   paper, place, title = "..."; doi = "..." if there is one; columns, notes = ["...", ...]
///   [[section]]                     as many as wanted, and [[input]] likewise
///   title, says = "..."; unit = "..." if there is one; rounded_down = true if they are;
///   why = "..." if what differs has one reason
///   figures = [["name", 1.5], ["another", "not given"], ["third", 1.5, "why ours differs"]]
///
/// Throws Error (bad_input) naming file, line and key.
Paper read_paper(const std::filesystem::path& folder, const std::string& name);

/// Where these files are, beside the program: ../share/asterism/papers.
std::filesystem::path folder_of_papers();

}  // namespace asterism::apps::reproduce

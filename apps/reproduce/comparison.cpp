// SPDX-License-Identifier: Apache-2.0
#include "apps/reproduce/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "io/output_file.hpp"

namespace asterism::apps::reproduce {
namespace {

constexpr std::size_t line_width = 118;

/// A small gain in percent may be twice another and as good as the same.
bool is_percentage(const Section& section, const Figure& figure) {
  return section.unit == "%" || figure.name.find(", %") != std::string::npos;
}

Ours beside(const Section& section, const Figure& figure, const std::optional<double>& value) {
  Ours ours{value, {}, {}};
  if (!figure.value || !value) return ours;
  const double printed = *figure.value;
  const double nearest = section.rounded_down ? std::clamp(*value, printed, printed + 1) : printed;
  if (is_percentage(section, figure))
    ours.points = *value - nearest;
  else if (nearest != 0)
    ours.difference = (*value - nearest) / std::abs(nearest);
  return ours;
}

std::string shown(const std::optional<double>& value, const char* none) {
  return value ? fmt::format("{:.5g}", *value) : none;
}

std::string shown_difference(const Ours& ours) {
  if (ours.points) return fmt::format("{:+.1f} pts", *ours.points);
  return ours.difference ? fmt::format("{:+.1f} %", 100 * *ours.difference) : "";
}

/// Lines of whole words.
void print_wrapped(const std::string& text, const std::string& first, const std::string& others) {
  std::string line = first;
  bool empty = true;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    const std::string word = text.substr(begin, end - begin);
    if (!empty && line.size() + 1 + word.size() > line_width) {
      fmt::print("{}\n", line);
      line = others;
      empty = true;
    }
    line += (empty ? "" : " ") + word;
    empty = false;
    begin = end + 1;
  }
  fmt::print("{}\n", line);
}

/// Whether one of ours is beyond 10 % or 10 points.
bool differs(const ComparedFigure& figure) {
  return std::ranges::any_of(figure.ours, [](const Ours& ours) {
    return std::abs(ours.difference.value_or(0)) > 0.1 || std::abs(ours.points.value_or(0)) > 10;
  });
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

nlohmann::json json_of(const std::optional<double>& value) {
  return value ? nlohmann::json(*value) : nlohmann::json();
}

}  // namespace

Comparison compare(const Paper& paper, const OurFigures& ours) {
  Comparison comparison;
  OurFigures left = ours;
  for (const Section& section : paper.sections) {
    ComparedSection& compared =
        comparison.emplace_back(ComparedSection{section.title, section.unit, section.says, section.why, {}});
    for (const Figure& figure : section.figures) {
      const auto found = left.extract({section.title, figure.name});
      if (found.empty() || found.mapped().size() != paper.columns.size())
        failed("{}: \"{}\", \"{}\" is not among the figures that the experiment gives", paper.place, section.title,
               figure.name);
      ComparedFigure& row = compared.figures.emplace_back(ComparedFigure{figure.name, figure.value, {}, figure.why});
      for (const std::optional<double>& value : found.mapped()) row.ours.push_back(beside(section, figure, value));
    }
  }
  if (!left.empty())
    failed("{}: \"{}\", \"{}\" is not among the figures of the paper's file", paper.place, left.begin()->first.first,
           left.begin()->first.second);
  return comparison;
}

void print(const std::string& name, const Paper& paper, const Comparison& comparison) {
  fmt::print("{}: {}\n", name, paper.title);
  fmt::print("{}, {}{}\n\n", paper.paper, paper.place, paper.doi.empty() ? "" : ", doi:" + paper.doi);
  for (const std::string& note : paper.notes) print_wrapped(note, "  - ", "    ");
  constexpr int figure_width = 10, difference_width = 11;
  for (const ComparedSection& section : comparison) {
    fmt::print("\n");
    print_wrapped(section.title + (section.unit.empty() ? "" : " (" + section.unit + ")"), "", "");
    print_wrapped("\"" + section.says + "\"", "  ", "  ");
    std::size_t width = 0;
    for (const ComparedFigure& figure : section.figures) width = std::max(width, figure.name.size());
    fmt::print("  {:<{}} {:>{}}", "", width, "paper", figure_width);
    for (const std::string& column : paper.columns)
      fmt::print("   {:>{}}", column, std::max<std::size_t>(column.size(), figure_width + difference_width));
    fmt::print("\n");
    for (const ComparedFigure& figure : section.figures) {
      fmt::print("  {:<{}} {:>{}}", figure.name, width, shown(figure.paper, "not given"), figure_width);
      for (std::size_t c = 0; c < paper.columns.size(); ++c) {
        const std::size_t extra =
            std::max<std::size_t>(paper.columns[c].size(), figure_width + difference_width) - difference_width;
        fmt::print("   {:>{}}{:>{}}", shown(figure.ours[c].value, "none"), extra, shown_difference(figure.ours[c]),
                   difference_width);
      }
      fmt::print("\n");
      if (!figure.why.empty() && differs(figure)) print_wrapped(figure.why, "      ", "      ");
    }
    const bool explained = std::ranges::none_of(
        section.figures, [](const ComparedFigure& figure) { return figure.why.empty() && differs(figure); });
    if (!section.why.empty() && !explained) print_wrapped(section.why, "    ", "    ");
  }
}

nlohmann::json record_of(const Paper& paper, const Comparison& comparison) {
  nlohmann::json sections = nlohmann::json::array();
  for (const ComparedSection& section : comparison) {
    nlohmann::json figures = nlohmann::json::array();
    for (const ComparedFigure& figure : section.figures) {
      nlohmann::json ours = nlohmann::json::array();
      for (std::size_t c = 0; c < figure.ours.size(); ++c)
        ours.push_back({{"column", paper.columns[c]},
                        {"value", json_of(figure.ours[c].value)},
                        {"difference", json_of(figure.ours[c].difference)},
                        {"points", json_of(figure.ours[c].points)}});
      figures.push_back({{"name", figure.name}, {"paper", json_of(figure.paper)}, {"ours", ours}});
      const std::string& why = figure.why.empty() ? section.why : figure.why;
      if (!why.empty()) figures.back()["why"] = why;
    }
    sections.push_back(
        {{"title", section.title}, {"unit", section.unit}, {"says", section.says}, {"figures", figures}});
  }
  return {{"paper", paper.paper}, {"doi", paper.doi},     {"place", paper.place},
          {"title", paper.title}, {"notes", paper.notes}, {"sections", sections}};
}

void write_csv(const std::filesystem::path& path, const Paper& paper, const Comparison& comparison) {
  OutputFile file(path);
  file.write("section,figure,unit,paper,column,ours,difference,points\n");
  const auto exact = [](const std::optional<double>& value) { return value ? fmt::format("{}", *value) : ""; };
  for (const ComparedSection& section : comparison)
    for (const ComparedFigure& figure : section.figures)
      for (std::size_t c = 0; c < figure.ours.size(); ++c)
        file.write(fmt::format("{},{},{},{},{},{},{},{}\n", quoted(section.title), quoted(figure.name),
                               quoted(section.unit), exact(figure.paper), quoted(paper.columns[c]),
                               exact(figure.ours[c].value), exact(figure.ours[c].difference),
                               exact(figure.ours[c].points)));
  file.commit();
}

}  // namespace asterism::apps::reproduce

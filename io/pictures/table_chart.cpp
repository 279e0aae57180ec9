// SPDX-License-Identifier: Apache-2.0
#include "io/pictures/table_chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>

#include "io/pictures/chart.hpp"

namespace asterism::output {
namespace {

constexpr std::size_t most_lines = 7;

std::string name_of_line(const TableView& view, const CsvTable& table, const std::vector<std::string>& row,
                         const std::string& y) {
  if (view.by.empty()) return y;
  std::string name;
  for (const std::string& column : view.by) {
    const std::string& value = row[table.number(column)];
    if (!name.empty()) name += ", ";
    name += column == "frequency"                  ? fmt::format("{:.6g} Hz", std::stod(value))
            : column == "phi" || column == "theta" ? column + " " + value
                                                   : value;
  }
  return name;
}

}  // namespace

CsvTable::CsvTable(const std::filesystem::path& csv) {
  std::ifstream file(csv);
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    std::vector<std::string> words;
    std::istringstream text(line + ",");
    for (std::string word; std::getline(text, word, ',');) words.push_back(word);
    columns.empty() ? columns = words : rows.emplace_back(words);
  }
}

bool CsvTable::has(const std::string& column) const {
  return std::ranges::find(columns, column) != columns.end();
}

std::size_t CsvTable::number(const std::string& column) const {
  return static_cast<std::size_t>(std::ranges::find(columns, column) - columns.begin());
}

bool CsvTable::varies(const std::string& column) const {
  const std::size_t c = number(column);
  return std::ranges::any_of(rows, [&](const auto& row) { return row[c] != rows[0][c]; });
}

std::string chart_file(const std::string& csv) {
  return std::filesystem::path(csv).replace_extension(".png").string();
}

void draw_table(const std::string& csv, const CsvTable& table, const TableView& view) {
  Chart chart{std::filesystem::path(csv).stem().string(), view.x_label, view.y_label, {}, Marks::none};
  std::map<std::string, std::size_t> lines;
  const std::size_t x = table.number(view.x);
  for (const auto& row : table.rows)
    for (const std::string& y : view.y) {
      const std::string& text = row[table.number(y)];
      if (text.empty()) continue;
      const auto [line, is_new] = lines.try_emplace(name_of_line(view, table, row, y), chart.lines.size());
      if (is_new) chart.lines.push_back({line->first, {}});
      const double value = std::stod(text);
      chart.lines[line->second].points.push_back({std::stod(row[x]), value, value, value});
    }
  if (chart.lines.size() > most_lines) {
    chart.title += fmt::format(", the first {} of {} lines", most_lines, chart.lines.size());
    chart.lines.resize(most_lines);
  }
  write_chart(chart_file(csv), chart);
}

}  // namespace asterism::output

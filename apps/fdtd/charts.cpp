// SPDX-License-Identifier: Apache-2.0
#include "apps/fdtd/charts.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "base/error.hpp"
#include "io/pictures/chart.hpp"

namespace asterism::apps::fdtd {
namespace {

constexpr std::size_t most_lines = 7;

struct Table {
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;

  explicit Table(const std::string& csv) {
    std::ifstream file(csv);
    for (std::string line; std::getline(file, line);) {
      std::vector<std::string> words;
      std::istringstream text(line);
      for (std::string word; std::getline(text, word, ',');) words.push_back(word);
      columns.empty() ? columns = words : rows.emplace_back(words);
    }
  }
  [[nodiscard]] bool has(const std::string& column) const {
    return std::ranges::find(columns, column) != columns.end();
  }
  [[nodiscard]] std::size_t number(const std::string& column) const {
    return static_cast<std::size_t>(std::ranges::find(columns, column) - columns.begin());
  }
  [[nodiscard]] bool varies(const std::string& column) const {
    const std::size_t c = number(column);
    return std::ranges::any_of(rows, [&](const auto& row) { return row[c] != rows[0][c]; });
  }
};

/// What is drawn over what; lines of tables in which they follow one another are told apart by the columns `by`.
struct View {
  std::string x, x_label, y_label;
  std::vector<std::string> y, by;
};

View view_of(const Table& t, const std::string& csv) {
  const std::string hertz = "frequency (Hz)";
  if (t.has("time")) {
    View view{"time", "time (s)", "E (V/m)", {}, {}};
    for (const char field : {'e', 'h'})
      for (const std::string& column : t.columns) {
        const auto dot = column.find('.');
        const char first = dot == std::string::npos ? column[0] : static_cast<char>(std::tolower(column[dot + 1]));
        if (column != "step" && column != "time" && first == field &&
            (field == 'e' || view.y_label[0] == 'H' || view.y.empty())) {
          view.y.push_back(column);
          if (field == 'h') view.y_label = "H (A/m)";
        }
      }
    return view;
  }
  if (t.has("probe")) return {"frequency", hertz, "magnitude (V/m s, A/m s)", {"magnitude"}, {"probe"}};
  if (t.has("flux") && t.has("normalised"))
    return {"frequency", hertz, "power by the other run's", {"normalised"}, {"flux"}};
  if (t.has("flux")) return {"frequency", hertz, "power (J/Hz / 4)", {"power"}, {"flux"}};
  if (t.has("directivity")) {
    const bool over_theta = t.varies("theta");
    return {over_theta ? "theta" : "phi",
            over_theta ? "theta (degrees)" : "phi (degrees)",
            "directivity",
            {"directivity"},
            {"frequency", over_theta ? "phi" : "theta"}};
  }
  if (t.has("generator_db")) {
    View view{"frequency", hertz, "S-parameters (dB)", {}, {}};
    for (const std::string& column : t.columns)
      if (column.ends_with(".s_db")) view.y.push_back(column);
    return view;
  }
  bad_input("{}: no table of which there are charts", csv);
}

std::string name_of_line(const View& view, const Table& table, const std::vector<std::string>& row,
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

std::string chart_file(const std::string& csv) {
  return std::filesystem::path(csv).replace_extension(".png").string();
}

void draw_chart(const std::string& csv) {
  const Table table(csv);
  const View view = view_of(table, csv);
  output::Chart chart{std::filesystem::path(csv).stem().string(), view.x_label, view.y_label, {}, output::Marks::none};
  std::map<std::string, std::size_t> lines;
  const std::size_t x = table.number(view.x);
  for (const auto& row : table.rows)
    for (const std::string& y : view.y) {
      const std::string name = name_of_line(view, table, row, y);
      const auto [line, is_new] = lines.try_emplace(name, chart.lines.size());
      if (is_new) chart.lines.push_back({name, {}});
      const double value = std::stod(row[table.number(y)]);
      chart.lines[line->second].points.push_back({std::stod(row[x]), value, value, value});
    }
  if (chart.lines.size() > most_lines) {
    chart.title += fmt::format(", the first {} of {} lines", most_lines, chart.lines.size());
    chart.lines.resize(most_lines);
  }
  output::write_chart(chart_file(csv), chart);
}

}  // namespace asterism::apps::fdtd

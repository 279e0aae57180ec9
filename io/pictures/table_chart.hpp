// SPDX-License-Identifier: Apache-2.0
// Charts of columns of CSV files.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace asterism::output {

/// A CSV file in memory: names of columns, then rows of texts; lines that begin with # are left out.
struct CsvTable {
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;

  explicit CsvTable(const std::filesystem::path& csv);
  [[nodiscard]] bool has(const std::string& column) const;
  [[nodiscard]] std::size_t number(const std::string& column) const;
  /// Whether not all rows have the same text there.
  [[nodiscard]] bool varies(const std::string& column) const;
};

/// What is drawn over what; lines of tables in which they follow one another are told apart by the columns `by`.
struct TableView {
  std::string x, x_label, y_label;
  std::vector<std::string> y, by = {};
};

/// NAME.png for NAME.csv.
std::string chart_file(const std::string& csv);
/// Seven lines at most, to chart_file(csv). Empty fields are left out. Throws Error like write_chart.
void draw_table(const std::string& csv, const CsvTable& table, const TableView& view);

}  // namespace asterism::output

// SPDX-License-Identifier: Apache-2.0
#include "apps/fdtd/charts.hpp"

#include <cctype>

#include "base/error.hpp"
#include "io/pictures/table_chart.hpp"

namespace asterism::apps::fdtd {

using output::CsvTable;
using output::TableView;

namespace {

TableView view_of(const CsvTable& t, const std::string& csv) {
  const std::string hertz = "frequency (Hz)";
  if (t.has("time")) {
    TableView view{"time", "time (s)", "E (V/m)", {}, {}};
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
    TableView view{"frequency", hertz, "S-parameters (dB)", {}, {}};
    for (const std::string& column : t.columns)
      if (column.ends_with(".s_db")) view.y.push_back(column);
    return view;
  }
  bad_input("{}: no table of which there are charts", csv);
}

}  // namespace

void draw_chart(const std::string& csv) {
  const CsvTable table(csv);
  output::draw_table(csv, table, view_of(table, csv));
}

}  // namespace asterism::apps::fdtd

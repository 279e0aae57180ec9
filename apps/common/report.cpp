// SPDX-License-Identifier: Apache-2.0
#include "apps/common/report.hpp"

#include <fmt/format.h>

#include "apps/common/program.hpp"
#include "apps/common/trace_report.hpp"
#include "base/error.hpp"
#include "runtime/machine/simulated_machine.hpp"
#include "runtime/ranks/ranks.hpp"

namespace asterism::apps {

void report_results(const ReportFiles& files, const std::string& title, const Report& report) {
  rank_group().barrier();  // every rank has left its recording
  if (!rank_group().is_root()) return;
  print_table(report.rows);
  const Platform* const platform = simulated_platform();
  const std::string where = platform == nullptr ? "" : fmt::format(", on simulated {}", platform->name);
  for (const std::string& name : report.written) fmt::print("wrote {}\n", name);
  if (!files.json.empty()) {
    write_json(files.json, report.record);
    fmt::print("wrote {}\n", files.json.string());
  }
  if (files.trace.empty()) return;
  const auto energy = report.record.find("counted_energy");
  report_trace(files.trace,
               fmt::format("{}, {}{}", title, report.record["starpu"]["scheduler"].get<std::string>(), where),
               files.calibrated ? files.trace / "calibration" : std::filesystem::path{}, nullptr,
               energy == report.record.end() ? nlohmann::json() : *energy);
}

void report_wrong_answer(const std::filesystem::path& json, const Report& report, const std::string& complaint) {
  print_table(report.rows);
  if (!json.empty()) write_json(json, report.record);
  failed("{}", complaint);
}

}  // namespace asterism::apps

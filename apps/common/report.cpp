#include "apps/common/report.hpp"

#include <fmt/format.h>

#include "apps/common/program.hpp"
#include "apps/common/trace_report.hpp"
#include "runtime/ranks/ranks.hpp"
#include "base/error.hpp"
#include "runtime/machine/simulated_machine.hpp"

namespace asterism::apps {

void conclude(const Reports& reports, const std::string& title, const nlohmann::json& record,
              const std::vector<std::pair<std::string, std::string>>& rows, const std::vector<std::string>& written) {
  cluster().barrier();  // every rank has left its recording
  if (!cluster().speaks()) return;
  print_table(rows);
  const Platform* const platform = simulated_platform();
  const std::string where = platform == nullptr ? "" : fmt::format(", on simulated {}", platform->name);
  for (const std::string& name : written) fmt::print("wrote {}\n", name);
  if (!reports.json.empty()) {
    write_json(reports.json, record);
    fmt::print("wrote {}\n", reports.json.string());
  }
  if (!reports.trace.empty())
    report_trace(reports.trace, fmt::format("{}, {}{}", title, record["starpu"]["scheduler"].get<std::string>(), where),
                 reports.calibrated ? reports.trace / "calibration" : std::filesystem::path{});
}

void conclude_wrong(const std::filesystem::path& json, const nlohmann::json& record,
                    const std::vector<std::pair<std::string, std::string>>& rows, const std::string& complaint) {
  print_table(rows);
  if (!json.empty()) write_json(json, record);
  failed("{}", complaint);
}

}  // namespace asterism::apps

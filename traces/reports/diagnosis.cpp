// SPDX-License-Identifier: Apache-2.0
// Findings for people and for machines.
#include <fmt/format.h>

#include <iterator>

#include "traces/reports/report.hpp"

namespace asterism::traces {
namespace {

/// A line stays readable; JSON and the page have all.
constexpr std::size_t listed = 6;

template <class Name>
std::string list_of(const std::vector<std::uint32_t>& items, const Name& name) {
  std::string text;
  for (std::size_t i = 0; i < items.size() && i < listed; ++i) text += (i > 0 ? ", " : "") + name(items[i]);
  if (items.size() > listed) text += fmt::format(" and {} more", items.size() - listed);
  return text;
}

}  // namespace

std::string findings_text(const Recording& r, const std::vector<Finding>& findings) {
  if (findings.empty()) return "diagnosis: nothing odd\n";
  std::string text = fmt::format("diagnosis: {} finding{}, unit-seconds lost at most\n", findings.size(),
                                 findings.size() == 1 ? "" : "s");
  auto out = std::back_inserter(text);
  for (const Finding& f : findings) {
    fmt::format_to(out, "  {:>10.6f} s  {}: {}\n", f.seconds, fault_names[static_cast<std::size_t>(f.fault)], f.what);
    std::string where = fmt::format("#{:.9f}:{:.9f}", f.begin - r.begin, f.end - r.begin);
    if (!f.units.empty()) where += "; " + list_of(f.units, [&](std::uint32_t u) { return r.units[u].name; });
    if (!f.tasks.empty())
      where += "; tasks " + list_of(f.tasks, [&](std::uint32_t t) { return std::to_string(r.tasks[t].id); });
    fmt::format_to(out, "{:14}at {}\n{:14}try: {}\n", "", where, "", f.advice);
  }
  return text;
}

nlohmann::json findings_json(const Recording& r, const std::vector<Finding>& findings) {
  nlohmann::json list = nlohmann::json::array();
  for (const Finding& f : findings) {
    nlohmann::json units = nlohmann::json::array();
    nlohmann::json jobs = nlohmann::json::array();
    for (const std::uint32_t u : f.units) units.push_back(r.units[u].name);
    for (const std::uint32_t t : f.tasks) jobs.push_back(r.tasks[t].id);
    list.push_back({{"fault", fault_names[static_cast<std::size_t>(f.fault)]},
                    {"what", f.what},
                    {"try", f.advice},
                    {"seconds", f.seconds},
                    {"begin", f.begin - r.begin},
                    {"end", f.end - r.begin},
                    {"units", std::move(units)},
                    {"jobs", std::move(jobs)}});
  }
  return list;
}

}  // namespace asterism::traces

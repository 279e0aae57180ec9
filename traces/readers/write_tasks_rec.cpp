// SPDX-License-Identifier: Apache-2.0
// tasks.rec as starpu_fxt_tool writes it, so that pmtool and StarVZ read a recording that was cut to a window or came
// from paje.trace.
#include <fmt/format.h>

#include <cmath>
#include <iterator>

#include "io/output_file.hpp"
#include "traces/reports/report.hpp"

namespace asterism::traces {

void write_tasks_rec(const std::filesystem::path& path, const Recording& r) {
  OutputFile file(path);
  std::ostream& out = file.stream();
  const bool several = r.ranks > 1;
  const auto job = [&](const Task& t) { return several ? fmt::format("{}_{}", t.rank, t.id) : std::to_string(t.id); };
  static constexpr const char* modes[] = {"R", "W", "RW", "-"};
  std::string record;
  for (std::size_t i = 0; i < r.tasks.size(); ++i) {
    const Task& t = r.tasks[i];
    record.clear();
    auto put = std::back_inserter(record);
    if (t.codelet != none) {
      fmt::format_to(put, "Name: {}\n", r.codelets[t.codelet].name);
      if (!r.codelets[t.codelet].model.empty()) fmt::format_to(put, "Model: {}\n", r.codelets[t.codelet].model);
    }
    fmt::format_to(put, "JobId: {}\n", job(t));
    if (t.submit_order != 0) fmt::format_to(put, "SubmitOrder: {}\n", t.submit_order);
    fmt::format_to(put, "Priority: {}\n", t.priority);
    if (r.predecessors(i).size() > 0) {
      record += "DependsOn:";
      for (const std::uint32_t p : r.predecessors(i)) record += " " + job(r.tasks[p]);
      record += '\n';
    }
    record += "Tag: 0\n";
    if (t.executed()) {
      const Unit& u = r.units[t.unit];
      fmt::format_to(put, "WorkerId: {}\nMemoryNode: {}\n", u.worker, r.nodes[u.node].index);
    }
    if (std::isfinite(t.submitted)) fmt::format_to(put, "SubmitTime: {:.6f}\n", t.submitted * 1e3);
    if (t.executed()) fmt::format_to(put, "StartTime: {:.6f}\nEndTime: {:.6f}\n", t.start * 1e3, t.end * 1e3);
    fmt::format_to(put, "Footprint: {:x}\n", t.footprint);
    if (t.flops > 0) fmt::format_to(put, "GFlop: {:.6f}\n", t.flops * 1e-9);
    if (t.iteration >= 0) fmt::format_to(put, "Iteration: {}\n", t.iteration);
    if (t.parameters != none) fmt::format_to(put, "Parameters: {}\n", r.texts[t.parameters]);
    if (const auto data = r.data(i); data.size() > 0) {
      record += "Handles:";
      for (const Access& a : data) fmt::format_to(put, " {:x}", a.handle + 1);
      record += "\nModes:";
      for (const Access& a : data) fmt::format_to(put, " {}", modes[static_cast<std::size_t>(a.mode)]);
      record += "\nSizes:";
      for (const Access& a : data) fmt::format_to(put, " {}", a.handle == none ? 0 : r.handles[a.handle].bytes);
      record += '\n';
    }
    fmt::format_to(put, "MPIRank: {}\n\n", several ? static_cast<int>(t.rank) : -1);
    out << record;
  }
  file.commit();
}

void write_data_rec(const std::filesystem::path& path, const Recording& r) {
  OutputFile file(path);
  for (std::size_t h = 0; h < r.handles.size(); ++h) {
    const Handle& handle = r.handles[h];
    std::string record = fmt::format("Handle: {:x}\n", h + 1);
    if (!handle.name.empty()) record += fmt::format("Name: {}\n", handle.name);
    record += fmt::format("Size: {}\n", handle.bytes);
    if (!handle.coordinates.empty()) record += fmt::format("Coordinates: {}\n", fmt::join(handle.coordinates, " "));
    file.stream() << record << '\n';
  }
  file.commit();
}

}  // namespace asterism::traces

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "traces/report.hpp"

namespace asterism::traces {

namespace {

std::string seconds(double s) {
  if (s >= 1) return fmt::format("{:.3f} s", s);
  if (s >= 1e-3) return fmt::format("{:.3f} ms", s * 1e3);
  return fmt::format("{:.2f} us", s * 1e6);
}

std::string bytes(double b) {
  if (b >= 1e9) return fmt::format("{:.2f} GB", b / 1e9);
  if (b >= 1e6) return fmt::format("{:.2f} MB", b / 1e6);
  return fmt::format("{:.1f} kB", b / 1e3);
}

using Out = std::back_insert_iterator<std::string>;

void shares_line(Out out, const std::string& name, const Shares& s) {
  fmt::format_to(out, "  {:<16}", name);
  for (const double x : s.state) fmt::format_to(out, " {:>10.2f} %", 100 * x);
  fmt::format_to(out, "\n");
}

}  // namespace

std::string table(const View& view) {
  const Recording& r = *view.recording;
  const Metrics& m = *view.metrics;
  std::string text;
  Out out(text);
  fmt::format_to(out, "{}: {} tasks on {} units in {}", r.name, m.tasks, r.units.size(), seconds(m.makespan));
  if (m.flops > 0) fmt::format_to(out, ", {:.2f} Gflop/s", m.flops / m.makespan * 1e-9);
  fmt::format_to(out, "\n");
  if (!r.has_states) fmt::format_to(out, "  (no paje.trace: all time without a task counts as idle)\n");

  fmt::format_to(out, "\n  {:<16}", "share of time");
  for (const char* name : state_names)
    fmt::format_to(out, " {:>12}", name == std::string("waiting for data") ? "waiting" : name);
  fmt::format_to(out, "\n");
  constexpr std::size_t most_units = 72;
  for (std::size_t u = 0; u < r.units.size() && u < most_units; ++u) shares_line(out, r.units[u].name, m.unit[u]);
  if (r.units.size() > most_units) fmt::format_to(out, "  ... {} more units\n", r.units.size() - most_units);
  for (std::size_t k = 0; k < r.kinds.size(); ++k) shares_line(out, fmt::format("all {}", r.kinds[k].name), m.kind[k]);

  if (!m.codelets.empty()) {
    fmt::format_to(out, "\n  {:<22} {:<6} {:>8} {:>11} {:>11} {:>23} {:>10} {:>10}\n", "codelet", "on", "tasks",
                   "total", "median", "quartiles", "Gflop/s", "of fastest");
    for (const CodeletUse& c : m.codelets)
      fmt::format_to(out, "  {:<22} {:<6} {:>8} {:>11} {:>11} {:>11} {:>11} {:>10} {:>8.1f} %\n",
                     r.codelets[c.codelet].name, r.kinds[c.kind].name, c.count, seconds(c.total), seconds(c.median),
                     seconds(c.quartile1), seconds(c.quartile3), c.rate > 0 ? fmt::format("{:.2f}", c.rate * 1e-9) : "",
                     100 * c.of_fastest);
  }
  if (!m.links.empty()) {
    fmt::format_to(out, "\n  {:<24} {:>10} {:>11} {:>11} {:>10} {:>12}\n", "transfers", "number", "volume", "busy",
                   "GB/s", "overlapped");
    for (const LinkUse& l : m.links)
      fmt::format_to(out, "  {:<24} {:>10} {:>11} {:>11} {:>10.2f} {:>10.1f} %\n",
                     r.nodes[l.from].name + " -> " + r.nodes[l.to].name, l.transfers,
                     bytes(static_cast<double>(l.bytes)), seconds(l.busy), l.bandwidth * 1e-9, 100 * l.overlap);
  }
  if (!m.iterations.number.empty())
    fmt::format_to(out, "\n  {} iterations, median {}, quartiles {} and {}\n", m.iterations.number.size(),
                   seconds(m.iterations.median), seconds(m.iterations.quartile1), seconds(m.iterations.quartile3));
  if (!m.critical_path.tasks.empty())
    fmt::format_to(out, "  longest chain of dependencies as it ran {} ({:.1f} % of the makespan), {} tasks\n",
                   seconds(m.critical_path.length), 100 * m.critical_path.length / m.makespan,
                   m.critical_path.tasks.size());
  for (const BoundLine& b : view.bounds)
    fmt::format_to(out, "  bound: {} {} ({:.1f} % of the makespan)\n", b.name, seconds(b.seconds),
                   100 * b.seconds / m.makespan);
  return text;
}

}  // namespace asterism::traces

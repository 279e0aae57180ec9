// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "traces/reports/report.hpp"

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

void shares_line(Out out, const std::string& name, std::size_t width, const Shares& s) {
  fmt::format_to(out, "  {:<{}}", name, width);
  for (const double x : s.state) fmt::format_to(out, " {:>10.2f} %", 100 * x);
  fmt::format_to(out, "\n");
}

/// Unit-seconds of a rank in tasks, in the scheduler and the runtime, and without work.
void rank_lines(Out out, const Metrics& m) {
  if (m.rank.empty()) return;
  fmt::format_to(out, "\n  {:<6} {:>6} {:>8} {:>11} {:>11} {:>11} {:>21} {:>9} {:>11} {:>9} {:>11}\n", "rank", "units",
                 "tasks", "work", "overhead", "idle", "idle, message on way", "sent", "volume", "received", "volume");
  for (std::size_t rank = 0; rank < m.rank.size(); ++rank) {
    const RankUse& use = m.rank[rank];
    const double whole = static_cast<double>(use.units) * m.makespan;
    const Shares& s = use.shares;
    fmt::format_to(out, "  {:<6} {:>6} {:>8} {:>11} {:>11} {:>11} {:>21} {:>9} {:>11} {:>9} {:>11}\n", rank, use.units,
                   use.tasks, seconds(whole * s[State::computing]),
                   seconds(whole * (s[State::scheduling] + s[State::runtime])),
                   seconds(whole * (s[State::idle] + s[State::waiting])), seconds(use.idle_for_messages),
                   use.messages_sent, bytes(static_cast<double>(use.bytes_sent)), use.messages_received,
                   bytes(static_cast<double>(use.bytes_received)));
  }
}

void pair_lines(Out out, const Metrics& m) {
  if (m.pairs.empty()) return;
  constexpr std::size_t most_pairs = 64;
  fmt::format_to(out, "\n  {:<24} {:>10} {:>11} {:>11} {:>11} {:>11} {:>10}\n", "messages between ranks", "number",
                 "volume", "shortest", "median", "busy", "GB/s");
  for (std::size_t i = 0; i < m.pairs.size() && i < most_pairs; ++i) {
    const PairUse& p = m.pairs[i];
    fmt::format_to(out, "  {:<24} {:>10} {:>11} {:>11} {:>11} {:>11} {:>10.3f}\n",
                   fmt::format("{} -> {}", p.from, p.to), p.messages, bytes(static_cast<double>(p.bytes)),
                   seconds(p.shortest), seconds(p.median), seconds(p.busy), p.bandwidth * 1e-9);
  }
  if (m.pairs.size() > most_pairs) fmt::format_to(out, "  ... {} more pairs\n", m.pairs.size() - most_pairs);
}

void clock_lines(Out out, const Recording& r) {
  const Clocks& c = r.clocks;
  if (r.lost_messages > 0)
    fmt::format_to(out, "  {} messages were sent of which no arrival was recorded: left out\n", r.lost_messages);
  if (r.messages.empty()) return;
  const std::string within =
      std::isfinite(c.error) ? fmt::format("within {}", seconds(c.error)) : "with no message to tell how well";
  switch (c.alignment) {
    case Clocks::Alignment::barriers:
      fmt::format_to(out, "  clocks of the ranks aligned at StarPU's barriers, {}\n", within);
      break;
    case Clocks::Alignment::messages:
    case Clocks::Alignment::equal_rates:
      fmt::format_to(out,
                     "  clocks of the ranks aligned by their messages, {}: by StarPU's barriers {} of them arrived "
                     "before they were sent, by up to {}\n",
                     within, c.early, seconds(c.earliest));
      break;
    case Clocks::Alignment::contradictory:
      fmt::format_to(out,
                     "  clocks of the ranks wrong by up to {}: {} messages arrive before they were sent, and are no "
                     "dependencies\n",
                     seconds(c.error), c.still_early);
      break;
  }
}

}  // namespace

std::string energy_text(const Recording& recording, const Energy& energy) {
  std::string text;
  for (const KindEnergy& kind : energy.kinds)
    text += fmt::format("{}{} {:.4g} J in tasks, {:.4g} J idle", text.empty() ? "" : "; ",
                        recording.kinds[kind.kind].name, kind.busy, kind.idle);
  if (!text.empty()) text = fmt::format("{:.4g} J: {}", energy.joules(), text);
  if (!energy.unknown.empty())
    text += fmt::format("{}watts of {} not known", text.empty() ? "" : "; ", fmt::join(energy.unknown, ", "));
  return text;
}

std::string table(const View& view) {
  const Recording& r = *view.recording;
  const Metrics& m = *view.metrics;
  std::string text;
  Out out(text);
  fmt::format_to(out, "{}: {} tasks on {} units in {}", r.name, m.tasks, r.units.size(), seconds(m.makespan));
  if (m.flops > 0) fmt::format_to(out, ", {:.2f} Gflop/s", m.flops / m.makespan * 1e-9);
  fmt::format_to(out, "\n");
  if (!r.has_states) fmt::format_to(out, "  (no paje.trace: all time without a task counts as idle)\n");

  std::size_t kind_width = 6;  // of the longest name
  for (const Kind& kind : r.kinds) kind_width = std::max(kind_width, kind.name.size());
  const std::size_t name_width = std::max<std::size_t>(16, kind_width + 4);
  fmt::format_to(out, "\n  {:<{}}", "share of time", name_width);
  for (const char* name : state_names)
    fmt::format_to(out, " {:>12}", name == std::string("waiting for data") ? "waiting" : name);
  fmt::format_to(out, "\n");
  constexpr std::size_t most_units = 72;
  for (std::size_t u = 0; u < r.units.size() && u < most_units; ++u)
    shares_line(out, r.units[u].name, name_width, m.unit[u]);
  if (r.units.size() > most_units) fmt::format_to(out, "  ... {} more units\n", r.units.size() - most_units);
  for (std::size_t k = 0; k < r.kinds.size(); ++k)
    shares_line(out, fmt::format("all {}", r.kinds[k].name), name_width, m.kind[k]);

  if (!m.codelets.empty()) {
    fmt::format_to(out, "\n  {:<22} {:<{}} {:>8} {:>11} {:>11} {:>23} {:>10} {:>10}\n", "codelet", "on", kind_width,
                   "tasks", "total", "median", "quartiles", "Gflop/s", "of fastest");
    for (const CodeletUse& c : m.codelets)
      fmt::format_to(out, "  {:<22} {:<{}} {:>8} {:>11} {:>11} {:>11} {:>11} {:>10} {:>8.1f} %\n",
                     r.codelets[c.codelet].name, r.kinds[c.kind].name, kind_width, c.count, seconds(c.total),
                     seconds(c.median), seconds(c.quartile1), seconds(c.quartile3),
                     c.rate > 0 ? fmt::format("{:.2f}", c.rate * 1e-9) : "", 100 * c.of_fastest);
  }
  if (!m.links.empty()) {
    fmt::format_to(out, "\n  {:<24} {:>10} {:>11} {:>11} {:>10} {:>12}\n", "transfers", "number", "volume", "busy",
                   "GB/s", "overlapped");
    for (const LinkUse& l : m.links)
      fmt::format_to(out, "  {:<24} {:>10} {:>11} {:>11} {:>10.2f} {:>10.1f} %\n",
                     r.nodes[l.from].name + " -> " + r.nodes[l.to].name, l.transfers,
                     bytes(static_cast<double>(l.bytes)), seconds(l.busy), l.bandwidth * 1e-9, 100 * l.overlap);
  }
  rank_lines(out, m);
  pair_lines(out, m);
  clock_lines(out, r);
  if (!m.iterations.number.empty())
    fmt::format_to(out, "\n  {} iterations, median {}, quartiles {} and {}\n", m.iterations.number.size(),
                   seconds(m.iterations.median), seconds(m.iterations.quartile1), seconds(m.iterations.quartile3));
  if (!m.critical_path.tasks.empty())
    fmt::format_to(out, "  longest chain of dependencies as it ran {} ({:.1f} % of the makespan), {} tasks\n",
                   seconds(m.critical_path.length), 100 * m.critical_path.length / m.makespan,
                   m.critical_path.tasks.size());
  if (view.energy) fmt::format_to(out, "  energy: {}\n", energy_text(r, *view.energy));
  for (const BoundLine& b : view.bounds)
    fmt::format_to(out, "  bound: {} {} ({:.1f} % of the makespan)\n", b.name, seconds(b.seconds),
                   100 * b.seconds / m.makespan);
  return text;
}

}  // namespace asterism::traces

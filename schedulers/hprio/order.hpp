// SPDX-License-Identifier: Apache-2.0
// What the user of "hprio" writes: the table of buckets (Agullo et al., Table 3) and the rules to switch off.
// Text in, plain values out: nothing here knows StarPU.
//
//   # name  match                      CPU GPU        a low number is polled first, - means never
//   p2m     codelet=fmm_p2m            0   -
//   m2l     codelet=fmm_m2l per-priority 3 2          one sub-bucket per task->priority, the highest first
//   p2p     codelet=fmm_p2p split large 7 0 small 4 1 the larger half of the tasks, and the smaller
//   urgent  priority=5..9              0   0          task->priority; codelet= and priority= may stand together
//
// Where GPUs differ, a line before the buckets may name their models, by a pattern without blanks each; then every
// bucket has a number for each. GPUs of other models take those of the first; so do all GPUs without such a line.
//
//   units       CPU  *H100*  *K40c*
//   p2p codelet=fmm_p2p  4   0   2
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace asterism::schedulers::hprio {

/// Units that are alike: CPU cores, and what is not one, by model: gpu, then second_gpu and third_gpu, with all further
/// models, where GPUs differ.
enum class Kind : unsigned { cpu, gpu, second_gpu, third_gpu };
inline constexpr std::array kinds{Kind::cpu, Kind::gpu, Kind::second_gpu, Kind::third_gpu};
inline constexpr std::array gpu_kinds{Kind::gpu, Kind::second_gpu, Kind::third_gpu};
constexpr std::size_t at(Kind kind) {
  return static_cast<std::size_t>(kind);
}
/// A value for each kind; in a table, for each column.
template <class Value>
using PerKind = std::array<Value, kinds.size()>;

/// A bucket's place in the polling order of each kind; none: the kind never takes from it.
using Ranks = PerKind<std::optional<int>>;

/// One line of the table.
struct Line {
  std::string name;
  std::string codelet = "*";  ///< a glob: the performance model's symbol or the codelet's name
  std::optional<int> lowest;  ///< of task->priority; none: any
  std::optional<int> highest;
  bool per_priority = false;
  Ranks ranks;                 ///< of the bucket; of its larger half when split
  std::optional<Ranks> small;  ///< of the smaller half when split

  [[nodiscard]] bool names(std::string_view symbol, std::string_view codelet_name) const;
  [[nodiscard]] bool covers(int priority) const {
    return (!lowest || priority >= *lowest) && (!highest || priority <= *highest);
  }
};

struct Table {
  std::vector<Line> lines;
  std::vector<std::string> models;  ///< patterns of the columns of GPUs; none: one column for all
  std::string error;                ///< "line 3: expected ..., found ..."; empty when the text is right
};
Table parse_table(std::string_view text);

/// The numbers of kinds of GPUs of these models, from those of the table's columns.
[[nodiscard]] Ranks ranks_of_kinds(const Ranks& columns, const std::vector<std::string>& patterns,
                                   const std::vector<std::string>& models);

/// The text itself when it contains a line break or '=', else the content of the file of that name.
struct Text {
  std::string text;
  std::string error;
};
Text text_or_file(const std::string& value);

/// What ASTERISM_HPRIO_RULES can switch off, each on its own.
struct Rules {
  bool termination = true;
  bool backlog = true;  ///< off: the termination rule counts the tasks of the bucket only, as in the paper
  bool split = true;
  bool priorities = true;  ///< off: one FIFO for all tasks
  bool prefetch = true;    ///< off: nothing is reserved either
  bool locality = true;    ///< off: a GPU takes the first task, wherever its data are
  bool speedup = true;     ///< off: ASTERISM_HPRIO_SPEEDUP for every task
};
struct ParsedRules {
  Rules rules;
  std::string error;  ///< of the first unknown word; the others count
};
ParsedRules parse_rules(std::string_view text);

}  // namespace asterism::schedulers::hprio

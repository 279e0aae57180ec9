// SPDX-License-Identifier: Apache-2.0
// Task graphs made by a rule and a seed instead of recorded: shapes on which schedulers are compared in the literature
// (Tobita, Kasahara, A standard task graph set, J. Scheduling 5, 2002; Canon, El Sayah, Heam, Euro-Par 2019).
#pragma once

#include <cstdint>
#include <string>

#include "traces/models/platform_rec.hpp"
#include "traces/recording.hpp"

namespace asterism::traces {

enum class Shape : std::uint8_t {
  layered,  ///< layers of about sqrt(n) tasks; each waits for one to four tasks of the layer before, seldom of another
  fork_join,  ///< one task, then 8 to 48 tasks that wait for it, then one task that waits for all of them, and again
  wavefront,  ///< a square grid; a task waits for those to its left and above it
  tree,       ///< a binary tree from the root to its leaves, and back: divide and combine
  cholesky,   ///< the tile Cholesky factorisation: many tasks on few data, each of which n tasks update
};

struct GraphRule {
  Shape shape = Shape::layered;
  std::uint64_t tasks = 500;  ///< as many, or the next number below that the shape can have
  std::uint64_t seed = 1;

  /// "SHAPE:TASKS" or "SHAPE:TASKS:SEED", shapes layered, fork-join, wavefront, tree and cholesky. Throws Error
  /// (bad_input).
  static GraphRule parse(const std::string& text);
};

struct GeneratedGraph {
  Recording recording;    ///< as one core would run it, task by task
  PlatformRec durations;  ///< of its four codelets on "cpu0" and "cuda0"
};

/// Four codelets: a core takes 1 to 10 ms, a GPU is half to 32 times as fast, both log-uniform. Each task is of a
/// random one and writes one datum of 0.25 to 4 MB (log-uniform), which the tasks that wait for it read. Beyond 3,000
/// tasks data are smaller, so that all together have 4 GB: each is written once and never freed, and no memory would
/// hold the 135 GB of 10^5 tasks. Priorities: the number of tasks on the longest path from the task to the end. The
/// same rule gives the same graph on every machine.
///
/// Cholesky has a datum per tile of the lower triangle (3.7 MB, 960 numbers wide), which its tasks update. A core takes
/// as long as its operations at 50 ms for a product; a GPU is 2 (factorisation), 11 (triangular solution), 26 and 29
/// (products) times as fast, as on a Tesla M2070 (Agullo, Beaumont, Eyraud-Dubois, Kumar, Are static schedules so bad?
/// IPDPS 2016). The seed changes nothing.
GeneratedGraph generate(const GraphRule& rule);

}  // namespace asterism::traces

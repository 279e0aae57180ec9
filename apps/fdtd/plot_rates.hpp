// SPDX-License-Identifier: Apache-2.0
// What the plotters measure.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "runtime/session.hpp"
#include "taskflows/fdtd/cases.hpp"

namespace asterism::apps::fdtd {

/// A point of a chart, and how to measure it.
struct PlotPoint {
  std::string line;
  double x = 0;
  double flops_per_cell = 0;             ///< of an update of a cell, by formula (4.1)
  std::function<double()> measure;       ///< cells per second
  std::vector<double> cells_per_second;  ///< what it gave
};

/// The thesis' benchmark in one of its sizes.
asterism::fdtd::Problem benchmark_problem(const std::array<int, 3>& cells, Precision precision);

/// Cubes of some sizes on each unit alone: one core of each kind, and each GPU.
std::vector<PlotPoint> points_of_sizes(const Session& session, const std::vector<int>& sizes, Precision precision,
                                       long steps);
/// One domain on all units, by share of the GPUs in percent. Throws Error (bad input) for shares of units that the
/// session does not have.
std::vector<PlotPoint> points_of_shares(const Session& session, const asterism::fdtd::Problem& problem,
                                        const std::vector<double>& shares, int bricks_per_gpu, long steps);
/// A farm of `domains`, by CPU workers, a line for each number of CUDA streams per GPU (0: no GPU). Starts a session
/// for each measurement. Nobody at all: left out.
std::vector<PlotPoint> points_of_units(const SessionOptions& options, const asterism::fdtd::Problem& problem,
                                       const std::vector<int>& cpus, const std::vector<int>& streams, int domains,
                                       long steps);

/// All points once, then all once more, and so on. `measured`: called with the share that is done.
void measure(std::vector<PlotPoint>& points, int repetitions, const std::function<void(double)>& measured);

}  // namespace asterism::apps::fdtd

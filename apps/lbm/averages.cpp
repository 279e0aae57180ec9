// SPDX-License-Identifier: Apache-2.0
#include "apps/lbm/averages.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "base/as_size.hpp"
#include "base/error.hpp"
#include "io/series/series.hpp"
#include "taskflows/lbm/fields/fields.hpp"
#include "taskflows/lbm/fields/gather.hpp"

namespace asterism::apps::lbm {

using namespace asterism::lbm;

namespace {

std::size_t cells_of(const Problem& p) {
  return as_size(p.cells[0]) * as_size(p.cells[1]) * as_size(p.cells[2]);
}

/// Welford's recurrence: the mean of n values, and the sum of squared distances from it.
template <class T>
void add(const T* values, double n, std::vector<double>& mean, std::vector<double>& squares) {
  const std::size_t scalars = mean.size() - squares.size();  // without fluctuations
  for (std::size_t k = 0; k < mean.size(); ++k) {
    const double from_old = static_cast<double>(values[k]) - mean[k];
    mean[k] += from_old / n;
    if (k >= scalars) squares[k - scalars] += from_old * (static_cast<double>(values[k]) - mean[k]);
  }
}

}  // namespace

Averages::Averages(const AverageOptions& options, const Problem& problem, long average_from, long from, long steps)
    : options_(options),
      problem_(problem),
      from_(average_from),
      steps_(steps),
      mean_(4 * cells_of(problem), 0),
      squares_(3 * cells_of(problem), 0) {
  if (from > 0 && from >= average_from)
    bad_input(
        "--average: the run resumes at step {}, and checkpoints have no sums; expected a greater --average-from "
        "(now {})",
        from, average_from);
}

long Averages::next_due(long step) const {
  const long after = std::max(step + 1, from_);
  return std::min(steps_, (after + options_.every - 1) / options_.every * options_.every);
}

void Averages::sample(Simulation& simulation) {
  const Array<char> all = gather_fields(simulation, problem_);
  const auto n = static_cast<double>(++samples_);
  if (size_of(arithmetic_of(problem_.precision)) == sizeof(double))
    add(reinterpret_cast<const double*>(all.data()), n, mean_, squares_);
  else
    add(reinterpret_cast<const float*>(all.data()), n, mean_, squares_);
}

void Averages::write() const {
  const std::size_t n = cells_of(problem_);
  std::vector<double> rms(squares_.size());
  for (std::size_t k = 0; k < rms.size(); ++k) rms[k] = std::sqrt(squares_[k] / static_cast<double>(samples_));
  const auto part = [n](const std::vector<double>& of, std::size_t k) {
    return std::span<const double>(of.data() + k * n, n);
  };
  const output::Fields<double> fields{{"mean_rho", {part(mean_, 0)}},
                                      {"mean_velocity", {part(mean_, 1), part(mean_, 2), part(mean_, 3)}},
                                      {"rms_velocity", {part(rms, 0), part(rms, 1), part(rms, 2)}}};
  const output::Grid grid = output_grid({problem_.cells[0], problem_.cells[1], problem_.cells[2]});
  const auto append = [&](auto series) { series.append(steps_, static_cast<double>(steps_), fields); };
  if (std::filesystem::path(options_.file).extension() == ".h5")
    append(output::Hdf5Series(options_.file, grid));
  else
    append(output::VtkSeries(options_.file, grid, output::Compression::zlib));
}

void Averages::describe(Report& report) const {
  report.record["average"] = {{"from", from_}, {"to", steps_}, {"every", options_.every}, {"samples", samples_}};
}

}  // namespace asterism::apps::lbm

// SPDX-License-Identifier: Apache-2.0
#include "apps/tdbem/output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "io/pictures/table_chart.hpp"
#include "io/series/collection.hpp"
#include "runtime/ranks/collective_try.hpp"
#include "runtime/ranks/ranks.hpp"

namespace asterism::apps::tdbem {

using namespace asterism::tdbem;

namespace {

/// NAME_0000100.png for a series of pictures.
std::string numbered(const std::string& path, std::int64_t step) {
  const std::filesystem::path p(path);
  return (p.parent_path() / fmt::format("{}_{:07}{}", p.stem().string(), step, p.extension().string())).string();
}

}  // namespace

Output::Output(const FileOptions& options, const Problem& problem, std::int64_t begin, std::int64_t steps)
    : options_(options), problem_(problem), steps_(steps) {
  if (!options.series.empty() && rank_group().is_root())
    series_ = std::make_unique<SurfaceSeries>(options.series, problem, begin > 0 ? begin - 1 : output::keep_nothing);
}

bool Output::due_at(std::int64_t step) const {
  if (options_.series.empty() && options_.picture.empty()) return false;
  return step == steps_ - 1 || (options_.every > 0 && step > 0 && step % options_.every == 0);
}

bool Output::checkpoint_due(std::int64_t first, std::int64_t end) const {
  const long every = options_.checkpoint_every;
  return !options_.checkpoint.empty() && every > 0 && first / every != end / every;
}

bool Output::due(std::int64_t first, std::int64_t end) const {
  for (std::int64_t n = first; n < end; ++n)
    if (due_at(n)) return true;
  return checkpoint_due(first, end);
}

void Output::note(const std::string& name) {
  if (std::find(written_.begin(), written_.end(), name) == written_.end()) written_.push_back(name);
}

template <class T>
void Output::write(Simulation<T>& simulation, const Method& method) {
  const std::int64_t first = simulation.steps() - method.group;
  for (std::int64_t n = first; n < std::min(simulation.steps(), steps_) && rank_group().is_root(); ++n) {
    if (!due_at(n)) continue;
    std::vector<std::vector<double>> values;
    for (std::size_t w = 0; w < problem_.waves.size(); ++w)
      values.push_back(simulation.solution(n, static_cast<std::int32_t>(w)));
    if (series_) {
      series_->append(n, values);
      note(output::list_of(options_.series).string());
    }
    if (options_.picture.empty()) continue;
    for (const double v : values[0]) range_ = std::max(range_, std::abs(v));
    const std::string name = options_.every > 0 ? numbered(options_.picture, n) : options_.picture;
    SurfacePicture picture;
    picture.view.from = options_.view;
    picture.title = picture_title(problem_, n);
    picture.quantity = picture_quantity(problem_);
    if (range_ > 0) picture.range = ValueRange{-range_, range_};
    draw_surface(name, problem_.surface, values[0], picture);
    note(name);
  }
  if (checkpoint_due(first, simulation.steps())) write_state(simulation, method);
}

template <class T>
void Output::write_state(Simulation<T>& simulation, const Method& method) {
  const typename Simulation<T>::State state = simulation.state();
  write_checkpoint<T>(options_.checkpoint, problem_, method, state);
  rank_group().on_death(fmt::format("; the last checkpoint, {}, is of step {}: resume with --restart {}",
                                    options_.checkpoint, state.steps, options_.checkpoint));
  note(options_.checkpoint);
}

/// Total pressure over frequency for each wave and observer.
void Output::draw_spectra(const std::string& csv) {
  if (rank_group().is_root()) {
    const output::CsvTable table(csv);
    output::TableView view{"frequency", "frequency (Hz)", "total over incident pressure (dB)", {}};
    for (const std::string& column : table.columns)
      if (column.starts_with("total_db")) view.y.push_back(column);
    output::draw_table(csv, table, view);
  }
  note(output::chart_file(csv));
}

template <class T>
void Output::finish(Simulation<T>& simulation, const Method& method) {
  simulation.gather_observed_pressure();
  const ObservedPressure pressure = [&](std::int32_t wave, std::int32_t observer) {
    return simulation.observed_pressure(wave, observer);
  };
  const std::int64_t steps = std::min(simulation.steps(), steps_);
  if (!options_.observers.empty()) {
    if (rank_group().is_root()) write_observers(options_.observers, problem_, steps, pressure);
    note(options_.observers);
  }
  if (!options_.chart.empty()) {
    if (rank_group().is_root()) draw_observers(options_.chart, problem_, 0, steps, pressure);
    note(options_.chart);
  }
  if (!options_.spectrum.empty()) {
    left_at_end_ = left_at_end(problem_, steps, pressure);
    if (rank_group().is_root()) write_spectra(options_.spectrum, problem_, options_.spectrum_options, steps, pressure);
    note(options_.spectrum);
    if (options_.spectrum_chart) draw_spectra(options_.spectrum);
  }
  if (!options_.checkpoint.empty()) write_state(simulation, method);
}

template void Output::write(Simulation<float>&, const Method&);
template void Output::write(Simulation<double>&, const Method&);
template void Output::write_state(Simulation<float>&, const Method&);
template void Output::write_state(Simulation<double>&, const Method&);
template void Output::finish(Simulation<float>&, const Method&);
template void Output::finish(Simulation<double>&, const Method&);

}  // namespace asterism::apps::tdbem

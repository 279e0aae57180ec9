// SPDX-License-Identifier: Apache-2.0
#include "apps/lbm/output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>

#include "apps/common/program.hpp"
#include "base/error.hpp"
#include "io/output_file.hpp"
#include "io/pictures/table_chart.hpp"
#include "io/series/collection.hpp"
#include "runtime/ranks/collective_try.hpp"
#include "runtime/ranks/ranks.hpp"
#include "taskflows/lbm/checkpoint.hpp"
#include "taskflows/lbm/fields/distributed_fields.hpp"
#include "taskflows/lbm/fields/gather.hpp"

namespace asterism::apps::lbm {

using namespace asterism::lbm;

namespace {

Grid grid_of(const Problem& p) {
  return {p.cells[0], p.cells[1], p.cells[2]};
}

Box domain_of(const Problem& p) {
  return {0, p.cells[0], 0, p.cells[1], 0, p.cells[2]};
}

bool is_hdf5(const std::filesystem::path& path) {
  return path.extension() == ".h5";
}

std::int64_t keep_until(long from) {
  return from > 0 ? from : keep_nothing;
}

std::variant<VtkSeries, Hdf5Series> open_series(const std::string& path, const Problem& problem, long from) {
  if (is_hdf5(path)) return Hdf5Series(path, grid_of(problem), keep_until(from));
  return VtkSeries(path, grid_of(problem), Compression::zlib, keep_until(from));
}

template <class T>
Fields<T> fields_of(const Problem& p, const Array<char>& all) {
  const std::size_t n = grid_of(p).cells();
  const T* const first = reinterpret_cast<const T*>(all.data());
  return {{first, n}, {first + n, n}, {first + 2 * n, n}, {first + 3 * n, n}};
}

/// NAME_0000100.png for a series of pictures.
std::string numbered(const std::string& path, long time) {
  const std::filesystem::path p(path);
  return (p.parent_path() / fmt::format("{}_{:07d}{}", p.stem().string(), time, p.extension().string())).string();
}

}  // namespace

void check(const OutputOptions& options) {
  for (const auto& [option, name] : {std::pair{"--output", options.series}, {"--average", options.average.file}}) {
    const std::string extension = std::filesystem::path(name).extension().string();
    if (!name.empty() && extension != ".pvd" && extension != ".vtkhdf" && extension != ".h5")
      bad_input("{} {}: expected {}", option, name, output::series_names);
    require_writable(option, name);
  }
  if (options.average_from && options.average.file.empty() && options.forces.file.empty())
    bad_input("--average-from: only with --forces or --average, whose means begin there");
  require_writable("--png", options.picture);
  require_writable("--checkpoint", options.checkpoint);
  require_writable("--forces", options.forces.file);
  require_writable("--probes", options.probes.file);
  require_writable("--profiles", options.profiles);
}

Output::Output(const OutputOptions& options, const Case& flow, long from, long steps)
    : options_(options), flow_(flow), from_(from), steps_(steps) {
  const long average_from = options.average_from.value_or(steps / 2);
  if (!options.forces.file.empty()) forces_.emplace(options.forces, flow, average_from, from, steps);
  if (!options.probes.file.empty()) probes_.emplace(options.probes, from, steps);
  if (!options.average.file.empty()) averages_.emplace(options.average, flow.problem, average_from, from, steps);
  if (options.series.empty()) return;
  if (rank_group().distributed() && is_hdf5(options.series))
    distributed_series_.emplace(options.series, output_grid(grid_of(flow.problem)), keep_until(from));
  else if (rank_group().is_root())  // writes what all have sent to it
    series_ = open_series(options.series, flow.problem, from);
}

Output::~Output() = default;

bool Output::series_due(long time) const {
  return time == steps_ || (options_.every > 0 && time % options_.every == 0);
}

bool Output::checkpoint_due(long time) const {
  return !options_.checkpoint.empty() &&
         (time == steps_ || (options_.checkpoint_every > 0 && time % options_.checkpoint_every == 0));
}

bool Output::due(long time) const {
  const bool tables = (forces_ && (time == steps_ || forces_->table().grown())) ||
                      (probes_ && (time == steps_ || probes_->table().grown()));
  const bool fields = !options_.series.empty() || !options_.picture.empty();
  if (averages_ && time == steps_) return true;
  return tables || (fields && series_due(time)) || (!options_.profiles.empty() && time == steps_) ||
         checkpoint_due(time);
}

long Output::next_due(long time) const {
  long next = steps_;
  for (const long every : {options_.every, options_.checkpoint_every})
    if (every > 0) next = std::min(next, (time / every + 1) * every);
  if (forces_) next = std::min(next, forces_->table().next_due(time));
  if (probes_) next = std::min(next, probes_->table().next_due(time));
  if (averages_) next = std::min(next, averages_->next_due(time));
  return next;
}

std::string Output::picture_of(long time) const {
  return options_.every > 0 ? numbered(options_.picture, time) : options_.picture;
}

void Output::write_profiles(const CentreLines& lines) {
  write_centre_lines(options_.profiles, lines);
  deviation_ = deviation_from_published(flow_, lines);
}

Slice Output::slice_of(long time) const {
  Slice slice = options_.slice;
  if (options_.plain) return slice;
  const Problem& problem = flow_.problem;
  slice.frame = output::Frame{.title = fmt::format("{} = {}, step {}", "xyz"[slice.axis], slice.index, time),
                              .quantity = show(slice.quantity),
                              .unit = "cells"};
  if (!problem.solid.empty())
    slice.frame->body = [&problem, section = output::Section{slice.axis, slice.index}](int right, int up) {
      std::array<int, 3> cell{};
      cell[section.axis] = section.index;
      cell[section.right()] = right;
      cell[section.up()] = up;
      const auto [x, y, z] = cell;
      return int{problem.solid[static_cast<std::size_t>(x) +
                               static_cast<std::size_t>(problem.cells[0]) *
                                   (static_cast<std::size_t>(y) +
                                    static_cast<std::size_t>(problem.cells[1]) * static_cast<std::size_t>(z))]};
    };
  return slice;
}

template <class T>
void Output::write_fields(Simulation& simulation) {
  const Array<char> all = gather_fields(simulation, flow_.problem);
  const Fields<T> fields = fields_of<T>(flow_.problem, all);
  const long time = simulation.time();
  const Pause pause;
  if (series_) std::visit([&](auto& series) { series.append(time, static_cast<double>(time), fields); }, *series_);
  if (!options_.picture.empty()) write_png(picture_of(time), grid_of(flow_.problem), fields, slice_of(time));
  if (!options_.profiles.empty() && time == steps_) write_profiles(centre_lines(flow_, fields));
}

template <class T>
void Output::write_distributed_fields(Simulation& simulation) {
  const DistributedArray all = deal_fields(simulation, flow_.problem);
  const long time = simulation.time();
  const Pause pause;
  if (distributed_series_) {
    distributed_series_->append<T>(time, static_cast<double>(time), distributed_named<T>(all));
  } else if (!options_.series.empty()) {
    const FieldsInBox<T> whole(all, domain_of(flow_.problem));
    collective_try([&] {
      if (series_) std::get<VtkSeries>(*series_).append(time, static_cast<double>(time), whole.fields());
    });
  }
  if (!options_.picture.empty())
    write_distributed_png<T>(picture_of(time), grid_of(flow_.problem), all, slice_of(time));
  if (!options_.profiles.empty() && time == steps_) {
    const CentreLines lines = distributed_centre_lines<T>(flow_, all);
    collective_try([&] {
      if (rank_group().is_root()) write_profiles(lines);
    });
  }
}

void Output::sample(Simulation& simulation) {
  const long time = simulation.time();
  if (forces_ && forces_->table().due(time)) forces_->sample(simulation);
  if (probes_ && probes_->table().due(time)) probes_->sample(simulation);
  if (averages_ && averages_->due(time)) averages_->sample(simulation);
}

void Output::write_tables() {
  if (forces_) forces_->table().write();
  if (probes_) probes_->table().write();
}

void Output::describe(Report& report) const {
  if (forces_) forces_->describe(report);
  if (probes_) probes_->describe(report);
  if (averages_) averages_->describe(report);
}

void Output::write(Simulation& simulation) {
  const long time = simulation.time();
  const bool fields =
      !options_.series.empty() || !options_.picture.empty() || (!options_.profiles.empty() && time == steps_);
  if (!checkpoint_due(time)) write_tables();
  if (averages_ && time == steps_ && time > from_) averages_->write();
  with_precision(flow_.problem.precision, [&](auto number) {
    using T = decltype(number);
    if (series_due(time) && fields)
      rank_group().distributed() ? write_distributed_fields<T>(simulation) : write_fields<T>(simulation);
  });
  if (checkpoint_due(time)) write_state(simulation);
}

// tables first: a run that resumes from the checkpoint goes on with their rows
void Output::write_state(Simulation& simulation) {
  write_tables();
  if (!options_.checkpoint.empty()) write_checkpoint(options_.checkpoint, flow_, simulation);
}

void Output::draw_charts() const {
  if (!options_.charts || !rank_group().is_root()) return;
  const auto draw = [](const std::string& csv, output::TableView view, auto is_drawn) {
    if (csv.empty()) return;
    const output::CsvTable table(csv);
    for (const std::string& column : table.columns)
      if (is_drawn(column)) view.y.push_back(column);
    output::draw_table(csv, table, view);
  };
  draw(options_.forces.file, {"step", "step", "coefficient", {}}, [](const std::string& column) {
    return column == "drag_coefficient" || column == "side_coefficient" || column == "lift_coefficient";
  });
  draw(options_.probes.file, {"step", "step", "velocity (cells per step)", {}},
       [](const std::string& column) { return column.find('(') == 1; });
  draw(options_.profiles, {"position", "position (of the side)", "velocity (of the lid)", {}, {"line"}},
       [](const std::string& column) { return column == "velocity"; });
}

std::vector<std::string> Output::written() const {
  std::vector<std::string> names;
  std::string pictures = options_.picture;
  if (!pictures.empty() && options_.every > 0) {
    const std::string last = picture_of(steps_);
    const std::string first = picture_of(std::min(steps_, (from_ / options_.every + 1) * options_.every));
    pictures = first == last ? last : fmt::format("{} to {}", first, last);
  }
  const auto list_of = [](const std::string& series) { return output::list_of(series).string(); };
  for (const std::string& name : {list_of(options_.series), pictures, options_.checkpoint, options_.forces.file,
                                  options_.probes.file, list_of(options_.average.file), options_.profiles})
    if (!name.empty()) names.push_back(name);
  for (const std::string& csv : {options_.forces.file, options_.probes.file, options_.profiles})
    if (options_.charts && !csv.empty()) names.push_back(output::chart_file(csv));
  return names;
}

}  // namespace asterism::apps::lbm

// SPDX-License-Identifier: Apache-2.0
#include "taskflows/fdtd/fields/field_files.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/graded_axis.hpp"
#include "io/pictures/frame.hpp"
#include "io/series/collection.hpp"
#include "runtime/ranks/collective_try.hpp"
#include "runtime/ranks/ranks.hpp"
#include "runtime/session.hpp"
#include "taskflows/fdtd/fields/distributed_fields.hpp"
#include "taskflows/fdtd/fields/gather.hpp"
#include "taskflows/fdtd/fields/snapshot.hpp"

namespace asterism::fdtd {
namespace {

/// A field in the layout of the whole domain as one sub-domain; over several ranks on rank 0, nothing on the others.
template <class T>
std::vector<T> in_layout(Simulation& simulation, const Grid& grid, Field field) {
  std::vector<T> all(!simulation.dealt() || rank_group().is_root() ? static_cast<std::size_t>(grid.elements()) : 0);
  get_from_ranks(simulation, field, [&](const Box& b, const void* values) {
    const T* from = static_cast<const T*>(values);
    for (int c = 0; c < 3; ++c)
      for (int i = b.x0; i < b.x1; ++i)
        for (int j = b.y0; j < b.y1; ++j, from += b.z1 - b.z0)
          std::copy_n(from, b.z1 - b.z0, all.data() + grid.at(c, i, j, b.z0));
  });
  return all;
}

/// NAME_0000100.png of a series of pictures.
std::filesystem::path numbered(const std::filesystem::path& path, long step) {
  return path.parent_path() / fmt::format("{}_{:07d}{}", path.stem().string(), step, path.extension().string());
}

Field field_of(const scene::SliceOutput& slice) {
  if (const auto* component = std::get_if<scene::Component>(&slice.quantity)) return component->field;
  return std::get<Field>(slice.quantity);
}

output::Section section_of(const scene::SliceOutput& slice) {
  return {slice.axis, slice.index};
}

output::Colouring colouring_of(const scene::SliceOutput& slice) {
  output::Colouring colouring;
  if (std::holds_alternative<scene::Component>(slice.quantity)) colouring.map = output::ColourMap::diverging;
  colouring.low = slice.low;
  colouring.high = slice.high;
  colouring.zoom = slice.plain ? std::max(slice.zoom, 1) : slice.zoom;
  return colouring;
}

std::string quantity_of(const scene::SliceOutput& slice) {
  const std::string unit = unit_of(field_of(slice));
  if (const auto* of = std::get_if<scene::Component>(&slice.quantity))
    return fmt::format("{}{} ({})", name_of(of->field), "xyz"[of->axis], unit);
  return fmt::format("|{}| ({})", name_of(field_of(slice)), unit);
}

/// The cells of a graded plane as equal ones, about as many as the smallest cells ask for: which cell each shows, to
/// the right and upwards.
struct EqualCells {
  std::vector<std::int32_t> right, up;
  double side;  ///< m

  EqualCells(const output::Grid& grid, const output::Section& section) {
    constexpr double most = 1000;
    const auto length = [&](std::size_t axis) { return grid.node(axis, grid.n[axis]) - grid.node(axis, 0); };
    const std::size_t axes[2] = {section.right(), section.up()};
    side = std::max(std::min(grid.spacing[axes[0]], grid.spacing[axes[1]]),
                    std::max(length(axes[0]), length(axes[1])) / most);
    for (const std::size_t axis : axes) {
      const std::vector<double> nodes = grid.nodes(axis);
      std::vector<std::int32_t>& cells = axis == axes[0] ? right : up;
      const double count = std::max(1.0, std::round(length(axis) / side));
      for (double i = 0.5; i < count; ++i)
        cells.push_back(static_cast<std::int32_t>(index_of(nodes, nodes[0] + i / count * length(axis))));
    }
  }
  [[nodiscard]] output::Plane show(const output::Plane& plane) const {
    output::Plane shown{right.size(), up.size(), {}};
    for (const std::int32_t y : up)
      for (const std::int32_t x : right)
        shown.values.push_back(plane.values[static_cast<std::size_t>(y) * plane.width + static_cast<std::size_t>(x)]);
    return shown;
  }
};

/// What is around the picture: materials are outlined.
output::Frame frame_of(const scene::SliceOutput& slice, const Problem& problem, const output::Grid& grid, long step) {
  const double place = grid.graded() ? (grid.node(slice.axis, slice.index) + grid.node(slice.axis, slice.index + 1)) / 2
                                     : grid.origin[slice.axis] + (slice.index + 0.5) * grid.spacing[slice.axis];
  output::Frame frame{.title = fmt::format("{} = {:.4g} m, t = {:.4g} s, step {}", "xyz"[slice.axis], place,
                                           static_cast<double>(step) * problem.dt, step),
                      .quantity = quantity_of(slice),
                      .unit = "m",
                      .origin = grid.origin,
                      .spacing = grid.spacing};
  const auto size = [&](int axis) { return static_cast<std::size_t>(problem.cells[static_cast<std::size_t>(axis)]); };
  if (problem.material.size() == size(0) * size(1) * size(2))
    frame.body = [&problem, section = section_of(slice), size](std::int32_t right, std::int32_t up) {
      std::array<std::size_t, 3> cell{};
      cell[section.axis] = static_cast<std::size_t>(section.index);
      cell[section.right()] = static_cast<std::size_t>(right);
      cell[section.up()] = static_cast<std::size_t>(up);
      return int{problem.material[(cell[0] * size(1) + cell[1]) * size(2) + cell[2]]};
    };
  return frame;
}

}  // namespace

FieldFiles::FieldFiles(const Problem& problem, const std::array<double, 3>& origin,
                       const std::vector<scene::FieldOutput>& fields, const std::vector<scene::SliceOutput>& slices,
                       long from, long steps)
    : problem_(problem),
      grid_{problem.cells, origin, problem.spacing, output::Centre::cell, {"m", "s"}},
      fields_(fields),
      slices_(slices),
      from_(from),
      steps_(steps) {
  for (std::size_t a = 0; a < 3; ++a)
    for (const double x : problem.mesh.planes[a]) grid_.planes[a].push_back(origin[a] + problem.spacing[a] * x);
  const std::int64_t keep = from > 0 ? from : output::keep_nothing;
  for (const scene::FieldOutput& f : fields_) {
    if (f.file.extension() == ".h5" && rank_group().distributed())
      series_.emplace_back(output::DistributedHdf5Series(f.file, grid_, keep));
    else if (!rank_group().is_root())
      series_.emplace_back();  // rank 0 writes what all have sent to it
    else if (f.file.extension() == ".h5")
      series_.emplace_back(output::Hdf5Series(f.file, grid_, keep));
    else
      series_.emplace_back(output::VtkSeries(f.file, grid_, output::Compression::zlib, keep));
  }
  for (const scene::SliceOutput& s : slices_) output::check_picture(s.file, grid_.n, section_of(s), colouring_of(s));
}

bool FieldFiles::due(std::int64_t every, long step) const {
  return step == steps_ || (every > 0 && step % every == 0);
}

long FieldFiles::next_due(long step) const {
  long next = steps_;
  const auto look = [&](std::int64_t every) {
    if (every > 0) next = std::min(next, static_cast<long>((step / every + 1) * every));
  };
  for (const scene::FieldOutput& f : fields_) look(f.every);
  for (const scene::SliceOutput& s : slices_) look(s.every);
  return next;
}

template <class T>
void FieldFiles::write_series(std::size_t number_of_output, const std::array<std::vector<T>, 2>& values, long step) {
  const scene::FieldOutput& output = fields_[number_of_output];
  const Grid grid = whole_grid(problem_);
  std::vector<Snapshot<T>> snapshots;
  snapshots.reserve(output.fields.size());
  output::Fields<T> all;
  for (const Field field : output.fields) {
    Snapshot<T>& snapshot = snapshots.emplace_back(field, grid);
    snapshot.put(grid, {0, 0, 0}, values[number(field)].data());
    const bool centres = output.placement == scene::FieldOutput::Placement::cells;
    for (output::Field<T>& f : centres ? snapshot.at_centres() : snapshot.entries()) all.push_back(f);
  }
  const double time = static_cast<double>(step) * problem_.dt;
  if (auto* const hdf5 = std::get_if<output::Hdf5Series>(&series_[number_of_output]))
    hdf5->append(step, time, all);
  else
    std::get<output::VtkSeries>(series_[number_of_output]).append(step, time, all);
}

bool FieldFiles::of_ranks(std::size_t number_of_output) const {
  return std::holds_alternative<output::DistributedHdf5Series>(series_[number_of_output]);
}

template <class T>
void FieldFiles::write_series_of_ranks(std::size_t number_of_output, const Pieces& entries, long step) {
  const scene::FieldOutput& output = fields_[number_of_output];
  std::vector<output::DistributedField> all;
  for (const Field field : output.fields) {
    const bool centres = output.placement == scene::FieldOutput::Placement::cells;
    const DistributedArray& values = *entries[number(field)];
    for (output::DistributedField& f :
         centres ? at_centres_of_ranks<T>(field, values) : entries_of_ranks<T>(field, values))
      all.push_back(std::move(f));
  }
  std::get<output::DistributedHdf5Series>(series_[number_of_output])
      .append<T>(step, static_cast<double>(step) * problem_.dt, all);
}

template <class T>
void FieldFiles::write_slice(const scene::SliceOutput& slice, const Shown<T>& shown, long step) const {
  output::Field<T> field{name_of(field_of(slice)), shown.components};
  if (const auto* of = std::get_if<scene::Component>(&slice.quantity))
    field = {field.name + "xyz" [of->axis], { field.components[static_cast<std::size_t>(of->axis)] }};
  const std::filesystem::path path = slice.every > 0 ? numbered(slice.file, step) : slice.file;
  output::Plane plane = output::plane_of(shown.grid, field, shown.section);
  output::Frame frame = frame_of(slice, problem_, grid_, step);
  if (grid_.graded()) {
    const EqualCells cells(grid_, section_of(slice));
    plane = cells.show(plane);
    frame.spacing.fill(cells.side);
    if (frame.body)
      frame.body = [cells, body = frame.body](std::int32_t right, std::int32_t up) {
        return body(cells.right[static_cast<std::size_t>(right)], cells.up[static_cast<std::size_t>(up)]);
      };
  }
  if (slice.plain)
    output::write_png(path, plane, colouring_of(slice));
  else
    output::write_png(path, plane, colouring_of(slice), shown.section, frame);
}

template <class T>
void FieldFiles::write_as(Simulation& simulation) {
  const long step = simulation.time();
  std::array<bool, 2> wanted{};
  for (const scene::FieldOutput& f : fields_)
    if (due(f.every, step))
      for (const Field field : f.fields) wanted[number(field)] = true;
  for (const scene::SliceOutput& s : slices_)
    if (due(s.every, step)) wanted[number(field_of(s))] = true;
  const Grid grid = whole_grid(problem_);
  std::array<std::vector<T>, 2> values;
  for (const Field field : {Field::electric, Field::magnetic})
    if (wanted[number(field)]) values[number(field)] = in_layout<T>(simulation, grid, field);
  const Pause pause;
  for (std::size_t n = 0; n < fields_.size(); ++n)
    if (due(fields_[n].every, step)) write_series(n, values, step);
  for (const scene::SliceOutput& s : slices_) {
    if (!due(s.every, step)) continue;
    Snapshot<T> snapshot(field_of(s), grid);
    snapshot.put(grid, {0, 0, 0}, values[number(field_of(s))].data());
    write_slice<T>(s, {grid_, section_of(s), snapshot.at_centres()[0].components}, step);
  }
}

template <class T>
void FieldFiles::write_as_ranks(Simulation& simulation) {
  const long step = simulation.time();
  Pieces entries;
  const auto deal = [&](Field field) {
    if (!entries[number(field)]) entries[number(field)] = deal_field(simulation, problem_, field);
  };
  std::array<std::vector<T>, 2> whole;  // on rank 0, for what it writes alone
  for (std::size_t n = 0; n < fields_.size(); ++n) {
    if (!due(fields_[n].every, step)) continue;
    for (const Field field : fields_[n].fields)
      if (of_ranks(n))
        deal(field);
      else
        whole[number(field)] = in_layout<T>(simulation, whole_grid(problem_), field);
  }
  for (const scene::SliceOutput& s : slices_)
    if (due(s.every, step)) deal(field_of(s));
  const Pause pause;
  for (std::size_t n = 0; n < fields_.size(); ++n) {
    if (!due(fields_[n].every, step)) continue;
    if (of_ranks(n))
      write_series_of_ranks<T>(n, entries, step);
    else
      collective_try([&] {
        if (rank_group().is_root()) write_series(n, whole, step);
      });
  }
  for (const scene::SliceOutput& s : slices_)
    if (due(s.every, step)) write_slice_of_ranks<T>(s, *entries[number(field_of(s))], step);
}

/// Rank 0 gets the plane, a grid of one cell across it.
template <class T>
void FieldFiles::write_slice_of_ranks(const scene::SliceOutput& slice, const DistributedArray& entries,
                                      long step) const {
  output::Grid grid = grid_;
  grid.n[slice.axis] = 1;
  std::array<std::int32_t, 3> first{};
  first[slice.axis] = slice.index;
  const Box cells{first[0], first[0] + grid.n[0], first[1], first[1] + grid.n[1], first[2], first[2] + grid.n[2]};
  const std::vector<std::vector<T>> components = at_centres_on_rank_0<T>(field_of(slice), entries, cells);
  collective_try([&] {
    if (rank_group().is_root())
      write_slice<T>(slice, {grid, {slice.axis, 0}, {components.begin(), components.end()}}, step);
  });
}

void FieldFiles::write(Simulation& simulation) {
  with_precision(problem_.precision, [&](auto number) {
    rank_group().distributed() ? write_as_ranks<decltype(number)>(simulation) : write_as<decltype(number)>(simulation);
  });
}

std::vector<std::string> FieldFiles::names() const {
  std::vector<std::string> all;
  for (const scene::FieldOutput& f : fields_) all.push_back(output::list_of(f.file).string());
  for (const scene::SliceOutput& s : slices_) {
    if (s.every <= 0) {
      all.push_back(s.file.string());
      continue;
    }
    const std::string last = numbered(s.file, steps_).string();
    const std::string first = numbered(s.file, std::min(steps_, (from_ / s.every + 1) * s.every)).string();
    all.push_back(first == last ? last : fmt::format("{} to {}", first, last));
  }
  return all;
}

}  // namespace asterism::fdtd

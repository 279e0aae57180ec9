#include "taskflows/fdtd/field_files.hpp"

#include <algorithm>

#include "taskflows/fdtd/gather.hpp"
#include "taskflows/fdtd/snapshot.hpp"
#include "taskflows/output/picture.hpp"
#include "taskflows/runtime/cluster.hpp"
#include "taskflows/runtime/error.hpp"
#include "taskflows/runtime/session.hpp"

namespace asterism::fdtd {
namespace {

std::size_t number(Field field) {
  return static_cast<std::size_t>(field);
}

/// A field in the layout of the whole domain as one sub-domain; over several ranks on rank 0, nothing on the others.
template <class T>
std::vector<T> in_layout(Simulation& simulation, const Grid& grid, Field field) {
  std::vector<T> all(!simulation.dealt() || cluster().speaks() ? static_cast<std::size_t>(grid.elements()) : 0);
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
  if (std::holds_alternative<scene::Component>(slice.quantity)) colouring.map = output::ColourMap::cool_warm;
  colouring.low = slice.low;
  colouring.high = slice.high;
  colouring.zoom = slice.zoom;
  return colouring;
}

}  // namespace

FieldFiles::FieldFiles(const Problem& problem, const std::array<double, 3>& origin,
                       const std::vector<scene::FieldOutput>& fields, const std::vector<scene::SliceOutput>& slices,
                       long from, long steps)
    : problem_(problem),
      grid_{problem.cells, origin, problem.spacing, output::Centre::cell},
      fields_(fields),
      slices_(slices),
      steps_(steps) {
  const std::int64_t keep = from > 0 ? from : output::keep_nothing;
  for (const scene::FieldOutput& f : fields_) {
    if (!cluster().speaks()) break;  // rank 0 writes what all have sent to it
    if (f.file.extension() == ".h5")
      series_.emplace_back(output::Hdf5Series(f.file, grid_, keep));
    else
      series_.emplace_back(output::VtiSeries(f.file, grid_, output::Compression::zlib, keep));
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
  std::visit([&](auto& series) { series.append(step, time, all); }, series_[number_of_output]);
}

template <class T>
void FieldFiles::write_slice(const scene::SliceOutput& slice, const std::array<std::vector<T>, 2>& values,
                             long step) const {
  const Field field = field_of(slice);
  const Grid grid = whole_grid(problem_);
  Snapshot<T> snapshot(field, grid);
  snapshot.put(grid, {0, 0, 0}, values[number(field)].data());
  output::Field<T> shown = snapshot.at_centres()[0];
  if (const auto* of = std::get_if<scene::Component>(&slice.quantity))
    shown = {shown.name + "xyz" [of->axis], { shown.components[static_cast<std::size_t>(of->axis)] }};
  output::write_png(slice.every > 0 ? numbered(slice.file, step) : slice.file, grid_, shown, section_of(slice),
                    colouring_of(slice));
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
  std::array<std::vector<T>, 2> values;
  for (const Field field : {Field::electric, Field::magnetic})
    if (wanted[number(field)]) values[number(field)] = in_layout<T>(simulation, whole_grid(problem_), field);
  if (!cluster().speaks()) return;
  const Pause pause;
  for (std::size_t n = 0; n < fields_.size(); ++n)
    if (due(fields_[n].every, step)) write_series(n, values, step);
  for (const scene::SliceOutput& s : slices_)
    if (due(s.every, step)) write_slice(s, values, step);
}

void FieldFiles::write(Simulation& simulation) {
  problem_.single_precision ? write_as<float>(simulation) : write_as<double>(simulation);
}

std::vector<std::string> FieldFiles::names() const {
  std::vector<std::string> all;
  for (const scene::FieldOutput& f : fields_) all.push_back(f.file.string());
  for (const scene::SliceOutput& s : slices_) all.push_back(s.file.string());
  return all;
}

}  // namespace asterism::fdtd

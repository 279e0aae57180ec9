// SPDX-License-Identifier: Apache-2.0
// Fields and slices of a run as files, when they are due.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "io/pictures/picture.hpp"
#include "io/series/series.hpp"
#include "runtime/ranks/distributed_array.hpp"
#include "runtime/ranks/distributed_hdf5_series.hpp"
#include "taskflows/fdtd/scene/scene.hpp"
#include "taskflows/fdtd/simulation.hpp"

namespace asterism::fdtd {

class FieldFiles {
 public:
  /// `origin`: of the domain, m. `from`: the step at which the run begins; series are continued from there. `steps`: at
  /// which it ends. Throws Error (bad input) for names that cannot be written.
  FieldFiles(const Problem& problem, const std::array<double, 3>& origin, const std::vector<scene::FieldOutput>& fields,
             const std::vector<scene::SliceOutput>& slices, long from, long steps);

  /// The first step after this one at which something is due, or the end.
  [[nodiscard]] long next_due(long step) const;
  /// Writes what is due at the simulation's time; over several ranks all have to call it: each writes its part
  /// of HDF5 files, rank 0 the others. Throws Error (failed).
  void write(Simulation& simulation);
  /// Names of files; a series of pictures is named by its first and its last: "a_0000010.png to a_0000050.png".
  [[nodiscard]] std::vector<std::string> names() const;

 private:
  /// Files of this process; none where another one writes.
  using Series = std::variant<std::monostate, output::VtkSeries, output::Hdf5Series, output::DistributedHdf5Series>;
  /// Values of all entries, by field.
  using Pieces = std::array<std::optional<DistributedArray>, 2>;
  [[nodiscard]] bool due(std::int64_t every, long step) const;
  [[nodiscard]] bool of_ranks(std::size_t number) const;
  template <class T>
  void write_as(Simulation& simulation);
  template <class T>
  void write_as_ranks(Simulation& simulation);
  template <class T>
  void write_series_of_ranks(std::size_t number, const Pieces& entries, long step);
  template <class T>
  void write_slice_of_ranks(const scene::SliceOutput& slice, const DistributedArray& entries, long step) const;
  template <class T>
  void write_series(std::size_t number, const std::array<std::vector<T>, 2>& values, long step);
  /// A field at centres of cells, and the plane of it that is in a picture.
  template <class T>
  struct Shown {
    output::Grid grid;
    output::Section section;
    std::vector<std::span<const T>> components;
  };
  template <class T>
  void write_slice(const scene::SliceOutput& slice, const Shown<T>& shown, long step) const;

  const Problem& problem_;
  output::Grid grid_;
  std::vector<scene::FieldOutput> fields_;
  std::vector<scene::SliceOutput> slices_;
  std::vector<Series> series_;
  long from_;
  long steps_;
};

}  // namespace asterism::fdtd

// Fields and slices of a run as files, when they are due.
#pragma once

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "taskflows/fdtd/scene.hpp"
#include "taskflows/fdtd/simulation.hpp"
#include "taskflows/output/series.hpp"

namespace asterism::fdtd {

class FieldFiles {
 public:
  /// `origin`: of the domain, m. `from`: the step at which the run begins; series are continued from there. `steps`: at
  /// which it ends. Throws Error (bad input) for names that cannot be written.
  FieldFiles(const Problem& problem, const std::array<double, 3>& origin, const std::vector<scene::FieldOutput>& fields,
             const std::vector<scene::SliceOutput>& slices, long from, long steps);

  /// The first step after this one at which something is due, or the end.
  [[nodiscard]] long next_due(long step) const;
  /// Writes what is due at the simulation's time; over several ranks all have to call it, and rank 0 writes. Throws
  /// Error (failed).
  void write(Simulation& simulation);
  [[nodiscard]] std::vector<std::string> names() const;

 private:
  using Series = std::variant<output::VtiSeries, output::Hdf5Series>;
  [[nodiscard]] bool due(std::int64_t every, long step) const;
  template <class T>
  void write_as(Simulation& simulation);
  template <class T>
  void write_series(std::size_t number, const std::array<std::vector<T>, 2>& values, long step);
  template <class T>
  void write_slice(const scene::SliceOutput& slice, const std::array<std::vector<T>, 2>& values, long step) const;

  const Problem& problem_;
  output::Grid grid_;
  std::vector<scene::FieldOutput> fields_;
  std::vector<scene::SliceOutput> slices_;
  std::vector<Series> series_;
  long steps_;
};

}  // namespace asterism::fdtd

// SPDX-License-Identifier: Apache-2.0
// What a run of asterism-tdbem writes while it marches and at its end: over several ranks, which call this together,
// rank 0 writes.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "apps/tdbem/arguments.hpp"
#include "taskflows/tdbem/checkpoint.hpp"
#include "taskflows/tdbem/results/observer_file.hpp"
#include "taskflows/tdbem/results/picture.hpp"
#include "taskflows/tdbem/results/surface_series.hpp"
#include "taskflows/tdbem/simulation.hpp"

namespace asterism::apps::tdbem {

class Output {
 public:
  /// `begin`: steps that are done; outputs of later steps in a series that exists already are dropped.
  Output(const FileOptions& options, const asterism::tdbem::Problem& problem, std::int64_t begin, std::int64_t steps);

  /// Is anything to be written of steps [first, end)? A checkpoint if it is due after step end - 1.
  [[nodiscard]] bool due(std::int64_t first, std::int64_t end) const;
  /// Values of the last group that are due, pictures of them, the checkpoint.
  template <class T>
  void write(asterism::tdbem::Simulation<T>& simulation, const asterism::tdbem::Method& method);
  /// Pressure at observers, and the last checkpoint.
  template <class T>
  void finish(asterism::tdbem::Simulation<T>& simulation, const asterism::tdbem::Method& method);

  /// The checkpoint.
  template <class T>
  void write_state(asterism::tdbem::Simulation<T>& simulation, const asterism::tdbem::Method& method);

  [[nodiscard]] const std::vector<std::string>& written() const { return written_; }
  /// What was left of the signals that spectra were made of; known after finish().
  [[nodiscard]] const asterism::tdbem::LeftAtEnd& left() const { return left_at_end_; }

 private:
  [[nodiscard]] bool due_at(std::int64_t step) const;
  [[nodiscard]] bool checkpoint_due(std::int64_t first, std::int64_t end) const;
  void note(const std::string& name);
  void draw_spectra(const std::string& csv);

  const FileOptions& options_;
  const asterism::tdbem::Problem& problem_;
  std::int64_t steps_;
  std::unique_ptr<asterism::tdbem::SurfaceSeries> series_;
  double range_ = 0;  ///< of pictures: the largest value so far
  std::vector<std::string> written_;
  asterism::tdbem::LeftAtEnd left_at_end_;
};

}  // namespace asterism::apps::tdbem

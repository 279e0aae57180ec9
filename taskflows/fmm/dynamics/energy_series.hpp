// SPDX-License-Identifier: Apache-2.0
// What a motion keeps, step by step: a table (CSV) and a chart.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <vector>

#include "taskflows/fmm/dynamics/invariants.hpp"
#include "taskflows/fmm/motion.hpp"
#include "taskflows/fmm/units.hpp"

namespace asterism::fmm {

class EnergySeries {
 public:
  /// `radii`: with the Lagrangian radii, of particles whose charges are masses.
  EnergySeries(const Units& units, bool radii) : units_(units), radii_(radii) {}

  /// Takes the steps up to this one from a table that write() made; nothing where there is no such file. Throws Error
  /// (bad_input), naming the line, for another table.
  void read(const std::filesystem::path& path, std::int64_t last);
  /// Steps ascend; one that is there already stays as it is. All ranks call it.
  void append(std::int64_t step, double time, const Invariants& invariants, const Particles& particles);

  /// The radii of the first and of the last step.
  struct Radii {
    std::array<double, lagrangian_shares.size()> first{}, last{};
  };
  [[nodiscard]] Radii radii() const { return {rows_.front().radii, rows_.back().radii}; }

  /// step,time,kinetic,potential,total, momentum and angular momentum (x, y, z) and radii, units in the header.
  void write(const std::filesystem::path& path) const;
  /// Kinetic, potential and total energy over time, PNG.
  void draw(const std::filesystem::path& path) const;

 private:
  struct Row {
    std::int64_t step = 0;
    double time = 0;
    Invariants invariants;
    std::array<double, lagrangian_shares.size()> radii{};
  };
  [[nodiscard]] std::string header() const;

  Units units_;
  bool radii_;
  std::vector<Row> rows_;
};

}  // namespace asterism::fmm

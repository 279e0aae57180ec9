// SPDX-License-Identifier: Apache-2.0
// Tables 1, 2 and 4 of the FMM paper: M2L operators by relative position, and the octrees of its particles.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "apps/reproduce/experiment.hpp"
#include "apps/reproduce/fmm/experiments.hpp"
#include "codelets/fmm/kernels/far/m2l_operators.hpp"
#include "io/mesh/space_filling.hpp"
#include "taskflows/fmm/particles/generate.hpp"

namespace asterism::apps::reproduce {
namespace {

using namespace asterism::fmm;

/// Unique operators, the paper's p.
constexpr int primitives = 16;
/// Cells as far apart as this are adjacent; those of adjacent parents are at most three apart.
constexpr int adjacent = 1;
constexpr int farthest = 3;

bool interacts(const std::array<int, 3>& t) {
  return std::max({std::abs(t[0]), std::abs(t[1]), std::abs(t[2])}) > adjacent;
}

class Operators final : public Experiment {
 public:
  Operators() : Experiment("fmm-table2", "FMM paper, Tables 1 and 2: columns and ranks of the 16 M2L operators") {}

  void add_options(CLI::App& app) override {
    app.add_option("--orders", orders_, "l, with epsilon 10^-l")->check(CLI::Range(2, 9))->capture_default_str();
  }

  [[nodiscard]] Outcome run(const Paper&) const override {
    Outcome outcome;
    outcome.settings = {{"orders", orders_}};
    std::vector<int> columns(primitives, 0);
    // the interaction list of a cell in the lower corner of its parent
    for (int x = adjacent - farthest; x <= farthest; ++x)
      for (int y = adjacent - farthest; y <= farthest; ++y)
        for (int z = adjacent - farthest; z <= farthest; ++z)
          if (interacts({x, y, z})) ++columns[primitive_of({x, y, z})];
    const auto column = figures_of(outcome.figures, "Table 1: columns");
    for (std::size_t p = 0; p < columns.size(); ++p) column(fmt::format("p = {}", p), columns[p]);
    for (const int order : orders_) {
      const BasisChoice choice{order, -1};
      const auto inverse_distance = [](double r2) { return 1 / std::sqrt(r2); };
      const auto operators =
          primitive_operators(Basis(choice), interpolation_nodes(choice), inverse_distance, 1, std::pow(10., -order));
      const auto rank = figures_of(outcome.figures, fmt::format("Table 2: rank, l = {}", order));
      for (std::size_t p = 0; p < operators.size(); ++p) rank(fmt::format("p = {}", p), operators[p].rank);
    }
    return outcome;
  }

 private:
  std::vector<int> orders_{3, 5, 7};
};

/// The cells of a level that hold particles, in Morton order, and how many each holds.
struct Leaves {
  std::vector<std::uint64_t> key;
  std::vector<double> particles;
};

Leaves leaves_of(const Particles& particles, int level) {
  const auto cells = static_cast<double>(std::int64_t{1} << level);
  std::vector<std::uint64_t> keys(particles.size());
  const auto place = [&](double x) { return static_cast<std::uint64_t>(std::clamp(x * cells, 0., cells - 1)); };
  for (std::size_t i = 0; i < keys.size(); ++i)
    keys[i] = morton(place(particles.x[i]), place(particles.y[i]), place(particles.z[i]));
  std::sort(keys.begin(), keys.end());
  Leaves leaves;
  for (const std::uint64_t key : keys) {
    if (leaves.key.empty() || leaves.key.back() != key) {
      leaves.key.push_back(key);
      leaves.particles.push_back(0);
    }
    ++leaves.particles.back();
  }
  return leaves;
}

/// Cells that are not empty in the interaction list of each leaf.
std::vector<double> interactions_of(const Leaves& leaves, int level) {
  const int most = (1 << level) - 1;
  std::vector<double> count(leaves.key.size(), 0);
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < count.size(); ++i) {
    std::array<int, 3> cell{};
    for (std::size_t axis = 0; axis < 3; ++axis) cell[axis] = static_cast<int>(collect_bits(leaves.key[i] >> axis));
    const auto first = [&](std::size_t axis) { return std::max(0, 2 * (cell[axis] / 2 - 1)); };
    const auto last = [&](std::size_t axis) { return std::min(most, 2 * (cell[axis] / 2 + 1) + 1); };
    for (int x = first(0); x <= last(0); ++x)
      for (int y = first(1); y <= last(1); ++y)
        for (int z = first(2); z <= last(2); ++z)
          if (interacts({x - cell[0], y - cell[1], z - cell[2]}) &&
              std::binary_search(
                  leaves.key.begin(), leaves.key.end(),
                  morton(static_cast<std::uint64_t>(x), static_cast<std::uint64_t>(y), static_cast<std::uint64_t>(z))))
            ++count[i];
  }
  return count;
}

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

/// The mean distance of the values from their mean.
double mean_difference(const std::vector<double>& values) {
  const double middle = mean(values);
  double sum = 0;
  for (const double value : values) sum += std::abs(value - middle);
  return sum / static_cast<double>(values.size());
}

class Octrees final : public Experiment {
 public:
  Octrees() : Experiment("fmm-table4", "FMM paper, Table 4: octrees of the cube and of the ellipsoid") {}

  void add_options(CLI::App& app) override {
    app.add_option("--particles", particles_, "Particles of each case")
        ->check(CLI::Range(1000, 1'000'000'000))
        ->capture_default_str();
  }

  [[nodiscard]] Outcome run(const Paper&) const override {
    Outcome outcome;
    outcome.settings = {{"particles", particles_}};
    const auto count = static_cast<std::size_t>(particles_);
    add("Cube, height 7", cube(count, 1, Charges::ones), 6, outcome.figures);
    add("Ellipsoid, height 11", tilted_ellipsoid(count, 1, Charges::ones), 10, outcome.figures);
    return outcome;
  }

 private:
  static void add(const std::string& section, const Particles& particles, int level, OurFigures& figures) {
    const Leaves leaves = leaves_of(particles, level);
    const auto figure = figures_of(figures, section);
    figure("leaves", static_cast<double>(leaves.key.size()));
    figure("particles per leaf, average", mean(leaves.particles));
    figure("particles per leaf, minimum", *std::min_element(leaves.particles.begin(), leaves.particles.end()));
    figure("particles per leaf, maximum", *std::max_element(leaves.particles.begin(), leaves.particles.end()));
    figure("particles per leaf, average difference", mean_difference(leaves.particles));
    const std::vector<double> interactions = interactions_of(leaves, level);
    figure("M2L per leaf, average", mean(interactions));
    figure("M2L per leaf, average difference", mean_difference(interactions));
    // of all cells but the leaves
    std::vector<std::uint64_t> keys = leaves.key;
    double children = 0;
    double parents = 0;
    for (int l = level; l > 0; --l) {
      children += static_cast<double>(keys.size());
      for (std::uint64_t& key : keys) key >>= 3;
      keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
      parents += static_cast<double>(keys.size());
    }
    figure("sub-cells per cell, average", children / parents);
  }

  std::int64_t particles_ = 30'000'000;
};

}  // namespace

std::unique_ptr<Experiment> fmm_table2() {
  return std::make_unique<Operators>();
}

std::unique_ptr<Experiment> fmm_table4() {
  return std::make_unique<Octrees>();
}

}  // namespace asterism::apps::reproduce

// SPDX-License-Identifier: Apache-2.0
// Table 4 and section 7.4.1 of the TD-BEM paper: the matrices of an airplane, and how many blocks Full-Blocking cuts
// under three numberings of the unknowns.
#include <fmt/format.h>

#include <filesystem>
#include <map>

#include "apps/common/options.hpp"
#include "apps/reproduce/data_file.hpp"
#include "apps/reproduce/experiment.hpp"
#include "apps/reproduce/tdbem/airplane_runs.hpp"
#include "apps/reproduce/tdbem/experiments.hpp"
#include "taskflows/tdbem/matrices/matrix_statistics.hpp"
#include "taskflows/tdbem/surface/ordering.hpp"
#include "taskflows/tdbem/surface/refine.hpp"

namespace asterism::apps::reproduce {
namespace {

using namespace asterism::tdbem;

constexpr std::int32_t rows_of_table[] = {32, 64, 128};          // b_r
constexpr std::int32_t columns_of_table[] = {16, 32, 64, 128};   // b_c
constexpr const char* own_mesh = "meshes/airliner_fine.off.gz";  // numbered by its generator
constexpr double speed_of_sound = 343;                           // m/s; only c dt counts

struct Numbering {
  std::string name;  ///< in the paper's file
  Ordering ordering;
};
const std::vector<Numbering> numberings = {
    {"no ordering", Ordering::mesh}, {"Morton", Ordering::morton}, {"Hilbert", Ordering::hilbert}};

/// The shapes of the table, b_r x b_c, as blocks of b_c rows and b_r lags (see the notes of the paper's file).
std::map<std::string, BlockShape> shapes_of_table() {
  std::map<std::string, BlockShape> shapes;
  for (const std::int32_t rows : rows_of_table)
    for (const std::int32_t columns : columns_of_table) shapes[fmt::format("{} x {}", rows, columns)] = {columns, rows};
  return shapes;
}

class Table4 final : public Experiment {
 public:
  Table4()
      : Experiment("tdbem-table4",
                   "TD-BEM paper, Table 4 and section 7.4.1: an airplane's matrices, blocks of Full-Blocking by "
                   "numbering") {}

  void add_options(CLI::App& app) override {
    app.add_option("--mesh", mesh_, fmt::format("Closed surface (default: {} of data/ or $ASTERISM_DATA)", own_mesh));
    app.add_option("--unknowns", unknowns_, "At least so many: longest edges are bisected")
        ->check(CLI::Range(4, 1 << 20))
        ->capture_default_str();
    app.add_option("--courant", courant_, "c dt over the mean edge")->check(positive_number())->capture_default_str();
  }

  [[nodiscard]] Outcome run(const Paper& paper) const override {
    const std::filesystem::path file = data_file("--mesh", mesh_, own_mesh);
    mesh::TriangleMesh mesh = mesh::read_mesh(file);
    Surface surface = prepare_surface(mesh);
    std::vector<std::int32_t> beside;
    if (unknowns_ > surface.unknowns()) {
      beside = bisect_longest_edges(mesh, unknowns_);
      surface = prepare_surface(mesh);
    }
    const Discretisation d{Boundary::rigid, speed_of_sound, courant_ * surface.edges.mean / speed_of_sound};
    const std::map<std::string, BlockShape> table = shapes_of_table();
    std::vector<BlockShape> shapes;
    for (const auto& [name, shape] : table) shapes.push_back(shape);
    std::vector<std::vector<std::int32_t>> orders;
    for (const Numbering& numbering : numberings)
      orders.push_back(numbering.ordering == Ordering::mesh ? order_beside(beside, surface.unknowns())
                                                            : order_of(surface.vertices, numbering.ordering));
    const MatrixStatistics found = matrix_statistics(surface, PairRules(), d, orders, shapes);

    Outcome outcome;
    outcome.settings = {{"mesh", file.filename().string()},
                        {"unknowns", surface.unknowns()},
                        {"courant", courant_},
                        {"time_step", d.step},
                        {"mean_edge", surface.edges.mean},
                        {"diameter", surface.diameter},
                        {"values_of_initial_matrix", found.counts.initial}};
    add_airplane(surface, found, outcome.figures);
    for (std::size_t o = 0; o < numberings.size(); ++o) {
      outcome.figures[{"Score of the numbering", numberings[o].name}] = {found.numberings[o].score};
      auto blocks = found.numberings[o].blocks.begin();
      for (const auto& [name, shape] : table)
        add_blocks(numberings[o].name, name, shape, paper.input("rates", name), *blocks++, outcome.figures);
    }
    return outcome;
  }

 private:
  static void add_airplane(const Surface& surface, const MatrixStatistics& found, OurFigures& figures) {
    const LagCounts& counts = found.counts;
    const auto values = static_cast<double>(counts.values);
    const auto airplane = figures_of(figures, "The airplane");
    airplane("unknowns N", surface.unknowns());
    airplane("Kmax", counts.largest_lag);
    airplane("values, k >= 1", values);
    airplane("dmax", counts.longest);
    airplane("mean row-vector", counts.mean_length());
    airplane("non-zeros of Contiguous-Blocking, %", percent * counts.mean_length() / counts.longest);
    const double unknowns = surface.unknowns();
    const double product = 2 * values, solution = 2 * unknowns * unknowns;
    airplane("GFlop of a step's summation", product * 1e-9);
    airplane("GFlop of all steps", steps_of_simulation * (product + solution) * 1e-9);
    // section 5.2: N b_c values and N integers for each of N slices
    airplane("GB of Contiguous-Blocking, single precision",
             unknowns * unknowns * (counts.longest * sizeof(float) + sizeof(std::int32_t)) * 1e-9);
    airplane("non-zeros of panels of 32 rows by Hilbert, %",
             percent * values / static_cast<double>(found.numberings.back().padded_values));
  }

  /// `gflops`: rate of such blocks.
  static void add_blocks(const std::string& numbering, const std::string& name, const BlockShape& shape, double gflops,
                         const BlockCounts& counts, OurFigures& figures) {
    const double flop = 2.0 * shape.rows * shape.columns;  // of a block and one vector
    std::optional<double> blocks, share, seconds;
    if (counts.blocks > 0) {  // they are as wide as the longest row-vector
      blocks = static_cast<double>(counts.blocks) * 1e-6;
      share = percent * counts.share(shape);
      seconds = static_cast<double>(counts.blocks) * flop / (gflops * 1e9);
    }
    figures_of(figures, "Blocks, " + numbering)(name, blocks);
    figures_of(figures, "Non-zeros in blocks, " + numbering)(name, share);
    figures_of(figures, "Estimated time E, " + numbering)(name, seconds);
  }

  std::string mesh_;
  std::int32_t unknowns_ = airplane_unknowns;
  double courant_ = 0.5;
};

}  // namespace

std::unique_ptr<Experiment> tdbem_table4() {
  return std::make_unique<Table4>();
}

}  // namespace asterism::apps::reproduce

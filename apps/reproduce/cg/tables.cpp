// SPDX-License-Identifier: Apache-2.0
// Tables 2 to 5 of the conjugate gradient paper: multi-GPU rates, and what they say of granularity and pipeline.
#include <fmt/format.h>

#include "apps/reproduce/cg/experiments.hpp"
#include "apps/reproduce/cg/runs.hpp"
#include "apps/reproduce/simulated_experiment.hpp"

namespace asterism::apps::reproduce {
namespace {

/// Definitions 1 to 5 (section 8), of the matrix whole and split on one GPU, and of the best on all.
void add_efficiencies(OurFigures& figures, const std::string& section, const nlohmann::json& whole_record,
                      const nlohmann::json& split_record, const nlohmann::json& best_record) {
  const double whole = milliseconds(whole_record), split = milliseconds(split_record), best = milliseconds(best_record);
  const auto efficiency = figures_of(figures, section);
  efficiency("S", whole / best);
  efficiency("e", whole / best / most_gpus);
  efficiency("e_granularity", whole / split);
  efficiency("e_pipeline", split / best / most_gpus);
}

/// What yields the best overall performance; and the split matrix on one GPU, T_b(1) of definition 3.
const CgCase best_case{most_gpus, most_gpus, "1D", "packed"};
const CgCase split_case{most_gpus, 1, "1D", "packed"}, split_case_2d{most_gpus, 1, "2D", "packed"};

/// Those of a table, and the split matrix on one GPU, which no table has.
std::vector<CgCase> cases_of_table() {
  std::vector<CgCase> cases{{}};
  for (int gpus = 2; gpus <= most_gpus; ++gpus)
    for (const char* decomposition : {"1D", "2D"})
      for (const char* exchange : {"full", "packed"}) cases.push_back({gpus, gpus, decomposition, exchange});
  cases.push_back(split_case);
  cases.push_back(split_case_2d);
  return cases;
}

class Table : public SimulatedExperiment {
 public:
  Table(int number, const std::string& matrix)
      : SimulatedExperiment(
            fmt::format("cg-table{}", number),
            fmt::format("CG paper, Tables {} and 5: {} on one to three M2070, simulated", number, matrix)) {}

 private:
  virtual void add_matrix_options(CLI::App& app) = 0;
  [[nodiscard]] virtual CgMatrix matrix() const = 0;

  void add_own_options(CLI::App& app) override {
    add_matrix_options(app);
    app.add_option("--iterations", iterations_, "Iterations of each run")
        ->check(CLI::Range(64, 100000))
        ->capture_default_str();
  }
  [[nodiscard]] nlohmann::json settings() const override { return {{"iterations", iterations_}}; }

  [[nodiscard]] std::vector<Simulation> runs() const override {
    std::vector<Simulation> all;
    for (const Transfers& transfers : all_transfers)
      for (const CgCase& c : cases_of_table()) all.push_back(simulation_of(matrix(), c, transfers, iterations_));
    return all;
  }

  void add_figures(const std::vector<nlohmann::json>& records, OurFigures& figures) const override {
    const std::vector<CgCase> cases = cases_of_table();
    for (std::size_t t = 0; t < all_transfers.size(); ++t) {
      const std::string& name = all_transfers[t].name;
      const auto* const of = &records[t * cases.size()];
      const auto rate = figures_of(figures, name);
      const std::size_t in_table = cases.size() - 2;
      for (std::size_t i = 0; i < in_table; ++i) rate(cases[i].name(), operations(of[i]) / milliseconds(of[i]) * 1e-6);
      const std::string efficiencies = "Speed-up and efficiency of 3 GPUs, 1D packed, " + name;
      for (std::size_t i = 0; i < in_table; ++i)
        if (cases[i].name() == best_case.name()) add_efficiencies(figures, efficiencies, of[0], of[in_table], of[i]);
      figures_of(figures, efficiencies)("e_granularity of 2D", milliseconds(of[0]) / milliseconds(of[in_table + 1]));
    }
  }

  int iterations_ = 160;
};

class StencilTable final : public Table {
 public:
  StencilTable(int number, int points) : Table(number, fmt::format("11pts-{}", points)), points_(points) {}

 private:
  void add_matrix_options(CLI::App& app) override {
    app.add_option("--points", points_, "Points of the grid along each axis")
        ->check(CLI::Range(8, 512))
        ->capture_default_str();
  }
  [[nodiscard]] CgMatrix matrix() const override {
    return {{"--stencil", fmt::format("11pts-{}", points_)}, "nehalem-m2070-rows"};
  }

  int points_;
};

class BracketTable final : public Table {
 public:
  BracketTable() : Table(4, "a matrix like audikw_1") {}

 private:
  void add_matrix_options(CLI::App& app) override { bracket_.add_options(app); }
  [[nodiscard]] CgMatrix matrix() const override { return bracket_.matrix(); }

  Bracket bracket_;
};

}  // namespace

std::unique_ptr<Experiment> cg_table2() {
  return std::make_unique<StencilTable>(2, 256);
}

std::unique_ptr<Experiment> cg_table3() {
  return std::make_unique<StencilTable>(3, 128);
}

std::unique_ptr<Experiment> cg_table4() {
  return std::make_unique<BracketTable>();
}

}  // namespace asterism::apps::reproduce

// SPDX-License-Identifier: Apache-2.0
// Tables 2 to 5 of the conjugate gradient paper: multi-GPU rates, and what they say of granularity and pipeline.
#include <fmt/format.h>

#include "apps/reproduce/cg/experiments.hpp"
#include "apps/reproduce/data_file.hpp"
#include "apps/reproduce/simulated_experiment.hpp"

namespace asterism::apps::reproduce {
namespace {

constexpr int most_gpus = 3;

/// How GPUs exchange data (section 5.1), in the paper's words; and StarPU's own variable for it.
struct Transfers {
  std::string name;
  const char* direct;
};
const std::vector<Transfers> all_transfers = {{"GPU - CPU - GPU", "0"}, {"GPU - GPU", "1"}};

/// A run: b block-rows on p GPUs.
struct Case {
  int blocks = 1, gpus = 1;
  std::string decomposition = "1D", exchange = "full";

  [[nodiscard]] std::string name() const {
    return gpus == 1 ? "1 GPU" : fmt::format("{} GPUs, {} {}", gpus, decomposition, exchange);
  }
};

/// A solver's run on a matrix: its options, and the machine where SpMV is as fast as on the paper's with it.
struct Matrix {
  std::vector<std::string> options;
  const char* platform;
};

Simulation simulation_of(const Matrix& matrix, const Case& c, const Transfers& transfers, int iterations) {
  Simulation s;
  s.label = fmt::format("{}, {}", c.blocks == c.gpus ? c.name() : fmt::format("1 GPU, {} block-rows", c.blocks),
                        transfers.name);
  s.solver = "cg";
  s.platform = matrix.platform;
  s.arguments = matrix.options;
  s.arguments.insert(s.arguments.end(), {"--flow",          "refined",
                                         "--format",        "csr",
                                         "--balance",       "nonzeros",
                                         "--cpus",          "0",
                                         "--gpus",          std::to_string(c.gpus),
                                         "--blocks",        std::to_string(c.blocks),
                                         "--transfer",      c.exchange,
                                         "--decomposition", c.decomposition == "1D" ? "1d" : "2d",
                                         "--column-order",  c.decomposition == "1D" ? "ascending" : "local-first",
                                         "--iterations",    std::to_string(iterations)});
  s.environment = {{"STARPU_ENABLE_CUDA_GPU_GPU_DIRECT", transfers.direct}};
  return s;
}

/// Floating-point operations of an iteration: 2 nnz of the product, and 9 N of the vectors (section 6.1: 2 N of a dot
/// or an axpy, two of each, and N more), with which the paper's rates and its times agree.
double operations(const nlohmann::json& record) {
  const nlohmann::json& matrix = record.at("matrix");
  return 2 * matrix.at("nonzeros").get<double>() + 9 * matrix.at("rows").get<double>();
}

/// Median over the iterations: without the first transfers of the matrix, which the paper does not time (5.4).
double milliseconds(const nlohmann::json& record) {
  return record.at("ms_per_iteration").get<double>();
}

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
const Case best_case{most_gpus, most_gpus, "1D", "packed"}, split_case{most_gpus, 1, "1D", "packed"};

/// Those of a table, and the split matrix on one GPU, which no table has.
std::vector<Case> cases_of_table() {
  std::vector<Case> cases{{}};
  for (int gpus = 2; gpus <= most_gpus; ++gpus)
    for (const char* decomposition : {"1D", "2D"})
      for (const char* exchange : {"full", "packed"}) cases.push_back({gpus, gpus, decomposition, exchange});
  cases.push_back(split_case);
  return cases;
}

class Table : public SimulatedExperiment {
 public:
  /// SpMV is as fast on `platform` as on the paper's machine with this matrix.
  Table(int number, const std::string& matrix, const char* platform)
      : SimulatedExperiment(
            fmt::format("cg-table{}", number),
            fmt::format("CG paper, Tables {} and 5: {} on one to three M2070, simulated", number, matrix)),
        platform_(platform) {}

 private:
  virtual void add_matrix_options(CLI::App& app) = 0;
  /// The options of asterism-cg that choose the matrix.
  [[nodiscard]] virtual std::vector<std::string> matrix() const = 0;

  void add_own_options(CLI::App& app) override {
    add_matrix_options(app);
    app.add_option("--iterations", iterations_, "Of each run")->check(CLI::Range(64, 100000))->capture_default_str();
  }
  [[nodiscard]] nlohmann::json settings() const override { return {{"iterations", iterations_}}; }

  [[nodiscard]] std::vector<Simulation> runs() const override {
    std::vector<Simulation> all;
    for (const Transfers& transfers : all_transfers)
      for (const Case& c : cases_of_table())
        all.push_back(simulation_of({matrix(), platform_}, c, transfers, iterations_));
    return all;
  }

  void add_figures(const std::vector<nlohmann::json>& records, OurFigures& figures) const override {
    const std::vector<Case> cases = cases_of_table();
    for (std::size_t t = 0; t < all_transfers.size(); ++t) {
      const std::string& name = all_transfers[t].name;
      const auto* const of = &records[t * cases.size()];
      const auto rate = figures_of(figures, name);
      for (std::size_t i = 0; i + 1 < cases.size(); ++i)
        rate(cases[i].name(), operations(of[i]) / milliseconds(of[i]) * 1e-6);
      for (std::size_t i = 0; i + 1 < cases.size(); ++i)
        if (cases[i].name() == best_case.name())
          add_efficiencies(figures, "Speed-up and efficiency of 3 GPUs, 1D packed, " + name, of[0],
                           of[cases.size() - 1], of[i]);
    }
  }

  const char* platform_;
  int iterations_ = 160;
};

class StencilTable final : public Table {
 public:
  StencilTable(int number, int points)
      : Table(number, fmt::format("11pts-{}", points), "nehalem-m2070"), points_(points) {}

 private:
  void add_matrix_options(CLI::App& app) override {
    app.add_option("--points", points_, "Of the grid along each axis")
        ->check(CLI::Range(8, 512))
        ->capture_default_str();
  }
  [[nodiscard]] std::vector<std::string> matrix() const override {
    return {"--stencil", fmt::format("11pts-{}", points_)};
  }

  int points_;
};

/// Finite elements of a bracket with thin ribs, fillets and holes, as irregular as those of a crankshaft, audikw_1.
class BracketTable final : public Table {
 public:
  BracketTable() : Table(4, "a matrix like audikw_1", "nehalem-m2070-long-rows") {}

 private:
  void add_matrix_options(CLI::App& app) override {
    app.add_option("--mesh", mesh_, "Tetrahedra (default: meshes/bracket_fine.msh.gz of data/ or $ASTERISM_DATA)");
    app.add_option("--element", element_, "p1 or p2")->check(CLI::IsMember({"p1", "p2"}))->capture_default_str();
    app.add_option("--numbering", numbering_, "Of the nodes, mesh or rcm; the paper permutes nothing")
        ->check(CLI::IsMember({"mesh", "rcm"}))
        ->capture_default_str();
  }
  [[nodiscard]] std::vector<std::string> matrix() const override {
    return {"--mesh",      data_file("--mesh", mesh_, "meshes/bracket_fine.msh.gz").string(),
            "--element",   element_,
            "--numbering", numbering_};
  }

  std::string mesh_, element_ = "p2", numbering_ = "mesh";
};

/// Table 5 alone, of both stencils.
class Efficiencies final : public SimulatedExperiment {
 public:
  Efficiencies()
      : SimulatedExperiment("cg-table5", "CG paper, Table 5: speed-up and efficiency of three M2070, simulated") {}

 private:
  void add_own_options(CLI::App& app) override {
    app.add_option("--points", points_, "Of the two grids along each axis")
        ->expected(2)
        ->check(CLI::Range(8, 512))
        ->capture_default_str();
    app.add_option("--iterations", iterations_, "Of each run")->check(CLI::Range(64, 100000))->capture_default_str();
  }
  [[nodiscard]] nlohmann::json settings() const override { return {{"iterations", iterations_}}; }

  [[nodiscard]] std::vector<Simulation> runs() const override {
    std::vector<Simulation> all;
    for (const int points : points_) {
      const std::string stencil = fmt::format("11pts-{}", points);
      for (const Transfers& transfers : all_transfers)
        for (const Case& c : {Case{}, split_case, best_case}) {
          all.push_back(simulation_of({{"--stencil", stencil}, "nehalem-m2070"}, c, transfers, iterations_));
          all.back().label = fmt::format("{}, {}", stencil, all.back().label);
        }
    }
    return all;
  }

  void add_figures(const std::vector<nlohmann::json>& records, OurFigures& figures) const override {
    const nlohmann::json* of = records.data();
    for (const char* stencil : {"11pts-256", "11pts-128"})
      for (const Transfers& transfers : all_transfers) {
        add_efficiencies(figures, fmt::format("{}, {}", stencil, transfers.name), of[0], of[1], of[2]);
        of += 3;
      }
  }

  std::vector<int> points_{256, 128};
  int iterations_ = 160;
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

std::unique_ptr<Experiment> cg_table5() {
  return std::make_unique<Efficiencies>();
}

}  // namespace asterism::apps::reproduce

// Tables 2 to 5 of the conjugate gradient paper: multi-GPU rates, and what they say of granularity and pipeline.
#include <fmt/format.h>

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

/// Those of a table; the last is the split matrix on one GPU, T_b(1) of definition 3, which no table has.
std::vector<Case> cases_of_table() {
  std::vector<Case> cases{{}};
  for (int gpus = 2; gpus <= most_gpus; ++gpus)
    for (const char* decomposition : {"1D", "2D"})
      for (const char* exchange : {"full", "packed"}) cases.push_back({gpus, gpus, decomposition, exchange});
  cases.push_back({most_gpus, 1, "1D", "packed"});
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
  /// Of asterism-cg.
  [[nodiscard]] virtual std::vector<std::string> matrix() const = 0;

  void add_own_options(CLI::App& app) override {
    add_matrix_options(app);
    app.add_option("--iterations", iterations_, "Of each run")->check(CLI::Range(64, 100000))->capture_default_str();
  }
  [[nodiscard]] nlohmann::json settings() const override { return {{"iterations", iterations_}}; }

  [[nodiscard]] std::vector<Simulation> runs() const override {
    std::vector<Simulation> all;
    for (const Transfers& transfers : all_transfers)
      for (const Case& c : cases_of_table()) all.push_back(simulation(c, transfers));
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
      // definitions 1 to 5; the best is 1D, packed, on all GPUs
      double best = 0;
      for (std::size_t i = 0; i + 1 < cases.size(); ++i)
        if (cases[i].name() == fmt::format("{} GPUs, 1D packed", most_gpus)) best = milliseconds(of[i]);
      const double whole = milliseconds(of[0]), split = milliseconds(of[cases.size() - 1]);
      const auto efficiency = figures_of(figures, "Speed-up and efficiency of 3 GPUs, 1D packed, " + name);
      efficiency("S", whole / best);
      efficiency("e", whole / best / most_gpus);
      efficiency("e_granularity", whole / split);
      efficiency("e_pipeline", split / best / most_gpus);
    }
  }

  [[nodiscard]] Simulation simulation(const Case& c, const Transfers& transfers) const {
    Simulation s;
    s.label = fmt::format("{}, {}", c.blocks == c.gpus ? c.name() : fmt::format("1 GPU, {} block-rows", c.blocks),
                          transfers.name);
    s.solver = "cg";
    s.platform = platform_;
    s.arguments = matrix();
    s.arguments.insert(s.arguments.end(), {"--flow",          "refined",
                                           "--format",        "csr",
                                           "--balance",       "nonzeros",
                                           "--cpus",          "0",
                                           "--gpus",          std::to_string(c.gpus),
                                           "--blocks",        std::to_string(c.blocks),
                                           "--transfer",      c.exchange,
                                           "--decomposition", c.decomposition == "1D" ? "1d" : "2d",
                                           "--column-order",  c.decomposition == "1D" ? "ascending" : "local-first",
                                           "--iterations",    std::to_string(iterations_)});
    s.environment = {{"STARPU_ENABLE_CUDA_GPU_GPU_DIRECT", transfers.direct}};
    return s;
  }

  /// Of an iteration: 2 nnz of the product, section 6.1's 2 N of a dot or an axpy, two of each, ... 9 N in all, with
  /// which the paper's rates and its times agree.
  static double operations(const nlohmann::json& record) {
    const nlohmann::json& matrix = record.at("matrix");
    return 2 * matrix.at("nonzeros").get<double>() + 9 * matrix.at("rows").get<double>();
  }
  /// Median over the iterations: without the first transfers of the matrix, which the paper does not time (5.4).
  static double milliseconds(const nlohmann::json& record) { return record.at("ms_per_iteration").get<double>(); }

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

/// Finite elements of a crankshaft, as audikw_1 is.
class CrankshaftTable final : public Table {
 public:
  CrankshaftTable() : Table(4, "a crankshaft like audikw_1", "nehalem-m2070-long-rows") {}

 private:
  void add_matrix_options(CLI::App& app) override {
    app.add_option("--mesh", mesh_, "Tetrahedra (default: the crankshaft of $ASTERISM_DATA/meshes)");
    app.add_option("--element", element_, "p1 or p2")->check(CLI::IsMember({"p1", "p2"}))->capture_default_str();
  }
  [[nodiscard]] std::vector<std::string> matrix() const override {
    return {"--mesh", data_file("--mesh", mesh_, "meshes/crankshaft_tet_h3.5.msh.gz").string(), "--element", element_};
  }

  std::string mesh_, element_ = "p2";
};

}  // namespace

std::unique_ptr<Experiment> cg_table2() {
  return std::make_unique<StencilTable>(2, 256);
}

std::unique_ptr<Experiment> cg_table3() {
  return std::make_unique<StencilTable>(3, 128);
}

std::unique_ptr<Experiment> cg_table4() {
  return std::make_unique<CrankshaftTable>();
}

}  // namespace asterism::apps::reproduce

// Figure 15 of the TD-BEM paper: intervals of slices for the cores and the GPUs of a node, balanced while it computes.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "apps/reproduce/experiment.hpp"
#include "apps/reproduce/simulations.hpp"
#include "taskflows/runtime/error.hpp"

namespace asterism::apps::reproduce {
namespace {

constexpr double percent = 100;
constexpr double unknowns_of_paper = 23962;

/// A node of so many, each with as many GPUs.
struct Configuration {
  std::string section;
  int nodes = 1, gpus = 1;
};
const std::vector<Configuration> configurations = {
    {"(a) 2 nodes, 1 GPU", 2, 1}, {"(b) 8 nodes, 2 GPUs", 8, 2}, {"(c) 4 nodes, 3 GPUs", 4, 3}};

class Figure15 final : public Experiment {
 public:
  [[nodiscard]] std::string name() const override { return "tdbem-figure15"; }
  [[nodiscard]] std::string summary() const override {
    return "TD-BEM paper, Figure 15: balance of the cores and the GPUs of a node, simulated";
  }
  void add_options(CLI::App& app) override {
    app.add_option("--mesh", mesh_, "Closed surface (default: the airplane of $ASTERISM_DATA/meshes)");
    app.add_option("--unknowns", unknowns_, "Of the whole body, on all nodes")
        ->check(CLI::Range(64., 1e6))
        ->capture_default_str();
    simulations_.add_options(app);
  }

  [[nodiscard]] Outcome run(const Paper&) const override {
    const std::string mesh = mesh_file();
    std::vector<Simulation> all;
    for (const Configuration& c : configurations) {
      // a body of N / sqrt(nodes) unknowns has as many values in its matrices as a node has of one of N
      const double unknowns = std::round(unknowns_ / std::sqrt(c.nodes));
      Simulation s{c.section, "tdbem", "nehalem-m2070", {}, {}};
      s.arguments = {"--mesh",           mesh,
                     "--unknowns",       fmt::format("{:.0f}", unknowns),
                     "--sharing",        "intervals",
                     "--balance",        "paper",
                     "--balance-groups", std::to_string(groups_),
                     "--steps",          std::to_string((groups_ + timed_groups_) * steps_of_group),
                     "--gpus",           std::to_string(c.gpus)};
      all.push_back(s);
    }
    const Simulated done = simulations_.run(all);
    Outcome outcome;
    outcome.settings = {
        {"mesh", std::filesystem::path(mesh).filename().string()}, {"unknowns", unknowns_}, {"runs", done.commands}};
    for (std::size_t i = 0; i < configurations.size(); ++i)
      add_figures(configurations[i].section, done.records[i].at("balancing"), outcome.figures);
    return outcome;
  }

 private:
  [[nodiscard]] std::string mesh_file() const {
    if (!mesh_.empty()) return std::filesystem::absolute(mesh_).string();
    const char* const data = std::getenv("ASTERISM_DATA");
    if (data == nullptr) bad_input("--mesh: not given, and ASTERISM_DATA does not name a folder with meshes");
    return std::filesystem::absolute(std::filesystem::path(data) / "meshes" / "a319_3506.off").string();
  }

  /// Of a worker's number in the solver's lists, 0 for all cores together: percent of the sum over the workers.
  static double part(const nlohmann::json& values, std::size_t worker) {
    double sum = 0;
    for (const nlohmann::json& value : values) sum += value.get<double>();
    return percent * values.at(worker).get<double>() / sum;
  }

  static void add_figures(const std::string& section, const nlohmann::json& balancing, OurFigures& figures) {
    const nlohmann::json& first = balancing.front();
    const nlohmann::json& last = balancing.back();
    const auto figure = [&](const char* name, double value) { figures[{section, name}] = {value}; };
    figure("time of a GPU at first, % of the sum", part(first.at("seconds"), 1));
    figure("time of the cores at first, % of the sum", part(first.at("seconds"), 0));
    figure("time of a GPU at the end, % of the sum", part(last.at("seconds"), 1));
    figure("time of the cores at the end, % of the sum", part(last.at("seconds"), 0));
    figure("interval of the cores at first, %", part(first.at("blocks"), 0));
    figure("interval of the cores at the end, %", part(last.at("blocks"), 0));
  }

  static constexpr int steps_of_group = 8;  // n_g of section 7.3
  static constexpr int groups_ = 15;        // iterations of the figure
  static constexpr int timed_groups_ = 5;   // that the solver's own time is of

  std::string mesh_;
  double unknowns_ = unknowns_of_paper;
  Simulations simulations_;
};

}  // namespace

std::unique_ptr<Experiment> tdbem_figure15() {
  return std::make_unique<Figure15>();
}

}  // namespace asterism::apps::reproduce

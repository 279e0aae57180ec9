// SPDX-License-Identifier: Apache-2.0
#include "apps/tdbem/statistics.hpp"

#include <fmt/format.h>

#include <numeric>

#include "apps/common/program.hpp"
#include "taskflows/tdbem/matrices/matrix_statistics.hpp"

namespace asterism::apps::tdbem {

using namespace asterism::tdbem;
using nlohmann::json;

namespace {

constexpr std::int32_t block_rows[] = {32, 64, 128};
constexpr std::int32_t block_columns[] = {16, 32, 64, 128};

}  // namespace

void print_statistics(const Arguments& args, const ProblemCase& problem_case) {
  const Problem& p = problem_case.problem;
  ProgressLine line(!args.common.quiet);
  line.show(0, "finding the matrices' structure");
  const std::int32_t n = p.surface.unknowns();
  std::vector<std::int32_t> as_numbered(static_cast<std::size_t>(n));
  std::iota(as_numbered.begin(), as_numbered.end(), 0);
  std::vector<BlockShape> shapes;
  for (const std::int32_t rows : block_rows)
    for (const std::int32_t columns : block_columns) shapes.push_back({rows, columns});
  const MatrixStatistics found =
      matrix_statistics(p.surface, PairRules(p.rules), {p.boundary, p.speed, p.dt}, std::span(&as_numbered, 1), shapes);
  const LagCounts& counts = found.counts;
  const NumberingStatistics& numbering = found.numberings.front();

  json record = record_header("asterism-tdbem", "--statistics");
  record["problem"] = {{"body", problem_case.description},
                       {"unknowns", n},
                       {"diameter", p.surface.diameter},
                       {"dt", p.dt},
                       {"speed", p.speed}};
  record["matrices"] = {
      {"largest_lag", counts.largest_lag},   {"values", counts.values},   {"padded_values", numbering.padded_values},
      {"mean_length", counts.mean_length()}, {"longest", counts.longest}, {"initial_values", counts.initial}};
  record["ordering_score"] = numbering.score;
  std::vector<std::pair<std::string, std::string>> rows = {
      {"problem", problem_case.description},
      {"edges", fmt::format("{:.4g} to {:.4g} m, mean {:.4g}; diameter {:.4g} m; c dt / h = {:.3f}",
                            p.surface.edges.shortest, p.surface.edges.longest, p.surface.edges.mean, p.surface.diameter,
                            p.speed * p.dt / p.surface.edges.mean)},
      {"matrices", fmt::format("Kmax {}, {:.4g} values for k >= 1, {:.1f} per row of M^0", counts.largest_lag,
                               static_cast<double>(counts.values), static_cast<double>(counts.initial) / n)},
      {"row-vectors", fmt::format("mean length {:.2f}, longest {}", counts.mean_length(), counts.longest)},
      {"blocks of equal width", fmt::format("{:.1f} % non-zeros", 100 * counts.mean_length() / counts.longest)},
      {"panels of 32 rows", fmt::format("{:.1f} % non-zeros", 100 * static_cast<double>(counts.values) /
                                                                  static_cast<double>(numbering.padded_values))},
      {"score of the numbering", fmt::format("{:.1f}", numbering.score)}};
  json table = json::array();
  for (std::size_t s = 0; s < shapes.size(); ++s) {
    const BlockShape& shape = shapes[s];
    const BlockCounts& all = numbering.blocks[s];
    if (all.blocks == 0) continue;  // narrower than the longest row-vector
    table.push_back(
        {{"rows", shape.rows}, {"columns", shape.columns}, {"blocks", all.blocks}, {"share", all.share(shape)}});
    rows.emplace_back(
        fmt::format("blocks {} x {}", shape.rows, shape.columns),
        fmt::format("{:.4g}, {:.1f} % non-zeros", static_cast<double>(all.blocks), 100 * all.share(shape)));
  }
  record["full_blocking"] = table;
  print_table(rows);
  if (args.common.json.empty()) return;
  write_json(args.common.json, record);
  fmt::print("wrote {}\n", args.common.json);
}

}  // namespace asterism::apps::tdbem

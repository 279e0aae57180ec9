#include "apps/tdbem/statistics.hpp"

#include <fmt/format.h>

#include <omp.h>

#include "apps/common/program.hpp"
#include "codelets/tdbem/full_blocking.hpp"
#include "taskflows/tdbem/assembly.hpp"

namespace asterism::apps::tdbem {

using namespace asterism::tdbem;
using nlohmann::json;

namespace {

constexpr std::int32_t statistics_cluster = 256;
constexpr std::int32_t block_rows[] = {32, 64, 128};
constexpr std::int32_t block_columns[] = {16, 32, 64, 128};

/// Extents of row-vectors in tiles that share the rows of a slice.
class Extents {
 public:
  explicit Extents(const TiledStructure& s) : structure_(s), size_(s.clusters.front().size()) {}
  [[nodiscard]] RowExtent operator()(std::int32_t row, std::int32_t slice) const {
    const auto i = static_cast<std::size_t>(row / size_), j = static_cast<std::size_t>(slice / size_);
    const TileStructure& tile = structure_.tiles[structure_.place(i, j)];
    const std::int32_t r = row - tile.rows.begin;
    const std::int64_t x = static_cast<std::int64_t>(r / panel_rows) * tile.slices.size() + (slice - tile.slices.begin);
    const auto e = static_cast<std::size_t>(x * panel_rows + r % panel_rows);
    return {tile.first[e], tile.length[e]};
  }

 private:
  const TiledStructure& structure_;
  std::int32_t size_;
};

}  // namespace

void print_statistics(const Arguments& args, const Case& of) {
  const Problem& p = of.problem;
  ProgressLine line(!args.quiet);
  line.show(0, "finding the matrices' structure");
  const TiledStructure structure = tiled_structure(p.surface.view(), PairRules(p.rules), {p.boundary, p.speed, p.dt},
                                                   clusters(p.surface.unknowns(), statistics_cluster));
  const LagCounts& counts = structure.counts;
  const Extents extents(structure);
  const std::int32_t n = p.surface.unknowns();
  line.show(0.5, "scoring the numbering");
  double score = 0;
#pragma omp parallel for schedule(dynamic, 16) reduction(+ : score)
  for (std::int32_t j = 0; j < n; ++j)
    score += ordering_score(n, 1, [&](std::int32_t row, std::int32_t) { return extents(row, j); }) / n;

  json record = record_header("asterism-tdbem", "--statistics");
  record["problem"] = {
      {"body", of.describe}, {"unknowns", n}, {"diameter", p.surface.diameter}, {"dt", p.dt}, {"speed", p.speed}};
  record["matrices"] = {
      {"largest_lag", counts.largest_lag},   {"values", counts.values},   {"padded_values", counts.padded_values},
      {"mean_length", counts.mean_length()}, {"longest", counts.longest}, {"initial_values", counts.initial}};
  record["ordering_score"] = score;
  std::vector<std::pair<std::string, std::string>> rows = {
      {"problem", of.describe},
      {"edges", fmt::format("{:.4g} to {:.4g} m, mean {:.4g}; diameter {:.4g} m; c dt / h = {:.3f}",
                            p.surface.edges.shortest, p.surface.edges.longest, p.surface.edges.mean, p.surface.diameter,
                            p.speed * p.dt / p.surface.edges.mean)},
      {"matrices", fmt::format("Kmax {}, {:.4g} values for k >= 1, {:.1f} per row of M^0", counts.largest_lag,
                               static_cast<double>(counts.values), static_cast<double>(counts.initial) / n)},
      {"row-vectors", fmt::format("mean length {:.2f}, longest {}", counts.mean_length(), counts.longest)},
      {"blocks of equal width", fmt::format("{:.1f} % non-zeros", 100 * counts.mean_length() / counts.longest)},
      {"panels of 32 rows", fmt::format("{:.1f} % non-zeros", 100 * static_cast<double>(counts.values) /
                                                                  static_cast<double>(counts.padded_values))},
      {"score of the numbering", fmt::format("{:.1f}", score)}};
  json table = json::array();
  int done = 0;
  for (const std::int32_t r : block_rows)
    for (const std::int32_t c : block_columns) {
      line.show(0.6 + 0.4 * done++ / 12, "cutting blocks");
      if (c < counts.longest) continue;
      const BlockShape shape{r, c};
      BlockCounts all;
      std::int64_t blocks = 0, values = 0;
#pragma omp parallel for schedule(dynamic, 16) reduction(+ : blocks, values)
      for (std::int32_t j = 0; j < n; ++j) {
        BlockCounts of_slice;
        count_blocks(
            n, shape, [&](std::int32_t row) { return extents(row, j); }, of_slice);
        blocks += of_slice.blocks;
        values += of_slice.values;
      }
      all.blocks = blocks;
      all.values = values;
      table.push_back({{"rows", r}, {"columns", c}, {"blocks", all.blocks}, {"share", all.share(shape)}});
      rows.emplace_back(
          fmt::format("blocks {} x {}", r, c),
          fmt::format("{:.4g}, {:.1f} % non-zeros", static_cast<double>(all.blocks), 100 * all.share(shape)));
    }
  record["full_blocking"] = table;
  print_table(rows);
  if (args.json.empty()) return;
  write_json(args.json, record);
  fmt::print("wrote {}\n", args.json);
}

}  // namespace asterism::apps::tdbem

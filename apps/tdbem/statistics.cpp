#include "apps/tdbem/statistics.hpp"

#include <fmt/format.h>

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

struct Sizes {
  BlockShape shape;
  BlockCounts counts;
};
std::vector<Sizes> block_sizes(std::int32_t longest) {
  std::vector<Sizes> sizes;
  for (const std::int32_t r : block_rows)
    for (const std::int32_t c : block_columns)
      if (c >= longest) sizes.push_back({{r, c}, {}});
  return sizes;
}

/// Row-vectors of a slice, which lie in the tiles of a column.
std::vector<RowExtent> slice_of(const TiledStructure& structure, std::int32_t slice) {
  const auto size = structure.clusters.front().size();
  std::vector<RowExtent> extents;
  for (std::size_t i = 0; i < structure.clusters.size(); ++i) {
    const TileStructure& tile = structure.tiles[structure.place(i, static_cast<std::size_t>(slice / size))];
    for (std::int32_t r = 0; r < tile.rows.size(); ++r) {
      const std::int64_t x =
          static_cast<std::int64_t>(r / panel_rows) * tile.slices.size() + (slice - tile.slices.begin);
      const auto e = static_cast<std::size_t>(x * panel_rows + r % panel_rows);
      extents.push_back({tile.first[e], tile.length[e]});
    }
  }
  return extents;
}

}  // namespace

void print_statistics(const Arguments& args, const Case& of) {
  const Problem& p = of.problem;
  ProgressLine line(!args.quiet);
  line.show(0, "finding the matrices' structure");
  const TiledStructure structure = tiled_structure(p.surface.view(), PairRules(p.rules), {p.boundary, p.speed, p.dt},
                                                   clusters(p.surface.unknowns(), statistics_cluster));
  const LagCounts& counts = structure.counts;
  const std::int32_t n = p.surface.unknowns();
  line.show(0.5, "scoring the numbering, cutting blocks");
  double score = 0;
  std::vector<Sizes> sizes = block_sizes(counts.longest);
#pragma omp parallel
  {
    std::vector<Sizes> own = block_sizes(counts.longest);
#pragma omp for schedule(dynamic, 16) reduction(+ : score)
    for (std::int32_t j = 0; j < n; ++j) {
      const std::vector<RowExtent> slice = slice_of(structure, j);
      const auto at = [&](std::int32_t row) { return slice[static_cast<std::size_t>(row)]; };
      score += ordering_score(n, 1, [&](std::int32_t row, std::int32_t) { return at(row); }) / n;
      for (Sizes& s : own) count_blocks(n, s.shape, at, s.counts);
    }
#pragma omp critical
    for (std::size_t s = 0; s < sizes.size(); ++s) {
      sizes[s].counts.blocks += own[s].counts.blocks;
      sizes[s].counts.values += own[s].counts.values;
    }
  }

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
  for (const auto& [shape, all] : sizes) {
    table.push_back(
        {{"rows", shape.rows}, {"columns", shape.columns}, {"blocks", all.blocks}, {"share", all.share(shape)}});
    rows.emplace_back(
        fmt::format("blocks {} x {}", shape.rows, shape.columns),
        fmt::format("{:.4g}, {:.1f} % non-zeros", static_cast<double>(all.blocks), 100 * all.share(shape)));
  }
  record["full_blocking"] = table;
  print_table(rows);
  if (args.json.empty()) return;
  write_json(args.json, record);
  fmt::print("wrote {}\n", args.json);
}

}  // namespace asterism::apps::tdbem

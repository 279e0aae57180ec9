// SPDX-License-Identifier: Apache-2.0
// Assembly of the convolution matrices of time-domain boundary elements on one core: bench_tdbem_assembly
// [LEVEL [REPETITIONS]] prints JSON. Pairs of triangles of an icosphere of 10 * 4^LEVEL + 2 vertices (level 4), c dt /
// h = 0.5: millions of point pairs per second of pairs that are far, near and touching each other (values, and their
// distances alone), then of whole tiles with their mirror images, float and double, structure and values. Rounds are
// interleaved; medians of the thread's processor time.
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "codelets/tdbem/kernels/assembly/pair_values.hpp"
#include "codelets/tdbem/kernels/assembly/tile_values.hpp"
#include "taskflows/tdbem/matrices/assembly.hpp"
#include "taskflows/tdbem/surface/bodies.hpp"
#include "taskflows/tdbem/surface/surface.hpp"

namespace asterism::tdbem {
namespace {

using Json = nlohmann::ordered_json;

double median(std::vector<double> v) {
  std::nth_element(v.begin(), v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2), v.end());
  return v[v.size() / 2];
}

/// Time of this thread: nothing here waits, and others may share its core.
double processor_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

struct Pair {
  std::int32_t x, y;
};

struct Work {
  std::string name;
  double points = 0;  ///< pairs of them
  double pairs = 0;   ///< of triangles
  std::function<void()> run = {};
  std::vector<double> seconds = {};
};

template <class T>
struct TileMemory {
  TileStructure structure;
  std::vector<T> values;
  std::vector<double> initial;

  explicit TileMemory(TileStructure s)
      : structure(std::move(s)),
        values(static_cast<std::size_t>(structure.counts.padded_values)),
        initial(structure.initial_slice.size()) {}
  TileTarget<T> target() {
    return {structure.view(values.data()), values.data(), structure.initial_start.data(),
            structure.initial_slice.data(), initial.data()};
  }
};

Json measure(Boundary boundary, std::int32_t level, int repetitions) {
  const Surface surface = prepare_surface(icosphere(level, 1));
  const SurfaceView view = surface.view();
  const PairRules rules;
  const Discretisation d{boundary, 1, 0.5 * surface.edges.mean};
  TileScratch scratch(rules);
  PairValues values;
  double sink = 0;

  std::vector<PairTriangle> triangles;
  for (std::int32_t t = 0; t < view.triangle_count; t += std::max(1, view.triangle_count / 512))
    triangles.push_back(pair_triangle(view, rules, t));
  for (std::int32_t e = view.start[0]; e < view.start[12]; ++e)  // neighbours of each other
    triangles.push_back(pair_triangle(view, rules, view.around[e] / 3));
  const std::int32_t near = rules.near.table.points, far = rules.far.table.points;
  std::vector<Pair> of_kind[3];
  for (std::size_t x = 0; x < triangles.size(); ++x)
    for (std::size_t y = x; y < triangles.size(); ++y) {
      const std::int32_t points = pair_distances(rules, triangles[x], triangles[y], scratch.pair).points;
      of_kind[points == far    ? 0
              : points == near ? 1
                               : 2]
          .push_back({static_cast<std::int32_t>(x), static_cast<std::int32_t>(y)});
    }

  std::vector<Work> works;
  const char* const names[3] = {"far", "near", "touching"};
  for (int kind = 0; kind < 3; ++kind) {
    const std::vector<Pair>& pairs = of_kind[kind];
    Work work{names[kind]};
    for (const Pair& p : pairs)
      work.points += pair_distances(rules, triangles[p.x], triangles[p.y], scratch.pair).points;
    work.pairs = static_cast<double>(pairs.size());
    work.run = [&] {
      for (const Pair& p : pairs) {
        pair_values(rules, d, triangles[p.x], triangles[p.y], scratch.pair, values);
        sink += values.value[0][0];
      }
    };
    works.push_back(work);
    work.name += "_distances";
    work.run = [&] {
      for (const Pair& p : pairs)
        sink += pair_distances(rules, triangles[p.x], triangles[p.y], scratch.pair).squared.least;
    };
    works.push_back(work);
  }

  const Range rows{0, std::min(256, view.vertex_count / 2)};
  const Range slices{view.vertex_count - rows.size(), view.vertex_count};
  MirroredStructure both = tile_structure(view, rules, d, rows, slices, scratch);
  TileMemory<float> single(both.tile), single_mirror(both.mirror);
  TileMemory<double> twice(both.tile), twice_mirror(both.mirror);
  Work tile{"tile_structure"};
  tile.points = static_cast<double>(both.point_pairs);
  for_each_pair(tile_triangles(view, rules, rows, slices),
                [&](const PairTriangle&, const PairTriangle&, bool, bool) { ++tile.pairs; });
  tile.run = [&] { both = tile_structure(view, rules, d, rows, slices, scratch); };
  works.push_back(tile);
  tile.name = "tile_values_float";
  tile.run = [&] {
    const TileTarget<float> mirror = single_mirror.target();
    assemble<float>(view, rules, d, single.target(), &mirror, scratch);
  };
  works.push_back(tile);
  tile.name = "tile_values_double";
  tile.run = [&] {
    const TileTarget<double> mirror = twice_mirror.target();
    assemble<double>(view, rules, d, twice.target(), &mirror, scratch);
  };
  works.push_back(tile);

  for (int r = -1; r < repetitions; ++r)  // the first warms up
    for (Work& work : works) {
      const double start = processor_seconds();
      work.run();
      if (r >= 0) work.seconds.push_back(processor_seconds() - start);
    }
  Json run = {{"boundary", boundary == Boundary::rigid ? "rigid" : "soft"},
              {"unknowns", view.vertex_count},
              {"tile", {{"rows", rows.size()}, {"slices", slices.size()}, {"values", both.tile.counts.values}}}};
  for (const Work& work : works) {
    const double s = median(work.seconds);
    run[work.name] = {
        {"seconds", s},
        {"million_points_per_s", work.points / s * 1e-6},
        {"best_million_points_per_s", work.points / *std::min_element(work.seconds.begin(), work.seconds.end()) * 1e-6},
        {"ns_per_triangle_pair", s / work.pairs * 1e9}};
  }
  run["sum"] = sink;  // that nothing is optimised away
  return run;
}

}  // namespace
}  // namespace asterism::tdbem

int main(int argc, char** argv) {
  using namespace asterism::tdbem;
  const int level = argc > 1 ? std::clamp(std::atoi(argv[1]), 2, 8) : 4;
  const int repetitions = argc > 2 ? std::max(1, std::atoi(argv[2])) : 9;
  Json out = {{"program", "bench_tdbem_assembly"}, {"repetitions", repetitions}, {"runs", Json::array()}};
  for (const Boundary boundary : {Boundary::rigid, Boundary::soft})
    out["runs"].push_back(measure(boundary, level, repetitions));
  std::printf("%s\n", out.dump(2).c_str());
  return 0;
}

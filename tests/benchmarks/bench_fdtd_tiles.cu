// SPDX-License-Identifier: Apache-2.0
// What a plane of each kind of tile costs on the first GPU when several steps go at once: bench_fdtd_tiles [OUT.json]
// Launches of the tiles of one kind alone, as often as keeps the GPU busy for some rounds of blocks; medians, compared
// with the plain scheme. cost_of (steps_regions.hpp) has the table.
#include <cstdio>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/cuda_check.hpp"
#include "codelets/fdtd/kernels/update/steps.hpp"
#include "tests/benchmarks/bench_record.hpp"
#include "tests/benchmarks/device_clock.hpp"

namespace asterism::fdtd {
namespace {

using bench::Memory;
using Json = nlohmann::ordered_json;
constexpr const char* names[cuda::kinds_of_tiles] = {"nothing",   "sides",    "ends",      "conductors",
                                                     "layers_y",  "layers_z", "layers_xy", "layers_zx",
                                                     "layers_yz", "more",     "faces"};
constexpr Factors some{{0.4, 0.3, 0.35}};
constexpr int cells = 400;
constexpr int all_at_once = std::numeric_limits<int>::max();  // in one launch

/// The tiles of a kind alone, several times over.
template <class T>
cuda::StepsLaunch<T> of_kind(const cuda::StepsLaunch<T>& all, cuda::TilesWith with, bool media, int enough_blocks) {
  cuda::StepsLaunch<T> some = all;
  some.psi = all.psi && cuda::keeps_psi(with);
  some.steps.regions = 0;
  some.blocks = 0;
  bool any = true;
  while (any && static_cast<int>(some.blocks) < enough_blocks) {
    any = false;
    for (int r = 0; r < all.steps.regions; ++r) {
      cuda::StepsRegion region = all.steps.region[r];
      if (region.with != with || region.media != media || some.steps.regions == cuda::most_regions) continue;
      const int chunks = (region.planes.end - region.planes.first + region.chunk - 1) / region.chunk;
      region.first_block = some.blocks;
      some.steps.region[some.steps.regions++] = region;
      some.blocks += static_cast<std::uint32_t>(region.along_y * region.along_z * chunks);
      any = true;
    }
  }
  return some;
}

/// Planes that the processor with most of them comes to.
template <class T>
double longest_share(const cuda::StepsLaunch<T>& launch, int steps, int processors) {
  std::vector<cuda::BlocksOfSteps> blocks;
  for (int r = 0; r < launch.steps.regions; ++r) {
    const cuda::StepsRegion& of = launch.steps.region[r];
    const Box tiles{of.planes.first, of.planes.end, of.y, of.y + of.along_y, of.z, of.z + of.along_z};
    blocks.push_back({{tiles, of.with, of.media, 1, launch.psi}, of.chunk});
  }
  return cuda::end_of(blocks, steps, processors);
}

template <class T>
void measure(bench::Clock& clock, int processors, int steps, const Face (&face)[6], int layer, Json& out) {
  const Grid g = make_grid(cells, cells, cells, face, sizeof(T));
  Cpml cpml;
  std::fill_n(cpml.cells, 6, layer);
  const Layers layers = layers_of(cpml, g, {0, 0, 0}, {cells, cells, cells}, PsiRows::dense);
  const auto size = static_cast<std::size_t>(g.elements());
  const auto psi_size = static_cast<std::size_t>(layers.elements()) * sizeof(T);
  const Memory fields(4 * size * sizeof(T)), index(2 * size), table(sizeof(Coefficients<T>)), psi(4 * psi_size + 1),
      stretches(sizeof(Stretch<T>) * 6 * cells);
  cuda::BesideSteps<T> beside;
  if (layer > 0) {
    Psi<T> part[4];
    for (int n = 0; n < 4; ++n) {
      T* at = psi.as<T>() + n * layers.elements();
      for (int axis = 0; axis < 3; at += layers.elements(axis++)) part[n].along[axis] = at;
    }
    beside = {{&layers, stretches.as<Stretch<T>>(), part[0]},
              {&layers, stretches.as<Stretch<T>>(), part[1]},
              part[2],
              part[3]};
  }
  beside.media = {cells / 4, 3 * cells / 4, cells / 4, 3 * cells / 4, 0, cells};
  T currents[cuda::most_steps] = {};
  Source<T> source{};
  source.values = currents;
  source.i = source.j = source.k = cells / 8;
  for (const bool media : {false, true}) {
    const Media<T> m = media ? Media<T>{index.as<std::uint16_t>(), table.as<Coefficients<T>>()} : Media<T>{};
    const auto all =
        cuda::describe_steps<T>(g, steps, {0, cells}, some, some, m, m, &source, 1, beside, 40, all_at_once);
    for (int kind = 0; kind < cuda::kinds_of_tiles; ++kind) {
      const auto launch = of_kind(all[0], static_cast<cuda::TilesWith>(kind), media, 24 * processors);
      if (launch.blocks == 0) continue;
      std::vector<double> samples;
      cuda::with_steps_kernel<T>(steps, launch.psi, [&](auto kernel, int columns, std::size_t bytes) {
        ASTERISM_CHECK_CUDA(
            cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)));
        for (int n = -2; n < 9; ++n) {
          const double s = clock.seconds([&] {
            kernel<<<launch.blocks, static_cast<unsigned>(columns), bytes, clock.stream>>>(
                launch.steps, fields.as<T>(), fields.as<T>() + size, fields.as<T>() + 2 * size,
                fields.as<T>() + 3 * size);
            ASTERISM_CHECK_CUDA(cudaGetLastError());
          });
          if (n >= 0) samples.push_back(s);
        }
      });
      const double planes = longest_share(launch, steps, processors);
      const double plane = bench::median(samples) / planes;
      out["tiles"].push_back({{"type", sizeof(T) == 8 ? "double" : "float"},
                              {"steps", steps},
                              {"layers", layer},
                              {"kind", names[kind]},
                              {"media", media},
                              {"blocks", launch.blocks},
                              {"ns_per_plane", plane * 1e9}});
      std::printf("%-6s %d steps, layers %-2d %-10s %s %6.1f ns\n", sizeof(T) == 8 ? "double" : "float", steps, layer,
                  names[kind], media ? "media" : "     ", plane * 1e9);
    }
  }
}

int bench(const char* path) {
  bench::Clock clock;
  cudaDeviceProp device{};
  ASTERISM_CHECK_CUDA(cudaGetDeviceProperties(&device, 0));
  Json out = {{"program", "bench_fdtd_tiles"}, {"device", device.name}, {"tiles", Json::array()}};
  const Face closed[6] = {Face::electric, Face::electric, Face::electric,
                          Face::electric, Face::electric, Face::electric};
  const Face open[6] = {Face::electric, Face::electric,  Face::electric,
                        Face::electric, Face::neighbour, Face::neighbour};
  const int processors = device.multiProcessorCount;
  for (const int layer : {0, 10}) {
    measure<float>(clock, processors, 4, closed, layer, out);
    measure<float>(clock, processors, 2, closed, layer, out);
    measure<double>(clock, processors, 2, closed, layer, out);
  }
  measure<float>(clock, processors, 4, open, 0, out);
  measure<double>(clock, processors, 2, open, 0, out);
  bench::write(path, out);
  return 0;
}

}  // namespace
}  // namespace asterism::fdtd

int main(int argc, char** argv) {
  return asterism::bench::run("bench_fdtd_tiles", argc, argv, asterism::fdtd::bench);
}

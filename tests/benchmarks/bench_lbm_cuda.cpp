// SPDX-License-Identifier: Apache-2.0
// Update of the lattice Boltzmann method on the first GPU: bench_lbm_cuda [OUT.json]
// Both halves for two shapes of domain, in double, single and half precision, with thread blocks of several sizes;
// beside it a copy on the device of the bytes that an update moves (half of them read, half written), the reflection by
// six walls and whole time steps of a closed box, one after the other on a stream: what a task flow can reach. Medians
// of launches in turn, between events. First, one brick is compared with the CPU bit by bit; exit status 1 if it
// differs.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "base/cuda_check.hpp"
#include "codelets/lbm/kernels/costs.hpp"
#include "codelets/lbm/kernels/kernels_cuda.hpp"
#include "tests/benchmarks/bench_record.hpp"
#include "tests/benchmarks/device_clock.hpp"

namespace asterism::lbm {
namespace {

using bench::Clock;
using bench::median;
using bench::Memory;
using bench::write;
using Json = nlohmann::ordered_json;

constexpr int repetitions = 20;
constexpr int shapes[] = {64, 128, 256};
constexpr int steps = 20;

Collision variant(const std::string& name) {
  Collision c;
  if (name == "bgk") return c;
  c.model = Collision::Model::trt;
  c.smagorinsky = 0.1;
  c.force[0] = 1e-6;
  return c;
}

template <class T>
const char* name_of() {
  return sizeof(T) == 8 ? "double" : sizeof(T) == 4 ? "float" : "half";
}

/// A pair of half-steps of random populations, on both.
template <class T>
bool same_as_cpu(Clock& clock, const Collision& collision) {
  const Brick brick = make_brick(45, 9, 7, sizeof(T));
  std::vector<T> expected(static_cast<std::size_t>(brick.elements()));
  std::mt19937 generator(1);
  std::uniform_real_distribution<double> value(-1e-3, 1e-3);
  for (T& v : expected) v = stored<T>(static_cast<Arithmetic<T>>(value(generator)));
  const std::size_t bytes = expected.size() * sizeof(T);
  const Memory f(bytes);
  ASTERISM_CHECK_CUDA(cudaMemcpy(f.as<T>(), expected.data(), bytes, cudaMemcpyHostToDevice));
  cuda::Boxes boxes;
  boxes.box[boxes.count++] = brick.interior();
  for (const Half half : {Half::alpha, Half::beta}) {
    cpu::update(half, brick, brick.interior(), collision, nullptr, expected.data());
    cuda::update(half, brick, boxes, collision, nullptr, {}, {}, f.as<T>(), clock.stream);
  }
  ASTERISM_CHECK_CUDA(cudaStreamSynchronize(clock.stream));
  std::vector<T> actual(expected.size());
  ASTERISM_CHECK_CUDA(cudaMemcpy(actual.data(), f.as<T>(), bytes, cudaMemcpyDeviceToHost));
  return std::memcmp(actual.data(), expected.data(), bytes) == 0;
}

template <class T>
void measure(Clock& clock, int nx, int ny, int nz, const std::string& collision_name, Json& runs, Json& steps_of_box) {
  const Collision collision = variant(collision_name);
  const Brick brick = make_brick(nx, ny, nz, sizeof(T));
  const double cells = static_cast<double>(brick.interior().cells());
  const std::size_t copied = static_cast<std::size_t>(brick.interior().cells()) * q * sizeof(T);
  const std::size_t bytes = static_cast<std::size_t>(brick.elements()) * sizeof(T);
  const Memory f(bytes);
  const Memory copy(copied);
  cuda::Boxes boxes;
  boxes.box[boxes.count++] = brick.interior();

  cuda::Walls walls;
  for (int face = 0; face < faces; ++face) walls.wall[walls.count++].face = face;

  std::vector<double> copies;
  std::vector<double> reflections;
  std::vector<double> loops;
  std::vector<std::vector<double>> updates(2 * std::size(shapes));
  for (int r = -2; r < repetitions; ++r) {  // the first ones warm up
    const double c = clock.seconds([&] {
      ASTERISM_CHECK_CUDA(cudaMemcpyAsync(copy.as<T>(), f.as<T>(), copied, cudaMemcpyDeviceToDevice, clock.stream));
    });
    if (r >= 0) copies.push_back(c);
    for (std::size_t k = 0; k < updates.size(); ++k) {
      const double s = clock.seconds([&] {
        cuda::update(k % 2 == 0 ? Half::alpha : Half::beta, brick, boxes, collision, nullptr, {}, {}, f.as<T>(),
                     clock.stream, shapes[k / 2]);
      });
      if (r >= 0) updates[k].push_back(s);
    }
    const double w = clock.seconds([&] { cuda::reflect(Half::beta, brick, walls, f.as<T>(), clock.stream); });
    if (r >= 0) reflections.push_back(w);
    const double l = clock.seconds([&] {
      for (int t = 0; t < steps; ++t) {
        const Half half = t % 2 == 0 ? Half::alpha : Half::beta;
        cuda::update(half, brick, boxes, collision, nullptr, walls, {}, f.as<T>(), clock.stream);
      }
    });
    if (r >= 0) loops.push_back(l / steps);
  }
  const double copy_rate = 2 * static_cast<double>(copied) / median(copies);
  const double step = median(loops);
  steps_of_box.push_back({{"type", name_of<T>()},
                          {"cells", {nx, ny, nz}},
                          {"collision", collision_name},
                          {"seconds_per_step", step},
                          {"seconds_walls", median(reflections)},
                          {"mlups", cells / step * 1e-6},
                          {"of_copy", 2 * static_cast<double>(copied) / step / copy_rate}});
  std::printf("%-6s %dx%dx%d %-22s steps of a box     %8.0f MLUPS           %5.3f of copy, walls %.1f us\n",
              name_of<T>(), nx, ny, nz, collision_name.c_str(), cells / step * 1e-6,
              2 * static_cast<double>(copied) / step / copy_rate, median(reflections) * 1e6);
  for (std::size_t k = 0; k < updates.size(); ++k) {
    const double s = median(updates[k]);
    const double rate = 2 * static_cast<double>(copied) / s;
    runs.push_back({{"type", name_of<T>()},
                    {"cells", {nx, ny, nz}},
                    {"collision", collision_name},
                    {"half", k % 2 == 0 ? "alpha" : "beta"},
                    {"threads", shapes[k / 2]},
                    {"seconds", s},
                    {"mlups", cells / s * 1e-6},
                    {"gb_per_s", rate * 1e-9},
                    {"gflops", cells * update_flops(collision) / s * 1e-9},
                    {"copy_gb_per_s", copy_rate * 1e-9},
                    {"of_copy", rate / copy_rate}});
    const Json& j = runs.back();
    std::printf("%-6s %dx%dx%d %-22s %-5s %3d threads %8.0f MLUPS %6.0f GB/s %5.3f of copy\n",
                j["type"].get<std::string>().c_str(), nx, ny, nz, collision_name.c_str(),
                j["half"].get<std::string>().c_str(), shapes[k / 2], cells / s * 1e-6, rate * 1e-9, rate / copy_rate);
  }
  std::fflush(stdout);
}

int bench(const char* path) {
  Clock clock;
  cudaDeviceProp device{};
  ASTERISM_CHECK_CUDA(cudaGetDeviceProperties(&device, 0));
  Json out = {{"program", "bench_lbm_cuda"}, {"device", device.name}, {"repetitions", repetitions}};
  bool right = true;
  Json runs = Json::array();
  Json steps_of_box = Json::array();
  for (const char* name : {"bgk", "trt_smagorinsky_force"}) {
    right = same_as_cpu<double>(clock, variant(name)) && same_as_cpu<float>(clock, variant(name)) &&
            same_as_cpu<Float16>(clock, variant(name)) && right;
    measure<double>(clock, 256, 256, 256, name, runs, steps_of_box);
    measure<double>(clock, 512, 512, 128, name, runs, steps_of_box);
    measure<float>(clock, 256, 256, 256, name, runs, steps_of_box);
    measure<float>(clock, 512, 512, 128, name, runs, steps_of_box);
    measure<Float16>(clock, 256, 256, 256, name, runs, steps_of_box);
    measure<Float16>(clock, 512, 512, 128, name, runs, steps_of_box);
  }
  out["runs"] = runs;
  out["steps"] = steps_of_box;
  out["same_bits_as_cpu"] = right;
  write(path, out);
  std::printf("%s\n", right ? "same bits as the CPU" : "WRONG: other bits than the CPU");
  return right ? 0 : 1;
}

}  // namespace
}  // namespace asterism::lbm

int main(int argc, char** argv) {
  return asterism::bench::run("bench_lbm_cuda", argc, argv, asterism::lbm::bench);
}

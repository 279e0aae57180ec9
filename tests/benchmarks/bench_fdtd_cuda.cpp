// SPDX-License-Identifier: Apache-2.0
// Updates of the finite-difference time-domain method on the first GPU: bench_fdtd_cuda [OUT.json]
// Both half-steps for several shapes of domain, in double and single precision, without and with materials, with thread
// blocks of several shapes; beside them a copy on the device of the bytes that a half-step moves (half of them read,
// half written). Then whole time steps of a box of electric conductors on a stream: what a task flow can reach. Medians
// of launches in turn, between events. First, one sub-domain is compared with the CPU bit by bit; exit status 1 if it
// differs. OUT.json is rewritten after every domain.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "base/cuda_check.hpp"
#include "codelets/fdtd/kernels/costs.hpp"
#include "codelets/fdtd/kernels/kernels_cuda.hpp"
#include "tests/benchmarks/bench_record.hpp"
#include "tests/benchmarks/device_clock.hpp"

namespace asterism::fdtd {
namespace {

using bench::Clock;
using bench::median;
using bench::Memory;
using bench::write;
using Json = nlohmann::ordered_json;

constexpr int repetitions = 15;
constexpr int steps = 10;
constexpr cuda::Shape shapes[] = {{32, 1, 1},  {64, 4, 1},   {256, 1, 1},  {32, 4, 8},   {32, 8, 16},
                                  {64, 4, 16}, {128, 1, 16}, {128, 2, 16}, {256, 1, 16}, {64, 4, 64}};
constexpr Face conductors[6] = {Face::electric, Face::electric, Face::electric,
                                Face::electric, Face::electric, Face::electric};
constexpr Factors some{{0.4, 0.3, 0.35}};

template <class T>
const char* name() {
  return sizeof(T) == 8 ? "double" : "float";
}

/// Some steps of a random field, on both, materials in E.
template <class T>
bool same_as_cpu(Clock& clock) {
  const Grid g = make_grid(19, 13, 75, conductors, sizeof(T));
  const auto size = static_cast<std::size_t>(g.elements());
  std::vector<T> e(size), h(size);
  std::vector<std::uint16_t> index(size);
  std::mt19937 generator(1);
  std::uniform_real_distribution<double> value(-1, 1);
  for (std::size_t k = 0; k < size; ++k) {
    e[k] = static_cast<T>(value(generator));
    h[k] = static_cast<T>(value(generator));
    index[k] = static_cast<std::uint16_t>(generator() % 3);
  }
  const Coefficients<T> table[3] = {{1, 1}, {T(0.9), T(0.3)}, {0, 0}};
  const Memory device_e(size * sizeof(T)), device_h(size * sizeof(T)), device_index(2 * size),
      device_table(sizeof table);
  const auto upload = [](const Memory& to, const void* from, std::size_t bytes) {
    ASTERISM_CHECK_CUDA(cudaMemcpy(to.as<void>(), from, bytes, cudaMemcpyHostToDevice));
  };
  upload(device_e, e.data(), size * sizeof(T));
  upload(device_h, h.data(), size * sizeof(T));
  upload(device_index, index.data(), 2 * size);
  upload(device_table, table, sizeof table);
  for (const cuda::Shape& shape : shapes) {
    cpu::update<T>(Field::magnetic, g, g.cells(), some, {}, e.data(), h.data());
    cpu::update<T>(Field::electric, g, g.cells(), some, {index.data(), table}, h.data(), e.data());
    cuda::update<T>(Field::magnetic, g, g.cells(), some, {}, device_e.as<T>(), device_h.as<T>(), clock.stream, shape);
    cuda::update<T>(Field::electric, g, g.cells(), some,
                    {device_index.as<std::uint16_t>(), device_table.as<Coefficients<T>>()}, device_h.as<T>(),
                    device_e.as<T>(), clock.stream, shape);
  }
  ASTERISM_CHECK_CUDA(cudaStreamSynchronize(clock.stream));
  std::vector<T> found(size);
  ASTERISM_CHECK_CUDA(cudaMemcpy(found.data(), device_e.as<T>(), size * sizeof(T), cudaMemcpyDeviceToHost));
  const bool same_e = std::memcmp(found.data(), e.data(), size * sizeof(T)) == 0;
  ASTERISM_CHECK_CUDA(cudaMemcpy(found.data(), device_h.as<T>(), size * sizeof(T), cudaMemcpyDeviceToHost));
  return same_e && std::memcmp(found.data(), h.data(), size * sizeof(T)) == 0;
}

/// `two_pass_seconds`: of a step in two passes at the speed of a copy.
template <class T>
void measure_steps_at_once(Clock& clock, const Grid& g, const Memory& e, const Memory& h, double two_pass_seconds,
                           Json& out) {
  const double cells = static_cast<double>(g.cells().cells());
  const auto bytes = static_cast<std::size_t>(g.elements()) * sizeof(T);
  const Memory other_e(bytes), other_h(bytes);
  for (const int planes : {0, 32, 128})
    for (const int at_once : sizeof(T) == sizeof(float) ? std::vector{2, 4} : std::vector{2}) {
      std::vector<double> launches;
      for (int r = -1; r < repetitions / 3; ++r) {
        const double s = clock.seconds([&] {
          for (int n = 0; n < steps; n += 2) {
            cuda::update_steps<T>(g, at_once, {0, g.n[0]}, some, some, {}, {}, nullptr, 0, {}, h.as<T>(), e.as<T>(),
                                  other_h.as<T>(), other_e.as<T>(), clock.stream, planes);
            cuda::update_steps<T>(g, at_once, {0, g.n[0]}, some, some, {}, {}, nullptr, 0, {}, other_h.as<T>(),
                                  other_e.as<T>(), h.as<T>(), e.as<T>(), clock.stream, planes);
          }
        });
        if (r >= 0) launches.push_back(s / (steps * at_once));
      }
      const double s = median(launches);
      out["steps_at_once"].push_back({{"type", name<T>()},
                                      {"cells", g.n},
                                      {"at_once", at_once},
                                      {"planes", planes},
                                      {"seconds_per_step", s},
                                      {"mcells_per_s", cells / s * 1e-6},
                                      {"of_two_passes_at_copy", two_pass_seconds / s}});
      std::printf("%-6s %dx%dx%d %d at once planes %-4d %8.0f Mcells/s %5.3f of two passes at copy\n", name<T>(),
                  g.n[0], g.n[1], g.n[2], at_once, planes, cells / s * 1e-6, two_pass_seconds / s);
    }
}

template <class T>
void measure(Clock& clock, int nx, int ny, int nz, Json& out) {
  const Grid g = make_grid(nx, ny, nz, conductors, sizeof(T));
  const double cells = static_cast<double>(g.cells().cells());
  const auto size = static_cast<std::size_t>(g.elements());
  const Memory e(size * sizeof(T)), h(size * sizeof(T)), index(2 * size), table(sizeof(Coefficients<T>)),
      copy(size * sizeof(T));
  const Media<T> indexed{index.as<std::uint16_t>(), table.as<Coefficients<T>>()};
  const double bytes = update_bytes(false, sizeof(T)) * cells;
  const auto copied = static_cast<std::size_t>(3 * cells) * sizeof(T);  // 6 of 9

  struct Variant {
    Field field;
    bool materials;
    cuda::Shape shape;
    std::vector<double> seconds;
  };
  std::vector<Variant> variants;
  for (const cuda::Shape& shape : shapes)
    for (const bool materials : {false, true})
      for (const Field f : {Field::magnetic, Field::electric}) variants.push_back({f, materials, shape, {}});
  std::vector<double> copies;
  for (int r = -2; r < repetitions; ++r) {  // the first ones warm up
    const double c = clock.seconds([&] {
      ASTERISM_CHECK_CUDA(cudaMemcpyAsync(copy.as<T>(), e.as<T>(), copied, cudaMemcpyDeviceToDevice, clock.stream));
    });
    if (r >= 0) copies.push_back(c);
    for (Variant& v : variants) {
      const bool electric = v.field == Field::electric;
      const double s = clock.seconds([&] {
        cuda::update<T>(v.field, g, g.cells(), some, v.materials ? indexed : Media<T>{},
                        electric ? h.as<T>() : e.as<T>(), electric ? e.as<T>() : h.as<T>(), clock.stream, v.shape);
      });
      if (r >= 0) v.seconds.push_back(s);
    }
  }
  const double copy_rate = 2 * static_cast<double>(copied) / median(copies);
  for (const Variant& v : variants) {
    const double s = median(v.seconds);
    const double rate = update_bytes(v.materials, sizeof(T)) * cells / s;
    const char* field = v.field == Field::electric ? "E" : "H";
    out["runs"].push_back({{"type", name<T>()},
                           {"cells", {nx, ny, nz}},
                           {"field", field},
                           {"materials", v.materials},
                           {"threads", {v.shape.z, v.shape.y}},
                           {"march", v.shape.march},
                           {"seconds", s},
                           {"mcells_per_s", cells / s * 1e-6},
                           {"gb_per_s", rate * 1e-9},
                           {"gflops", flops(v.field, g, g.cells(), v.materials) / s * 1e-9},
                           {"copy_gb_per_s", copy_rate * 1e-9},
                           {"of_copy", rate / copy_rate}});
    std::printf("%-6s %dx%dx%d %s%-10s %3dx%d march %-3d %8.0f Mcells/s %6.0f GB/s %5.3f of copy\n", name<T>(), nx, ny,
                nz, field, v.materials ? " materials" : "", v.shape.z, v.shape.y, v.shape.march, cells / s * 1e-6,
                rate * 1e-9, rate / copy_rate);
  }
  for (const cuda::Shape& shape : shapes) {
    std::vector<double> loops;
    for (int r = -1; r < repetitions / 3; ++r) {
      const double s = clock.seconds([&] {
        for (int n = 0; n < steps; ++n) {
          cuda::update<T>(Field::magnetic, g, g.cells(), some, {}, e.as<T>(), h.as<T>(), clock.stream, shape);
          cuda::update<T>(Field::electric, g, g.cells(), some, {}, h.as<T>(), e.as<T>(), clock.stream, shape);
        }
      });
      if (r >= 0) loops.push_back(s / steps);
    }
    const double s = median(loops);
    out["steps"].push_back({{"type", name<T>()},
                            {"cells", {nx, ny, nz}},
                            {"threads", {shape.z, shape.y}},
                            {"march", shape.march},
                            {"seconds_per_step", s},
                            {"mcells_per_s", cells / s * 1e-6},
                            {"of_copy", 2 * bytes / s / copy_rate}});
    std::printf("%-6s %dx%dx%d steps %3dx%d march %-3d %8.0f Mcells/s %5.3f of copy\n", name<T>(), nx, ny, nz, shape.z,
                shape.y, shape.march, cells / s * 1e-6, 2 * bytes / s / copy_rate);
  }
  measure_steps_at_once<T>(clock, g, e, h, 2 * bytes / copy_rate, out);
  std::fflush(stdout);
}

int bench(const char* path) {
  Clock clock;
  cudaDeviceProp device{};
  ASTERISM_CHECK_CUDA(cudaGetDeviceProperties(&device, 0));
  const bool right = same_as_cpu<double>(clock) && same_as_cpu<float>(clock);
  Json out = {{"program", "bench_fdtd_cuda"},  {"device", device.name}, {"repetitions", repetitions},
              {"same_bits_as_cpu", right},     {"runs", Json::array()}, {"steps", Json::array()},
              {"steps_at_once", Json::array()}};
  std::printf("%s\n", right ? "same bits as the CPU" : "WRONG: other bits than the CPU");
  write(path, out);
  const int sizes[][3] = {{256, 256, 256}, {512, 512, 512}, {100, 100, 100}, {200, 200, 200}, {128, 512, 510}};
  for (const auto& n : sizes) {
    measure<double>(clock, n[0], n[1], n[2], out);
    write(path, out);
    measure<float>(clock, n[0], n[1], n[2], out);
    write(path, out);
  }
  return right ? 0 : 1;
}

}  // namespace
}  // namespace asterism::fdtd

int main(int argc, char** argv) {
  return asterism::bench::run("bench_fdtd_cuda", argc, argv, asterism::fdtd::bench);
}

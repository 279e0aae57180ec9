// SPDX-License-Identifier: Apache-2.0
#include "runtime/memory/memory_limits.hpp"

#include <starpu.h>
#ifdef ASTERISM_CUDA
#include <cuda_runtime_api.h>
#endif

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "base/error.hpp"

namespace asterism {
namespace {

constexpr double megabyte = 1e6;

double megabytes(std::int64_t bytes) {
  return static_cast<double>(bytes) / megabyte;
}

std::int64_t bytes_between(unsigned source, unsigned destination) {
  starpu_profiling_bus_info info{};
  const int bus = starpu_bus_get_id(static_cast<int>(source), static_cast<int>(destination));
  return bus >= 0 && starpu_bus_get_profiling_info(bus, &info) == 0 ? static_cast<std::int64_t>(info.transferred_bytes)
                                                                    : 0;
}

}  // namespace

void require_memory(const MemoryNeed& need, const char* less) {
  const std::int64_t memory = starpu_memory_get_total(STARPU_MAIN_RAM);
  if (memory <= 0 || need.all <= memory) return;
  if (starpu_disk_swap_node < 0)
    bad_input(
        "memory of {:.1f} MB (STARPU_LIMIT_CPU_MEM, --memory): expected {:.1f} MB for all data, or a folder for what "
        "does not fit (STARPU_DISK_SWAP, --swap)",
        megabytes(memory), megabytes(need.all));
  if (need.at_once > memory)
    bad_input(
        "memory of {:.1f} MB (STARPU_LIMIT_CPU_MEM, --memory): tasks that run at the same time need {:.1f} MB of "
        "{:.1f} "
        "MB; {}",
        megabytes(memory), megabytes(need.at_once), megabytes(need.all), less);
  const char* const folder = std::getenv("STARPU_DISK_SWAP");
  std::error_code unknown;
  const auto space = std::filesystem::space(folder == nullptr ? "." : folder, unknown);
  if (!unknown && folder != nullptr && static_cast<double>(space.available) < static_cast<double>(need.all))
    bad_input("{} (STARPU_DISK_SWAP, --swap): {:.1f} MB are free, expected {:.1f} MB", folder,
              static_cast<double>(space.available) / megabyte, megabytes(need.all));
}

void require_gpu_memory(unsigned node, std::int64_t at_once, const char* less) {
  const std::int64_t memory = starpu_memory_get_total(node);
  if (memory <= 0 || at_once <= memory) return;
  bad_input(
      "memory of a GPU of {:.1f} MB (STARPU_LIMIT_CUDA_MEM, or what other programs leave free): tasks that run at the "
      "same time need {:.1f} MB; {}",
      megabytes(memory), megabytes(at_once), less);
}

void leave_others_their_memory([[maybe_unused]] Environment& environment, [[maybe_unused]] int gpus) {
#ifdef ASTERISM_CUDA
  constexpr double share = 0.9;
  constexpr double little = 1024;  // MiB
  const auto limit = [&](double mebibytes) {
    if (mebibytes < little && std::getenv("STARPU_SUBALLOCATOR") == nullptr)
      environment.set("STARPU_SUBALLOCATOR", "0");
  };
  if (const char* const wanted = std::getenv("STARPU_LIMIT_CUDA_MEM"); wanted != nullptr)
    return limit(std::atof(wanted));
  int before = 0;
  if (cudaGetDevice(&before) != cudaSuccess) return;
  for (int gpu = 0; gpu < gpus; ++gpu) {
    const std::string variable = fmt::format("STARPU_LIMIT_CUDA_{}_MEM", gpu);
    std::size_t available = 0;
    std::size_t all = 0;
    if (std::getenv(variable.c_str()) != nullptr || cudaSetDevice(gpu) != cudaSuccess ||
        cudaMemGetInfo(&available, &all) != cudaSuccess)
      continue;
    const double mebibytes = std::max(1.0, std::floor(share * static_cast<double>(available) / (1U << 20U)));
    if (static_cast<double>(available) < share * static_cast<double>(all))
      environment.set(variable.c_str(), fmt::format("{:.0f}", mebibytes));
    limit(mebibytes);
  }
  static_cast<void>(cudaSetDevice(before));
#endif
}

std::optional<DiskTraffic> disk_traffic() {
  if (starpu_disk_swap_node < 0) return std::nullopt;
  const auto disk = static_cast<unsigned>(starpu_disk_swap_node);
  return DiskTraffic{bytes_between(disk, STARPU_MAIN_RAM), bytes_between(STARPU_MAIN_RAM, disk)};
}

}  // namespace asterism

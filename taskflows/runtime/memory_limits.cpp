#include "taskflows/runtime/memory_limits.hpp"

#include <starpu.h>

#include <cstdlib>
#include <filesystem>

#include "taskflows/runtime/error.hpp"

namespace asterism {
namespace {

constexpr double megabyte = 1e6;

double megabytes(std::int64_t bytes) {
  return static_cast<double>(bytes) / megabyte;
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

}  // namespace asterism

#include "bounds/critical_path.hpp"

namespace asterism::bounds {

traces::Path critical_path(const traces::Recording& recording, std::span<const double> seconds) {
  const traces::Task* const first = recording.tasks.data();
  return traces::longest_path(recording, [&](const traces::Task& task) {
    return task.executed() ? seconds[static_cast<std::size_t>(&task - first)] : 0.0;
  });
}

}  // namespace asterism::bounds

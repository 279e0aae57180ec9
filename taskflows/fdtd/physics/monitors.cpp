// SPDX-License-Identifier: Apache-2.0
// Frequency-domain monitors: each brick has the sums of its own entries.
#include <algorithm>
#include <array>
#include <atomic>

#include "codelets/fdtd/kernels/kernels.hpp"
#include "taskflows/fdtd/physics/physics.hpp"
#ifdef ASTERISM_CUDA
#include "codelets/fdtd/kernels/observers/monitor_cuda.hpp"
#endif

namespace asterism::fdtd {
namespace {

/// Array: the sums.
template <class T>
class Record final : public KernelHook {
 public:
  Record(const Monitor& monitor, const MonitorPart& part, double dt) : monitor_(monitor), part_(part), dt_(dt) {}
  [[nodiscard]] int stages() const override { return static_cast<int>(Stage::end); }
  [[nodiscard]] std::optional<std::vector<Reach>> reach(const Grid& /*grid*/) const override {
    std::vector<Reach> entries;
    for (int m = 0; m < part_.count; ++m) entries.push_back({part_.entries[m], false});
    return entries;
  }
  void apply(const UpdatedBox& u) const override {
    const auto& factors = phases_of(u.step);
    if (!factors.empty()) cpu::record(part_, u.cells, factors.data(), field(u), static_cast<double*>(u.arrays[0]));
  }
#ifdef ASTERISM_CUDA
  void apply(const UpdatedBox& u, CUstream_st* stream) const override {
    if (const auto factors = phases(monitor_, u.step + 1, dt_); !factors.empty())
      cuda::record(part_, factors.data(), field(u), static_cast<double*>(u.arrays[0]), stream);
  }
#endif

 private:
  /// Kept for the steps of a pass, which a thread comes to once for each plane.
  [[nodiscard]] const std::vector<std::complex<double>>& phases_of(std::int64_t step) const {
    struct Known {
      std::uint64_t record = 0;
      std::int64_t step = -1;
      std::vector<std::complex<double>> phases;
    };
    thread_local std::array<Known, 4 * cpu::steps_at_once> all;
    Known& known = all[(static_cast<std::uint64_t>(step) + cpu::steps_at_once * number_) % all.size()];
    if (known.record != number_ || known.step != step) known = {number_, step, phases(monitor_, step + 1, dt_)};
    return known.phases;
  }
  [[nodiscard]] const T* field(const UpdatedBox& u) const {
    return static_cast<const T*>(monitor_.field == u.field ? u.values : u.other);
  }
  static std::uint64_t next_number() {
    static std::atomic<std::uint64_t> last{0};
    return ++last;
  }
  const Monitor& monitor_;
  MonitorPart part_;
  double dt_;
  const std::uint64_t number_ = next_number();
};

class Monitors final : public PhysicsModule {
 public:
  Monitors(Simulation& simulation, const Problem& p) : problem_(p) {
    for (const std::size_t b : simulation.own())
      for (std::size_t m = 0; m < p.monitors.size(); ++m) {
        const std::array<int, 3> o = simulation.origin(b);
        MonitorPart part = part_of(p.monitors[m], simulation.grid(b), {o[0], o[1], o[2]});
        const BrickPlace& own = simulation.place(b);
        for (Box& entries : part.entries) {  // of planes that are a neighbour's none
          entries.x0 = std::max(entries.x0, own.begin[0] - o[0]);
          if (own.end[0] - o[0] < part.grid.n[0]) entries.x1 = std::min(entries.x1, own.end[0] - o[0]);
          if (entries.empty()) entries = {};
        }
        if (part.elements() == 0) continue;
        parts_.push_back({m, part,
                          BrickArray(static_cast<std::size_t>(part.elements()), sizeof(double), monitor_array(m)),
                          kernel(p.monitors[m], part)});
        simulation.add_hook(b, Field::electric, *parts_.back().kernel, {{parts_.back().sums.handle, STARPU_RW}});
      }
  }

  [[nodiscard]] std::vector<StateKind> arrays() const override {
    std::vector<StateKind> kinds;
    for (std::size_t m = 0; m < problem_.monitors.size(); ++m)
      kinds.push_back({monitor_array(m), sizeof(double), problem_.monitors[m].elements()});
    return kinds;
  }
  void for_rows(std::size_t array, starpu_data_access_mode mode, const Row& row) const override {
    for (const Part& part : parts_) {
      if (part.monitor != array) continue;
      const Opened<char> opened(part.sums, mode);
      for_rows_of(problem_.monitors[array], part.part, [&](std::int64_t whole, std::int64_t own, std::int64_t length) {
        row(opened.values() + own * static_cast<std::int64_t>(sizeof(double)), whole, length);
      });
    }
  }

 private:
  struct Part {
    std::size_t monitor;
    MonitorPart part;
    BrickArray sums;
    std::unique_ptr<KernelHook> kernel;
  };
  [[nodiscard]] std::unique_ptr<KernelHook> kernel(const Monitor& monitor, const MonitorPart& part) const {
    return with_precision(problem_.precision, [&](auto number) -> std::unique_ptr<KernelHook> {
      return std::make_unique<Record<decltype(number)>>(monitor, part, problem_.dt);
    });
  }
  const Problem& problem_;
  std::vector<Part> parts_;
};

}  // namespace

std::string monitor_array(std::size_t monitor) {
  return "monitor_" + std::to_string(monitor);
}

std::unique_ptr<PhysicsModule> make_monitors(Simulation& simulation, const Problem& problem) {
  if (problem.monitors.empty()) return nullptr;
  return std::make_unique<Monitors>(simulation, problem);
}

}  // namespace asterism::fdtd

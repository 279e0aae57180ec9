// Frequency-domain monitors: each brick has the sums of its own entries.
#include <algorithm>

#include "taskflows/fdtd/features.hpp"
#ifdef ASTERISM_CUDA
#include "codelets/fdtd/monitor_cuda.hpp"
#endif

namespace asterism::fdtd {
namespace {

/// Array: the sums.
template <class T>
class Record final : public Extension {
 public:
  Record(const Monitor& monitor, const MonitorPart& part, double dt) : monitor_(monitor), part_(part), dt_(dt) {}
  [[nodiscard]] int stages() const override { return static_cast<int>(Stage::end); }
  void apply(const Updated& u) const override {
    if (const auto factors = phases(monitor_, u.step + 1, dt_); !factors.empty())
      cpu::record(part_, factors.data(), field(u), static_cast<double*>(u.arrays[0]));
  }
#ifdef ASTERISM_CUDA
  void apply(const Updated& u, CUstream_st* stream) const override {
    if (const auto factors = phases(monitor_, u.step + 1, dt_); !factors.empty())
      cuda::record(part_, factors.data(), field(u), static_cast<double*>(u.arrays[0]), stream);
  }
#endif

 private:
  [[nodiscard]] const T* field(const Updated& u) const {
    return static_cast<const T*>(monitor_.field == u.field ? u.values : u.other);
  }
  const Monitor& monitor_;
  MonitorPart part_;
  double dt_;
};

std::string name_of(std::size_t monitor) {
  return "monitor_" + std::to_string(monitor);
}

class Monitors final : public Feature {
 public:
  Monitors(Simulation& simulation, const Problem& p) : problem_(p) {
    for (std::size_t b = 0; b < simulation.bricks(); ++b)
      for (std::size_t m = 0; m < p.monitors.size(); ++m) {
        const std::array<int, 3>& o = simulation.place(b).begin;
        const MonitorPart part = part_of(p.monitors[m], simulation.grid(b), {o[0], o[1], o[2]});
        if (part.elements() == 0) continue;
        parts_.push_back({m, part, BrickArray(static_cast<std::size_t>(part.elements()), sizeof(double), name_of(m)),
                          kernel(p.monitors[m], part)});
        simulation.extend(b, Field::electric, *parts_.back().kernel, {{parts_.back().sums.handle, STARPU_RW}});
      }
  }

  void add_spectra(std::vector<Spectrum>& spectra) const override {
    const std::size_t first = spectra.size();
    for (const Monitor& monitor : problem_.monitors) spectra.emplace_back(monitor);
    for (const Part& part : parts_) {
      const Opened<double> sums(part.sums, STARPU_R);
      spectra[first + part.monitor].gather(part.part, sums.values());
    }
  }
  void collect(std::vector<StateArray>& state) const override {
    std::vector<Spectrum> spectra;
    add_spectra(spectra);
    for (std::size_t m = 0; m < spectra.size(); ++m) {
      const auto* const values = reinterpret_cast<const char*>(spectra[m].values.data());
      state.push_back(
          {name_of(m), sizeof(double), std::vector<char>(values, values + spectra[m].values.size() * sizeof(double))});
    }
  }
  void restore(const std::vector<StateArray>& state) override {
    for (const Part& part : parts_) {
      const StateArray* const found = find(state, name_of(part.monitor));
      const Opened<double> sums(part.sums, STARPU_W);
      std::fill_n(sums.values(), part.part.elements(), 0.0);
      if (found == nullptr) continue;
      Spectrum spectrum(problem_.monitors[part.monitor]);
      std::copy_n(reinterpret_cast<const double*>(found->values.data()), spectrum.values.size(),
                  spectrum.values.begin());
      spectrum.scatter(part.part, sums.values());
    }
  }

 private:
  struct Part {
    std::size_t monitor;
    MonitorPart part;
    BrickArray sums;
    std::unique_ptr<Extension> kernel;
  };
  [[nodiscard]] std::unique_ptr<Extension> kernel(const Monitor& monitor, const MonitorPart& part) const {
    if (problem_.single_precision) return std::make_unique<Record<float>>(monitor, part, problem_.dt);
    return std::make_unique<Record<double>>(monitor, part, problem_.dt);
  }
  const Problem& problem_;
  std::vector<Part> parts_;
};

}  // namespace

std::unique_ptr<Feature> make_monitors(Simulation& simulation, const Problem& problem) {
  if (problem.monitors.empty()) return nullptr;
  return std::make_unique<Monitors>(simulation, problem);
}

}  // namespace asterism::fdtd

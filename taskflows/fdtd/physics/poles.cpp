// SPDX-License-Identifier: Apache-2.0
// Dispersive media: the state of the poles of a brick in one array.
#include <algorithm>

#include "runtime/ranks/ranks.hpp"
#include "taskflows/fdtd/physics/physics.hpp"
#ifdef ASTERISM_CUDA
#include "codelets/fdtd/kernels/media/dispersive_cuda.hpp"
#endif

namespace asterism::fdtd {
namespace {

constexpr const char* state_name = "poles";

/// Arrays: ranges, coefficients, state.
template <class T>
class Disperse final : public KernelHook {
 public:
  Disperse(const PoleStates& states, const std::vector<Planes>& runs) : states_(states), runs_(runs) {}
  [[nodiscard]] int stages() const override { return static_cast<int>(Stage::sources); }
  [[nodiscard]] std::optional<std::vector<Reach>> reach(const Grid& /*grid*/) const override {
    std::vector<Reach> all;
    for (const Planes& run : runs_) {
      all.push_back({states_.box, true});
      all.back().cells.x0 = run.first;
      all.back().cells.x1 = run.end;
    }
    return all;
  }
  void for_planes(void* const* arrays, std::int32_t first, std::int32_t end, const Numbers& body) const override {
    for (const Planes& run : runs_)
      for_states_of_planes(states_, static_cast<T*>(arrays[2]), std::max(first, run.first), std::min(end, run.end),
                           body);
  }
  void apply(const UpdatedBox& u) const override {
    cpu::disperse(u.grid, u.cells, media(u), poles(u), states_, static_cast<T*>(u.arrays[2]),
                  static_cast<T*>(u.values));
  }
#ifdef ASTERISM_CUDA
  void apply(const UpdatedBox& u, CUstream_st* stream) const override {
    cuda::disperse(u.grid, u.cells, media(u), poles(u), states_, static_cast<T*>(u.arrays[2]),
                   static_cast<T*>(u.values), stream);
  }
#endif

 private:
  static Media<T> media(const UpdatedBox& u) {
    return {u.index, static_cast<const Coefficients<T>*>(u.table)};
  }
  static Poles<T> poles(const UpdatedBox& u) {
    return {static_cast<const PoleRange*>(u.arrays[0]), static_cast<const PoleCoefficients<T>*>(u.arrays[1])};
  }
  PoleStates states_;
  std::vector<Planes> runs_;
};

template <class T>
class PolesOfMedia final : public PhysicsModule {
 public:
  PolesOfMedia(Simulation& simulation, const std::vector<const DispersiveMedia<T>*>& media) {
    for (std::size_t n = 0; n < media.size(); ++n) {
      if (media[n]->states.elements() == 0) continue;
      const PoleStates& states = media[n]->states;
      std::vector<Planes> runs = media[n]->runs;
      if (runs.empty()) runs = {{states.box.x0, states.box.x1}};
      std::vector<PoleCoefficients<T>> coefficients = media[n]->poles;
      if (coefficients.empty()) coefficients.resize(1);  // a strip between those that have some
      const std::size_t b = simulation.own()[n];
      Part part{simulation.grid(b),
                simulation.origin(b),
                simulation.place(b).begin[0] - simulation.origin(b)[0],
                simulation.place(b).end[0] - simulation.origin(b)[0],
                states,
                brick_array(media[n]->ranges, "pole ranges"),
                brick_array(coefficients, "poles"),
                BrickArray(static_cast<std::size_t>(states.elements()), sizeof(T), "state of poles"),
                std::make_unique<Disperse<T>>(states, runs)};
      simulation.add_hook(
          b, Field::electric, *part.kernel,
          {{part.ranges.handle, STARPU_R}, {part.coefficients.handle, STARPU_R}, {part.state.handle, STARPU_RW}});
      const bool last = part.end == part.grid.n[0];
      for (const Planes& run : runs) {
        PoleStates own = states;
        own.box.x0 = std::max(run.first, part.first);
        own.box.x1 = last ? run.end : std::min(run.end, part.end);
        if (!own.box.empty()) widen(in_domain(own, part.origin));
      }
      parts_.push_back(std::move(part));
    }
    if (simulation.dealt())
      for (const PoleStates& of_rank : rank_group().all_gather(whole_)) widen(of_rank);
  }

  [[nodiscard]] std::vector<StateKind> arrays() const override { return {{state_name, sizeof(T), whole_.elements()}}; }
  void for_rows(std::size_t /*array*/, starpu_data_access_mode mode, const Row& row) const override {
    for (const Part& part : parts_) {
      const Opened<char> opened(part.state, mode);
      for (std::int32_t slot = 0; slot < part.states.slots; ++slot)
        for (int c = 0; c < 3; ++c) for_rows(part, slot, c, opened.values(), row);
    }
  }

 private:
  struct Part {
    Grid grid;
    std::array<int, 3> origin;
    int first, end;  ///< its own planes along x
    PoleStates states;
    BrickArray ranges, coefficients, state;
    std::unique_ptr<Disperse<T>> kernel;
  };

  static PoleStates in_domain(const PoleStates& states, const std::array<int, 3>& o) {
    const Box& b = states.box;
    return {{b.x0 + o[0], b.x1 + o[0], b.y0 + o[1], b.y1 + o[1], b.z0 + o[2], b.z1 + o[2]}, states.slots};
  }
  /// The box of all of the domain that has poles, and the most slots.
  void widen(const PoleStates& more) {
    if (more.slots == 0) return;
    Box& all = whole_.box;
    const Box& b = more.box;
    all = whole_.slots == 0 ? b : Box{std::min(all.x0, b.x0), std::max(all.x1, b.x1), std::min(all.y0, b.y0),
                                      std::max(all.y1, b.y1), std::min(all.z0, b.z0), std::max(all.z1, b.z1)};
    whole_.slots = std::max(whole_.slots, more.slots);
  }
  /// Entries of a component along z, of one slot.
  void for_rows(const Part& part, std::int32_t slot, int c, char* state, const Row& row) const {
    const std::array<int, 3>& o = part.origin;
    const Box e = part.grid.entries(Field::electric, c, part.grid.cells());
    const Box& b = part.states.box;
    const int first = std::max(e.z0, b.z0);
    const int end = std::min(e.z1, b.z1);
    if (first >= end) return;
    const int own_end = part.end == part.grid.n[0] ? e.x1 : std::min(e.x1, part.end);
    for (int i = std::max({e.x0, b.x0, part.first}); i < std::min(own_end, b.x1); ++i)
      for (int j = std::max(e.y0, b.y0); j < std::min(e.y1, b.y1); ++j) {
        const std::int64_t here = slot * part.states.stride() + part.states.at(c, i, j, first);
        row(state + here * static_cast<std::int64_t>(sizeof(T)),
            slot * whole_.stride() + whole_.at(c, i + o[0], j + o[1], first + o[2]), end - first);
      }
  }

  PoleStates whole_{};
  std::vector<Part> parts_;
};

}  // namespace

template <class T>
std::unique_ptr<PhysicsModule> make_poles(Simulation& simulation, const Problem& problem,
                                          const std::vector<const DispersiveMedia<T>*>& media) {
  if (!has_poles(problem)) return nullptr;
  return std::make_unique<PolesOfMedia<T>>(simulation, media);
}
template std::unique_ptr<PhysicsModule> make_poles(Simulation&, const Problem&,
                                                   const std::vector<const DispersiveMedia<float>*>&);
template std::unique_ptr<PhysicsModule> make_poles(Simulation&, const Problem&,
                                                   const std::vector<const DispersiveMedia<double>*>&);

}  // namespace asterism::fdtd

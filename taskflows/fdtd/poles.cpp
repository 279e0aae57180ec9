// Dispersive media: the state of the poles of a brick in one array.
#include <algorithm>

#include "taskflows/fdtd/features.hpp"
#ifdef ASTERISM_CUDA
#include "codelets/fdtd/dispersive_cuda.hpp"
#endif

namespace asterism::fdtd {
namespace {

constexpr const char* state_name = "poles";

/// Arrays: ranges, coefficients, state.
template <class T>
class Disperse final : public Extension {
 public:
  explicit Disperse(const PoleStates& states) : states_(states) {}
  [[nodiscard]] int stages() const override { return static_cast<int>(Stage::driven); }
  void apply(const Updated& u) const override {
    cpu::disperse(u.grid, u.cells, media(u), poles(u), states_, static_cast<T*>(u.arrays[2]),
                  static_cast<T*>(u.values));
  }
#ifdef ASTERISM_CUDA
  void apply(const Updated& u, CUstream_st* stream) const override {
    cuda::disperse(u.grid, u.cells, media(u), poles(u), states_, static_cast<T*>(u.arrays[2]),
                   static_cast<T*>(u.values), stream);
  }
#endif

 private:
  static Media<T> media(const Updated& u) {
    return {u.index, static_cast<const Coefficients<T>*>(u.table)};
  }
  static Poles<T> poles(const Updated& u) {
    return {static_cast<const PoleRange*>(u.arrays[0]), static_cast<const PoleCoefficients<T>*>(u.arrays[1])};
  }
  PoleStates states_;
};

template <class T>
class PolesOfMedia final : public Feature {
 public:
  PolesOfMedia(Simulation& simulation, const std::vector<const DispersiveMedia<T>*>& media) {
    for (std::size_t b = 0; b < media.size(); ++b) {
      if (media[b]->states.elements() == 0) continue;
      const PoleStates& states = media[b]->states;
      Part part{simulation.grid(b),
                simulation.place(b).begin,
                states,
                brick_array(media[b]->ranges, "pole ranges"),
                brick_array(media[b]->poles, "poles"),
                BrickArray(static_cast<std::size_t>(states.elements()), sizeof(T), "state of poles"),
                std::make_unique<Disperse<T>>(states)};
      simulation.extend(
          b, Field::electric, *part.kernel,
          {{part.ranges.handle, STARPU_R}, {part.coefficients.handle, STARPU_R}, {part.state.handle, STARPU_RW}});
      widen(part);
      parts_.push_back(std::move(part));
    }
  }

  void collect(std::vector<StateArray>& state) const override {
    state.push_back({state_name, sizeof(T), std::vector<char>(elements() * sizeof(T))});
    T* const all = reinterpret_cast<T*>(state.back().values.data());
    for_parts(STARPU_R, [&](T& here, std::int64_t there) { all[there] = here; });
  }
  void restore(const std::vector<StateArray>& state) override {
    const StateArray* const found = find(state, state_name);
    const T* const all = found == nullptr ? nullptr : reinterpret_cast<const T*>(found->values.data());
    for_parts(STARPU_RW, [&](T& here, std::int64_t there) { here = all == nullptr ? T{0} : all[there]; });
  }

 private:
  struct Part {
    Grid grid;
    std::array<int, 3> origin;
    PoleStates states;
    BrickArray ranges, coefficients, state;
    std::unique_ptr<Disperse<T>> kernel;
  };

  [[nodiscard]] std::size_t elements() const { return static_cast<std::size_t>(whole_.elements()); }
  /// The box of all of the domain that has poles, and the most slots.
  void widen(const Part& part) {
    const Box& b = part.states.box;
    const std::array<int, 3>& o = part.origin;
    const Box here{b.x0 + o[0], b.x1 + o[0], b.y0 + o[1], b.y1 + o[1], b.z0 + o[2], b.z1 + o[2]};
    Box& all = whole_.box;
    all =
        whole_.slots == 0 ? here : Box{std::min(all.x0, here.x0), std::max(all.x1, here.x1), std::min(all.y0, here.y0),
                                       std::max(all.y1, here.y1), std::min(all.z0, here.z0), std::max(all.z1, here.z1)};
    whole_.slots = std::max(whole_.slots, part.states.slots);
  }
  /// `body(number of an entry and slot in a brick, its place in the array of the whole domain)`.
  template <class Body>
  void for_parts(starpu_data_access_mode mode, const Body& body) const {
    for (const Part& part : parts_) {
      const Opened<T> opened(part.state, mode);
      const std::array<int, 3>& o = part.origin;
      for (std::int32_t slot = 0; slot < part.states.slots; ++slot)
        for (int c = 0; c < 3; ++c) {
          const Box e = part.grid.entries(Field::electric, c, part.grid.cells());
          const Box& b = part.states.box;
          for (int i = std::max(e.x0, b.x0); i < std::min(e.x1, b.x1); ++i)
            for (int j = std::max(e.y0, b.y0); j < std::min(e.y1, b.y1); ++j)
              for (int k = std::max(e.z0, b.z0); k < std::min(e.z1, b.z1); ++k)
                body(opened.values()[slot * part.states.stride() + part.states.at(c, i, j, k)],
                     slot * whole_.stride() + whole_.at(c, i + o[0], j + o[1], k + o[2]));
        }
    }
  }

  PoleStates whole_{};
  std::vector<Part> parts_;
};

}  // namespace

template <class T>
std::unique_ptr<Feature> make_poles(Simulation& simulation, const Problem& problem,
                                    const std::vector<const DispersiveMedia<T>*>& media) {
  if (!has_poles(problem)) return nullptr;
  return std::make_unique<PolesOfMedia<T>>(simulation, media);
}
template std::unique_ptr<Feature> make_poles(Simulation&, const Problem&,
                                             const std::vector<const DispersiveMedia<float>*>&);
template std::unique_ptr<Feature> make_poles(Simulation&, const Problem&,
                                             const std::vector<const DispersiveMedia<double>*>&);

}  // namespace asterism::fdtd

// SPDX-License-Identifier: Apache-2.0
// Absorbing layers: psi of a brick in three arrays for each field, one along each axis.
#include <algorithm>
#include <utility>

#include "taskflows/fdtd/physics/physics.hpp"

namespace asterism::fdtd {
namespace {

/// Arrays: stretches, psi along x, y and z, where there are layers along them.
template <class T>
class Absorb final : public KernelHook {
 public:
  explicit Absorb(const Layers& layers) : layers_(layers) {}
  [[nodiscard]] bool absorbs() const override { return true; }
  void absorber(void* const* arrays, void* to) const override {
    *static_cast<Absorber<T>*>(to) = {&layers_, static_cast<const Stretch<T>*>(arrays[0]), psi(arrays)};
  }
  void apply(const UpdatedBox& /*box*/) const override {}
  void for_planes(void* const* arrays, std::int32_t first, std::int32_t end, const Numbers& body) const override {
    for_psi_of_planes(layers_, psi(arrays), first, end, body);
  }

 private:
  [[nodiscard]] Psi<T> psi(void* const* arrays) const {
    Psi<T> psi{};
    int next = 1;
    for (int axis = 0; axis < 3; ++axis)
      if (layers_.elements(axis) > 0) psi.along[axis] = static_cast<T*>(arrays[next++]);
    return psi;
  }
  Layers layers_;
};

std::string name_of(Field field, int axis) {
  return std::string("psi_") + (field == Field::electric ? "e_" : "h_") + "xyz"[axis];
}

template <class T>
class AbsorbingLayers final : public PhysicsModule {
 public:
  AbsorbingLayers(Simulation& simulation, const Problem& p)
      : whole_(layers(p, whole_grid(p), {0, 0, 0}, PsiRows::dense)) {
    const double d[3] = {p.spacing[0], p.spacing[1], p.spacing[2]};
    for (const Field field : fields)
      stretches_[number(field)] = brick_array(stretches<T>(field, p.cpml, d, p.dt), "stretches");
    for (const std::size_t b : simulation.own()) {
      const BrickPlace& place = simulation.place(b);
      const std::array<int, 3> origin = simulation.origin(b);
      const Layers own = layers(p, simulation.grid(b), origin);
      if (own.none()) continue;
      parts_.push_back({simulation.grid(b), origin, place.begin[0] - origin[0], place.end[0] - origin[0], own, {}, {}});
      for (const Field field : fields) {
        const std::size_t f = number(field);
        std::vector<Access> arrays{{stretches_[f].handle, STARPU_R}};
        for (int axis = 0; axis < 3; ++axis) {
          if (own.elements(axis) == 0) continue;
          BrickArray& psi = parts_.back().psi[f][static_cast<std::size_t>(axis)];
          psi = BrickArray(static_cast<std::size_t>(own.elements(axis)), sizeof(T), name_of(field, axis));
          arrays.push_back({psi.handle, STARPU_RW});
        }
        parts_.back().kernel[f] = std::make_unique<Absorb<T>>(own);
        simulation.add_hook(b, field, *parts_.back().kernel[f], arrays);
      }
    }
  }

  [[nodiscard]] std::vector<StateKind> arrays() const override {
    std::vector<StateKind> kinds;
    for (const auto& [field, axis] : stretched())
      kinds.push_back({name_of(field, axis), sizeof(T), whole_.elements(axis)});
    return kinds;
  }
  void for_rows(std::size_t array, starpu_data_access_mode mode, const Row& row) const override {
    const auto [field, axis] = stretched()[array];
    for (const Part& part : parts_) {
      const BrickArray& psi = part.psi[number(field)][static_cast<std::size_t>(axis)];
      if (psi.memory.size() == 0) continue;
      const Opened<char> opened(psi, mode);
      for (const int c : {(axis + 1) % 3, (axis + 2) % 3}) for_rows(part, field, axis, c, opened.values(), row);
    }
  }

 private:
  static constexpr Field fields[2] = {Field::electric, Field::magnetic};
  struct Part {
    Grid grid;
    std::array<int, 3> origin;
    int first, end;  ///< its own planes along x
    Layers layers;
    std::array<std::array<BrickArray, 3>, 2> psi;
    std::array<std::unique_ptr<Absorb<T>>, 2> kernel;
  };
  static std::size_t number(Field field) { return static_cast<std::size_t>(field); }
  static Layers layers(const Problem& p, const Grid& grid, const std::array<int, 3>& at,
                       PsiRows rows = PsiRows::aligned) {
    return layers_of(p.cpml, grid, {at[0], at[1], at[2]}, {p.cells[0], p.cells[1], p.cells[2]}, rows);
  }
  /// Fields and axes of the arrays, in their order.
  [[nodiscard]] std::vector<std::pair<Field, int>> stretched() const {
    std::vector<std::pair<Field, int>> all;
    for (const Field field : fields)
      for (int axis = 0; axis < 3; ++axis)
        if (whole_.elements(axis) > 0) all.emplace_back(field, axis);
    return all;
  }
  /// Entries of a component along z; in layers along z those of the lower one and of the upper one.
  void for_rows(const Part& part, Field field, int axis, int c, char* psi, const Row& row) const {
    const std::array<int, 3>& o = part.origin;
    const AxisLayers& own = part.layers.axis[axis];
    const Box e = part.grid.entries(field, c, part.grid.cells());
    const auto add = [&](int i, int j, int first, int end) {
      if (first >= end) return;
      row(psi + part.layers.at(axis, c, i, j, first) * static_cast<std::int64_t>(sizeof(T)),
          whole_.at(axis, c, i + o[0], j + o[1], first + o[2]), end - first);
    };
    // what lies on a magnetic conductor belongs to the last brick
    const bool last = part.end == part.grid.n[0];
    for (int i = std::max(e.x0, part.first); i < (last ? e.x1 : std::min(e.x1, part.end)); ++i)
      for (int j = e.y0; j < e.y1; ++j) {
        if (axis == 2) {
          add(i, j, e.z0, std::min(e.z1, own.lower));
          add(i, j, std::max(e.z0, own.upper), e.z1);
        } else if (own.has(axis == 0 ? i : j)) {
          add(i, j, e.z0, e.z1);
        }
      }
  }

  Layers whole_;
  std::array<BrickArray, 2> stretches_;
  std::vector<Part> parts_;
};

}  // namespace

std::unique_ptr<PhysicsModule> make_layers(Simulation& simulation, const Problem& problem) {
  if (!has_layers(problem)) return nullptr;
  return with_precision(problem.precision, [&](auto number) -> std::unique_ptr<PhysicsModule> {
    return std::make_unique<AbsorbingLayers<decltype(number)>>(simulation, problem);
  });
}

}  // namespace asterism::fdtd

// SPDX-License-Identifier: Apache-2.0
// Edges that surfaces across the grid couple: each brick that has some keeps their changes in an array that bricks
// around it read, on whatever rank.
#include <algorithm>
#include <map>
#include <tuple>

#include "base/as_size.hpp"
#include "codelets/fdtd/kernels/media/coupling.hpp"
#include "runtime/ranks/ranks.hpp"
#include "taskflows/fdtd/physics/physics.hpp"
#ifdef ASTERISM_CUDA
#include "codelets/fdtd/kernels/media/coupling_cuda.hpp"
#endif

namespace asterism::fdtd {
namespace {

struct EdgeOfE {
  int component;
  std::array<int, 3> cell;
  bool operator<(const EdgeOfE& other) const {
    return std::tie(component, cell) < std::tie(other.component, other.cell);
  }
};

/// Arrays: places, changes.
template <class T>
class TakeChange final : public KernelHook {
 public:
  explicit TakeChange(std::int32_t count) : count_(count) {}
  [[nodiscard]] int stages() const override { return Stage::begin | Stage::sources; }
  void apply(const UpdatedBox& u) const override {
    const auto call = u.stage == Stage::begin ? cpu::keep<T> : cpu::take_change<T>;
    call(count_, static_cast<const std::int64_t*>(u.arrays[0]), static_cast<const T*>(u.values),
         static_cast<T*>(u.arrays[1]));
  }
#ifdef ASTERISM_CUDA
  void apply(const UpdatedBox& u, CUstream_st* stream) const override {
    const auto call = u.stage == Stage::begin ? cuda::keep<T> : cuda::take_change<T>;
    call(count_, static_cast<const std::int64_t*>(u.arrays[0]), static_cast<const T*>(u.values),
         static_cast<T*>(u.arrays[1]), stream);
  }
#endif

 private:
  std::int32_t count_;
};

/// Arrays: places, first terms, terms, changes of the bricks around.
template <class T>
class Couple final : public KernelHook {
 public:
  Couple(std::int32_t count, std::size_t bricks) : count_(count), bricks_(bricks) {}
  [[nodiscard]] int stages() const override { return static_cast<int>(Stage::coupled); }
  void apply(const UpdatedBox& u) const override { cpu::couple(edges(u), changes(u), static_cast<T*>(u.values)); }
#ifdef ASTERISM_CUDA
  void apply(const UpdatedBox& u, CUstream_st* stream) const override {
    cuda::couple(edges(u), changes(u), static_cast<T*>(u.values), stream);
  }
#endif

 private:
  [[nodiscard]] CoupledEdges<T> edges(const UpdatedBox& u) const {
    return {count_, static_cast<const std::int64_t*>(u.arrays[0]), static_cast<const std::int32_t*>(u.arrays[1]),
            static_cast<const CoupledTerm<T>*>(u.arrays[2])};
  }
  [[nodiscard]] Changes<T> changes(const UpdatedBox& u) const {
    Changes<T> changes{};
    for (std::size_t n = 0; n < bricks_; ++n) changes.of[n] = static_cast<const T*>(u.arrays[3 + n]);
    return changes;
  }
  std::int32_t count_;
  std::size_t bricks_;
};

template <class T>
class Couplings final : public PhysicsModule {
 public:
  Couplings(Simulation& simulation, const Problem& problem) : tags_(allocate_tags(simulation)) {
    for (const Coupling& c : problem.couplings)
      rows_[{c.component, c.cell}].push_back({{c.other_component, c.other_cell}, c.factor});
    for (auto& [edge, row] : rows_)
      std::sort(row.begin(), row.end(), [](const Term& a, const Term& b) { return a.other < b.other; });
    for (const std::size_t b : simulation.near()) {
      Part& part = parts_[b];
      for (const auto& [edge, row] : rows_)
        if (holds(simulation, b, edge)) part.number.try_emplace(edge, static_cast<std::int32_t>(part.number.size()));
      if (part.number.empty()) parts_.erase(b);
    }
    for (auto& [b, part] : parts_) find_bricks_around(part);
    for (auto& [b, part] : parts_) build_changes(simulation, b, part);
    for (auto& [b, part] : parts_) build(simulation, b, part);
  }

  [[nodiscard]] std::vector<StateKind> arrays() const override { return {}; }
  void for_rows(std::size_t /*array*/, starpu_data_access_mode /*mode*/, const Row& /*row*/) const override {}

 private:
  struct Term {
    EdgeOfE other;
    double factor;
  };
  struct Part {
    std::map<EdgeOfE, std::int32_t> number;  ///< of its edges
    std::vector<std::size_t> around;         ///< bricks with edges that couple with these
    BrickArray places, first, terms, changes;
    std::unique_ptr<KernelHook> take_change, couple;
  };

  static std::int64_t allocate_tags(const Simulation& simulation) {
    return simulation.dealt() ? rank_group().allocate_tags(static_cast<std::int64_t>(simulation.bricks())) : 0;
  }
  static std::array<int, 3> here(const Simulation& simulation, std::size_t brick, const EdgeOfE& edge) {
    std::array<int, 3> at = edge.cell;
    for (std::size_t a = 0; a < 3; ++a) at[a] -= simulation.place(brick).begin[a];
    return at;
  }
  static bool holds(const Simulation& simulation, std::size_t brick, const EdgeOfE& edge) {
    const Grid& grid = simulation.grid(brick);
    const Box b = grid.entries(Field::electric, edge.component, grid.cells());
    const std::array<int, 3> at = here(simulation, brick, edge);
    return at[0] >= b.x0 && at[0] < b.x1 && at[1] >= b.y0 && at[1] < b.y1 && at[2] >= b.z0 && at[2] < b.z1;
  }
  static bool is_own(const Simulation& simulation, std::size_t brick) {
    return std::ranges::find(simulation.own(), brick) != simulation.own().end();
  }

  /// Those that are near to this rank; bricks of other ranks may have more.
  void find_bricks_around(Part& part) const {
    for (const auto& there : parts_) {
      const Part& other = there.second;
      const bool couples = std::any_of(part.number.begin(), part.number.end(), [&](const auto& mine) {
        const std::vector<Term>& row = rows_.at(mine.first);
        return std::any_of(row.begin(), row.end(), [&](const Term& t) { return other.number.contains(t.other); });
      });
      if (couples) part.around.push_back(there.first);
    }
  }

  /// The array of changes, on the rank that makes it and on those that read it.
  void build_changes(const Simulation& simulation, std::size_t b, Part& part) {
    const bool own = is_own(simulation, b);
    bool read_here = own, read_elsewhere = false;
    for (const auto& [reader, other] : parts_)
      if (std::ranges::find(other.around, b) != other.around.end())
        (is_own(simulation, reader) ? read_here : read_elsewhere) = true;
    if (!read_here) return;
    part.changes = BrickArray(part.number.size(), sizeof(T), "changes of coupled edges");
    if (!own || read_elsewhere)
      part.changes.handle =
          std::move(part.changes.handle).shared(*simulation.place(b).rank, tags_ + static_cast<std::int64_t>(b));
  }

  void build(Simulation& simulation, std::size_t b, Part& part) {
    const auto count = static_cast<std::int32_t>(part.number.size());
    if (is_own(simulation, b)) fill_tables(simulation, b, part);
    // of bricks elsewhere, too: their tasks make what was received of the past
    part.take_change = std::make_unique<TakeChange<T>>(count);
    simulation.add_hook(b, Field::electric, *part.take_change,
                        {{part.places.handle, STARPU_R}, {part.changes.handle, STARPU_RW}});
    std::vector<Access> arrays{
        {part.places.handle, STARPU_R}, {part.first.handle, STARPU_R}, {part.terms.handle, STARPU_R}};
    for (const std::size_t n : part.around) arrays.push_back({parts_.at(n).changes.handle, STARPU_R});
    part.couple = std::make_unique<Couple<T>>(count, part.around.size());
    simulation.set_coupling(b, *part.couple, arrays);
  }

  void fill_tables(const Simulation& simulation, std::size_t b, Part& part) {
    const Grid& grid = simulation.grid(b);
    std::vector<std::int64_t> places;
    std::vector<std::int32_t> first{0};
    std::vector<CoupledTerm<T>> terms;
    for (const auto& [edge, number] : part.number) {
      const std::array<int, 3> at = here(simulation, b, edge);
      places.push_back(grid.at(edge.component, at[0], at[1], at[2]));
      for (const Term& term : rows_.at(edge))
        for (std::size_t n = 0; n < part.around.size(); ++n) {
          const auto& numbers = parts_.at(part.around[n]).number;
          if (const auto found = numbers.find(term.other); found != numbers.end())
            terms.push_back({static_cast<T>(term.factor), static_cast<std::int32_t>(n), found->second});
        }
      first.push_back(static_cast<std::int32_t>(terms.size()));
    }
    part.places = brick_array(places, "coupled edges");
    part.first = brick_array(first, "first terms of coupled edges");
    part.terms = brick_array(terms, "terms of coupled edges");
  }

  std::int64_t tags_;
  std::map<EdgeOfE, std::vector<Term>> rows_;
  std::map<std::size_t, Part> parts_;  ///< of bricks
};

}  // namespace

std::unique_ptr<PhysicsModule> make_couplings(Simulation& simulation, const Problem& problem) {
  if (problem.couplings.empty()) return nullptr;
  return with_precision(problem.precision, [&](auto real) -> std::unique_ptr<PhysicsModule> {
    return std::make_unique<Couplings<decltype(real)>>(simulation, problem);
  });
}

}  // namespace asterism::fdtd

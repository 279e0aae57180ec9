// SPDX-License-Identifier: Apache-2.0
// Edges that surfaces across the grid couple: each brick that has some keeps their changes in an array that bricks
// around it read, on whatever rank.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

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

/// Edges of a brick in the order of their rows.
class RowsOfEdges {
 public:
  void push_back(const std::array<int, 3>& entry) { rows_.push_back({entry[0], entry[1]}); }
  /// The smallest box that has them.
  [[nodiscard]] Box box(const Grid& grid) const {
    Box b = grid.planes(grid.planes_along(0), 0);
    b.y0 = b.y1;
    b.y1 = 0;
    for (const auto& [i, j] : rows_) b = hull_of_row(b, i, j);
    return rows_.empty() ? Box{} : b;
  }
  /// body(first, count) of those in a box; what lies on a magnetic conductor goes with the last cells.
  template <class Body>
  void in(const Grid& grid, const Box& cells, const Body& body) const {
    const auto end = [&](int axis, int last) { return last == grid.n[axis] ? grid.planes_along(axis) : last; };
    for (int i = cells.x0; i < end(0, cells.x1); ++i) {
      const auto first = std::lower_bound(rows_.begin(), rows_.end(), std::array{i, cells.y0});
      const auto last = std::lower_bound(first, rows_.end(), std::array{i, end(1, cells.y1)});
      if (first != last) body(first - rows_.begin(), static_cast<std::int32_t>(last - first));
    }
  }

 private:
  static Box hull_of_row(const Box& b, int i, int j) {
    return {std::min(b.x0, i), std::max(b.x1, i + 1), std::min(b.y0, j), std::max(b.y1, j + 1), b.z0, b.z1};
  }
  std::vector<std::array<int, 2>> rows_;
};

/// Arrays: places, changes.
template <class T>
class TakeChange final : public KernelHook {
 public:
  TakeChange(std::int32_t count, RowsOfEdges rows, bool neighbours)
      : count_(count), rows_(std::move(rows)), neighbours_(neighbours) {}
  [[nodiscard]] int stages() const override { return Stage::changing | Stage::sources; }
  [[nodiscard]] std::optional<std::vector<Reach>> reach(const Grid& grid) const override {
    if (!neighbours_) return std::nullopt;
    return std::vector{Reach{rows_.box(grid), true}};
  }
  void apply(const UpdatedBox& u) const override {
    const auto call = u.stage == Stage::changing ? cpu::keep<T> : cpu::take_change<T>;
    rows_.in(u.grid, u.cells, [&](std::ptrdiff_t first, std::int32_t count) {
      call(count, static_cast<const std::int64_t*>(u.arrays[0]) + first, static_cast<const T*>(u.values),
           static_cast<T*>(u.arrays[1]) + first);
    });
  }
#ifdef ASTERISM_CUDA
  void apply(const UpdatedBox& u, CUstream_st* stream) const override {
    const auto call = u.stage == Stage::changing ? cuda::keep<T> : cuda::take_change<T>;
    call(count_, static_cast<const std::int64_t*>(u.arrays[0]), static_cast<const T*>(u.values),
         static_cast<T*>(u.arrays[1]), stream);
  }
#endif

 private:
  std::int32_t count_;
  RowsOfEdges rows_;
  bool neighbours_;  ///< are edges coupled with those of the next planes and rows only?
};

/// Arrays: places, first terms, terms, changes of the bricks around.
template <class T>
class Couple final : public KernelHook {
 public:
  Couple(std::int32_t count, RowsOfEdges rows, std::size_t bricks)
      : count_(count), rows_(std::move(rows)), bricks_(bricks) {}
  [[nodiscard]] int stages() const override { return static_cast<int>(Stage::coupled); }
  void apply(const UpdatedBox& u) const override {
    rows_.in(u.grid, u.cells, [&](std::ptrdiff_t first, std::int32_t count) {
      CoupledEdges<T> some = edges(u);
      some.count = count;
      some.places += first;
      some.first += first;
      cpu::couple(some, changes(u), static_cast<T*>(u.values));
    });
  }
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
  RowsOfEdges rows_;
  std::size_t bricks_;
};

template <class T>
class Couplings final : public PhysicsModule {
 public:
  Couplings(Simulation& simulation, const Problem& problem)
      : tags_(allocate_tags(simulation)), neighbours_(couples_neighbours(problem)) {
    for (const Coupling& c : problem.couplings)
      rows_[{c.component, c.cell}].push_back({{c.other_component, c.other_cell}, c.factor});
    for (auto& [edge, row] : rows_)
      std::sort(row.begin(), row.end(), [](const Term& a, const Term& b) { return a.other < b.other; });
    if (simulation.overlap() > 0) {
      for (const std::size_t b : simulation.own()) build_strip(simulation, b);
      return;
    }
    for (const std::size_t b : simulation.near()) {
      Part& part = parts_[b];
      for (const auto& [edge, row] : rows_)
        if (holds(simulation, b, edge)) part.edges.push_back({edge.cell, edge.component});
      std::sort(part.edges.begin(), part.edges.end());
      for (const auto& [cell, component] : part.edges)
        part.number.try_emplace({component, cell}, static_cast<std::int32_t>(part.number.size()));
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
    std::vector<std::pair<std::array<int, 3>, int>> edges;  ///< cells and components: row by row
    std::map<EdgeOfE, std::int32_t> number;                 ///< of its edges
    std::vector<std::size_t> around;                        ///< bricks with edges that couple with these
    BrickArray places, first, terms, changes;
    std::unique_ptr<KernelHook> take_change, couple;
  };

  static std::int64_t allocate_tags(const Simulation& simulation) {
    return simulation.dealt() ? rank_group().allocate_tags(static_cast<std::int64_t>(simulation.bricks())) : 0;
  }
  static std::array<int, 3> here(const Simulation& simulation, std::size_t brick, const EdgeOfE& edge) {
    std::array<int, 3> at = edge.cell;
    for (std::size_t a = 0; a < 3; ++a) at[a] -= simulation.origin(brick)[a];
    return at;
  }
  static bool holds(const Simulation& simulation, std::size_t brick, const EdgeOfE& edge) {
    return holds(simulation.grid(brick), edge.component, here(simulation, brick, edge));
  }
  static bool holds(const Grid& grid, int component, const std::array<int, 3>& at) {
    const Box b = grid.entries(Field::electric, component, grid.cells());
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
    RowsOfEdges rows;
    for (const auto& [cell, component] : part.edges) rows.push_back(here(simulation, b, {component, cell}));
    if (is_own(simulation, b)) fill_tables(simulation, b, part);
    // of bricks elsewhere, too: their tasks make what was received of the past
    part.take_change = std::make_unique<TakeChange<T>>(count, rows, neighbours_);
    simulation.add_hook(b, Field::electric, *part.take_change,
                        {{part.places.handle, STARPU_R}, {part.changes.handle, STARPU_RW}});
    std::vector<Access> arrays{
        {part.places.handle, STARPU_R}, {part.first.handle, STARPU_R}, {part.terms.handle, STARPU_R}};
    for (const std::size_t n : part.around) arrays.push_back({parts_.at(n).changes.handle, STARPU_R});
    part.couple = std::make_unique<Couple<T>>(count, std::move(rows), part.around.size());
    simulation.set_coupling(b, *part.couple, arrays);
  }

  void fill_tables(const Simulation& simulation, std::size_t b, Part& part) {
    const Grid& grid = simulation.grid(b);
    std::vector<std::int64_t> places;
    std::vector<std::int32_t> first{0};
    std::vector<CoupledTerm<T>> terms;
    for (const auto& [cell, component] : part.edges) {
      const std::array<int, 3> at = here(simulation, b, {component, cell});
      places.push_back(grid.at(component, at[0], at[1], at[2]));
      for (const Term& term : rows_.at({component, cell}))
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

  /// A strip that overlaps couples all edges that it has, those of its neighbours too, by itself. An edge may be in it
  /// several times, each beside its own others.
  void build_strip(Simulation& simulation, std::size_t b) {
    const Grid& grid = simulation.grid(b);
    struct Edge {
      std::array<int, 3> entry;
      int component;
      const std::vector<Term>* row;
      bool operator<(const Edge& other) const {
        return std::tie(entry, component) < std::tie(other.entry, other.component);
      }
    };
    const auto at_origin = [](std::array<int, 3> cell, const std::array<int, 3>& origin) {
      for (std::size_t a = 0; a < 3; ++a) cell[a] -= origin[a];
      return cell;
    };
    const std::vector<std::array<int, 3>> origins = simulation.origins(b);
    std::vector<Edge> edges;
    for (const std::array<int, 3>& origin : origins)
      for (const auto& [edge, row] : rows_) {
        const std::array<int, 3> entry = at_origin(edge.cell, origin);
        if (holds(grid, edge.component, entry)) edges.push_back({entry, edge.component, &row});
      }
    if (edges.empty()) return;
    std::sort(edges.begin(), edges.end());
    const auto number_of = [&](const std::array<int, 3>& entry, int component) -> std::optional<std::int32_t> {
      const auto found = std::lower_bound(edges.begin(), edges.end(), Edge{entry, component, nullptr});
      if (found == edges.end() || found->entry != entry || found->component != component) return std::nullopt;
      return static_cast<std::int32_t>(found - edges.begin());
    };
    std::vector<std::int64_t> places;
    std::vector<std::int32_t> first{0};
    std::vector<CoupledTerm<T>> terms;
    RowsOfEdges rows;
    for (const Edge& edge : edges) {
      places.push_back(grid.at(edge.component, edge.entry[0], edge.entry[1], edge.entry[2]));
      rows.push_back(edge.entry);
      for (const Term& term : *edge.row)
        for (const std::array<int, 3>& origin : origins) {
          const std::array<int, 3> entry = at_origin(term.other.cell, origin);
          if (std::abs(entry[0] - edge.entry[0]) > 1) continue;
          const auto number = number_of(entry, term.other.component);
          if (number) terms.push_back({static_cast<T>(term.factor), 0, *number});
          if (number) break;
        }
      first.push_back(static_cast<std::int32_t>(terms.size()));
    }
    Part& part = parts_[b];
    part.places = brick_array(places, "coupled edges");
    part.first = brick_array(first, "first terms of coupled edges");
    part.terms = brick_array(terms, "terms of coupled edges");
    part.changes = BrickArray(edges.size(), sizeof(T), "changes of coupled edges");
    const auto count = static_cast<std::int32_t>(edges.size());
    part.take_change = std::make_unique<TakeChange<T>>(count, rows, neighbours_);
    simulation.add_hook(b, Field::electric, *part.take_change,
                        {{part.places.handle, STARPU_R}, {part.changes.handle, STARPU_RW}});
    part.couple = std::make_unique<Couple<T>>(count, std::move(rows), 1);
    simulation.set_coupling(b, *part.couple,
                            {{part.places.handle, STARPU_R},
                             {part.first.handle, STARPU_R},
                             {part.terms.handle, STARPU_R},
                             {part.changes.handle, STARPU_R}});
  }

  std::int64_t tags_;
  bool neighbours_;  ///< are edges coupled with those of the next planes and rows only?
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

// SPDX-License-Identifier: Apache-2.0
#include "taskflows/cg/preconditioner/gauss_seidel.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/as_size.hpp"
#include "codelets/cg/codelets.hpp"
#include "runtime/clock.hpp"
#include "runtime/submit.hpp"
#include "taskflows/cg/simulation.hpp"

namespace asterism::cg {
namespace {

/// The rows of the nodes of one colour, increasing.
std::vector<std::int32_t> rows_of_colour(const Hierarchy& setup, std::int32_t colour) {
  const int size = setup.level.front().size;
  std::vector<std::int32_t> rows;
  for (std::size_t node = 0; node < setup.colour.size(); ++node)
    for (int i = 0; setup.colour[node] == colour && i < size; ++i)
      rows.push_back(static_cast<std::int32_t>(node) * size + i);
  return rows;
}

CsrMatrix listed_rows(const CsrMatrix& a, const std::vector<std::int32_t>& rows) {
  std::int64_t entries = 0;
  for (const std::int32_t row : rows) entries += a.begin_of(row + 1) - a.begin_of(row);
  CsrMatrix result = room_for_rows(a.n, a.name, 0, static_cast<std::int64_t>(rows.size()), entries);
  std::int64_t next = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::int64_t k = a.begin_of(rows[i]); k < a.begin_of(rows[i] + 1); ++k, ++next) {
      result.column[as_size(next)] = a.column[as_size(k)];
      result.value[as_size(next)] = a.value[as_size(k)];
    }
    result.row_begin[i + 1] = next;
  }
  return result;
}

}  // namespace

std::vector<std::int32_t> colours_of(const CsrMatrix& a, int size) {
  const std::int64_t nodes = a.rows() / size;
  std::vector<std::int32_t> colour(as_size(nodes), -1);
  std::vector<std::int64_t> taken_by;  // by colour: the last node that has a neighbour with it
  for (std::int64_t node = 0; node < nodes; ++node) {
    for (std::int64_t k = a.begin_of(node * size); k < a.begin_of((node + 1) * size); ++k)
      if (const std::int32_t c = colour[as_size(a.column[as_size(k)] / size)]; c >= 0) taken_by[as_size(c)] = node;
    const auto free = std::ranges::find_if(taken_by, [&](std::int64_t by) { return by != node; });
    colour[as_size(node)] = static_cast<std::int32_t>(free - taken_by.begin());
    if (free == taken_by.end()) taken_by.push_back(-1);
  }
  return colour;
}

Hierarchy coloured(const CsrMatrix& a, int size) {
  const auto begin = Clock::now();
  Hierarchy result;
  Level& level = result.level.emplace_back();
  level.size = size;
  level.rows = a.rows();
  level.inverse = inverse_diagonal(gather_blocks(a, size), "ssor", a.name);
  result.colour = colours_of(a, size);
  result.seconds = seconds_since(begin);
  return result;
}

GaussSeidel::GaussSeidel(System& system, const CsrMatrix& rows, const Hierarchy& setup)
    : owners_(system.partition), size_(setup.level.front().size) {
  const CsrMatrix& a = setup.level.front().a.rows() > 0 ? setup.level.front().a : rows;
  const Cuts& cuts = system.partition.begin;
  z_ = std::make_unique<HaloVector>("z", cuts, std::vector<HaloVector::Reader>{{&a, &cuts}}, owners_);
  const std::int32_t colours = setup.colour.empty() ? 0 : std::ranges::max(setup.colour) + 1;
  for (std::int32_t c = 0; c < colours; ++c) {
    const std::vector<std::int32_t> of_colour = rows_of_colour(setup, c);
    Cuts begin;
    for (const std::int64_t cut : cuts) begin.push_back(std::ranges::lower_bound(of_colour, cut) - of_colour.begin());
    Colour& colour = colours_.emplace_back();
    colour.a = make_operator(listed_rows(a, of_colour), begin, *z_, "A", false, owners_);
    const std::size_t blocks = cuts.size() - 1;
    colour.row_memory.resize(blocks);
    colour.inverse_memory.resize(blocks);
    colour.row.resize(blocks);
    colour.inverse.resize(blocks);
    colour.q.resize(blocks);
    for (std::size_t k = 0; k < blocks; ++k)
      if (colour.a[k].handle != nullptr)
        add_rows(colour, static_cast<int>(k), {of_colour.begin() + begin[k], of_colour.begin() + begin[k + 1]},
                 setup.level.front());
  }
}

/// Numbers of the rows in their piece, and the inverses of the diagonal blocks in the kernels' order, see
/// PreconditionerView.
void GaussSeidel::add_rows(Colour& colour, int k, const std::vector<std::int32_t>& rows, const Level& level) {
  const auto block = as_size(k);
  const std::int64_t first = owners_.first(k);
  const Coordinates place{k, k};
  std::vector<std::int32_t>& row = colour.row_memory[block];
  std::vector<double>& inverse = colour.inverse_memory[block];
  inverse.resize(rows.size() * as_size(size_));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    row.push_back(static_cast<std::int32_t>(rows[i] - first));
    for (int c = 0; c < size_; ++c)
      inverse[as_size(c) * rows.size() + i] = level.inverse[as_size(rows[i]) * as_size(size_) + as_size(c)];
  }
  colour.row[block] = Handle::vector(row.data(), row.size(), sizeof(std::int32_t), fmt::format("rows[{}]", k), place);
  colour.inverse[block] =
      Handle::vector(inverse.data(), inverse.size(), sizeof(double), fmt::format("M[{}]", k), place);
  colour.q[block] = Handle::vector(nullptr, rows.size(), sizeof(double), fmt::format("q[{}]", k), place);
}

/// z_c <- z_c + D_c^-1 (r - A z)_c
void GaussSeidel::relax(const Colour& colour, const System& system, bool from_zero) {
  for (const int i : system.own()) {
    const auto k = as_size(i);
    if (colour.a[k].handle == nullptr) continue;
    std::vector<Access> accesses;
    if (!from_zero) accesses = {{colour.a[k].handle, STARPU_R}, {colour.q[k], STARPU_W}};
    accesses.insert(
        accesses.end(),
        {{colour.inverse[k], STARPU_R}, {colour.row[k], STARPU_R}, {system.r[i], STARPU_R}, {z_->piece(i), STARPU_RW}});
    const auto& inputs = z_->inputs(i);
    for (std::size_t h = 1; !from_zero && h < inputs.size(); ++h) accesses.push_back({inputs[h], STARPU_R});
    asterism::submit(codelets::relax, codelets::RelaxArgs{colour.a[k].layout, size_, from_zero ? 0 : 1}, accesses);
  }
  z_->exchange();
}

void GaussSeidel::submit(const System& system) {
  for (const int i : system.own()) asterism::submit(codelets::zero, codelets::NoArgs{}, {{z_->piece(i), STARPU_W}});
  for (std::size_t c = 0; c < colours_.size(); ++c) relax(colours_[c], system, c == 0);
  for (std::size_t c = colours_.size() - 1; c-- > 0;) relax(colours_[c], system, false);
}

}  // namespace asterism::cg

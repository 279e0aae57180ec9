// SPDX-License-Identifier: Apache-2.0
#include "taskflows/cg/preconditioner/multigrid.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/as_size.hpp"
#include "runtime/ranks/ranks.hpp"
#include "runtime/submit.hpp"
#include "taskflows/cg/matrix/matrix_block.hpp"
#include "taskflows/cg/simulation.hpp"

namespace asterism::cg {
namespace {

/// Entries of a level from which it is cut into block-rows: below, tasks would be shorter than what they cost.
constexpr double entries_of_a_block = 40000;

std::vector<starpu_data_handle_t> pieces_of(const HaloVector& x) {
  std::vector<starpu_data_handle_t> pieces;
  for (int k = 0; k < x.blocks(); ++k) pieces.push_back(x.piece(k));
  return pieces;
}

/// Where the rows of the next level are cut: aggregates stay with the block of their first row.
Cuts coarse_cuts(const Level& fine, const Cuts& cuts, const Level& coarse) {
  const auto blocks = static_cast<std::int64_t>(cuts.size()) - 1;
  Cuts result{0};
  for (std::size_t k = 1; k < cuts.size(); ++k)
    result.push_back((std::lower_bound(fine.first.begin(), fine.first.end(), cuts[k]) - fine.first.begin()) *
                     coarse.size);
  const bool small = static_cast<double>(coarse.a.nnz()) < entries_of_a_block * static_cast<double>(blocks);
  const bool empty_block = std::adjacent_find(result.begin(), result.end()) != result.end();
  if (small || empty_block) return {0, coarse.rows};
  return result;
}

}  // namespace

Multigrid::Multigrid(System& system, const CsrMatrix& rows, const Hierarchy& hierarchy)
    : owners_(system.partition), gpus_(&system.gpus), levels_(hierarchy.level.size()) {
  const CsrMatrix& a = hierarchy.level.front().a.rows() > 0 ? hierarchy.level.front().a : rows;
  levels_.front().cuts = system.partition.begin;
  for (std::size_t l = 0; l + 1 < levels_.size(); ++l)
    levels_[l + 1].cuts = coarse_cuts(hierarchy.level[l], levels_[l].cuts, hierarchy.level[l + 1]);
  const Options& o = system.options;
  const bool shares_a = o.decomposition == Decomposition::one_d && o.format == Format::sell &&
                        (o.blocks == 1 || o.transfer == Transfer::packed);
  for (std::size_t l = 0; l < levels_.size(); ++l) {
    const Level& of = hierarchy.level[l];
    LevelData& level = levels_[l];
    level.size = of.size;
    level.largest = of.largest;
    level.smoothed_share = of.smoothed_share;
    const bool last = l + 1 == levels_.size();
    const bool direct = last && hierarchy.inverse.rows() > 0;
    const CsrMatrix& matrix = l == 0 ? a : of.a;
    const std::string of_level = fmt::format("{}", l);
    std::vector<HaloVector::Reader> readers;
    if (!direct) readers.push_back({&matrix, &level.cuts});
    if (l > 0) readers.push_back({&hierarchy.level[l - 1].p, &levels_[l - 1].cuts});
    level.x = std::make_unique<HaloVector>("z" + of_level, level.cuts, readers, owners_);
    if (l > 0)
      levels_[l - 1].p = make_operator(hierarchy.level[l - 1].p, levels_[l - 1].cuts, *level.x, "P", false, owners_);
    if (direct) {
      level.defect = std::make_unique<HaloVector>(
          "b" + of_level, level.cuts, std::vector<HaloVector::Reader>{{&hierarchy.inverse, &level.cuts}}, owners_);
      level.a = make_operator(hierarchy.inverse, level.cuts, *level.defect, "inverse", false, owners_);
      continue;
    }
    if (!last) {
      level.defect = std::make_unique<HaloVector>(
          "t" + of_level, level.cuts, std::vector<HaloVector::Reader>{{&of.r, &levels_[l + 1].cuts}}, owners_);
      level.r = make_operator(of.r, levels_[l + 1].cuts, *level.defect, "R", false, owners_);
    }
    if (l == 0 && shares_a) {
      level.a.resize(as_size(system.blocks()));
      for (const int i : system.own()) {
        level.a[as_size(i)].layout = system.rows[as_size(i)].front().layout;
        level.a[as_size(i)].handle = system.rows[as_size(i)].front().handle;
      }
    } else {
      level.a = make_operator(matrix, level.cuts, *level.x, "A", l == 0, owners_);
    }
    if (l > 0) level.b = make_plain(level.cuts, "b" + of_level);
    level.d = std::make_unique<HaloVector>("d" + of_level, level.cuts,
                                           std::vector<HaloVector::Reader>{{&matrix, &level.cuts}}, owners_);
    level.q = make_plain(level.cuts, "q" + of_level);
    make_inverse(level, of.inverse);
  }
}

Multigrid::Plain Multigrid::make_plain(const Cuts& cuts, const std::string& name) const {
  Plain vector;
  vector.block.resize(cuts.size() - 1);
  for (std::size_t k = 0; k + 1 < cuts.size(); ++k) {
    const int block = static_cast<int>(k);
    if (is_here(owners_, block))
      vector.block[k] = Handle::vector(nullptr, as_size(cuts[k + 1] - cuts[k]), sizeof(double),
                                       fmt::format("{}[{}]", name, k), Coordinates{block, block});
  }
  return vector;
}

/// The inverses of the diagonal blocks in the kernels' order, see PreconditionerView.
void Multigrid::make_inverse(LevelData& level, const std::vector<double>& inverse) {
  level.inverse_memory = HostBuffer<double>(inverse.size());
  level.inverse.resize(as_size(level.blocks()));
  const std::int64_t size = level.size;
  for (int k = 0; k < level.blocks(); ++k) {
    if (!is_here(owners_, k)) continue;
    const std::int64_t first = level.cuts[as_size(k)];
    const std::int64_t rows = level.cuts[as_size(k) + 1] - first;
    double* const memory = level.inverse_memory.data() + first * size;
#pragma omp parallel for schedule(static)
    for (std::int64_t i = 0; i < rows; ++i)
      for (std::int64_t c = 0; c < size; ++c) memory[c * rows + i] = inverse[as_size((first + i) * size + c)];
    level.inverse[as_size(k)] =
        Handle::vector(memory, as_size(rows * size), sizeof(double), fmt::format("M[{}]", k), Coordinates{k, k});
  }
}

starpu_data_handle_t Multigrid::z(int i) const {
  return levels_.front().x->piece(i);
}

/// y_i <- A_i x, or y_i <- y_i + A_i x
void Multigrid::submit_product(const Operator& a, const HaloVector& x, const std::vector<starpu_data_handle_t>& y,
                               bool add) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!is_here(owners_, static_cast<int>(i))) continue;
    if (x.inputs(static_cast<int>(i)).empty()) {  // rows without entries
      if (!add) asterism::submit(codelets::zero, codelets::NoArgs{}, {{y[i], STARPU_W}});
      continue;
    }
    codelets::SpmvArgs args{};
    args.layout = a[i].layout;
    args.write = add ? codelets::Write::add : codelets::Write::replace;
    args.dot = ProductDot::none;
    args.gpus = gpus_;
    std::vector<Access> accesses{{a[i].handle, STARPU_R}, {y[i], add ? STARPU_RW : STARPU_W}};
    for (const starpu_data_handle_t input : x.inputs(static_cast<int>(i))) accesses.push_back({input, STARPU_R});
    asterism::submit(codelets::spmv, args, accesses);
  }
}

/// Two steps of Chebyshev iteration for A x = b on eigenvalues [smoothed_share largest, largest] of D^-1 A (Saad,
/// Iterative Methods for Sparse Linear Systems, Algorithm 12.1), from x or, to replace it, from 0:
///     d_1 = w_1 D^-1 (b - A x);  d_2 = c d_1 + w_2 D^-1 (b - A (x + d_1));  x <- x + d_1 + d_2
/// where b - A x = D d_1 / w_1, so that the second step needs neither b nor the new x:
///     x <- x + (1 + c + w_2 / w_1) d_1 - w_2 D^-1 A d_1
void Multigrid::submit_smoother(LevelData& level, const std::vector<starpu_data_handle_t>& b, codelets::Write write) {
  static_assert(smoother_steps == 2);
  const double theta = level.largest * (1 + level.smoothed_share) / 2;
  const double delta = level.largest * (1 - level.smoothed_share) / 2;
  const double rho = 1 / (2 * theta / delta - delta / theta);
  const double c = rho * delta / theta;
  const double w = 2 * rho / delta;
  const bool adds = write == codelets::Write::add;
  for (int i = 0; i < level.blocks(); ++i) {
    if (!is_here(owners_, i)) continue;
    const auto k = as_size(i);
    const codelets::SmoothFirstArgs args{level.a[k].layout, 1 / theta, level.size, adds ? 1 : 0};
    std::vector<Access> accesses;
    if (adds) accesses = {{level.a[k].handle, STARPU_R}, {level.q.block[k], STARPU_W}};
    accesses.insert(accesses.end(), {{level.inverse[k], STARPU_R}, {b[k], STARPU_R}, {level.d->piece(i), STARPU_W}});
    for (const starpu_data_handle_t input : level.x->inputs(i))
      if (adds) accesses.push_back({input, STARPU_R});
    asterism::submit(codelets::smooth_first, args, accesses);
  }
  level.d->exchange();
  for (int i = 0; i < level.blocks(); ++i) {
    if (!is_here(owners_, i)) continue;
    const auto k = as_size(i);
    const codelets::SmoothSecondArgs args{level.a[k].layout, 1 + c + w * theta, w, level.size, write};
    std::vector<Access> accesses{{level.a[k].handle, STARPU_R},
                                 {level.q.block[k], STARPU_W},
                                 {level.inverse[k], STARPU_R},
                                 {level.d->piece(i), STARPU_R},
                                 {level.x->piece(i), adds ? STARPU_RW : STARPU_W}};
    const auto& inputs = level.d->inputs(i);
    for (std::size_t h = 1; h < inputs.size(); ++h) accesses.push_back({inputs[h], STARPU_R});
    asterism::submit(codelets::smooth_second, args, accesses);
  }
  // the result of the finest level is multiplied by no matrix
  if (!adds || &level != &levels_.front()) level.x->exchange();
}

void Multigrid::submit_level(std::size_t l, const System& system) {
  LevelData& level = levels_[l];
  const bool last = l + 1 == levels_.size();
  if (last && level.inverse.empty()) {
    // x <- A^-1 b
    level.defect->exchange();
    submit_product(level.a, *level.defect, pieces_of(*level.x), false);
    level.x->exchange();
    return;
  }
  std::vector<starpu_data_handle_t> b;
  for (int i = 0; i < level.blocks(); ++i)
    b.push_back(!is_here(owners_, i) ? nullptr : l == 0 ? system.r[i] : level.b.block[as_size(i)].get());
  submit_smoother(level, b, codelets::Write::replace);
  if (!last) {
    // t <- b - A x
    for (int i = 0; i < level.blocks(); ++i) {
      if (!is_here(owners_, i)) continue;
      std::vector<Access> accesses{
          {level.a[as_size(i)].handle, STARPU_R}, {level.defect->piece(i), STARPU_W}, {b[as_size(i)], STARPU_R}};
      for (const starpu_data_handle_t input : level.x->inputs(i)) accesses.push_back({input, STARPU_R});
      asterism::submit(codelets::defect, codelets::DefectArgs{level.a[as_size(i)].layout}, accesses);
    }
    level.defect->exchange();
    // b' <- R t;  x' <- V-cycle of the next level;  x <- x + P x'
    LevelData& next = levels_[l + 1];
    const bool direct = l + 2 == levels_.size() && next.inverse.empty();
    std::vector<starpu_data_handle_t> coarse;
    for (int i = 0; i < next.blocks(); ++i)
      coarse.push_back(!is_here(owners_, i) ? nullptr
                       : direct             ? next.defect->piece(i)
                                            : next.b.block[as_size(i)].get());
    submit_product(level.r, *level.defect, coarse, false);
    submit_level(l + 1, system);
    submit_product(level.p, *next.x, pieces_of(*level.x), true);
    level.x->exchange();
  }
  submit_smoother(level, b, codelets::Write::add);
}

void Multigrid::submit(const System& system) {
  submit_level(0, system);
}

}  // namespace asterism::cg

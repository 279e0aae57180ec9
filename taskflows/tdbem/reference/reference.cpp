// SPDX-License-Identifier: Apache-2.0
#include "taskflows/tdbem/reference/reference.hpp"

#include <starpu.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>

#include "runtime/ranks/ranks.hpp"
#include "taskflows/tdbem/matrices/direct.hpp"

namespace asterism::tdbem {
namespace {

/// StarPU's workers sleep while the application's own threads work; where blocks are on a disk only while none is
/// fetched, as it is the workers who bring them.
struct Sleep {
  std::optional<Pause> all;
  Sleep() {
    if (starpu_disk_swap_node < 0) all.emplace();
  }
};

/// visit(i, j, k, value) for all values of M^1, M^2, ... that this rank has; rows are shared among threads.
template <class T, class Visit>
void for_each_value(Matrices<T>& matrices, const Visit& visit) {
  for (const std::size_t b : matrices.own_blocks()) {
    const Acquired held(matrices.block(b), STARPU_R);
    const Pause pause;
    const void* const bytes = starpu_data_get_local_ptr(matrices.block(b));
    const codelets::PartOfBlock place = matrices.place(b, 0, matrices.blocks());
#pragma omp parallel for schedule(static)
    for (std::int32_t t = 0; t < place.tiles; ++t) {
      const Tile<T> tile = tile_of_block<T>(bytes, place.directory, t);
      for (std::int32_t r = 0; r < tile.rows; ++r)
        for (std::int32_t j = 0; j < tile.slices; ++j) {
          const std::int64_t x = static_cast<std::int64_t>(r / panel_rows) * tile.slices + j;
          const std::int64_t e = x * panel_rows + r % panel_rows;
          for (std::int32_t c = 0; c < tile.length[e]; ++c)
            visit(tile.row_begin + r, tile.slice_begin + j, tile.first[e] + c,
                  static_cast<double>(
                      tile.values[(static_cast<std::int64_t>(tile.start[x]) + c) * panel_rows + r % panel_rows]));
        }
    }
  }
}

/// values[i] of all ranks, put together in their order.
template <class Join>
void join_ranks(std::vector<double>& values, const Join& join) {
  if (!rank_group().distributed()) return;
  const auto of_ranks = rank_group().all_gather(std::span<const double>(values));
  values = of_ranks.front();
  for (std::size_t rank = 1; rank < of_ranks.size(); ++rank)
    std::transform(values.begin(), values.end(), of_ranks[rank].begin(), values.begin(), join);
}
double larger(double a, double b) {
  return std::max(a, b);
}

}  // namespace

template <class T>
std::vector<std::vector<double>> reference_march(const Problem& problem, Matrices<T>& matrices, std::int32_t wave,
                                                 std::int64_t steps) {
  const Sleep sleep;
  const std::int32_t n = problem.surface.unknowns();
  const InitialMatrix& m = matrices.initial();
  const std::vector<std::int32_t> start(m.start.begin(), m.start.end());
  DirectSolver<double> m0(CsrView<double>{n, start.data(), m.column.data(), m.value.data()});
  const Illumination incident = illumination(problem.boundary, problem.waves[static_cast<std::size_t>(wave)],
                                             triangle_rule(problem.rules.far_points));
  std::vector<std::vector<double>> a;
  for (std::int64_t step = 0; step < steps; ++step) {
    std::vector<double> rhs(static_cast<std::size_t>(n));
    if (rank_group().is_root())
      cpu::illuminate(problem.surface.view(), incident, {problem.dt, problem.first_step + step, 1}, 0, n, rhs.data());
    for_each_value(matrices, [&](std::int32_t i, std::int32_t j, std::int32_t k, double value) {
      if (k <= step)
        rhs[static_cast<std::size_t>(i)] -= value * a[static_cast<std::size_t>(step - k)][static_cast<std::size_t>(j)];
    });
    join_ranks(rhs, std::plus<>());
    m0.solve(rhs);
    a.push_back(std::move(rhs));
  }
  return a;
}
template std::vector<std::vector<double>> reference_march(const Problem&, Matrices<float>&, std::int32_t, std::int64_t);
template std::vector<std::vector<double>> reference_march(const Problem&, Matrices<double>&, std::int32_t,
                                                          std::int64_t);

template <class T>
double identity_error(const Problem& problem, Matrices<T>& matrices) {
  const Sleep sleep;
  const auto n = static_cast<std::size_t>(problem.surface.unknowns());
  std::vector<double> sums(n), largest(n);
  const InitialMatrix& m = matrices.initial();
  for (std::size_t i = 0; i < n && rank_group().is_root(); ++i)
    for (std::int64_t e = m.start[i]; e < m.start[i + 1]; ++e) {
      sums[i] += m.value[static_cast<std::size_t>(e)];
      largest[i] = std::max(largest[i], std::abs(m.value[static_cast<std::size_t>(e)]));
    }
  for_each_value(matrices, [&](std::int32_t row, std::int32_t, std::int32_t, double value) {
    const auto i = static_cast<std::size_t>(row);
    sums[i] += value;
    largest[i] = std::max(largest[i], std::abs(value));
  });
  join_ranks(sums, std::plus<>());
  join_ranks(largest, larger);
  double most = 0;
  for (const double sum : sums) most = std::max(most, std::abs(sum));
  return most / *std::max_element(largest.begin(), largest.end());
}
template double identity_error(const Problem&, Matrices<float>&);
template double identity_error(const Problem&, Matrices<double>&);

}  // namespace asterism::tdbem

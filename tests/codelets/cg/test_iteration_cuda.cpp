// SPDX-License-Identifier: Apache-2.0
// Whole iterations on the GPU, with slices of diagonals and with columns, launched one by one and replayed as a CUDA
// graph: the same bits as the kernels for CPUs, scalars and history included.
#include "tests/codelets/cg/cuda.hpp"

namespace asterism::cg {
namespace {

using reference::Vector;

/// A penta-diagonal matrix, diagonally dominant. Slices whose diagonals stay inside are stored as such if wanted.
struct Banded {
  static constexpr std::int32_t far = 16;
  std::int64_t rows;
  std::vector<std::int64_t> slice_begin{0};
  std::vector<std::int64_t> slice_columns;
  std::vector<std::int32_t> column;
  Vector value;

  Banded(std::int64_t n, bool with_diagonals) : rows(n) {
    for (std::int64_t first = 0; first < n; first += slice_height) {
      const bool inside = first >= far && first + slice_height + far <= n;
      const auto place = static_cast<std::int64_t>(column.size());
      const bool diagonals = with_diagonals && inside;
      slice_columns.push_back(diagonals ? ~place : place);
      for (const std::int32_t offset : {-far, -1, 0, 1, far}) {
        if (diagonals) column.push_back(offset);
        for (std::int64_t row = first; row < first + slice_height; ++row) {
          const std::int64_t j = row + offset;
          const bool stored = row < n && j >= 0 && j < n;
          if (!diagonals) column.push_back(static_cast<std::int32_t>(stored ? j : n - 1));
          value.push_back(!stored ? 0 : offset == 0 ? 5 + static_cast<double>(row % 7) / 8 : -1);
        }
      }
      slice_begin.push_back(static_cast<std::int64_t>(value.size()));
    }
  }
  [[nodiscard]] SellView view() const {
    return {rows,         std::ssize(slice_columns), slice_begin.data(), nullptr, column.data(),
            value.data(), slice_columns.data()};
  }
};

/// The vectors and scalars of a solve.
struct Solve {
  Vector x, r, p, q, z;
  State state;
  std::vector<HistoryEntry> history;
};

Solve started(std::int64_t n, const PreconditionerView& m) {
  Solve s;
  s.x = Vector(as_size(n), 0.0);
  for (std::int64_t i = 0; i < n; ++i) s.r.push_back(static_cast<double>(i * 7 % 11) - 3.5);
  s.q = s.z = Vector(as_size(n), 0.0);
  const double* z = s.r.data();
  if (m.size > 0) {
    cpu::precondition(n, m, s.r.data(), s.z.data());
    z = s.z.data();
  }
  s.p.assign(z, z + n);
  s.state.threshold = 1e-6;
  begin(s.state, cpu::residual_dots(n, s.r.data(), z));
  return s;
}

void iterate(const SellView& a, const PreconditionerView& m, Solve& s) {
  alpha_step(s.state, cpu::spmv_dot(a, s.p.data(), s.q.data(), false, s.p.data(), ProductDot::total));
  double* const z = m.size > 0 ? s.z.data() : nullptr;
  beta_step(s.state, cpu::update_residual(a.rows, s.state.alpha, s.q.data(), s.r.data(), s.r.data(), m, z));
  if (s.state.alpha != 0)
    cpu::update_direction(a.rows, s.state.alpha, s.state.beta, z == nullptr ? s.r.data() : z, s.x.data(), s.p.data());
  s.history.push_back(history_entry(s.state));
}

constexpr int iterations = 60;  // converges on the way and stays

class CgCudaIteration : public CgCuda {
 protected:
  /// Runs on the device what `expected` is the result of.
  void expect_same_solve(const Banded& a, const reference::Preconditioner& m, const Solve& start, const Solve& expected,
                         bool replayed) const {
    const std::int64_t n = a.rows;
    const auto slice_begin = upload(a.slice_begin);
    const auto slice_columns = upload(a.slice_columns);
    const auto column = upload(a.column);
    const auto value = upload(a.value);
    const auto inverse = upload(m.inverse);
    const SellView view{
        n, a.view().slices, slice_begin.data(), nullptr, column.data(), value.data(), slice_columns.data()};
    const PreconditionerView on_device{m.size, inverse.data()};
    const auto x = upload(start.x);
    const auto r = upload(start.r);
    const auto p = upload(start.p);
    const auto q = poisoned<double>(n);
    const auto z = upload(start.z);
    const auto state = upload(std::vector<State>{start.state});
    const auto sum = poisoned<Sum>(1);
    const auto dots = poisoned<Dots>(1);
    const auto history = poisoned<HistoryEntry>(iterations);
    const auto cursor = poisoned<cuda::HistoryCursor>(1);
    const auto partial = poisoned<Dots>(cuda::max_grid);
    const auto ticket = upload(std::vector<unsigned>{0});
    const cuda::Workspace workspace{partial.data(), ticket.data()};
    double* const direction = m.size > 0 ? z.data() : r.data();
    const auto launch = [&] {
      cuda::spmv_dot(view, p.data(), q.data(), false, p.data(), sum.data(), workspace, stream_, ProductDot::total,
                     state.data());
      cuda::update_residual_and_step(n, state.data(), q.data(), r.data(), on_device, direction, dots.data(),
                                     cursor.data(), workspace, stream_);
      cuda::update_direction(n, state.data(), direction, x.data(), p.data(), stream_);
    };
    cudaGraphExec_t graph = nullptr;
    if (replayed) {
      cudaGraph_t captured = nullptr;
      check(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
      launch();
      check(cudaStreamEndCapture(stream_, &captured));
      check(cudaGraphInstantiate(&graph, captured, 0));
      check(cudaGraphDestroy(captured));
    }
    cuda::place_history(cursor.data(), history.data(), stream_);
    for (int k = 0; k < iterations; ++k) {
      if (replayed)
        check(cudaGraphLaunch(graph, stream_));
      else
        launch();
    }
    EXPECT_TRUE(same_bits(expected.x, x.values()));
    EXPECT_TRUE(same_bits(expected.r, r.values()));
    EXPECT_TRUE(same_bits(expected.p, p.values()));
    expect_same(expected.state, state.values()[0]);
    const std::vector<HistoryEntry> entries = history.values();
    for (int k = 0; k < iterations; ++k) expect_same(expected.history[as_size(k)], entries[as_size(k)]);
    if (graph != nullptr) cudaGraphExecDestroy(graph);
  }
};

TEST_F(CgCudaIteration, SameBitsAsOnTheCpu) {
  reference::Generator generator(12);
  for (const std::int64_t n : {33L, 597L, 100'003L})
    for (const int size : {0, 1}) {
      reference::Preconditioner positive(n, size, reference::Numbers::real, generator);
      for (std::size_t i = 0; i < positive.inverse.size(); ++i)
        positive.inverse[i] = 0.125 + static_cast<double>(i % 5) / 64;
      const Banded columns(n, false);
      Solve expected = started(n, positive.view());
      const Solve start = expected;
      for (int k = 0; k < iterations; ++k) iterate(columns.view(), positive.view(), expected);
      EXPECT_EQ(expected.state.status, Status::converged);
      for (const bool diagonals : {false, true})
        for (const bool replayed : {false, true}) {
          SCOPED_TRACE(std::to_string(n) + " rows, preconditioner " + std::to_string(size) +
                       (diagonals ? ", diagonals" : "") + (replayed ? ", graph" : ""));
          expect_same_solve(Banded(n, diagonals), positive, start, expected, replayed);
        }
    }
}

TEST_F(CgCudaIteration, WithoutAStepTheDirectionStays) {
  const std::int64_t n = 4099;
  const Vector values(as_size(n), 3.0);
  State stopped;
  set_alpha(stopped, 0);
  stopped.status = Status::converged;
  const auto state = upload(std::vector<State>{stopped});
  const auto z = upload(Vector(as_size(n), 1.0));
  const auto x = upload(values);
  const auto p = upload(values);
  cuda::update_direction(n, state.data(), z.data(), x.data(), p.data(), stream_);
  cuda::xpby(n, z.data(), state.data(), p.data(), stream_);
  EXPECT_TRUE(same_bits(values, x.values()));
  EXPECT_TRUE(same_bits(values, p.values()));
}

}  // namespace
}  // namespace asterism::cg

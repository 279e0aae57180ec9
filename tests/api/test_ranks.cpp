// SPDX-License-Identifier: Apache-2.0
// The library over several processes: run by mpirun with one to three, of which the single one leaves its answers for
// the others to compare bits. ASTERISM_CALLERS_MPI: MPI is the program's own.
#include <asterism/cg.hpp>
#include <asterism/fdtd.hpp>
#include <asterism/fmm.hpp>
#include <asterism/lbm.hpp>
#include <asterism/tdbem.hpp>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/api/problems.hpp"
#ifdef ASTERISM_CALLERS_MPI
#include <mpi.h>
#endif

namespace {

using namespace asterism;
using namespace asterism::tests;
using cg::Preconditioner;

#ifdef ASTERISM_CALLERS_MPI
class CallersMpi : public testing::Environment {
 public:
  void SetUp() override {
    int level = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &level);
  }
  void TearDown() override { MPI_Finalize(); }
};
const testing::Environment* const callers_mpi = testing::AddGlobalTestEnvironment(new CallersMpi);
#endif

const SessionOptions one_core{.cpus = 1, .gpus = 0};

/// Rows [first, last) of a matrix.
Csr part_of(const Csr& a, std::size_t first, std::size_t last) {
  Csr part;
  const auto begin = a.begin[first], end = a.begin[last];
  part.column.assign(a.column.begin() + begin, a.column.begin() + end);
  part.value.assign(a.value.begin() + begin, a.value.begin() + end);
  for (std::size_t row = first; row < last; ++row) part.begin.push_back(a.begin[row + 1] - begin);
  return part;
}

class LibraryRanks : public testing::Test {
 protected:
  /// Unequal shares: the first process has the fewest rows.
  [[nodiscard]] std::size_t cut(int rank) const {
    const auto ranks = static_cast<std::size_t>(session_->ranks());
    return a_.rows() * static_cast<std::size_t>(rank * rank) / (ranks * ranks);
  }
  [[nodiscard]] std::size_t first() const { return cut(session_->rank()); }
  [[nodiscard]] std::size_t last() const { return cut(session_->rank() + 1); }
  [[nodiscard]] int last_rank() const { return session_->ranks() - 1; }
  [[nodiscard]] bool is_last() const { return session_->rank() == last_rank(); }
  [[nodiscard]] cg::Rows rows(const Csr& part, std::size_t first) const {
    return {static_cast<std::int64_t>(a_.rows()),
            static_cast<std::int64_t>(first),
            {std::span<const std::int64_t>(part.begin), std::span<const std::int32_t>(part.column), part.value}};
  }
  [[nodiscard]] std::span<const double> own(const std::vector<double>& all) const {
    return std::span(all).subspan(first(), last() - first());
  }

  /// What a single process has written, or writes.
  [[nodiscard]] std::vector<double> answer(const std::string& name, std::span<const double> x) const {
    const std::string file = std::string(std::getenv("ASTERISM_ANSWERS")) + "/" + name;
    if (session_->ranks() == 1) {
      std::filesystem::create_directories(std::getenv("ASTERISM_ANSWERS"));
      std::ofstream(file, std::ios::binary)
          .write(reinterpret_cast<const char*>(x.data()), std::streamsize(x.size_bytes()));
    }
    std::vector<double> all(a_.rows());
    std::ifstream(file, std::ios::binary).read(reinterpret_cast<char*>(all.data()), std::streamsize(8 * all.size()));
    return all;
  }

  /// All processes have the error, and another solve succeeds.
  void expect_on_all(const std::function<void()>& call, const std::vector<std::string>& words) {
    expect_bad_input(call, words);
    solve_again();
  }
  void solve_again() {
    std::vector<double> x(last() - first());
    cg::Solver solver(*session_, rows(part_, first()));
    EXPECT_TRUE(solver.solve(own(b_), x).converged());
  }

  Csr a_ = anisotropic_grid(13, 11, 9);
  std::vector<double> b_ = random_values(a_.rows(), 1);
  std::optional<Session> session_{std::in_place, one_core};
  Csr part_ = part_of(a_, first(), last());
};

TEST_F(LibraryRanks, EachPreconditionerAndFlowGivesTheBitsOfOneProcess) {
  struct Method {
    const char* name;
    Preconditioner preconditioner;
    cg::Flow flow;
  };
  for (const Method& method : {Method{"none", Preconditioner::none, cg::Flow::fused},
                               {"jacobi", Preconditioner::jacobi, cg::Flow::fused},
                               {"block_jacobi", Preconditioner::block_jacobi, cg::Flow::fused},
                               {"ssor", Preconditioner::ssor, cg::Flow::fused},
                               {"amg", Preconditioner::amg, cg::Flow::fused},
                               {"pipelined", Preconditioner::none, cg::Flow::pipelined}}) {
    SCOPED_TRACE(method.name);
    cg::Options options;
    options.preconditioner = method.preconditioner;
    options.flow = method.flow;
    cg::Solver solver(*session_, rows(part_, first()), options);
    EXPECT_EQ(solver.rows(), static_cast<std::int64_t>(a_.rows()));
    EXPECT_EQ(solver.entries(), static_cast<std::int64_t>(a_.value.size()));
    EXPECT_EQ(solver.first_row(), static_cast<std::int64_t>(first()));
    EXPECT_EQ(solver.own_rows(), static_cast<std::int64_t>(last() - first()));
    std::vector<double> x(last() - first());
    const cg::Result result = solver.solve(own(b_), x);
    EXPECT_TRUE(result.converged());
    const std::vector<double> all = answer(method.name, x);
    EXPECT_LE(residual(a_, b_, all), 1e-8);
    EXPECT_TRUE(same_bits(x, own(all)));
    EXPECT_EQ(solver.solve(own(b_), x, cg::Start::given).iterations, 0);
  }
  cg::Options refined;
  refined.flow = cg::Flow::refined;
  std::vector<double> x(last() - first());
  EXPECT_TRUE(cg::Solver(*session_, rows(part_, first()), refined).solve(own(b_), x).converged());
}

TEST_F(LibraryRanks, RowsMayComeFromAFunction) {
  std::vector<std::int64_t> asked;
  const auto fill = [&](std::int64_t row, std::vector<std::int64_t>& column, std::vector<double>& value) {
    asked.push_back(row);
    const Csr one = part_of(a_, static_cast<std::size_t>(row), static_cast<std::size_t>(row) + 1);
    column.assign(one.column.begin(), one.column.end());
    value = one.value;
  };
  cg::Options options;
  options.preconditioner = Preconditioner::jacobi;
  cg::Solver solver(*session_, cg::MatrixRows{static_cast<std::int64_t>(a_.rows()), fill}, options);
  const auto begin = static_cast<std::size_t>(solver.first_row()), n = static_cast<std::size_t>(solver.own_rows());
  ASSERT_EQ(asked.size(), n);
  EXPECT_EQ(asked.front(), solver.first_row());
  std::vector<double> x(b_.begin() + solver.first_row(), b_.begin() + solver.first_row() + solver.own_rows());
  EXPECT_TRUE(solver.solve(x, x).converged());
  const std::vector<double> all = answer("jacobi", x);
  EXPECT_TRUE(same_bits(x, std::span(all).subspan(begin, n)));
  const auto failing = [&](std::int64_t row, std::vector<std::int64_t>& column, std::vector<double>& value) {
    if (is_last()) throw std::out_of_range("no such row");
    fill(row, column, value);
  };
  const auto make = [&] { cg::Solver(*session_, cg::MatrixRows{static_cast<std::int64_t>(a_.rows()), failing}); };
  if (is_last())
    EXPECT_THROW(make(), std::out_of_range);
  else
    expect_error(make, Error::Kind::failed, {"process " + std::to_string(last_rank()), "no such row"});
  solve_again();
  expect_bad_input([&] { cg::Solver(*session_, cg::MatrixRows{5, {}}); }, {"fill", "a function"});
  expect_bad_input([&] { cg::Solver(*session_, cg::MatrixRows{0, fill}); }, {"order 0"});
}

TEST_F(LibraryRanks, AProcessMayHaveNoRows) {
  const auto without_first = [&](int rank) { return rank == 1 && last_rank() > 0 ? 0 : cut(rank); };
  const std::size_t begin = without_first(session_->rank());
  const std::size_t end = without_first(session_->rank() + 1);
  const Csr part = part_of(a_, begin, end);
  cg::Options options;
  options.preconditioner = Preconditioner::none;
  cg::Solver solver(*session_, rows(part, begin), options);
  std::vector<double> three;
  for (const double factor : {2.0, 1.0, -4.0})
    for (std::size_t row = begin; row < end; ++row) three.push_back(factor * b_[row]);
  EXPECT_EQ(solver.solve_all(three, three).size(), 3U);
  const std::span<const double> second = std::span(three).subspan(end - begin, end - begin);
  const std::vector<double> all = answer("none", second);
  EXPECT_TRUE(same_bits(second, std::span(all).subspan(begin, end - begin)));
}

TEST_F(LibraryRanks, AnErrorOfOneProcessIsOneOfAll) {
  solve_again();
  const std::string who = last_rank() > 0 && !is_last() ? "process " + std::to_string(last_rank()) : "";
  std::vector<double> x(last() - first());
  std::vector<double> right(own(b_).begin(), own(b_).end());
  {
    cg::Solver solver(*session_, rows(part_, first()));
    const std::size_t less = right.size() - (is_last() ? 1 : 0);
    expect_bad_input([&] { solver.solve(std::span(right).first(less), x); }, {"b has", who});
    expect_bad_input([&] { solver.solve_all(std::span(right).first(less), std::span(x).first(less)); },
                     {"right-hand side", who});
    if (is_last()) right.back() = NAN;
    expect_bad_input([&] { solver.solve(right, x); }, {"is nan", who});
    // what progress throws
    const auto progress = [&](const cg::Progress&) {
      if (is_last()) throw std::out_of_range("enough");
    };
    if (is_last())
      EXPECT_THROW(solver.solve(own(b_), x, cg::Start::zero, progress), std::out_of_range);
    else
      expect_error([&] { solver.solve(own(b_), x, cg::Start::zero, progress); }, Error::Kind::failed, {who, "enough"});
    if (last_rank() > 0)
      expect_bad_input([&] { solver.solve(x, x, is_last() ? cg::Start::given : cg::Start::zero); }, {"start"});
    EXPECT_TRUE(solver.solve(own(b_), x).converged());
    if (is_last())
      expect_bad_input([&] { session_->fail("no file"); }, {"no file"});
    else
      expect_bad_input([&] { solver.solve(own(b_), x); }, {who, "no file"});
  }
  const auto make = [&] { cg::Solver(*session_, rows(part_, first())); };
  const Csr good = part_;
  if (is_last()) part_.column.back() = static_cast<std::int32_t>(a_.rows());
  expect_bad_input(make, {"column[", who});
  part_ = good;
  if (is_last()) part_.value[part_.value.size() / 2] = INFINITY;
  expect_bad_input(make, {"value[", "is inf", who});
  part_ = good;
  if (is_last()) part_.value[last_rank() > 0 ? 0 : 1] *= 2;  // with a row of another process, where there is one
  expect_bad_input(make, {"not symmetric"});
  part_ = good;
  const std::size_t shifted = first() + (is_last() && last_rank() > 0 ? 1 : 0);
  if (last_rank() > 0) expect_bad_input([&] { cg::Solver(*session_, rows(part_, shifted)); }, {"first_row", who});
  cg::Options options;
  options.tolerance = is_last() ? -1 : 1e-8;
  expect_on_all([&] { cg::Solver(*session_, rows(part_, first()), options); }, {"tolerance -1", who});
  options.tolerance = is_last() ? 1e-6 : 1e-8;
  if (last_rank() > 0)
    expect_on_all([&] { cg::Solver(*session_, rows(part_, first()), options); }, {"options", "the same"});
  session_.reset();
  expect_bad_input([&] { const Session other({.cpus = who.empty() ? -1 : 1, .gpus = 0}); }, {"cpus -1", who});
  session_.emplace(one_core);
  solve_again();
}

TEST_F(LibraryRanks, MatricesThatAreNotPositiveDefiniteAreRefused) {
  cg::Options options;
  options.preconditioner = Preconditioner::block_jacobi;
  Csr wrong = a_;
  // the coupling of the last two rows
  wrong.value[static_cast<std::size_t>(a_.begin[a_.rows() - 1]) - 1] = -100;
  wrong.value[wrong.value.size() - 2] = -100;
  const Csr part = part_of(wrong, first(), last());
  expect_on_all([&] { cg::Solver(*session_, rows(part, first()), options); }, {"not positive definite"});
  options.preconditioner = Preconditioner::none;
  cg::Solver solver(*session_, rows(part, first()), options);
  std::vector<double> x(last() - first());
  expect_on_all([&] { solver.solve(own(b_), x); }, {"not positive definite"});
}

TEST_F(LibraryRanks, SessionsFollowOnEachOther) {
  for (int round = 0; round < 5; ++round) {
    if (round == 2) {
      session_->start();
      EXPECT_EQ(session_->cpus(), 1);
    }
    solve_again();
    session_.reset();
    session_.emplace(one_core);
  }
  expect_bad_input([&] { const Session second(one_core); }, {"second session"});
}

TEST_F(LibraryRanks, WhatNeedsOneProcessIsRefused) {
  if (session_->ranks() == 1) GTEST_SKIP() << "nothing is refused";
  const std::string processes = std::to_string(session_->ranks()) + " processes";
  const std::vector<double> xyz{0, 0, 0, 1, 0, 0};
  expect_bad_input([&] { fmm::Evaluator(*session_, fmm::Points(xyz)); }, {processes});
  expect_bad_input([&] { lbm::Simulation(*session_, {}); }, {processes});
  expect_bad_input([&] { fdtd::Simulation(*session_, {}, {}); }, {processes});
  expect_bad_input([&] { tdbem::Simulation(*session_, {}, {}); }, {processes});
  const cg::MatrixView all{std::span<const std::int64_t>(a_.begin), std::span<const std::int32_t>(a_.column), a_.value};
  expect_bad_input([&] { cg::Solver(*session_, all); }, {processes, "Rows"});
  cg::Options options;
  options.blocks = 1;
  expect_on_all([&] { cg::Solver(*session_, rows(part_, first()), options); }, {processes, "1 blocks"});
}

}  // namespace

// SPDX-License-Identifier: Apache-2.0
// Conjugate gradient by the library: against residuals of the test's own, and to the bit against asterism-cg.
#include <asterism/cg.hpp>
#include <fstream>
#include <numeric>
#include <optional>
#include <sstream>
#include <stdexcept>

#include "tests/api/problems.hpp"
#include "tests/apps/run_program.hpp"

namespace {

using namespace asterism;
using namespace asterism::tests;
using cg::Preconditioner;

cg::MatrixView view(const Csr& a) {
  return {std::span<const std::int64_t>(a.begin), std::span<const std::int32_t>(a.column), a.value};
}

cg::Options with(Preconditioner preconditioner, double tolerance = 1e-9) {
  cg::Options options;
  options.preconditioner = preconditioner;
  options.tolerance = tolerance;
  return options;
}

class LibraryCg : public testing::Test {
 protected:
  Csr a_ = anisotropic_grid(13, 11, 9);
  std::vector<double> b_ = random_values(a_.rows(), 1);
  std::vector<double> x_ = std::vector<double>(a_.rows());
  Session session_{SessionOptions{.cpus = 2, .gpus = 0}};
};

TEST_F(LibraryCg, SolvesWithEveryPreconditionerAndFlow) {
  for (const auto preconditioner : {Preconditioner::automatic, Preconditioner::none, Preconditioner::jacobi,
                                    Preconditioner::block_jacobi, Preconditioner::ssor, Preconditioner::amg}) {
    cg::Solver solver(session_, view(a_), with(preconditioner));
    const cg::Result result = solver.solve(b_, x_);
    EXPECT_TRUE(result.converged());
    EXPECT_LE(residual(a_, b_, x_), 1e-9);
    EXPECT_EQ(static_cast<std::int64_t>(result.history.size()), result.iterations + 1);
    if (preconditioner != Preconditioner::automatic) {
      EXPECT_EQ(solver.preconditioner(), preconditioner);
    }
    EXPECT_NE(solver.preconditioner(), Preconditioner::automatic);
  }
  for (const auto flow : {cg::Flow::naive, cg::Flow::refined, cg::Flow::fused, cg::Flow::pipelined}) {
    cg::Options options;
    options.flow = flow;
    options.blocks = 3;
    cg::Solver solver(session_, view(a_), options);
    EXPECT_TRUE(solver.solve(b_, x_).converged());
    EXPECT_LE(residual(a_, b_, x_), 1e-8);
  }
  EXPECT_EQ(session_.cpus(), 2);
  EXPECT_EQ(session_.scheduler(), "cyclic");
}

TEST_F(LibraryCg, AnotherRightHandSideHasTheBitsOfANewSolver) {
  const std::vector<double> other = random_values(a_.rows(), 2, 0, 1);
  for (const auto preconditioner : {Preconditioner::jacobi, Preconditioner::ssor, Preconditioner::amg}) {
    std::vector<double> fresh(a_.rows()), again(a_.rows());
    cg::Solver(session_, view(a_), with(preconditioner)).solve(other, fresh);
    cg::Solver solver(session_, view(a_), with(preconditioner));
    const std::int64_t iterations = solver.solve(b_, x_).iterations;
    solver.solve(other, again);
    EXPECT_TRUE(same_bits(fresh, again));
    EXPECT_EQ(solver.solve(b_, again).iterations, iterations);
    EXPECT_TRUE(same_bits(x_, again));
  }
}

TEST_F(LibraryCg, SeveralRightHandSidesHaveTheBitsOfEach) {
  std::vector<double> both = b_;
  const std::vector<double> other = random_values(a_.rows(), 3);
  both.insert(both.end(), other.begin(), other.end());
  std::vector<double> x(both.size()), one(a_.rows());
  cg::Solver solver(session_, view(a_));
  EXPECT_EQ(solver.solve_all(both, x).size(), 2U);
  solver.solve(other, one);
  EXPECT_TRUE(same_bits(one, std::span(x).subspan(a_.rows())));
  solver.solve(b_, one);
  EXPECT_TRUE(same_bits(one, std::span(x).first(a_.rows())));
  expect_bad_input([&] { solver.solve_all(std::span(both).first(a_.rows() + 1), std::span(x).first(a_.rows() + 1)); },
                   {"right-hand side"});
}

/// b of `count` right-hand sides, among them one of zeros and one that is solved at once.
std::vector<double> right_hand_sides(const Csr& a, std::size_t count) {
  std::vector<double> all;
  for (std::size_t k = 0; k < count; ++k) {
    const std::vector<double> b = random_values(a.rows(), 10 + static_cast<unsigned>(k), -1, k % 2 == 0 ? 1 : 3);
    for (const double value : b) all.push_back(k == 2 ? 0 : value * std::pow(10.0, static_cast<double>(k) - 2));
  }
  return all;
}

void expect_same(const cg::Result& one, const cg::Result& other) {
  EXPECT_EQ(one.outcome, other.outcome);
  EXPECT_EQ(one.iterations, other.iterations);
  EXPECT_EQ(one.residual, other.residual);
  EXPECT_TRUE(same_bits(one.history, other.history));
}

TEST_F(LibraryCg, ManyRightHandSidesAtOnceHaveTheBitsOfEach) {
  for (const auto preconditioner : {Preconditioner::none, Preconditioner::jacobi, Preconditioner::block_jacobi})
    for (const int blocks : {1, 2, 3})  // 2: one for each core, which takes what it needs of the other
      for (const std::size_t count : {5U, 11U}) {
        SCOPED_TRACE(count);
        cg::Options options = with(preconditioner);
        options.blocks = blocks;
        cg::Solver solver(session_, view(a_), options);
        const std::vector<double> b = right_hand_sides(a_, count);
        std::vector<double> x = random_values(b.size(), 4);
        std::vector<double> one = x;
        const cg::Start start = count == 5 ? cg::Start::given : cg::Start::zero;
        const std::vector<cg::Result> all = solver.solve_all(b, x, start);
        ASSERT_EQ(all.size(), count);
        EXPECT_EQ(all[0].seconds, all[3].seconds);  // they were solved together
        for (std::size_t k = 0; k < count; ++k) {
          const std::size_t n = a_.rows();
          const std::span<double> alone = std::span(one).subspan(k * n, n);
          expect_same(all[k], solver.solve(std::span(b).subspan(k * n, n), alone, start));
          EXPECT_TRUE(same_bits(alone, std::span(x).subspan(k * n, n))) << k;
        }
      }
}

TEST_F(LibraryCg, SeveralRightHandSidesStopAndFailAsEachDoes) {
  std::vector<double> b = right_hand_sides(a_, 4);
  cg::Options options = with(Preconditioner::jacobi, 0);
  options.max_iterations = 7;
  cg::Solver limited(session_, view(a_), options);
  std::vector<double> x = b;
  for (const cg::Result& one : limited.solve_all(x, x)) EXPECT_EQ(one.iterations > 0 ? 7 : 0, one.iterations);
  std::vector<double> alone(a_.rows());
  limited.solve(std::span(b).last(a_.rows()), alone);
  EXPECT_TRUE(same_bits(alone, std::span(x).last(a_.rows())));
  // beyond double precision: each is solved alone, in the end
  cg::Solver precise(session_, view(a_), with(Preconditioner::jacobi, 1e-17));
  for (const cg::Result& one : precise.solve_all(b, x)) EXPECT_NE(one.outcome, cg::Outcome::max_iterations);
  precise.solve(std::span(b).last(a_.rows()), alone);
  EXPECT_TRUE(same_bits(alone, std::span(x).last(a_.rows())));
  // a preconditioner that is a flow of its own
  cg::Solver one_by_one(session_, view(a_), with(Preconditioner::ssor));
  for (const cg::Result& one : one_by_one.solve_all(b, x)) EXPECT_TRUE(one.converged());
  // what progress throws
  cg::Solver solver(session_, view(a_), with(Preconditioner::none, 1e-12));
  EXPECT_THROW(solver.solve_all(b, x, cg::Start::zero, [](const cg::Progress&) { throw std::out_of_range("enough"); }),
               std::out_of_range);
  for (const cg::Result& one : solver.solve_all(b, x)) EXPECT_TRUE(one.converged());
  // a matrix that is not positive definite
  Csr wrong;
  wrong.begin = {0, 2, 4};
  wrong.column = {0, 1, 0, 1};
  wrong.value = {1, 2, 2, 1};
  cg::Solver indefinite(session_, view(wrong), with(Preconditioner::none));
  const std::vector<double> two{1, 1, 1, -1};
  std::vector<double> solution(4);
  expect_bad_input([&] { indefinite.solve_all(two, solution); }, {"not positive definite"});
  EXPECT_NEAR(solution[0], 1.0 / 3, 1e-12);
  b[5] = NAN;
  expect_bad_input([&] { solver.solve_all(b, x); }, {"b[5] is nan"});
}

TEST_F(LibraryCg, BlocksAndTypesOfIndicesDoNotChangeBits) {
  std::vector<double> expected(a_.rows());
  cg::Solver(session_, view(a_), with(Preconditioner::jacobi)).solve(b_, expected);
  const std::vector<std::int32_t> begin(a_.begin.begin(), a_.begin.end());
  const std::vector<std::int64_t> column(a_.column.begin(), a_.column.end());
  const cg::MatrixView other{std::span<const std::int32_t>(begin), std::span<const std::int64_t>(column), a_.value};
  for (const int blocks : {1, 2, 5}) {
    cg::Options options = with(Preconditioner::jacobi);
    options.blocks = blocks;
    cg::Solver(session_, other, options).solve(b_, x_);
    EXPECT_TRUE(same_bits(x_, expected)) << blocks;
  }
}

TEST_F(LibraryCg, TheMatrixIsNotCopied) {
  if (!counts_memory) GTEST_SKIP() << "a sanitizer allocates";
  const Csr a = anisotropic_grid(70, 60, 50);
  const std::vector<std::int64_t> column(a.column.begin(), a.column.end());
  cg::Options options = with(Preconditioner::none);
  options.check_symmetry = false;
  const auto bytes_with = [&](const cg::Indices& columns) {
    const double before = allocated_bytes();
    const cg::Solver solver(session_, {std::span<const std::int64_t>(a.begin), columns, a.value}, options);
    return allocated_bytes() - before;
  };
  const auto entries = static_cast<double>(a.value.size());
  bytes_with(std::span<const std::int32_t>(a.column));  // starts StarPU
  const double borrowed = bytes_with(std::span<const std::int32_t>(a.column));
  const double narrowed = bytes_with(std::span<const std::int64_t>(column));
  EXPECT_NEAR(narrowed - borrowed, 4 * entries, 0.1 * entries);  // columns of 64 bits are copied
  // the blocks in the layout of the kernels, whose diagonals need no columns, and vectors
  EXPECT_LT(borrowed, 8 * entries * 1.1 + 6 * 8 * static_cast<double>(a.rows()));
}

TEST_F(LibraryCg, AStartAtTheSolutionTakesNoIteration) {
  cg::Solver solver(session_, view(a_));
  EXPECT_GT(solver.solve(b_, x_).iterations, 10);
  EXPECT_EQ(solver.solve(b_, x_, cg::Start::given).iterations, 0);
  EXPECT_LE(residual(a_, b_, x_), 1e-8);
  std::vector<double> in_place = b_;
  solver.solve(in_place, in_place);
  EXPECT_LE(residual(a_, b_, in_place), 1e-8);
}

TEST_F(LibraryCg, StopsAfterSoManyIterations) {
  cg::Options options;
  options.tolerance = 0;
  options.max_iterations = 3;
  cg::Solver solver(session_, view(a_), options);
  const cg::Result result = solver.solve(b_, x_);
  EXPECT_EQ(result.outcome, cg::Outcome::max_iterations);
  EXPECT_EQ(result.iterations, 3);
  EXPECT_EQ(solver.rows(), static_cast<std::int64_t>(a_.rows()));
  EXPECT_EQ(solver.entries(), static_cast<std::int64_t>(a_.value.size()));
}

TEST_F(LibraryCg, WrongMatricesAreNamedAndTheSessionStillWorks) {
  const auto refused = [&](const auto& spoil, const std::vector<std::string>& words) {
    Csr wrong = a_;
    spoil(wrong);
    expect_bad_input([&] { cg::Solver(session_, view(wrong)); }, words);
  };
  refused([](Csr& m) { m.begin = {0}; }, {"row_begin has 1"});
  refused([](Csr& m) { m.begin[0] = 1; }, {"row_begin[0] is 1"});
  refused([](Csr& m) { m.begin[7] = 0; }, {"row_begin[7] is 0"});
  refused([](Csr& m) { m.value.pop_back(); }, {"columns and", "values"});
  refused([](Csr& m) { m.column[3] = -1; }, {"column[3] is -1"});
  refused([](Csr& m) { m.column.back() = 1 << 20; }, {"1048576", "expected 0 to 1286"});
  refused([](Csr& m) { std::swap(m.column[0], m.column[1]); }, {"row 0 do not increase"});
  refused([](Csr& m) { m.value[5] = NAN; }, {"value[5] is nan"});
  refused([](Csr& m) { m.value[1] *= 2; }, {"not symmetric", "(1,2)"});
  refused([](Csr& m) { m.value[0] = -1; }, {"diagonal", "row 1"});
  cg::Options options;
  options.blocks = 0;
  expect_bad_input([&] { cg::Solver(session_, view(a_), options); }, {"blocks 0"});
  options = with(Preconditioner::amg);
  options.preconditioner_block = 7;
  expect_bad_input([&] { cg::Solver(session_, view(a_), options); }, {"preconditioner_block 7", "divisor of 1287"});
  expect_bad_input([&] { cg::Solver(session_, view(a_), with(Preconditioner::none, -1)); }, {"tolerance -1"});
  cg::Solver solver(session_, view(a_));
  EXPECT_TRUE(solver.solve(b_, x_).converged());
}

TEST_F(LibraryCg, WrongVectorsAreNamedAndTheSolverStillWorks) {
  cg::Solver solver(session_, view(a_));
  std::vector<double> shorter(a_.rows() - 1);
  expect_bad_input([&] { solver.solve(shorter, x_); }, {"b has 1286 values", "1287"});
  expect_bad_input([&] { solver.solve(b_, shorter); }, {"x has 1286 values", "1287"});
  std::vector<double> wrong = b_;
  wrong[4] = INFINITY;
  expect_bad_input([&] { solver.solve(wrong, x_); }, {"b[4] is inf"});
  EXPECT_TRUE(solver.solve(b_, x_).converged());
  cg::Solver moved = std::move(solver);
  expect_bad_input([&] { solver.solve(b_, x_); }, {"moved from"});  // NOLINT(bugprone-use-after-move)
  EXPECT_TRUE(moved.solve(b_, x_).converged());
}

TEST_F(LibraryCg, AnIndefiniteMatrixIsFoundInTheSolve) {
  Csr wrong;
  wrong.begin = {0, 2, 4};
  wrong.column = {0, 1, 0, 1};
  wrong.value = {1, 2, 2, 1};
  cg::Solver solver(session_, view(wrong), with(Preconditioner::none));
  const std::vector<double> b{1, -1};
  std::vector<double> x(2);
  for (int i = 0; i < 2; ++i) expect_bad_input([&] { solver.solve(b, x); }, {"not positive definite"});
  cg::Solver good(session_, view(a_));
  EXPECT_TRUE(good.solve(b_, x_).converged());
}

TEST_F(LibraryCg, ProgressMayEndASolve) {
  cg::Options options = with(Preconditioner::none, 1e-12);
  cg::Solver solver(session_, view(a_), options);
  std::vector<double> expected(a_.rows());
  std::int64_t last = -1;
  solver.solve(b_, expected, cg::Start::zero, [&](const cg::Progress& p) {
    EXPECT_GT(p.iteration, last);
    last = p.iteration;
  });
  EXPECT_GT(last, 0);
  EXPECT_THROW(solver.solve(b_, x_, cg::Start::zero, [](const cg::Progress&) { throw std::out_of_range("enough"); }),
               std::out_of_range);
  solver.solve(b_, x_);
  EXPECT_TRUE(same_bits(x_, expected));
  expect_bad_input([&] { solver.solve(b_, x_, cg::Start::zero, [&](const cg::Progress&) { solver.solve(b_, x_); }); },
                   {"progress function"});
  solver.solve(b_, x_);
  EXPECT_TRUE(same_bits(x_, expected));
}

/// The program on the same matrix.
class LibraryAndProgram : public ProgramTest {
 protected:
  LibraryAndProgram() : ProgramTest("asterism-cg", "ASTERISM_CG", ASTERISM_CG, {}) {}

  static std::string text_of(const Csr& a) {
    std::ostringstream text;
    text.precision(17);
    text << "%%MatrixMarket matrix coordinate real general\n"
         << a.rows() << ' ' << a.rows() << ' ' << a.value.size() << '\n';
    for (std::size_t row = 0; row < a.rows(); ++row)
      for (auto k = static_cast<std::size_t>(a.begin[row]); k < static_cast<std::size_t>(a.begin[row + 1]); ++k)
        text << row + 1 << ' ' << a.column[k] + 1 << ' ' << a.value[k] << '\n';
    return text.str();
  }
  static std::string text_of(const std::vector<double>& b) {
    std::ostringstream text;
    text.precision(17);
    text << "%%MatrixMarket matrix array real general\n" << b.size() << " 1\n";
    for (const double value : b) text << value << '\n';
    return text.str();
  }
  static std::vector<double> vector_of(const fs::path& path) {
    std::vector<double> values;
    bool sizes = false;
    for (const std::string& line : lines_of(contents(path))) {
      if (line.starts_with("%")) continue;
      if (sizes) values.push_back(std::strtod(line.c_str(), nullptr));
      sizes = true;
    }
    return values;
  }
};

TEST_F(LibraryAndProgram, HaveTheSameBits) {
  const Csr a = anisotropic_grid(17, 12, 14);
  const std::vector<double> b = random_values(a.rows(), 5);
  const std::string matrix = file(text_of(a));
  const std::string right = file(text_of(b), "b.mtx");
  Session session({.cpus = 2, .gpus = 0});
  const std::vector<std::pair<std::string, Preconditioner>> all = {
      {"auto", Preconditioner::automatic}, {"none", Preconditioner::none},
      {"jacobi", Preconditioner::jacobi},  {"block-jacobi", Preconditioner::block_jacobi},
      {"ssor", Preconditioner::ssor},      {"amg", Preconditioner::amg}};
  for (const auto& [name, preconditioner] : all) {
    for (const std::string blocks : {"1", "2"}) {
      const Ran ran = run({"--matrix", matrix, "--rhs", right, "--preconditioner", name, "--solution", "x.mtx",
                           "--tolerance", "1e-9", "--blocks", blocks, "--gpus", "0"});
      ASSERT_EQ(ran.status, 0) << ran.err;
      std::vector<double> x(a.rows());
      cg::Solver(session, view(a), with(preconditioner)).solve(b, x);
      EXPECT_TRUE(same_bits(x, vector_of(output("x.mtx")))) << name;
    }
  }
}

}  // namespace

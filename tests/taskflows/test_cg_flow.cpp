// Conjugate gradient from end to end: every flow, decomposition, transfer, number of blocks and way of keeping p
// must give the same bits. The scheduler comes from STARPU_SCHED; StarPU is started once.
//
// Ground truth, sharing no code with the solver: a textbook loop with dot products in 113 bits (the same
// iterates bit for bit), CHOLMOD through verify(), and published iteration counts.
//
// Coverage of {1d, 2d} x {full, packed} x {naive, refined, fused, pipelined}: on the stencil with 1, 2, 3, 5 and 12
// blocks to convergence; on bcsstk16 and beam_tet_2475 with 1, 2, 3, 5 blocks for 100 iterations; on the other
// matrices with 1 and 3 blocks for 40 iterations (crankshaft_p1_h8: 15), and 2d packed with 5. Solves to convergence of
// the matrices: fused, 3 blocks, 1d full and pipelined, 2 blocks, 2d packed.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <omp.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "taskflows/cg/matrix_market.hpp"
#include "taskflows/cg/solver.hpp"
#include "taskflows/cg/stencil.hpp"
#include "taskflows/cg/verify.hpp"
#include "taskflows/runtime/error.hpp"

namespace asterism::cg {
namespace {

__extension__ using Float128 = __float128;

constexpr unsigned limit_seconds = 100;  ///< of one test: a hang ends the program with a message

void hanging(int) {
  const char text[] = "watchdog: this test hangs\n";
  if (write(STDERR_FILENO, text, sizeof text - 1) < 0) _exit(125);
  _exit(124);
}

std::unique_ptr<Session> session;

class StarPU : public testing::Environment {
 public:
  void SetUp() override {
    std::signal(SIGALRM, hanging);
    alarm(limit_seconds);
    omp_set_num_threads(1);  // its threads would spin where StarPU's workers want to run
    setenv("STARPU_NCPU", "2", 0);
    setenv("STARPU_WORKERS_NOBIND", "1", 0);
    SessionOptions options;
    options.gpus = 0;
    session = std::make_unique<Session>(options);
    fmt::print("scheduler {}, {} CPU workers\n", session->scheduler(), session->cpus());
  }
  void TearDown() override {
    alarm(limit_seconds);
    session.reset();
    alarm(0);
  }
};
[[maybe_unused]] const testing::Environment* const environment = testing::AddGlobalTestEnvironment(new StarPU);

class CgFlow : public testing::Test {
 protected:
  CgFlow() { alarm(limit_seconds); }
  ~CgFlow() override { alarm(limit_seconds); }
};

using Vector = std::vector<double>;

std::size_t at(std::int64_t i) {
  return static_cast<std::size_t>(i);
}

Vector as_vector(const Array<double>& values) {
  return {values.begin(), values.end()};
}

struct Solved {
  SolveResult result;
  Vector x;
};

std::string text_of(const Options& o) {
  return fmt::format("{} {} {} blocks {} vector {} dot {} x {} order {} format {} preconditioner {}", name_of(o.flow),
                     name_of(o.decomposition), name_of(o.transfer), o.blocks, name_of(o.vector), name_of(o.dot),
                     name_of(o.x_update), name_of(o.column_order), name_of(o.format), o.preconditioner_block);
}

Solved solve_with(const CsrMatrix& a, const Vector& b, const Options& options, const Vector& x0 = {}) {
  require_consistent(options);
  const Vector shares(at(options.blocks), 1.0);
  System system(*session, a, b, x0, options, shares);
  Solved s;
  s.result = solve(system, b, a.name);
  s.x.assign(system.x.memory.data(), system.x.memory.data() + a.n);
  return s;
}

Options with(Flow flow, int blocks = 1, Decomposition decomposition = Decomposition::one_d,
             Transfer transfer = Transfer::full) {
  Options o;
  o.flow = flow;
  o.blocks = blocks;
  o.decomposition = decomposition;
  o.transfer = transfer;
  o.preconditioner_block = 1;
  o.tolerance = 1e-8;
  apply_flow_defaults(o);
  return o;
}

constexpr Flow flows[] = {Flow::naive, Flow::refined, Flow::fused, Flow::pipelined};
constexpr Decomposition decompositions[] = {Decomposition::one_d, Decomposition::two_d};
constexpr Transfer transfers[] = {Transfer::full, Transfer::packed};
constexpr VectorMode modes[] = {VectorMode::blocking, VectorMode::plan, VectorMode::pieces};
constexpr DotMode dot_modes[] = {DotMode::serial, DotMode::reduction, DotMode::gather};

testing::AssertionResult same_bits(const Vector& expected, const Vector& actual) {
  if (expected.size() != actual.size()) return testing::AssertionFailure() << "sizes differ";
  std::size_t different = 0;
  std::size_t first = 0;
  for (std::size_t i = expected.size(); i-- > 0;)
    if (std::memcmp(&expected[i], &actual[i], sizeof(double)) != 0) {
      ++different;
      first = i;
    }
  if (different == 0) return testing::AssertionSuccess();
  return testing::AssertionFailure() << different << " of " << expected.size() << " elements differ, first " << first
                                     << fmt::format(": {:.17g}, expected {:.17g}", actual[first], expected[first]);
}

void expect_same(const Solved& expected, const Solved& actual) {
  EXPECT_EQ(actual.result.outcome, expected.result.outcome);
  EXPECT_EQ(actual.result.iterations, expected.result.iterations);
  EXPECT_EQ(actual.result.restarts, expected.result.restarts);
  EXPECT_TRUE(same_bits(expected.x, actual.x));
  EXPECT_TRUE(same_bits(expected.result.history, actual.result.history));
  EXPECT_EQ(actual.result.true_residual, expected.result.true_residual);
}

double distance(const Vector& x, const Vector& y) {
  double difference = 0;
  double norm = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    difference += (x[i] - y[i]) * (x[i] - y[i]);
    norm += y[i] * y[i];
  }
  return std::sqrt(difference / norm);
}

// ---- systems

const CsrMatrix& stencil() {
  static const CsrMatrix a = assemble_stencil(parse_stencil("11pts-9x8x7"));
  return a;
}
/// Not constant, not symmetric under any exchange of axes.
const Vector& stencil_b() {
  static const Vector b = [] {
    Vector values(at(stencil().n));
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::sin(0.37 * static_cast<double>(i)) + 0.1;
    return values;
  }();
  return b;
}

std::filesystem::path data_folder() {
  const char* named = std::getenv("ASTERISM_DATA");
  return named != nullptr && *named != '\0' ? std::filesystem::path(named)
                                            : std::filesystem::path(ASTERISM_SOURCE_DIR) / "../shared/data";
}

struct Loaded {
  CsrMatrix a;
  Vector b;  ///< A times ones
};
/// Null when the file is not there.
const Loaded* load(const std::string& file) {
  static std::map<std::string, Loaded> loaded;
  const auto found = loaded.find(file);
  if (found != loaded.end()) return &found->second;
  const std::filesystem::path path = data_folder() / "matrices" / file;
  if (!std::filesystem::exists(path)) return nullptr;
  Loaded l;
  l.a = read_matrix_market(path);
  l.b = as_vector(multiply(l.a, Vector(at(l.a.n), 1.0)));
  return &loaded.emplace(file, std::move(l)).first->second;
}

#define LOAD_OR_SKIP(variable, file)         \
  const Loaded* const variable = load(file); \
  if (variable == nullptr) GTEST_SKIP() << file << " is not in " << data_folder()

// ---- the textbook

/// Hestenes and Stiefel's loop: rows summed in order with fused multiply-adds, dot products exact in 113 bits.
struct Textbook {
  std::int64_t iterations = 0;
  Vector x;
};
Textbook textbook(const CsrMatrix& a, const Vector& b, bool jacobi, double tolerance, std::int64_t max_iterations) {
  const auto dot = [](const Vector& u, const Vector& v) {
    Float128 sum = 0;
    for (std::size_t i = 0; i < u.size(); ++i) sum += static_cast<Float128>(u[i]) * v[i];
    return static_cast<double>(sum);
  };
  const auto product = [&](const Vector& v) {
    Vector y(v.size());
    for (std::int64_t i = 0; i < a.n; ++i)
      for (std::int64_t k = a.row_begin[at(i)]; k < a.row_begin[at(i + 1)]; ++k)
        y[at(i)] = std::fma(a.value[at(k)], v[at(a.column[at(k)])], y[at(i)]);
    return y;
  };
  Vector inverse(b.size(), 1.0);
  if (jacobi)
    for (std::int64_t i = 0; i < a.n; ++i)
      for (std::int64_t k = a.row_begin[at(i)]; k < a.row_begin[at(i + 1)]; ++k)
        if (a.column[at(k)] == i) {
          const double root = 1 / std::sqrt(a.value[at(k)]);  // as a Cholesky factorisation of one row
          inverse[at(i)] = root * root;
        }
  const auto precondition = [&](const Vector& r) {
    Vector z = r;
    for (std::size_t i = 0; i < z.size(); ++i) z[i] *= inverse[i];
    return z;
  };
  Textbook t;
  t.x.resize(b.size());
  Vector r = b;
  Vector z = precondition(r);
  Vector p = z;
  double rho = dot(r, z);
  double rr = dot(r, r);
  const double bound = tolerance * std::sqrt(dot(b, b));
  while (rr > bound * bound && t.iterations < max_iterations) {
    const Vector q = product(p);
    const double alpha = rho / dot(p, q);
    for (std::size_t i = 0; i < b.size(); ++i) {
      t.x[i] = std::fma(alpha, p[i], t.x[i]);
      r[i] = std::fma(-alpha, q[i], r[i]);
    }
    z = precondition(r);
    const double rho_new = dot(r, z);
    const double beta = rho_new / rho;
    rho = rho_new;
    for (std::size_t i = 0; i < b.size(); ++i) p[i] = std::fma(beta, p[i], z[i]);
    rr = dot(r, r);
    ++t.iterations;
  }
  return t;
}

/// The one every other solve is compared with; the pipelined recurrence rounds differently.
const Solved& reference(const CsrMatrix& a, const Vector& b, Options options) {
  static std::map<std::string, Solved> known;
  const bool pipelined = options.flow == Flow::pipelined;
  Options plain = with(pipelined ? Flow::pipelined : Flow::fused);
  plain.preconditioner_block = options.preconditioner_block;
  plain.max_iterations = options.max_iterations;
  plain.tolerance = options.tolerance;
  const std::string key = fmt::format("{} {} {} {} {}", a.name, pipelined, plain.preconditioner_block,
                                      plain.max_iterations, plain.tolerance);
  const auto found = known.find(key);
  return found != known.end() ? found->second : known.emplace(key, solve_with(a, b, plain)).first->second;
}

void expect_as_reference(const CsrMatrix& a, const Vector& b, const Options& options) {
  SCOPED_TRACE(a.name + ": " + text_of(options));
  expect_same(reference(a, b, options), solve_with(a, b, options));
}

void all_combinations(const CsrMatrix& a, const Vector& b, const std::vector<int>& blocks,
                      std::int64_t max_iterations) {
  for (const Flow flow : flows)
    for (const Decomposition decomposition : decompositions)
      for (const Transfer transfer : transfers)
        for (const int n : blocks) {
          Options o = with(flow, n, decomposition, transfer);
          o.max_iterations = max_iterations;
          expect_as_reference(a, b, o);
        }
}

// ---- the reference is right

TEST_F(CgFlow, IteratesAreThoseOfTheTextbook) {
  for (const bool jacobi : {false, true}) {
    const Textbook expected = textbook(stencil(), stencil_b(), jacobi, 1e-8, 10000);
    Options o = with(Flow::fused);
    o.preconditioner_block = jacobi ? 1 : 0;
    const Solved s = solve_with(stencil(), stencil_b(), o);
    EXPECT_EQ(s.result.outcome, Outcome::converged);
    EXPECT_EQ(s.result.iterations, expected.iterations);
    EXPECT_TRUE(same_bits(expected.x, s.x)) << (jacobi ? "jacobi" : "plain");
  }
  LOAD_OR_SKIP(m, "bcsstk16.mtx");
  const Textbook expected = textbook(m->a, m->b, true, 1e-8, 10000);
  const Solved s = solve_with(m->a, m->b, with(Flow::refined, 3, Decomposition::two_d, Transfer::packed));
  EXPECT_EQ(s.result.iterations, expected.iterations);
  EXPECT_TRUE(same_bits(expected.x, s.x));
}

TEST_F(CgFlow, AgreesWithCholesky) {
  for (const Flow flow : {Flow::fused, Flow::pipelined}) {
    const Solved& s = reference(stencil(), stencil_b(), with(flow));
    EXPECT_EQ(s.result.outcome, Outcome::converged);
    const Verification v = verify(stencil(), stencil_b(), s.x, 1.1e-8);
    EXPECT_TRUE(v.passed) << v.complaint;
    EXPECT_TRUE(v.compared);
    EXPECT_NEAR(s.result.true_residual, v.residual, 1e-3 * v.residual);
    EXPECT_NEAR(s.result.recurrence_residual, v.residual, 1e-3 * v.residual);
  }
}

// Counts of other implementations to 1e-8 from b = A times ones; rounding may move them a little. For hypre 580 and
// 693 are also quoted; the counts here are those of a serial loop in double precision (in 64 bits: 551 and 670).
TEST_F(CgFlow, PublishedIterationCounts) {
  struct Count {
    const char* file;
    std::int64_t jacobi;
    std::int64_t plain;  ///< 0: not known
  };
  bool any = false;
  for (const Count& count : {Count{"bcsstk15.mtx.gz", 522, 0}, Count{"bcsstk16.mtx", 197, 316},
                             Count{"hypre_ams_5080.mtx.gz", 552, 662}, Count{"beam_tet_2475.mtx.gz", 215, 1301}}) {
    const Loaded* m = load(count.file);
    if (m == nullptr) continue;
    any = true;
    for (const std::int64_t expected : {count.jacobi, count.plain}) {
      if (expected == 0) continue;
      SCOPED_TRACE(fmt::format("{}, {} iterations expected", count.file, expected));
      Options o = with(Flow::fused, 3);
      o.preconditioner_block = expected == count.jacobi ? 1 : 0;
      const Solved s = solve_with(m->a, m->b, o);
      EXPECT_EQ(s.result.outcome, Outcome::converged);
      EXPECT_NEAR(static_cast<double>(s.result.iterations), static_cast<double>(expected),
                  0.025 * static_cast<double>(expected));
      EXPECT_EQ(s.result.history.size(), at(s.result.iterations) + 1);
      const Verification v = verify(m->a, m->b, s.x, 1.1e-8);
      EXPECT_TRUE(v.passed) << v.complaint;
      EXPECT_TRUE(v.compared);
    }
    {
      SCOPED_TRACE(fmt::format("{}, pipelined", count.file));
      const Solved s = solve_with(m->a, m->b, with(Flow::pipelined, 2, Decomposition::two_d, Transfer::packed));
      EXPECT_EQ(s.result.outcome, Outcome::converged);
      EXPECT_NEAR(static_cast<double>(s.result.iterations), static_cast<double>(count.jacobi),
                  0.07 * static_cast<double>(count.jacobi));
      EXPECT_LE(extended_residual(m->a, m->b, s.x), 1.1e-8);
    }
  }
  if (!any) GTEST_SKIP() << "no matrices in " << data_folder();
}

// ---- every combination gives the same bits

TEST_F(CgFlow, StencilAllCombinations) {
  all_combinations(stencil(), stencil_b(), {1, 2, 3, 5, 12}, 10000);
}

TEST_F(CgFlow, Bcsstk16AllCombinations) {
  LOAD_OR_SKIP(m, "bcsstk16.mtx");
  all_combinations(m->a, m->b, {1, 2, 3, 5}, 100);
}
TEST_F(CgFlow, BeamAllCombinations) {
  LOAD_OR_SKIP(m, "beam_tet_2475.mtx.gz");
  all_combinations(m->a, m->b, {1, 2, 3, 5}, 100);
}
void few_combinations(const Loaded& m, std::int64_t max_iterations) {
  all_combinations(m.a, m.b, {1, 3}, max_iterations);
  for (const Flow flow : flows) {
    Options o = with(flow, 5, Decomposition::two_d, Transfer::packed);
    o.max_iterations = max_iterations;
    expect_as_reference(m.a, m.b, o);
  }
}
TEST_F(CgFlow, Bcsstk15) {
  LOAD_OR_SKIP(m, "bcsstk15.mtx.gz");
  few_combinations(*m, 40);
}
TEST_F(CgFlow, Hypre) {
  LOAD_OR_SKIP(m, "hypre_ams_5080.mtx.gz");
  few_combinations(*m, 40);
}
TEST_F(CgFlow, S3rmt3m3) {
  LOAD_OR_SKIP(m, "s3rmt3m3.mtx.gz");
  few_combinations(*m, 40);
  Options o = with(Flow::fused, 3, Decomposition::two_d, Transfer::packed);
  o.max_iterations = 150;
  EXPECT_EQ(reference(m->a, m->b, o).result.outcome, Outcome::max_iterations);
  expect_as_reference(m->a, m->b, o);
}
TEST_F(CgFlow, Crankshaft) {
  LOAD_OR_SKIP(m, "crankshaft_p1_h8.mtx.gz");
  few_combinations(*m, 15);
  Options o = with(Flow::fused, 3, Decomposition::two_d, Transfer::packed);
  o.max_iterations = 150;
  EXPECT_EQ(reference(m->a, m->b, o).result.outcome, Outcome::max_iterations);
  expect_as_reference(m->a, m->b, o);
}

TEST_F(CgFlow, EveryWayOfKeepingTheVector) {
  for (const Flow flow : flows)
    for (const VectorMode mode : modes)
      for (const Decomposition decomposition : decompositions)
        for (const Transfer transfer : transfers)
          for (const int blocks : {1, 3}) {
            Options o = with(flow, blocks, decomposition, transfer);
            o.vector = mode;
            expect_as_reference(stencil(), stencil_b(), o);
          }
}

TEST_F(CgFlow, EveryDotProductAndUpdateOfX) {
  for (const Flow flow : {Flow::naive, Flow::refined})
    for (const DotMode dot : dot_modes)
      for (const XUpdate x_update : {XUpdate::early, XUpdate::late})
        for (const int blocks : {1, 3, 12}) {
          Options o = with(flow, blocks);
          o.dot = dot;
          o.x_update = x_update;
          expect_as_reference(stencil(), stencil_b(), o);
        }
}

TEST_F(CgFlow, CompressedRows) {
  for (const Flow flow : flows)
    for (const Decomposition decomposition : decompositions)
      for (const Transfer transfer : transfers) {
        Options o = with(flow, 3, decomposition, transfer);
        o.format = Format::csr;
        expect_as_reference(stencil(), stencil_b(), o);
      }
  LOAD_OR_SKIP(m, "beam_tet_2475.mtx.gz");
  Options o = with(Flow::fused, 3, Decomposition::two_d, Transfer::packed);
  o.format = Format::csr;
  o.max_iterations = 100;
  expect_as_reference(m->a, m->b, o);
}

TEST_F(CgFlow, BalanceAndUnequalShares) {
  for (const Flow flow : flows) {
    Options o = with(flow, 3, Decomposition::two_d, Transfer::packed);
    o.balance = Balance::nonzeros;
    expect_as_reference(stencil(), stencil_b(), o);
    const Vector shares{5, 1, 0.1};
    System system(*session, stencil(), stencil_b(), {}, o, shares);
    Solved s;
    s.result = solve(system, stencil_b(), "unequal");
    s.x.assign(system.x.memory.data(), system.x.memory.data() + stencil().n);
    EXPECT_GT(system.partition.rows(0), 10 * system.partition.rows(2));
    expect_same(reference(stencil(), stencil_b(), o), s);
  }
}

TEST_F(CgFlow, LocalBlockFirstRoundsDifferently) {
  for (const Flow flow : flows)
    for (const Transfer transfer : transfers) {
      Options o = with(flow, 5, Decomposition::two_d, transfer);
      o.column_order = ColumnOrder::local_first;
      o.tolerance = 1e-12;
      SCOPED_TRACE(text_of(o));
      const Solved s = solve_with(stencil(), stencil_b(), o);
      const Solved& expected = reference(stencil(), stencil_b(), o);
      EXPECT_EQ(s.result.outcome, Outcome::converged);
      EXPECT_NEAR(static_cast<double>(s.result.iterations), static_cast<double>(expected.result.iterations), 1);
      EXPECT_LT(distance(s.x, expected.x), 1e-10);
    }
}

TEST_F(CgFlow, BlockJacobiAndNone) {
  for (const int preconditioner : {0, 3, 7}) {  // 504 rows
    Options plain = with(Flow::fused);
    plain.preconditioner_block = preconditioner;
    EXPECT_TRUE(verify(stencil(), stencil_b(), reference(stencil(), stencil_b(), plain).x, 1.1e-8).passed);
    for (const Flow flow : flows)
      for (const Decomposition decomposition : decompositions)
        for (const Transfer transfer : transfers)
          for (const int blocks : {1, 3, 12}) {
            Options o = with(flow, blocks, decomposition, transfer);
            o.preconditioner_block = preconditioner;
            expect_as_reference(stencil(), stencil_b(), o);
          }
  }
}

TEST_F(CgFlow, BlockJacobiNeedsFewerIterations) {
  LOAD_OR_SKIP(m, "beam_tet_2475.mtx.gz");  // three unknowns a node
  Options o = with(Flow::fused, 3);
  o.preconditioner_block = 3;
  const Solved s = solve_with(m->a, m->b, o);
  EXPECT_EQ(s.result.outcome, Outcome::converged);
  EXPECT_LT(s.result.iterations, 215);
  EXPECT_TRUE(verify(m->a, m->b, s.x, 1.1e-8).passed);
  for (const Flow flow : {Flow::naive, Flow::pipelined}) {
    Options other = with(flow, 5, Decomposition::two_d, Transfer::packed);
    other.preconditioner_block = 3;
    other.max_iterations = 100;
    expect_as_reference(m->a, m->b, other);
  }
}

TEST_F(CgFlow, TheHostMayLookAtAnyPace) {
  for (const Flow flow : flows)
    for (const int pace : {1, 2, 7, 100}) {
      Options o = with(flow, 2);
      o.check_every = pace;
      expect_as_reference(stencil(), stencil_b(), o);
    }
}

// ---- starts and ends

TEST_F(CgFlow, HistoryHasOneValuePerIterationAndOneBefore) {
  for (const Flow flow : flows)
    for (const std::int64_t limit : {std::int64_t{5}, std::int64_t{10000}}) {
      Options o = with(flow, 2);
      o.max_iterations = limit;
      SCOPED_TRACE(fmt::format("{}, at most {} iterations", text_of(o), limit));
      const Solved s = solve_with(stencil(), stencil_b(), o);
      EXPECT_EQ(s.result.history.size(), at(s.result.iterations) + 1);
      EXPECT_NEAR(s.result.history.front(), 1, 1e-15);
      EXPECT_EQ(s.result.history.back(), s.result.recurrence_residual);
      // the last residual is that of the x returned
      EXPECT_NEAR(s.result.recurrence_residual, extended_residual(stencil(), stencil_b(), s.x),
                  1e-3 * s.result.recurrence_residual);
    }
}

TEST_F(CgFlow, StartsFromAnyVector) {
  Vector x0(at(stencil().n));
  std::mt19937 generator(3);
  std::uniform_real_distribution<double> number(-1, 1);
  for (double& value : x0) value = number(generator);
  for (const bool pipelined : {false, true}) {
    const Solved expected = solve_with(stencil(), stencil_b(), with(pipelined ? Flow::pipelined : Flow::fused), x0);
    EXPECT_EQ(expected.result.outcome, Outcome::converged);
    EXPECT_NEAR(expected.result.history.front(), extended_residual(stencil(), stencil_b(), x0), 1e-12);
    EXPECT_TRUE(verify(stencil(), stencil_b(), expected.x, 1.1e-8).passed);
    for (const Flow flow : flows) {
      if ((flow == Flow::pipelined) != pipelined) continue;
      const Options o = with(flow, 3, Decomposition::two_d, Transfer::packed);
      SCOPED_TRACE(text_of(o));
      expect_same(expected, solve_with(stencil(), stencil_b(), o, x0));
    }
  }
}

TEST_F(CgFlow, StartsFromTheSolution) {
  const CsrMatrix a = assemble_stencil(parse_stencil("7pts-9x8x7"));  // integers: the residual is 0
  Vector x(at(a.n));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i % 11) - 3;
  const Vector b = as_vector(multiply(a, x));
  for (const Flow flow : flows)
    for (const double tolerance : {0.0, 1e-8}) {
      Options o = with(flow, 3);
      o.tolerance = tolerance;
      SCOPED_TRACE(text_of(o));
      const Solved s = solve_with(a, b, o, x);
      EXPECT_EQ(s.result.outcome, Outcome::converged);
      EXPECT_EQ(s.result.iterations, 0);
      EXPECT_EQ(s.result.true_residual, 0);
      EXPECT_EQ(s.x, x);
    }
}

TEST_F(CgFlow, RightHandSideZero) {
  const Vector zero(at(stencil().n));
  for (const Flow flow : flows)
    for (const int blocks : {1, 3}) {
      const Options o = with(flow, blocks);
      SCOPED_TRACE(text_of(o));
      const Solved s = solve_with(stencil(), zero, o);
      EXPECT_EQ(s.result.outcome, Outcome::converged);
      EXPECT_EQ(s.result.iterations, 0);
      EXPECT_EQ(s.x, zero);
      // the tolerance is then absolute
      const Solved back = solve_with(stencil(), zero, o, stencil_b());
      EXPECT_EQ(back.result.outcome, Outcome::converged);
      EXPECT_GT(back.result.iterations, 5);
      EXPECT_LE(extended_residual(stencil(), zero, back.x), 1.1e-8);
    }
}

TEST_F(CgFlow, FixedNumberOfIterations) {
  for (const Flow flow : flows)
    for (const std::int64_t count : {1, 2, 17, 33}) {
      Options o = with(flow, 3);
      o.tolerance = 0;
      o.max_iterations = count;
      SCOPED_TRACE(fmt::format("{}, {} iterations", text_of(o), count));
      const Solved s = solve_with(stencil(), stencil_b(), o);
      EXPECT_EQ(s.result.outcome, Outcome::max_iterations);
      EXPECT_EQ(s.result.iterations, count);
      EXPECT_EQ(s.result.restarts, 0);
      if (flow != Flow::pipelined) {
        EXPECT_TRUE(same_bits(textbook(stencil(), stencil_b(), true, 0, count).x, s.x));
      }
      expect_as_reference(stencil(), stencil_b(), o);
    }
}

TEST_F(CgFlow, NoIterations) {
  Options o = with(Flow::fused, 2);
  o.max_iterations = 0;
  const Solved s = solve_with(stencil(), stencil_b(), o);
  EXPECT_EQ(s.result.outcome, Outcome::max_iterations);
  EXPECT_EQ(s.result.iterations, 0);
  EXPECT_EQ(s.x, Vector(at(stencil().n)));
}

TEST_F(CgFlow, ToleranceBeyondDoublePrecisionStagnates) {
  for (const Flow flow : flows)
    for (const int blocks : {1, 3}) {
      Options o = with(flow, blocks);
      o.tolerance = 1e-30;
      SCOPED_TRACE(text_of(o));
      const Solved s = solve_with(stencil(), stencil_b(), o);
      EXPECT_EQ(s.result.outcome, Outcome::stagnated);
      EXPECT_GE(s.result.restarts, 1);
      EXPECT_LT(s.result.iterations, 2000);
      EXPECT_LT(extended_residual(stencil(), stencil_b(), s.x), 1e-14);
    }
}

/// The second difference shifted by one: diagonal 1, neighbours -1, eigenvalues from -1 to 3.
CsrMatrix indefinite(std::int64_t n) {
  CsrMatrix a = assemble_stencil({StencilKind::points5, n, 1, 1});
  for (std::int64_t k = 0; k < a.nnz(); ++k)
    if (a.value[at(k)] > 0) a.value[at(k)] = 1;
  a.name = "indefinite";
  return a;
}

TEST_F(CgFlow, IndefiniteMatrixIsNamed) {
  const CsrMatrix a = indefinite(100);
  const Vector b(100, 1.0);
  for (const Flow flow : flows)
    for (const int blocks : {1, 3}) {
      const Options o = with(flow, blocks);
      SCOPED_TRACE(text_of(o));
      try {
        const Solved s = solve_with(a, b, o);
        ADD_FAILURE() << "no error after " << s.result.iterations << " iterations";
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), Error::Kind::bad_input);
        EXPECT_NE(std::string(error.what()).find("indefinite: not positive definite"), std::string::npos)
            << error.what();
      }
    }
  expect_as_reference(stencil(), stencil_b(), with(Flow::naive, 3));  // StarPU goes on
}

TEST_F(CgFlow, SingularDiagonalBlockIsNamed) {
  // rows 4 to 6 have the block [1 -1 0; -1 1 -1; 0 -1 1], which is indefinite
  const CsrMatrix a = indefinite(9);
  Options o = with(Flow::fused, 3);
  o.preconditioner_block = 3;
  try {
    solve_with(a, Vector(9, 1.0), o);
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::bad_input);
    EXPECT_NE(std::string(error.what()).find("rows 1 to 3"), std::string::npos) << error.what();
  }
  expect_as_reference(stencil(), stencil_b(), with(Flow::fused, 3));
}

TEST_F(CgFlow, NotANumberFails) {
  for (const Flow flow : flows)
    for (const double wrong : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
      Vector b = stencil_b();
      b[200] = wrong;
      const Options o = with(flow, 3);
      SCOPED_TRACE(text_of(o));
      try {
        solve_with(stencil(), b, o);
        ADD_FAILURE() << "no error";
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), Error::Kind::failed);
        EXPECT_NE(std::string(error.what()).find("not finite"), std::string::npos) << error.what();
      }
    }
}

TEST_F(CgFlow, ScalesOfTheRightHandSide) {
  // a power of two changes no bit of the mantissas, whatever the exponents
  const Solved& expected = reference(stencil(), stencil_b(), with(Flow::fused));
  for (const double scale : {0x1p-300, 0x1p300}) {
    Vector b = stencil_b();
    for (double& value : b) value *= scale;
    const Solved s = solve_with(stencil(), b, with(Flow::refined, 3));
    EXPECT_EQ(s.result.iterations, expected.result.iterations);
    Vector x = expected.x;
    for (double& value : x) value *= scale;
    EXPECT_TRUE(same_bits(x, s.x)) << scale;
  }
}

TEST_F(CgFlow, DiagonalMatrixInOneIteration) {
  CsrMatrix a = assemble_stencil({StencilKind::points5, 1, 1, 1});
  const std::int64_t n = 70;
  a.n = n;
  a.row_begin = Array<std::int64_t>(at(n + 1));
  a.column = Array<std::int32_t>(at(n));
  a.value = Array<double>(at(n));
  a.row_begin[0] = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    a.row_begin[at(i + 1)] = i + 1;
    a.column[at(i)] = static_cast<std::int32_t>(i);
    a.value[at(i)] = static_cast<double>(i + 1) * static_cast<double>(i + 1);
  }
  Vector b(at(n), 3.0);
  for (const Flow flow : flows)
    for (const Transfer transfer : transfers)
      for (const Decomposition decomposition : decompositions) {  // nothing to transfer, empty blocks
        const Options o = with(flow, 5, decomposition, transfer);
        SCOPED_TRACE(text_of(o));
        const Solved s = solve_with(a, b, o);
        EXPECT_EQ(s.result.outcome, Outcome::converged);
        EXPECT_EQ(s.result.iterations, 1);
        for (std::int64_t i = 0; i < n; ++i) EXPECT_NEAR(s.x[at(i)] * a.value[at(i)], 3, 1e-14);
      }
}

TEST_F(CgFlow, OneRowEach) {
  const CsrMatrix a = assemble_stencil(parse_stencil("5pts-4x3"));
  const Vector b(12, 1.0);
  for (const Flow flow : flows)
    for (const Decomposition decomposition : decompositions)
      for (const Transfer transfer : transfers) {
        const Options o = with(flow, 12, decomposition, transfer);
        expect_as_reference(a, b, o);
      }
}

TEST_F(CgFlow, ProgressIsReported) {
  const Options o = with(Flow::fused, 2);
  const Vector shares(2, 1.0);
  System system(*session, stencil(), stencil_b(), {}, o, shares);
  std::vector<Progress> seen;
  const SolveResult result = solve(system, stencil_b(), "progress", [&](const Progress& p) { seen.push_back(p); });
  ASSERT_FALSE(seen.empty());
  for (std::size_t k = 1; k < seen.size(); ++k) EXPECT_GE(seen[k].iteration, seen[k - 1].iteration);
  EXPECT_EQ(seen.back().iteration, result.iterations);
  EXPECT_EQ(seen.back().residual, result.recurrence_residual);
  EXPECT_EQ(seen.back().tolerance, 1e-8);
}

TEST_F(CgFlow, ASystemCanBeSolvedAgain) {
  for (const Flow flow : flows) {
    const Options o = with(flow, 3);
    const Vector shares(3, 1.0);
    System system(*session, stencil(), stencil_b(), {}, o, shares);
    const SolveResult first = solve(system, stencil_b(), "first");
    EXPECT_GT(first.iterations, 5);
    const Vector x(system.x.memory.data(), system.x.memory.data() + stencil().n);
    const SolveResult second = solve(system, stencil_b(), "second");  // from the solution
    EXPECT_LE(second.iterations, 1) << name_of(flow);
    EXPECT_EQ(second.outcome, Outcome::converged);
    EXPECT_LT(distance(x, Vector(system.x.memory.data(), system.x.memory.data() + stencil().n)), 1e-7);
  }
}

// ---- hangs and races show only now and then

void many_times(Flow flow, VectorMode mode, int count) {
  for (int k = 0; k < count; ++k) {
    Options o = with(flow, 3);
    o.vector = mode;
    SCOPED_TRACE(fmt::format("run {}", k));
    expect_as_reference(stencil(), stencil_b(), o);
    if (testing::Test::HasFailure()) return;
  }
}
TEST_F(CgFlow, StressNaiveBlocking) {
  many_times(Flow::naive, VectorMode::blocking, 100);
}
TEST_F(CgFlow, StressRefinedPlan) {
  many_times(Flow::refined, VectorMode::plan, 100);
}
TEST_F(CgFlow, StressFusedPlan) {
  many_times(Flow::fused, VectorMode::plan, 100);
}
TEST_F(CgFlow, StressFusedPieces) {
  many_times(Flow::fused, VectorMode::pieces, 100);
}

}  // namespace
}  // namespace asterism::cg

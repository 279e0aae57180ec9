// SPDX-License-Identifier: Apache-2.0
// What the tests of conjugate gradient's flows share: StarPU, started once with the scheduler that STARPU_SCHED names,
// systems, and the solve that every other is compared with bit for bit.
#pragma once

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
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/as_size.hpp"
#include "taskflows/cg/matrix/elasticity.hpp"
#include "taskflows/cg/matrix/extended_products.hpp"
#include "taskflows/cg/matrix/gmsh_reader.hpp"
#include "taskflows/cg/matrix/matrix_market.hpp"
#include "taskflows/cg/matrix/stencil.hpp"
#include "taskflows/cg/solver.hpp"
#include "tests/data_file.hpp"

namespace asterism::cg {

__extension__ using Float128 = __float128;

inline constexpr unsigned limit_seconds = 100;  ///< of one test: a hang ends the program with a message

inline void hanging(int) {
  const char text[] = "watchdog: this test hangs\n";
  if (write(STDERR_FILENO, text, sizeof text - 1) < 0) _exit(125);
  _exit(124);
}

inline std::unique_ptr<Session> session;

class StarPU : public testing::Environment {
 public:
  void SetUp() override {
    std::signal(SIGALRM, hanging);
    alarm(limit_seconds);
    omp_set_num_threads(1);  // its threads would spin where StarPU's workers want to run
    setenv("STARPU_NCPU", "2", 0);
    setenv("STARPU_WORKERS_NOBIND", "1", 0);
    SessionOptions options;
    const char* const gpus = std::getenv("ASTERISM_TEST_GPUS");  // run-gpu-tests has them take part
    options.gpus = gpus != nullptr ? std::atoi(gpus) : 0;
    session = std::make_unique<Session>(options);
    fmt::print("scheduler {}, {} CPU workers, {} CUDA workers\n", session->scheduler(), session->cpus(),
               session->gpus());
  }
  void TearDown() override {
    alarm(limit_seconds);
    session.reset();
    alarm(0);
  }
};
[[maybe_unused]] inline const testing::Environment* const environment = testing::AddGlobalTestEnvironment(new StarPU);

class CgFlow : public testing::Test {
 protected:
  CgFlow() { alarm(limit_seconds); }
  ~CgFlow() override { alarm(limit_seconds); }
};

using Vector = std::vector<double>;

inline Vector as_vector(const Array<double>& values) {
  return {values.begin(), values.end()};
}

struct Solved {
  SolveResult result;
  Vector x;
};

inline std::string text_of(const Options& o) {
  return fmt::format("{} {} {} blocks {} vector {} dot {} x {} order {} format {} preconditioner {}", name_of(o.flow),
                     name_of(o.decomposition), name_of(o.transfer), o.blocks, name_of(o.vector), name_of(o.dot),
                     name_of(o.x_update), name_of(o.column_order), name_of(o.format), o.preconditioner_block);
}

inline Solved solve_with(const CsrMatrix& a, const Vector& b, const Options& options, const Vector& x0 = {}) {
  require_consistent(options);
  const Vector shares(as_size(options.blocks), 1.0);
  System system(*session, a, b, x0, options, shares);
  Solved s;
  s.result = solve(system, b, a.name);
  s.x.assign(system.x.memory.data(), system.x.memory.data() + a.n);
  return s;
}

inline Options with(Flow flow, int blocks = 1, Decomposition decomposition = Decomposition::one_d,
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

inline constexpr Flow flows[] = {Flow::naive, Flow::refined, Flow::fused, Flow::pipelined};
inline constexpr Decomposition decompositions[] = {Decomposition::one_d, Decomposition::two_d};
inline constexpr Transfer transfers[] = {Transfer::full, Transfer::packed};
inline constexpr VectorMode modes[] = {VectorMode::blocking, VectorMode::plan, VectorMode::pieces};
inline constexpr DotMode dot_modes[] = {DotMode::serial, DotMode::reduction, DotMode::gather};

inline testing::AssertionResult same_bits(const Vector& expected, const Vector& actual) {
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

inline void expect_same(const Solved& expected, const Solved& actual) {
  EXPECT_EQ(actual.result.outcome, expected.result.outcome);
  EXPECT_EQ(actual.result.iterations, expected.result.iterations);
  EXPECT_EQ(actual.result.restarts, expected.result.restarts);
  EXPECT_TRUE(same_bits(expected.x, actual.x));
  EXPECT_TRUE(same_bits(expected.result.history, actual.result.history));
  EXPECT_EQ(actual.result.true_residual, expected.result.true_residual);
}

inline double distance(const Vector& x, const Vector& y) {
  double difference = 0;
  double norm = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    difference += (x[i] - y[i]) * (x[i] - y[i]);
    norm += y[i] * y[i];
  }
  return std::sqrt(difference / norm);
}

// ---- systems

inline const CsrMatrix& stencil() {
  static const CsrMatrix a = assemble_stencil(parse_stencil("11pts-9x8x7"));
  return a;
}
/// Not constant, not symmetric under any exchange of axes.
inline const Vector& stencil_b() {
  static const Vector b = [] {
    Vector values(as_size(stencil().n));
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::sin(0.37 * static_cast<double>(i)) + 0.1;
    return values;
  }();
  return b;
}

struct Loaded {
  CsrMatrix a;
  Vector b;  ///< A times ones
};
/// A matrix of data/matrices; or of a mesh of data/meshes, linear elasticity on its P1 tetrahedra in the mesh's own
/// numbering, which makes rows wide.
inline const Loaded& load(const std::string& file) {
  static std::map<std::string, Loaded> loaded;
  const auto found = loaded.find(file);
  if (found != loaded.end()) return found->second;
  const bool is_mesh = file.ends_with(".msh.gz");
  const std::filesystem::path path = tests::data_file((is_mesh ? "meshes/" : "matrices/") + file);
  Loaded l;
  l.a = is_mesh ? assemble_elasticity(read_gmsh(path), {.element = Element::p1, .numbering = Numbering::mesh})
                : read_matrix_market(path);
  l.b = as_vector(multiply(l.a, Vector(as_size(l.a.n), 1.0)));
  return loaded.emplace(file, std::move(l)).first->second;
}

// ---- the textbook

/// Hestenes and Stiefel's loop: rows summed in order with fused multiply-adds, dot products exact in 113 bits.
struct Textbook {
  std::int64_t iterations = 0;
  Vector x;
};
inline Textbook textbook(const CsrMatrix& a, const Vector& b, bool jacobi, double tolerance,
                         std::int64_t max_iterations) {
  const auto dot = [](const Vector& u, const Vector& v) {
    Float128 sum = 0;
    for (std::size_t i = 0; i < u.size(); ++i) sum += static_cast<Float128>(u[i]) * v[i];
    return static_cast<double>(sum);
  };
  const auto product = [&](const Vector& v) {
    Vector y(v.size());
    for (std::int64_t i = 0; i < a.n; ++i)
      for (std::int64_t k = a.row_begin[as_size(i)]; k < a.row_begin[as_size(i + 1)]; ++k)
        y[as_size(i)] = std::fma(a.value[as_size(k)], v[as_size(a.column[as_size(k)])], y[as_size(i)]);
    return y;
  };
  Vector inverse(b.size(), 1.0);
  if (jacobi)
    for (std::int64_t i = 0; i < a.n; ++i)
      for (std::int64_t k = a.row_begin[as_size(i)]; k < a.row_begin[as_size(i + 1)]; ++k)
        if (a.column[as_size(k)] == i) {
          const double root = 1 / std::sqrt(a.value[as_size(k)]);  // as a Cholesky factorisation of one row
          inverse[as_size(i)] = root * root;
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
inline const Solved& reference(const CsrMatrix& a, const Vector& b, Options options) {
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

inline void expect_as_reference(const CsrMatrix& a, const Vector& b, const Options& options) {
  SCOPED_TRACE(a.name + ": " + text_of(options));
  expect_same(reference(a, b, options), solve_with(a, b, options));
}

}  // namespace asterism::cg

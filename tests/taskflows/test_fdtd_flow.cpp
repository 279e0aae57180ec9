// The finite-difference time-domain method from end to end: against a simple solver, and bit for bit against itself in
// every decomposition. The scheduler comes from STARPU_SCHED; StarPU is started once.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "fdtd_problems.hpp"
#include "taskflows/fdtd/reference.hpp"

namespace asterism::fdtd {
namespace {

const std::vector<Cut> cuts{{{2, 1, 1}, {}},    {{5, 1, 1}, {1, 7, 2, 2, 5}}, {{1, 3, 1}, {}},
                            {{1, 1, 3}, {}},    {{2, 2, 2}, {3, 1}},          {{3, 1, 2}, {}},
                            {{19, 1, 1}, {}}};

TEST(FdtdFlow, AgreesWithTheReference) {
  for (const Named& kind : boundaries)
    for (const bool single : {false, true}) {
      SCOPED_TRACE(testing::Message() << kind.name << (single ? ", float" : ", double"));
      const Problem p = problem_of(kind, {9, 7, 11}, single);
      Reference reference(p);
      const std::vector<BrickPlace> bricks = decompose(p, {{1, 1, 1}, {}});
      Simulation s(p, bricks, anywhere(bricks));
      s.initialise();
      for (int t = 0; t < 12; ++t) reference.advance();
      s.advance(12);
      double worst = 0, largest = 0;
      for (const Field field : {Field::electric, Field::magnetic}) {
        const Array<char> all = gather(s, p, field);
        const double scale = field == Field::electric ? 1 : 376.7;
        const std::array<int, 3> n = extents(p);
        for (int c = 0; c < 3; ++c)
          for (int i = 0; i < n[0]; ++i)
            for (int j = 0; j < n[1]; ++j)
              for (int k = 0; k < n[2]; ++k) {
                const double expected = reference.at(field, c, i, j, k) * scale;
                const double error = std::abs(entry(all, p, c, i, j, k) * scale - expected);
                worst = error <= worst ? worst : error;
                largest = std::max(largest, std::abs(expected));
              }
      }
      EXPECT_GT(largest, 0.5);
      EXPECT_LT(worst, (single ? 3e-6 : 1e-14) * largest);
    }
}

TEST(FdtdFlow, EveryDecompositionGivesTheSameBits) {
  for (const Named& kind : boundaries)
    for (const bool single : {false, true}) {
      const Problem p = problem_of(kind, {19, 8, 37}, single);
      const Outcome whole = run(p, {{1, 1, 1}, {}}, 7, anywhere);
      for (const Cut& cut : cuts)
        for (const auto place : {anywhere, fixed})
          EXPECT_TRUE(whole == run(p, cut, 7, place))
              << kind.name << ", " << fmt::format("{}", fmt::join(cut.parts, " x ")) << (single ? ", float" : ", double")
              << (place == fixed ? ", fixed" : "");
    }
}

}  // namespace
}  // namespace asterism::fdtd

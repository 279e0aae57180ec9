// SPDX-License-Identifier: Apache-2.0
// The linear programs alone: optima known by hand, GLPK's optimum of equations (8) and (9) as they stand, exhaustive
// search for the mixed-integer program.
#include <gtest/gtest.h>
#ifdef ASTERISM_GLPK
#include <glpk.h>
#endif
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <random>

#include "base/error.hpp"
#include "bounds/area.hpp"
#include "bounds/milp.hpp"
#include "tests/bounds/problems.hpp"

namespace {

using namespace asterism::bounds;
using namespace asterism::bounds::testing;

constexpr double exact = 1e-12;

TEST(Area, Figure14) {
  // CPUs: 4 + 4y, GPUs: 4 + 2 (2 - y), y of e and f together on CPUs: equal at y = 2/3, T = (4 + 8/3) / 2.
  const AreaSolution s = solve_area(figure14());
  EXPECT_NEAR(s.seconds, 10.0 / 3, exact);
  EXPECT_NEAR(s.tasks[0][0], 1, exact);
  EXPECT_NEAR(s.tasks[2][1], 1, exact);
  EXPECT_NEAR(s.tasks[4][0] + s.tasks[5][0], 2.0 / 3, exact);
  EXPECT_NEAR(s.load[0], 20.0 / 3, exact);
  EXPECT_NEAR(s.load[1], 20.0 / 3, exact);
  // 4 pi_CPU = 2 pi_GPU from e and f, 2 pi_CPU + 2 pi_GPU = 1
  EXPECT_NEAR(s.share[0], 1.0 / 3, exact);
  EXPECT_NEAR(s.share[1], 2.0 / 3, exact);
  // Uncut, every unit's time is a multiple of 2 and all cannot be done in 2: e on a CPU of its own gives 4.
  EXPECT_NEAR(solve_milp(figure14()), 4, 1e-9);
}

TEST(Area, SharesAreTheGainOfMoreUnits) {
  AreaProblem p = figure14();
  const AreaSolution s = solve_area(p);
  for (std::size_t k = 0; k < 2; ++k) {
    AreaProblem more = p;
    more.kinds[k].units *= 1 + 1e-5;
    EXPECT_NEAR((s.seconds - solve_area(more).seconds) / s.seconds / 1e-5, s.share[k], 1e-4);
  }
}

TEST(Area, SingleKind) {
  const AreaSolution s = solve_area({{{"CPU", 4}}, {{"a", 3, {2}}, {"b", 5, {1}}}});
  EXPECT_NEAR(s.seconds, 11.0 / 4, exact);
  EXPECT_NEAR(s.share[0], 1, exact);
}

TEST(Area, CodeletOnOneKindOnly) {
  // a only on the CPU takes 6; b goes to the GPU whole
  const AreaSolution s = solve_area({{{"CPU", 1}, {"GPU", 1}}, {{"a", 3, {2, impossible}}, {"b", 2, {1, 1}}}});
  EXPECT_NEAR(s.seconds, 6, exact);
  EXPECT_NEAR(s.tasks[0][0], 3, exact);
  EXPECT_EQ(s.tasks[0][1], 0);
  EXPECT_NEAR(s.share[1], 0, exact);
}

TEST(Area, NoKindRunsIt) {
  EXPECT_THROW(solve_area({{{"CPU", 1}}, {{"a", 3, {impossible}}}}), asterism::Error);
}

TEST(Area, ZeroDurations) {
  EXPECT_EQ(solve_area({{{"CPU", 1}}, {{"a", 3, {0}}}}).seconds, 0);
  EXPECT_EQ(solve_area({{{"CPU", 1}}, {}}).seconds, 0);
  EXPECT_EQ(solve_milp({{{"CPU", 1}}, {{"a", 3, {0}}}}), 0);
  const AreaSolution s = solve_area({{{"CPU", 1}, {"GPU", 1}}, {{"a", 3, {0, 5}}, {"b", 4, {3, 1}}}});
  EXPECT_NEAR(s.seconds, 3, exact);  // b: 3 on the GPU, 1 on the CPU
}

TEST(Area, Links) {
  // CPU 4 s, GPU 1 s and 2 s of transfers: (2 - n) 4 = 2 n
  AreaProblem p{{{"CPU", 1}, {"GPU", 1, 5e8}}, {{"a", 2, {4, 1}, 1e9}}};
  const AreaSolution s = solve_area(p);
  EXPECT_NEAR(s.seconds, 8.0 / 3, exact);
  EXPECT_NEAR(s.tasks[0][1], 4.0 / 3, exact);
  EXPECT_NEAR(s.share[0], 1.0 / 3, exact);
  EXPECT_NEAR(s.link_share[1], 2.0 / 3, exact);
  p.kinds[1].receives = LinearProgram::infinity;
  EXPECT_NEAR(solve_area(p).seconds, 8.0 / 5, exact);
}

TEST(Area, ScalesOverManyOrdersOfMagnitude) {
  for (const double unit : {1e-9, 1e-3, 1e5}) {
    AreaProblem p = figure14();
    for (TaskClass& c : p.classes)
      for (double& t : c.seconds) t *= unit;
    EXPECT_NEAR(solve_area(p).seconds, unit * 10 / 3, unit * exact * 10);
  }
}

TEST(Area, ClassesTogetherGiveTheOptimumOfTasksApart) {
  std::mt19937 random(7);
  for (int i = 0; i < 200; ++i) {
    const AreaProblem p = random_problem(random, 4, 4, 8, 6);
    const double together = solve_area(p).seconds;
    EXPECT_NEAR(together, solve_area(divided(p)).seconds, 1e-9 * together);
  }
}

TEST(Area, ColumnByColumnGivesTheSameOptimum) {
  std::mt19937 random(17);
  AreaOptions by_columns;
  by_columns.most_rows = 0;
  for (int i = 0; i < 1000; ++i) {
    AreaProblem p = random_problem(random, 4, 4, 40, 6);
    if (i % 2 == 0) {  // with links
      p.kinds.back().receives = 100;
      for (TaskClass& c : p.classes) c.bytes = 10 * c.tasks;
    }
    const AreaSolution rows = solve_area(p);
    const AreaSolution columns = solve_area(p, by_columns);
    ASSERT_NEAR(columns.seconds, rows.seconds, 1e-9 * rows.seconds) << "case " << i;
    for (std::size_t c = 0; c < p.classes.size(); ++c)
      EXPECT_NEAR(std::accumulate(columns.tasks[c].begin(), columns.tasks[c].end(), 0.0), p.classes[c].tasks, 1e-9);
  }
}

TEST(Area, ManyClasses) {
  AreaProblem p{{{"CPU", 16}, {"CUDA", 4}, {"OPENCL", 2}, {"HIP", 4}}, {}};
  std::mt19937 random(9);
  std::uniform_real_distribution<double> real(0, 1);
  for (int c = 0; c < 200000; ++c) {
    const double size = std::exp(4 * real(random));
    p.classes.push_back({"c" + std::to_string(c), 50, {}});
    for (const double speed : {1.0, 20.0, 10.0, 18.0})
      p.classes.back().seconds.push_back(1e-3 * size * (0.5 + real(random)) / speed);
  }
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_GT(solve_area(p).seconds, 0);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  EXPECT_LT(seconds.count(), 20);
  std::printf("%zu classes, 4 kinds: %.2f s\n", p.classes.size(), seconds.count());
}

#ifdef ASTERISM_GLPK
/// Equations (8) and (9) literally: a variable per task and unit, solved in rational arithmetic.
double by_glpk(const AreaProblem& p) {
  const AreaProblem tasks = divided(p);
  std::vector<std::size_t> units;
  for (std::size_t k = 0; k < p.kinds.size(); ++k)
    units.insert(units.end(), static_cast<std::size_t>(p.kinds[k].units), k);
  glp_term_out(GLP_OFF);
  glp_prob* lp = glp_create_prob();
  const int omega = static_cast<int>(tasks.classes.size());
  const int count = static_cast<int>(units.size());
  glp_add_rows(lp, count + omega);
  glp_add_cols(lp, 1 + count * omega);
  glp_set_obj_dir(lp, GLP_MIN);
  glp_set_obj_coef(lp, 1, 1);
  glp_set_col_bnds(lp, 1, GLP_LO, 0, 0);
  std::vector<int> row{0};
  std::vector<int> column{0};
  std::vector<double> value{0};
  const auto entry = [&](int r, int c, double v) {
    row.push_back(r);
    column.push_back(c);
    value.push_back(v);
  };
  for (int u = 1; u <= count; ++u) {
    glp_set_row_bnds(lp, u, GLP_UP, 0, 0);
    entry(u, 1, -1);
  }
  for (int w = 1; w <= omega; ++w) {
    glp_set_row_bnds(lp, count + w, GLP_FX, 1, 1);
    for (int u = 1; u <= count; ++u) {
      const int alpha = 1 + (w - 1) * count + u;
      const double t = tasks.classes[static_cast<std::size_t>(w - 1)].seconds[units[static_cast<std::size_t>(u - 1)]];
      if (std::isinf(t)) {
        glp_set_col_bnds(lp, alpha, GLP_FX, 0, 0);
        continue;
      }
      glp_set_col_bnds(lp, alpha, GLP_LO, 0, 0);
      if (t != 0) entry(u, alpha, t);
      entry(count + w, alpha, 1);
    }
  }
  glp_load_matrix(lp, static_cast<int>(value.size()) - 1, row.data(), column.data(), value.data());
  glp_smcp simplex;
  glp_init_smcp(&simplex);
  simplex.msg_lev = GLP_MSG_OFF;
  glp_simplex(lp, &simplex);
  EXPECT_EQ(glp_exact(lp, &simplex), 0);
  EXPECT_EQ(glp_get_status(lp), GLP_OPT);
  const double t = glp_get_obj_val(lp);
  glp_delete_prob(lp);
  return t;
}

TEST(Area, AgreesWithGlpkOnTheEquationsAsTheyStand) {
  std::mt19937 random(1);
  for (int i = 0; i < 250; ++i) {
    const AreaProblem p = random_problem(random, 3, 3, 6, 4);
    const double theirs = by_glpk(p);
    ASSERT_NEAR(solve_area(p).seconds, theirs, 1e-9 * theirs) << "case " << i;
  }
}

TEST(Area, WrittenProgramHasTheSameOptimum) {
  const std::filesystem::path folder = std::filesystem::temp_directory_path();
  const std::filesystem::path file = folder / ("asterism-area-" + std::to_string(getpid()) + ".mps");
  AreaProblem p{{{"CPU", 1}, {"GPU", 1, 5e8}}, {{"spmv_1f", 2, {4, 1}, 1e9}, {"dot+x", 1, {1, impossible}, 0}}};
  area_program(p).write(file);
  glp_term_out(GLP_OFF);
  glp_prob* lp = glp_create_prob();
  ASSERT_EQ(glp_read_mps(lp, GLP_MPS_FILE, nullptr, file.c_str()), 0);
  glp_simplex(lp, nullptr);
  EXPECT_NEAR(glp_get_obj_val(lp), solve_area(p).seconds, 1e-9);
  glp_delete_prob(lp);
  std::filesystem::remove(file);
  const std::filesystem::path text = folder / ("asterism-area-" + std::to_string(getpid()) + ".lp");
  area_program(p).write(text);
  std::ifstream in(text);
  const std::string written((std::istreambuf_iterator<char>(in)), {});
  for (const char* name : {"load_CPU", "link_GPU", "all_spmv_1f", "share_spmv_1f_GPU", "share_dot_x_CPU"})
    EXPECT_NE(written.find(name), std::string::npos) << name;
  std::filesystem::remove(text);
  EXPECT_THROW(area_program(p).write("/nowhere/area.lp"), asterism::Error);
}
#endif

TEST(Milp, EqualsExhaustiveSearchAndIsAtLeastTheLp) {
  std::mt19937 random(3);
  int larger = 0;
  for (int i = 0; i < 2000; ++i) {
    const AreaProblem p = i < 1000 ? random_problem(random, 2, 2, 4, 2) : random_problem(random, 3, 2, 4, 2);
    const double lp = solve_area(p).seconds;
    const double milp = solve_milp(p);
    ASSERT_NEAR(milp, exhaustive(p), 1e-7 * (milp + 1e-9)) << "case " << i;
    EXPECT_LE(lp, milp * (1 + 1e-9));
    larger += milp > lp * 1.01;
  }
  EXPECT_GT(larger, 20);
}

TEST(Milp, RefusesWhatItCannotDo) {
  AreaProblem p = figure14();
  EXPECT_THROW(solve_milp(p, {10, 60}), asterism::Error);
  p.kinds[0].units = 1.5;
  EXPECT_THROW(solve_milp(p), asterism::Error);
}

TEST(LinearProgram, SaysWhenThereIsNoOptimum) {
  LinearProgram contradiction("contradiction");
  const int row = contradiction.add_row("r", Relation::at_least, 2);
  contradiction.add_column("x", 1, std::vector<Coefficient>{{row, 1}}, 0, 1);
  EXPECT_THROW(contradiction.minimise(), asterism::Error);
  LinearProgram unbounded("unbounded");
  unbounded.add_row("r", Relation::at_least, 0);
  unbounded.add_column("x", -1, std::vector<Coefficient>{{0, 1}});
  EXPECT_THROW(unbounded.minimise(), asterism::Error);
}

}  // namespace

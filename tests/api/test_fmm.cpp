// SPDX-License-Identifier: Apache-2.0
// The fast multipole method by the library: against direct sums of the test's own, and to the bit against asterism-fmm.
#include <asterism/fmm.hpp>
#include <fstream>
#include <functional>
#include <sstream>

#include "tests/api/problems.hpp"
#include "tests/apps/run_program.hpp"

namespace {

using namespace asterism;
using namespace asterism::tests;

/// Points in a box of sides 1, 2 and 0.7, and results of them.
struct Cloud {
  explicit Cloud(std::size_t n, unsigned seed = 1, double shift = 0)
      : x(random_values(n, seed, shift, shift + 1)),
        y(random_values(n, seed + 100, 0, 2)),
        z(random_values(n, seed + 200, 0, 0.7)) {}
  [[nodiscard]] fmm::Points points() const { return {x, y, z}; }
  [[nodiscard]] std::size_t size() const { return x.size(); }

  std::vector<double> x, y, z;
};

struct Values {
  explicit Values(std::size_t n) : potential(n), x(n), y(n), z(n) {}
  [[nodiscard]] fmm::Field field() { return {potential, x, y, z}; }
  [[nodiscard]] bool same(const Values& other) const {
    return same_bits(potential, other.potential) && same_bits(x, other.x) && same_bits(y, other.y) &&
           same_bits(z, other.z);
  }

  std::vector<double> potential, x, y, z;
};

/// K(r) and K'(r).
using Radial = std::function<std::pair<double, double>(double r)>;

std::pair<double, double> laplace(double r) {
  return {1 / r, -1 / (r * r)};
}

/// Sums over all sources at every `step`-th target. `self`: targets are the sources, and results forces.
Values direct(const Cloud& sources, const std::vector<double>& charge, const Cloud& targets, bool self,
              const Radial& kernel, std::size_t step) {
  Values sums(targets.size());
  for (std::size_t i = 0; i < targets.size(); i += step) {
    const double factor = self ? charge[i] : 1;
    for (std::size_t j = 0; j < sources.size(); ++j) {
      if (self && i == j) continue;
      const double d[3] = {targets.x[i] - sources.x[j], targets.y[i] - sources.y[j], targets.z[i] - sources.z[j]};
      const double r = std::sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
      const auto [value, slope] = kernel(r);
      sums.potential[i] += charge[j] * value;
      sums.x[i] -= factor * charge[j] * slope * d[0] / r;
      sums.y[i] -= factor * charge[j] * slope * d[1] / r;
      sums.z[i] -= factor * charge[j] * slope * d[2] / r;
    }
  }
  return sums;
}

/// Relative L2 errors at every `step`-th point.
void expect_near(const Values& found, const Values& expected, std::size_t step, double allowed) {
  const auto error = [&](std::initializer_list<std::vector<double> Values::*> components) {
    double difference = 0, size = 0;
    for (const auto component : components)
      for (std::size_t i = 0; i < expected.potential.size(); i += step) {
        difference += std::pow((found.*component)[i] - (expected.*component)[i], 2);
        size += std::pow((expected.*component)[i], 2);
      }
    return std::sqrt(difference / size);
  };
  EXPECT_LE(error({&Values::potential}), allowed);
  EXPECT_LE(error({&Values::x, &Values::y, &Values::z}), allowed);
}

fmm::Options tree_of(int height, int accuracy = 4) {
  fmm::Options options;
  options.height = height;
  options.group_size = 20;
  options.accuracy = accuracy;
  return options;
}

class LibraryFmm : public testing::Test {
 protected:
  static constexpr std::size_t n = 6000;
  static constexpr std::size_t step = 7;
  Cloud cloud_{n};
  std::vector<double> charge_ = random_values(n, 9);
  Values values_{n};
  Session session_{SessionOptions{.cpus = 2, .gpus = 0}};
};

TEST_F(LibraryFmm, MoreAccuracyIsMoreAccurate) {
  const Values expected = direct(cloud_, charge_, cloud_, true, laplace, step);
  for (const int accuracy : {2, 4, 6}) {
    fmm::Evaluator evaluator(session_, cloud_.points(), tree_of(4, accuracy));
    const fmm::Result result = evaluator.evaluate(charge_, values_.field());
    expect_near(values_, expected, step, std::pow(10, -accuracy));
    double energy = 0;
    for (std::size_t i = 0; i < n; ++i) energy += charge_[i] * values_.potential[i] / 2;
    EXPECT_NEAR(result.energy, energy, 1e-12 * std::abs(energy));
    EXPECT_EQ(evaluator.height(), 4);
  }
  EXPECT_EQ(session_.scheduler(), "hprio");
}

TEST_F(LibraryFmm, KernelsAndFactors) {
  fmm::Options options = tree_of(4);
  options.kernel = fmm::Kernel::yukawa;
  options.kappa = 1.5;
  fmm::Evaluator yukawa(session_, cloud_.points(), options);
  yukawa.evaluate(charge_, values_.field());
  const auto screened = [](double r) {
    const double value = std::exp(-1.5 * r) / r;
    return std::pair{value, -value * (1.5 + 1 / r)};
  };
  {
    SCOPED_TRACE("yukawa");
    expect_near(values_, direct(cloud_, charge_, cloud_, true, screened, step), step, 1e-4);
  }

  options = tree_of(4);
  options.coupling = -2.5;
  options.softening = 0.05;
  fmm::Evaluator softened(session_, cloud_.points(), options);
  softened.evaluate(charge_, values_.field());
  const auto soft = [](double r) {
    const double s = std::sqrt(r * r + 0.0025);
    return std::pair{-2.5 / s, 2.5 * r / (s * s * s)};
  };
  SCOPED_TRACE("softened");
  // near forces are softened, so that errors of the far field are a larger part of all than where --accuracy is
  // measured
  expect_near(values_, direct(cloud_, charge_, cloud_, true, soft, step), step, 3e-4);
}

TEST_F(LibraryFmm, OtherChargesHaveTheBitsOfANewEvaluator) {
  const std::vector<double> other = random_values(n, 10, 0, 1);
  Values fresh(n), again(n), first(n);
  fmm::Evaluator(session_, cloud_.points(), tree_of(4)).evaluate(other, fresh.field());
  fmm::Evaluator evaluator(session_, cloud_.points(), tree_of(4));
  evaluator.evaluate(charge_, first.field());
  evaluator.evaluate(other, again.field());
  EXPECT_TRUE(again.same(fresh));
  evaluator.evaluate(charge_, again.field());
  EXPECT_TRUE(again.same(first));
  Values potential(n);
  evaluator.evaluate(charge_, {potential.potential, {}, {}, {}});
  EXPECT_TRUE(same_bits(potential.potential, first.potential));
}

/// As many vectors as take two rounds, against each of them alone, before and after.
void expect_bits_of_each(fmm::Evaluator& evaluator) {
  constexpr std::size_t vectors = 6;
  const std::size_t n = evaluator.sources();
  const std::size_t m = evaluator.targets();
  const std::vector<double> charges = random_values(vectors * n, 12);
  const auto charge = [&](std::size_t v) { return std::span(charges).subspan(v * n, n); };
  const auto part = [&](std::span<const double> all, std::size_t v) { return all.subspan(v * m, m); };
  Values alone(m), together(vectors * m), potential(vectors * m);
  evaluator.evaluate(charge(0), alone.field());
  const std::vector<fmm::Result> results = evaluator.evaluate_all(charges, together.field());
  ASSERT_EQ(results.size(), vectors);
  EXPECT_TRUE(same_bits(alone.potential, part(together.potential, 0)));
  for (std::size_t v = 0; v < vectors; ++v) {
    SCOPED_TRACE(v);
    EXPECT_EQ(evaluator.evaluate(charge(v), alone.field()).energy, results[v].energy);
    EXPECT_TRUE(same_bits(alone.potential, part(together.potential, v)));
    EXPECT_TRUE(same_bits(alone.x, part(together.x, v)));
    EXPECT_TRUE(same_bits(alone.y, part(together.y, v)));
    EXPECT_TRUE(same_bits(alone.z, part(together.z, v)));
  }
  evaluator.evaluate_all(charges, {potential.potential, {}, {}, {}});
  EXPECT_TRUE(same_bits(potential.potential, together.potential));
}

TEST_F(LibraryFmm, SeveralVectorsOfChargesHaveTheBitsOfEach) {
  fmm::Evaluator evaluator(session_, cloud_.points(), tree_of(4));
  expect_bits_of_each(evaluator);
  Cloud moved = cloud_;
  for (const double shift : {0.003, 0.4}) {  // within the box, and out of it
    SCOPED_TRACE(shift);
    for (std::size_t i = 0; i < n; ++i) moved.x[i] += shift * std::sin(40 * moved.y[i]);
    evaluator.move(moved.points());
    expect_bits_of_each(evaluator);
  }
  std::vector<double> charges(2 * n, 1.0);
  Values both(2 * n);
  charges[n + 3] = NAN;
  expect_bad_input([&] { evaluator.evaluate_all(charges, both.field()); }, {"charge[3] is nan"});
  charges.pop_back();
  expect_bad_input([&] { evaluator.evaluate_all(charges, both.field()); }, {"charge has 11999", "6000 for each"});
  expect_bad_input([&] { evaluator.evaluate_all(charge_, both.field()); }, {"potential has 12000", "6000"});
}

TEST_F(LibraryFmm, SeveralVectorsOfChargesWithOtherTreesAndKernels) {
  fmm::Options options = tree_of(4);
  options.kernel = fmm::Kernel::yukawa;
  options.softening = 0.05;
  fmm::Evaluator softened(session_, cloud_.points(), options);
  expect_bits_of_each(softened);
  options = tree_of(6);
  options.tree = fmm::Tree::adaptive;
  options.leaf_size = 30;
  fmm::Evaluator adaptive(session_, cloud_.points(), options);
  expect_bits_of_each(adaptive);
  fmm::Evaluator all_pairs(session_, cloud_.points(), tree_of(2));
  expect_bits_of_each(all_pairs);
  options = {};
  options.accuracy = 4;
  options.vectors = 4;
  const Cloud many(30000);
  fmm::Evaluator tree_for_four(session_, many.points(), options);
  expect_bits_of_each(tree_for_four);
  const Cloud targets(2000, 4, 0.5);
  fmm::Evaluator apart(session_, cloud_.points(), targets.points(), tree_of(4));
  expect_bits_of_each(apart);
}

TEST_F(LibraryFmm, InterleavedPlacesHaveTheSameBits) {
  std::vector<double> xyz;
  for (std::size_t i = 0; i < n; ++i) xyz.insert(xyz.end(), {cloud_.x[i], cloud_.y[i], cloud_.z[i]});
  Values expected(n);
  fmm::Evaluator(session_, cloud_.points(), tree_of(4)).evaluate(charge_, expected.field());
  fmm::Evaluator(session_, fmm::Points(xyz), tree_of(4)).evaluate(charge_, values_.field());
  EXPECT_TRUE(values_.same(expected));
}

TEST_F(LibraryFmm, PlacesOfThreeArraysAreNotCopied) {
  if (!counts_memory) GTEST_SKIP() << "a sanitizer allocates";
  const Cloud cloud(100000);
  std::vector<double> xyz;
  for (std::size_t i = 0; i < cloud.size(); ++i) xyz.insert(xyz.end(), {cloud.x[i], cloud.y[i], cloud.z[i]});
  const auto bytes_with = [&](const fmm::Points& points) {
    const double before = allocated_bytes();
    const fmm::Evaluator evaluator(session_, points, tree_of(4));
    return allocated_bytes() - before;
  };
  bytes_with(cloud.points());  // starts StarPU
  const double borrowed = bytes_with(cloud.points());
  const double copied = bytes_with(fmm::Points(xyz));
  const double places = 3 * sizeof(double) * static_cast<double>(cloud.size());
  EXPECT_NEAR(copied - borrowed, places, 0.1 * places);
}

TEST_F(LibraryFmm, PointsMove) {
  fmm::Evaluator evaluator(session_, cloud_.points(), tree_of(4));
  evaluator.evaluate(charge_, values_.field());
  for (const double shift : {0.003, 0.4}) {  // within the box, and out of it
    Cloud moved = cloud_;
    for (std::size_t i = 0; i < n; ++i) moved.x[i] += shift * std::sin(40 * moved.y[i]);
    evaluator.move(moved.points());
    evaluator.evaluate(charge_, values_.field());
    expect_near(values_, direct(moved, charge_, moved, true, laplace, step), step, 1e-4);
  }
}

TEST_F(LibraryFmm, TargetsApart) {
  const Cloud targets(2000, 4, 0.5);
  Values at(targets.size());
  fmm::Evaluator evaluator(session_, cloud_.points(), targets.points(), tree_of(4));
  EXPECT_EQ(evaluator.sources(), n);
  EXPECT_EQ(evaluator.targets(), targets.size());
  EXPECT_EQ(evaluator.evaluate(charge_, at.field()).energy, 0);
  expect_near(at, direct(cloud_, charge_, targets, false, laplace, step), step, 1e-4);
  const Cloud moved(2000, 5, 0.2);
  evaluator.move(cloud_.points(), moved.points());
  evaluator.evaluate(charge_, at.field());
  expect_near(at, direct(cloud_, charge_, moved, false, laplace, step), step, 1e-4);
}

TEST_F(LibraryFmm, ChoosesATree) {
  fmm::Evaluator evaluator(session_, cloud_.points());
  evaluator.evaluate(charge_, values_.field());
  expect_near(values_, direct(cloud_, charge_, cloud_, true, laplace, step), step, 1e-5);
}

TEST_F(LibraryFmm, MisuseIsNamedAndTheEvaluatorStillWorks) {
  expect_bad_input([&] { fmm::Points(cloud_.x, cloud_.y, std::span(cloud_.z).first(3)); }, {"6000 y and 3 z"});
  expect_bad_input([&] { fmm::Points(std::span(cloud_.x).first(4)); }, {"4 coordinates"});
  expect_bad_input([&] { fmm::Evaluator(session_, fmm::Points(std::span<const double>{})); }, {"no points"});
  fmm::Options options;
  options.accuracy = 12;
  expect_bad_input([&] { fmm::Evaluator(session_, cloud_.points(), options); }, {"accuracy 12", "2 to 9"});
  options = tree_of(30);
  expect_bad_input([&] { fmm::Evaluator(session_, cloud_.points(), options); }, {"height 30", "1 to 21"});
  options = tree_of(4);
  options.vectors = 0;
  expect_bad_input([&] { fmm::Evaluator(session_, cloud_.points(), options); }, {"vectors 0", "at least 1"});
  Cloud wrong = cloud_;
  wrong.y[17] = NAN;
  expect_bad_input([&] { fmm::Evaluator(session_, wrong.points()); }, {"points: point 17"});

  fmm::Evaluator evaluator(session_, cloud_.points(), tree_of(4));
  Values expected(n);
  evaluator.evaluate(charge_, expected.field());
  std::vector<double> charge = charge_;
  charge[3] = NAN;
  expect_bad_input([&] { evaluator.evaluate(charge, values_.field()); }, {"charge[3] is nan"});
  charge.pop_back();
  expect_bad_input([&] { evaluator.evaluate(charge, values_.field()); }, {"charge has 5999"});
  expect_bad_input([&] { evaluator.evaluate(charge_, {values_.potential, values_.x, {}, {}}); }, {"y of the field"});
  expect_bad_input([&] { evaluator.move(wrong.points()); }, {"point 17"});
  expect_bad_input([&] { evaluator.move(Cloud(5).points()); }, {"5 points, expected 6000"});
  expect_bad_input([&] { evaluator.move(cloud_.points(), cloud_.points()); }, {"act on each other"});
  evaluator.evaluate(charge_, values_.field());
  EXPECT_TRUE(values_.same(expected));
}

class FmmLibraryAndProgram : public ProgramTest {
 protected:
  FmmLibraryAndProgram() : ProgramTest("asterism-fmm", "ASTERISM_FMM", ASTERISM_FMM, {}) {}
};

TEST_F(FmmLibraryAndProgram, HaveTheSameBits) {
  const Cloud cloud(5000);
  const std::vector<double> charge = random_values(cloud.size(), 11);
  std::ostringstream text;
  text.precision(17);
  for (std::size_t i = 0; i < cloud.size(); ++i)
    text << cloud.x[i] << ' ' << cloud.y[i] << ' ' << cloud.z[i] << ' ' << charge[i] << '\n';
  const Ran ran = run({"--input", file(text.str(), "points.txt"), "--height", "4", "--group-size", "20", "--accuracy",
                       "5", "--output", "out.csv", "--gpus", "0"});
  ASSERT_EQ(ran.status, 0) << ran.err;
  Session session({.cpus = 2, .gpus = 0});
  Values values(cloud.size());
  fmm::Evaluator(session, cloud.points(), tree_of(4, 5)).evaluate(charge, values.field());
  const std::vector<std::string> lines = lines_of(contents(output("out.csv")));
  ASSERT_EQ(lines.size(), cloud.size() + 1);
  for (std::size_t i = 0; i < cloud.size(); ++i) {
    std::vector<double> numbers;
    std::istringstream columns(lines[i + 1]);
    for (std::string number; std::getline(columns, number, ',');)
      numbers.push_back(std::strtod(number.c_str(), nullptr));
    ASSERT_EQ(numbers.size(), 8U);
    const std::vector<double> found{values.potential[i], values.x[i], values.y[i], values.z[i]};
    ASSERT_TRUE(same_bits(found, std::span(numbers).subspan(4))) << i;
  }
}

}  // namespace

// SPDX-License-Identifier: Apache-2.0
// Fluxes and ringdowns of scenes: against the power of a far field's surface, and an oscillation that is known.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "taskflows/fdtd/results/fluxes.hpp"
#include "taskflows/fdtd/results/ringdown.hpp"
#include "taskflows/fdtd/results/scene_results.hpp"
#include "tests/io/files_fixture.hpp"
#include "tests/taskflows/fdtd/problems.hpp"

namespace asterism::fdtd {
namespace {

/// A dipole within the six faces of a box, each a flux.
const std::string boxed = R"(
courant = 0.9
steps = 150
[grid]
cells = [24, 22, 26]
spacing = [1e-3, 1.3e-3, 0.8e-3]
[faces]
all = "cpml"
[cpml]
thickness = 5
[[sources]]
type = "dipole"
component = "Ey"
entry = [11, 10, 13]
waveform = { kind = "differentiated_gaussian", width = 12e-12 }
[[far_fields]]
box = { from = [7, 8, 9], to = [15, 14, 18] }
frequencies = [12e9]
theta = 0
phi = 0
)";

std::string face(const std::string& low, const std::string& high) {
  return "[[fluxes]]\nfrequencies = [9e9, 12e9]\nlow = " + low + "\nhigh = " + high + "\n";
}

/// Out of the box through both faces of an axis, towards growing coordinates through each.
TEST(FdtdSceneResults, FluxesThroughABoxAreWhatADipoleRadiates) {
  const std::string text = boxed + face("[7e-3, 10.4e-3, 7.2e-3]", "[7e-3, 18.2e-3, 14.4e-3]") +
                           face("[15e-3, 10.4e-3, 7.2e-3]", "[15e-3, 18.2e-3, 14.4e-3]") +
                           face("[7e-3, 10.4e-3, 7.2e-3]", "[15e-3, 10.4e-3, 14.4e-3]") +
                           face("[7e-3, 18.2e-3, 7.2e-3]", "[15e-3, 18.2e-3, 14.4e-3]") +
                           face("[7e-3, 10.4e-3, 7.2e-3]", "[15e-3, 18.2e-3, 7.2e-3]") +
                           face("[7e-3, 10.4e-3, 14.4e-3]", "[15e-3, 18.2e-3, 14.4e-3]");
  const scene::Scene scene = scene::read_scene(text, "boxed.toml", ".");
  const SceneProblem of = make_problem(scene);
  std::vector<double> whole;
  for (const Cut& cut : {Cut{{1, 1, 1}, {}}, Cut{{3, 2, 2}, {}}}) {
    const std::vector<BrickPlace> bricks = decompose(of.problem, cut);
    Simulation s(of.problem, bricks, anywhere(bricks));
    s.advance(150);
    const std::vector<Spectrum> spectra = s.spectra();
    const std::vector<SceneFlux> all = fluxes(scene, of, spectra);
    ASSERT_EQ(all.size(), 12U);
    double sum = 0;
    std::vector<double> powers;
    for (std::size_t n = 0; n < all.size(); ++n) {
      EXPECT_EQ(all[n].name, "flux" + std::to_string(n / 2));
      EXPECT_EQ(all[n].frequency, n % 2 == 0 ? 9e9 : 12e9);
      const double outward = n / 2 % 2 == 0 ? -1 : 1;
      EXPECT_GT(outward * all[n].power, 0) << n;
      if (n % 2 == 1) sum += outward * all[n].power;
      powers.push_back(all[n].power);
    }
    const double radiated = far_fields(scene, of, spectra, 150)[0].radiated;
    EXPECT_NEAR(sum, radiated, 1e-12 * radiated);
    if (whole.empty()) whole = powers;
    EXPECT_EQ(powers, whole);
  }
}

class FdtdSceneFiles : public FileTests {};

TEST_F(FdtdSceneFiles, FluxesAreReadBackAndNormalise) {
  scene::Scene scene;
  scene.fluxes = {{"out", {}, {}, {1e9, 2.5e9}, "out"}, {"back", {}, {}, {2.5e9}, "out"}};
  const std::vector<SceneFlux> written{{"out", 1e9, 2e-20, {}}, {"out", 2.5e9, -4.25e-20, {}}, {"back", 2.5e9, 1, {}}};
  const auto path = folder_ / "f.csv";
  write_fluxes(path, written);
  const std::vector<double> found = references(scene, read_fluxes(path), "f.csv");
  EXPECT_EQ(found, (std::vector<double>{2e-20, -4.25e-20, -4.25e-20}));
  std::vector<SceneFlux> all{{"out", 1e9, 1e-20, {}}, {"out", 2.5e9, -4.25e-20, {}}, {"back", 2.5e9, 8.5e-20, {}}};
  normalise(all, found);
  EXPECT_EQ(*all[0].normalised, 0.5);
  EXPECT_EQ(*all[2].normalised, -2);
  write_fluxes(path, all);
  EXPECT_EQ(read_fluxes(path)[2].power, 8.5e-20);
  scene.fluxes[0].frequencies[0] = 1.5e9;
  expect_bad_input([&] { (void)references(scene, written, "f.csv"); }, {"f.csv", "no flux out at 1500000000 Hz"});
  const auto refused = [&](const std::string& text, const std::vector<std::string>& words) {
    expect_bad_input([&] { (void)read_fluxes(file("g.csv", text)); }, words);
  };
  refused("step,time\n", {"g.csv", "line 1", "flux,frequency,power"});
  refused("flux,frequency,power\nout\n", {"g.csv", "line 2", "out"});
  refused("flux,frequency,power\nout,1e9,q\n", {"g.csv", "line 2", "a number"});
  expect_bad_input([&] { (void)read_fluxes(folder_ / "none.csv"); }, {"none.csv"});
}

TEST(FdtdSceneResults, WrongFluxesAreRefused) {
  const auto refused = [](const std::string& more, const std::vector<std::string>& words) {
    expect_bad_input([&] { (void)scene::read_scene(boxed + more, "s.toml", "."); }, words);
  };
  refused(face("[7e-3, 10.4e-3, 7.2e-3]", "[8e-3, 18.2e-3, 14.4e-3]"), {"fluxes[0].high", "along two axes"});
  refused(face("[7e-3, 10.4e-3, 7.2e-3]", "[7e-3, 10.4e-3, 14.4e-3]"), {"fluxes[0].high", "along two axes"});
  refused(face("[7e-3, 10.4e-3, 7.2e-3]", "[7e-3, 9.1e-3, 14.4e-3]"), {"fluxes[0].high", "along y"});
  refused(face("[4e-3, 10.4e-3, 7.2e-3]", "[4e-3, 18.2e-3, 14.4e-3]"), {"fluxes[0].low", "absorbing"});
  refused(face("[7e-3, 10.4e-3, 7.2e-3]", "[7e-3, 18.2e-3, 14.4e-3]") + "reference = \"in\"\n", {"flux0", "\"in\""});
}

TEST(FdtdSceneResults, ADecayHasItsFrequencyAndQ) {
  const double dt = 1e-15, frequency = 8.3e12;
  for (const double quality : {4.0, 97.0, 5000.0}) {
    const auto decay = [&](int n) {
      const double phase = 2 * std::numbers::pi * frequency * n * dt;
      return 3e-7 * std::exp(-phase / (2 * quality)) * std::cos(phase + 0.7);
    };
    std::vector<double> values;
    for (int n = 0; n < 3000; ++n) values.push_back(decay(n));
    const auto found = fit_ringdown(values, dt);
    ASSERT_TRUE(found);
    EXPECT_NEAR(found->frequency, frequency, 1e-8 * frequency);
    EXPECT_NEAR(found->quality, quality, 1e-6 * quality);
    EXPECT_LT(found->residual, 1e-6);
  }
  std::vector<double> grows, one, none(500, 0.0);
  for (int n = 0; n < 500; ++n) {
    grows.push_back(std::exp(0.01 * n) * std::sin(0.3 * n));
    one.push_back(std::sin(0.01 * n));
  }
  for (const auto& values : {grows, one, none, std::vector<double>{}}) EXPECT_FALSE(fit_ringdown(values, dt));
}

}  // namespace
}  // namespace asterism::fdtd

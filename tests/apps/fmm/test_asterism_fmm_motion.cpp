// SPDX-License-Identifier: Apache-2.0
// Gravity, units and moving particles of asterism-fmm from outside.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <numbers>
#include <sstream>
#include <string>
#include <vector>

#include "tests/apps/fmm/result_table.hpp"
#include "tests/apps/run_program.hpp"
#include "tests/data_file.hpp"

namespace {

namespace fs = std::filesystem;
using namespace asterism::tests;
using nlohmann::json;

/// All digits.
std::string shortest(double value) {
  std::ostringstream text;
  text.precision(17);
  text << value;
  return text.str();
}

class AsterismFmmMotion : public ProgramTest {
 protected:
  AsterismFmmMotion()
      : ProgramTest("asterism-fmm", "ASTERISM_FMM", ASTERISM_FMM,
                    {"--json", "run.json", "--output", "forces.csv", "--energies", "e.csv", "--chart", "e.png"}) {}

  /// Runs with these and returns the record.
  json record(Arguments arguments, const Arguments& more = {}) const {
    arguments.insert(arguments.end(), more.begin(), more.end());
    arguments.insert(arguments.end(), {"--json", output("run.json"), "--quiet"});
    const Ran ran = run(arguments);
    EXPECT_EQ(ran.status, 0) << ran.err;
    return json::parse(contents(output("run.json")));
  }
};

constexpr const char* two_masses = "x,y,z,mass,vx,vy,vz\n0,0,0,3,0,0,0\n2,0,0,1,0,2,0\n";

TEST_F(AsterismFmmMotion, MassesAttract) {
  const std::string input = file(two_masses, "two.csv");
  const json run = record({"--input", input, "--law", "gravity", "--gravitational-constant", "6", "--verify"},
                          {"--output", output("o.csv")});
  const auto rows = table(output("o.csv"));
  EXPECT_TRUE(contents(output("o.csv")).starts_with("x,y,z,mass,potential,fx,fy,fz\n"));
  EXPECT_NEAR(rows[0][4], -3, 1e-11);  // -G m / r
  EXPECT_NEAR(rows[1][4], -9, 1e-11);
  EXPECT_NEAR(rows[0][5], 4.5, 1e-11);  // G m m / r^2 towards the other
  EXPECT_NEAR(rows[1][5], -4.5, 1e-11);
  EXPECT_NEAR(run["physics"]["potential_energy"].get<double>(), -9, 1e-11);
  // Plummer: r^2 + epsilon^2 = 4 + 2.25
  record({"--input", input, "--law", "gravity", "--softening", "1.5", "--verify"}, {"--output", output("s.csv")});
  EXPECT_NEAR(table(output("s.csv"))[0][4], -1 / 2.5, 1e-11);
  EXPECT_NEAR(table(output("s.csv"))[0][5], 3 * 2 / std::pow(2.5, 3), 1e-11);
}

/// A circular orbit: G M / r^2 = v^2 / r with G M = 8 and r = 2, for one period.
TEST_F(AsterismFmmMotion, TwoBodiesComeBackAfterAPeriod) {
  const std::string input = file(two_masses, "two.csv");
  const double period = 2 * std::numbers::pi;
  double before = 0;
  for (const auto& [integrator, order] : {std::pair{"leapfrog", 2}, std::pair{"yoshida", 4}}) {
    for (const int steps : {100, 200}) {
      const json run = record({"--input", input, "--law", "gravity", "--gravitational-constant", "2", "--integrator",
                               integrator, "--steps", std::to_string(steps), "--dt", shortest(period / steps)},
                              {"--verify", "--output", output("o.csv"), "--energies", output("e.csv")});
      const auto rows = table(output("o.csv"));
      // the centre of mass moves along y with a quarter of the velocity
      const double error = std::hypot(rows[1][0] - rows[0][0] - 2, rows[1][1] - rows[0][1]);
      EXPECT_NEAR(0.75 * rows[0][1] + 0.25 * rows[1][1], 0.5 * period, 1e-4);
      if (steps == 200) {
        EXPECT_NEAR(std::log2(before / error), order, 0.2) << integrator;
      }
      before = error;
      EXPECT_LT(run["motion"]["energy_drift"].get<double>(), 1e-3);
      EXPECT_LT(run["motion"]["momentum_drift"].get<double>(), 1e-13);
      const auto energies = table(output("e.csv"));
      ASSERT_EQ(energies.size(), static_cast<std::size_t>(steps) + 1);
      EXPECT_NEAR(energies[0][2], 2, 1e-14);       // kinetic, of mass 1 with speed 2
      EXPECT_NEAR(energies[0][3], -3, 1e-11);      // potential
      EXPECT_NEAR(energies.back()[4], -1, 1e-3);   // total
      EXPECT_NEAR(energies.back()[6], 2, 1e-12);   // momentum along y
      EXPECT_NEAR(energies.back()[10], 4, 1e-11);  // angular momentum along z
      EXPECT_NEAR(rows[1][8], energies.back()[5] - 3 * rows[0][8], 1e-9) << "velocities are in the output";
    }
  }
}

/// Charges of mass 4 at distance 2 repel: a = q q / r^2 / m.
TEST_F(AsterismFmmMotion, ChargesHaveMasses) {
  const std::string input = file("x,y,z,q,mass\n0,0,0,2,4\n2,0,0,2,8\n", "charges.csv");
  record({"--input", input, "--steps", "1", "--dt", "1e-9"}, {"--output", output("o.csv")});
  const auto rows = table(output("o.csv"));
  EXPECT_NEAR(rows[0][11], -0.25, 1e-7);
  EXPECT_NEAR(rows[1][11], 0.125, 1e-7);
}

TEST_F(AsterismFmmMotion, AClusterStaysAsItIs) {
  const json run = record({"--law", "gravity", "--distribution", "plummer", "--velocities", "equilibrium",
                           "--particles", "3000", "--softening", "0.002", "--steps", "420", "--dt", "3.5e-4"},
                          {"--verify", "--energies", output("e.csv"), "--chart", output("e.png")});
  EXPECT_GT(run["motion"]["energy_drift"].get<double>(), 1e-8);
  EXPECT_LT(run["motion"]["energy_drift"].get<double>(), 5e-5);
  EXPECT_NEAR(run["motion"]["crossing_time"].get<double>(), 0.07, 0.007);
  const auto rows = table(output("e.csv"));
  ASSERT_EQ(rows.size(), 421U);
  for (const auto& row : rows) {
    EXPECT_NEAR(-2 * row[2] / row[3], 1, 0.08) << "virial theorem";
    EXPECT_NEAR(row[12], rows[0][12], 0.1 * rows[0][12]) << "radius of half the mass";
  }
  EXPECT_TRUE(contents(output("e.png")).starts_with("\x89PNG"));
  // the same from rest collapses
  const json cold = record({"--law", "gravity", "--distribution", "plummer", "--particles", "3000", "--softening",
                            "0.005", "--steps", "200", "--dt", "3.5e-4"},
                           {"--energies", output("cold.csv")});
  EXPECT_LT(table(output("cold.csv")).back()[12], 0.7 * rows[0][12]);
}

TEST_F(AsterismFmmMotion, AWrongStepFailsTheVerification) {
  const Ran ran = run({"--law", "gravity", "--distribution", "plummer", "--velocities", "equilibrium", "--particles",
                       "200", "--steps", "20", "--dt", "0.02", "--verify", "--output", output("o.csv")});
  EXPECT_EQ(ran.status, 1);
  expect_one_line(ran.err, {"energy changed", "--dt"});
  EXPECT_FALSE(fs::exists(output("o.csv")));
}

/// Velocities, masses, energies and snapshots of a resumed run are those of one without interruption.
TEST_F(AsterismFmmMotion, ResumesToTheLastBit) {
  for (const Arguments& kind : std::vector<Arguments>{
           {"--law", "gravity", "--distribution", "plummer", "--velocities", "equilibrium", "--particles", "400",
            "--softening", "0.01", "--integrator", "yoshida"},
           {"--input",
            file("x,y,z,q,mass,vx,vy,vz\n0,0,0,1,2,0.1,0,0\n1,0.5,0,-1,3,0,0.2,0\n0,1,2,1,4,0,0,-1\n", "t.csv")}}) {
    const auto go = [&](int steps, const std::string& name, const Arguments& more) {
      Arguments all = kind;
      all.insert(all.end(),
                 {"--steps", std::to_string(steps), "--dt", "1e-4", "--height", "2", "--group-size", "3", "--cpus", "2",
                  "--every", "4", "--output", output(name + ".pvd"), "--energies", output(name + ".csv"), "--quiet"});
      all.insert(all.end(), more.begin(), more.end());
      const Ran ran = run(all);
      EXPECT_EQ(ran.status, 0) << ran.err;
      return ran.out;
    };
    go(7, "parts", {"--checkpoint", output("k.h5"), "--checkpoint-every", "5"});
    const std::string resumed = go(14, "parts", {"--restart", output("k.h5")});
    const std::string whole = go(14, "whole", {});
    EXPECT_EQ(contents(output("parts.csv")), contents(output("whole.csv")));
    for (const char* step : {"_0000000008.vtp", "_0000000012.vtp", "_0000000014.vtp"})
      EXPECT_EQ(contents(output("parts" + std::string(step))), contents(output("whole" + std::string(step)))) << step;
    const auto conserved = [](const std::string& text) {
      const std::size_t at = text.find("conserved");
      return text.substr(at, text.find('\n', at) - at);
    };
    EXPECT_EQ(conserved(resumed), conserved(whole)) << "drifts count from the beginning";
    EXPECT_TRUE(contains(contents(output("parts.pvd")), "timestep=\"0.0008\""));
  }
}

/// 1 e at 1 angstrom from another: 332.06371 kcal/mol, and 560.5 kT at 298.15 K.
TEST_F(AsterismFmmMotion, EnergiesOfMoleculesHaveUnits) {
  const std::string input = file("0 0 0 1\n0 0 1 -1\n", "pair.txt");
  const auto energy = [&](const Arguments& units) {
    return record({"--input", input, "--verify", "--output", output("o.csv")}, units)["physics"]["potential_energy"]
        .get<double>();
  };
  EXPECT_NEAR(energy({}), -1, 1e-11);
  EXPECT_NEAR(energy({"--units", "kcal/mol"}), -332.06371, 1e-5);
  EXPECT_TRUE(contains(contents(output("o.csv")), "potential [kcal/mol/e],fx [kcal/mol/A]"));
  EXPECT_NEAR(energy({"--units", "kcal/mol", "--permittivity", "80"}), -332.06371 / 80, 1e-5);
  EXPECT_NEAR(energy({"--units", "kT"}), -560.46, 0.02);
  EXPECT_NEAR(energy({"--units", "kT", "--temperature", "596.3"}), -280.23, 0.01);
}

/// The energy of a protein in kcal/mol against a sum over all pairs here.
TEST_F(AsterismFmmMotion, EnergyOfAProtein) {
  const std::string input = data_file("particles/actin_dimer_11754.pqr.gz");
  const json run = record({"--input", input, "--units", "kcal/mol", "--accuracy", "5", "--height", "5", "--group-size",
                           "100", "--output", output("o.csv")});
  const auto atoms = table(output("o.csv"));
  ASSERT_EQ(atoms.size(), 11754U);
  long double sum = 0;
  for (std::size_t i = 0; i < atoms.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const double dx = atoms[i][0] - atoms[j][0], dy = atoms[i][1] - atoms[j][1], dz = atoms[i][2] - atoms[j][2];
      sum += atoms[i][3] * atoms[j][3] / std::sqrt(dx * dx + dy * dy + dz * dz);
    }
  const double right = 332.0637133 * static_cast<double>(sum);
  EXPECT_NEAR(run["physics"]["potential_energy"].get<double>() / right, 1, 1e-5);
}

TEST_F(AsterismFmmMotion, BadOptions) {
  const auto with = [&](const Arguments& more, const std::vector<std::string>& words) {
    Arguments all{"--particles", "100"};
    all.insert(all.end(), more.begin(), more.end());
    expect_bad_input(all, words, false);
  };
  with({"--law", "magnetism"}, {"--law", "magnetism"});
  with({"--units", "kcal/mol", "--law", "gravity"}, {"--units kcal/mol", "kpc", "gravity"});
  with({"--units", "furlong"}, {"--units furlong", "kT"});
  with({"--gravitational-constant", "2"}, {"--gravitational-constant", "--law gravity"});
  with({"--gravitational-constant", "-2", "--law", "gravity"}, {"--gravitational-constant -2"});
  with({"--permittivity", "0"}, {"--permittivity 0"});
  with({"--temperature", "-1"}, {"--temperature -1"});
  with({"--softening", "-1"}, {"--softening -1"});
  with({"--softening", "nan"}, {"--softening"});
  with({"--law", "gravity", "--charges", "signs"}, {"--charges signs", "gravity"});
  with({"--velocities", "equilibrium", "--steps", "1"}, {"--velocities", "plummer"});
  with({"--velocities", "equilibrium", "--steps", "1", "--distribution", "plummer"}, {"--velocities", "--law gravity"});
  with({"--energies", "e.csv"}, {"--energies", "--steps"});
  with({"--chart", "e.png"}, {"--chart", "--steps"});
  with({"--every", "2", "--steps", "4"}, {"--every", "--output"});
  with({"--output", "m.pvd"}, {"m.pvd", "--steps"});
  with({"--energies", "/nowhere/at/all/e.csv", "--steps", "1"}, {"--energies", "/nowhere/at/all"});
  with({"--allowed-drift", "0"}, {"--allowed-drift 0"});
  with({"--integrator", "euler"}, {"--integrator", "euler"});
  expect_bad_input({"--input", file("x,y,z,q,mass\n0,0,0,2,4\n2,0,0,2,0\n", "massless.csv"), "--steps", "1"},
                   {"massless.csv", "particle 2", "mass 0", "positive"}, false);
  expect_bad_input({"--input", file("1 2 3 1\n4 5 6 -0.5\n", "n.txt"), "--law", "gravity"},
                   {"n.txt", "particle 2", "-0.5", "positive"}, false);
}

}  // namespace

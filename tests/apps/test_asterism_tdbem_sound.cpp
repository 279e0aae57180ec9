// SPDX-License-Identifier: Apache-2.0
// asterism-tdbem's point sources and spectra, against the exact series, reciprocity, and turned bodies.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <numbers>
#include <sstream>
#include <string>
#include <vector>

#include "taskflows/tdbem/cases.hpp"
#include "taskflows/tdbem/reference/sphere_series.hpp"
#include "tests/apps/recorded_run.hpp"
#include "tests/data_file.hpp"

namespace {

namespace fs = std::filesystem;
using namespace asterism::tests;
using asterism::tdbem::Boundary;
using asterism::tdbem::IncidentWave;
using asterism::tdbem::Point;
using nlohmann::json;

class AsterismTdbemSound : public RecordedTest {
 protected:
  AsterismTdbemSound() : RecordedTest("asterism-tdbem", "ASTERISM_TDBEM", ASTERISM_TDBEM, {"--json", "run.json"}) {}
};

/// Columns of a CSV file by their names; empty fields are NaN.
std::map<std::string, std::vector<double>> table(const fs::path& path) {
  std::map<std::string, std::vector<double>> columns;
  std::vector<std::string> names;
  for (const std::string& line : lines_of(contents(path))) {
    if (line.empty() || line[0] == '#') continue;
    std::vector<std::string> words;
    std::istringstream row(line + ",");
    for (std::string word; std::getline(row, word, ',');) words.push_back(word);
    if (names.empty()) {
      names = words;
      continue;
    }
    EXPECT_EQ(words.size(), names.size());
    for (std::size_t c = 0; c < names.size() && c < words.size(); ++c)
      columns[names[c]].push_back(words[c].empty() ? NAN : std::strtod(words[c].c_str(), nullptr));
  }
  return columns;
}

/// || a - b || / || a ||
double difference(const std::vector<double>& a, const std::vector<double>& b) {
  EXPECT_EQ(a.size(), b.size());
  double error = 0, all = 0;
  for (std::size_t n = 0; n < std::min(a.size(), b.size()); ++n) {
    error += (a[n] - b[n]) * (a[n] - b[n]);
    all += a[n] * a[n];
  }
  return std::sqrt(error / all);
}

double degrees_between(double a, double b) {
  return std::abs(std::remainder(a - b, 360));
}

// ---- monopoles

/// Halving the edges divides the error by about four.
TEST_F(AsterismTdbemSound, SpheresApproachTheSeries) {
  // a plane wave with a delay that is the same on both spheres, and a monopole; waves of 8 mean edges of the coarser
  // one; long after they have passed
  for (const Arguments& wave : {Arguments{"--delay", "7"}, Arguments{"--monopole", "0.5,-1.2,1.5"}})
    for (const char* boundary : {"rigid", "soft"}) {
      double before = 0;
      for (const char* unknowns : {"162", "642"}) {
        Arguments all{"--unknowns", unknowns,     "--speed", "1",          "--frequency", "0.32",    "--width",
                      "1",          "--duration", "25",      "--boundary", boundary,      "--verify"};
        all.insert(all.end(), wave.begin(), wave.end());
        const json r = record(all);
        ASSERT_TRUE(r.value("right", false));
        const double error = r["verification"][0]["error"];
        EXPECT_LT(error, 0.06);
        if (before > 0) {
          EXPECT_LT(error, before / 2.5) << wave[0] << " " << boundary;
        }
        before = error;
      }
      RecordProperty(std::string(wave[0] == "--delay" ? "plane_wave_" : "monopole_") + boundary + "_percent",
                     std::to_string(100 * before));
    }
}

/// By the field of the whole pulse, as in its first steps there is next to nothing to compare with.
TEST_F(AsterismTdbemSound, RunsThatEndWithinThePulseAreJudged) {
  for (const char* steps : {"8", "24"}) {
    const json r = record({"--unknowns", "162", "--steps", steps, "--verify"});
    EXPECT_TRUE(r.value("right", false)) << steps << ": " << r["verification"].dump();
    EXPECT_GT(r["verification"][0]["error"].get<double>(), 0) << steps;
  }
}

/// r_0 times the monopole far away on the left is the plane wave to the right, once the pulse is there.
TEST_F(AsterismTdbemSound, AFarMonopoleIsAPlaneWave) {
  const Arguments common = {"--body",     "ellipsoid", "--unknowns", "162",     "--speed", "1",
                            "--boundary", "soft",      "--dt",       "0.125",   "--steps", "200",
                            "--observer", "1,2,0.5",   "--quiet",    "--listen"};
  const auto scattered = [&](const Arguments& more) {
    Arguments all = common;
    all.push_back(output("ears.csv"));
    all.insert(all.end(), more.begin(), more.end());
    EXPECT_EQ(run(all).status, 0);
    return table(output("ears.csv"));
  };
  const double far = 4096;
  auto plane = scattered({"--direction", "1,0,0"});
  auto sphere = scattered({"--monopole=-4096,0,0", "--delay=-4096"});
  // each begins when its wave arrives: the monopole's a few steps earlier
  const double late = (plane["time"][0] - sphere["time"][0]) / 0.125;
  const auto shift = static_cast<std::size_t>(std::lround(late));
  ASSERT_LT(shift, 20U);
  std::vector<double> a = plane["scattered_0_0"], b;
  a.resize(a.size() - shift);
  for (std::size_t n = 0; n < a.size(); ++n) b.push_back(far * sphere["scattered_0_0"][n + shift]);
  EXPECT_LT(difference(a, b), 2e-3);
  RecordProperty("percent", std::to_string(100 * difference(a, b)));
}

/// A body and a source on each of two sides of it.
class Reciprocity : public AsterismTdbemSound {
 protected:
  /// What a source at A is heard as at B is what a source at B is heard as at A. Two waves and two observers of one
  /// run.
  void expect(const std::string& name, Arguments body, const std::string& a = "4,1.2,0.8",
              const std::string& b = "-1.2,2.1,1.4") {
    body.insert(body.end(), {"--rotate", "20,30,40", "--monopole=" + a, "--monopole=" + b, "--observer=" + a,
                             "--observer=" + b, "--quiet", "--listen", output("ears.csv")});
    ASSERT_EQ(run(body).status, 0);
    auto heard = table(output("ears.csv"));
    const std::vector<double>&there = heard["scattered_0_1"], &back = heard["scattered_1_0"];
    const double error = difference(there, back);
    EXPECT_LT(error, 0.01) << name;
    RecordProperty(name + "_percent", std::to_string(100 * error));
    // other ways are other signals, the loudest part of which is not the last; an observer at a source has no incident
    // pressure
    EXPECT_GT(difference(there, heard["scattered_0_0"]), 0.1);
    const auto louder = [](double x, double y) { return std::abs(x) < std::abs(y); };
    EXPECT_LT(std::max_element(there.begin(), there.end(), louder) - there.begin(), std::ssize(there) * 4 / 5);
    EXPECT_TRUE(std::isnan(heard["incident_0_0"][5]));
    EXPECT_FALSE(std::isnan(heard["incident_0_1"][5]));
  }
};

TEST_F(Reciprocity, OfSmallBodies) {
  expect("rigid_box", {"--body", "box", "--unknowns", "150", "--boundary", "rigid"});
  expect("soft_ellipsoid", {"--body", "ellipsoid", "--unknowns", "162", "--boundary", "soft"});
}

/// Its centre stays where it is in the file, at (17, 0, 2.3). Rules of few points are enough.
TEST_F(Reciprocity, OfAnAirliner) {
  expect("airliner",
         {"--mesh", data_file("meshes/airliner_coarse.off.gz"), "--length", "3.4", "--precision", "single",
          "--far-points", "3", "--near-points", "7", "--touching-points", "5", "--courant", "1", "--steps", "205"},
         "19.6,1.2,3.1", "15.8,2.1,3.7");
}

TEST_F(AsterismTdbemSound, MonopolesAndTurnsAreRefused) {
  expect_bad_input({"--unknowns", "42", "--monopole", "0,0,0.2"}, {"monopole 0", "inside"});
  expect_bad_input({"--unknowns", "42", "--monopole", "0,0,5", "--monopole", "0,0,1.1"}, {"monopole 1", "mean edge"});
  expect_bad_input({"--unknowns", "42", "--monopole", "0,0"}, {"--monopole", "x,y,z"});
  expect_bad_input({"--rotate", "0,90"}, {"--rotate"});
}

// ---- rotation

/// The wave along x for a body turned from x to y is the wave along -y for the body as it is.
TEST_F(AsterismTdbemSound, TurnedBodiesAreSeenFromTheOtherSide) {
  const Arguments common = {"--body", "box",    "--unknowns", "150",     "--steps",
                            "150",    "--cpus", "1",          "--quiet", "--listen"};
  const auto heard = [&](const Arguments& more) {
    Arguments all = common;
    all.push_back(output("ears.csv"));
    all.insert(all.end(), more.begin(), more.end());
    EXPECT_EQ(run(all).status, 0);
    return table(output("ears.csv"))["scattered_0_0"];
  };
  const auto turned = heard({"--rotate", "0,0,90", "--direction", "1,0,0", "--observer", "2,1,0.5"});
  const auto plain = heard({"--direction", "0,-1,0", "--observer", "1,-2,0.5"});
  RecordProperty("percent", std::to_string(100 * difference(turned, plain)));
  EXPECT_LT(difference(turned, plain), 1e-4);  // the unknowns are numbered, and pairs computed, in another order
  EXPECT_GT(difference(turned, heard({"--direction", "1,0,0", "--observer", "2,1,0.5"})), 0.05);
}

// ---- spectra

/// Where the pulse has energy, within 0.2 dB of the series; the same angles within 2 degrees.
TEST_F(AsterismTdbemSound, SpectraAreThoseOfTheSeries) {
  const std::vector<Point> observers = {{0, 0, -3}, {2.5, 1, 0}, {0, 9, 12}};
  for (const bool soft : {false, true}) {
    const json r = record({"--unknowns",       "642",    "--boundary",  soft ? "soft" : "rigid",
                           "--speed",          "1",      "--frequency", "0.2",
                           "--monopole",       "1,2,2",  "--direction", "0,0,1",
                           "--observer",       "0,0,-3", "--observer",  "2.5,1,0",
                           "--observer",       "0,9,12", "--spectrum",  output("s.csv"),
                           "--spectrum-count", "40"});
    ASSERT_TRUE(r.contains("spectrum"));
    EXPECT_LT(r["spectrum"]["left_at_end"], 1e-3);
    auto s = table(output("s.csv"));
    ASSERT_EQ(s["frequency"].size(), 40U);
    const auto pulse = asterism::tdbem::modulated_gaussian(0, 1 / (0.2 * std::numbers::pi), 0.4 * std::numbers::pi);
    const IncidentWave waves[] = {asterism::tdbem::plane_wave(pulse, {0, 0, 1}, 1),
                                  asterism::tdbem::monopole(pulse, {1, 2, 2}, 1)};
    double most = 0, most_degrees = 0, most_strength = 0;
    for (std::size_t w = 0; w < 2; ++w)
      for (std::size_t o = 0; o < 3; ++o)
        for (std::size_t k = 0; k < 40; ++k) {
          const std::string which = "_" + std::to_string(w) + "_" + std::to_string(o);
          const double omega = 2 * std::numbers::pi * s["frequency"][k];
          const Point& x = observers[o];
          // signs of time: the series counts with exp(-i omega t)
          const std::complex<double> scattered = std::conj(asterism::tdbem::sphere_scattered_transfer(
              soft ? Boundary::soft : Boundary::rigid, 1, waves[w], x, omega));
          const std::complex<double> incident = std::polar(waves[w].amplitude(x), -omega * waves[w].delay(x));
          const std::complex<double> ratio = scattered / incident, total = 1.0 + ratio;
          most = std::max(most, std::abs(s["scattered_db" + which][k] - 20 * std::log10(std::abs(ratio))));
          most = std::max(most, std::abs(s["total_db" + which][k] - 20 * std::log10(std::abs(total))));
          const double to_degrees = 180 / std::numbers::pi;
          most_degrees =
              std::max(most_degrees, degrees_between(s["scattered_phase" + which][k], std::arg(ratio) * to_degrees));
          const double strength = s["target_strength" + which][k];
          const bool far = 15 >= 8 * s["frequency"][k] && o == 2;  // 2 D^2 / wavelength, five diameters
          EXPECT_EQ(std::isnan(strength), !far);
          if (far)
            most_strength = std::max(
                most_strength,
                std::abs(strength - 20 * std::log10(15 * std::abs(scattered) / waves[w].amplitude({0, 0, 0}))));
        }
    EXPECT_LT(most, 0.2) << soft;
    EXPECT_LT(most_degrees, 2) << soft;
    EXPECT_LT(most_strength, 0.2) << soft;
    RecordProperty(soft ? "soft_degrees" : "rigid_degrees", std::to_string(most_degrees));
    RecordProperty(soft ? "soft_db" : "rigid_db", std::to_string(most));
  }
}

TEST_F(AsterismTdbemSound, SpectraOfCutSignalsAreWarnedOf) {
  const Arguments common = {"--unknowns", "42", "--observer", "3,0,0", "--quiet", "--spectrum", output("s.csv")};
  const auto with = [&](const Arguments& more) {
    Arguments all = common;
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  const Ran whole = run(common);
  EXPECT_EQ(whole.status, 0);
  EXPECT_EQ(whole.err, "");
  const Ran cut = run(with({"--steps", "80"}));
  EXPECT_EQ(cut.status, 0);
  EXPECT_EQ(lines_of(cut.err).size(), 1U);
  for (const char* word : {"warning: --spectrum", "left at observer 0", "--duration"})
    EXPECT_TRUE(contains(cut.err, word)) << cut.err;
  const Ran range = run(with({"--spectrum-range", "40,80", "--spectrum-count", "5"}));
  EXPECT_EQ(range.status, 0);
  const std::vector<double> expected = {40, 50, 60, 70, 80};
  EXPECT_EQ(table(output("s.csv"))["frequency"], expected);
}

TEST_F(AsterismTdbemSound, SpectraAreRefused) {
  expect_bad_input({"--unknowns", "42", "--spectrum", "s.csv"}, {"--spectrum", "--observer"});
  const Arguments common = {"--unknowns", "42", "--observer", "3,0,0", "--spectrum", output("s.csv")};
  for (const char* range : {"40,30", "0,30", "40,90000", "40"}) {
    Arguments all = common;
    all.insert(all.end(), {"--spectrum-range", range});
    expect_bad_input(all, {std::string(range) == "40" ? "--spectrum-range" : "Hz"});
  }
  expect_bad_input({"--unknowns", "42", "--observer", "3,0,0", "--spectrum-count", "5"}, {"--spectrum"});
}

}  // namespace

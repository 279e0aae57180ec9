// SPDX-License-Identifier: Apache-2.0
// asterism-fdtd with scenes, absorbing layers and files of fields.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <complex>
#include <map>
#include <nlohmann/json.hpp>
#include <numbers>
#include <sstream>
#include <string>
#include <vector>

#include "io/hdf5/file.hpp"
#include "tests/apps/fdtd/mie_series.hpp"
#include "tests/apps/fdtd_scene_text.hpp"
#include "tests/apps/run_program.hpp"
#include "tests/io/files_fixture.hpp"

namespace {

namespace fs = std::filesystem;
using namespace asterism::tests;

const fs::path examples = ASTERISM_FDTD_EXAMPLES;

class AsterismFdtdScenes : public ProgramTest {
 protected:
  AsterismFdtdScenes() : ProgramTest("asterism-fdtd", "ASTERISM_FDTD", ASTERISM_FDTD, {"--checkpoint", "state.h5"}) {}

  void succeed(Arguments arguments) const {
    arguments.push_back("--quiet");
    const Ran ran = run(arguments);
    EXPECT_EQ(ran.status, 0) << ran.err;
  }
  [[nodiscard]] fs::path example(const std::string& name) const { return examples / (name + ".toml"); }
};

std::vector<double> numbers(const fs::path& path, const std::string& dataset) {
  const asterism::Hdf5Input file(path);
  std::size_t count = 1;
  for (const std::size_t n : file.shape(dataset)) count *= n;
  std::vector<double> values(count);
  file.read_rows(dataset, 0, values);
  return values;
}

/// Values of a line of a CSV file.
std::vector<double> values_of(const std::string& line) {
  std::vector<double> row;
  std::istringstream words(line);
  for (std::string word; std::getline(words, word, ',');) row.push_back(std::stod(word));
  return row;
}

/// And agree with the simple solver.
TEST_F(AsterismFdtdScenes, ExamplesRun) {
  succeed({"--scene", example("dipole_antenna"), "--steps", "5", "--probes", "gap.csv", "--verify"});
  EXPECT_EQ(lines_of(contents(output("dipole_antenna_far_field.csv"))).size(), 1U + 3 * 37 * 2);
  EXPECT_TRUE(fs::exists(output("dipole_antenna_0000005.png")));
  EXPECT_EQ(lines_of(contents(output("gap.csv")))[0], "step,time,gap.Ez,gap.Hx,gap.Hy");
  succeed({"--scene", example("plasmonic_sphere"), "--steps", "6", "--verify"});
  EXPECT_EQ(asterism::Hdf5Input(output("plasmonic_sphere.h5")).shape("step_0000000006/E"),
            (std::vector<std::size_t>{100, 100, 100, 3}));
  EXPECT_EQ(asterism::Hdf5Input(output("plasmonic_sphere_monitors.h5")).shape("near_field/Ex_real"),
            (std::vector<std::size_t>{3, 60, 1, 60}));
}

/// What comes back from a slab by what passes it: 4 R sin^2(2 pi f n d / c) / (1 - R)^2, R = ((n - 1) / (n + 1))^2
/// (Airy's formula).
TEST_F(AsterismFdtdScenes, TheSlabFollowsFresnel) {
  succeed({"--scene", example("slab"), "--steps", "3200", "--cpus", "1"});
  const fs::path file = output("slab_monitors.h5");
  const std::vector<double> frequencies = numbers(file, "transmitted/frequencies");
  const auto power = [&](const std::string& monitor, std::size_t f) {
    const std::size_t cells = 4 * 4;
    return std::pow(numbers(file, monitor + "/Ex_real")[f * cells + 5], 2) +
           std::pow(numbers(file, monitor + "/Ex_imag")[f * cells + 5], 2);
  };
  for (const std::size_t f : {5U, 15U, 25U}) {
    const double phase = 2 * std::numbers::pi * frequencies[f] * 1.5 * 100e-9 / 299792458;
    const double expected = 4 * 0.04 / (0.96 * 0.96) * std::pow(std::sin(phase), 2);
    EXPECT_NEAR(power("reflected", f) / power("transmitted", f), expected, 0.02 * expected) << frequencies[f];
  }
}

/// Power through planes before and behind the slab, by that of a run without it, is Airy's to a thousandth; in any
/// division the same to the last bit.
TEST_F(AsterismFdtdScenes, FluxesOfTheSlabAreAirys) {
  const std::string scene = example("slab");
  succeed({"--scene", scene, "--steps", "3200", "--cpus", "1", "--empty"});
  const Arguments slab{"--scene", scene, "--steps",     "3200",
                       "--cpus",  "1",   "--normalise", output("slab_empty_fluxes.csv")};
  succeed(slab);
  const std::string whole = contents(output("slab_fluxes.csv"));
  const auto rows = lines_of(whole);
  ASSERT_EQ(rows.size(), 1U + 2 * 36);
  EXPECT_EQ(rows[0], "flux,frequency,power,normalised");
  double most = 0;
  for (std::size_t n = 1; n <= 36; ++n) {
    const std::vector<double> transmitted = values_of(rows[n].substr(rows[n].find(',') + 1));
    const std::vector<double> reflected = values_of(rows[n + 36].substr(rows[n + 36].find(',') + 1));
    const double phase = 2 * std::numbers::pi * transmitted[0] * 1.5 * 100e-9 / 299792458;
    const double expected = 1 / (1 + 4 * 0.04 / (0.96 * 0.96) * std::pow(std::sin(phase), 2));
    EXPECT_NEAR(transmitted[2], expected, 1e-3) << rows[n];
    EXPECT_NEAR(-reflected[2], 1 - expected, 1e-3) << rows[n + 36];
    most = std::max({most, std::abs(transmitted[2] - expected), std::abs(reflected[2] + 1 - expected)});
    if (transmitted[0] == 5e14) RecordProperty("transmission", std::to_string(transmitted[2]));
    if (transmitted[0] == 5e14) RecordProperty("airy", std::to_string(expected));
  }
  RecordProperty("most_percent", std::to_string(100 * most));
  Arguments cut = slab;
  cut.insert(cut.end(), {"--boxes", "1x1x3", "--steps", "400"});
  cut.erase(cut.begin() + 2, cut.begin() + 4);
  Arguments one = slab;
  one[3] = "400";
  succeed(one);
  const std::string expected = contents(output("slab_fluxes.csv"));
  succeed(cut);
  EXPECT_EQ(contents(output("slab_fluxes.csv")), expected);
}

/// Complex wavenumber (1/m, at e^(-i w t)) of the mode of layers in vacuum from which waves go out on both sides, by
/// Newton's method on the matrices of E and dE/dz. `layers`: index and thickness (m).
std::complex<double> outgoing_mode(const std::vector<std::array<double, 2>>& layers, std::complex<double> start) {
  using Complex = std::complex<double>;
  const auto mismatch = [&](Complex k0) {
    Complex e = 1, slope = Complex(0, -1) * k0;
    for (const auto& [index, thickness] : layers) {
      const Complex k = index * k0, c = std::cos(k * thickness), s = std::sin(k * thickness);
      const Complex next = e * c + slope * s / k;
      slope = slope * c - e * k * s;
      e = next;
    }
    return slope - Complex(0, 1) * k0 * e;
  };
  for (int n = 0; n < 50; ++n) {
    const Complex step = start * 1e-6;
    start -= mismatch(start) * 2.0 * step / (mismatch(start + step) - mismatch(start - step));
  }
  return start;
}

TEST_F(AsterismFdtdScenes, ABraggCavityRingsDown) {
  succeed({"--scene", example("bragg_cavity"), "--cpus", "1", "--json", "run.json"});
  const auto found = nlohmann::json::parse(contents(output("run.json")))["ringdowns"]["cavity.Ex"];
  // a slab by itself first, by hand: n k L = m pi - i log((n + 1) / (n - 1))
  const std::complex<double> slab = outgoing_mode({{2, 1e-6}}, {3e6, -4e5});
  EXPECT_NEAR(slab.real(), std::numbers::pi * 2 / 2e-6, 1);
  EXPECT_NEAR(slab.imag(), -std::log(3.0) / 2e-6, 1);
  std::vector<std::array<double, 2>> layers{{2, 200e-9}};
  for (const double gap : {400e-9, 400e-9, 800e-9, 400e-9, 400e-9}) {
    layers.push_back({1, gap});
    layers.push_back({2, 200e-9});
  }
  const std::complex<double> mode = outgoing_mode(layers, {2 * std::numbers::pi / 1.6e-6, -2e4});
  const double frequency = 299792458 * mode.real() / (2 * std::numbers::pi);
  const double quality = -mode.real() / (2 * mode.imag());
  EXPECT_NEAR(quality, 98.257, 1e-3);
  EXPECT_NEAR(found["frequency"].get<double>(), frequency, 2e-4 * frequency);
  EXPECT_NEAR(found["quality"].get<double>(), quality, 0.005 * quality);
  EXPECT_LT(found["residual"].get<double>(), 1e-6);
  RecordProperty("terahertz", std::to_string(found["frequency"].get<double>() * 1e-12));
  RecordProperty("exact_terahertz", std::to_string(frequency * 1e-12));
  RecordProperty("quality", std::to_string(found["quality"].get<double>()));
  RecordProperty("exact_quality", std::to_string(quality));
}

/// Bohren and Huffman, appendix A: a sphere of 0.525 um and index 1.55 at 0.6328 um.
TEST(MieSeries, HasThePublishedEfficiencies) {
  const MieSphere published = mie_sphere(2 * std::numbers::pi * 0.525 / 0.6328, 1.55);
  EXPECT_NEAR(published.q_scattering, 3.10543, 1e-5);
  EXPECT_NEAR(published.q_extinction, 3.10543, 1e-5);
  EXPECT_NEAR(published.q_back, 2.92534, 1e-5);
}

TEST_F(AsterismFdtdScenes, ASphereScattersAsMieSays) {
  succeed({"--scene", example("mie_sphere"), "--cpus", "1", "--json", "run.json"});
  const auto rows = lines_of(contents(output("mie_sphere_far_field.csv")));
  ASSERT_EQ(rows.size(), 1U + 3 * 7 * 2);
  EXPECT_TRUE(contains(rows[0], ",directivity,scattering_cross_section,radar_cross_section"));
  const double radius = 95e-9;
  double largest = 0;
  for (std::size_t n = 1; n < rows.size(); ++n) {
    const std::vector<double> row = values_of(rows[n]);
    SCOPED_TRACE(rows[n]);
    const double wavenumber = 2 * std::numbers::pi * row[1] / 299792458;
    const MieSphere mie = mie_sphere(wavenumber * radius, 2, {row[2] * std::numbers::pi / 180});
    const double expected = mie.q_scattering * std::numbers::pi * radius * radius;
    EXPECT_NEAR(row[10], expected, 0.02 * expected);
    const std::string at = std::to_string(std::lround(row[1] * 1e-12)) + "_THz";
    RecordProperty("square_micrometres_" + at, std::to_string(row[10] * 1e12));
    RecordProperty("mie_" + at, std::to_string(expected * 1e12));
    largest = std::max(largest, row[10]);
    const double to_area = 4 * std::numbers::pi / (wavenumber * wavenumber);
    const double forward = to_area * mie_sphere(wavenumber * radius, 2, {0}).s1[0];
    EXPECT_NEAR(row[11], to_area * (row[3] < 45 ? mie.s2[0] : mie.s1[0]), 0.04 * forward);
  }
  const auto record = nlohmann::json::parse(contents(output("run.json")));
  EXPECT_EQ(record["most_scattering"]["cross_section"].get<double>(), largest);
}

TEST_F(AsterismFdtdScenes, ARestartedSceneEndsInTheSameState) {
  const std::string scene = example("slab");
  succeed({"--scene", scene, "--steps", "60", "--cpus", "1", "--checkpoint", output("whole.h5")});
  const std::string monitors = contents(output("slab_monitors.h5"));
  succeed({"--scene", scene, "--steps", "25", "--checkpoint", output("half.h5"), "--boxes", "1x1x3"});
  succeed({"--scene", scene, "--steps", "60", "--restart", output("half.h5"), "--checkpoint", output("end.h5"),
           "--verify"});
  const asterism::Hdf5Input whole(output("whole.h5"));
  EXPECT_GT(whole.members().size(), 5U);
  for (const std::string& name : whole.members())
    EXPECT_TRUE(numbers(output("whole.h5"), name) == numbers(output("end.h5"), name)) << name;
}

TEST_F(AsterismFdtdScenes, ADipoleBetweenLayersIsVerified) {
  const Arguments dipole{"--case",  "dipole", "--size",   "48x50x46", "--spacing", "1e-3,1.1e-3,0.9e-3",
                         "--steps", "110",    "--verify", "--quiet"};
  Ran ran = run(dipole);
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_TRUE(contains(ran.out, "analytic"));
  Arguments closed = dipole;
  closed.insert(closed.end(), {"--cpml", "0"});
  ran = run(closed);
  EXPECT_EQ(ran.status, 1);
  expect_one_line(ran.err, {"analytic"});
}

/// Layers, poles of each kind in cells of another material, a wave, a magnetic current: all of them in few cells.
TEST_F(AsterismFdtdScenes, ASceneWithEverythingIsVerified) {
  const std::string all = fdtd_scene({.steps = 150, .walled = 'z', .wave_from_z = 3});
  for (const char* precision : {"double", "single"}) {
    const fs::path scene = file("precision = \"" + std::string(precision) + "\"\n" + all, "all.toml");
    const Ran ran = run({"--scene", scene, "--verify", "--quiet"});
    EXPECT_EQ(ran.status, 0) << ran.err;
    EXPECT_TRUE(contains(ran.out, "150 of 150 steps")) << ran.out;
  }
}

/// A wire along edges is one of 0.21 cells of radius, half a cell longer at both ends. By the method of moments
/// (Galerkin, triangles on 59 nodes, the exact kernel of a tube), 150 mm long and 1.04 mm in radius, it has these
/// impedances.
TEST_F(AsterismFdtdScenes, TheDipoleHasItsImpedance) {
  succeed({"--scene", example("dipole_impedance"), "--charts", "--json", "run.json"});
  EXPECT_TRUE(fs::exists(output("dipole_impedance_ports.png")));
  const auto rows = lines_of(contents(output("dipole_impedance_ports.csv")));
  ASSERT_EQ(rows.size(), 42U);
  EXPECT_EQ(rows[0], "frequency,generator_db,impedance_real,impedance_imag,gap.s_db,gap.s_deg,gap.s_real,gap.s_imag");
  const std::map<double, std::complex<double>> moments = {
      {0.92e9, {68.14, -11.20}}, {0.96e9, {80.51, 16.39}}, {1e9, {95.36, 44.23}}};
  int found = 0;
  const auto touchstone = lines_of(contents(output("dipole_impedance.s1p")));
  ASSERT_EQ(touchstone.size(), 43U);
  EXPECT_EQ(touchstone[1], "# HZ S RI R 73");
  for (std::size_t n = 1; n < rows.size(); ++n) {
    std::vector<double> row;
    std::istringstream words(rows[n]);
    for (std::string word; std::getline(words, word, ',');) row.push_back(std::stod(word));
    const std::complex<double> z(row[2], row[3]), s(row[6], row[7]);
    EXPECT_LT(std::abs(s - (z - 73.0) / (z + 73.0)), 1e-6);
    EXPECT_NEAR(row[4], 20 * std::log10(std::abs(s)), 1e-4);
    std::istringstream sparameter(touchstone[n + 1]);
    double frequency = 0, real = 0, imaginary = 0;
    sparameter >> frequency >> real >> imaginary;
    EXPECT_EQ((std::vector<double>{frequency, real, imaginary}), (std::vector<double>{row[0], row[6], row[7]}));
    const auto expected = moments.find(row[0]);
    if (expected == moments.end()) continue;
    const double difference = std::abs(z - expected->second) / std::abs(expected->second);
    EXPECT_LT(difference, 0.03) << row[0];
    const std::string at = std::to_string(std::lround(row[0] * 1e-6)) + "_MHz";
    RecordProperty("ohm_" + at, std::to_string(z.real()) + " " + std::to_string(z.imag()));
    RecordProperty("moments_" + at,
                   std::to_string(expected->second.real()) + " " + std::to_string(expected->second.imag()));
    RecordProperty("percent_" + at, std::to_string(100 * difference));
    ++found;
  }
  EXPECT_EQ(found, 3);
  const auto record = nlohmann::json::parse(contents(output("run.json")));
  EXPECT_NEAR(record["least_reflection"]["frequency"].get<double>(), 0.94e9, 1);
}

/// Two ports in a box of conductors: one run for each makes the file of both, which is symmetric.
TEST_F(AsterismFdtdScenes, TwoRunsMakeATouchstoneFileOfTwoPorts) {
  const auto port = [](const char* name, int at, const char* more) {
    return "[[ports]]\nname = \"" + std::string(name) + "\"\naxis = \"z\"\nentry = [" + std::to_string(at) +
           ", 3, 2]\n" + more;
  };
  const std::string text =
      "steps = 300\n[grid]\ncells = [12, 7, 5]\nspacing = 1e-3\n[faces]\nx = \"cpml\"\n[cpml]\nthickness = 2\n" +
      port("near", 4, "waveform = { kind = \"gaussian\", width = 3e-11 }\nfrequencies = [3e9, 5e9, 9e9]\n") +
      port("far", 7, "");
  const fs::path scene = file(text, "two.toml");
  succeed({"--scene", scene});
  succeed({"--scene", scene, "--drive", "far"});
  succeed({"--scene", scene, "--other-ports", output("two_far_ports.csv")});
  const auto numbers = [](const std::string& line, char separator) {
    std::vector<double> row;
    std::istringstream words(line);
    for (std::string word; std::getline(words, word, separator);) row.push_back(std::stod(word));
    return row;
  };
  const auto near = lines_of(contents(output("two_ports.csv")));
  const auto far = lines_of(contents(output("two_far_ports.csv")));
  const auto both = lines_of(contents(output("two.s2p")));
  ASSERT_EQ(both.size(), 5U);
  EXPECT_EQ(both[0], "! ports near, far");
  EXPECT_EQ(both[1], "# HZ S RI R 50");
  for (std::size_t f = 0; f < 3; ++f) {
    const auto a = numbers(near[f + 1], ','), b = numbers(far[f + 1], ','), s = numbers(both[f + 2], ' ');
    EXPECT_EQ(s, (std::vector<double>{a[0], a[6], a[7], a[10], a[11], b[6], b[7], b[10], b[11]}));
    for (const std::size_t part : {3U, 4U}) EXPECT_NEAR(s[part], s[part + 2], 1e-8);  // S21 and S12
    EXPECT_GT(std::hypot(s[3], s[4]), 1e-4);
  }
  Ran ran = run({"--scene", scene, "--other-ports", output("two_ports.csv")});
  EXPECT_EQ(ran.status, 2);
  expect_one_line(ran.err, {"two_ports.csv: line 2", "port far", "--drive far"});
  ran = run({"--scene", scene, "--drive", "middle"});
  EXPECT_EQ(ran.status, 2);
  expect_one_line(ran.err, {"--drive middle", "no such port"});
}

/// The patch antenna of Sheen et al. (1990), whose measured resonance is at 7.5 GHz.
TEST_F(AsterismFdtdScenes, APatchResonatesWherePublished) {
  succeed({"--scene", example("patch_graded"), "--json", "run.json"});
  const auto record = nlohmann::json::parse(contents(output("run.json")));
  const double gigahertz = record["least_reflection"]["frequency"].get<double>() * 1e-9;
  EXPECT_NEAR(gigahertz, 7.5, 0.01 * 7.5);
  RecordProperty("GHz", std::to_string(gigahertz));
}

TEST_F(AsterismFdtdScenes, FieldsAndPictures) {
  succeed({"--case",  "box",        "--size",  "12x10x8", "--face=-x=cpml:3", "--cpml", "2",     "--source", "ez=6,5,4",
           "--steps", "10",         "--every", "4",       "--output",         "f.h5",   "--png", "p.png",    "--slice",
           "y=3",     "--quantity", "Ez"});
  for (const char* step : {"step_0000000004/E", "step_0000000008/H", "step_0000000010/E"})
    EXPECT_EQ(asterism::Hdf5Input(output("f.h5")).shape(step), (std::vector<std::size_t>{8, 10, 12, 3})) << step;
  for (const char* name : {"p_0000004.png", "p_0000008.png", "p_0000010.png", "f.xdmf"})
    EXPECT_TRUE(fs::exists(output(name))) << name;
}

TEST_F(AsterismFdtdScenes, PrecisionAndTimeStepOfTheCommandLineCount) {
  const std::string scene = fdtd_scene({.steps = 12, .walled = 'z', .wave_from_z = 3});
  const auto problem_of = [&](const std::string& own, const Arguments& options) {
    Arguments all{"--scene", file(own + scene, "scene.toml"), "--json", "run.json"};
    all.insert(all.end(), options.begin(), options.end());
    succeed(all);
    return nlohmann::json::parse(contents(output("run.json")))["problem"];
  };
  EXPECT_EQ(problem_of("", {})["precision"], "double");
  EXPECT_EQ(problem_of("", {"--precision", "single"})["precision"], "single");
  EXPECT_EQ(problem_of("precision = \"single\"\n", {})["precision"], "single");
  EXPECT_EQ(problem_of("precision = \"single\"\n", {"--precision", "double"})["precision"], "double");
  const double own = problem_of("", {})["time_step"].get<double>();
  const double courant = problem_of("", {})["courant"].get<double>();
  const nlohmann::json halved = problem_of("", {"--courant", std::to_string(courant / 2)});
  EXPECT_NEAR(halved["time_step"].get<double>(), own / 2, 1e-5 * own);
  EXPECT_EQ(halved["steps"], 12);
}

TEST_F(AsterismFdtdScenes, SaysWhatIsWrong) {
  expect_bad_input({"--scene", "none.toml"}, {"none.toml"});
  expect_bad_input({"--scene", file("[grid]\ncells = [4, 4, 4]\nspacing = 1\ncels = 3\n", "odd.toml")},
                   {"odd.toml", "cels"});
  expect_bad_input({"--scene", example("slab"), "--size", "9"}, {"--size", "--scene"});
  expect_bad_input({"--scene", example("slab"), "--probe", "ez=1,1,1"}, {"--probe", "--scene"});
  expect_bad_input({"--scene", example("slab"), "--face=-x=magnetic"}, {"--face", "--scene"});
  expect_bad_input({"--scene", example("slab"), "--courant", "1.2"}, {"--courant 1.2", "at most 1"});
  expect_bad_input({"--cpml", "5"}, {"--cpml", "box"});
  expect_bad_input({"--case", "box", "--cpml", "60"}, {"60", "100"});
  expect_bad_input({"--case", "box", "--face=-x=cpml:q"}, {"cpml:q"});
  expect_bad_input({"--output", "f.txt"}, {"--output", "f.txt", ".h5"});
  expect_bad_input({"--png", "p.png", "--slice", "w"}, {"--slice", "w"});
  expect_bad_input({"--png", "p.png", "--slice", "x=100"}, {"--slice", "99"});
  expect_bad_input({"--png", "p.png", "--quantity", "Bz"}, {"--quantity", "Bz"});
  expect_bad_input({"--every", "5"}, {"--every", "--output"});
  expect_bad_input({"--scene", example("slab"), "--normalise", "none.csv"}, {"none.csv"});
  const std::string fluxes = file("flux,frequency,power\ntransmitted,4e14,1\n", "other.csv");
  expect_bad_input({"--scene", example("mie_sphere"), "--normalise", fluxes}, {"other.csv", "has no fluxes"});
  expect_bad_input({"--scene", example("slab"), "--normalise", fluxes},
                   {"other.csv", "transmitted", "410000000000000"});
  expect_bad_input({"--normalise", fluxes}, {"--normalise", "--scene"});
  expect_bad_input({"--case", "cavity", "--empty"}, {"--empty", "--scene"});
  expect_bad_input({"--output", "nowhere/f.h5"}, {"nowhere"});
}

}  // namespace

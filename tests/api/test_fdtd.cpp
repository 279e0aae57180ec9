// SPDX-License-Identifier: Apache-2.0
// Maxwell's equations by the library: against the field of a current sheet, and to the bit against asterism-fdtd.
#include <asterism/fdtd.hpp>
#include <numbers>
#include <stdexcept>

#include "tests/api/hdf5_values.hpp"
#include "tests/api/problems.hpp"
#include "tests/apps/run_program.hpp"

namespace {

using namespace asterism;
using namespace asterism::tests;
using Values = std::vector<double>;
using fdtd::Component;
using fdtd::Face;

constexpr double light = 299792458;
constexpr double impedance = 1.25663706212e-6 * light;

double pulse(double t, double width) {
  const double s = (t - 4 * width) / width;
  return std::exp(-s * s);
}

/// A sheet of current along z across x, periodic along y and z: E_z(x, t) = -eta / 2 K(t - |x| / c).
struct Sheet {
  fdtd::Options options;
  double width = 0;  ///< of the pulse, s
  int probe = 0;     ///< cells from the sheet

  explicit Sheet(int fine) {
    options.cells = {60 * fine, 3, 2};
    options.spacing = {1e-3 / fine, 2e-3, 1.5e-3};
    options.faces = {Face::absorbing, Face::absorbing, Face::periodic, Face::periodic, Face::periodic, Face::periodic};
    width = 3e-3 / light * 5;
    probe = 15 * fine;
    options.probes.push_back({Component::ez, {20 * fine + probe, 1, 1}});
    options.probes.push_back({Component::ey, {20 * fine + probe, 1, 1}});
  }
  /// Sources for time steps of `dt`, of a surface current of 1 A/m.
  void excite(double dt, long steps, int fine) {
    Values moment;
    for (long n = 0; n < steps; ++n)
      moment.push_back(2e-3 * 1.5e-3 * pulse((static_cast<double>(n) + 0.5) * dt, width));
    for (int j = 0; j < 3; ++j)
      for (int k = 0; k < 2; ++k) options.sources.push_back({Component::ez, {20 * fine, j, k}, moment});
  }
};

class LibraryFdtd : public testing::Test {
 protected:
  /// Largest error of E_z by its peak, in a medium of this index of refraction.
  double error_of_sheet(int fine, double index, Precision precision = Precision::double_precision) {
    Sheet sheet(fine);
    sheet.options.precision = precision;
    const double dt = fdtd::Simulation(session_, sheet.options).time_step();
    const auto steps = static_cast<long>(8 * sheet.width / dt);
    sheet.excite(dt, steps, fine);
    const Values epsilon(static_cast<std::size_t>(60 * fine * 6), index * index);
    fdtd::Simulation simulation(session_, sheet.options, {.epsilon = epsilon});
    simulation.advance(steps);
    const Values seen = simulation.probe_values();
    EXPECT_EQ(seen.size(), static_cast<std::size_t>(2 * steps));
    double error = 0;
    for (long n = 1; n <= steps; ++n) {
      const double delay = 15e-3 * index / light;
      const double exact = -impedance / (2 * index) * pulse(static_cast<double>(n) * dt - delay, sheet.width);
      error = std::max(error, std::abs(seen[static_cast<std::size_t>(2 * n - 2)] - exact));
      EXPECT_NEAR(seen[static_cast<std::size_t>(2 * n - 1)], 0, 1e-3);
    }
    return error / (impedance / (2 * index));
  }

  Session session_{SessionOptions{.cpus = 2, .gpus = 0}};
};

TEST_F(LibraryFdtd, ACurrentSheetHasItsFieldAndTheErrorFallsByTheSquare) {
  for (const double index : {1.0, 2.0}) {
    const double coarse = error_of_sheet(1, index);
    const double fine = error_of_sheet(2, index);
    EXPECT_LT(coarse, 0.03) << index;
    EXPECT_NEAR(std::log2(coarse / fine), 2, 0.4) << index;
  }
  EXPECT_LT(error_of_sheet(1, 1, Precision::single_precision), 0.03);
}

TEST_F(LibraryFdtd, AConductorKeepsFieldsOut) {
  Sheet sheet(1);
  const double dt = fdtd::Simulation(session_, sheet.options).time_step();
  sheet.excite(dt, 84, 1);
  Values sigma(60 * 6);
  for (int x = 30; x < 33; ++x) std::fill_n(sigma.begin() + x * 6, 6, INFINITY);
  fdtd::Simulation simulation(session_, sheet.options, {.sigma = sigma});
  simulation.advance(84);
  for (const double value : simulation.probe_values()) EXPECT_EQ(value, 0);
  Values ez(60 * 6);
  simulation.field(Component::ez, ez);
  double before = 0;
  for (int x = 20; x < 30; ++x) before = std::max(before, std::abs(ez[static_cast<std::size_t>(x * 6)]));
  EXPECT_GT(before, 1);
}

TEST_F(LibraryFdtd, EntriesAndCentresOfCells) {
  fdtd::Options options;
  options.cells = {7, 6, 5};
  options.spacing = {1, 0.7, 1.3};
  options.faces = {Face::periodic, Face::periodic, Face::electric, Face::magnetic, Face::magnetic, Face::electric};
  options.sources.push_back({Component::ez, {3, 2, 1}, {1, 2, -1}});
  fdtd::Simulation simulation(session_, options);
  EXPECT_EQ(simulation.shape(), (std::array<int, 3>{7, 7, 5}));
  simulation.advance(9);
  Values entries(7 * 7 * 5), centres(7 * 6 * 5);
  simulation.field(Component::ez, entries);
  simulation.field(Component::ez, centres, fdtd::At::centres);
  const auto at = [&](int i, int j, int k) { return entries[static_cast<std::size_t>((i % 7 * 7 + j) * 5 + k)]; };
  for (int i = 0; i < 7; ++i)
    for (int j = 0; j < 6; ++j)
      for (int k = 0; k < 5; ++k)
        EXPECT_NEAR(centres[static_cast<std::size_t>((i * 6 + j) * 5 + k)],
                    (at(i, j, k) + at(i + 1, j, k) + at(i, j + 1, k) + at(i + 1, j + 1, k)) / 4, 1e-12);
  simulation.field(Component::hy, entries);
  simulation.field(Component::hy, centres, fdtd::At::centres);
  EXPECT_DOUBLE_EQ(centres[(3 * 6 + 2) * 5 + 1], (at(3, 2, 1) + at(3, 3, 1)) / 2);
  EXPECT_NE(centres[(3 * 6 + 2) * 5 + 1], 0);
  expect_bad_input([&] { simulation.field(Component::ex, entries, fdtd::At::centres); }, {"245 values", "210"});
}

TEST_F(LibraryFdtd, BeginsAgainWithOtherValues) {
  fdtd::Options options;
  options.cells = {12, 9, 10};
  options.faces.fill(Face::absorbing);
  options.absorbing_cells = 3;
  options.sources.push_back({Component::ez, {5, 4, 5}, {1, -1}});
  options.sources.push_back({Component::hx, {6, 4, 5}, {200}});
  options.probes.push_back({Component::ey, {7, 5, 4}});
  fdtd::Simulation simulation(session_, options);
  simulation.advance(40);
  const Values first = simulation.probe_values();
  simulation.start();
  simulation.set_moment(0, Values{2, -2});
  simulation.set_moment(1, Values{400});
  std::vector<long> told;
  simulation.advance(
      40,
      [&](long step) {
        told.push_back(step);
        EXPECT_EQ(simulation.probe_values().size(), static_cast<std::size_t>(step));
      },
      15);
  EXPECT_EQ(told, (std::vector<long>{15, 30, 40}));
  const Values twice = simulation.probe_values();
  ASSERT_EQ(twice.size(), first.size());
  for (std::size_t n = 0; n < first.size(); ++n) EXPECT_EQ(twice[n], 2 * first[n]);
  EXPECT_NE(first.back(), 0);
  EXPECT_THROW(simulation.advance(
                   10, [](long) { throw std::out_of_range("enough"); }, 3),
               std::out_of_range);
  EXPECT_EQ(simulation.step(), 42);
  EXPECT_EQ(simulation.probe_names(), (std::vector<std::string>{"ey 7 5 4"}));
}

TEST_F(LibraryFdtd, WrongArgumentsAreNamedAndTheSessionStillWorks) {
  const auto refused = [&](const auto& spoil, const std::vector<std::string>& words) {
    fdtd::Options wrong;
    wrong.cells = {6, 5, 4};
    spoil(wrong);
    expect_bad_input([&] { fdtd::Simulation(session_, wrong); }, words);
  };
  refused([](fdtd::Options& o) { o.cells[2] = 0; }, {"0"});
  refused([](fdtd::Options& o) { o.spacing[1] = -1; }, {"-1"});
  refused([](fdtd::Options& o) { o.courant = 1.01; }, {"courant 1.01"});
  refused([](fdtd::Options& o) { o.faces[2] = Face::periodic; }, {"periodic"});
  refused([](fdtd::Options& o) { o.faces.fill(Face::absorbing); }, {"layer"});
  refused([](fdtd::Options& o) { o.precision = Precision::half_precision; }, {"half precision"});
  refused([](fdtd::Options& o) { o.probes.push_back({Component::ex, {9, 0, 0}}); }, {"9"});
  refused(
      [](fdtd::Options& o) {
        o.sources.push_back({Component::ez, {2, 2, 2}, {1, NAN}});
      },
      {"moment[1] of source 0 is nan"});
  fdtd::Options options;
  options.cells = {6, 5, 4};
  Values few(119, 1), all(120, 1);
  expect_bad_input([&] { fdtd::Simulation(session_, options, {.mu = few}); }, {"mu has 119 values", "120"});
  all[17] = NAN;
  expect_bad_input([&] { fdtd::Simulation(session_, options, {.sigma = all}); }, {"sigma[17] is nan"});
  all[17] = 0.5;
  expect_bad_input([&] { fdtd::Simulation(session_, options, {.epsilon = all}); }, {"0.5"});
  fdtd::Simulation simulation(session_, options);
  expect_bad_input([&] { simulation.advance(-2); }, {"-2 steps"});
  expect_bad_input([&] { simulation.set_moment(0, all); }, {"source 0"});
  expect_bad_input([&] { fdtd::Simulation::from_scene(session_, "[grid]\ncells = [4, 4]\n"); },
                   {"scene", "line 1", "grid.spacing"});
  expect_bad_input([&] { fdtd::Simulation::from_scene(session_, "[grid\n"); }, {"scene", "line 1", "TOML"});
  simulation.advance(3);
  EXPECT_EQ(simulation.step(), 3);
}

/// The program on the same domain.
class FdtdLibraryAndProgram : public ProgramTest {
 protected:
  FdtdLibraryAndProgram() : ProgramTest("asterism-fdtd", "ASTERISM_FDTD", ASTERISM_FDTD, {}) {}

  /// The columns of a table from `first` on, row after row.
  [[nodiscard]] Values numbers_of(const std::string& name, std::size_t first) const {
    Values values;
    const std::vector<std::string> lines = lines_of(contents(output(name)));
    for (std::size_t line = 1; line < lines.size(); ++line) {
      std::istringstream row(lines[line]);
      std::size_t column = 0;
      for (std::string word; std::getline(row, word, ','); ++column)
        if (column >= first) values.push_back(std::strtod(word.c_str(), nullptr));
    }
    return values;
  }
  Session session_{SessionOptions{.cpus = 2, .gpus = 0}};
};

TEST_F(FdtdLibraryAndProgram, HaveTheSameBits) {
  for (const bool single : {false, true}) {
    const Ran ran = run({"--case",
                         "box",
                         "--size",
                         "20x14x17",
                         "--spacing",
                         "1e-3,2e-3,1.5e-3",
                         "--steps",
                         "90",
                         "--face=-x=cpml:4",
                         "--face=+x=cpml:4",
                         "--face=+y=magnetic",
                         "--face=-z=periodic",
                         "--face=+z=periodic",
                         "--source",
                         "ez=9,6,8",
                         "--pulse",
                         "2e-11",
                         "--probe",
                         "ez=12,7,9",
                         "--probe",
                         "hx=5,6,7",
                         "--probes",
                         "p.csv",
                         "--precision",
                         single ? "single" : "double",
                         "--gpus",
                         "0"});
    ASSERT_EQ(ran.status, 0) << ran.err;
    fdtd::Options options;
    options.cells = {20, 14, 17};
    options.spacing = {1e-3, 2e-3, 1.5e-3};
    options.faces = {Face::absorbing, Face::absorbing, Face::electric, Face::magnetic, Face::periodic, Face::periodic};
    options.absorbing_cells = 4;
    options.precision = single ? Precision::single_precision : Precision::double_precision;
    options.sources.push_back({Component::ez, {9, 6, 8}, {}});
    options.probes = {{Component::ez, {12, 7, 9}}, {Component::hx, {5, 6, 7}}};
    fdtd::Simulation simulation(session_, options);
    Values moment;
    for (int n = 0; n < 90; ++n) {
      const double t = ((n + 0.5) * simulation.time_step() - 3 * 2e-11) / 2e-11;
      moment.push_back(std::exp(-t * t));
    }
    simulation.set_moment(0, moment);
    simulation.advance(90);
    EXPECT_TRUE(same_bits(simulation.probe_values(), numbers_of("p.csv", 2)));
  }
}

TEST_F(FdtdLibraryAndProgram, HaveTheSameBitsOfAScene) {
  const std::string text = R"(
precision = "single"
steps = 120
[grid]
cells = [24, 22, 26]
spacing = [1e-3, 1.2e-3, 0.9e-3]
origin = [-0.012, -0.013, -0.011]
[faces]
all = "cpml"
[cpml]
thickness = 5
[materials.glass]
eps_r = 2.25
sigma = 0.01
[[geometry]]
shape = "sphere"
material = "glass"
centre = [0, 0, 0]
radius = 0.003
[[sources]]
type = "dipole"
component = "Ez"
position = [0, 0, 0]
waveform = { kind = "differentiated_gaussian", amplitude = 1e-3, width = 12e-12 }
[[probes]]
name = "near"
position = [0.002, 0.001, 0.003]
components = ["E", "Hx"]
[[monitors]]
name = "plane"
box = { from = [8, 8, 13], to = [14, 16, 14] }
frequencies = [20e9, 25e9]
components = ["Ez", "Hy"]
[[ports]]
axis = "y"
position = [0.002, 0.0, 0.002]
waveform = { kind = "ricker", frequency = 20e9 }
frequencies = [18e9, 22e9]
[[fluxes]]
low = [-0.006, -0.0058, 0.0061]
high = [0.006, 0.0062, 0.0061]
frequencies = [19e9, 21e9]
[[far_fields]]
box = { from = [6, 6, 6], to = [18, 16, 20] }
frequencies = [20e9]
theta = [30, 90]
phi = [0, 45]
)";
  const Ran ran = run({"--scene", file(text, "ball.toml"), "--gpus", "0", "--output", "f.h5"});
  ASSERT_EQ(ran.status, 0) << ran.err;
  fdtd::Simulation simulation = fdtd::Simulation::from_scene(session_, text);
  EXPECT_EQ(simulation.steps(), 120);
  simulation.advance(simulation.steps());
  EXPECT_EQ(simulation.probe_names(), (std::vector<std::string>{"near.Ex", "near.Ey", "near.Ez", "near.Hx"}));
  EXPECT_TRUE(same_bits(simulation.probe_values(), numbers_of("ball_probes.csv", 2)));
  for (const fdtd::Spectrum& s : simulation.spectra()) {
    const std::string name = s.monitor + "/" + (s.component == Component::ez ? "Ez" : "Hy");
    Values real, imaginary;
    for (const std::complex<double>& value : s.values) {
      real.push_back(value.real());
      imaginary.push_back(value.imag());
    }
    EXPECT_TRUE(same_bits(real, hdf5_values(output("ball_monitors.h5"), name + "_real"))) << name;
    EXPECT_TRUE(same_bits(imaginary, hdf5_values(output("ball_monitors.h5"), name + "_imag"))) << name;
    EXPECT_EQ(s.shape, (std::array<int, 3>{6, 8, 1}));
    EXPECT_EQ(s.first, (std::array<int, 3>{8, 8, 13}));
  }
  EXPECT_EQ(simulation.spectra().size(), 2U);
  Values far;
  for (const fdtd::FarField& f : simulation.far_fields())
    far.insert(far.end(), {f.theta, f.phi, f.e_theta.real(), f.e_theta.imag(), f.e_phi.real(), f.e_phi.imag(),
                           f.radiated, f.directivity});
  EXPECT_EQ(far.size(), 4U * 8);
  EXPECT_TRUE(same_bits(far, numbers_of("ball_far_field.csv", 2)));
  Values fluxes;
  for (const fdtd::Flux& f : simulation.fluxes()) fluxes.insert(fluxes.end(), {f.frequency, f.power});
  EXPECT_EQ(fluxes.size(), 2U * 2);
  EXPECT_TRUE(same_bits(fluxes, numbers_of("ball_fluxes.csv", 1)));
  Values ports;
  for (const fdtd::Scattering& at : simulation.scattering())
    ports.insert(ports.end(), {at.impedance.real(), at.impedance.imag(), at.s[0].real(), at.s[0].imag()});
  const Values in_file = numbers_of("ball_ports.csv", 0);
  ASSERT_EQ(ports.size(), 2U * 4);
  ASSERT_EQ(in_file.size(), 2U * 8);
  const std::array<std::size_t, 4> column = {2, 3, 6, 7};
  for (std::size_t n = 0; n < ports.size(); ++n) {
    ASSERT_TRUE(std::isfinite(ports[n]));
    EXPECT_NEAR(ports[n], in_file[8 * (n / 4) + column[n % 4]], 1e-8 * std::abs(ports[n]));
  }
  // the file has x fastest, three components of a cell side by side
  const Values written = hdf5_values(output("f.h5"), "step_0000000120/E");
  Values ey(24 * 22 * 26), expected(ey.size());
  simulation.field(Component::ey, ey, fdtd::At::centres);
  std::size_t cell = 0;
  for (std::size_t x = 0; x < 24; ++x)
    for (std::size_t y = 0; y < 22; ++y)
      for (std::size_t z = 0; z < 26; ++z) expected[cell++] = written[3 * (x + 24 * (y + 22 * z)) + 1];
  EXPECT_TRUE(same_bits(ey, expected));
}

}  // namespace

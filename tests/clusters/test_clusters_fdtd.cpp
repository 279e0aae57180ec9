// SPDX-License-Identifier: Apache-2.0
// asterism-fdtd over one to four processes: the same bits, what a rank looks at, what is refused, a rank that is
// killed.
#include <map>

#include "io/hdf5/file.hpp"
#include "tests/apps/fdtd_scene_text.hpp"
#include "tests/clusters/run_ranks.hpp"
#include "tests/clusters/same_hdf5.hpp"

namespace asterism::tests {
namespace {

/// All datasets of a file, whatever their names.
std::map<std::string, std::vector<double>> datasets(const fs::path& path, const std::vector<std::string>& names) {
  const Hdf5Input file(path);
  std::map<std::string, std::vector<double>> all;
  for (const std::string& name : names) {
    std::size_t count = 1;
    for (const std::size_t n : file.shape(name)) count *= n;
    all[name].resize(count);
    file.read_rows(name, 0, all[name]);
  }
  return all;
}

class ClustersFdtd : public RanksTest {
 protected:
  ClustersFdtd() : RanksTest("asterism-fdtd", "ASTERISM_FDTD", ASTERISM_FDTD) {}

  std::map<std::string, std::vector<double>> state(const std::string& name) const {
    return datasets(output(name), Hdf5Input(output(name)).members());
  }

  static Arguments joined(Arguments arguments, const Arguments& more) {
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }

  /// The state, the values of probes, sums, energies and `files`, whatever the number of ranks, and not zeros.
  /// `pieces`: options of each number of ranks.
  void expect_same(const Arguments& problem, const std::map<int, Arguments>& pieces,
                   const std::vector<std::string>& files = {}) const {
    const Arguments results{"--quiet", "--checkpoint", "state.h5", "--json", "run.json"};
    const auto run_over = [&](int ranks) {
      for (const std::string& file : files) fs::remove(output(file));
      const Ran ran = run_ranks(ranks, joined(joined(problem, results), pieces.at(ranks)));
      EXPECT_EQ(ran.status, 0) << ran.err;
      return ran.status == 0;
    };
    ASSERT_TRUE(run_over(1));
    const auto one = state("state.h5");
    for (const auto& [name, values] : one)
      EXPECT_TRUE(std::any_of(values.begin(), values.end(), [](double v) { return v != 0; })) << name;
    const nlohmann::json expected = record("run.json");
    std::map<std::string, std::string> written;
    for (const std::string& file : files) written[file] = contents(output(file));
    for (const auto& [ranks, options] : pieces) {
      if (ranks == 1) continue;
      SCOPED_TRACE(ranks);
      if (!run_over(ranks)) continue;
      const auto several = state("state.h5");
      ASSERT_EQ(several.size(), one.size());
      for (const auto& [name, values] : one) EXPECT_TRUE(several.at(name) == values) << name;
      const nlohmann::json json = record("run.json");
      EXPECT_EQ(json["sums"], expected["sums"]);
      EXPECT_EQ(json["energy"], expected["energy"]);
      EXPECT_EQ(json["ranks"].size(), static_cast<std::size_t>(ranks));
      for (const auto& rank : json["ranks"]) EXPECT_GT(rank["bytes_sent"], 0);
      for (const std::string& file : files) {
        ASSERT_FALSE(written[file].empty()) << file;
        const bool hdf5 = fs::path(file).extension() == ".h5";
        EXPECT_TRUE(same_but_for_times(contents(output(file)), written[file], hdf5 ? 24 : 0)) << file;
      }
    }
  }
};

TEST_F(ClustersFdtd, StripsHaveTheSameBits) {
  const Arguments box{"--case",   "box",        "--size",  "31x10x9",   "--spacing", "1e-3,1.3e-3,0.8e-3",
                      "--source", "ez=17,4,5",  "--probe", "hy=24,3,4", "--probe",   "ex=2,5,6",
                      "--probes", "probes.csv", "--steps", "37"};
  for (const char* overlap : {"0", "3"}) {  // with neighbours' planes beside its own, and without
    const Arguments options{"--overlap", overlap};
    expect_same(box, {{1, {}}, {2, options}, {3, options}, {4, joined(options, {"--strips", "6"})}}, {"probes.csv"});
  }
}

TEST_F(ClustersFdtd, BoxesOfPeriodicDomainsHaveTheSameBits) {
  const Arguments box{"--case",
                      "box",
                      "--size",
                      "11x12x13",
                      "--spacing",
                      "1e-3,1.3e-3,0.8e-3",
                      "--face=-y=periodic",
                      "--face=+y=periodic",
                      "--face=+z=magnetic",
                      "--face=-x=magnetic",
                      "--source",
                      "ex=5,6,7",
                      "--steps",
                      "23",
                      "--boxes",
                      "2x2x3",
                      "--precision",
                      "single"};
  expect_same(box, {{1, {}}, {2, {}}, {3, {}}, {4, {}}});
}

TEST_F(ClustersFdtd, PiecesAreChosen) {
  const Arguments box{"--case", "box", "--size", "12x9x8", "--source", "ez=6,4,4", "--steps", "6"};
  expect_same(box, {{1, {}}, {3, {}}});
  EXPECT_EQ(record("run.json")["pieces"]["bricks"], 6);
  const Arguments boxes{"--boxes", "2x2x1"};
  expect_same(box, {{1, boxes}, {2, joined(boxes, {"--scheduler-places", "--scheduler", "lws"})}});
}

/// What the scene leaves behind: probes, monitors, a far field, fields and pictures.
const std::string outputs = R"(
[[probes]]
name = "beside"
position = [11e-3, 8e-3, 8e-3]
components = ["Ez", "Hx"]
ringdown = 1e-11
[[monitors]]
name = "all"
frequencies = [5e9, 2e10]
[[far_fields]]
box = { from = [3, 3, 3], to = [14, 11, 16] }
frequencies = [1e10]
theta = [0, 70]
phi = [0, 50]
[[fluxes]]
low = [4e-3, 4.8e-3, 11.7e-3]
high = [12e-3, 9.6e-3, 11.7e-3]
frequencies = [5e9, 2e10]
[[fields]]
file = "fields.pvd"
every = 40
[[fields]]
file = "cells.h5"
every = 40
[[fields]]
file = "yee.h5"
placement = "yee"
fields = ["H"]
[[slices]]
file = "slice.png"
every = 40
axis = "y"
index = 6
quantity = "Ez"
)";

std::string everything() {
  return fdtd_scene({}) + outputs;
}

TEST_F(ClustersFdtd, ScenesHaveTheSameBitsAndFiles) {
  const fs::path scene = file(everything(), "all.toml");
  const std::vector<std::string> files{"all_far_field.csv",
                                       "all_fluxes.csv",
                                       "fields_0000000040.vti",
                                       "fields_0000000060.vti",
                                       "slice_0000040.png",
                                       "slice_0000060.png",
                                       "probes.csv",
                                       "cells.h5",
                                       "cells.xdmf",
                                       "yee.h5"};
  std::vector<std::string> monitored;
  for (const char* component : {"Ex", "Ey", "Ez", "Hx", "Hy", "Hz"})
    for (const char* part : {"_real", "_imag"}) monitored.push_back(std::string("all/") + component + part);
  std::map<std::string, std::vector<double>> spectra;
  for (const auto& [ranks, boxes] : std::map<int, const char*>{{2, "3x1x1"}, {3, "2x2x2"}}) {
    expect_same({"--scene", scene, "--probes", "probes.csv", "--boxes", boxes}, {{1, {}}, {ranks, {}}}, files);
    const auto seen = datasets(output("all_monitors.h5"), monitored);
    EXPECT_TRUE(spectra.empty() || seen == spectra);
    spectra = seen;
  }
}

/// Glass that is smoothed, a port, fluxes: what the scene before cannot have beside its dispersive media.
const std::string lit = R"(
smoothing = true
courant = 0.9
steps = 40
[grid]
cells = [17, 14, 19]
spacing = [1e-3, 1.2e-3, 0.9e-3]
[materials.glass]
eps_r = 4
[[geometry]]
shape = "sphere"
material = "glass"
centre = [8.7e-3, 8.1e-3, 9.2e-3]
radius = 4.1e-3
[[ports]]
axis = "z"
position = [8.5e-3, 7.2e-3, 6.75e-3]
waveform = { kind = "gaussian", width = 20e-12 }
frequencies = [5e9, 2e10]
[[fluxes]]
low = [3e-3, 2.4e-3, 11.7e-3]
high = [14e-3, 14.4e-3, 11.7e-3]
frequencies = [5e9, 2e10]
)";

TEST_F(ClustersFdtd, PortsAndFluxesHaveTheSameBits) {
  const fs::path scene = file(lit, "lit.toml");
  expect_same({"--scene", scene, "--boxes", "2x2x1"}, {{1, {}}, {3, {}}},
              {"lit_ports.csv", "lit.s1p", "lit_fluxes.csv"});
}

/// Periodic along x and z, a magnetic conductor at the end of y, boxes that do not fit the chunks, 128 x 64 x 16 cells.
const std::string periodic = R"(
courant = 0.9
steps = 14
precision = "single"
[grid]
cells = [133, 67, 19]
spacing = [1e-3, 1.2e-3, 0.9e-3]
[faces]
x = "periodic"
y = ["pec", "pmc"]
z = "periodic"
[[sources]]
type = "dipole"
component = "Ez"
position = [1.5e-3, 79e-3, 1.6e-3]
waveform = { kind = "gaussian", width = 4e-12, delay = 6e-12 }
[[sources]]
type = "dipole"
component = "Hx"
position = [64e-3, 76e-3, 16.6e-3]
waveform = { kind = "gaussian", width = 4e-12, delay = 6e-12 }
[[fields]]
file = "cells.h5"
every = 7
[[fields]]
file = "yee.h5"
placement = "yee"
[[slices]]
file = "x.png"
axis = "x"
index = 132
quantity = "H"
[[slices]]
file = "y.png"
axis = "y"
index = 66
quantity = "E"
[[slices]]
file = "z.png"
axis = "z"
index = 18
quantity = "Hy"
)";

TEST_F(ClustersFdtd, FilesOfAllRanksAreThoseOfOne) {
  const fs::path scene = file(periodic, "periodic.toml");
  for (const auto& [ranks, boxes] : std::map<int, const char*>{{2, "2x1x1"}, {3, "1x3x1"}, {4, "2x1x2"}})
    expect_same({"--scene", scene, "--boxes", boxes}, {{1, {}}, {ranks, {}}},
                {"cells.h5", "cells.xdmf", "yee.h5", "x.png", "y.png", "z.png", "state.h5"});
}

TEST_F(ClustersFdtd, AFullDiskOfOneRankIsSaidOnce) {
  const Arguments box{"--case", "box", "--size", "101x128x128", "--source", "ez=17,4,5", "--quiet"};
  expect_full_disk(3, 70000000, joined(box, {"--steps", "2", "--checkpoint", "state.h5"}), "state.h5");
  EXPECT_EQ(outputs(), 0U);
}

TEST_F(ClustersFdtd, Verifies) {
  EXPECT_EQ(run_ranks(2, {"--scene", file(everything(), "all.toml"), "--verify", "--quiet"}).status, 0);
  EXPECT_EQ(
      run_ranks(3, {"--case", "cavity", "--size", "12x10x9", "--mode", "1,2,1", "--steps", "30", "--verify", "--quiet"})
          .status,
      0);
}

/// What one of the ranks finds out is said once, by all together.
TEST_F(ClustersFdtd, FailsTogether) {
  // what comes back from the wall at +x has not yet reached the other end
  const Ran wrong = run_ranks(3, {"--case", "dipole", "--size", "48x50x46", "--spacing", "1e-3,1.1e-3,0.9e-3",
                                  "--steps", "70", "--face=+x=cpml:0", "--verify", "--quiet"});
  EXPECT_EQ(wrong.status, 1);
  EXPECT_EQ(lines_of(wrong.err).size(), 1U) << wrong.err;
  EXPECT_TRUE(wrong.err.starts_with("asterism-fdtd: error: the analytic field")) << wrong.err;
  const Ran infinite = run_ranks(2, {"--case", "box", "--size", "16x8x8", "--spacing", "1e-20", "--source", "ez=12,4,4",
                                     "--precision", "single", "--steps", "4", "--quiet"});
  EXPECT_EQ(infinite.status, 1);
  EXPECT_EQ(lines_of(infinite.err).size(), 1U) << infinite.err;
  EXPECT_TRUE(infinite.err.starts_with("asterism-fdtd: error: fields are not finite")) << infinite.err;
}

TEST_F(ClustersFdtd, WhatARankLooksAtDoesNotGrowWithTheRanks) {
  for (const char* overlap : {"0", "2"}) {
    int walked[2] = {};
    int tasks[2] = {};
    for (const int ranks : {3, 4}) {
      const std::string size = std::to_string(6 * ranks) + "x8x7";
      const Ran ran =
          run_ranks(ranks, {"--case", "box", "--size", size, "--source", "ez=4,4,4", "--overlap", overlap, "--strips",
                            std::to_string(2 * ranks), "--steps", "20", "--quiet", "--json", "run.json"});
      EXPECT_EQ(ran.status, 0) << ran.err;
      walked[ranks - 3] = most_walked("run.json");
      const nlohmann::json json = record("run.json");
      for (const auto& rank : json["ranks"]) tasks[ranks - 3] += rank["tasks"].get<int>();
    }
    EXPECT_EQ(walked[0], walked[1]);
    EXPECT_LT(walked[1], tasks[1] / 2);
  }
}

TEST_F(ClustersFdtd, FarmsAreDealt) {
  const auto farm = [&](int ranks) {
    const Ran ran = run_ranks(ranks, {"farm", "--sizes", "12,13,14", "--domains", "31", "--steps", "30", "--verify",
                                      "--quiet", "--json", "farm.json"});
    EXPECT_EQ(ran.status, 0) << ran.err;
    return record("farm.json");
  };
  const nlohmann::json one = farm(1);
  for (const int ranks : {2, 3}) {
    const nlohmann::json several = farm(ranks);
    EXPECT_EQ(several["sum_of_ez"], one["sum_of_ez"]);
    ASSERT_EQ(several["units"].size(), static_cast<std::size_t>(ranks));
    double domains = 0;
    for (const auto& unit : several["units"]) {
      EXPECT_GT(unit["domains"], 2);
      domains += unit["domains"].get<double>();
    }
    EXPECT_EQ(domains, 31);
  }
}

TEST_F(ClustersFdtd, RefusesWhatItCannotDo) {
  const Arguments small{"--case", "box", "--size", "2x8x8", "--steps", "2", "--quiet"};
  expect_refused(3, small, {"2 planes", "3 processes"});
  expect_refused(3, joined(small, {"--boxes", "1x2x1"}), {"2 boxes", "3 processes"});
  expect_refused(2, joined(small, {"--gpu-share", "0.5"}), {"GPUs", "no rank"});
  expect_refused(2, joined(small, {"--calibrate"}), {"--calibrate"});
  expect_refused(2, joined(small, {"--restart", "none.h5"}), {"none.h5"});
  EXPECT_EQ(run_ranks(2, {"plot", "size", "--sizes", "8", "--quiet"}).status, 2);
}

TEST_F(ClustersFdtd, GoesOnAfterARankWasKilledWithAnotherNumberOfRanks) {
  const Arguments problem{"--scene", file(everything(), "all.toml"), "--quiet", "--probes", "probes.csv"};
  kill_the_last(3, joined(problem, {"--steps", "1000000", "--checkpoint", "state.h5", "--checkpoint-every", "6"}),
                "state.h5");
  const std::int64_t reached = Hdf5Input(output("state.h5")).integer_attribute("/", "step");
  EXPECT_EQ(reached % 6, 0);
  const std::string end = std::to_string(reached + 5);
  EXPECT_EQ(
      run_ranks(2, joined(problem, {"--steps", end, "--restart", "state.h5", "--checkpoint", "resumed.h5"})).status, 0);
  const std::string probes = contents(output("probes.csv"));
  EXPECT_EQ(run_ranks(1, joined(problem, {"--steps", end, "--checkpoint", "whole.h5"})).status, 0);
  EXPECT_TRUE(state("resumed.h5") == state("whole.h5"));
  EXPECT_TRUE(contents(output("probes.csv")) == probes);
}

}  // namespace
}  // namespace asterism::tests

// SPDX-License-Identifier: Apache-2.0
// Scenes: everything wrong is refused in one line with its place, what was found and what was expected.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/taskflows/fdtd/scene_fixture.hpp"

namespace asterism::fdtd::scene {
namespace {

struct Wrong {
  std::string text;
  std::vector<std::string> fragments;
};

class WrongScenes : public SceneTests {
 protected:
  void expect_refused(const std::vector<Wrong>& all) {
    for (const Wrong& wrong : all) {
      SCOPED_TRACE(wrong.text);
      std::vector<std::string> fragments = wrong.fragments;
      fragments.insert(fragments.end(), {"scene.toml: line ", "found", "expected"});
      if (fragments[1] == "no TOML") fragments.resize(2);
      expect_bad_input([&] { read(wrong.text); }, fragments);
    }
  }

  std::string dipole(const std::string& more) { return with("[[sources]]\ntype = \"dipole\"\n" + more); }
  std::string wave(const std::string& more) { return with("[[sources]]\ntype = \"plane_wave\"\n" + more); }

  const std::string grid = "[grid]\ncells = [20, 16, 12]\nspacing = [0.1, 0.2, 0.25]\n";
  const std::string pulse = "waveform = { kind = \"gaussian\", width = 1e-8 }\n";
};

TEST_F(WrongScenes, FilesAreRefusedByLine) {
  expect_refused({
      {"steps = = 3", {"scene.toml: line 1", "no TOML"}},
      {"steps = 5\n", {"line 1: grid: found none", "a table"}},
      {"grid = 3\nsteps = 5", {"line 1: grid: found 3; expected a table"}},
      {grid, {"found neither steps nor time"}},
      {"steps = 5\ntime = 1\n" + grid, {"both steps and time"}},
      {"setps = 5\nsteps = 5\n" + grid, {"line 1: \"setps\": found an unknown key", "steps"}},
  });
  expect_bad_input([&] { read_scene(folder_ / "none.toml"); }, {"none.toml", "TOML"});
}

TEST_F(WrongScenes, GridsAreRefusedByLine) {
  expect_refused({
      {"steps = 5\n[grid]\ncells = [1, 2]\nspacing = 1", {"line 3: grid.cells: found [1, 2]; expected an array of 3"}},
      {"steps = 5\n[grid]\ncells = [1, 2, 0]\nspacing = 1", {"grid.cells[2]: found 0", "from 1"}},
      {"steps = 5\n[grid]\ncells = [1, 2, 1.5]\nspacing = 1", {"grid.cells[2]: found 1.5", "integer"}},
      {"steps = 5\n[grid]\ncells = [1, 2, 3]", {"line 2: grid.spacing: found none"}},
      {"steps = 5\n[grid]\ncells = [1, 2, 3]\nspacing = [1, -1, 1]", {"line 4: grid.spacing[1]: found -1", "positive"}},
      {"steps = 5\n[grid]\ncells = [1, 2, 3]\nspacing = inf", {"grid.spacing: found inf", "number"}},
      {"steps = 5\n[grid]\nsize = [1, 2, 3]\nspacing = 0.3", {"line 3: grid.size[0]", "3.33333333 cells", "whole"}},
      {"steps = 5\n[grid]\nspacing = 0.3", {"line 2: grid: found neither cells nor size"}},
      {with("origin = [0, 0]"), {"grid.origin"}},
      {with("spacings = 3"), {"grid.\"spacings\"", "unknown key", "cells, origin, size, spacing"}},
  });
}

TEST_F(WrongScenes, TimesAreRefusedByLine) {
  expect_refused({
      {"steps = 0\n" + grid, {"line 1: steps: found 0"}},
      {"time = -1\n" + grid, {"line 1: time: found -1"}},
      {"courant = 1.01\n" + with(""), {"line 1: courant: found 1.01", "unstable"}},
      {"courant = 0\n" + with(""), {"courant: found 0"}},
      {"time_step = 1e-9\n" + with(""), {"line 1: time_step: found 1e-09; expected at most 2.80", "unstable", "CFL"}},
      {"courant = 0.5\ntime_step = 1e-12\n" + with(""), {"line 2: time_step", "courant as well"}},
      {"precision = \"half\"\n" + with(""), {"line 1: precision: found \"half\"; expected \"single\" or \"double\""}},
  });
}

TEST_F(WrongScenes, FacesAreRefusedByLine) {
  expect_refused({
      {with("[faces]\nx = \"open\""), {"line 7: faces.x: found \"open\"; expected one of \"pec\", \"pmc\""}},
      {with("[faces]\nx = [\"pec\", \"periodic\"]"), {"faces.x", "both faces periodic or none"}},
      {with("[faces]\nx = [\"pec\"]"), {"faces.x", "lower", "upper"}},
      {with("[faces]\nw = \"pec\""), {"faces.\"w\"", "unknown key"}},
      {with("[faces]\nall = \"cpml\""), {"line 6: faces", "2 absorbing layers of 10 cells on 20 cells along x"}},
      {with("[cpml]\nthickness = 0"), {"cpml.thickness: found 0"}},
      {with("[cpml]\nkappa_max = 0.5"), {"cpml.kappa_max", "at least 1"}},
      {with("[cpml]\nalpha = 0.5"), {"cpml.\"alpha\"", "unknown key"}},
  });
}

TEST_F(WrongScenes, MaterialsAreRefusedByLine) {
  expect_refused({
      {with("[materials.a]\neps_r = -2"), {"line 7: materials.a.eps_r: found -2; expected a positive number"}},
      {with("[materials.a]\neps_r = 0"), {"materials.a.eps_r: found 0"}},
      {with("[materials.a]\neps_r = \"2\""), {"materials.a.eps_r: found \"2\"; expected a positive number"}},
      {with("[materials.a]\neps_r = nan"), {"materials.a.eps_r: found nan"}},
      {with("[materials.a]\nmu_r = -1"), {"materials.a.mu_r: found -1"}},
      {with("[materials.a]\nsigma = -1"), {"materials.a.sigma: found -1", "at least 0"}},
      {with("[materials.a]\nsigma_m = -1"), {"materials.a.sigma_m: found -1"}},
      {with("[materials.a]\nepsilon = 1"), {"line 7: materials.a.\"epsilon\"", "unknown key", "eps_r"}},
      {with("[materials.a]\nperfect_conductor = true\neps_r = 1"), {"materials.a.\"eps_r\"", "unknown key"}},
      {with("[materials.a]\nperfect_conductor = 1"), {"perfect_conductor: found 1; expected true or false"}},
      {with("[materials.pec]\neps_r = 1"), {"materials.pec", "another name"}},
      {with("[materials.a]\ndrude = { omega_p = 1e9 }"), {"line 7: materials.a.drude.gamma: found none"}},
      {with("[materials.a]\ndrude = { omega_p = 1e9, gamma = -1 }"), {"drude.gamma: found -1"}},
      {with("[materials.a]\ndrude = []"), {"materials.a.drude: found an empty array"}},
      {with("[materials.a]\neps_r = 4\ndrude = { omega_p = 2e10, gamma = 1 }"),
       {"line 8: materials.a.drude.omega_p: found 20000000000", "less than 1.4", "unstable"}},
      {with("[materials.a]\nlorentz = [{ delta_eps = 1, omega_0 = 1e9, delta = 1 }, { delta_eps = 1, omega_0 = 1e10, "
            "delta = 1 }]"),
       {"line 7: materials.a.lorentz[1].omega_0", "unstable"}},
      {with("[materials.a]\nlorentz = { delta_eps = -1, omega_0 = 1e9, delta = 1 }"), {"lorentz.delta_eps: found -1"}},
      {with("[materials.a]\ndebye = { delta_eps = 1, tau = 0 }"), {"debye.tau: found 0"}},
      {with("[materials.a]\ndebye = { delta_eps = 1, tau = 1, gamma = 1 }"), {"debye.\"gamma\"", "unknown key"}},
      {"background = \"glass\"\nsteps = 5\n" + grid, {"line 1: background: found \"glass\"", "vacuum, pec"}},
  });
}

TEST_F(WrongScenes, ShapesAreRefusedByLine) {
  expect_refused({
      {with("geometry = 3"), {"grid.\"geometry\"", "unknown key"}},
      {with("[geometry]\na = 3"), {"geometry: found a table; expected an array"}},
      {with("[[geometry]]\nmaterial = \"pec\""), {"line 6: geometry[0].shape: found none"}},
      {with("[[geometry]]\nshape = \"cone\""), {"line 7: geometry[0].shape: found \"cone\"", "\"sphere\""}},
      {with("[[geometry]]\nshape = \"sphere\"\nmaterial = \"gold\""),
       {"line 8: geometry[0].material: found \"gold\"", "defined: vacuum, pec"}},
      {with("[[geometry]]\nshape = \"sphere\"\nmaterial = \"pec\"\nradius = 0\ncentre = [0, 0, 0]"),
       {"radius: found 0"}},
      {with("[[geometry]]\nshape = \"sphere\"\nmaterial = \"pec\"\nradius = 1"), {"geometry[0].centre: found none"}},
      {with("[[geometry]]\nshape = \"sphere\"\nmaterial = \"pec\"\nradius = 1\ncentre = [0, 0, 0]\nheight = 1"),
       {"line 11: geometry[0].\"height\"", "unknown key"}},
      {with("[[geometry]]\nshape = \"box\"\nmaterial = \"pec\"\nlow = [0, 0, 0]\nhigh = [1, 0, 1]"),
       {"line 10: geometry[0].high", "more than `low` along y"}},
      {with("[[geometry]]\nshape = \"ellipsoid\"\nmaterial = \"pec\"\ncentre = [0, 0, 0]\nsemi_axes = [1, 1]"),
       {"semi_axes"}},
      {with("[[geometry]]\nshape = \"cylinder\"\nmaterial = \"pec\"\nradius = 1"), {"neither axis nor from"}},
      {with("[[geometry]]\nshape = \"cylinder\"\nmaterial = \"pec\"\nradius = 1\nfrom = [1, 1, 1]\nto = [1, 1, 1]"),
       {"geometry[0].to", "another point"}},
      {with("[[geometry]]\nshape = \"half_space\"\nmaterial = \"pec\"\npoint = [1, 1, 1]\nnormal = [0, 0, 0]"),
       {"geometry[0].normal", "direction"}},
      {with("[[geometry]]\nshape = \"voxels\"\nfile = \"a.h5\"\ndataset = \"data\"\nmaterials = { a = \"pec\" }"),
       {"geometry[0].materials.a", "integer as the key"}},
      {with("[[geometry]]\nshape = \"voxels\"\nfile = \"a.h5\"\ndataset = \"data\"\nmaterials = { 1 = \"pec\" }\n"
            "unchanged = [1]"),
       {"geometry[0].unchanged[0]", "value 1 twice"}},
  });
}

TEST_F(WrongScenes, SourcesAreRefusedByLine) {
  expect_refused({
      {with("[[sources]]\ntype = \"laser\""), {"sources[0].type: found \"laser\""}},
      {dipole("component = \"Ew\""), {"line 8: sources[0].component: found \"Ew\""}},
      {dipole("component = \"Ez\"\nposition = [2.1, 1, 1]\n" + pulse),
       {"line 9: sources[0].position", "0 to 2 m along x"}},
      {dipole("component = \"Ez\"\nentry = [20, 1, 1]\n" + pulse), {"sources[0].entry[0]: found 20", "0 to 19"}},
      {dipole("component = \"Ez\"\nentry = [0, 1, 1]\n" + pulse), {"sources[0]", "conductor at the lower face of x"}},
      {dipole("component = \"Ez\"\nentry = [1, 1, 1]\n"), {"sources[0].waveform: found none"}},
      {dipole("component = \"Ez\"\nentry = [1, 1, 1]\nwaveform = { kind = \"square\" }"), {"waveform.kind: found"}},
      {dipole("component = \"Ez\"\nentry = [1, 1, 1]\nwaveform = { kind = \"gaussian\", width = 1e-12 }"),
       {"waveform.width: found 1e-12; expected at least the time step"}},
      {dipole("component = \"Ez\"\nentry = [1, 1, 1]\nwaveform = { kind = \"gaussian\", width = 1e-8, frequency = 1 }"),
       {"waveform.\"frequency\"", "unknown key"}},
      {dipole("component = \"Ez\"\nentry = [1, 1, 1]\nwaveform = { kind = \"sine\", frequency = 1e10 }"),
       {"waveform.frequency: found 10000000000 Hz", "half a period"}},
      {wave("direction = [0, 0, 1]\npolarisation = [0, 1, 1]"), {"line 9: sources[0].polarisation", "not transverse"}},
      {wave("direction = [0, 0, 0]\npolarisation = [0, 1, 1]"), {"sources[0].direction"}},
      {wave("direction = [0, 0, 1]\npolarisation = [0, 1, 0]\nbox = { low = [0, 0, 0], high = [2.1, 1, 1] }\n" + pulse),
       {"line 10: sources[0].box.high", "between 0 and 2 m along x"}},
      {wave("direction = [0, 0, 1]\npolarisation = [0, 1, 0]\nbox = { from = [1, 1, 1], to = [1, 2, 2] }\n" + pulse),
       {"sources[0].box.to", "along x, by a cell"}},
      {wave("direction = [0, 0, 1]\npolarisation = [0, 1, 0]\nbox = { from = [3, 1, 1], to = [10, 2, 2] }\n" + pulse +
            "[faces]\nx = \"cpml\"\n[cpml]\nthickness = 4"),
       {"sources[0].box: found cells 3 to 10", "cells 4 to 16", "absorbing"}},
  });
}

TEST_F(WrongScenes, ObserversAreRefusedByLine) {
  expect_refused({
      {with("[[probes]]\nposition = [1, 1, 1]\ncomponents = [\"E\", \"Ex\"]"), {"probes[0].components[1]", "once"}},
      {with("[[probes]]\nposition = [1, 1, 4]"), {"probes[0].position", "along z"}},
      {with("[[probes]]\nname = \"a\"\nposition = [1, 1, 1]\n[[probes]]\nname = \"a\"\nposition = [1, 1, 1]"),
       {"line 10: probes[1].name", "taken"}},
      {with("[[monitors]]\nfrequencies = [2e8, 1e8]"), {"monitors[0].frequencies", "ascending"}},
      {with("[[monitors]]\nfrequencies = [1e12]"), {"monitors[0].frequencies: found 1000000000000 Hz"}},
      {with("[[monitors]]\nfrequencies = []"), {"monitors[0].frequencies: found an empty array"}},
      {with("[[far_fields]]\nbox = { from = [0, 1, 1], to = [5, 5, 5] }\nfrequencies = 1e8\ntheta = 0\nphi = 0"),
       {"line 7: far_fields[0].box", "a cell away from faces"}},
      {with("[[fields]]\nfile = \"a.vtk\""), {"line 7: fields[0].file: found \"a.vtk\"", ".h5 or .pvd"}},
      {with("[[fields]]\nfile = \"a.h5\"\nevery = 0"), {"fields[0].every: found 0"}},
      {with("[[fields]]\nfile = \"a.h5\"\nfields = [\"E\", \"E\"]"), {"fields[0].fields", "once"}},
      {with("[[slices]]\nfile = \"a.png\"\naxis = \"z\"\nat = 3.1\nquantity = \"E\""), {"slices[0].at", "0 and 3 m"}},
      {with("[[slices]]\nfile = \"a.png\"\naxis = \"z\"\nindex = 12\nquantity = \"E\""), {"slices[0].index: found 12"}},
      {with("[[slices]]\nfile = \"a.png\"\naxis = \"z\"\nindex = 1\nquantity = \"E\"\nlow = 1\nhigh = 1"),
       {"slices[0].high"}},
  });
}

}  // namespace
}  // namespace asterism::fdtd::scene

// SPDX-License-Identifier: Apache-2.0
// Reflection and transmission of slabs against Fresnel's formulae.
#include <gtest/gtest.h>

#include "tests/codelets/fdtd/slab.hpp"

namespace asterism::fdtd {
namespace {

constexpr double speed = 299792458;

struct Named {
  const char* name;
  Material material;
  std::vector<Pole> poles;
};
const std::vector<Named>& slabs() {
  static const std::vector<Named> all = {
      {"dielectric", {4, 1, 0, 0}, {}},
      {"lossy", {3, 1, 0.3, 0}, {}},
      {"Drude", {1, 1, 0, 0}, {drude(5e10, 5e9)}},
      {"Lorentz", {1.5, 1, 0, 0}, {lorentz(2, 4e10, 4e9)}},
      {"Debye", {2, 1, 0.1, 0}, {debye(5, 2e-11)}},
      {"several",
       {2, 1, 0.05, 0},
       {lorentz(0.7, 3e10, 5e9), debye(1.5, 1e-11), drude(2e10, 8e9), lorentz(1, 7e10, 6e9)}}};
  return all;
}
/// 2 pi c over wavelengths of 30 to 150 mm.
std::vector<double> frequencies() {
  std::vector<double> all;
  for (const double wavelength : {30e-3, 40e-3, 60e-3, 90e-3, 150e-3})
    all.push_back(2 * std::numbers::pi * speed / wavelength);
  return all;
}
double distance(const Slab& a, const Slab& b) {
  return larger(std::abs(a.reflected - b.reflected), std::abs(a.transmitted - b.transmitted));
}

/// What the scheme is to give, to the reflection of the absorbing layers, along every axis.
TEST(FdtdDispersiveSlab, AsOnTheLattice) {
  int axis = 0;
  for (const Named& slab : slabs()) {
    SCOPED_TRACE(testing::Message() << slab.name << " across axis " << axis);
    SlabCase c;
    c.axis = axis++ % 3;
    c.material = slab.material;
    c.poles = slab.poles;
    const std::vector<Slab> found = slab_run<double>(c, frequencies());
    const std::vector<Slab> single = slab_run<float>(c, frequencies());
    double worst = 0, worst_single = 0, largest = 0;
    for (std::size_t m = 0; m < found.size(); ++m) {
      const Slab expected = lattice_fresnel(c, frequencies()[m]);
      worst = larger(worst, distance(found[m], expected));
      worst_single = larger(worst_single, distance(single[m], expected));
      largest = larger(largest, std::abs(expected.reflected));
    }
    RecordProperty(std::string(slab.name) + "_error", std::to_string(worst * 1e6) + "e-6");
    EXPECT_LT(worst, 2e-5);
    EXPECT_LT(worst_single, 2e-4);
    EXPECT_GT(largest, 0.2);
  }
}

/// Second order in spacing and time step. 6 cells of slab, 30 cells per wavelength at the coarsest.
TEST(FdtdDispersiveSlab, ConvergesToFresnel) {
  for (const Named& slab : slabs()) {
    SCOPED_TRACE(slab.name);
    double error[3];
    for (int level = 0; level < 3; ++level) {
      SlabCase c;
      const int finer = 1 << level;
      c.axis = 2;
      c.material = slab.material;
      c.poles = slab.poles;
      c.spacing = 1e-3 / finer;
      c.thickness = 6 * finer;
      c.width = 30 * finer;
      c.steps = 2000 * finer;
      c.layer = 30 * finer;
      const std::vector<Slab> found = slab_run<double>(c, frequencies());
      error[level] = 0;
      for (std::size_t m = 0; m < found.size(); ++m)
        error[level] = larger(error[level], distance(found[m], fresnel(c, frequencies()[m])));
    }
    RecordProperty(std::string(slab.name) + "_errors",
                   std::to_string(error[0]) + " " + std::to_string(error[1]) + " " + std::to_string(error[2]));
    EXPECT_LT(error[0], 0.03);
    EXPECT_NEAR(std::log2(error[0] / error[2]) / 2, 2, 0.3);
  }
}

/// A half-space that goes on through the absorbing layer reflects at its surface only: both kernels on the same cells.
TEST(FdtdDispersiveSlab, GoesOnThroughAnAbsorbingLayer) {
  for (const Named& slab : slabs()) {
    SCOPED_TRACE(slab.name);
    SlabCase c;
    c.into_layer = true;
    c.material = slab.material;
    c.poles = slab.poles;
    c.spacing = 0.25e-3;
    c.thickness = 6;
    c.width = 120;
    c.steps = 6000;
    c.axis = 2;
    c.layer = 30;
    const std::vector<Slab> found = slab_run<double>(c, frequencies());
    double worst = 0;
    for (std::size_t m = 0; m < found.size(); ++m)
      worst = larger(worst, distance(found[m], fresnel(c, frequencies()[m])));
    RecordProperty(std::string(slab.name) + "_error", std::to_string(worst));
    EXPECT_LT(worst, 0.005);
  }
}

}  // namespace
}  // namespace asterism::fdtd

// SPDX-License-Identifier: Apache-2.0
// What the tests of TD-BEM's files share: a problem without symmetries, in a numbering other than the mesh's, with two
// waves and two observers; problems that differ from it in one thing; damaged files.
#pragma once

#include <hdf5.h>

#include <cmath>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "io/hdf5/checksums.hpp"
#include "io/hdf5/file.hpp"
#include "taskflows/tdbem/problem.hpp"
#include "taskflows/tdbem/surface/bodies.hpp"
#include "taskflows/tdbem/surface/ordering.hpp"
#include "tests/io/files_fixture.hpp"

namespace asterism::tdbem {

/// New checksums of a file that a test has changed.
inline void reseal(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  if (const std::size_t table = text.str().rfind("asterism checksums 1\n"); table != std::string::npos)
    fs::resize_file(path, table);
  append_checksums(path, path, {});
}

inline Problem files_problem(Boundary boundary, std::int32_t level = 1) {
  Problem p;
  const Surface s = prepare_surface(ellipsoid(level, {1, 0.7, 0.5}));
  p.surface = renumbered(s, order_of(s.vertices, Ordering::hilbert));
  p.boundary = boundary;
  p.speed = 1.3;
  p.dt = 0.5 * p.surface.edges.mean / p.speed;
  p.waves = {plane_wave(modulated_gaussian(3, 0.8, 2), {1, -2, 0.5}, p.speed),
             plane_wave(ricker(2.5, 3), {0, 0.3, -1}, p.speed)};
  p.observers = {{3, 0.2, -0.4}, {-1, 2, 2}};
  p.first_step = first_step_of(p);
  return p;
}

/// Values of the waves at a step that need every digit of a float, all different.
inline std::vector<std::vector<double>> surface_values(const Problem& p, int step) {
  std::vector<std::vector<double>> values(p.waves.size());
  for (std::size_t w = 0; w < values.size(); ++w)
    for (std::int32_t i = 0; i < p.surface.unknowns(); ++i)
      values[w].push_back(std::sin(1.0 + i + 1000.0 * static_cast<double>(w) + 0.1 * step));
  return values;
}

class TdbemFiles : public FileTests {
 protected:
  const fs::path path_ = folder_ / "a.h5";
};

/// What tells files of other problems apart, and the word for it.
struct Change {
  const char* name;
  std::function<void(Problem&)> change;
};

inline const std::vector<Change>& changes_of_matrices() {
  static const std::vector<Change> all = {
      {"boundary", [](Problem& p) { p.boundary = Boundary::soft; }},
      {"speed", [](Problem& p) { p.speed = std::nextafter(p.speed, 9.0); }},
      {"dt", [](Problem& p) { p.dt = std::nextafter(p.dt, 9.0); }},
      {"unknowns",
       [](Problem& p) {
         p.surface = prepare_surface(ellipsoid(0, {1, 0.7, 0.5}));
       }},
      {"surface", [](Problem& p) { p.surface.vertices[7].x = std::nextafter(p.surface.vertices[7].x, 9.0); }},
      {"surface", [](Problem& p) { p.surface.vertices[41].y = std::nextafter(p.surface.vertices[41].y, 9.0); }},
      {"surface", [](Problem& p) { p.surface.vertices[0].z = std::nextafter(p.surface.vertices[0].z, 9.0); }},
      {"surface", [](Problem& p) { std::swap(p.surface.triangles[3], p.surface.triangles[4]); }},
      {"surface", [](Problem& p) { std::swap(p.surface.triangles[3].corner[1], p.surface.triangles[3].corner[2]); }},
      {"surface", [](Problem& p) { p.surface.triangles.back().corner[0] ^= 1; }},
      {"surface", [](Problem& p) { p.surface.triangles[20].corner[2] ^= 1; }},
      {"far_points", [](Problem& p) { p.rules.far_points = 12; }},
      {"near_points", [](Problem& p) { p.rules.near_points = 7; }},
      {"touching_points", [](Problem& p) { p.rules.touching_points = 7; }},
      {"near_gap", [](Problem& p) { p.rules.near_gap = 2.5; }},
  };
  return all;
}

inline const std::vector<Change>& changes_of_run() {
  static const std::vector<Change> all = {
      {"first_step", [](Problem& p) { --p.first_step; }},
      {"waves", [](Problem& p) { p.waves.pop_back(); }},
      {"wave_1_pulse", [](Problem& p) { p.waves[1].pulse.shape = PulseShape::modulated_gaussian; }},
      {"wave_0_centre", [](Problem& p) { p.waves[0].pulse.centre += 1e-12; }},
      {"wave_1_width", [](Problem& p) { p.waves[1].pulse.width += 1e-12; }},
      {"wave_0_frequency", [](Problem& p) { p.waves[0].pulse.frequency += 1e-12; }},
      {"wave_0_direction_x", [](Problem& p) { p.waves[0].direction.x += 1e-12; }},
      {"wave_0_direction_y", [](Problem& p) { p.waves[0].direction.y += 1e-12; }},
      {"wave_1_direction_z", [](Problem& p) { p.waves[1].direction.z += 1e-12; }},
      {"wave_1_speed", [](Problem& p) { p.waves[1].speed += 1e-12; }},
      {"wave_0_direction_x",
       [](Problem& p) {
         p.waves[0] = monopole(p.waves[0].pulse, {3, 4, 5}, p.speed);
       }},
      {"observers", [](Problem& p) { p.observers.pop_back(); }},
      {"observers", [](Problem& p) { p.observers[0].x += 1e-12; }},
      {"observers", [](Problem& p) { p.observers[1].y += 1e-12; }},
      {"observers", [](Problem& p) { p.observers[1].z += 1e-12; }},
      {"observers", [](Problem& p) { std::swap(p.observers[0], p.observers[1]); }},
  };
  return all;
}

/// Another kind of file, one cut off, one with a changed byte in each dataset, one without a dataset.
template <class Read>
void expect_complaints_of_damage(const fs::path& path, const std::string& whole, const std::vector<std::string>& parts,
                                 const Read& read) {
  const auto put = [&](const std::string& bytes) { std::ofstream(path, std::ios::binary) << bytes; };
  for (const double share : {0.02, 0.3, 0.9, 0.999}) {
    put(whole.substr(0, static_cast<std::size_t>(share * static_cast<double>(whole.size()))));
    expect_bad_input(read, {"a.h5"});
  }
  put("");
  expect_bad_input(read, {"a.h5: does not begin as an HDF5 file does"});
  fs::remove(path);
  expect_bad_input(read, {"a.h5: cannot be read"});
  for (const std::string& dataset : parts) {
    for (const bool last : {false, true}) {
      put(whole);
      const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
      const hid_t opened = H5Dopen2(file, dataset.c_str(), H5P_DEFAULT);
      const haddr_t at = H5Dget_offset(opened);
      const hsize_t size = H5Dget_storage_size(opened);
      H5Dclose(opened);
      H5Fclose(file);
      ASSERT_GT(size, 0U);
      std::string bytes = whole;
      bytes[at + (last ? size - 1 : size / 2)] ^= 1;
      put(bytes);
      expect_bad_input(read, {"a.h5: dataset \"" + dataset + "\" is damaged", "expected"});
    }
    put(whole);
    const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
    H5Ldelete(file, dataset.c_str(), H5P_DEFAULT);
    H5Fclose(file);
    reseal(path);
    expect_bad_input(read, {"a.h5: there is no dataset \"" + dataset + "\""});
  }
  put(whole);
}

inline void delete_attribute(const fs::path& path, const char* object, const char* name) {
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  EXPECT_GE(H5Adelete_by_name(file, object, name, H5P_DEFAULT), 0);
  H5Fclose(file);
  reseal(path);
}

template <class Value>
void set_attribute(const fs::path& path, const char* object, const char* name, const Value& value) {
  delete_attribute(path, object, name);
  Hdf5Output file(path, Hdf5Output::Existing::extend);
  file.attribute(object, name, value);
  file.commit();
  reseal(path);
}

}  // namespace asterism::tdbem

// What the tests of series, pictures and checkpoints share: fields with known values, and readers that share no code
// with the writers.
#pragma once

#include <fmt/format.h>
#include <hdf5.h>

#include <cmath>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "files_fixture.hpp"
#include "taskflows/lbm/fields.hpp"
#include "xml_reader.hpp"

namespace asterism::lbm {

/// Values that need every digit, all different, that depend on the step.
template <class T>
struct Example {
  Example(const Grid& grid, int step) {
    for (std::size_t f = 0; f < 4; ++f) {
      for (std::size_t i = 0; i < grid.cells(); ++i) {
        field[f].push_back(
            static_cast<T>(std::sin(1.0 + static_cast<double>(i) + 0.1 * static_cast<double>(f) + step)));
      }
    }
  }
  [[nodiscard]] Fields<T> fields() const { return {field[0], field[1], field[2], field[3]}; }
  [[nodiscard]] std::vector<T> velocity() const {
    std::vector<T> result;
    for (std::size_t i = 0; i < field[0].size(); ++i) {
      for (std::size_t c = 1; c < 4; ++c) result.push_back(field[c][i]);
    }
    return result;
  }
  std::vector<T> field[4];
};

// not cubes, and around the blocks and chunks of the writers
inline const std::vector<Grid> grids = {{.nx = 1, .ny = 1, .nz = 1},
                                        {.nx = 5, .ny = 3, .nz = 2, .origin = {-1.5, 0.25, 1e-3}, .spacing = 0.1},
                                        {.nx = 32, .ny = 32, .nz = 32},
                                        {.nx = 131, .ny = 70, .nz = 19},
                                        {.nx = 300, .ny = 200, .nz = 1}};
inline const Grid small{.nx = 20, .ny = 10, .nz = 5};

template <class T>
void append(Hdf5Series& series, const Grid& grid, int step) {
  series.append(step, 0.1 * step, Example<T>(grid, step).fields());
}

template <class T>
std::vector<T> read_dataset(const fs::path& path, const std::string& dataset, std::vector<hsize_t>& shape) {
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  EXPECT_GE(file, 0) << path;
  const hid_t opened = H5Dopen2(file, dataset.c_str(), H5P_DEFAULT);
  EXPECT_GE(opened, 0) << dataset;
  if (opened < 0) return {};
  const hid_t type = H5Dget_type(opened);
  const hid_t native = sizeof(T) == 4 ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE;
  EXPECT_GT(H5Tequal(type, native), 0);
  const hid_t space = H5Dget_space(opened);
  shape.resize(static_cast<std::size_t>(H5Sget_simple_extent_ndims(space)));
  H5Sget_simple_extent_dims(space, shape.data(), nullptr);
  std::vector<T> values(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)));
  EXPECT_GE(H5Dread(opened, native, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
  H5Sclose(space);
  H5Tclose(type);
  H5Dclose(opened);
  H5Fclose(file);
  return values;
}

class LbmFiles : public FileTests {
 protected:
  /// Steps and files of a collection.
  std::map<double, std::string> collection(const std::string& name) const {
    std::map<double, std::string> times;
    const Xml document = parse_xml(bytes(folder_ / name));
    for (const Xml* set : document.all("DataSet")) {
      times[std::stod(set->attributes.at("timestep"))] = set->attributes.at("file");
    }
    return times;
  }
};

}  // namespace asterism::lbm

// SPDX-License-Identifier: Apache-2.0
// What the tests of series, pictures and checkpoints share: fields with known values.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "taskflows/lbm/fields/fields.hpp"
#include "tests/io/files_fixture.hpp"
#include "tests/io/series_readers.hpp"

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

class LbmFiles : public FileTests {
 protected:
  std::map<double, std::string> collection(const std::string& name) const { return read_collection(folder_ / name); }
};

}  // namespace asterism::lbm

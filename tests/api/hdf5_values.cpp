// SPDX-License-Identifier: Apache-2.0
#include "tests/api/hdf5_values.hpp"

#include <functional>
#include <numeric>

#include "io/hdf5/file.hpp"

namespace asterism::tests {

std::vector<double> hdf5_values(const std::filesystem::path& path, const std::string& dataset) {
  const Hdf5Input file(path);
  const std::vector<std::size_t> shape = file.shape(dataset);
  std::vector<double> values(std::accumulate(shape.begin(), shape.end(), std::size_t{1}, std::multiplies<>()));
  file.read_rows(dataset, 0, values);
  return values;
}

}  // namespace asterism::tests

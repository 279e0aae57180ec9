// SPDX-License-Identifier: Apache-2.0
// The fixture of the tests of particle files.
#pragma once

#include <omp.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "taskflows/fmm/particles/particles.hpp"
#include "taskflows/fmm/particles/read_particles.hpp"
#include "tests/data_file.hpp"
#include "tests/gzip.hpp"
#include "tests/io/files_fixture.hpp"

namespace asterism::fmm {

using tests::gzip;

inline std::vector<double> as_vector(const Array<double>& values) {
  return {values.begin(), values.end()};
}

/// One particle per line of the expectation: x, y, z, charge, exactly.
using Rows = std::vector<std::vector<double>>;

inline Rows rows(const Particles& p) {
  Rows result;
  for (std::size_t i = 0; i < p.size(); ++i) result.push_back({p.x[i], p.y[i], p.z[i], p.charge[i]});
  return result;
}

class ParticleFiles : public FileTests {
 protected:
  ~ParticleFiles() override { omp_set_num_threads(threads_); }

  Rows read(const std::string& name, const std::string& bytes, const ReadOptions& options = {}) const {
    return rows(read_particles(file(name, bytes), options));
  }

  const int threads_ = omp_get_max_threads();
};

}  // namespace asterism::fmm

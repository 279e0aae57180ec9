// What the tests of particle files share: a folder of the test's own, and checks of complaints.
#pragma once

#include <gtest/gtest.h>
#include <libdeflate.h>
#include <omp.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "taskflows/fmm/particles.hpp"
#include "taskflows/fmm/read_particles.hpp"
#include "taskflows/runtime/error.hpp"

namespace asterism::fmm {

namespace fs = std::filesystem;

inline std::string gzip(const std::string& text) {
  libdeflate_compressor* compressor = libdeflate_alloc_compressor(6);
  std::string out(libdeflate_gzip_compress_bound(compressor, text.size()), '\0');
  out.resize(libdeflate_gzip_compress(compressor, text.data(), text.size(), out.data(), out.size()));
  libdeflate_free_compressor(compressor);
  return out;
}

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

class ParticleFiles : public testing::Test {
 protected:
  ParticleFiles() : folder_(fs::temp_directory_path() / fmt::format("asterism_particles_{}", getpid())) {
    fs::remove_all(folder_);
    fs::create_directory(folder_);
  }
  ~ParticleFiles() override {
    fs::remove_all(folder_);
    omp_set_num_threads(threads_);
  }

  fs::path file(const std::string& name, const std::string& bytes) const {
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
    return folder_ / name;
  }
  std::string bytes(const fs::path& path) const {
    std::ostringstream out;
    out << std::ifstream(path, std::ios::binary).rdbuf();
    return out.str();
  }
  Rows read(const std::string& name, const std::string& bytes, const ReadOptions& options = {}) const {
    return rows(read_particles(file(name, bytes), options));
  }

  const fs::path folder_;
  const int threads_ = omp_get_max_threads();
};

/// The call throws an error of this kind, one line that holds every fragment.
template <class Call>
void expect_error(Error::Kind kind, Call call, const std::vector<std::string>& fragments) {
  try {
    call();
    ADD_FAILURE() << "accepted; expected a complaint with: " << testing::PrintToString(fragments);
  } catch (const Error& error) {
    const std::string message = error.what();
    EXPECT_EQ(error.kind(), kind) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    for (const std::string& fragment : fragments) EXPECT_NE(message.find(fragment), std::string::npos) << message;
  }
}

template <class Call>
void expect_bad_input(Call call, const std::vector<std::string>& fragments) {
  expect_error(Error::Kind::bad_input, call, fragments);
}

inline fs::path real_file(const std::string& name) {
  const char* folder = std::getenv("ASTERISM_DATA");
  return fs::path(folder == nullptr ? "" : folder) / "particles" / name;
}

}  // namespace asterism::fmm

// SPDX-License-Identifier: Apache-2.0
// How benchmarks of CUDA kernels run and what they leave: a record, and their exit status.
#pragma once

#include <cstdio>
#include <exception>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

namespace asterism::bench {

/// Nowhere without a path. Throws std::runtime_error when it cannot.
inline void write(const char* path, const nlohmann::ordered_json& record) {
  if (path == nullptr) return;
  std::ofstream file(path);
  file << record.dump(1) << "\n";
  if (!file.flush()) throw std::runtime_error(std::string("cannot write ") + path);
}

/// main(): `body` is given the path of the record, null where none is wanted, and returns the exit status.
template <class Body>
int run(const char* name, int argc, char** argv, const Body& body) {
  try {
    return body(argc > 1 ? argv[1] : nullptr);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s: error: %s\n", name, e.what());
    return 1;
  }
}

}  // namespace asterism::bench

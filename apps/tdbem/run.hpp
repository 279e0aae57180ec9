// A run of asterism-tdbem: matrices, marching, balance, results.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "apps/tdbem/arguments.hpp"

namespace asterism::apps::tdbem {

struct Report {
  nlohmann::json record;
  std::vector<std::pair<std::string, std::string>> rows;
  std::vector<std::string> written;
  std::string wrong;  ///< why the answer is wrong; empty: right, or not verified
};

/// T: of the matrices. Throws Error.
template <class T>
Report solve(const Arguments& arguments, Case& of, int argc, char** argv);

/// Runs every class of tasks on every kind of unit, for StarPU's models and, with a folder, for bounds.
template <class T>
void calibrate(const Arguments& arguments, Case& of);

}  // namespace asterism::apps::tdbem

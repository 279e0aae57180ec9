// SPDX-License-Identifier: Apache-2.0
// The command line of asterism-tdbem.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apps/common/driver.hpp"
#include "taskflows/tdbem/balance.hpp"
#include "taskflows/tdbem/cases.hpp"
#include "taskflows/tdbem/decomposition.hpp"
#include "taskflows/tdbem/results/spectrum_file.hpp"

namespace asterism::apps::tdbem {

/// Files that a run writes, or resumes from.
struct FileOptions {
  std::string observers;  ///< pressure at observers, CSV
  std::string chart;      ///< pressure at observers, PNG
  std::string spectrum;   ///< transfer functions at observers, CSV
  asterism::tdbem::SpectrumOptions spectrum_options;
  bool spectrum_chart = false;  ///< also a picture of it
  std::string series;           ///< values on the surface: NAME.pvd or NAME.h5
  std::string picture;          ///< PNG of the surface
  asterism::tdbem::Point view{-1, -1.2, 0.8};
  long every = 0;        ///< steps; 0: at the end only
  std::string matrices;  ///< read if it exists, else written
  std::string checkpoint;
  long checkpoint_every = 0;
  std::string restart;
};

/// How blocks of slices are shared out among units.
struct SharingOptions {
  std::optional<asterism::tdbem::Sharing> sharing;  ///< none: GPUs alone where there are some, else intervals
  asterism::tdbem::Target target = asterism::tdbem::Target::fixed_point;
  std::vector<long> intervals;  ///< blocks of each worker; empty: by measured times
  int balance_groups = 20;      ///< groups of steps after which intervals stay
};

struct Arguments {
  asterism::tdbem::CaseOptions problem;
  asterism::tdbem::Method method;
  std::optional<bool> ahead;  ///< Method::ahead; unset: where it suits the units
  SharingOptions sharing;
  FileOptions files;
  bool statistics = false;  ///< of the matrices, and no run
  SolverOptions common;
};

/// Fills `arguments`; returns an exit status when the program is to end here.
std::optional<int> parse_arguments(int argc, char** argv, Arguments& arguments);

}  // namespace asterism::apps::tdbem

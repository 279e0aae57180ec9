// SPDX-License-Identifier: Apache-2.0
// What several steps in one pass of a GPU take with them beside the plain scheme.
#pragma once

#include <cstdint>

#include <vector>

#include "codelets/fdtd/kernels/media/cpml.hpp"
#include "codelets/fdtd/kernels/observers/probes.hpp"

namespace asterism::fdtd::cuda {

/// Columns along a side of a tile that a block of threads advances.
inline constexpr int tile_side = 32;
/// Most sources and probes of several steps at once.
inline constexpr int most_steps_sources = 16;
inline constexpr int most_steps_probes = 64;
/// Most boxes of cells that are advanced apart from them.
inline constexpr int most_boxes_apart = 12;

/// Probes in device memory, their places in main memory, too; a row of the record for each step.
template <class T>
struct StepsProbes {
  std::int32_t count = 0;
  const ProbePlace* in_main_memory = nullptr;
  const ProbePlace* places = nullptr;
  T* record = nullptr;
};

/// Absorbing layers, whose psi goes to other arrays as the fields do, probes, and cells whose results are there
/// already.
template <class T>
struct BesideSteps {
  Absorber<T> h_layers = {};
  Absorber<T> e_layers = {};
  Psi<T> h_psi_to = {};
  Psi<T> e_psi_to = {};
  StepsProbes<T> probes = {};
  std::vector<Box> apart = {};
  /// Cells outside of which media are all like the background.
  Box media = {-(1 << 30), 1 << 30, -(1 << 30), 1 << 30, -(1 << 30), 1 << 30};
};

}  // namespace asterism::fdtd::cuda

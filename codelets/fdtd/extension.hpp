// Further kernels of a half-step: absorbing layers, dispersive media, incident waves, monitors. A brick applies its
// list of them to each box right after the box was updated, before sources are added and before what neighbours need is
// packed. So they hold where the domain is divided, as long as what they do to an entry depends on that entry, its
// place in the domain and the step only.
#pragma once

#include <cstdint>

#include "codelets/fdtd/grid.hpp"

#ifdef ASTERISM_CUDA
struct CUstream_st;  // what cudaStream_t points to
#endif

namespace asterism::fdtd {

/// A box that was just updated. Fields and arrays are float or double, as the simulation.
struct Updated {
  Field field;
  Grid grid;
  Box cells;
  std::int64_t step;    ///< number of the step, from 0: E is now at step + 1, H at step + 1/2
  const void* other;    ///< the other field
  void* values;         ///< the field that was updated
  void* const* arrays;  ///< of this kernel and this brick, as many as were registered with it
};

/// Lives as long as the simulation; called by any thread.
class Extension {
 public:
  Extension() = default;
  Extension(const Extension&) = delete;
  Extension& operator=(const Extension&) = delete;
  virtual ~Extension() = default;
  virtual void apply(const Updated& box) const = 0;
#ifdef ASTERISM_CUDA
  /// Asynchronous, all pointers to device memory.
  virtual void apply(const Updated& box, CUstream_st* stream) const = 0;
#endif
};

/// One of them with the number of its arrays.
struct Extending {
  const Extension* kernel = nullptr;
  std::int32_t arrays = 0;
};

}  // namespace asterism::fdtd

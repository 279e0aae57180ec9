// SPDX-License-Identifier: Apache-2.0
// Hooks of a half-step, kernels beside the update: absorbing layers, dispersive media, incident waves, monitors. A
// brick calls its list of them at the stages that each asks for, before what neighbours need is packed. Results do not
// depend on the division of the domain as long as what a hook does to an entry depends on that entry, its place in the
// domain and the step only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "codelets/fdtd/kernels/grid.hpp"

struct CUstream_st;  // what cudaStream_t points to

namespace asterism::fdtd {

/// When a kernel is called.
enum class Stage : std::uint8_t {
  begin = 1,      ///< once before the first box of the half-step
  updated = 2,    ///< after the update of each box
  sources = 4,    ///< after sources were added to a box of the electric field
  end = 8,        ///< once for each cell after the whole step; of kernels of the electric field
  coupled = 16,   ///< once after all boxes of the electric field, in neighbouring bricks too; of the coupling hook
  changing = 32,  ///< before the update of each box of the electric field
};
constexpr int operator|(Stage a, Stage b) {
  return static_cast<int>(a) | static_cast<int>(b);
}

/// A box that was just updated, or has ended its step; all cells at the stage begin. Fields and arrays are float or
/// double, as the simulation.
struct UpdatedBox {
  Stage stage;
  Field field;
  Grid grid;
  Box cells;
  std::int64_t step;           ///< number of the step, from 0: E is now at step + 1, H at step + 1/2
  const void* other;           ///< the other field
  void* values;                ///< the field that was updated
  const std::uint16_t* index;  ///< of media of the field, as in Media; null: the background everywhere
  const void* table;
  void* const* arrays;                 ///< of this kernel and this brick, as many as were registered with it
  const void* inverse_length[3] = {};  ///< as in Media
};

/// Cells of a brick whose entries a hook changes, or only reads.
struct Reach {
  Box cells;
  bool changes;
};

/// Lives as long as the simulation; called by any thread.
class KernelHook {
 public:
  KernelHook() = default;
  KernelHook(const KernelHook&) = delete;
  KernelHook& operator=(const KernelHook&) = delete;
  virtual ~KernelHook() = default;
  /// The stages at which it is called, as bits.
  [[nodiscard]] virtual int stages() const { return static_cast<int>(Stage::updated); }
  virtual void apply(const UpdatedBox& box) const = 0;
  /// What apply() does, on a GPU: asynchronous, all pointers to device memory. Called where CUDA is compiled in, only.
  virtual void apply(const UpdatedBox& /*box*/, CUstream_st* /*stream*/) const {}
  /// Where it changes or reads entries of the brick. Nothing: it may be anywhere, and needs one step after the other.
  [[nodiscard]] virtual std::optional<std::vector<Reach>> reach(const Grid& /*grid*/) const { return std::nullopt; }
  /// Bytes of its first array that the stage `begin` changes and the others read. Where steps overlap in time, each has
  /// an array of its own.
  [[nodiscard]] virtual std::size_t moving_bytes() const { return 0; }
  /// Told of numbers in the precision of the simulation.
  using Numbers = std::function<void(void* numbers, std::int64_t count)>;
  /// What its arrays have of planes [first, end) along x and strips that overlap exchange.
  virtual void for_planes(void* const* /*arrays*/, std::int32_t /*first*/, std::int32_t /*end*/,
                          const Numbers& /*body*/) const {}
  /// Are these absorbing layers, which the update takes with it? Then apply() is never called, and absorber() sets
  /// `to`, an Absorber of the simulation's precision, for a brick's arrays.
  [[nodiscard]] virtual bool absorbs() const { return false; }
  virtual void absorber(void* const* /*arrays*/, void* /*to*/) const {}
};

/// A hook of a brick, with the number of its arrays.
struct HookBinding {
  const KernelHook* hook = nullptr;
  std::int32_t arrays = 0;
};

}  // namespace asterism::fdtd

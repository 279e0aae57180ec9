// SPDX-License-Identifier: Apache-2.0
// Physics modules: what a problem has beside the plain scheme, as hooks of a simulation (kernel_hook.hpp) with arrays
// of their own in each brick.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "taskflows/fdtd/simulation.hpp"

namespace asterism::fdtd {

/// An array of a brick, zero.
struct BrickArray {
  BrickArray() = default;
  BrickArray(std::size_t count, std::size_t element, const std::string& name)
      : memory(count * element), handle(Handle::temporary(memory.data(), count, element, name)) {}
  HostBuffer<char> memory;
  Handle handle;
};
/// With these values.
template <class T>
BrickArray brick_array(const std::vector<T>& values, const std::string& name) {
  BrickArray array(values.size(), sizeof(T), name);
  std::copy(values.begin(), values.end(), reinterpret_cast<T*>(array.memory.data()));
  return array;
}

/// Its array in main memory, while nobody else has it.
template <class T>
class Opened {
 public:
  Opened(const BrickArray& array, starpu_data_access_mode mode)
      : acquired_(array.handle, mode), values_(reinterpret_cast<T*>(array.memory.data())) {}
  [[nodiscard]] T* values() const { return values_; }

 private:
  Acquired acquired_;
  T* values_;
};

class PhysicsModule {
 public:
  PhysicsModule() = default;
  PhysicsModule(const PhysicsModule&) = delete;
  PhysicsModule& operator=(const PhysicsModule&) = delete;
  virtual ~PhysicsModule() = default;
  /// Arrays of its state, of the whole domain: the same in every decomposition and on every rank.
  [[nodiscard]] virtual std::vector<StateKind> arrays() const = 0;
  /// row(numbers of a brick, place of the first one in the array, how many) for all that bricks of this rank have of
  /// the array of this number. What several bricks have is the same. Blocking.
  using Row = std::function<void(char* numbers, std::int64_t there, std::int64_t count)>;
  virtual void for_rows(std::size_t array, starpu_data_access_mode mode, const Row& row) const = 0;
};

/// Each registers its kernels with the bricks; none where the problem has nothing of the kind. In the order in which
/// the kernels of a half-step have to be called.
std::unique_ptr<PhysicsModule> make_layers(Simulation& simulation, const Problem& problem);
std::unique_ptr<PhysicsModule> make_wave(Simulation& simulation, const Problem& problem, std::size_t number);
/// Adds the hook of a magnetic current along an entry of a brick, whose medium has this B (curl.hpp).
void add_magnetic_source(Simulation& simulation, const Problem& problem, const CurrentSource& source, std::size_t brick,
                         const std::array<int, 3>& entry, double b, std::vector<std::unique_ptr<KernelHook>>& kernels);
/// `media`: of the simulation's own bricks.
template <class T>
std::unique_ptr<PhysicsModule> make_poles(Simulation& simulation, const Problem& problem,
                                          const std::vector<const DispersiveMedia<T>*>& media);
std::unique_ptr<PhysicsModule> make_couplings(Simulation& simulation, const Problem& problem);
std::unique_ptr<PhysicsModule> make_monitors(Simulation& simulation, const Problem& problem);
/// Name of the array with a monitor's transforms, laid out as in Spectrum.
std::string monitor_array(std::size_t monitor);

}  // namespace asterism::fdtd

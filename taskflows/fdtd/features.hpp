// What a problem has beside the plain scheme, as further kernels of a simulation with arrays of their own in each
// brick.
#pragma once

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

class Feature {
 public:
  Feature() = default;
  Feature(const Feature&) = delete;
  Feature& operator=(const Feature&) = delete;
  virtual ~Feature() = default;
  /// Appends its state, of the whole domain: the same in every decomposition. Waits.
  virtual void collect(std::vector<StateArray>& state) const = 0;
  /// Takes its arrays out of a state; what is not there is zero. Waits.
  virtual void restore(const std::vector<StateArray>& state) = 0;
  /// What its monitors have seen. Waits.
  virtual void add_spectra(std::vector<Spectrum>& spectra) const { static_cast<void>(spectra); }
};

/// A part of a state by its name; null where there is none.
const StateArray* find(const std::vector<StateArray>& state, const std::string& name);

/// Each registers its kernels with the bricks; none where the problem has nothing of the kind. In the order in which
/// the kernels of a half-step have to be called.
std::unique_ptr<Feature> make_layers(Simulation& simulation, const Problem& problem);
std::unique_ptr<Feature> make_wave(Simulation& simulation, const Problem& problem, std::size_t number);
/// Of an entry of a brick whose medium has this B (curl.hpp).
void add_magnetic_source(Simulation& simulation, const Problem& problem, const CurrentSource& source, std::size_t brick,
                         double b, std::vector<std::unique_ptr<Extension>>& kernels);
template <class T>
std::unique_ptr<Feature> make_poles(Simulation& simulation, const Problem& problem,
                                    const std::vector<const DispersiveMedia<T>*>& media);
std::unique_ptr<Feature> make_monitors(Simulation& simulation, const Problem& problem);

}  // namespace asterism::fdtd

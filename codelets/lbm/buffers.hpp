// What a task of the lattice Boltzmann method finds in StarPU's buffers, in the order of codelets.hpp.
#pragma once

#include <starpu.h>

#include "codelets/lbm/codelets.hpp"

namespace asterism::lbm::codelets {

class Buffers {
 public:
  explicit Buffers(void** buffers) : next_(buffers) {}
  template <class T>
  T* take() {
    return reinterpret_cast<T*>(STARPU_VECTOR_GET_PTR(*next_++));
  }
  /// Two arrays at most, as many as there are.
  template <class T>
  void take(std::int32_t count, T** arrays) {
    for (std::int32_t k = 0; k < count; ++k) arrays[k] = take<T>();
  }

 private:
  void** next_;
};

/// The solid cells of a brick.
struct Obstacle {
  const std::uint8_t* solid = nullptr;
  Links links{};
};

inline Obstacle take_obstacle(const Place& place, Buffers& buffers) {
  Obstacle o;
  if (place.obstacle == 0) return o;
  o.solid = buffers.take<const std::uint8_t>();
  for (int j = 0; j <= q; ++j) o.links.begin[j] = place.link_begin[j];
  o.links.fluid = buffers.take<const std::int64_t>();
  o.links.solid = o.links.fluid + place.link_begin[q];
  return o;
}

template <class Args>
const Args& as(void* arguments) {
  return *static_cast<const Args*>(arguments);
}

}  // namespace asterism::lbm::codelets

// SPDX-License-Identifier: Apache-2.0
#include "taskflows/fdtd/physics/physics.hpp"

#include <starpu.h>

#include "taskflows/fdtd/brick_data.hpp"

namespace asterism::fdtd {

void Simulation::build_physics() {
  const auto add = [&](std::unique_ptr<PhysicsModule> module) {
    if (module) modules_.push_back(std::move(module));
  };
  add(make_layers(*this, problem_));
  for (std::size_t w = 0; w < problem_.waves.size(); ++w) add(make_wave(*this, problem_, w));
  build_magnetic_sources();
  with_precision(problem_.precision, [&](auto real) { build_poles<decltype(real)>(); });
  add(make_couplings(*this, problem_));
  add(make_monitors(*this, problem_));
}

template <class T>
void Simulation::build_poles() {
  if (!has_poles(problem_)) return;
  std::vector<const DispersiveMedia<T>*> media;
  for (const std::size_t b : own_)
    media.push_back(static_cast<const DispersiveMedia<T>*>(bricks_[b]->dispersive.get()));
  modules_.push_back(make_poles(*this, problem_, media));
  for (const std::size_t b : own_) bricks_[b]->dispersive.reset();
}

}  // namespace asterism::fdtd

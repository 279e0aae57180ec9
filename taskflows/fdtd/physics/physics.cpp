#include "taskflows/fdtd/physics/physics.hpp"

#include <starpu.h>

#include "taskflows/fdtd/brick_data.hpp"

namespace asterism::fdtd {

void Simulation::build_features() {
  const auto add = [&](std::unique_ptr<Feature> feature) {
    if (feature) features_.push_back(std::move(feature));
  };
  add(make_layers(*this, problem_));
  for (std::size_t w = 0; w < problem_.waves.size(); ++w) add(make_wave(*this, problem_, w));
  build_magnetic_sources();
  element_ == 4 ? build_poles<float>() : build_poles<double>();
  add(make_monitors(*this, problem_));
}

template <class T>
void Simulation::build_poles() {
  if (!has_poles(problem_)) return;
  std::vector<const DispersiveMedia<T>*> media;
  for (const std::size_t b : own_)
    media.push_back(static_cast<const DispersiveMedia<T>*>(bricks_[b]->dispersive.get()));
  features_.push_back(make_poles(*this, problem_, media));
  for (const std::size_t b : own_) bricks_[b]->dispersive.reset();
}

}  // namespace asterism::fdtd

#include "taskflows/fdtd/features.hpp"

#include <starpu.h>

#include "taskflows/fdtd/brick_data.hpp"

namespace asterism::fdtd {

const StateArray* find(const std::vector<StateArray>& state, const std::string& name) {
  for (const StateArray& array : state)
    if (array.name == name) return &array;
  return nullptr;
}

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
  for (const auto& brick : bricks_) media.push_back(static_cast<const DispersiveMedia<T>*>(brick->dispersive.get()));
  features_.push_back(make_poles(*this, problem_, media));
  for (const auto& brick : bricks_) brick->dispersive.reset();
}

std::vector<StateArray> Simulation::further_state() const {
  std::vector<StateArray> state;
  for (const auto& feature : features_) feature->collect(state);
  return state;
}

void Simulation::set_further_state(const std::vector<StateArray>& state) {
  for (const auto& feature : features_) feature->restore(state);
}

std::vector<Spectrum> Simulation::spectra() const {
  std::vector<Spectrum> spectra;
  for (const auto& feature : features_) feature->add_spectra(spectra);
  return spectra;
}

}  // namespace asterism::fdtd

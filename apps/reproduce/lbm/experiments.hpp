// SPDX-License-Identifier: Apache-2.0
// The experiments of the lattice Boltzmann paper, each in experiments/papers by its name.
#pragma once

#include "apps/reproduce/experiment.hpp"

namespace asterism::apps::reproduce {

std::unique_ptr<Experiment> lbm_figure8();
std::unique_ptr<Experiment> lbm_figure9();
std::unique_ptr<Experiment> lbm_figure10();
std::unique_ptr<Experiment> lbm_figure11();
std::unique_ptr<Experiment> lbm_table3();

/// All of these, in the order of --list.
Experiments lbm_experiments();

}  // namespace asterism::apps::reproduce

// SPDX-License-Identifier: Apache-2.0
// The experiments of the boundary element paper, each in experiments/papers by its name.
#pragma once

#include "apps/reproduce/experiment.hpp"

namespace asterism::apps::reproduce {

std::unique_ptr<Experiment> tdbem_figure13();
std::unique_ptr<Experiment> tdbem_figure15();
std::unique_ptr<Experiment> tdbem_gpu_rates();
std::unique_ptr<Experiment> tdbem_table1();
std::unique_ptr<Experiment> tdbem_table2();
std::unique_ptr<Experiment> tdbem_table3();
std::unique_ptr<Experiment> tdbem_table4();

/// All of these, in the order of --list.
Experiments tdbem_experiments();

}  // namespace asterism::apps::reproduce

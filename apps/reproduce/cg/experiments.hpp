// SPDX-License-Identifier: Apache-2.0
// The experiments of the conjugate gradient paper, each in experiments/papers by its name.
#pragma once

#include "apps/reproduce/experiment.hpp"

namespace asterism::apps::reproduce {

std::unique_ptr<Experiment> cg_table2();
std::unique_ptr<Experiment> cg_table3();
std::unique_ptr<Experiment> cg_table4();
std::unique_ptr<Experiment> cg_figure3();
std::unique_ptr<Experiment> cg_figure4();
std::unique_ptr<Experiment> cg_figure7();

/// All of these, in the order of --list.
Experiments cg_experiments();

}  // namespace asterism::apps::reproduce

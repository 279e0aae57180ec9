// SPDX-License-Identifier: Apache-2.0
// The experiments of the FDTD thesis, each in experiments/papers by its name.
#pragma once

#include "apps/reproduce/experiment.hpp"

namespace asterism::apps::reproduce {

std::unique_ptr<Experiment> fdtd_figure4_4();
std::unique_ptr<Experiment> fdtd_figure4_5();
std::unique_ptr<Experiment> fdtd_figure4_6();
std::unique_ptr<Experiment> fdtd_figure4_7();
std::unique_ptr<Experiment> fdtd_figure4_8();

/// All of these, in the order of --list.
Experiments fdtd_experiments();

}  // namespace asterism::apps::reproduce

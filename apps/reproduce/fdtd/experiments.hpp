// SPDX-License-Identifier: Apache-2.0
// The experiments of the FDTD thesis, each in experiments/papers by its name.
#pragma once

#include "apps/reproduce/experiment.hpp"

namespace asterism::apps::reproduce {

std::unique_ptr<Experiment> fdtd_table2_5();
std::unique_ptr<Experiment> fdtd_table2_6();
std::unique_ptr<Experiment> fdtd_figure4_1();
std::unique_ptr<Experiment> fdtd_figure4_2();
std::unique_ptr<Experiment> fdtd_figure4_3();
std::unique_ptr<Experiment> fdtd_figure4_4();
std::unique_ptr<Experiment> fdtd_figure4_5();
std::unique_ptr<Experiment> fdtd_figure4_6();
std::unique_ptr<Experiment> fdtd_figure4_7();
std::unique_ptr<Experiment> fdtd_figure4_8();
std::unique_ptr<Experiment> fdtd_figure4_9();
std::unique_ptr<Experiment> fdtd_figure4_10();
std::unique_ptr<Experiment> fdtd_figure4_11();

/// All of these, in the order of --list.
Experiments fdtd_experiments();

}  // namespace asterism::apps::reproduce

// SPDX-License-Identifier: Apache-2.0
// The experiments of the fast multipole paper, each in experiments/papers by its name.
#pragma once

#include "apps/reproduce/experiment.hpp"

namespace asterism::apps::reproduce {

std::unique_ptr<Experiment> fmm_figure9();
std::unique_ptr<Experiment> fmm_figure10();
std::unique_ptr<Experiment> fmm_figure11();
std::unique_ptr<Experiment> fmm_figure12();
std::unique_ptr<Experiment> fmm_figure13();
std::unique_ptr<Experiment> fmm_figure16();
std::unique_ptr<Experiment> fmm_figure17();
std::unique_ptr<Experiment> fmm_figure18();
std::unique_ptr<Experiment> fmm_table2();
std::unique_ptr<Experiment> fmm_table4();

/// All of these, in the order of --list.
Experiments fmm_experiments();

}  // namespace asterism::apps::reproduce

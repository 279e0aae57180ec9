// SPDX-License-Identifier: Apache-2.0
#include "apps/reproduce/fmm/experiments.hpp"

namespace asterism::apps::reproduce {

Experiments fmm_experiments() {
  Experiments all;
  all.push_back(fmm_figure9());
  all.push_back(fmm_figure10());
  all.push_back(fmm_figure11());
  all.push_back(fmm_figure12());
  all.push_back(fmm_figure13());
  all.push_back(fmm_figure16());
  all.push_back(fmm_figure17());
  all.push_back(fmm_figure18());
  all.push_back(fmm_table2());
  all.push_back(fmm_table4());
  return all;
}

}  // namespace asterism::apps::reproduce

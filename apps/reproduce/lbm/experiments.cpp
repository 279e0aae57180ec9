// SPDX-License-Identifier: Apache-2.0
#include "apps/reproduce/lbm/experiments.hpp"

namespace asterism::apps::reproduce {

Experiments lbm_experiments() {
  Experiments all;
  all.push_back(lbm_figure8());
  all.push_back(lbm_figure9());
  all.push_back(lbm_figure10());
  all.push_back(lbm_figure11());
  all.push_back(lbm_table3());
  return all;
}

}  // namespace asterism::apps::reproduce

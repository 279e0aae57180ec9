// SPDX-License-Identifier: Apache-2.0
#include "apps/reproduce/cg/experiments.hpp"

namespace asterism::apps::reproduce {

Experiments cg_experiments() {
  Experiments all;
  all.push_back(cg_figure3());
  all.push_back(cg_figure4());
  all.push_back(cg_figure7());
  all.push_back(cg_table2());
  all.push_back(cg_table3());
  all.push_back(cg_table4());
  return all;
}

}  // namespace asterism::apps::reproduce

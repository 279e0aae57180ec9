// SPDX-License-Identifier: Apache-2.0
#include "apps/reproduce/tdbem/experiments.hpp"

namespace asterism::apps::reproduce {

Experiments tdbem_experiments() {
  Experiments all;
  all.push_back(tdbem_figure13());
  all.push_back(tdbem_figure15());
  all.push_back(tdbem_gpu_rates());
  all.push_back(tdbem_table1());
  all.push_back(tdbem_table2());
  all.push_back(tdbem_table3());
  all.push_back(tdbem_table4());
  return all;
}

}  // namespace asterism::apps::reproduce

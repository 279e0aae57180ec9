// SPDX-License-Identifier: Apache-2.0
#include "apps/reproduce/fdtd/experiments.hpp"

namespace asterism::apps::reproduce {

Experiments fdtd_experiments() {
  Experiments all;
  all.push_back(fdtd_table2_5());
  all.push_back(fdtd_table2_6());
  all.push_back(fdtd_figure4_1());
  all.push_back(fdtd_figure4_2());
  all.push_back(fdtd_figure4_3());
  all.push_back(fdtd_figure4_4());
  all.push_back(fdtd_figure4_5());
  all.push_back(fdtd_figure4_6());
  all.push_back(fdtd_figure4_7());
  all.push_back(fdtd_figure4_8());
  all.push_back(fdtd_figure4_9());
  all.push_back(fdtd_figure4_10());
  all.push_back(fdtd_figure4_11());
  return all;
}

}  // namespace asterism::apps::reproduce

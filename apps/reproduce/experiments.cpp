// SPDX-License-Identifier: Apache-2.0
#include "apps/reproduce/experiment.hpp"

namespace asterism::apps::reproduce {

std::vector<std::unique_ptr<Experiment>> experiments() {
  std::vector<std::unique_ptr<Experiment>> all;
  all.push_back(cg_table2());
  all.push_back(cg_table3());
  all.push_back(cg_table4());
  all.push_back(cg_table5());
  all.push_back(fdtd_figure4_4());
  all.push_back(fdtd_figure4_5());
  all.push_back(fdtd_figure4_6());
  all.push_back(fdtd_figure4_7());
  all.push_back(fdtd_figure4_8());
  all.push_back(fmm_figure9());
  all.push_back(fmm_figure10());
  all.push_back(fmm_figure11());
  all.push_back(fmm_figure12());
  all.push_back(fmm_figure13());
  all.push_back(fmm_figure16());
  all.push_back(fmm_figure17());
  all.push_back(fmm_table2());
  all.push_back(fmm_table4());
  all.push_back(lbm_figure9());
  all.push_back(lbm_figure10());
  all.push_back(lbm_figure11());
  all.push_back(lbm_table3());
  all.push_back(tdbem_figure15());
  all.push_back(tdbem_table1());
  all.push_back(tdbem_table4());
  return all;
}

}  // namespace asterism::apps::reproduce

// SPDX-License-Identifier: Apache-2.0
#include "apps/reproduce/fdtd/experiments.hpp"

namespace asterism::apps::reproduce {

Experiments fdtd_experiments() {
  Experiments all;
  all.push_back(fdtd_figure4_4());
  all.push_back(fdtd_figure4_5());
  all.push_back(fdtd_figure4_6());
  all.push_back(fdtd_figure4_7());
  all.push_back(fdtd_figure4_8());
  return all;
}

}  // namespace asterism::apps::reproduce

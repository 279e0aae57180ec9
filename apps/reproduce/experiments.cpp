// SPDX-License-Identifier: Apache-2.0
#include <iterator>

#include "apps/reproduce/cg/experiments.hpp"
#include "apps/reproduce/fdtd/experiments.hpp"
#include "apps/reproduce/fmm/experiments.hpp"
#include "apps/reproduce/lbm/experiments.hpp"
#include "apps/reproduce/tdbem/experiments.hpp"

namespace asterism::apps::reproduce {

Experiments experiments() {
  Experiments all;
  for (Experiments (*of_paper)() :
       {cg_experiments, fdtd_experiments, fmm_experiments, lbm_experiments, tdbem_experiments}) {
    Experiments these = of_paper();
    all.insert(all.end(), std::make_move_iterator(these.begin()), std::make_move_iterator(these.end()));
  }
  return all;
}

}  // namespace asterism::apps::reproduce

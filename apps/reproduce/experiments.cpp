#include "apps/reproduce/experiment.hpp"

namespace asterism::apps::reproduce {

std::vector<std::unique_ptr<Experiment>> experiments() {
  std::vector<std::unique_ptr<Experiment>> all;
  all.push_back(tdbem_table1());
  all.push_back(tdbem_table4());
  return all;
}

}  // namespace asterism::apps::reproduce

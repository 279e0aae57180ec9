#include "apps/fmm/records.hpp"

#include <algorithm>
#include <cstdint>

#include "apps/common/program.hpp"
#include "runtime/ranks/ranks.hpp"

namespace asterism::apps::fmm {

using namespace asterism::fmm;

nlohmann::json rates_record(const std::vector<UnitRates>& rates) {
  nlohmann::json list = nlohmann::json::array();
  for (const UnitRates& r : rates)
    list.push_back({{"units", r.units},
                    {"near_pair_seconds", r.near_pair},
                    {"far_pair_seconds", r.far_pair},
                    {"particle_seconds", r.particle},
                    {"cell_seconds", r.cell}});
  return list;
}

nlohmann::json shares_record(const System& system, double seconds) {
  nlohmann::json record = ranks_record(seconds);
  const std::vector<double> flops = rank_group().all_gather(system.work().total());
  const std::vector<double> particles = rank_group().all_gather(system.particles_of_rank());
  for (std::size_t rank = 0; rank < record.size(); ++rank) {
    record[rank]["flops"] = flops[rank];
    record[rank]["particles"] = particles[rank];
  }
  return record;
}

nlohmann::json tree_record(const System& system, const WorkSummary& work) {
  const Tree& tree = system.tree();
  nlohmann::json levels = nlohmann::json::array();
  for (int l = 0; l <= tree.leaf_level(); ++l) levels.push_back(tree.level(l).key.size());
  const std::vector<std::int64_t>& begin = tree.leaf_begin();
  std::int64_t least = INT64_MAX;
  std::int64_t most = 0;
  for (std::size_t i = 0; i + 1 < begin.size(); ++i) {
    least = std::min(least, begin[i + 1] - begin[i]);
    most = std::max(most, begin[i + 1] - begin[i]);
  }
  return {{"height", tree.shape().height},
          {"group_size", tree.shape().group_size},
          {"cells", levels},
          {"groups", tree.leaves().groups.size()},
          {"particles_per_leaf",
           {{"mean", static_cast<double>(begin.back()) / static_cast<double>(begin.size() - 1)},
            {"min", least},
            {"max", most}}},
          {"near_pairs", work.near_pairs},
          {"far_pairs", work.far_pairs}};
}

}  // namespace asterism::apps::fmm

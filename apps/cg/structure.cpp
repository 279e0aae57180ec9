// SPDX-License-Identifier: Apache-2.0
// What a run says of a structural analysis (--model).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "apps/cg/run.hpp"
#include "base/as_size.hpp"
#include "runtime/ranks/ranks.hpp"

namespace asterism::apps::cg {

using namespace asterism::cg;
using nlohmann::json;

namespace {

std::string shown(const Vector3& v) {
  // what is rounding beside the largest component is 0 to a reader
  constexpr double negligible = 1e-7;
  const double largest = std::max({std::abs(v[0]), std::abs(v[1]), std::abs(v[2])});
  const auto part = [&](double c) { return std::abs(c) < negligible * largest ? 0.0 : c; };
  return fmt::format("({:.6g}, {:.6g}, {:.6g})", part(v[0]), part(v[1]), part(v[2]));
}

json resultants_record(const std::vector<std::string>& names, const std::vector<Resultant>& resultants) {
  json list = json::array();
  for (std::size_t i = 0; i < names.size(); ++i)
    list.push_back({{"name", names[i]}, {"force_N", resultants[i].force}, {"moment_Nm", resultants[i].moment}});
  return list;
}

template <class Item>
std::vector<std::string> names_of(const std::vector<Item>& items) {
  std::vector<std::string> names;
  for (const Item& item : items) names.push_back(item.name);
  return names;
}

json extreme_record(const Structure& structure, const Extreme& extreme) {
  return {{"value", extreme.value}, {"position_m", structure.body.nodes.position[as_size(extreme.node)]}};
}

std::string shown(const Structure& structure, const Extreme& extreme, const char* unit) {
  return fmt::format("{:.6g} {} at {} m", extreme.value, unit,
                     shown(structure.body.nodes.position[as_size(extreme.node)]));
}

void describe_structure(const Structure& s, const StructureResult& r, Report& report) {
  const Extreme displacement = largest_displacement(r);
  const Extreme stress = largest_von_mises(r);
  report.record["structure"] = {{"model", s.model.file},
                                {"element", name_of(s.body.element)},
                                {"nodes", s.body.nodes.position.size()},
                                {"tetrahedra", s.mesh.tet.size()},
                                {"volume_m3", r.volume},
                                {"loads", resultants_record(names_of(s.model.loads), s.loads)},
                                {"reactions", resultants_record(names_of(s.model.supports), r.reactions)},
                                {"strain_energy_J", r.strain_energy},
                                {"largest_displacement_m", extreme_record(s, displacement)},
                                {"largest_von_mises_stress_Pa", extreme_record(s, stress)},
                                {"imbalance", r.imbalance},
                                {"allowed_imbalance", r.allowed_imbalance}};
  for (std::size_t i = 0; i < s.loads.size(); ++i)
    report.rows.emplace_back("load", fmt::format("{}: {} N", s.model.loads[i].name, shown(s.loads[i].force)));
  for (std::size_t i = 0; i < r.reactions.size(); ++i)
    report.rows.emplace_back("reaction",
                             fmt::format("{}: {} N", s.model.supports[i].name, shown(r.reactions[i].force)));
  report.rows.emplace_back("largest displacement", shown(s, displacement, "m"));
  report.rows.emplace_back("largest von Mises", shown(s, stress, "Pa"));
  report.rows.emplace_back("strain energy", fmt::format("{:.6g} J", r.strain_energy));
  report.rows.emplace_back("equilibrium", fmt::format("loads + reactions {:.1e} of them (allowed {:.1e})", r.imbalance,
                                                      r.allowed_imbalance));
}

}  // namespace

Verdict Run::add_structure(Report& report, double residual) {
  double squares = 0;
  for (std::size_t i = 0; i < right_.b.size(); ++i) squares += right_.b[i] * right_.b[i];
  const double norm = std::sqrt(sum_over_ranks(squares));
  const std::vector<double> x = rank_group().collect(std::span<const double>(solved_.x));
  struct Balance {
    double found = 0, allowed = 0;
  } balance;
  if (rank_group().is_root()) {
    structure_result_ = evaluate(*structure_, x, residual * norm);
    describe_structure(*structure_, *structure_result_, report);
    balance = {structure_result_->imbalance, structure_result_->allowed_imbalance};
  }
  rank_group().broadcast(balance);
  Verdict verdict{"loads and reactions cancel", balance.found, balance.allowed, ""};
  if (!verdict.right())
    verdict.complaint = fmt::format("loads and reactions add up to {:.3e} of their size, expected at most {:.3e}",
                                    verdict.error, verdict.allowed);
  return verdict;
}

}  // namespace asterism::apps::cg

// SPDX-License-Identifier: Apache-2.0
#include "taskflows/fmm/particles/result_parts.hpp"

#include "runtime/ranks/ranks.hpp"

namespace asterism::fmm {

ResultParts parts_of_ranks(const Particles& particles, const Result& result, const Motion* motion,
                           const ResultNames& names) {
  ResultParts parts{
      .particles = 0, .here = rank_group().is_root(), .moving = motion != nullptr, .names = names, .each = {}};
  for (const std::size_t part : rank_group().all_gather(particles.size())) parts.particles += part;
  parts.each = [&, motion](std::span<const Field> fields, const std::function<void(const FieldValues&)>& take) {
    std::vector<double> mine;
    mine.reserve(fields.size() * particles.size());
    for (const Field field : fields) {
      const std::span<const double> values = field_of(particles, result, motion, field);
      mine.insert(mine.end(), values.begin(), values.end());
    }
    rank_group().collect(std::span<const double>(mine), [&](int /*rank*/, std::span<const double> all) {
      const std::size_t n = all.size() / fields.size();
      FieldValues values;
      for (std::size_t f = 0; f < fields.size(); ++f) values.push_back(all.subspan(f * n, n));
      take(values);
    });
  };
  return parts;
}

}  // namespace asterism::fmm

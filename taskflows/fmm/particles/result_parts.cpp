// SPDX-License-Identifier: Apache-2.0
#include "taskflows/fmm/particles/result_parts.hpp"

#include "runtime/ranks/ranks.hpp"

namespace asterism::fmm {

ResultParts parts_of_ranks(const Particles& particles, const Result& result) {
  ResultParts parts;
  for (const std::size_t part : rank_group().all_gather(particles.size())) parts.particles += part;
  parts.here = rank_group().is_root();
  parts.each = [&](std::span<const Field> fields, const std::function<void(const FieldValues&)>& take) {
    std::vector<double> mine;
    mine.reserve(fields.size() * particles.size());
    for (const Field field : fields) {
      const std::span<const double> values = field_of(particles, result, field);
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

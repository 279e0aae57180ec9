// SPDX-License-Identifier: Apache-2.0
#include "runtime/ranks/distributed_hdf5_series.hpp"

#include <span>
#include <utility>

#include "io/series/hdf5_series_detail.hpp"
#include "io/series/series_detail.hpp"
#include "runtime/ranks/collective_try.hpp"
#include "runtime/ranks/ranks.hpp"

namespace asterism::output {

DistributedHdf5Series::DistributedHdf5Series(std::filesystem::path path, const Grid& grid, std::int64_t keep_until)
    : path_(std::move(path)), grid_(grid) {
  collective_try([&] {
    if (rank_group().is_root()) series_.emplace(path_, grid_, keep_until);
  });
  const std::vector<SavedTime> saved = series_ ? series_->times() : std::vector<SavedTime>();
  times_ = rank_group().all_gather(std::span<const SavedTime>(saved)).front();
  last_kept_ = detail::last_step(times_);
}

template <class T>
void DistributedHdf5Series::append(std::int64_t step, double time, const std::vector<DistributedField>& fields) {
  if (step >= 0 && step == last_kept_ && step == times_.back().step) return;
  detail::check_step(path_, times_, step);
  const bool is_new = times_.empty();
  DistributedHdf5 file(path_, DistributedHdf5::Writers::all_ranks,
                       is_new ? DistributedHdf5::Existing::replace : DistributedHdf5::Existing::extend);
  if (is_new) file.on_rank_0([&](Hdf5Output& to) { detail::write_grid(to, grid_); });
  std::vector<Hdf5Series::Dataset> datasets;
  std::vector<detail::Described> described;
  for (const DistributedField& field : fields) {
    const detail::FieldLayout layout(grid_, field.components);
    file.write_compressed<T>(group_of(step) + "/" + field.name, layout.shape, layout.chunk, *field.values,
                             field.source);
    datasets.push_back({field.name, field.components, sizeof(T)});
    described.push_back({field.name, field.components, field.unit});
  }
  file.on_rank_0([&](Hdf5Output& to) { detail::write_time(to, grid_, {step, time}, described); });
  file.commit();
  times_.push_back({step, time});
  collective_try([&] {
    if (series_) series_->add({step, time}, std::move(datasets));
  });
}

template void DistributedHdf5Series::append<float>(std::int64_t, double, const std::vector<DistributedField>&);
template void DistributedHdf5Series::append<double>(std::int64_t, double, const std::vector<DistributedField>&);

}  // namespace asterism::output

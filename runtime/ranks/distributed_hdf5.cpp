// SPDX-License-Identifier: Apache-2.0
#include "runtime/ranks/distributed_hdf5.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include "io/hdf5/compression.hpp"
#include "io/output_file.hpp"
#include "runtime/ranks/collective_try.hpp"
#include "runtime/ranks/ranks.hpp"

namespace asterism {
namespace {

/// What rank 0 has, on all ranks.
std::string told_by_rank_0(const std::string& text) {
  const std::span<const char> mine(text.data(), rank_group().is_root() ? text.size() : 0);
  const std::vector<char> told = rank_group().all_gather(mine).front();
  return {told.begin(), told.end()};
}

/// The dimension from which on a block lies together in the file: it has all of those after it.
std::size_t first_together(const Hdf5Block& block, const std::vector<std::size_t>& shape) {
  std::size_t d = shape.size() - 1;
  while (d > 0 && block.extent[d] == shape[d]) --d;
  return d;
}

}  // namespace

DistributedHdf5::DistributedHdf5(std::filesystem::path path, Writers writers, Existing existing, const Room& room)
    : path_(std::move(path)),
      writers_(writers == Writers::all_ranks && rank_group().distributed() ? writers : Writers::this_process),
      room_(room) {
  if (!shared()) {
    file_.emplace(path_, existing);
    return;
  }
  collective_try([&] {
    if (rank_group().is_root()) file_.emplace(path_, existing);
  });
  const std::string under_way = told_by_rank_0(file_ ? file_->under_way().string() : "");
  try {
    collective_try([&] {
      bytes_ = open(under_way.c_str(), O_WRONLY | O_CLOEXEC);
      if (bytes_ >= 0) return;
      bad_input("{}: cannot be written by rank {}: {}; expected a folder that all ranks see", path_.string(),
                rank_group().rank(), system_message(errno));
    });
  } catch (...) {
    if (bytes_ >= 0) close(bytes_);
    throw;
  }
}

DistributedHdf5::~DistributedHdf5() {
  if (bytes_ >= 0) close(bytes_);
}

void DistributedHdf5::on_rank_0(const std::function<void(Hdf5Output&)>& body) {
  if (!shared()) return body(*file_);
  if (!file_ || failure_) return;
  try {
    body(*file_);
  } catch (const Error& error) {
    failure_ = error;
  }
}

/// All ranks: none has failed.
void DistributedHdf5::agree() const {
  collective_try([&] {
    if (failure_) throw Error(*failure_);
  });
}

void DistributedHdf5::put(const std::string& dataset, std::uint64_t at, const char* bytes, std::size_t size) {
  if (failure_ || write_at(bytes_, at, size, bytes)) return;
  failure_ = Error(Error::Kind::failed, fmt::format("{}: dataset \"{}\" cannot be written: {}", path_.string(), dataset,
                                                    system_message(errno)));
}

void DistributedHdf5::create(const std::string& dataset, Hdf5Number number, const std::vector<std::size_t>& shape) {
  placed_[dataset] = {0, number, shape};
  on_rank_0([&](Hdf5Output& file) { file.create(dataset, number, shape); });
}

void DistributedHdf5::make_room(const std::vector<std::string>& datasets) {
  if (!shared()) return;
  std::vector<std::uint64_t> places;
  on_rank_0([&](Hdf5Output& file) {
    for (const std::string& dataset : datasets) places.push_back(file.place(dataset));
  });
  agree();
  places = rank_group().all_gather(std::span<const std::uint64_t>(places)).front();
  for (std::size_t d = 0; d < datasets.size(); ++d) placed_.at(datasets[d]).at = places[d];
}

void DistributedHdf5::write_block(const std::string& dataset, const Hdf5Block& block, Hdf5Number number,
                                  const void* values) {
  const Placed& placed = placed_.at(dataset);
  std::size_t count = 1;
  for (const std::size_t n : block.extent) count *= n;
  if (count == 0) return;
  if (!shared()) return file_->write_block(dataset, block, number, values);
  const std::size_t size = hdf5_detail::size_of(number);
  const std::size_t cut = first_together(block, placed.shape);
  std::size_t row = size;
  for (std::size_t d = cut; d < block.extent.size(); ++d) row *= block.extent[d];
  const auto* bytes = static_cast<const char*>(values);
  for (std::size_t r = 0; r < count * size / row; ++r, bytes += row) {
    std::vector<std::size_t> at = block.first;
    std::size_t rest = r;
    for (std::size_t d = cut; d-- > 0; rest /= block.extent[d]) at[d] += rest % block.extent[d];
    std::uint64_t place = 0;
    for (std::size_t d = 0; d < at.size(); ++d) place = place * placed.shape[d] + at[d];
    put(dataset, placed.at + place * size, bytes, row);
  }
}

void DistributedHdf5::commit(void (Hdf5Output::*of_rank_0)()) {
  if (!shared()) return (*file_.*of_rank_0)();
  if (close(std::exchange(bytes_, -1)) != 0 && !failure_)
    failure_ =
        Error(Error::Kind::failed, fmt::format("{}: cannot be written: {}", path_.string(), system_message(errno)));
  agree();
  collective_try([&] {
    if (file_) (*file_.*of_rank_0)();
  });
}

void DistributedHdf5::commit() {
  commit(&Hdf5Output::commit);
}

void DistributedHdf5::commit_checkpoint() {
  commit(&Hdf5Output::commit_checkpoint);
}

}  // namespace asterism

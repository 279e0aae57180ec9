// SPDX-License-Identifier: Apache-2.0
// Datasets in compressed chunks, which all threads make; HDF5 only puts them into the file.
#include <algorithm>

#include "base/batches.hpp"
#include "io/hdf5/compression.hpp"
#include "io/hdf5/detail.hpp"

namespace asterism {

using hdf5_detail::ChunkCompressor;
using hdf5_detail::Chunks;
using hdf5_detail::Id;
using hdf5_detail::size_of;

std::int64_t Hdf5Output::make_compressed(const std::string& dataset, Hdf5Number number,
                                         const std::vector<std::size_t>& shape, const std::vector<std::size_t>& chunk) {
  const std::vector<hsize_t> chunk_extent(chunk.begin(), chunk.end());
  const Id creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  H5Pset_chunk(creation, static_cast<int>(chunk.size()), chunk_extent.data());
  H5Pset_shuffle(creation);
  H5Pset_deflate(creation, hdf5_detail::compression_level);
  H5Pset_fill_time(creation, H5D_FILL_TIME_NEVER);
  return make(dataset, number, shape, creation);
}

void Hdf5Output::write_compressed(const std::string& dataset, Hdf5Number number, const std::vector<std::size_t>& shape,
                                  const std::vector<std::size_t>& chunk, const FillBytes& fill) {
  const Id made(make_compressed(dataset, number, shape, chunk), H5Dclose);
  const Chunks chunks{shape, chunk};
  std::vector<ChunkCompressor> compressors;
  for (std::size_t place = 0; place < batch_size(chunks.count()); ++place)
    compressors.emplace_back(chunks, size_of(number));
  const auto make_chunk = [&](std::size_t c, std::size_t place) {
    const Hdf5Block block = chunks.block(c);
    fill(block, compressors[place].values());
    compressors[place].compress(block.extent);
  };
  const auto write_chunk = [&](std::size_t c, std::size_t place) {
    const std::span<const char> bytes = compressors[place].compressed();
    const Hdf5Block block = chunks.block(c);
    const std::vector<hsize_t> first(block.first.begin(), block.first.end());
    check(H5Dwrite_chunk(made, H5P_DEFAULT, 0, first.data(), bytes.size(), bytes.data()) >= 0, "dataset", dataset);
  };
  in_batches(chunks.count(), make_chunk, write_chunk);
}

void Hdf5Output::create_compressed(const std::string& dataset, Hdf5Number number, const std::vector<std::size_t>& shape,
                                   const std::vector<std::size_t>& chunk) {
  const Id made(make_compressed(dataset, number, shape, chunk), H5Dclose);
}

std::vector<std::uint64_t> Hdf5Output::place_chunks(const std::string& dataset, const std::vector<std::size_t>& shape,
                                                    const std::vector<std::size_t>& chunk,
                                                    std::span<const CompressedChunk> chunks) {
  const Id opened(H5Dopen2(file_, dataset.c_str(), H5P_DEFAULT), H5Dclose);
  check(opened.valid(), "dataset", dataset);
  std::size_t longest = 0;
  for (const CompressedChunk& c : chunks) longest = std::max<std::size_t>(longest, c.bytes);
  const std::vector<char> stand_in(longest);
  std::vector<std::uint64_t> places;
  for (const CompressedChunk& c : chunks) {
    const Hdf5Block block = Chunks{shape, chunk}.block(c.number);
    const std::vector<hsize_t> first(block.first.begin(), block.first.end());
    bool written = false;
    const auto at = transaction_->place_of(stand_in.data(), [&] {
      written = H5Dwrite_chunk(opened, H5P_DEFAULT, 0, first.data(), c.bytes, stand_in.data()) >= 0;
    });
    check(written && at.has_value(), "dataset", dataset);
    places.push_back(*at);
  }
  return places;
}

}  // namespace asterism

// SPDX-License-Identifier: Apache-2.0
// Compressed chunks of a dataset that all ranks write: who makes which, and where they go.
#include <algorithm>

#include "base/batches.hpp"
#include "io/hdf5/compression.hpp"
#include "runtime/ranks/collective_try.hpp"
#include "runtime/ranks/distributed_hdf5.hpp"
#include "runtime/ranks/ranks.hpp"

namespace asterism {

using hdf5_detail::ChunkCompressor;
using hdf5_detail::Chunks;
using hdf5_detail::size_of;

/// Compressed, on its way to its place in the file.
struct DistributedHdf5::Chunk {
  std::uint64_t number;
  std::vector<char> bytes;
};

namespace {

/// What a rank has of a chunk.
struct Share {
  std::uint64_t chunk;
  std::int64_t values;
};

/// Numbers of the chunks that each rank makes: it has at least half as much of them as who has most, and of those it is
/// the one with the fewest so far.
std::vector<std::vector<std::uint64_t>> deal(const std::vector<ArrayBox>& needs, const DistributedArray& array) {
  std::vector<Share> mine;
  for (std::size_t c = 0; c < needs.size(); ++c)
    if (const std::int64_t values = array.here(needs[c]); values > 0) mine.push_back({c, values});
  const std::vector<std::vector<Share>> shares = rank_group().all_gather(std::span<const Share>(mine));
  std::vector<std::size_t> next(shares.size());
  std::vector<std::vector<std::uint64_t>> dealt(shares.size());
  for (std::uint64_t c = 0; c < needs.size(); ++c) {
    std::vector<std::int64_t> values(shares.size());
    for (std::size_t rank = 0; rank < shares.size(); ++rank)
      if (next[rank] < shares[rank].size() && shares[rank][next[rank]].chunk == c)
        values[rank] = shares[rank][next[rank]++].values;
    const std::int64_t most = *std::max_element(values.begin(), values.end());
    std::size_t maker = shares.size();
    for (std::size_t rank = 0; rank < shares.size(); ++rank)
      if (2 * values[rank] >= most && (maker == shares.size() || dealt[rank].size() < dealt[maker].size()))
        maker = rank;
    dealt[maker].push_back(c);
  }
  return dealt;
}

}  // namespace

/// All ranks: finds places for compressed chunks, and writes this rank's.
void DistributedHdf5::write_chunks(const std::string& dataset, const std::vector<std::size_t>& shape,
                                   const std::vector<std::size_t>& chunk, std::vector<Chunk>& chunks) {
  using Size = Hdf5Output::CompressedChunk;
  struct SizeOfRank {
    Size size;
    std::size_t rank;
  };
  std::vector<Size> mine;
  for (const Chunk& c : chunks) mine.push_back({c.number, c.bytes.size()});
  std::vector<SizeOfRank> all;  // on rank 0
  rank_group().collect(std::span<const Size>(mine), [&](int rank, std::span<const Size> sizes) {
    for (const Size& size : sizes) all.push_back({size, static_cast<std::size_t>(rank)});
  });
  std::sort(all.begin(), all.end(),
            [](const SizeOfRank& a, const SizeOfRank& b) { return a.size.number < b.size.number; });
  std::vector<std::vector<std::uint64_t>> places(static_cast<std::size_t>(rank_group().ranks()));
  on_rank_0([&](Hdf5Output& file) {
    std::vector<Size> sizes;
    for (const SizeOfRank& one : all) sizes.push_back(one.size);
    const std::vector<std::uint64_t> at = file.place_chunks(dataset, shape, chunk, sizes);
    for (std::size_t i = 0; i < at.size(); ++i) places[all[i].rank].push_back(at[i]);
  });
  agree();
  const std::vector<std::uint64_t> of_mine = rank_group().exchange(std::move(places)).front();
  for (std::size_t c = 0; c < chunks.size(); ++c)
    put(dataset, of_mine[c], chunks[c].bytes.data(), chunks[c].bytes.size());
  chunks.clear();
}

void DistributedHdf5::write_compressed(const std::string& dataset, Hdf5Number number,
                                       const std::vector<std::size_t>& shape, const std::vector<std::size_t>& chunk,
                                       const DistributedArray& array, const ChunkSource& source) {
  if (!shared())
    return file_->write_compressed(dataset, number, shape, chunk, [&](const Hdf5Block& block, void* values) {
      source.fill(block, array.fetch({{source.needs(block)}}).front().data(), values);
    });
  on_rank_0([&](Hdf5Output& file) { file.create_compressed(dataset, number, shape, chunk); });
  const Chunks chunks{shape, chunk};
  std::vector<ArrayBox> needs;
  for (std::size_t c = 0; c < chunks.count(); ++c) needs.push_back(source.needs(chunks.block(c)));
  const std::vector<std::vector<std::uint64_t>> dealt = deal(needs, array);
  const std::vector<std::uint64_t>& mine = dealt[static_cast<std::size_t>(rank_group().rank())];
  std::size_t most = 0;
  for (const std::vector<std::uint64_t>& of_rank : dealt) most = std::max(most, of_rank.size());

  const std::size_t at_once = std::max<std::size_t>(1, room_.values / (chunks.values() * size_of(number)));
  std::vector<ChunkCompressor> compressors;
  for (std::size_t place = 0; place < batch_size(std::min(at_once, mine.size())); ++place)
    compressors.emplace_back(chunks, size_of(number));
  std::vector<Chunk> compressed;
  for (std::size_t first = 0, step = 0; first < most; first += at_once, ++step) {
    std::vector<std::vector<ArrayBox>> wanted(dealt.size());
    for (std::size_t rank = 0; rank < dealt.size(); ++rank)
      for (std::size_t i = first; i < std::min(first + at_once, dealt[rank].size()); ++i)
        wanted[rank].push_back(needs[dealt[rank][i]]);
    const std::vector<Array<char>> values = array.fetch(wanted);
    const auto make = [&](std::size_t i, std::size_t place) {
      const Hdf5Block block = chunks.block(mine[first + i]);
      source.fill(block, values[i].data(), compressors[place].values());
      compressors[place].compress(block.extent);
    };
    in_batches(values.size(), make, [&](std::size_t i, std::size_t place) {
      const std::span<const char> bytes = compressors[place].compressed();
      compressed.push_back({mine[first + i], {bytes.begin(), bytes.end()}});
    });
    if ((step + 1) % room_.times == 0 || first + at_once >= most) write_chunks(dataset, shape, chunk, compressed);
  }
}

}  // namespace asterism

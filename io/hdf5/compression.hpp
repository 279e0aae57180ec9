// SPDX-License-Identifier: Apache-2.0
// Compressed chunks of HDF5 datasets, made without HDF5, which compresses with one thread: what its own filters would
// have made, bytes shuffled, then a zlib stream.
#pragma once

#include <libdeflate.h>

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "base/array.hpp"
#include "io/hdf5/file.hpp"

namespace asterism::hdf5_detail {

/// The level of zlib.
inline constexpr int compression_level = 1;

std::size_t size_of(Hdf5Number number);

/// A dataset and the chunks it is cut into, numbered with the last dimension fastest.
struct Chunks {
  const std::vector<std::size_t>& shape;
  const std::vector<std::size_t>& chunk;

  [[nodiscard]] std::size_t count() const;
  /// Values of a whole one.
  [[nodiscard]] std::size_t values() const;
  /// Cut at the end of the dataset.
  [[nodiscard]] Hdf5Block block(std::size_t number) const;
};

/// A chunk on its way. Throws std::bad_alloc when it is made only.
class ChunkCompressor {
 public:
  ChunkCompressor(const Chunks& chunks, std::size_t value_bytes);

  /// Room for the values of a block, the last index fastest.
  [[nodiscard]] char* values() { return values_.data(); }
  /// Compresses a chunk whose block has this extent; the rest of the chunk is 0.
  void compress(const std::vector<std::size_t>& extent);
  [[nodiscard]] std::span<const char> compressed() const { return {compressed_.data(), length_}; }

 private:
  std::vector<std::size_t> chunk_;
  std::size_t value_bytes_;
  std::unique_ptr<libdeflate_compressor, decltype(&libdeflate_free_compressor)> compressor_;
  Array<char> values_;
  Array<char> shuffled_;
  Array<char> compressed_;
  std::size_t length_ = 0;  ///< of what is compressed
};

}  // namespace asterism::hdf5_detail

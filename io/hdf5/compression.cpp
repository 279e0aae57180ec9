// SPDX-License-Identifier: Apache-2.0
#include "io/hdf5/compression.hpp"

#include <algorithm>
#include <cstring>
#include <new>

namespace asterism::hdf5_detail {
namespace {

/// Byte b of every element, then byte b + 1.
void shuffle(const char* from, std::size_t count, std::size_t size, char* to) {
  for (std::size_t b = 0; b < size; ++b) {
    for (std::size_t i = 0; i < count; ++i) *to++ = from[i * size + b];
  }
}

/// Moves a block from where its rows lie together to where those of a whole chunk do, the rest being 0. Works in place.
void pad(char* bytes, const std::vector<std::size_t>& extent, const std::vector<std::size_t>& chunk, std::size_t size) {
  std::size_t inner = size;  // bytes from one index of dimension d to the next
  for (std::size_t d = chunk.size(); d-- > 0;) {
    const std::size_t held = inner * extent[d];
    const std::size_t spread = inner * chunk[d];
    std::size_t rows = 1;
    for (std::size_t outer = 0; outer < d; ++outer) rows *= extent[outer];
    for (std::size_t r = rows; r-- > 0;) {  // the last first: none is overwritten before it moved
      std::memmove(bytes + r * spread, bytes + r * held, held);
      std::memset(bytes + r * spread + held, 0, spread - held);
    }
    inner = spread;
  }
}

}  // namespace

std::size_t size_of(Hdf5Number number) {
  if (number == Hdf5Number::uint8) return 1;
  if (number == Hdf5Number::float16) return 2;
  return number == Hdf5Number::float32 || number == Hdf5Number::int32 ? 4 : 8;
}

std::size_t Chunks::count() const {
  std::size_t count = 1;
  for (std::size_t d = 0; d < shape.size(); ++d) count *= (shape[d] + chunk[d] - 1) / chunk[d];
  return count;
}

std::size_t Chunks::values() const {
  std::size_t values = 1;
  for (const std::size_t n : chunk) values *= n;
  return values;
}

Hdf5Block Chunks::block(std::size_t number) const {
  Hdf5Block block{std::vector<std::size_t>(shape.size()), std::vector<std::size_t>(shape.size())};
  for (std::size_t d = shape.size(); d-- > 0;) {
    const std::size_t count = (shape[d] + chunk[d] - 1) / chunk[d];
    block.first[d] = number % count * chunk[d];
    block.extent[d] = std::min(chunk[d], shape[d] - block.first[d]);
    number /= count;
  }
  return block;
}

ChunkCompressor::ChunkCompressor(const Chunks& chunks, std::size_t value_bytes)
    : chunk_(chunks.chunk),
      value_bytes_(value_bytes),
      compressor_(libdeflate_alloc_compressor(compression_level), libdeflate_free_compressor),
      values_(chunks.values() * value_bytes),
      shuffled_(values_.size()) {
  if (!compressor_) throw std::bad_alloc();
  compressed_ = Array<char>(libdeflate_zlib_compress_bound(compressor_.get(), values_.size()));
}

void ChunkCompressor::compress(const std::vector<std::size_t>& extent) {
  pad(values_.data(), extent, chunk_, value_bytes_);
  shuffle(values_.data(), values_.size() / value_bytes_, value_bytes_, shuffled_.data());
  length_ = libdeflate_zlib_compress(compressor_.get(), shuffled_.data(), shuffled_.size(), compressed_.data(),
                                     compressed_.size());
}

}  // namespace asterism::hdf5_detail

// Datasets in compressed chunks. HDF5 itself compresses with one thread; here all threads do, and HDF5 gets what its
// own filters would have made: bytes shuffled, then a zlib stream.
#include <libdeflate.h>

#include <algorithm>
#include <cstring>
#include <new>

#include "taskflows/runtime/array.hpp"
#include "taskflows/runtime/batches.hpp"
#include "taskflows/runtime/hdf5_detail.hpp"

namespace asterism {
namespace {

using hdf5_detail::Id;
using hdf5_detail::memory_type;

constexpr int level = 1;

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

/// The chunk with this number, the last dimension fastest, cut at the end of the dataset.
Hdf5Block block_of(std::size_t number, const std::vector<std::size_t>& shape, const std::vector<std::size_t>& chunk) {
  Hdf5Block block{std::vector<std::size_t>(shape.size()), std::vector<std::size_t>(shape.size())};
  for (std::size_t d = shape.size(); d-- > 0;) {
    const std::size_t count = (shape[d] + chunk[d] - 1) / chunk[d];
    block.first[d] = number % count * chunk[d];
    block.extent[d] = std::min(chunk[d], shape[d] - block.first[d]);
    number /= count;
  }
  return block;
}

/// A chunk on its way.
struct Workspace {
  explicit Workspace(std::size_t bytes)
      : compressor(libdeflate_alloc_compressor(level), libdeflate_free_compressor), values(bytes), shuffled(bytes) {
    if (!compressor) throw std::bad_alloc();
    compressed = Array<char>(libdeflate_zlib_compress_bound(compressor.get(), bytes));
  }

  std::unique_ptr<libdeflate_compressor, decltype(&libdeflate_free_compressor)> compressor;
  Array<char> values;
  Array<char> shuffled;
  Array<char> compressed;
  std::size_t length = 0;  ///< of what is compressed
};

}  // namespace

void Hdf5Output::write_compressed(const std::string& dataset, Hdf5Number number, const std::vector<std::size_t>& shape,
                                  const std::vector<std::size_t>& chunk, const FillBytes& fill) {
  const std::size_t size = H5Tget_size(memory_type(number));
  const std::vector<hsize_t> chunk_extent(chunk.begin(), chunk.end());
  const Id creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  H5Pset_chunk(creation, static_cast<int>(chunk.size()), chunk_extent.data());
  H5Pset_shuffle(creation);
  H5Pset_deflate(creation, level);
  H5Pset_fill_time(creation, H5D_FILL_TIME_NEVER);
  const Id made(make(dataset, number, shape, creation), H5Dclose);

  std::size_t chunks = 1;
  std::size_t elements = 1;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    chunks *= (shape[d] + chunk[d] - 1) / chunk[d];
    elements *= chunk[d];
  }
  std::vector<Workspace> workspaces;
  for (std::size_t place = 0; place < batch_size(chunks); ++place) workspaces.emplace_back(elements * size);
  const auto make_chunk = [&](std::size_t c, std::size_t place) {
    Workspace& work = workspaces[place];
    const Hdf5Block block = block_of(c, shape, chunk);
    fill(block, work.values.data());
    pad(work.values.data(), block.extent, chunk, size);
    shuffle(work.values.data(), elements, size, work.shuffled.data());
    work.length = libdeflate_zlib_compress(work.compressor.get(), work.shuffled.data(), elements * size,
                                           work.compressed.data(), work.compressed.size());
  };
  const auto write_chunk = [&](std::size_t c, std::size_t place) {
    const Workspace& work = workspaces[place];
    const Hdf5Block block = block_of(c, shape, chunk);
    const std::vector<hsize_t> first(block.first.begin(), block.first.end());
    check(H5Dwrite_chunk(made, H5P_DEFAULT, 0, first.data(), work.length, work.compressed.data()) >= 0, "dataset",
          dataset);
  };
  in_batches(chunks, make_chunk, write_chunk);
}

}  // namespace asterism

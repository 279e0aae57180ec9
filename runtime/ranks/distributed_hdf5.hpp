// SPDX-License-Identifier: Apache-2.0
// An HDF5 file that all ranks write together. Rank 0 keeps HDF5 itself: names, attributes, and where values go; the
// values are written by the ranks that have them, at the places that it tells. What comes out is the file that one
// process writes, and like that one (Hdf5Output) it appears, or changes, as a whole or not at all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "io/hdf5/file.hpp"
#include "runtime/ranks/distributed_array.hpp"

namespace asterism {

/// How the values of a chunk come from a DistributedArray, of which another part is with every rank.
struct ChunkSource {
  std::function<ArrayBox(const Hdf5Block& chunk)> needs;
  /// From the values of needs(chunk) to those of the chunk, the last index fastest. All threads call it; does not
  /// throw.
  std::function<void(const Hdf5Block& chunk, const char* needed, void* values)> fill;
};

class DistributedHdf5 {
 public:
  using Existing = Hdf5Output::Existing;
  enum class Writers {
    this_process,  ///< Hdf5Output, nothing else
    all_ranks,     ///< which see the same folder
  };
  /// What a rank has in memory while it writes compressed chunks.
  struct Room {
    std::size_t values = std::size_t{64} << 20;  ///< bytes that it fetches and compresses at a time, or one chunk
    std::size_t times = 4;                       ///< that compressed chunks wait for their places, which are given then
  };
  /// All ranks make it, and call with the same arguments what is said to be theirs; an Error of one is thrown on all,
  /// at the latest by commit(). Throws Error as Hdf5Output.
  DistributedHdf5(std::filesystem::path path, Writers writers, Existing existing = Existing::replace)
      : DistributedHdf5(std::move(path), writers, existing, Room{}) {}
  DistributedHdf5(std::filesystem::path path, Writers writers, Existing existing, const Room& room);
  ~DistributedHdf5();  ///< without commit(): what was at `path` stays
  DistributedHdf5(const DistributedHdf5&) = delete;
  DistributedHdf5& operator=(const DistributedHdf5&) = delete;

  /// All ranks: a dataset to be filled by write_block(), which it makes room for.
  void create(const std::string& dataset, Hdf5Number number, const std::vector<std::size_t>& shape);
  /// All ranks, before the first write_block() to datasets of create(): room for their values.
  void make_room(const std::vector<std::string>& datasets);
  /// Any rank; blocks of different ones do not overlap. What none writes is 0 in a new file.
  template <class T>
  void write_block(const std::string& dataset, const Hdf5Block& block, std::span<const T> values) {
    write_block(dataset, block, hdf5_number<T>(), values.data());
  }
  /// What rank 0 has; of the others, nothing is taken.
  template <class T>
  void write(const std::string& dataset, const std::vector<std::size_t>& shape, std::span<const T> values) {
    on_rank_0([&](Hdf5Output& file) { file.write(dataset, shape, values); });
  }
  /// As rank 0 has it.
  template <class Value>
  void attribute(const std::string& object, const std::string& name, const Value& value) {
    on_rank_0([&](Hdf5Output& file) { file.attribute(object, name, value); });
  }
  /// What rank 0 alone puts into the file; an Error is kept until the ranks meet.
  void on_rank_0(const std::function<void(Hdf5Output& file)>& body);
  /// All ranks: a dataset in compressed chunks, each made by one of the ranks that have most of it; what it lacks comes
  /// from the others. Chunks are where one process puts them if each rank makes its own within Room::times.
  template <class T>
  void write_compressed(const std::string& dataset, const std::vector<std::size_t>& shape,
                        const std::vector<std::size_t>& chunk, const DistributedArray& array,
                        const ChunkSource& source) {
    write_compressed(dataset, hdf5_number<T>(), shape, chunk, array, source);
  }
  /// All ranks. Gives the file its name, or makes its changes. Throws Error (failed) on all ranks when one could not
  /// write what it had to; then nothing has changed.
  void commit();
  /// commit() of a file that a run may resume from: Hdf5Output::commit_checkpoint().
  void commit_checkpoint();

 private:
  void commit(void (Hdf5Output::*of_rank_0)());

  struct Placed {
    std::uint64_t at = 0;
    Hdf5Number number = Hdf5Number::float64;
    std::vector<std::size_t> shape;
  };
  struct Chunk;

  [[nodiscard]] bool shared() const { return writers_ == Writers::all_ranks; }
  void put(const std::string& dataset, std::uint64_t at, const char* bytes, std::size_t size);
  void agree() const;
  void write_chunks(const std::string& dataset, const std::vector<std::size_t>& shape,
                    const std::vector<std::size_t>& chunk, std::vector<Chunk>& chunks);
  void write_block(const std::string& dataset, const Hdf5Block& block, Hdf5Number number, const void* values);
  void write_compressed(const std::string& dataset, Hdf5Number number, const std::vector<std::size_t>& shape,
                        const std::vector<std::size_t>& chunk, const DistributedArray& array,
                        const ChunkSource& source);

  std::filesystem::path path_;
  Writers writers_;
  Room room_;
  std::optional<Hdf5Output> file_;  ///< of rank 0
  int bytes_ = -1;                  ///< the file that is under way, for this process's own values
  std::map<std::string, Placed> placed_;
  std::optional<Error> failure_;  ///< of this rank, the others do not know of it yet
};

}  // namespace asterism

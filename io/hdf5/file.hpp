// SPDX-License-Identifier: Apache-2.0
// HDF5 files: arrays of numbers by name, read and written whole, by rows or by blocks; a file is written under a
// temporary name, or extended so that it is as before until it is complete. HDF5's own printing of errors is silenced;
// what it reports ends up in our one line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "base/float16.hpp"
#include "io/hdf5/checksums.hpp"
#include "io/hdf5/transaction.hpp"
#include "io/output_file.hpp"

namespace asterism {

/// The numbers of a dataset in memory.
enum class Hdf5Number { float16, float32, float64, uint8, int32, int64 };

template <class T>
constexpr Hdf5Number hdf5_number() {
  if constexpr (std::is_same_v<T, Float16>) {
    return Hdf5Number::float16;
  } else if constexpr (std::is_same_v<T, float>) {
    return Hdf5Number::float32;
  } else if constexpr (std::is_same_v<T, double>) {
    return Hdf5Number::float64;
  } else if constexpr (std::is_same_v<T, std::uint8_t>) {
    return Hdf5Number::uint8;
  } else if constexpr (std::is_same_v<T, std::int32_t>) {
    return Hdf5Number::int32;
  } else {
    static_assert(std::is_same_v<T, std::int64_t>);
    return Hdf5Number::int64;
  }
}

/// Part of a dataset: the first index and the extent along each dimension.
struct Hdf5Block {
  std::vector<std::size_t> first;
  std::vector<std::size_t> extent;
};

/// Rows of a dataset are what its first index selects; the elements of a row lie together (C order).
class Hdf5Input {
 public:
  /// Throws Error (bad_input), one line naming the file: missing, unreadable, cut off, or something other than HDF5.
  explicit Hdf5Input(const std::filesystem::path& path);
  ~Hdf5Input();
  Hdf5Input(const Hdf5Input&) = delete;
  Hdf5Input& operator=(const Hdf5Input&) = delete;

  const std::string name;

  [[nodiscard]] bool has_dataset(const std::string& dataset) const;
  /// What the root of the file holds, in alphabetical order.
  [[nodiscard]] std::vector<std::string> members() const;
  /// Extent of each dimension. Throws Error (bad_input) when there is no such dataset, when it does not hold real
  /// numbers, or when the file cannot hold as many as it announces: memory may be allocated by what is returned.
  [[nodiscard]] std::vector<std::size_t> shape(const std::string& dataset) const;
  /// Fills `values` with the rows from `first` on, converted to double; values.size() is a multiple of a row's.
  void read_rows(const std::string& dataset, std::size_t first, std::span<double> values) const;
  /// Fills `values` with a block, the last index fastest, converted to T.
  template <class T>
  void read_block(const std::string& dataset, const Hdf5Block& block, std::span<T> values) const {
    read_block(dataset, block, hdf5_number<T>(), values.data());
  }
  /// What the values are in the file; nothing when none of those that this program writes.
  [[nodiscard]] std::optional<Hdf5Number> number(const std::string& dataset) const;

  /// Of a dataset, a group or the file ("/"). Throws Error (bad_input) when it is missing or of another kind.
  [[nodiscard]] std::int64_t integer_attribute(const std::string& object, const std::string& attribute) const;
  [[nodiscard]] double number_attribute(const std::string& object, const std::string& attribute) const;
  [[nodiscard]] std::string text_attribute(const std::string& object, const std::string& attribute) const;
  [[nodiscard]] bool has_attribute(const std::string& object, const std::string& attribute) const;

 private:
  void read_block(const std::string& dataset, const Hdf5Block& block, Hdf5Number number, void* values) const;
  void read_attribute(const std::string& object, const std::string& attribute, std::int64_t kind, std::int64_t type,
                      void* value) const;

  std::int64_t file_ = -1;
};

class Hdf5Output {
 public:
  enum class Existing {
    replace,  ///< a new file, in the place of an older one
    extend,   ///< a file that is there gets more; it is as before until commit()
  };
  /// Throws Error (bad_input) when no file can be written at `path`, or when the one to extend is no HDF5 file.
  explicit Hdf5Output(const std::filesystem::path& path, Existing existing = Existing::replace);
  ~Hdf5Output();  ///< without commit(): what was at `path` stays
  Hdf5Output(const Hdf5Output&) = delete;
  Hdf5Output& operator=(const Hdf5Output&) = delete;

  /// Makes a dataset to be filled by write_rows() or write_block(), and the groups on its way ("step0010/velocity").
  void create(const std::string& dataset, Hdf5Number number, const std::vector<std::size_t>& shape);
  template <class T>
  void write_rows(const std::string& dataset, std::size_t first, std::span<const T> values) {
    write_rows(dataset, first, hdf5_number<T>(), values.data(), values.size());
  }
  template <class T>
  void write(const std::string& dataset, const std::vector<std::size_t>& shape, std::span<const T> values) {
    create(dataset, hdf5_number<T>(), shape);
    write_rows(dataset, 0, values);
  }
  /// A dataset of one number, without dimensions.
  void write_number(const std::string& dataset, double value);
  template <class T>
  void write_block(const std::string& dataset, const Hdf5Block& block, std::span<const T> values) {
    write_block(dataset, block, hdf5_number<T>(), values.data());
  }
  /// Makes and fills a dataset in compressed chunks (shuffle, deflate level 1): fill(block, values) sets the values of
  /// a block, the last index fastest. All threads call `fill`, on different blocks; it does not throw.
  template <class T, class Fill>
  void write_compressed(const std::string& dataset, const std::vector<std::size_t>& shape,
                        const std::vector<std::size_t>& chunk, const Fill& fill) {
    write_compressed(dataset, hdf5_number<T>(), shape, chunk,
                     [&](const Hdf5Block& block, void* values) { fill(block, static_cast<T*>(values)); });
  }

  // For other processes that write values of the same file by themselves (DistributedHdf5), before commit():
  /// The file that is under way, at whatever name.
  [[nodiscard]] const std::filesystem::path& under_way() const noexcept;
  /// The first byte of a dataset of create() that was not written yet; its values follow in C order.
  [[nodiscard]] std::uint64_t place(const std::string& dataset);
  /// As write_compressed() does, but without a chunk.
  void create_compressed(const std::string& dataset, Hdf5Number number, const std::vector<std::size_t>& shape,
                         const std::vector<std::size_t>& chunk);
  struct CompressedChunk {
    std::uint64_t number;  ///< in C order
    std::uint64_t bytes;
  };
  /// The first byte of each of these chunks.
  [[nodiscard]] std::vector<std::uint64_t> place_chunks(const std::string& dataset,
                                                        const std::vector<std::size_t>& shape,
                                                        const std::vector<std::size_t>& chunk,
                                                        std::span<const CompressedChunk> chunks);

  /// Attaches a value to a dataset, to a group, or to the file ("/").
  void attribute(const std::string& object, const std::string& attribute, double value);
  void attribute(const std::string& object, const std::string& attribute, std::int64_t value);
  void attribute(const std::string& object, const std::string& attribute, const std::string& value);
  void attribute(const std::string& object, const std::string& attribute, std::span<const double> values);
  void attribute(const std::string& object, const std::string& attribute, std::span<const std::int64_t> values);
  /// Makes a one-dimensional dataset the coordinates of axes (HDF5 dimension scales), under a name.
  void make_scale(const std::string& dataset, const std::string& axis);
  /// The coordinates of each axis of a dataset, the first index first.
  void attach_scales(const std::string& dataset, const std::vector<std::string>& scales);
  void create_group(const std::string& group);
  /// Takes a dataset or a group out of the file; the file gets no smaller.
  void remove(const std::string& object);

  /// Gives a new file its name; makes the changes of one that is extended. Throws Error (failed) when something could
  /// not be written.
  void commit();
  /// commit() of a new file that a run may resume from: with checksums of all its bytes (io/hdf5/checksums.hpp), and
  /// the files before it kept as --keep says.
  void commit_checkpoint();

 private:
  friend class DistributedHdf5;
  [[nodiscard]] std::vector<NamedBytes> placed_datasets() const;
  using FillBytes = std::function<void(const Hdf5Block& block, void* values)>;
  void write_rows(const std::string& dataset, std::size_t first, Hdf5Number number, const void* values,
                  std::size_t count);
  void write_block(const std::string& dataset, const Hdf5Block& block, Hdf5Number number, const void* values);
  void write_compressed(const std::string& dataset, Hdf5Number number, const std::vector<std::size_t>& shape,
                        const std::vector<std::size_t>& chunk, const FillBytes& fill);
  std::int64_t make(const std::string& dataset, Hdf5Number number, const std::vector<std::size_t>& shape,
                    std::int64_t creation);
  std::int64_t make_compressed(const std::string& dataset, Hdf5Number number, const std::vector<std::size_t>& shape,
                               const std::vector<std::size_t>& chunk);
  void attribute(const std::string& object, const std::string& attribute, std::int64_t type, std::int64_t space,
                 const void* value);
  void check(bool success, const char* kind, const std::string& object) const;
  [[noreturn]] void fail(const std::string& what) const;

  PendingFile pending_;
  std::unique_ptr<Hdf5Transaction> transaction_;
  bool extends_ = false;
  std::int64_t file_ = -1;
};

}  // namespace asterism

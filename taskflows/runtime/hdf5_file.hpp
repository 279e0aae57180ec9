// HDF5 files: arrays of numbers by name, read whole or by rows, written under a temporary name. HDF5's own printing
// of errors is silenced; what it reports ends up in our one line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "taskflows/runtime/output_file.hpp"

namespace asterism {

/// The numbers of a dataset in memory.
enum class Hdf5Number { float32, float64, int32, int64 };

template <class T>
constexpr Hdf5Number hdf5_number() {
  if constexpr (std::is_same_v<T, float>) {
    return Hdf5Number::float32;
  } else if constexpr (std::is_same_v<T, double>) {
    return Hdf5Number::float64;
  } else if constexpr (std::is_same_v<T, std::int32_t>) {
    return Hdf5Number::int32;
  } else {
    static_assert(std::is_same_v<T, std::int64_t>);
    return Hdf5Number::int64;
  }
}

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

 private:
  std::int64_t file_ = -1;
};

class Hdf5Output {
 public:
  /// Throws Error (bad_input) when no file can be written at `path`.
  explicit Hdf5Output(const std::filesystem::path& path);
  ~Hdf5Output();
  Hdf5Output(const Hdf5Output&) = delete;
  Hdf5Output& operator=(const Hdf5Output&) = delete;

  /// Makes a dataset to be filled by write_rows(), and the groups on its way ("step0010/velocity").
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
  /// Attaches a value to a dataset, to a group, or to the file ("/").
  void attribute(const std::string& object, const std::string& attribute, double value);
  void attribute(const std::string& object, const std::string& attribute, const std::string& value);

  /// Gives the file its final name. Throws Error (failed) when something could not be written.
  void commit();

 private:
  void write_rows(const std::string& dataset, std::size_t first, Hdf5Number number, const void* values,
                  std::size_t count);
  void attribute(const std::string& object, const std::string& attribute, std::int64_t type, std::int64_t space,
                 const void* value);
  [[noreturn]] void fail(const std::string& what) const;

  PendingFile pending_;
  std::int64_t file_ = -1;
};

}  // namespace asterism

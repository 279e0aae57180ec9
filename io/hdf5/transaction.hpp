// SPDX-License-Identifier: Apache-2.0
// The bytes of an HDF5 file while it is written. HDF5 changes metadata in place, so a file that is being extended would
// be damaged by a full disk or a killed program. Here new bytes go behind the end, and the few old pages that change
// are held back until everything else is written: until then the file is as it was, for whoever reads it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>

namespace asterism {

class Hdf5Transaction {
 public:
  static constexpr std::uint64_t page_size = 4096;
  using Page = std::array<char, page_size>;
  using Pages = std::map<std::uint64_t, Page>;  ///< by their first byte

  /// Opens `file` for writing. kept: bytes that stay as they are until commit(); 0: a new file. Throws Error
  /// (bad_input).
  Hdf5Transaction(std::filesystem::path file, std::uint64_t kept);
  ~Hdf5Transaction();
  Hdf5Transaction(const Hdf5Transaction&) = delete;
  Hdf5Transaction& operator=(const Hdf5Transaction&) = delete;

  /// A file access property list of HDF5 that goes through this object, which outlives every file opened by it.
  [[nodiscard]] std::int64_t access();
  /// Where HDF5 writes `stand_in`, which write() gives it for bytes that other processes write to the file themselves;
  /// nothing of it is written. None when that is not behind the old bytes.
  template <class Write>
  std::optional<std::uint64_t> place_of(const void* stand_in, const Write& write) {
    stand_in_ = stand_in;
    place_.reset();
    write();
    stand_in_ = nullptr;
    return place_;
  }
  /// Bytes that stay as they are until commit().
  [[nodiscard]] std::uint64_t kept() const noexcept { return kept_; }
  /// errno of the first write that failed, 0 if none. HDF5 is not told: it cannot close a file that fails to be
  /// written.
  [[nodiscard]] int error() const noexcept { return error_; }

  /// After HDF5 closed the file: the changes become part of it. Old pages go into a journal first, "FILE.journal", that
  /// recover() finds if the program is killed while they are written. Throws Error (failed); then nothing changed.
  void commit();
  /// After HDF5 closed the file: it is as it was.
  void roll_back() noexcept;

  /// Completes a commit that was interrupted, if there is one. A journal is applied to the file alone for which it was
  /// written, in the state in which the interruption left it; one without its file is removed. Throws Error (bad_input)
  /// for any other, and changes nothing.
  static void recover(const std::filesystem::path& file);

 private:
  struct Driver;
  bool read(std::uint64_t at, std::size_t size, char* bytes) const;
  void write(std::uint64_t at, std::size_t size, const char* bytes);
  void write_through(std::uint64_t at, std::size_t size, const char* bytes);

  std::filesystem::path name_;
  int file_ = -1;
  std::uint64_t kept_ = 0;
  std::uint64_t end_ = 0;        ///< of what was written
  std::uint64_t announced_ = 0;  ///< end of the file as HDF5 sees it
  Pages changed_;
  int error_ = 0;
  const void* stand_in_ = nullptr;
  std::optional<std::uint64_t> place_;  ///< of what it stands for
};

}  // namespace asterism

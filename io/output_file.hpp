// SPDX-License-Identifier: Apache-2.0
// A file that appears whole or not at all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string_view>

#include "io/temporary_files.hpp"

namespace asterism {

/// Throws Error (bad_input) when `path` is something other than a regular file or a new name: a folder, a device, a
/// pipe, a socket. A rename would replace it.
void require_regular_target(const std::filesystem::path& path);

/// Brings what was written to a file or a folder to the disk. False: errno says why; a file system that cannot do that
/// is no failure.
bool sync_to_disk(const std::filesystem::path& path) noexcept;

/// The temporary name, beside its final one, of a file that a library writes by itself. It is removed by an error, by
/// SIGINT and by SIGTERM.
class PendingFile {
 public:
  /// Throws Error (bad_input) when `path` is something other than a regular file: a rename would replace a device.
  explicit PendingFile(std::filesystem::path path);
  ~PendingFile();  ///< removes the temporary file unless it was committed
  PendingFile(const PendingFile&) = delete;
  PendingFile& operator=(const PendingFile&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }
  [[nodiscard]] const std::filesystem::path& temporary() const noexcept { return temporary_; }
  /// Brings the temporary file to the disk, renames it to `path` and brings that to the disk: after a loss of power
  /// there is the old file or the new one. Throws Error (failed) when that is not possible.
  void commit();

 private:
  std::filesystem::path path_;
  std::filesystem::path temporary_;
  std::optional<TemporaryFile> registered_;
};

/// All of these bytes to a place of an open file, or false; errno says why.
bool write_at(int file, std::uint64_t at, std::size_t size, const char* bytes);

class OutputFile {
 public:
  /// Opens a temporary file beside `path`. Throws Error (bad_input) when that is not possible.
  explicit OutputFile(std::filesystem::path path);

  std::ofstream& stream() noexcept { return stream_; }
  /// Appends bytes. Throws Error (failed) with the system's reason, such as a full disk.
  void write(std::string_view bytes);
  /// Where the next byte goes, and another place for it, to complete what was not known before.
  std::int64_t position();
  void seek(std::int64_t position);
  /// Renames the temporary file to `path`. Throws Error (failed) when something could not be written.
  void commit();

 private:
  void check() const;

  PendingFile pending_;
  std::ofstream stream_;
};

}  // namespace asterism

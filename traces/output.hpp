// A file that appears whole or not at all.
#pragma once

#include <filesystem>
#include <fstream>

namespace asterism::traces {

class OutputFile {
 public:
  /// Opens a temporary file beside `path`. Throws Error (bad_input) when that is not possible.
  explicit OutputFile(std::filesystem::path path);
  ~OutputFile();  ///< removes the temporary file unless it was committed
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  std::ofstream& stream() noexcept { return stream_; }
  /// Renames the temporary file to `path`. Throws Error (failed) when something could not be written.
  void commit();

 private:
  std::filesystem::path path_;
  std::filesystem::path temporary_;
  std::ofstream stream_;
};

}  // namespace asterism::traces

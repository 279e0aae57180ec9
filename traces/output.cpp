#include "traces/output.hpp"

#include <unistd.h>

#include <cstring>

#include "taskflows/runtime/error.hpp"

namespace asterism::traces {

OutputFile::OutputFile(std::filesystem::path path)
    : path_(std::move(path)), temporary_(path_.string() + fmt::format(".{}.part", getpid())) {
  stream_.open(temporary_, std::ios::binary | std::ios::trunc);
  if (!stream_) bad_input("{}: cannot be written ({})", path_.string(), std::strerror(errno));
}

OutputFile::~OutputFile() {
  if (temporary_.empty()) return;
  stream_.close();
  std::error_code ignored;
  std::filesystem::remove(temporary_, ignored);
}

void OutputFile::commit() {
  stream_.close();
  if (!stream_) failed("{}: could not be written in full", path_.string());
  std::error_code error;
  std::filesystem::rename(temporary_, path_, error);
  if (error) failed("{}: cannot be renamed to {} ({})", temporary_.string(), path_.string(), error.message());
  temporary_.clear();
}

}  // namespace asterism::traces

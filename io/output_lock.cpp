// SPDX-License-Identifier: Apache-2.0
#include "io/output_lock.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <string_view>
#include <system_error>

#include "base/error.hpp"

namespace asterism {
namespace {

namespace fs = std::filesystem;

enum class Taken { yes, by_another, impossible };

/// A lock of the open file: it belongs to no process and ends with the last descriptor.
Taken take(int descriptor) {
  struct flock whole = {};
  whole.l_type = F_WRLCK;
  whole.l_whence = SEEK_SET;
  if (fcntl(descriptor, F_OFD_SETLK, &whole) == 0) return Taken::yes;
  return errno == EAGAIN || errno == EACCES ? Taken::by_another : Taken::impossible;
}

/// Whether the name still is that of the open file: the holder before removes it.
bool is_at(int descriptor, const fs::path& path) {
  struct stat opened = {};
  struct stat named = {};
  return fstat(descriptor, &opened) == 0 && stat(path.c_str(), &named) == 0 && opened.st_ino == named.st_ino &&
         opened.st_dev == named.st_dev;
}

/// NAME.4711.part of programs that are no more: nobody else writes NAME now.
void remove_leftovers(const fs::path& file, const fs::path& folder) {
  const std::string begin = file.filename().string() + ".";
  constexpr std::string_view end = ".part";
  std::error_code ignored;
  for (fs::directory_iterator at(folder, ignored), last; !ignored && at != last; at.increment(ignored)) {
    const std::string name = at->path().filename().string();
    if (name.size() <= begin.size() + end.size() || !name.starts_with(begin) || !name.ends_with(end)) continue;
    const std::string_view number =
        std::string_view(name).substr(begin.size(), name.size() - begin.size() - end.size());
    std::error_code failed;
    if (std::all_of(number.begin(), number.end(), [](char c) { return c >= '0' && c <= '9'; }))
      fs::remove(at->path(), failed);
  }
}

}  // namespace

OutputLock::OutputLock(const fs::path& file) {
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  lock_ = folder / fmt::format(".{}.lock", file.filename().string());
  for (;;) {
    descriptor_ = open(lock_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (descriptor_ < 0) return;
    const Taken taken = take(descriptor_);
    if (taken == Taken::yes && is_at(descriptor_, lock_)) break;
    close(descriptor_);
    descriptor_ = -1;
    if (taken == Taken::by_another)
      bad_input("{}: another program is writing it (it holds {})", file.string(), lock_.string());
    if (taken == Taken::impossible) return;
  }
  registered_.emplace(lock_.string());
  remove_leftovers(file, folder);
}

OutputLock::~OutputLock() {
  if (descriptor_ < 0) return;
  unlink(lock_.c_str());
  close(descriptor_);
}

}  // namespace asterism

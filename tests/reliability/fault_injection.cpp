// SPDX-License-Identifier: Apache-2.0
// For LD_PRELOAD: counts the system calls that change files of a folder, and lets the n-th one fail. Environment:
//   FAULT_FOLDER  whose files count, an absolute path
//   FAULT_AT      number of the call, from 1; 0 or nothing: none fails
//   FAULT_KIND    enospc, eio, eintr (once, then it works), short (half of it is written), kill (SIGKILL before it)
//   FAULT_COUNT   a file that gets the number of calls so far; it must not lie in the folder
// enospc and eio persist for what needs room on the disk, as a full disk does: every later write fails, too.
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <climits>

namespace {

std::atomic<long> calls{0};

template <class Function>
Function next(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

const char* variable(const char* name) {
  const char* const value = getenv(name);
  return value == nullptr ? "" : value;
}

bool is_in_folder(const char* path) {
  const char* const folder = variable("FAULT_FOLDER");
  if (*folder == '\0') return false;
  char full[PATH_MAX] = {};
  if (path[0] != '/') {
    if (getcwd(full, sizeof full) == nullptr) return false;
    strncat(full, "/", sizeof full - strlen(full) - 1);
  }
  strncat(full, path, sizeof full - strlen(full) - 1);
  return strncmp(full, folder, strlen(folder)) == 0;
}

bool is_in_folder(int file) {
  char link[64];
  char path[PATH_MAX] = {};
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  return readlink(link, path, sizeof path - 1) > 0 && is_in_folder(path);
}

void note(long count) {
  static int file = -1;
  if (*variable("FAULT_COUNT") == '\0') return;
  if (file < 0) file = open(variable("FAULT_COUNT"), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  char text[32];
  const int length = snprintf(text, sizeof text, "%-20ld\n", count);
  static const auto write_at = next<ssize_t (*)(int, const void*, size_t, off_t)>("pwrite");
  static_cast<void>(write_at(file, text, static_cast<size_t>(length), 0) < 0);
}

enum class Fault { none, error, shorter };

/// Counts a call; what happens to it. `needs_room`: it fails again on a full disk.
Fault fault(bool needs_room, bool removes = false) {
  const long number = ++calls;
  note(number);
  const long at = atol(variable("FAULT_AT"));
  const char* const kind = variable("FAULT_KIND");
  if (at <= 0) return Fault::none;
  const bool full = strcmp(kind, "enospc") == 0;
  const bool broken = strcmp(kind, "eio") == 0;
  if (full && removes) return Fault::none;  // a full disk does not keep a file from being removed
  if (number != at && !(number > at && needs_room && (full || broken))) return Fault::none;
  if (strcmp(kind, "kill") == 0) raise(SIGKILL);
  if (strcmp(kind, "short") == 0) return Fault::shorter;
  errno = full ? ENOSPC : broken ? EIO : EINTR;
  return Fault::error;
}

}  // namespace

extern "C" {

ssize_t write(int file, const void* bytes, size_t size) {
  static const auto real = next<ssize_t (*)(int, const void*, size_t)>("write");
  if (!is_in_folder(file)) return real(file, bytes, size);
  const Fault f = fault(true);
  return f == Fault::error ? -1 : real(file, bytes, f == Fault::shorter ? (size + 1) / 2 : size);
}

ssize_t writev(int file, const iovec* parts, int count) {
  static const auto real = next<ssize_t (*)(int, const iovec*, int)>("writev");
  if (!is_in_folder(file)) return real(file, parts, count);
  const Fault f = fault(true);
  return f == Fault::error ? -1 : real(file, parts, f == Fault::shorter ? 1 : count);
}

ssize_t pwrite(int file, const void* bytes, size_t size, off_t at) {
  static const auto real = next<ssize_t (*)(int, const void*, size_t, off_t)>("pwrite");
  if (!is_in_folder(file)) return real(file, bytes, size, at);
  const Fault f = fault(true);
  return f == Fault::error ? -1 : real(file, bytes, f == Fault::shorter ? (size + 1) / 2 : size, at);
}

ssize_t pwrite64(int file, const void* bytes, size_t size, off_t at) {
  return pwrite(file, bytes, size, at);
}

int fsync(int file) {
  static const auto real = next<int (*)(int)>("fsync");
  return is_in_folder(file) && fault(true) == Fault::error ? -1 : real(file);
}

int ftruncate(int file, off_t size) noexcept {
  static const auto real = next<int (*)(int, off_t)>("ftruncate");
  return is_in_folder(file) && fault(false) == Fault::error ? -1 : real(file, size);
}

int ftruncate64(int file, off_t size) noexcept {
  return ftruncate(file, size);
}

int rename(const char* from, const char* to) noexcept {
  static const auto real = next<int (*)(const char*, const char*)>("rename");
  return is_in_folder(to) && fault(false) == Fault::error ? -1 : real(from, to);
}

int link(const char* from, const char* to) noexcept {
  static const auto real = next<int (*)(const char*, const char*)>("link");
  return is_in_folder(to) && fault(false) == Fault::error ? -1 : real(from, to);
}

int unlink(const char* path) noexcept {
  static const auto real = next<int (*)(const char*)>("unlink");
  return is_in_folder(path) && fault(false, true) == Fault::error ? -1 : real(path);
}
}

// SPDX-License-Identifier: Apache-2.0
#include "io/hdf5/validation.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <limits>
#include <map>
#include <mutex>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "io/hdf5/detail.hpp"

namespace asterism {
namespace {

using hdf5_detail::Id;

constexpr unsigned limit_seconds = 30;
constexpr rlim_t limit_bytes = rlim_t{1} << 30;
/// Values are read, too, where HDF5 itself puts them together from chunks.
constexpr hsize_t most_chunked_bytes = hsize_t{256} << 20;

using Identity = std::tuple<dev_t, ino_t, off_t, decltype(timespec::tv_sec), decltype(timespec::tv_nsec)>;

Identity identity_of(const std::filesystem::path& file) {
  struct stat s = {};
  if (stat(file.c_str(), &s) != 0) return {};
  return {s.st_dev, s.st_ino, s.st_size, s.st_mtim.tv_sec, s.st_mtim.tv_nsec};
}

struct Trusted {
  std::mutex mutex;
  std::map<std::string, std::pair<Identity, Trust>> files;
};

Trusted& trusted() {
  static Trusted all;
  return all;
}

void read_values(hid_t dataset) {
  const Id space(H5Dget_space(dataset), H5Sclose);
  const Id stored(H5Dget_type(dataset), H5Tclose);
  const Id properties(H5Dget_create_plist(dataset), H5Pclose);
  if (!space.valid() || !stored.valid() || !properties.valid()) return;
  const int rank = H5Sget_simple_extent_ndims(space);
  if (rank < 1 || rank > H5S_MAX_RANK || H5Pget_layout(properties) != H5D_CHUNKED) return;
  if (H5Dget_storage_size(dataset) > most_chunked_bytes) return;
  std::vector<hsize_t> extent(static_cast<std::size_t>(rank));
  H5Sget_simple_extent_dims(space, extent.data(), nullptr);
  hsize_t row = H5Tget_size(stored);
  for (std::size_t d = 1; d < extent.size(); ++d) {
    if (extent[d] == 0 || row > most_chunked_bytes / extent[d]) return;
    row *= extent[d];
  }
  if (row == 0) return;
  const hsize_t rows = std::max<hsize_t>(1, (hsize_t{16} << 20) / row);
  std::vector<char> values;
  for (hsize_t first = 0; first < extent[0]; first += rows) {
    std::vector<hsize_t> start(extent.size(), 0);
    std::vector<hsize_t> part = extent;
    start[0] = first;
    part[0] = std::min(rows, extent[0] - first);
    values.resize(part[0] * row);
    const Id memory(H5Screate_simple(rank, part.data(), nullptr), H5Sclose);
    if (H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), nullptr, part.data(), nullptr) < 0 ||
        H5Dread(dataset, stored, memory, space, H5P_DEFAULT, values.data()) < 0)
      return;
  }
}

herr_t read_attribute(hid_t object, const char* name, const H5A_info_t* info, void*) {
  const Id attribute(H5Aopen(object, name, H5P_DEFAULT), H5Aclose);
  const Id type(attribute.valid() ? H5Aget_type(attribute) : H5I_INVALID_HID, H5Tclose);
  if (!type.valid() || info->data_size > (1 << 20) || H5Tis_variable_str(type) > 0) return 0;
  std::vector<char> value(std::max<std::size_t>(info->data_size, 1) + H5Tget_size(type));
  H5Aread(attribute, type, value.data());
  return 0;
}

herr_t read_object(hid_t file, const char* name, const H5O_info_t*, void*) {
  const Id object(H5Oopen(file, name, H5P_DEFAULT), H5Oclose);
  if (!object.valid()) return 0;
  hsize_t at = 0;
  H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_NATIVE, &at, read_attribute, nullptr);
  if (H5Iget_type(object) == H5I_DATASET) read_values(object);
  return 0;
}

rlim_t address_space() {
  long pages = 0;
  if (FILE* const file = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(file, "%ld", &pages) != 1) pages = 0;
    std::fclose(file);
  }
  return static_cast<rlim_t>(pages) * static_cast<rlim_t>(sysconf(_SC_PAGESIZE));
}

/// In the child.
[[noreturn]] void read_all(const char* name) {
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM, SIGTERM, SIGINT}) {
    struct sigaction standard = {};
    standard.sa_handler = SIG_DFL;
    sigaction(signal, &standard, nullptr);
  }
  const int nowhere = open("/dev/null", O_WRONLY);
  if (nowhere >= 0) dup2(nowhere, STDERR_FILENO);
  rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  if (const rlim_t now = address_space(); now > 0) {
    const rlimit most = {now + limit_bytes, now + limit_bytes};
    setrlimit(RLIMIT_AS, &most);
  }
#endif
  alarm(limit_seconds);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  const hid_t file = H5Fopen(name, H5F_ACC_RDONLY, H5P_DEFAULT);
  if (file >= 0) {
    H5Ovisit2(file, H5_INDEX_NAME, H5_ITER_NATIVE, read_object, nullptr, H5O_INFO_BASIC);
    H5Fclose(file);
  }
  _exit(0);
}

}  // namespace

bool begins_as_hdf5(const std::filesystem::path& file) {
  char begin[8] = {};
  const int opened = open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (opened < 0) return false;
  const ssize_t got = pread(opened, begin, sizeof begin, 0);
  close(opened);
  return got == sizeof begin && std::memcmp(begin, "\x89HDF\r\n\x1a\n", sizeof begin) == 0;
}

bool is_trusted(const std::filesystem::path& file, Trust wanted) {
  const std::lock_guard lock(trusted().mutex);
  const auto found = trusted().files.find(file.string());
  if (found == trusted().files.end()) return false;
  const auto& [identity, trust] = found->second;
  return identity == identity_of(file) && identity != Identity{} && (trust == Trust::whole || trust == wanted);
}

void trust(const std::filesystem::path& file, Trust found) {
  const std::lock_guard lock(trusted().mutex);
  trusted().files[file.string()] = {identity_of(file), found};
}

void require_harmless_hdf5(const std::filesystem::path& file) {
  if (is_trusted(file, Trust::harmless)) return;
  const std::string name = file.string();
  const pid_t child = fork();
  if (child < 0) failed("{}: cannot be looked at: fork: {}", name, std::strerror(errno));
  if (child == 0) read_all(name.c_str());
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
    bad_input("{}: damaged HDF5 file: its structure takes more than {} s to read", name, limit_seconds);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    bad_input("{}: damaged HDF5 file: HDF5's library crashes on it", name);
  trust(file, Trust::harmless);
}

}  // namespace asterism

// SPDX-License-Identifier: Apache-2.0
#include "io/hdf5/transaction.hpp"

#include <fcntl.h>
#include <hdf5.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <exception>
#include <string>
#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "io/hdf5/journal.hpp"
#include "io/output_file.hpp"
#if H5_VERSION_GE(1, 13, 0)
#include <H5FDdevelop.h>
#endif

namespace asterism {
// ---- what HDF5 calls -----------------------------------------------------------------------------------

struct Hdf5Transaction::Driver {
  H5FD_t base;  // HDF5's part: first
  Hdf5Transaction* transaction;
  haddr_t end;

  static Driver& of(H5FD_t* file) { return *reinterpret_cast<Driver*>(file); }
  static const Driver& of(const H5FD_t* file) { return *reinterpret_cast<const Driver*>(file); }

  static H5FD_t* open(const char*, unsigned, hid_t access, haddr_t) {
    const auto* info = static_cast<Hdf5Transaction* const*>(H5Pget_driver_info(access));
    if (info == nullptr) return nullptr;
    return &(new Driver{.base = {}, .transaction = *info, .end = 0})->base;
  }
  static herr_t close(H5FD_t* file) {
    delete &of(file);
    return 0;
  }
  static herr_t query(const H5FD_t*, unsigned long* flags) {
    *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
             H5FD_FEAT_AGGREGATE_SMALLDATA | H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
    return 0;
  }
  static haddr_t get_end(const H5FD_t* file, H5FD_mem_t) { return of(file).end; }
  static herr_t set_end(H5FD_t* file, H5FD_mem_t, haddr_t end) {
    of(file).end = end;
    of(file).transaction->announced_ = end;
    return 0;
  }
  static haddr_t get_size(const H5FD_t* file, H5FD_mem_t) { return of(file).transaction->end_; }
  static herr_t read(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t at, std::size_t size, void* bytes) {
    return of(file).transaction->read(at, size, static_cast<char*>(bytes)) ? 0 : -1;
  }
  static herr_t write(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t at, std::size_t size, const void* bytes) {
    of(file).transaction->write(at, size, static_cast<const char*>(bytes));
    return 0;
  }

  static hid_t id() {
    static const hid_t registered = [] {
      static H5FD_class_t table{};
#if H5_VERSION_GE(1, 13, 0)
      table.version = H5FD_CLASS_VERSION;
      table.value = static_cast<H5FD_class_value_t>(600);  // of those for testing
#endif
      table.name = "asterism";
      table.maxaddr = (haddr_t{1} << 62) - 1;
      table.fc_degree = H5F_CLOSE_STRONG;
      table.fapl_size = sizeof(Hdf5Transaction*);
      table.open = open;
      table.close = close;
      table.query = query;
      table.get_eoa = get_end;
      table.set_eoa = set_end;
      table.get_eof = get_size;
      table.read = read;
      table.write = write;
      constexpr H5FD_mem_t map[] = H5FD_FLMAP_DICHOTOMY;
      std::copy(std::begin(map), std::end(map), table.fl_map);
      return H5FDregister(&table);
    }();
    return registered;
  }
};

// ---- the file ------------------------------------------------------------------------------------------

Hdf5Transaction::Hdf5Transaction(std::filesystem::path file, std::uint64_t kept)
    : name_(std::move(file)), kept_(kept), end_(kept) {
  file_ = ::open(name_.c_str(), O_RDWR | O_CLOEXEC | (kept == 0 ? O_CREAT | O_TRUNC : 0), 0666);
  if (file_ < 0) bad_input("{}: cannot be written: {}", name_.string(), system_message(errno));
}

Hdf5Transaction::~Hdf5Transaction() {
  ::close(file_);
}

std::int64_t Hdf5Transaction::access() {
  const hid_t list = H5Pcreate(H5P_FILE_ACCESS);
  Hdf5Transaction* self = this;
  H5Pset_driver(list, Driver::id(), &self);
  return list;
}

bool Hdf5Transaction::read(std::uint64_t at, std::size_t size, char* bytes) const {
  std::size_t got = 0;
  while (got < size) {
    const ssize_t n = pread(file_, bytes + got, size - got, static_cast<off_t>(at + got));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    if (n == 0) break;
    got += static_cast<std::size_t>(n);
  }
  std::memset(bytes + got, 0, size - got);  // allocated, not yet written
  for (auto page = changed_.lower_bound(at / page_size * page_size); page != changed_.end() && page->first < at + size;
       ++page) {
    const std::uint64_t begin = std::max(page->first, at);
    const std::uint64_t end = std::min({page->first + page_size, at + size, kept_});
    if (begin < end) std::memcpy(bytes + (begin - at), page->second.data() + (begin - page->first), end - begin);
  }
  return true;
}

void Hdf5Transaction::write(std::uint64_t at, std::size_t size, const char* bytes) {
  if (bytes == stand_in_ && at >= kept_) {
    place_ = at;
    end_ = std::max(end_, at + size);
    return;
  }
  while (size > 0 && at < kept_) {
    const std::uint64_t first = at / page_size * page_size;
    const std::size_t part = std::min<std::uint64_t>({size, first + page_size - at, kept_ - at});
    const auto [page, is_new] = changed_.try_emplace(first);
    if (is_new) {
      page->second.fill(0);
      static_cast<void>(
          pread(file_, page->second.data(), std::min(page_size, kept_ - first), static_cast<off_t>(first)));
    }
    std::memcpy(page->second.data() + (at - first), bytes, part);
    at += part;
    bytes += part;
    size -= part;
  }
  if (size > 0) write_through(at, size, bytes);
}

void Hdf5Transaction::write_through(std::uint64_t at, std::size_t size, const char* bytes) {
  end_ = std::max(end_, at + size);
  if (error_ == 0 && !write_at(file_, at, size, bytes)) error_ = errno == 0 ? EIO : errno;
}

void Hdf5Transaction::commit() {
  if (error_ != 0) {
    roll_back();
    failed("{}: cannot be written: {}", name_.string(), system_message(error_));
  }
  if (kept_ == 0) {
    // HDF5 may have allocated what it never wrote
    if (ftruncate(file_, static_cast<off_t>(announced_)) != 0) {
      failed("{}: cannot be written: {}", name_.string(), system_message(errno));
    }
    return;
  }
  try {
    if (announced_ > end_ && ftruncate(file_, static_cast<off_t>(announced_)) != 0) error_ = errno;
    if (error_ == 0 && fsync(file_) != 0) error_ = errno;  // new bytes are on the disk before a page refers to them
    if (error_ != 0) failed("{}: cannot be written: {}", name_.string(), system_message(error_));
    Journal(file_, name_, kept_, std::max(announced_, end_), announced_, changed_).write(Journal::of(name_));
  } catch (...) {
    std::error_code ignored;
    std::filesystem::remove(Journal::of(name_), ignored);  // it may be there, and only its folder not on the disk
    roll_back();
    throw;
  }
  bool applied = true;
  for (const auto& [at, page] : changed_)
    applied = applied && write_at(file_, at, std::min(page_size, kept_ - at), page.data());
  applied = applied && ftruncate(file_, static_cast<off_t>(announced_)) == 0 && fsync(file_) == 0;
  if (!applied) {
    failed("{}: cannot be written: {}; {} completes it when the file is extended next", name_.string(),
           system_message(errno), Journal::of(name_).string());
  }
  std::error_code ignored;
  std::filesystem::remove(Journal::of(name_), ignored);
}

void Hdf5Transaction::roll_back() noexcept {
  // a failure leaves bytes behind the end that nothing refers to
  static_cast<void>(!ftruncate(file_, static_cast<off_t>(kept_)));
}

}  // namespace asterism

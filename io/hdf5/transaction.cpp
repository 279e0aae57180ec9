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
#include <string_view>
#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "io/output_file.hpp"
#include "io/text_file.hpp"
#if H5_VERSION_GE(1, 13, 0)
#include <H5FDdevelop.h>
#endif

namespace asterism {
namespace {

constexpr std::string_view journal_mark = "asterism journal 1\n";

std::filesystem::path journal_of(const std::filesystem::path& file) {
  return file.string() + ".journal";
}

std::string message(int error) {
  return std::generic_category().message(error);
}

struct Piece {
  std::uint64_t at;
  std::uint64_t size;
};

void append(std::string& text, const Piece& piece) {
  text.append(reinterpret_cast<const char*>(&piece), sizeof piece);
}

/// Old pages in the order of the file, then its length. False: errno says why.
bool apply_journal(int file, std::string_view journal) {
  journal.remove_prefix(journal_mark.size());
  Piece piece{};
  while (journal.size() >= sizeof piece) {
    std::memcpy(&piece, journal.data(), sizeof piece);
    journal.remove_prefix(sizeof piece);
    if (piece.size == 0) return ftruncate(file, static_cast<off_t>(piece.at)) == 0;
    if (!write_at(file, piece.at, piece.size, journal.data())) return false;
    journal.remove_prefix(piece.size);
  }
  errno = EINVAL;
  return false;
}

}  // namespace

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
  if (file_ < 0) bad_input("{}: cannot be written: {}", name_.string(), message(errno));
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
    failed("{}: cannot be written: {}", name_.string(), message(error_));
  }
  if (kept_ == 0) {
    // HDF5 may have allocated what it never wrote
    if (ftruncate(file_, static_cast<off_t>(announced_)) != 0) {
      failed("{}: cannot be written: {}", name_.string(), message(errno));
    }
    return;
  }
  if (announced_ > end_ && ftruncate(file_, static_cast<off_t>(announced_)) != 0) error_ = errno;
  std::string journal(journal_mark);
  for (const auto& [at, page] : changed_) {
    const std::uint64_t size = std::min(page_size, kept_ - at);
    append(journal, {at, size});
    journal.append(page.data(), size);
  }
  append(journal, {announced_, 0});
  try {
    if (error_ != 0) failed("{}: cannot be written: {}", name_.string(), message(error_));
    OutputFile out(journal_of(name_));
    out.write(journal);
    out.commit();
  } catch (...) {
    roll_back();
    throw;
  }
  if (!apply_journal(file_, journal)) {
    failed("{}: cannot be written: {}; {} completes it when the file is extended next", name_.string(), message(errno),
           journal_of(name_).string());
  }
  std::error_code ignored;
  std::filesystem::remove(journal_of(name_), ignored);
}

void Hdf5Transaction::roll_back() noexcept {
  // a failure leaves bytes behind the end that nothing refers to
  static_cast<void>(!ftruncate(file_, static_cast<off_t>(kept_)));
}

void Hdf5Transaction::recover(const std::filesystem::path& file) {
  const std::filesystem::path journal = journal_of(file);
  if (!std::filesystem::exists(journal)) return;
  if (std::filesystem::exists(file)) {
    const TextFile read(journal, "a journal of changes to an HDF5 file");
    if (!read.text.starts_with(journal_mark)) {
      bad_input("{}: is no journal of {}; expected one or no such file", journal.string(), file.string());
    }
    const int opened = open(file.c_str(), O_RDWR | O_CLOEXEC);
    if (opened < 0) bad_input("{}: cannot be written: {}", file.string(), message(errno));
    const bool applied = apply_journal(opened, read.text);
    const int error = errno;
    close(opened);
    if (!applied) failed("{}: cannot be completed from {}: {}", file.string(), journal.string(), message(error));
  }
  std::filesystem::remove(journal);
}

}  // namespace asterism

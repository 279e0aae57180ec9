// SPDX-License-Identifier: Apache-2.0
#include "io/hdf5/checksums.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <system_error>
#include <utility>

#include "base/array.hpp"
#include "base/error.hpp"
#include "base/fingerprint.hpp"
#include "io/hdf5/detail.hpp"
#include "io/hdf5/file.hpp"
#include "io/hdf5/validation.hpp"
#include "io/output_file.hpp"

namespace asterism {

using hdf5_detail::Id;

namespace {

constexpr std::string_view mark = "asterism checksums 1\n";
constexpr std::size_t last_line_size = 40;  ///< "table BYTES SUM\n"
constexpr std::uint64_t longest_table = 16 << 20;
constexpr const char* between = "structure and attributes";

class OpenFile {
 public:
  OpenFile(const std::filesystem::path& path, int flags) : descriptor(open(path.c_str(), flags | O_CLOEXEC)) {}
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  ~OpenFile() {
    if (descriptor >= 0) close(descriptor);
  }
  [[nodiscard]] std::uint64_t size() const {
    struct stat status = {};
    return fstat(descriptor, &status) == 0 ? static_cast<std::uint64_t>(status.st_size) : 0;
  }
  [[nodiscard]] bool read(std::uint64_t at, std::size_t size, char* bytes) const {
    while (size > 0) {
      const ssize_t n = pread(descriptor, bytes, size, static_cast<off_t>(at));
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) return false;
      at += static_cast<std::uint64_t>(n);
      bytes += n;
      size -= static_cast<std::size_t>(n);
    }
    return true;
  }
  const int descriptor;
};

/// A checksum of checksums of pieces, which threads share out. False: the file could not be read.
bool sum_of(const OpenFile& file, const NamedBytes& bytes, std::uint64_t& sum) {
  constexpr std::uint64_t piece = 4 << 20;
  const std::uint64_t size = bytes.end - bytes.begin;
  const auto pieces = static_cast<std::int64_t>((size + piece - 1) / piece);
  std::vector<std::uint64_t> sums(static_cast<std::size_t>(pieces));
  std::atomic<bool> right = true;
#pragma omp parallel if (pieces > 1)
  {
    Array<char> buffer(static_cast<std::size_t>(std::min(piece, std::max<std::uint64_t>(size, 1))));
#pragma omp for schedule(dynamic)
    for (std::int64_t p = 0; p < pieces; ++p) {
      const std::uint64_t at = static_cast<std::uint64_t>(p) * piece;
      const auto length = static_cast<std::size_t>(std::min(piece, size - at));
      if (!file.read(bytes.begin + at, length, buffer.data())) right = false;
      sums[static_cast<std::size_t>(p)] = checksum(buffer.data(), length);
    }
  }
  sum = checksum(sums.data(), sums.size() * sizeof(std::uint64_t), size);
  return right;
}

/// All bytes up to `end`, those between the datasets too.
std::vector<NamedBytes> without_gaps(std::vector<NamedBytes> datasets, std::uint64_t end) {
  std::sort(datasets.begin(), datasets.end(), [](const auto& a, const auto& b) { return a.begin < b.begin; });
  std::vector<NamedBytes> all;
  std::uint64_t at = 0;
  for (NamedBytes& dataset : datasets) {
    if (dataset.begin > at) all.push_back({between, at, dataset.begin});
    at = dataset.end;
    all.push_back(std::move(dataset));
  }
  if (end > at) all.push_back({between, at, end});
  return all;
}

std::string last_line(std::size_t table, std::uint64_t sum) {
  return fmt::format("table {:016x} {:016x}\n", table, sum);
}

bool hexadecimal(std::string_view word, std::uint64_t& value) {
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value, 16);
  return error == std::errc() && end == word.data() + word.size();
}

[[noreturn]] void refuse_without_table(const std::string& name) {
  bad_input(
      "{}: has no checksums at its end: it is cut off, damaged there, from an older version of this program, or "
      "another "
      "kind of file; expected a whole checkpoint of this version",
      name);
}

struct Summed {
  NamedBytes bytes;
  std::uint64_t sum = 0;
};

/// The table of a file, itself right.
std::vector<Summed> read_table(const OpenFile& file, const std::string& name) {
  const std::uint64_t size = file.size();
  std::string line(last_line_size, '\0');
  std::uint64_t length = 0;
  std::uint64_t sum = 0;
  if (size < last_line_size || !file.read(size - last_line_size, last_line_size, line.data()) ||
      !line.starts_with("table ") || !hexadecimal(std::string_view(line).substr(6, 16), length) ||
      !hexadecimal(std::string_view(line).substr(23, 16), sum) || length > longest_table ||
      length > size - last_line_size)
    refuse_without_table(name);
  std::string text(static_cast<std::size_t>(length), '\0');
  const std::uint64_t end = size - last_line_size - length;
  if (!file.read(end, text.size(), text.data()) || line != last_line(text.size(), checksum(text.data(), text.size())) ||
      !text.starts_with(mark))
    refuse_without_table(name);
  std::vector<Summed> table;
  std::uint64_t at = 0;
  std::string_view rest = std::string_view(text).substr(mark.size());
  while (!rest.empty()) {  // "BEGIN END SUM NAME\n"
    const std::size_t newline = rest.find('\n');
    Summed entry;
    if (newline == std::string_view::npos || newline < 51 || !hexadecimal(rest.substr(0, 16), entry.bytes.begin) ||
        !hexadecimal(rest.substr(17, 16), entry.bytes.end) || !hexadecimal(rest.substr(34, 16), entry.sum) ||
        entry.bytes.begin != at || entry.bytes.end < at)
      refuse_without_table(name);
    entry.bytes.name = rest.substr(51, newline - 51);
    at = entry.bytes.end;
    rest.remove_prefix(newline + 1);
    table.push_back(std::move(entry));
  }
  if (at != end) refuse_without_table(name);
  return table;
}

void check_all(const std::filesystem::path& path) {
  const std::string name = path.string();
  const OpenFile file(path, O_RDONLY);
  if (file.descriptor < 0) bad_input("{}: cannot be read: {}", name, system_message(errno));
  if (!begins_as_hdf5(path)) bad_input("{}: does not begin as an HDF5 file does", name);
  for (const Summed& entry : read_table(file, name)) {
    std::uint64_t found = 0;
    if (!sum_of(file, entry.bytes, found))
      bad_input("{}: cannot be read from byte {} on: {}", name, entry.bytes.begin, system_message(errno));
    if (found == entry.sum) continue;
    const std::string what =
        entry.bytes.name == between ? "its structure or an attribute" : fmt::format("dataset \"{}\"", entry.bytes.name);
    bad_input("{}: {} is damaged: checksum {:016x}, expected {:016x}", name, what, found, entry.sum);
  }
}

}  // namespace

void append_checksums(const std::filesystem::path& path, const std::filesystem::path& shown,
                      std::vector<NamedBytes> datasets) {
  const OpenFile file(path, O_RDWR);
  errno = 0;
  const auto fail = [&] { failed("{}: its checksums cannot be written: {}", shown.string(), system_message(errno)); };
  if (file.descriptor < 0) fail();
  const std::uint64_t end = file.size();
  std::string table(mark);
  for (const NamedBytes& bytes : without_gaps(std::move(datasets), end)) {
    std::uint64_t sum = 0;
    if (!sum_of(file, bytes, sum)) fail();
    table += fmt::format("{:016x} {:016x} {:016x} {}\n", bytes.begin, bytes.end, sum, bytes.name);
  }
  table += last_line(table.size(), checksum(table.data(), table.size()));
  if (!write_at(file.descriptor, end, table.size(), table.data())) fail();
}

void require_checksums(const std::filesystem::path& file) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(file, ignored) || is_trusted(file, Trust::whole)) return;
  try {
    check_all(file);
  } catch (const Error& error) {
    constexpr int oldest = 100;
    for (int age = 1; age <= oldest; ++age) {
      const std::filesystem::path before = predecessor_of(file, age);
      if (!std::filesystem::is_regular_file(before, ignored)) break;
      try {
        check_all(before);
      } catch (const Error&) {
        continue;
      }
      throw Error(error.kind(), fmt::format("{}; the checkpoint before it is whole: resume with --restart {}",
                                            error.what(), before.string()));
    }
    throw;
  }
  trust(file, Trust::whole);
}

std::filesystem::path predecessor_of(const std::filesystem::path& file, int age) {
  return file.string() + fmt::format(".{}", age);
}

void keep_predecessors(const std::filesystem::path& file, int keep) {
  std::error_code error;
  if (keep < 2 || !std::filesystem::is_regular_file(file, error)) return;
  for (int age = keep - 1; age > 1; --age)
    if (std::filesystem::exists(predecessor_of(file, age - 1), error))
      std::filesystem::rename(predecessor_of(file, age - 1), predecessor_of(file, age), error);
  // a second name for the newest one, for it to be at its place at any time
  const std::filesystem::path first = predecessor_of(file, 1);
  std::filesystem::remove(first, error);
  std::filesystem::create_hard_link(file, first, error);
  if (error) std::filesystem::copy_file(file, first, std::filesystem::copy_options::overwrite_existing, error);
  if (error) failed("{}: cannot be kept as {}: {}", file.string(), first.string(), error.message());
}

int& checkpoints_to_keep() noexcept {
  static int keep = 1;
  return keep;
}

// ---- the file with its checksums ------------------------------------------------------------------------

void Hdf5Output::commit_checkpoint() {
  const std::vector<NamedBytes> datasets = placed_datasets();
  const bool closed = H5Fclose(std::exchange(file_, -1)) >= 0;
  if (!closed || transaction_->error() != 0) fail("the file");
  transaction_->commit();
  append_checksums(pending_.temporary(), pending_.path(), datasets);
  keep_predecessors(pending_.path(), checkpoints_to_keep());
  pending_.commit();
  trust(pending_.path(), Trust::whole);
}

std::vector<NamedBytes> Hdf5Output::placed_datasets() const {
  std::vector<NamedBytes> found;
  H5Fflush(file_, H5F_SCOPE_LOCAL);
  const auto add = [](hid_t file, const char* dataset, const H5O_info_t* info, void* all) -> herr_t {
    if (info->type != H5O_TYPE_DATASET) return 0;
    const Id opened(H5Dopen2(file, dataset, H5P_DEFAULT), H5Dclose);
    const haddr_t at = opened.valid() ? H5Dget_offset(opened) : HADDR_UNDEF;
    if (at != HADDR_UNDEF)
      static_cast<std::vector<NamedBytes>*>(all)->push_back({dataset, at, at + H5Dget_storage_size(opened)});
    return 0;
  };
  H5Ovisit2(file_, H5_INDEX_NAME, H5_ITER_NATIVE, add, &found, H5O_INFO_BASIC);
  return found;
}

}  // namespace asterism

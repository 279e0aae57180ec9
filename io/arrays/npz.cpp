// SPDX-License-Identifier: Apache-2.0
#include "io/arrays/npz.hpp"

#include <fcntl.h>
#include <unistd.h>
#include <zip.h>

#include <cerrno>
#include <memory>

#include "base/error.hpp"

namespace asterism {
namespace {

constexpr const char* expected_file = "a file of scipy.sparse.save_npz()";

zip_t* opened(void* archive) {
  return static_cast<zip_t*>(archive);
}

std::string reason(int code) {
  zip_error_t error;
  zip_error_init_with_code(&error, code);
  std::string text = zip_error_strerror(&error);
  zip_error_fini(&error);
  return text;
}

}  // namespace

NpzFile::NpzFile(const std::filesystem::path& path) : name(path.string()) {
  const int readable = open(name.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (readable < 0) bad_input("{}: cannot be read: {}; expected {}", name, system_message(errno), expected_file);
  close(readable);
  if (!std::filesystem::is_regular_file(path)) bad_input("{}: is not a regular file; expected {}", name, expected_file);
  int code = 0;
  archive_ = zip_open(name.c_str(), ZIP_RDONLY | ZIP_CHECKCONS, &code);
  if (archive_ == nullptr)
    bad_input("{}: no ZIP archive, or a damaged one ({}); expected {}", name, reason(code), expected_file);
}

NpzFile::~NpzFile() {
  if (archive_ != nullptr) zip_discard(opened(archive_));
}

bool NpzFile::has(const std::string& array) const {
  return zip_name_locate(opened(archive_), (array + ".npy").c_str(), 0) >= 0;
}

NpyArray NpzFile::read(const std::string& array, std::string_view expected) {
  const std::string member = array + ".npy";
  const std::string where = name + ": " + member;
  zip_stat_t stat;
  zip_stat_init(&stat);
  if (zip_stat(opened(archive_), member.c_str(), 0, &stat) != 0)
    bad_input("{}: has no {}; expected {}", name, member, expected_file);
  constexpr zip_uint64_t needed =
      ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD | ZIP_STAT_ENCRYPTION_METHOD;
  const bool known = (stat.valid & needed) == needed && stat.encryption_method == ZIP_EM_NONE &&
                     (stat.comp_method == ZIP_CM_STORE || stat.comp_method == ZIP_CM_DEFLATE);
  if (!known) bad_input("{}: encrypted or compressed in a way that NumPy does not use; expected deflate", where);
  // Deflate shrinks at most by 1032, and what is compressed is in the file: memory follows the file's size.
  constexpr zip_uint64_t most_expansion = 1032;
  if (stat.comp_size > std::filesystem::file_size(name) || stat.size / most_expansion > stat.comp_size)
    bad_input("{}: announces {} bytes, compressed {}, which cannot be; the file is damaged", where, stat.size,
              stat.comp_size);
  const std::unique_ptr<zip_file_t, int (*)(zip_file_t*)> file(zip_fopen(opened(archive_), member.c_str(), 0),
                                                               zip_fclose);
  if (!file) bad_input("{}: cannot be opened: {}", where, zip_strerror(opened(archive_)));
  Array<char> bytes(stat.size);
  char beyond = 0;  // the checksum is compared at the end of the file
  const zip_int64_t got = zip_fread(file.get(), bytes.data(), stat.size);
  if (got != static_cast<zip_int64_t>(stat.size) || zip_fread(file.get(), &beyond, 1) != 0)
    bad_input("{}: damaged or cut off: {}", where,
              got < 0 || got == static_cast<zip_int64_t>(stat.size) ? zip_file_strerror(file.get())
                                                                    : "fewer bytes than announced");
  Array<char>& kept = bytes_[array] = std::move(bytes);
  return parse_npy(where, {kept.data(), kept.size()}, expected);
}

}  // namespace asterism

// SPDX-License-Identifier: Apache-2.0
#include "io/hdf5/file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <numeric>
#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "io/hdf5/detail.hpp"
#include "io/hdf5/validation.hpp"

namespace asterism {
namespace hdf5_detail {

std::string reason() {
  std::string text;
  const auto take_first = [](unsigned, const H5E_error2_t* error, void* out) -> herr_t {
    auto& kept = *static_cast<std::string*>(out);
    if (kept.empty() && error->desc != nullptr) kept = error->desc;
    return 0;
  };
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take_first, &text);
  const std::string mark = "error message = '";
  const std::size_t begin = text.find(mark);
  const std::size_t end = begin == std::string::npos ? begin : text.find('\'', begin + mark.size());
  if (end != std::string::npos) text = text.substr(begin + mark.size(), end - begin - mark.size());
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text.empty() ? "HDF5 gives no reason" : text;
}

namespace {

/// HDF5 1.10 has no name for IEEE 754 binary16.
hid_t make_float16() {
  const hid_t type = H5Tcopy(H5T_IEEE_F32LE);
  H5Tset_fields(type, 15, 10, 5, 0, 10);  // sign, exponent, mantissa
  H5Tset_size(type, 2);
  H5Tset_ebias(type, 15);
  return type;
}

}  // namespace

hid_t memory_type(Hdf5Number number) {
  static const hid_t float16 = make_float16();
  switch (number) {
    case Hdf5Number::float16:
      return float16;
    case Hdf5Number::float32:
      return H5T_NATIVE_FLOAT;
    case Hdf5Number::float64:
      return H5T_NATIVE_DOUBLE;
    case Hdf5Number::uint8:
      return H5T_NATIVE_UINT8;
    case Hdf5Number::int32:
      return H5T_NATIVE_INT32;
    case Hdf5Number::int64:
      return H5T_NATIVE_INT64;
  }
  return H5I_INVALID_HID;
}

}  // namespace hdf5_detail

using hdf5_detail::Id;
using hdf5_detail::memory_type;
using hdf5_detail::reason;

namespace {

/// HDF5 1.10 crashes at exit on a file that it could not close, as on a full disk. Every file is closed by its owner:
/// nothing is left for the library to do then. Takes effect before the library's first use only.
const bool no_exit_handler = H5dont_atexit() >= 0;

void silence() {
  static const herr_t once = H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  static_cast<void>(once);
  static_cast<void>(no_exit_handler);
}

std::vector<hsize_t> extents(hid_t dataset) {
  const Id space(H5Dget_space(dataset), H5Sclose);
  const int rank = space.valid() ? H5Sget_simple_extent_ndims(space) : -1;
  std::vector<hsize_t> result(static_cast<std::size_t>(std::max(rank, 0)));
  if (rank > 0) H5Sget_simple_extent_dims(space, result.data(), nullptr);
  return result;
}

/// The part of a dataset, in the file and in memory, that `count` elements from row `first` on make.
struct Rows {
  Rows(hid_t dataset, std::size_t first, std::size_t count)
      : file(H5Dget_space(dataset), H5Sclose), memory(of_rows(dataset, count), H5Sclose) {
    std::vector<hsize_t> start(extent.size(), 0);
    start[0] = first;
    selected = H5Sselect_hyperslab(file, H5S_SELECT_SET, start.data(), nullptr, extent.data(), nullptr) >= 0;
  }

  std::vector<hsize_t> extent;
  Id file;
  Id memory;
  bool selected = false;

 private:
  hid_t of_rows(hid_t dataset, std::size_t count) {
    extent = extents(dataset);
    if (extent.empty()) extent = {1};
    const hsize_t row = std::accumulate(extent.begin() + 1, extent.end(), hsize_t{1}, std::multiplies<>());
    extent[0] = count / std::max<hsize_t>(row, 1);
    return H5Screate_simple(static_cast<int>(extent.size()), extent.data(), nullptr);
  }
};

/// The elements of a block in the file and, lying together, in memory.
struct Selected {
  Selected(hid_t dataset, const Hdf5Block& block)
      : file(H5Dget_space(dataset), H5Sclose),
        extent(block.extent.begin(), block.extent.end()),
        memory(H5Screate_simple(static_cast<int>(extent.size()), extent.data(), nullptr), H5Sclose) {
    const std::vector<hsize_t> start(block.first.begin(), block.first.end());
    selected = H5Sget_simple_extent_ndims(file) == static_cast<int>(start.size()) &&
               H5Sselect_hyperslab(file, H5S_SELECT_SET, start.data(), nullptr, extent.data(), nullptr) >= 0;
  }

  Id file;
  std::vector<hsize_t> extent;
  Id memory;
  bool selected = false;
};

herr_t append_name(hid_t, const char* name, const H5L_info_t*, void* names) {
  static_cast<std::vector<std::string>*>(names)->emplace_back(name);
  return 0;
}

}  // namespace

// ---- reading -------------------------------------------------------------------------------------------

Hdf5Input::Hdf5Input(const std::filesystem::path& path) : name(path.string()) {
  silence();
  const int readable = open(name.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (readable < 0) {
    bad_input("{}: cannot be read: {}; expected an HDF5 file", name, system_message(errno));
  }
  close(readable);
  if (!std::filesystem::is_regular_file(path)) bad_input("{}: is not a regular file; expected an HDF5 file", name);
  if (H5Fis_hdf5(name.c_str()) <= 0) bad_input("{}: does not begin as an HDF5 file does", name);
  require_harmless_hdf5(path);
  file_ = H5Fopen(name.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  if (file_ < 0) bad_input("{}: damaged or cut off HDF5 file ({})", name, reason());
}

Hdf5Input::~Hdf5Input() {
  if (file_ >= 0) H5Fclose(file_);
}

bool Hdf5Input::has_dataset(const std::string& dataset) const {
  const Id object(H5Oopen(file_, dataset.c_str(), H5P_DEFAULT), H5Oclose);
  return object.valid() && H5Iget_type(object) == H5I_DATASET;
}

std::vector<std::string> Hdf5Input::members() const {
  std::vector<std::string> names;
  hsize_t at = 0;
  H5Literate(file_, H5_INDEX_NAME, H5_ITER_INC, &at, append_name, &names);
  return names;
}

std::vector<std::size_t> Hdf5Input::shape(const std::string& dataset) const {
  if (!has_dataset(dataset)) {
    bad_input("{}: there is no dataset \"{}\"; the file holds: {}", name, dataset, fmt::join(members(), ", "));
  }
  const Id opened(H5Dopen2(file_, dataset.c_str(), H5P_DEFAULT), H5Dclose);
  const Id type(H5Dget_type(opened), H5Tclose);
  const H5T_class_t kind = H5Tget_class(type);
  if (kind != H5T_FLOAT && kind != H5T_INTEGER) bad_input("{}: dataset \"{}\" does not hold numbers", name, dataset);
  const std::vector<hsize_t> extent = extents(opened);
  // Deflate shrinks at most by 1032; what was never written takes no space at all.
  constexpr hsize_t most_expansion = 1100;
  const hsize_t stored = H5Dget_storage_size(opened);
  const hsize_t file_size = std::filesystem::file_size(name);
  hsize_t room = std::min(stored, file_size) * most_expansion / std::max<hsize_t>(H5Tget_size(type), 1);
  for (const hsize_t n : extent) room = n == 0 ? room : room / n;
  const bool is_empty = std::find(extent.begin(), extent.end(), 0) != extent.end();
  if (!is_empty && (room == 0 || stored > file_size)) {
    bad_input("{}: dataset \"{}\" announces {} values but the file holds {} bytes of them", name, dataset,
              fmt::join(extent, " x "), std::min(stored, file_size));
  }
  return {extent.begin(), extent.end()};
}

void Hdf5Input::read_rows(const std::string& dataset, std::size_t first, std::span<double> values) const {
  if (values.empty()) return;
  const Id opened(H5Dopen2(file_, dataset.c_str(), H5P_DEFAULT), H5Dclose);
  if (!opened.valid()) bad_input("{}: dataset \"{}\" cannot be opened ({})", name, dataset, reason());
  const Rows rows(opened, first, values.size());
  if (!rows.selected || H5Dread(opened, H5T_NATIVE_DOUBLE, rows.memory, rows.file, H5P_DEFAULT, values.data()) < 0) {
    bad_input("{}: dataset \"{}\" cannot be read ({})", name, dataset, reason());
  }
}

void Hdf5Input::read_block(const std::string& dataset, const Hdf5Block& block, Hdf5Number number, void* values) const {
  const Id opened(H5Dopen2(file_, dataset.c_str(), H5P_DEFAULT), H5Dclose);
  if (!opened.valid()) bad_input("{}: dataset \"{}\" cannot be opened ({})", name, dataset, reason());
  const Selected part(opened, block);
  if (!part.selected || H5Dread(opened, memory_type(number), part.memory, part.file, H5P_DEFAULT, values) < 0) {
    bad_input("{}: dataset \"{}\" cannot be read ({})", name, dataset, reason());
  }
}

std::optional<Hdf5Number> Hdf5Input::number(const std::string& dataset) const {
  const Id opened(H5Dopen2(file_, dataset.c_str(), H5P_DEFAULT), H5Dclose);
  const Id type(opened.valid() ? H5Dget_type(opened) : H5I_INVALID_HID, H5Tclose);
  for (const Hdf5Number n :
       {Hdf5Number::float16, Hdf5Number::float32, Hdf5Number::float64, Hdf5Number::int32, Hdf5Number::int64}) {
    if (type.valid() && H5Tequal(type, memory_type(n)) > 0) return n;
  }
  return std::nullopt;
}

// ---- writing -------------------------------------------------------------------------------------------

Hdf5Output::Hdf5Output(const std::filesystem::path& path, Existing existing) : pending_(path) {
  silence();
  Hdf5Transaction::recover(path);
  extends_ = existing == Existing::extend;
  haddr_t end = 0;
  if (extends_) {
    const Hdf5Input before(path);  // its complaints
    const Id opened(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
    if (H5Fget_eoa(opened, &end) < 0) bad_input("{}: damaged HDF5 file ({})", path.string(), reason());
  }
  transaction_ = std::make_unique<Hdf5Transaction>(extends_ ? path : pending_.temporary(), end);
  const Id access(transaction_->access(), H5Pclose);
  const std::string name = path.string();
  file_ = extends_ ? H5Fopen(name.c_str(), H5F_ACC_RDWR, access)
                   : H5Fcreate(name.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access);
  if (file_ < 0) bad_input("{}: cannot be written: {}", name, reason());
}

Hdf5Output::~Hdf5Output() {
  if (file_ < 0) return;
  H5Fclose(file_);
  if (extends_) transaction_->roll_back();
}

void Hdf5Output::fail(const std::string& what) const {
  const int error = transaction_->error();
  const std::string why = error == 0 ? reason() : system_message(error);
  failed("{}: {} cannot be written: {}", pending_.path().string(), what, why);
}

/// After a call of HDF5 on an object: it went well, and so did every write before.
void Hdf5Output::check(bool success, const char* kind, const std::string& object) const {
  if (!success || transaction_->error() != 0) fail(fmt::format("{} \"{}\"", kind, object));
}

std::int64_t Hdf5Output::make(const std::string& dataset, Hdf5Number number, const std::vector<std::size_t>& shape,
                              std::int64_t creation) {
  const std::vector<hsize_t> extent(shape.begin(), shape.end());
  const Id space(H5Screate_simple(static_cast<int>(extent.size()), extent.data(), nullptr), H5Sclose);
  const Id links(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
  H5Pset_create_intermediate_group(links, 1);
  const hid_t made = H5Dcreate2(file_, dataset.c_str(), memory_type(number), space, links, creation, H5P_DEFAULT);
  check(made >= 0, "dataset", dataset);
  return made;
}

void Hdf5Output::create(const std::string& dataset, Hdf5Number number, const std::vector<std::size_t>& shape) {
  const Id made(make(dataset, number, shape, H5P_DEFAULT), H5Dclose);
}

void Hdf5Output::write_number(const std::string& dataset, double value) {
  const Id made(make(dataset, Hdf5Number::float64, {}, H5P_DEFAULT), H5Dclose);
  check(H5Dwrite(made, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, &value) >= 0, "dataset", dataset);
}

void Hdf5Output::write_rows(const std::string& dataset, std::size_t first, Hdf5Number number, const void* values,
                            std::size_t count) {
  if (count == 0) return;
  const Id opened(H5Dopen2(file_, dataset.c_str(), H5P_DEFAULT), H5Dclose);
  check(opened.valid(), "dataset", dataset);
  const Rows rows(opened, first, count);
  check(rows.selected && H5Dwrite(opened, memory_type(number), rows.memory, rows.file, H5P_DEFAULT, values) >= 0,
        "dataset", dataset);
}

void Hdf5Output::write_block(const std::string& dataset, const Hdf5Block& block, Hdf5Number number,
                             const void* values) {
  const Id opened(H5Dopen2(file_, dataset.c_str(), H5P_DEFAULT), H5Dclose);
  check(opened.valid(), "dataset", dataset);
  const Selected part(opened, block);
  check(part.selected && H5Dwrite(opened, memory_type(number), part.memory, part.file, H5P_DEFAULT, values) >= 0,
        "dataset", dataset);
}

const std::filesystem::path& Hdf5Output::under_way() const noexcept {
  return extends_ ? pending_.path() : pending_.temporary();
}

std::uint64_t Hdf5Output::place(const std::string& dataset) {
  std::vector<hsize_t> shape;
  {
    // HDF5 makes room at the first value, as it does where one process writes; closed, it holds none of them back
    const Id opened(H5Dopen2(file_, dataset.c_str(), H5P_DEFAULT), H5Dclose);
    check(opened.valid(), "dataset", dataset);
    shape = extents(opened);
    if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return 0;
    const Id type(H5Dget_type(opened), H5Tclose);
    const std::vector<char> zero(H5Tget_size(type));
    const Selected first(opened, {std::vector<std::size_t>(shape.size()), std::vector<std::size_t>(shape.size(), 1)});
    check(first.selected && H5Dwrite(opened, type, first.memory, first.file, H5P_DEFAULT, zero.data()) >= 0, "dataset",
          dataset);
  }
  const Id opened(H5Dopen2(file_, dataset.c_str(), H5P_DEFAULT), H5Dclose);
  const haddr_t at = opened.valid() ? H5Dget_offset(opened) : HADDR_UNDEF;
  check(at != HADDR_UNDEF && at >= transaction_->kept(), "dataset", dataset);
  return at;
}

void Hdf5Output::create_group(const std::string& group) {
  const Id made(H5Gcreate2(file_, group.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose);
  check(made.valid(), "group", group);
}

void Hdf5Output::remove(const std::string& object) {
  check(H5Ldelete(file_, object.c_str(), H5P_DEFAULT) >= 0, "removal of", object);
}

void Hdf5Output::commit() {
  const bool closed = H5Fclose(std::exchange(file_, -1)) >= 0;
  if (!closed || transaction_->error() != 0) {
    if (extends_) transaction_->roll_back();
    fail("the file");
  }
  transaction_->commit();
  if (!extends_) pending_.commit();
  trust(pending_.path(), Trust::harmless);
}

}  // namespace asterism

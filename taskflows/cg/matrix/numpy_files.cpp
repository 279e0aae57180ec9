// SPDX-License-Identifier: Apache-2.0
#include "taskflows/cg/matrix/numpy_files.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/as_size.hpp"
#include "base/error.hpp"
#include "io/arrays/npz.hpp"
#include "io/output_file.hpp"
#include "io/text_words.hpp"

namespace asterism::cg {
namespace {

constexpr const char* indices = "an array of int32 or int64";
constexpr const char* numbers = "an array of float64, float32, int64 or int32";

/// The arrays of a matrix of n rows, checked to have the shapes that they should.
class SparseArrays {
 public:
  explicit SparseArrays(const std::filesystem::path& path) : file_(path) {
    const NpyArray text = file_.read("format", "the name of a format");
    if (text.kind == 'S' && text.count() == 1) format_ = text.values.substr(0, text.values.find('\0'));
    if (format_ != "csr" && format_ != "csc" && format_ != "coo" && format_ != "bsr")
      bad_input("{}: the format is {}; expected csr, csc, coo or bsr (matrix.tocsr() in Python)", file_.name,
                in_quotes(format_));
    const NpyArray shape = index_array("shape", 2);
    rows_ = npy_value<std::int64_t>(shape, 0);
    const auto columns = npy_value<std::int64_t>(shape, 1);
    if (rows_ != columns || rows_ < 1 || rows_ > std::numeric_limits<std::int32_t>::max())
      bad_input("{}: the matrix is {} x {}; expected a square one of 1 to 2^31 - 1 rows", file_.name, rows_, columns);
    data_ = file_.read("data", numbers);
    const bool blocks = format_ == "bsr";
    if (data_.kind == 'S' || data_.shape.size() != (blocks ? 3U : 1U) || data_.column_major)
      bad_input("{}: data.npy: an array of kind {} and shape {}; expected {}", file_.name, data_.kind,
                data_.show_shape(), blocks ? "blocks x rows x columns of numbers" : numbers);
    if (blocks) std::tie(block_[0], block_[1]) = std::pair(to_index(data_.shape[1]), to_index(data_.shape[2]));
    if (block_[0] < 1 || block_[1] < 1 || rows_ % block_[0] != 0 || rows_ % block_[1] != 0)
      bad_input("{}: data.npy: blocks of {} x {} in {} rows", file_.name, block_[0], block_[1], rows_);
    // Also keeps what the row pointers take in proportion to the file.
    if (to_index(data_.count()) < rows_)
      bad_input("{}: {} entries cannot fill {} rows: the matrix is singular; expected an entry in every row",
                file_.name, data_.count(), rows_);
    if (format_ == "coo") {
      major_ = index_array("row", data_.shape[0]);
      minor_ = index_array("col", data_.shape[0]);
    } else {
      minor_ = index_array("indices", data_.shape[0]);
      pointers_ = index_array("indptr", as_size(rows_ / block_[format_ == "csc" ? 1 : 0] + 1));
      check_pointers();
    }
  }

  [[nodiscard]] std::int64_t rows() const { return rows_; }
  [[nodiscard]] const std::string& name() const { return file_.name; }

  /// visit(row, column, value) for all entries. Throws Error (bad_input): an index out of range.
  template <class Visit>
  void for_each(const Visit& visit) const {
    if (format_ == "coo") {
      for (std::size_t k = 0; k < minor_.count(); ++k)
        visit(index(major_, "row", k, rows_), index(minor_, "col", k, rows_), npy_value<double>(data_, k));
      return;
    }
    const bool by_columns = format_ == "csc";
    const std::int64_t minors = rows_ / block_[1];
    for (std::size_t major = 0; major + 1 < pointers_.count(); ++major) {
      const auto end = npy_value<std::size_t>(pointers_, major + 1);
      for (auto k = npy_value<std::size_t>(pointers_, major); k < end; ++k) {
        const std::int64_t minor = index(minor_, "indices", k, minors);
        if (by_columns)
          visit(minor, to_index(major), npy_value<double>(data_, k));
        else
          block_entries(to_index(major), minor, k, visit);
      }
    }
  }

 private:
  static std::int64_t to_index(std::size_t value) { return static_cast<std::int64_t>(value); }

  NpyArray index_array(const char* array, std::size_t count) {
    const NpyArray found = file_.read(array, indices);
    if (found.kind != 'i' || found.shape.size() != 1 || found.shape[0] != count)
      bad_input("{}: {}.npy: an array of kind {} and shape {}; expected {} of shape ({},)", file_.name, array,
                found.kind, found.show_shape(), indices, count);
    return found;
  }

  void check_pointers() const {
    std::int64_t before = 0;
    for (std::size_t i = 0; i < pointers_.count(); ++i) {
      const auto here = npy_value<std::int64_t>(pointers_, i);
      const bool last = i + 1 == pointers_.count();
      if (here < before || (i == 0 && here != 0) || (last && here != to_index(minor_.count())))
        bad_input("{}: indptr.npy: found {} at place {}; expected numbers that ascend from 0 to {}", file_.name, here,
                  i, minor_.count());
      before = here;
    }
  }

  [[nodiscard]] std::int64_t index(const NpyArray& array, const char* what, std::size_t k, std::int64_t end) const {
    const auto value = npy_value<std::int64_t>(array, k);
    if (value < 0 || value >= end)
      bad_input("{}: {}.npy: found {} at place {}; expected 0 to {}", file_.name, what, value, k, end - 1);
    return value;
  }

  template <class Visit>
  void block_entries(std::int64_t block_row, std::int64_t block_column, std::size_t k, const Visit& visit) const {
    for (std::int64_t r = 0; r < block_[0]; ++r)
      for (std::int64_t c = 0; c < block_[1]; ++c)
        visit(block_row * block_[0] + r, block_column * block_[1] + c,
              npy_value<double>(data_, as_size((to_index(k) * block_[0] + r) * block_[1] + c)));
  }

  NpzFile file_;
  std::string format_;
  std::int64_t rows_ = 0;
  std::int64_t block_[2] = {1, 1};
  NpyArray data_, major_, minor_, pointers_;
};

}  // namespace

CsrMatrix read_npz_matrix(const std::filesystem::path& path) {
  const SparseArrays arrays(path);
  const std::size_t n = as_size(arrays.rows());
  // Count, then let begin[i] fall from the end of row i to its beginning while the row is filled.
  Array<std::int64_t> begin(n + 1, 0);
  arrays.for_each([&](std::int64_t row, std::int64_t, double) { ++begin[as_size(row)]; });
  std::inclusive_scan(begin.begin(), begin.end(), begin.begin());
  Array<RowEntry> entries(as_size(begin[n]));
  arrays.for_each([&](std::int64_t row, std::int64_t column, double value) {
    entries[as_size(--begin[as_size(row)])] = {static_cast<std::int32_t>(column), value};
  });
  Array<std::int64_t> summed = sum_repeats(begin, entries);
  return matrix_of_rows(arrays.name(), begin, entries, std::move(summed));
}

Array<double> npy_vector(const std::string& name, std::string_view bytes, std::int64_t n) {
  const NpyArray array = parse_npy(name, bytes, numbers);
  std::vector<std::size_t> shape = array.shape;
  if (shape.size() == 2) shape.erase(shape.begin() + (shape[0] == 1 ? 0 : 1));  // (1, n): a row
  if (array.kind == 'S' || shape.size() != 1 || array.count() != as_size(n))
    bad_input("{}: an array of kind {} and shape {}; expected numbers of shape ({},) or ({}, 1)", name, array.kind,
              array.show_shape(), n, n);
  Array<double> vector(as_size(n));
  for (std::size_t i = 0; i < vector.size(); ++i) {
    vector[i] = npy_value<double>(array, i);
    if (!std::isfinite(vector[i])) bad_input("{}: value {} is {}; expected finite numbers", name, i, vector[i]);
  }
  return vector;
}

void write_npy_vector(const std::filesystem::path& path, std::span<const double> values) {
  OutputFile file(path);
  file.write(npy_header({values.size()}));
  file.write({reinterpret_cast<const char*>(values.data()), values.size_bytes()});
  file.commit();
}

}  // namespace asterism::cg

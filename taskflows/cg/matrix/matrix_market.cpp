// SPDX-License-Identifier: Apache-2.0
#include "taskflows/cg/matrix/matrix_market.hpp"

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <numeric>
#include <string>
#include <system_error>
#include <unordered_map>
#include <vector>

#include "base/error.hpp"
#include "io/arrays/npy.hpp"
#include "io/output_file.hpp"
#include "io/text_file.hpp"
#include "io/text_reader.hpp"
#include "taskflows/cg/matrix/market_records.hpp"
#include "taskflows/cg/matrix/numpy_files.hpp"

namespace asterism::cg {
namespace {

// ---- matrix

struct Entry {
  std::int32_t row;
  std::int32_t column;
  double value;
};

/// Calls visit(row, column, value) in parallel for every entry and, where asked for, its mirror.
template <class Visit>
void for_each_entry(const Records<Entry>& records, bool mirror, Visit visit) {
#pragma omp parallel for schedule(dynamic)
  for (const Chunk& chunk : records.chunks) {
    for (std::int64_t k = chunk.slot; k < chunk.slot + chunk.count; ++k) {
      const Entry& entry = records.slots[k];
      visit(entry.row, entry.column, entry.value);
      if (mirror && entry.row != entry.column) visit(entry.column, entry.row, entry.value);
    }
  }
}

/// Complains of the first line that gives a position a second time, looking only into rows that have one.
template <class HasRepeats>
[[noreturn]] void fail_repeated(const std::string& file, const Records<Entry>& records, HasRepeats row_has_repeats) {
  std::unordered_map<std::uint64_t, std::pair<Entry, std::int64_t>> seen;  // by position; with its line
  for (const Chunk& chunk : records.chunks) {
    TextReader lines(file, chunk.lines, market_comments);
    for (std::int64_t k = chunk.slot; k < chunk.slot + chunk.count; ++k) {
      lines.next_line();
      const Entry& entry = records.slots[k];
      if (!row_has_repeats(entry.row)) continue;
      const auto [low, high] = std::minmax(entry.row, entry.column);
      const std::uint64_t position = static_cast<std::uint64_t>(high) << 32U | static_cast<std::uint64_t>(low);
      const auto [earlier, is_new] = seen.try_emplace(position, entry, lines.line_number());
      if (is_new) continue;
      const auto& [other, other_line] = earlier->second;
      lines.fail("entry ({},{}) repeats entry ({},{}) of line {}; a symmetric file gives either of the two, once",
                 entry.row + 1, entry.column + 1, other.row + 1, other.column + 1, other_line);
    }
  }
  failed("{}: repeated entries were found in rows but not in lines", file);
}

CsrMatrix to_csr(const std::string& file, std::int64_t n, Records<Entry> records, bool symmetric) {
  // Count, then let row_begin[i] fall from the end of row i to its beginning while the row is filled.
  Array<std::int64_t> row_begin(static_cast<std::size_t>(n + 1), 0);
  const auto at_row = [&](std::int32_t row) { return std::atomic_ref(row_begin[row]); };
  for_each_entry(records, symmetric,
                 [&](std::int32_t row, std::int32_t, double) { at_row(row).fetch_add(1, std::memory_order_relaxed); });
  std::inclusive_scan(row_begin.begin(), row_begin.end(), row_begin.begin());
  Array<RowEntry> entries(static_cast<std::size_t>(row_begin[n]));
  for_each_entry(records, symmetric, [&](std::int32_t row, std::int32_t column, double value) {
    entries[at_row(row).fetch_sub(1, std::memory_order_relaxed) - 1] = {column, value};
  });

  // Threads fill a row in any order, which does not matter to sum_repeats().
  Array<std::int64_t> summed = sum_repeats(row_begin, entries);
  if (symmetric && summed[n] != row_begin[n]) {
    fail_repeated(file, records, [&](std::int32_t row) {
      return summed[row + 1] - summed[row] != row_begin[row + 1] - row_begin[row];
    });
  }
  records = {};
  return matrix_of_rows(file, row_begin, entries, std::move(summed));
}

}  // namespace

CsrMatrix read_matrix_market(const std::filesystem::path& path) {
  const TextFile file(path, "a Matrix Market file");
  TextReader text(file.name, file.text, market_comments);
  const Header header = read_header(text, {"coordinate"}, {"general", "symmetric"});
  const Size size = read_size(text, header, [&](const Size& found, const TextReader& line) {
    if (found.rows != found.columns) {
      line.fail("the matrix is {} x {}; expected a square one", found.rows, found.columns);
    }
    // Also keeps what row_begin takes in proportion to the file.
    if (found.entries < (header.symmetric ? (found.rows + 1) / 2 : found.rows)) {
      line.fail("{} entries cannot fill {} rows: the matrix is singular; expected an entry in every row", found.entries,
                found.rows);
    }
  });
  Records<Entry> records = read_records<Entry>(file.name, text.remaining(), size.entries, [&](TextReader& line) {
    Entry entry;
    entry.row = static_cast<std::int32_t>(line.integer_in_range("row index", 1, size.rows) - 1);
    entry.column = static_cast<std::int32_t>(line.integer_in_range("column index", 1, size.columns) - 1);
    entry.value = header.value(line);
    return entry;
  });
  return to_csr(file.name, size.rows, std::move(records), header.symmetric);
}

Array<double> read_vector(const std::filesystem::path& path, std::int64_t n) {
  const TextFile file(path, "a Matrix Market file");
  if (is_npy(file.text)) return npy_vector(file.name, file.text, n);
  TextReader text(file.name, file.text, market_comments);
  Header header{.array = true};
  Size size{n, 1, n};
  if (has_banner(file.text)) {
    header = read_header(text, {"array", "coordinate"}, {"general"});
    size = read_size(text, header, [&](const Size& found, const TextReader& line) {
      if (found.rows != n || found.columns != 1) {
        line.fail("the vector is {} x {}; expected {} x 1", found.rows, found.columns, n);
      }
    });
  }
  Records<Entry> records = read_records<Entry>(file.name, text.remaining(), size.entries, [&](TextReader& line) {
    Entry entry{};
    if (!header.array) {
      entry.row = static_cast<std::int32_t>(line.integer_in_range("row index", 1, n) - 1);
      line.integer_in_range("column index", 1, 1);
    }
    entry.value = header.value(line);
    return entry;
  });
  Array<double> vector(static_cast<std::size_t>(n), 0.0);
  std::int64_t next = 0;
  for (const Chunk& chunk : records.chunks) {
    for (std::int64_t k = chunk.slot; k < chunk.slot + chunk.count; ++k) {
      const Entry& entry = records.slots[k];
      if (header.array) {
        vector[next++] = entry.value;
      } else {
        vector[entry.row] += entry.value;
      }
    }
  }
  return vector;
}

// ---- writing

void write_vector(const std::filesystem::path& path, std::span<const double> values, std::string_view comment) {
  if (lower_case(path.extension().string()) == ".npy") return write_npy_vector(path, values);
  OutputFile file(path);
  std::string head = fmt::format("{} matrix array real general\n", banner);
  Lines comment_lines{comment.data(), comment.data() + comment.size()};
  for (std::string_view line; comment_lines.next(line);) fmt::format_to(std::back_inserter(head), "% {}\n", line);
  file.write(fmt::format("{}{} 1\n", head, values.size()));

  constexpr std::size_t block = 1 << 16;  // values
  constexpr std::size_t widest = 32;      // characters: sign, 17 digits, point, exponent, end of line
  const std::size_t blocks = (values.size() + block - 1) / block;
  std::string error;
#pragma omp parallel
  {
    std::vector<char> text(std::min(values.size(), block) * widest);
#pragma omp for ordered schedule(static, 1)
    for (std::size_t b = 0; b < blocks; ++b) {
      char* at = text.data();
      for (const double value : values.subspan(b * block, std::min(block, values.size() - b * block))) {
        at = std::to_chars(at, at + widest, value, std::chars_format::scientific, 16).ptr;
        *at++ = '\n';
      }
#pragma omp ordered
      try {
        if (error.empty()) file.write({text.data(), at});
      } catch (const Error& failure) {
        error = failure.what();
      }
    }
  }
  if (!error.empty()) failed("{}", error);
  file.commit();
}

}  // namespace asterism::cg

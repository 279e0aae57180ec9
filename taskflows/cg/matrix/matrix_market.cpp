#include "taskflows/cg/matrix/matrix_market.hpp"

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <numeric>
#include <string>
#include <system_error>
#include <unordered_map>
#include <vector>

#include "base/error.hpp"
#include "io/output_file.hpp"
#include "io/text_file.hpp"
#include "io/text_words.hpp"

namespace asterism::cg {
namespace {

// ---- lines and fields ----------------------------------------------------------------------------------

/// Moves to the next line that is neither blank nor a comment.
bool next_data(Lines& lines, std::string_view& line) {
  while (lines.next(line)) {
    const auto* const first = std::find_if_not(line.begin(), line.end(), is_blank);
    if (first != line.end() && *first != '%') return true;
  }
  return false;
}

/// Takes the fields of one line from left to right; every complaint names the file and the line.
class Fields {
 public:
  Fields(const std::string& file, const Lines& lines, std::string_view line)
      : file_(file), line_(lines.number), at_(line.data()), end_(line.data() + line.size()) {}

  template <class... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) const {
    bad_input("{}: line {}: {}", file_, line_, fmt::format(format, std::forward<Args>(args)...));
  }

  /// The next word, empty at the end of the line.
  std::string_view word() {
    skip_blanks();
    const char* const first = at_;
    at_ = std::find_if(at_, end_, is_blank);
    return {first, at_};
  }

  std::int64_t integer(const char* what, std::int64_t low, std::int64_t high) {
    const char* const first = skip_sign();
    std::int64_t value = 0;
    const auto [last, error] = std::from_chars(first, end_, value);
    if (error != std::errc() || !is_word_end(last) || value < low || value > high) {
      fail("the {} is {}; expected an integer from {} to {}", what, found(), low, high);
    }
    at_ = last;
    return value;
  }

  double number(const char* what) {
    const char* const first = skip_sign();
    double value = 0;
    const auto [last, error] = std::from_chars(first, end_, value);
    if (error != std::errc() || !is_word_end(last)) return unusual_number(what);
    if (!std::isfinite(value)) fail("the {} is {}; expected a finite number", what, found());
    at_ = last;
    return value;
  }

  void finish() {
    const std::string_view surplus = word();
    if (!surplus.empty()) fail("found {} after the last field; expected the end of the line", in_quotes(surplus));
  }

 private:
  [[nodiscard]] bool is_word_end(const char* p) const { return p == end_ || is_blank(*p); }
  void skip_blanks() {
    while (at_ != end_ && is_blank(*at_)) ++at_;
  }
  /// Where std::from_chars, which knows no leading '+', has to start.
  const char* skip_sign() {
    skip_blanks();
    return end_ - at_ > 1 && at_[0] == '+' && at_[1] != '-' ? at_ + 1 : at_;
  }
  std::string found() {
    const std::string_view next = word();
    return next.empty() ? "missing" : in_quotes(next);
  }

  /// What std::from_chars does not take: Fortran's D exponents, and values that underflow.
  double unusual_number(const char* what) {
    const char* const after_sign = skip_sign();
    const char* const start = at_;
    std::string copy(word());
    copy.erase(0, static_cast<std::size_t>(after_sign - start));
    at_ = start;
    const std::size_t d = copy.find_first_of("dD");
    if (d != std::string::npos && d > 0) copy[d] = 'e';
    double value = 0;
    const auto [last, error] = std::from_chars(copy.data(), copy.data() + copy.size(), value);
    if (copy.empty() || error == std::errc::invalid_argument || last != copy.data() + copy.size()) {
      fail("the {} is {}; expected a number", what, found());
    }
    if (error == std::errc::result_out_of_range) value = std::strtod(copy.c_str(), nullptr);
    if (!std::isfinite(value)) fail("the {} is {}; expected a number that fits in a double", what, found());
    word();
    return value;
  }

  const std::string& file_;
  std::int64_t line_;
  const char* at_;
  const char* end_;
};

// ---- header --------------------------------------------------------------------------------------------

struct Header {
  bool array = false;
  bool integer = false;
  bool symmetric = false;

  double value(Fields& fields) const {
    constexpr std::int64_t any = std::numeric_limits<std::int64_t>::max();
    return integer ? static_cast<double>(fields.integer("value", -any, any)) : fields.number("value");
  }
};

constexpr std::string_view banner = "%%MatrixMarket";

bool has_banner(std::string_view text) {
  return lower_case(text.substr(0, banner.size())) == lower_case(banner);
}

/// Takes the header line; its words must be among those allowed.
Header read_header(const std::string& file, Lines& lines, std::initializer_list<std::string_view> formats,
                   std::initializer_list<std::string_view> symmetries) {
  std::string_view line;
  lines.next(line);
  Fields fields(file, lines, line);
  const std::string_view first = fields.word();
  if (!has_banner(first) || first.size() != banner.size()) {
    fields.fail("found {}; expected the header \"{} matrix ...\"", in_quotes(line), banner);
  }
  const auto choose = [&](const char* what, std::initializer_list<std::string_view> allowed) {
    const std::string_view word = fields.word();
    std::string chosen = lower_case(word);
    if (std::find(allowed.begin(), allowed.end(), chosen) == allowed.end()) {
      fields.fail("the header's {} is {}; expected {}", what, word.empty() ? "missing" : in_quotes(word),
                  fmt::join(allowed, " or "));
    }
    return chosen;
  };
  choose("object", {"matrix"});
  Header header;
  header.array = choose("format", formats) == "array";
  header.integer = choose("field", {"real", "integer"}) == "integer";
  header.symmetric = choose("symmetry", symmetries) == "symmetric";
  fields.finish();
  return header;
}

struct Size {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t entries = 0;
};

/// Takes the size line; the check sees it with the fields, to complain of the line.
template <class Check>
Size read_size(const std::string& file, Lines& lines, const Header& header, Check check) {
  const char* const form = header.array ? "rows columns" : "rows columns entries";
  std::string_view line;
  if (!next_data(lines, line)) bad_input("{}: ends before its size line; expected \"{}\"", file, form);
  Fields fields(file, lines, line);
  Size size;
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  size.rows = fields.integer("number of rows", 1, most);
  size.columns = fields.integer("number of columns", 1, most);
  size.entries = header.array ? size.rows * size.columns
                              : fields.integer("number of entries", 0, std::numeric_limits<std::int64_t>::max());
  fields.finish();
  check(size, fields);
  return size;
}

// ---- records: one per data line ------------------------------------------------------------------------

/// A piece of the text that ends with a line, and where its records stand.
struct alignas(128) Chunk {
  Lines lines;             ///< at the start of the chunk
  std::int64_t slot = 0;   ///< of the first record; as every line has a slot, there are gaps between chunks
  std::int64_t count = 0;  ///< records
  std::string error;       ///< why reading stopped early
};

template <class Record>
struct Records {
  Array<Record> slots;
  std::vector<Chunk> chunks;
};

/// Cuts the rest of a text into chunks, and counts lines so that each knows its line numbers.
std::vector<Chunk> cut(const Lines& rest) {
  constexpr std::int64_t smallest = 1 << 16;  // bytes
  const std::int64_t bytes = rest.end - rest.at;
  const std::int64_t pieces = std::clamp<std::int64_t>(bytes / smallest, 1, std::int64_t{64} * omp_get_max_threads());
  std::vector<Chunk> chunks;
  const char* begin = rest.at;
  for (std::int64_t piece = 1; piece <= pieces; ++piece) {
    const char* end = std::max(begin, rest.at + bytes / pieces * piece);
    end = piece == pieces ? rest.end : std::find(end, rest.end, '\n');
    if (end != rest.end) ++end;
    chunks.emplace_back().lines = {begin, end};
    begin = end;
  }
#pragma omp parallel for schedule(dynamic)
  for (Chunk& chunk : chunks) {
    std::int64_t newlines = 0;
    const char* const text = chunk.lines.at;
    const std::int64_t length = chunk.lines.end - text;
#pragma omp simd reduction(+ : newlines)
    for (std::int64_t i = 0; i < length; ++i) newlines += text[i] == '\n' ? 1 : 0;
    chunk.slot = newlines;
  }
  std::int64_t lines_before = 0;
  for (Chunk& chunk : chunks) {
    chunk.lines.number = rest.number + lines_before;
    lines_before += std::exchange(chunk.slot, lines_before);
  }
  return chunks;
}

/// Reads exactly `expected` records, one per line: parse(fields) makes a Record of a line's fields. Memory
/// follows the lines there are, not what the file announces.
template <class Record, class Parse>
Records<Record> read_records(const std::string& file, const Lines& rest, std::int64_t expected, Parse parse) {
  Records<Record> records;
  records.chunks = cut(rest);
  const Chunk& last = records.chunks.back();
  const auto last_lines = std::count(last.lines.at, last.lines.end, '\n') + 1;
  records.slots = Array<Record>(static_cast<std::size_t>(last.slot + last_lines));
#pragma omp parallel for schedule(dynamic)
  for (Chunk& chunk : records.chunks) {
    try {
      Lines lines = chunk.lines;
      std::string_view line;
      while (next_data(lines, line)) {
        Fields fields(file, lines, line);
        const Record record = parse(fields);
        fields.finish();
        records.slots[chunk.slot + chunk.count++] = record;
      }
    } catch (const Error& error) {
      chunk.error = error.what();
    }
  }
  // The first complaint in the order of the file is the one to make.
  std::int64_t count = 0;
  for (const Chunk& chunk : records.chunks) {
    if (count + chunk.count > expected) {
      Lines lines = chunk.lines;
      std::string_view line;
      for (std::int64_t k = count; k <= expected; ++k) next_data(lines, line);
      bad_input("{}: line {}: found {} after the last entry; expected {} entries", file, lines.number, in_quotes(line),
                expected);
    }
    if (!chunk.error.empty()) bad_input("{}", chunk.error);
    count += chunk.count;
  }
  if (count < expected) bad_input("{}: ends after {} entries; expected {}", file, count, expected);
  return records;
}

// ---- matrix --------------------------------------------------------------------------------------------

struct Entry {
  std::int32_t row;
  std::int32_t column;
  double value;
};

struct RowEntry {
  std::int32_t column;
  double value;
  bool operator<(const RowEntry& other) const {
    return column != other.column ? column < other.column : value < other.value;
  }
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
    Lines lines = chunk.lines;
    std::string_view line;
    for (std::int64_t k = chunk.slot; k < chunk.slot + chunk.count; ++k) {
      next_data(lines, line);
      const Entry& entry = records.slots[k];
      if (!row_has_repeats(entry.row)) continue;
      const auto [low, high] = std::minmax(entry.row, entry.column);
      const std::uint64_t position = static_cast<std::uint64_t>(high) << 32U | static_cast<std::uint64_t>(low);
      const auto [earlier, is_new] = seen.try_emplace(position, entry, lines.number);
      if (is_new) continue;
      const auto& [other, other_line] = earlier->second;
      Fields(file, lines, line)
          .fail("entry ({},{}) repeats entry ({},{}) of line {}; a symmetric file gives either of the two, once",
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

  // Threads fill a row in any order: sorting by column, then value, makes its entries and sums definite.
  CsrMatrix matrix;
  matrix.n = n;
  matrix.name = file;
  matrix.row_begin = Array<std::int64_t>(static_cast<std::size_t>(n + 1));
  matrix.row_begin[0] = 0;
  bool repeats = false;
#pragma omp parallel for schedule(dynamic, 256) reduction(|| : repeats)
  for (std::int64_t row = 0; row < n; ++row) {
    RowEntry* const first = entries.data() + row_begin[row];
    RowEntry* const last = entries.data() + row_begin[row + 1];
    std::sort(first, last);
    RowEntry* kept = first;
    for (const RowEntry* entry = first; entry != last; ++entry) {
      if (kept != first && kept[-1].column == entry->column) {
        kept[-1].value += entry->value;
      } else {
        *kept++ = *entry;
      }
    }
    matrix.row_begin[row + 1] = kept - first;
    repeats = repeats || kept != last;
  }
  if (repeats && symmetric) {
    fail_repeated(file, records,
                  [&](std::int32_t row) { return matrix.row_begin[row + 1] != row_begin[row + 1] - row_begin[row]; });
  }
  records = {};
  std::inclusive_scan(matrix.row_begin.begin(), matrix.row_begin.end(), matrix.row_begin.begin());

  matrix.column = Array<std::int32_t>(static_cast<std::size_t>(matrix.nnz()));
  matrix.value = Array<double>(static_cast<std::size_t>(matrix.nnz()));
#pragma omp parallel for schedule(static)
  for (std::int64_t row = 0; row < n; ++row) {
    const RowEntry* entry = entries.data() + row_begin[row];
    for (std::int64_t k = matrix.row_begin[row]; k < matrix.row_begin[row + 1]; ++k, ++entry) {
      matrix.column[k] = entry->column;
      matrix.value[k] = entry->value;
    }
  }
  return matrix;
}

}  // namespace

CsrMatrix read_matrix_market(const std::filesystem::path& path) {
  const TextFile file(path, "a Matrix Market file");
  Lines lines{file.text.data(), file.text.data() + file.text.size()};
  const Header header = read_header(file.name, lines, {"coordinate"}, {"general", "symmetric"});
  const Size size = read_size(file.name, lines, header, [&](const Size& found, const Fields& fields) {
    if (found.rows != found.columns) {
      fields.fail("the matrix is {} x {}; expected a square one", found.rows, found.columns);
    }
    // Also keeps what row_begin takes in proportion to the file.
    if (found.entries < (header.symmetric ? (found.rows + 1) / 2 : found.rows)) {
      fields.fail("{} entries cannot fill {} rows: the matrix is singular; expected an entry in every row",
                  found.entries, found.rows);
    }
  });
  Records<Entry> records = read_records<Entry>(file.name, lines, size.entries, [&](Fields& fields) {
    Entry entry;
    entry.row = static_cast<std::int32_t>(fields.integer("row index", 1, size.rows) - 1);
    entry.column = static_cast<std::int32_t>(fields.integer("column index", 1, size.columns) - 1);
    entry.value = header.value(fields);
    return entry;
  });
  return to_csr(file.name, size.rows, std::move(records), header.symmetric);
}

Array<double> read_vector(const std::filesystem::path& path, std::int64_t n) {
  const TextFile file(path, "a Matrix Market file");
  Lines lines{file.text.data(), file.text.data() + file.text.size()};
  Header header{.array = true};
  Size size{n, 1, n};
  if (has_banner(file.text)) {
    header = read_header(file.name, lines, {"array", "coordinate"}, {"general"});
    size = read_size(file.name, lines, header, [&](const Size& found, const Fields& fields) {
      if (found.rows != n || found.columns != 1) {
        fields.fail("the vector is {} x {}; expected {} x 1", found.rows, found.columns, n);
      }
    });
  }
  Records<Entry> records = read_records<Entry>(file.name, lines, size.entries, [&](Fields& fields) {
    Entry entry{};
    if (!header.array) {
      entry.row = static_cast<std::int32_t>(fields.integer("row index", 1, n) - 1);
      fields.integer("column index", 1, 1);
    }
    entry.value = header.value(fields);
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

// ---- writing -------------------------------------------------------------------------------------------

void write_vector(const std::filesystem::path& path, std::span<const double> values, std::string_view comment) {
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

// A text with one particle per line, read by all threads: the lines are counted first, so that every particle goes to
// its place and every complaint knows its line.
#pragma once

#include <omp.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "io/text_words.hpp"
#include "taskflows/fmm/particles/particles.hpp"
#include "taskflows/fmm/particles/readers.hpp"

namespace asterism::fmm {

struct Record {
  double x, y, z, charge;
};

/// A piece of the text that ends with a line.
struct alignas(128) Chunk {
  Lines lines;
  std::size_t particles = 0;  ///< those before it once counted
  std::string error = {};
};

inline std::vector<Chunk> cut(const Lines& text) {
  constexpr std::int64_t smallest = 1 << 18;  // bytes
  const std::int64_t bytes = text.end - text.at;
  const std::int64_t pieces = std::clamp<std::int64_t>(bytes / smallest, 1, std::int64_t{16} * omp_get_max_threads());
  std::vector<Chunk> chunks;
  const char* begin = text.at;
  for (std::int64_t piece = 1; piece <= pieces; ++piece) {
    const char* end = std::max(begin, text.at + bytes / pieces * piece);
    end = piece == pieces ? text.end : std::find(end, text.end, '\n');
    if (end != text.end) ++end;
    chunks.push_back({.lines = {begin, end}});
    begin = end;
  }
  return chunks;
}

/// is_particle(line) tells the lines to take; parse(line, number) makes a Record of one of the part or throws Error.
/// No particles when there are none at all.
template <class IsParticle, class Parse>
Particles read_records(const std::string& file, const Lines& text, const Part& part, IsParticle is_particle,
                       Parse parse) {
  std::vector<Chunk> chunks = cut(text);
#pragma omp parallel for schedule(dynamic)
  for (Chunk& chunk : chunks) {
    Lines lines = chunk.lines;
    for (std::string_view line; lines.next(line);) chunk.particles += is_particle(line) ? 1 : 0;
    chunk.lines.number = lines.number;
  }
  std::size_t n = 0;
  std::int64_t number = text.number;
  for (Chunk& chunk : chunks) {
    n += std::exchange(chunk.particles, n);
    number += std::exchange(chunk.lines.number, number);
  }
  check_parts(file, n, part);
  const std::size_t begin = part.begin(n);
  const std::size_t end = part.end(n);
  Particles particles(end - begin);
#pragma omp parallel for schedule(dynamic)
  for (Chunk& chunk : chunks) {
    try {
      Lines lines = chunk.lines;
      std::size_t i = chunk.particles;
      for (std::string_view line; lines.next(line);) {
        if (!is_particle(line)) continue;
        const std::size_t place = i++ - begin;
        if (place >= particles.size()) {
          if (i > end) break;
          continue;
        }
        const Record record = parse(line, lines.number);
        particles.x[place] = record.x;
        particles.y[place] = record.y;
        particles.z[place] = record.z;
        particles.charge[place] = record.charge;
      }
    } catch (const Error& error) {
      chunk.error = error.what();
    }
  }
  // The first complaint in the order of the file is the one to make.
  for (const Chunk& chunk : chunks) {
    if (!chunk.error.empty()) bad_input("{}", chunk.error);
  }
  return particles;
}

/// The finite number that a word of a line is.
inline double finite_number(const std::string& file, std::int64_t line, const char* what, std::string_view word) {
  double value = 0;
  if (!parse_number(word, value)) {
    bad_input("{}: line {}: the {} is {}; expected a number", file, line, what,
              word.empty() ? "missing" : in_quotes(word));
  }
  if (0 * value != 0)
    bad_input("{}: line {}: the {} is {}; expected a finite number", file, line, what, in_quotes(word));
  return value;
}

}  // namespace asterism::fmm

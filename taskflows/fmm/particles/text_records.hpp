// SPDX-License-Identifier: Apache-2.0
// A text with one particle per line, read by all threads: the lines are counted first, so that every particle goes to
// its place and every complaint knows its line.
#pragma once

#include <omp.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "io/text_reader.hpp"
#include "taskflows/fmm/particles/particles.hpp"
#include "taskflows/fmm/particles/readers.hpp"

namespace asterism::fmm {

struct Record {
  double x, y, z, charge;
  double vx, vy, vz, mass;
};
/// What records have beside place and charge.
struct RecordParts {
  bool velocity = false;
  bool mass = false;
};

/// A piece of the text that ends with a line.
struct alignas(128) Chunk {
  Lines lines;
  std::size_t particles = 0;  ///< those before it once counted
  std::string error = {};
};

/// is_particle(line) tells the lines to take; parse(reader) makes a Record of the line where the reader stands, or
/// throws Error. Returns no particles when the text has none.
template <class IsParticle, class Parse>
Particles read_records(const std::string& file, const Lines& text, const Part& part, IsParticle is_particle,
                       Parse parse, const RecordParts& parts = {}) {
  constexpr std::int64_t smallest = 1 << 18;  // bytes
  std::vector<Chunk> chunks;
  for (const Lines& lines : cut_at_lines(text, smallest, std::int64_t{16} * omp_get_max_threads())) {
    chunks.push_back({.lines = lines});
  }
  chunks.front().lines.number = 0;
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
  if (parts.velocity)
    for (Array<double>* const v : {&particles.vx, &particles.vy, &particles.vz}) *v = Array<double>(end - begin);
  if (parts.mass) particles.mass = Array<double>(end - begin);
#pragma omp parallel for schedule(dynamic)
  for (Chunk& chunk : chunks) {
    try {
      TextReader reader(file, chunk.lines);
      std::size_t i = chunk.particles;
      while (reader.next_line()) {
        if (!is_particle(reader.line())) continue;
        const std::size_t place = i++ - begin;
        if (place >= particles.size()) {
          if (i > end) break;
          continue;
        }
        const Record record = parse(reader);
        particles.x[place] = record.x;
        particles.y[place] = record.y;
        particles.z[place] = record.z;
        particles.charge[place] = record.charge;
        if (parts.velocity) {
          particles.vx[place] = record.vx;
          particles.vy[place] = record.vy;
          particles.vz[place] = record.vz;
        }
        if (parts.mass) particles.mass[place] = record.mass;
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

}  // namespace asterism::fmm

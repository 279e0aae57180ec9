// SPDX-License-Identifier: Apache-2.0
// Molecules as PDB2PQR writes and APBS reads them: ATOM and HETATM records of words separated by blanks,
//   ATOM serial atom residue [chain] residue-number x y z charge radius
#include <algorithm>
#include <array>

#include "taskflows/fmm/particles/readers.hpp"
#include "taskflows/fmm/particles/text_records.hpp"

namespace asterism::fmm {
namespace {

bool is_atom(std::string_view line) {
  return line.starts_with("ATOM") || line.starts_with("HETATM");
}

bool has_digit(std::string_view word) {
  return std::any_of(word.begin(), word.end(), [](char c) { return c >= '0' && c <= '9'; });
}

Record parse_atom(TextReader& line) {
  constexpr std::size_t fewest = 10;  // words, without a chain
  std::array<std::string_view, fewest + 2> words = {};
  std::size_t count = 0;
  for (std::string_view word = line.word(); !word.empty(); word = line.word()) {
    words[count++] = word;
    // a serial number of five digits and more touches HETATM
    if (count == 1 && has_digit(words[0])) words[count++] = words[0];
    if (count == words.size()) break;
  }
  // Without this, an atom that lacks its radius but has a chain would be taken one word off.
  const bool has_chain = count == fewest + 1;
  if ((count != fewest && !has_chain) || !has_digit(words[has_chain ? 5 : 4])) {
    line.unexpected(trimmed(line.line()), "\"ATOM serial atom residue [chain] number x y z charge radius\"");
  }
  const std::string_view* const last_five = &words[count - 5];
  Record record{};
  record.x = line.finite_number("x", last_five[0]);
  record.y = line.finite_number("y", last_five[1]);
  record.z = line.finite_number("z", last_five[2]);
  record.charge = line.finite_number("charge", last_five[3]);
  line.finite_number("radius", last_five[4]);
  return record;
}

}  // namespace

Particles read_pqr(const TextFile& file, const ReadOptions& options) {
  const Lines lines{file.text.data(), file.text.data() + file.text.size()};
  Particles particles = read_records(file.name, lines, options.part, is_atom, parse_atom);
  if (particles.size() == 0) bad_input("{}: there is no ATOM or HETATM record; expected a molecule (PQR)", file.name);
  return particles;
}

}  // namespace asterism::fmm

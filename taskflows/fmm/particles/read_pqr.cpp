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

Record parse_atom(const std::string& file, std::string_view line, std::int64_t number) {
  constexpr std::size_t fewest = 10;  // words, without a chain
  std::array<std::string_view, fewest + 2> words = {};
  std::size_t count = 0;
  const char* at = line.data();
  const char* const end = at + line.size();
  while (count < words.size()) {
    at = std::find_if_not(at, end, is_blank);
    if (at == end) break;
    const char* const last = std::find_if(at, end, is_blank);
    words[count++] = {at, last};
    at = last;
    // a serial number of five digits and more touches HETATM
    if (count == 1 && has_digit(words[0])) words[count++] = words[0];
  }
  // Without this, an atom that lacks its radius but has a chain would be taken one word off.
  const bool has_chain = count == fewest + 1;
  if ((count != fewest && !has_chain) || !has_digit(words[has_chain ? 5 : 4])) {
    bad_input("{}: line {}: found {}; expected \"ATOM serial atom residue [chain] number x y z charge radius\"", file,
              number, in_quotes(trimmed(line)));
  }
  const std::string_view* const last_five = &words[count - 5];
  Record record{};
  record.x = finite_number(file, number, "x", last_five[0]);
  record.y = finite_number(file, number, "y", last_five[1]);
  record.z = finite_number(file, number, "z", last_five[2]);
  record.charge = finite_number(file, number, "charge", last_five[3]);
  finite_number(file, number, "radius", last_five[4]);
  return record;
}

}  // namespace

Particles read_pqr(const TextFile& file, const ReadOptions& options) {
  const Lines lines{file.text.data(), file.text.data() + file.text.size()};
  Particles particles =
      read_records(file.name, lines, options.part, is_atom,
                   [&](std::string_view line, std::int64_t number) { return parse_atom(file.name, line, number); });
  if (particles.size() == 0) bad_input("{}: there is no ATOM or HETATM record; expected a molecule (PQR)", file.name);
  return particles;
}

}  // namespace asterism::fmm

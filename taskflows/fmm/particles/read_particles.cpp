// SPDX-License-Identifier: Apache-2.0
#include "taskflows/fmm/particles/read_particles.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "io/text_words.hpp"
#include "taskflows/fmm/particles/readers.hpp"

namespace asterism::fmm {
namespace {

enum class InputFormat { text, pqr, npy, hdf5, unknown };

InputFormat format_of(const std::string& extension) {
  constexpr std::array<std::string_view, 7> text = {".csv", ".txt", ".xyz", ".xyzq", ".xyzl", ".dat", ".tsv"};
  if (std::find(text.begin(), text.end(), extension) != text.end()) return InputFormat::text;
  if (extension == ".pqr") return InputFormat::pqr;
  if (extension == ".npy") return InputFormat::npy;
  if (extension == ".h5" || extension == ".hdf5") return InputFormat::hdf5;
  return InputFormat::unknown;
}

}  // namespace

Particles read_particles(const std::filesystem::path& path, const ReadOptions& options) {
  const bool compressed = lower_case(path.extension().string()) == ".gz";
  const std::string extension = lower_case((compressed ? path.stem() : path).extension().string());
  const InputFormat format = format_of(extension);
  if (format == InputFormat::unknown) {
    bad_input(
        "{}: {} is no known extension of particles; expected .csv, .txt, .tsv, .dat, .xyz, .xyzq, .xyzl, .pqr, .npy, "
        ".h5 "
        "or .hdf5",
        path.string(), in_quotes(extension));
  }
  const auto refuse = [&](const char* option) {
    bad_input("{}: {} is no option for {} files", path.string(), option, extension);
  };
  if (!options.columns.empty() && format != InputFormat::text && format != InputFormat::npy) refuse("--columns");
  if (!options.dataset.empty() && format != InputFormat::hdf5) refuse("--dataset");
  switch (format) {
    case InputFormat::text:
      return read_text(TextFile(path, "a table x y z [charge]"), options);
    case InputFormat::pqr:
      return read_pqr(TextFile(path, "a molecule (PQR)"), options);
    case InputFormat::npy:
      return read_npy(TextFile(path, "a NumPy array"), options);
    default:
      if (compressed) bad_input("{}: HDF5 is not read from gzip; expected it uncompressed", path.string());
      return read_hdf5(path, options);
  }
}

const char* input_formats() {
  return ".csv .txt .tsv .dat .xyz .xyzq .xyzl  table, one particle per line: x y z [charge], separated by blanks, "
         "','\n"
         "                                      or ';'; '#' begins a comment; a header line may name the columns x, y, "
         "z\n"
         "                                      and charge (or q, weight, mass, w) in any order, and\n"
         "                                      vx, vy, vz (and mass beside charge) for --steps\n"
         ".pqr                                  molecule: ATOM and HETATM records with charge and radius\n"
         ".npy                                  NumPy array (n, 3), (n, 4) or (n, 7: with velocities) of float64\n"
         "                                      or float32\n"
         ".h5 .hdf5                             HDF5: positions (n x 3) and charges (n), or particles (n x 4);\n"
         "                                      velocities (n x 3) and masses (n)\n"
         "Text and NumPy files may be compressed (.gz). Without charges, each is 1.\n";
}

}  // namespace asterism::fmm

#include "taskflows/fmm/write_particles.hpp"

#include <unistd.h>

#include <array>
#include <bit>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <span>
#include <system_error>

#include "taskflows/fmm/writers.hpp"
#include "taskflows/runtime/error.hpp"
#include "taskflows/runtime/hdf5_file.hpp"
#include "taskflows/runtime/text_words.hpp"

namespace asterism::fmm {
namespace {

enum class Format { csv, hdf5, vtk, vtp, npy };

Format format_of(const std::filesystem::path& path) {
  const std::string extension = lower_case(path.extension().string());
  if (extension == ".csv") return Format::csv;
  if (extension == ".h5" || extension == ".hdf5") return Format::hdf5;
  if (extension == ".vtk") return Format::vtk;
  if (extension == ".vtp") return Format::vtp;
  if (extension == ".npy") return Format::npy;
  bad_input("{}: {} is no known extension of results; expected .csv, .h5, .hdf5, .vtk, .vtp or .npy", path.string(),
            in_quotes(extension));
}

using Row = std::array<double, 8>;

Row row(const Particles& p, const Result& r, std::size_t i) {
  return {p.x[i], p.y[i], p.z[i], p.charge[i], r.potential[i], r.fx[i], r.fy[i], r.fz[i]};
}

void write_csv(OutputFile& file, const Particles& particles, const Result& result) {
  file.write("x,y,z,charge,potential,fx,fy,fz\n");
  constexpr std::size_t widest = 26;  // characters: sign, 17 digits, point, exponent, separator
  write_records(file, particles.size(), widest * Row().size(), [&](std::size_t i, char* at) {
    for (const double value : row(particles, result, i)) {
      at = std::to_chars(at, at + widest, value).ptr;  // the shortest that reads back as the same value
      *at++ = ',';
    }
    at[-1] = '\n';
    return at;
  });
}

void write_npy(OutputFile& file, const Particles& particles, const Result& result) {
  std::string header =
      fmt::format("{{'descr': '{}f8', 'fortran_order': False, 'shape': ({}, {}), }}",
                  std::endian::native == std::endian::little ? '<' : '>', particles.size(), Row().size());
  constexpr std::size_t preamble = 10;  // magic, version, length of the header
  constexpr std::size_t alignment = 64;
  header.append(alignment - 1 - (preamble + header.size()) % alignment, ' ');
  header += '\n';
  file.write({"\x93NUMPY\x01\x00", 8});
  const std::array<char, 2> length = {static_cast<char>(header.size() & 0xffU), static_cast<char>(header.size() >> 8U)};
  file.write({length.data(), length.size()});
  file.write(header);
  write_records(file, particles.size(), sizeof(Row), [&](std::size_t i, char* at) {
    const Row values = row(particles, result, i);
    std::memcpy(at, values.data(), sizeof values);
    return at + sizeof values;
  });
}

/// Writes an n x 3 dataset from its columns.
void write_vectors(Hdf5Output& file, const char* name, const Array<double>& x, const Array<double>& y,
                   const Array<double>& z) {
  constexpr std::size_t block = 1 << 16;  // rows
  file.create(name, Hdf5Number::float64, {x.size(), 3});
  Array<double> rows(3 * std::min(block, x.size()));
  for (std::size_t begin = 0; begin < x.size(); begin += block) {
    const std::size_t count = std::min(block, x.size() - begin);
    for (std::size_t i = 0; i < count; ++i) {
      rows[3 * i] = x[begin + i];
      rows[3 * i + 1] = y[begin + i];
      rows[3 * i + 2] = z[begin + i];
    }
    file.write_rows(name, begin, std::span<const double>(rows.data(), 3 * count));
  }
}

void write_hdf5(const std::filesystem::path& path, const Particles& particles, const Result& result) {
  Hdf5Output file(path);
  write_vectors(file, "positions", particles.x, particles.y, particles.z);
  file.write<double>("charges", {particles.size()}, particles.charge);
  file.write<double>("potential", {particles.size()}, result.potential);
  write_vectors(file, "force", result.fx, result.fy, result.fz);
  file.commit();
}

}  // namespace

void write_result(const std::filesystem::path& path, const Particles& particles, const Result& result) {
  const Format format = format_of(path);
  if (result.potential.size() != particles.size() || result.fx.size() != particles.size()) {
    failed("{}: {} particles have {} results", path.string(), particles.size(), result.potential.size());
  }
  if (format == Format::hdf5) {
    write_hdf5(path, particles, result);
    return;
  }
  OutputFile file(path);
  switch (format) {
    case Format::csv:
      write_csv(file, particles, result);
      break;
    case Format::npy:
      write_npy(file, particles, result);
      break;
    case Format::vtk:
      write_vtk(file, particles, result);
      break;
    default:
      write_vtp(file, particles, result);
  }
  file.commit();
}

void check_output_name(const std::filesystem::path& path) {
  format_of(path);
  const PendingFile only_checked(path);
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  if (access(folder.c_str(), W_OK | X_OK) != 0) {
    bad_input("{}: cannot be written: the folder {}: {}", path.string(), folder.string(),
              std::generic_category().message(errno));
  }
}

const char* output_formats() {
  return ".csv        table x,y,z,charge,potential,fx,fy,fz with a header\n"
         ".npy        NumPy array (n, 8) of float64, columns as in .csv\n"
         ".h5 .hdf5   HDF5: positions (n x 3), charges (n), potential (n), force (n x 3)\n"
         ".vtp .vtk   points for ParaView with charge, potential and force (XML, or legacy binary)\n";
}

}  // namespace asterism::fmm

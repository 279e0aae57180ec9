// SPDX-License-Identifier: Apache-2.0
#include "taskflows/fmm/particles/write_particles.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <optional>
#include <span>
#include <system_error>

#include "base/error.hpp"
#include "io/arrays/npy.hpp"
#include "io/hdf5/file.hpp"
#include "io/series/vtkhdf.hpp"
#include "io/text_words.hpp"
#include "taskflows/fmm/particles/writers.hpp"

namespace asterism::fmm {
namespace {

enum class OutputFormat { csv, hdf5, vtk, vtp, vtkhdf, npy };

OutputFormat format_of(const std::filesystem::path& path) {
  const std::string extension = lower_case(path.extension().string());
  if (extension == ".csv") return OutputFormat::csv;
  if (extension == ".h5" || extension == ".hdf5") return OutputFormat::hdf5;
  if (extension == ".vtk") return OutputFormat::vtk;
  if (extension == ".vtp") return OutputFormat::vtp;
  if (extension == ".vtkhdf") return OutputFormat::vtkhdf;
  if (extension == ".npy") return OutputFormat::npy;
  bad_input("{}: {} is no known extension of results; expected .csv, .h5, .hdf5, .vtk, .vtp, .vtkhdf or .npy",
            path.string(), in_quotes(extension));
}

constexpr std::array all_fields{Field::x,  Field::y,  Field::z,  Field::charge, Field::potential, Field::fx, Field::fy,
                                Field::fz, Field::vx, Field::vy, Field::vz,     Field::ax,        Field::ay, Field::az};
constexpr std::size_t fields_at_rest = 8;

std::vector<Field> columns_of(bool moving) {
  return {all_fields.begin(), moving ? all_fields.end() : all_fields.begin() + fields_at_rest};
}

std::string csv_header(bool moving, const ResultNames& names) {
  const auto with = [](const std::string& unit) { return unit.empty() ? "" : fmt::format(" [{}]", unit); };
  std::string header = fmt::format("x,y,z,{}", names.charge);
  const auto vector = [&](char letter, const std::string& unit) {
    for (const char axis : {'x', 'y', 'z'}) header += fmt::format(",{}{}{}", letter, axis, with(unit));
  };
  header += ",potential" + with(names.potential_unit);
  vector('f', names.force_unit);
  if (moving) {
    vector('v', "");  // a column of that name is read again
    vector('a', names.acceleration_unit);
  }
  return header + "\n";
}

FileLayout csv_layout(bool moving, const ResultNames& names) {
  constexpr std::size_t widest = 26;  // characters: sign, 17 digits, point, exponent, separator
  const auto put = [](const FieldValues& values, std::size_t i, char* at) {
    for (const std::span<const double> field : values) {
      at = std::to_chars(at, at + widest, field[i]).ptr;  // the shortest that reads back as the same value
      *at++ = ',';
    }
    at[-1] = '\n';
    return at;
  };
  const std::vector<Field> columns = columns_of(moving);
  return {{{csv_header(moving, names), columns, widest * columns.size(), put}}, ""};
}

FileLayout npy_layout(std::size_t n, bool moving) {
  const std::vector<Field> columns = columns_of(moving);
  const auto put = [](const FieldValues& values, std::size_t i, char* at) {
    for (const std::span<const double> field : values) {
      std::memcpy(at, &field[i], sizeof(double));
      at += sizeof(double);
    }
    return at;
  };
  return {{{npy_header({n, columns.size()}), columns, sizeof(double) * columns.size(), put}}, ""};
}

/// `file`: of the process that gets the parts.
void write_layout(OutputFile* file, const ResultParts& parts, const FileLayout& layout) {
  for (const Section& section : layout.sections) {
    const auto write = [&](std::size_t n, const FieldValues& values) {
      write_records(*file, n, section.widest, [&](std::size_t i, char* at) { return section.put(values, i, at); });
    };
    if (file != nullptr) file->write(section.before);
    if (!section.fields.empty())
      parts.each(section.fields, [&](const FieldValues& values) { write(values.front().size(), values); });
    else if (file != nullptr)
      write(parts.particles, {});
  }
  if (file != nullptr) file->write(layout.end);
}

/// Rows of one value or of a vector for each particle: put(first, values) for one part after the other.
template <class Put>
void in_rows(const ResultParts& parts, std::span<const Field> fields, const Put& put) {
  constexpr std::size_t block = 1 << 16;  // rows
  const std::size_t width = fields.size();
  Array<double> rows(width * std::min(block, parts.particles));
  std::size_t first = 0;
  parts.each(fields, [&](const FieldValues& values) {
    const std::size_t n = values.front().size();
    for (std::size_t begin = 0; begin < n; begin += block) {
      const std::size_t count = std::min(block, n - begin);
      for (std::size_t i = 0; i < count; ++i)
        for (std::size_t f = 0; f < width; ++f) rows[width * i + f] = values[f][begin + i];
      put(first + begin, std::span<const double>(rows.data(), width * count));
    }
    first += n;
  });
}

constexpr std::array place_fields{Field::x, Field::y, Field::z};
constexpr std::array charge_fields{Field::charge};
constexpr std::array potential_fields{Field::potential};
constexpr std::array force_fields{Field::fx, Field::fy, Field::fz};
constexpr std::array velocity_fields{Field::vx, Field::vy, Field::vz};
constexpr std::array acceleration_fields{Field::ax, Field::ay, Field::az};

void write_hdf5(const std::filesystem::path& path, const ResultParts& parts) {
  std::optional<Hdf5Output> file;
  if (parts.here) file.emplace(path);
  const auto write = [&](const char* name, std::span<const Field> fields, const std::string& unit) {
    const std::size_t width = fields.size();
    if (file)
      file->create(name, Hdf5Number::float64,
                   width == 1 ? std::vector<std::size_t>{parts.particles} : std::vector{parts.particles, width});
    in_rows(parts, fields,
            [&](std::size_t first, std::span<const double> values) { file->write_rows(name, first, values); });
    if (file && !unit.empty()) file->attribute(name, "unit", unit);
  };
  const ResultNames& names = parts.names;
  write("positions", place_fields, "");
  write("charges", charge_fields, "");
  write("potential", potential_fields, names.potential_unit);
  write("force", force_fields, names.force_unit);
  if (parts.moving) {
    write("velocities", velocity_fields, names.speed_unit);
    write("accelerations", acceleration_fields, names.acceleration_unit);
  }
  if (file) file->commit();
}

void write_vtkhdf(const std::filesystem::path& path, const ResultParts& parts) {
  std::optional<output::VtkHdfFile> file;
  if (parts.here) file.emplace(path);
  const auto fill = [&](const std::string& dataset, std::span<const Field> fields) {
    in_rows(parts, fields,
            [&](std::size_t first, std::span<const double> values) { file->rows(dataset, first, values); });
  };
  const auto write = [&](const std::string& name, std::span<const Field> fields, const std::string& unit) {
    if (file) file->create(output::Centre::node, name, Hdf5Number::float64, fields.size(), unit);
    fill(output::VtkHdfFile::dataset(output::Centre::node, name), fields);
  };
  const ResultNames& names = parts.names;
  if (file) file->vertices(parts.particles);
  fill(output::VtkHdfFile::points, place_fields);
  write(names.charge, charge_fields, "");
  write("potential", potential_fields, names.potential_unit);
  write("force", force_fields, names.force_unit);
  if (parts.moving) {
    write("velocity", velocity_fields, names.speed_unit);
    write("acceleration", acceleration_fields, names.acceleration_unit);
  }
  if (file) file->commit();
}

FileLayout layout_of(OutputFormat format, const ResultParts& parts) {
  switch (format) {
    case OutputFormat::csv:
      return csv_layout(parts.moving, parts.names);
    case OutputFormat::npy:
      return npy_layout(parts.particles, parts.moving);
    case OutputFormat::vtk:
      return vtk_layout(parts.particles, parts.moving, parts.names.charge);
    default:
      return vtp_layout(parts.particles, parts.moving, parts.names.charge);
  }
}

}  // namespace

std::span<const double> field_of(const Particles& p, const Result& r, const Motion* motion, Field field) {
  static const Motion at_rest;
  const Motion& m = motion != nullptr ? *motion : at_rest;
  const std::array<const Array<double>*, all_fields.size()> arrays{
      &p.x, &p.y, &p.z, &p.charge, &r.potential, &r.fx, &r.fy, &r.fz, &m.vx, &m.vy, &m.vz, &m.ax, &m.ay, &m.az};
  return *arrays[static_cast<std::size_t>(field)];
}

void write_result(const std::filesystem::path& path, const ResultParts& parts) {
  const OutputFormat format = format_of(path);
  if (format == OutputFormat::hdf5) return write_hdf5(path, parts);
  if (format == OutputFormat::vtkhdf) return write_vtkhdf(path, parts);
  std::optional<OutputFile> file;
  if (parts.here) file.emplace(path);
  write_layout(file ? &*file : nullptr, parts, layout_of(format, parts));
  if (file) file->commit();
}

void write_result(const std::filesystem::path& path, const Particles& particles, const Result& result,
                  const Motion* motion, const ResultNames& names) {
  format_of(path);
  if (result.potential.size() != particles.size() || result.fx.size() != particles.size()) {
    failed("{}: {} particles have {} results", path.string(), particles.size(), result.potential.size());
  }
  ResultParts whole{
      .particles = particles.size(), .here = true, .moving = motion != nullptr, .names = names, .each = {}};
  whole.each = [&](std::span<const Field> fields, const std::function<void(const FieldValues&)>& take) {
    FieldValues values;
    for (const Field field : fields) values.push_back(field_of(particles, result, motion, field));
    take(values);
  };
  write_result(path, whole);
}

void check_output_name(const std::filesystem::path& path) {
  format_of(path);
  const PendingFile only_checked(path);
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  if (access(folder.c_str(), W_OK | X_OK) != 0) {
    bad_input("{}: cannot be written: the folder {}: {}", path.string(), folder.string(), system_message(errno));
  }
}

const char* output_formats() {
  return ".csv        table x,y,z,charge,potential,fx,fy,fz with a header; after --steps also vx,vy,vz,ax,ay,az\n"
         ".npy        NumPy array (n, 8) of float64, or (n, 14), columns as in .csv\n"
         ".h5 .hdf5   HDF5: positions (n x 3), charges (n), potential (n), force, velocities and accelerations (n x "
         "3)\n"
         ".vtp .vtk .vtkhdf   points for ParaView with the same as arrays (XML, legacy binary, HDF5)\n";
}

}  // namespace asterism::fmm

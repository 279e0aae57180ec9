// SPDX-License-Identifier: Apache-2.0
// Points for ParaView, VisIt and PyVista (VTK file formats, version 3.0 of the legacy one, 1.0 of the XML one).
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>

#include "base/error.hpp"
#include "taskflows/fmm/particles/writers.hpp"

namespace asterism::fmm {
namespace {

char* put_native(char* at, const void* value, std::size_t size) {
  std::memcpy(at, value, size);
  return at + size;
}

/// Most significant byte first, as legacy files have it.
char* put_big_endian(char* at, std::uint64_t bits, std::size_t size) {
  for (std::size_t b = size; b-- > 0;) *at++ = static_cast<char>(bits >> (8 * b) & 0xffU);
  return at;
}

char* put_big_endian(char* at, double value) {
  return put_big_endian(at, std::bit_cast<std::uint64_t>(value), 8);
}

/// The fields of a record, as they are or most significant byte first.
enum class Bytes { native, big_endian };
template <Bytes bytes>
char* put_fields(const FieldValues& values, std::size_t i, char* at) {
  for (const std::span<const double> field : values)
    at = bytes == Bytes::native ? put_native(at, &field[i], sizeof(double)) : put_big_endian(at, field[i]);
  return at;
}

}  // namespace

FileLayout vtk_layout(std::size_t n, bool moving, const std::string& charge) {
  if (n > std::numeric_limits<std::int32_t>::max() / 2) {
    failed("a legacy VTK file takes 2^30 particles at most, there are {}; write a .vtp", n);
  }
  const auto fields = put_fields<Bytes::big_endian>;
  const auto vertex = [](const FieldValues& /*none*/, std::size_t i, char* at) {
    return put_big_endian(put_big_endian(at, 1, 4), i, 4);
  };
  const auto scalars = [&](const std::string& name, Field field) {
    return Section{fmt::format("\nSCALARS {} double 1\nLOOKUP_TABLE default\n", name), {field}, 8, fields};
  };
  std::vector<Section> sections{
      {fmt::format("# vtk DataFile Version 3.0\nParticles with potential and force (Asterism)\nBINARY\n"
                   "DATASET POLYDATA\nPOINTS {} double\n",
                   n),
       {Field::x, Field::y, Field::z},
       24,
       fields},
      {fmt::format("\nVERTICES {} {}\n", n, 2 * n), {}, 8, vertex},
      scalars(charge, Field::charge),
      scalars("potential", Field::potential),
      {"\nVECTORS force double\n", {Field::fx, Field::fy, Field::fz}, 24, fields}};
  if (moving) {
    sections.push_back({"\nVECTORS velocity double\n", {Field::vx, Field::vy, Field::vz}, 24, fields});
    sections.push_back({"\nVECTORS acceleration double\n", {Field::ax, Field::ay, Field::az}, 24, fields});
  }
  sections[2].before = fmt::format("\nPOINT_DATA {}", n) + sections[2].before;
  return {std::move(sections), "\n"};
}

FileLayout vtp_layout(std::size_t n, bool moving, const std::string& charge) {
  std::uint64_t offset = 0;  // of each array in the appended data: its size in bytes, then its values
  std::string head = fmt::format(
      "<?xml version=\"1.0\"?>\n"
      "<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"{}\" header_type=\"UInt64\">\n"
      "<PolyData>\n<Piece NumberOfPoints=\"{}\" NumberOfVerts=\"{}\" NumberOfLines=\"0\" "
      "NumberOfStrips=\"0\" NumberOfPolys=\"0\">\n<Points>\n",
      std::endian::native == std::endian::little ? "LittleEndian" : "BigEndian", n, n);
  std::vector<Section> sections;
  const auto data_array = [&](const char* type, const std::string& name, const std::vector<Field>& fields,
                              const auto& put) {
    const std::size_t components = std::max<std::size_t>(1, fields.size());
    head += fmt::format(
        "<DataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\" format=\"appended\" offset=\"{}\"/>\n", type,
        name, components, offset);
    const std::uint64_t bytes = 8 * n * components;
    offset += 8 + bytes;
    std::string size(sizeof bytes, '\0');
    put_native(size.data(), &bytes, sizeof bytes);
    sections.push_back({size, fields, 8 * components, put});
  };
  const auto indices = [](std::int64_t first) {
    return [first](const FieldValues& /*none*/, std::size_t i, char* at) {
      const std::int64_t index = first + static_cast<std::int64_t>(i);
      return put_native(at, &index, 8);
    };
  };
  const auto fields = put_fields<Bytes::native>;
  data_array("Float64", "Points", {Field::x, Field::y, Field::z}, fields);
  head += "</Points>\n<Verts>\n";
  data_array("Int64", "connectivity", {}, indices(0));
  data_array("Int64", "offsets", {}, indices(1));
  head += "</Verts>\n<PointData Scalars=\"potential\" Vectors=\"force\">\n";
  data_array("Float64", charge, {Field::charge}, fields);
  data_array("Float64", "potential", {Field::potential}, fields);
  data_array("Float64", "force", {Field::fx, Field::fy, Field::fz}, fields);
  if (moving) {
    data_array("Float64", "velocity", {Field::vx, Field::vy, Field::vz}, fields);
    data_array("Float64", "acceleration", {Field::ax, Field::ay, Field::az}, fields);
  }
  head += "</PointData>\n</Piece>\n</PolyData>\n<AppendedData encoding=\"raw\">\n_";
  sections.front().before = head + sections.front().before;
  return {std::move(sections), "\n</AppendedData>\n</VTKFile>\n"};
}

}  // namespace asterism::fmm

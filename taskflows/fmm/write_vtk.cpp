// Points for ParaView, VisIt and PyVista (VTK file formats, version 3.0 of the legacy one, 1.0 of the XML one).
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>

#include "taskflows/fmm/writers.hpp"
#include "taskflows/runtime/error.hpp"

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

}  // namespace

void write_vtk(OutputFile& file, const Particles& p, const Result& r) {
  const std::size_t n = p.size();
  if (n > std::numeric_limits<std::int32_t>::max() / 2) {
    failed("a legacy VTK file takes 2^30 particles at most, there are {}; write a .vtp", n);
  }
  const auto scalars = [&](const char* name, const Array<double>& values) {
    file.write(fmt::format("SCALARS {} double 1\nLOOKUP_TABLE default\n", name));
    write_records(file, n, 8, [&](std::size_t i, char* at) { return put_big_endian(at, values[i]); });
    file.write("\n");
  };
  const auto vectors = [&](const Array<double>& x, const Array<double>& y, const Array<double>& z) {
    write_records(file, n, 24, [&](std::size_t i, char* at) {
      return put_big_endian(put_big_endian(put_big_endian(at, x[i]), y[i]), z[i]);
    });
    file.write("\n");
  };
  file.write("# vtk DataFile Version 3.0\nParticles with potential and force (Asterism)\nBINARY\nDATASET POLYDATA\n");
  file.write(fmt::format("POINTS {} double\n", n));
  vectors(p.x, p.y, p.z);
  file.write(fmt::format("VERTICES {} {}\n", n, 2 * n));
  write_records(file, n, 8, [](std::size_t i, char* at) { return put_big_endian(put_big_endian(at, 1, 4), i, 4); });
  file.write(fmt::format("\nPOINT_DATA {}\n", n));
  scalars("charge", p.charge);
  scalars("potential", r.potential);
  file.write("VECTORS force double\n");
  vectors(r.fx, r.fy, r.fz);
}

void write_vtp(OutputFile& file, const Particles& p, const Result& r) {
  const std::uint64_t n = p.size();
  std::uint64_t offset = 0;  // of each array in the appended data: its size in bytes, then its values
  const auto data_array = [&](const char* type, const char* name, int components) {
    file.write(fmt::format(
        "<DataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\" format=\"appended\" offset=\"{}\"/>\n", type,
        name, components, offset));
    offset += 8 + 8 * n * static_cast<std::uint64_t>(components);
  };
  file.write(
      fmt::format("<?xml version=\"1.0\"?>\n"
                  "<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"{}\" header_type=\"UInt64\">\n"
                  "<PolyData>\n<Piece NumberOfPoints=\"{}\" NumberOfVerts=\"{}\" NumberOfLines=\"0\" "
                  "NumberOfStrips=\"0\" NumberOfPolys=\"0\">\n<Points>\n",
                  std::endian::native == std::endian::little ? "LittleEndian" : "BigEndian", n, n));
  data_array("Float64", "Points", 3);
  file.write("</Points>\n<Verts>\n");
  data_array("Int64", "connectivity", 1);
  data_array("Int64", "offsets", 1);
  file.write("</Verts>\n<PointData Scalars=\"potential\" Vectors=\"force\">\n");
  data_array("Float64", "charge", 1);
  data_array("Float64", "potential", 1);
  data_array("Float64", "force", 3);
  file.write("</PointData>\n</Piece>\n</PolyData>\n<AppendedData encoding=\"raw\">\n_");

  const auto size = [&](std::uint64_t components) {
    const std::uint64_t bytes = 8 * n * components;
    file.write({reinterpret_cast<const char*>(&bytes), sizeof bytes});
  };
  const auto vectors = [&](const Array<double>& x, const Array<double>& y, const Array<double>& z) {
    size(3);
    write_records(file, n, 24, [&](std::size_t i, char* at) {
      return put_native(put_native(put_native(at, &x[i], 8), &y[i], 8), &z[i], 8);
    });
  };
  const auto scalars = [&](const Array<double>& values) {
    size(1);
    write_records(file, n, 8, [&](std::size_t i, char* at) { return put_native(at, &values[i], 8); });
  };
  const auto indices = [&](std::int64_t first) {
    size(1);
    write_records(file, n, 8, [&](std::size_t i, char* at) {
      const std::int64_t index = first + static_cast<std::int64_t>(i);
      return put_native(at, &index, 8);
    });
  };
  vectors(p.x, p.y, p.z);
  indices(0);
  indices(1);
  scalars(p.charge);
  scalars(r.potential);
  vectors(r.fx, r.fy, r.fz);
  file.write("\n</AppendedData>\n</VTKFile>\n");
}

}  // namespace asterism::fmm

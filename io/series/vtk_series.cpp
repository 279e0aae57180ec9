// SPDX-License-Identifier: Apache-2.0
// VTK ImageData or RectilinearGrid with appended binary data (VTK file formats, XML 1.0), or ImageData in HDF5.
#include <libdeflate.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>

#include "base/array.hpp"
#include "base/batches.hpp"
#include "io/series/collection.hpp"
#include "io/series/series_detail.hpp"
#include "io/series/vtkhdf.hpp"

namespace asterism::output {
namespace {

using detail::xml;

constexpr std::size_t block_cells = 1 << 15;
const char* extension_of(const std::filesystem::path& path, const Grid& grid) {
  return is_vtkhdf(path) ? ".vtkhdf" : grid.graded() ? ".vtr" : ".vti";
}

using Compressor = std::unique_ptr<libdeflate_compressor, decltype(&libdeflate_free_compressor)>;

/// Appends blocks of cells, made and compressed by all threads: put(first, last, bytes) makes one. Returns how many
/// bytes each takes in the file.
template <class Put>
std::vector<std::uint64_t> write_blocks(OutputFile& file, std::size_t cells, std::size_t cell_bytes,
                                        Compression compression, const Put& put) {
  constexpr int level = 1;
  struct Block {
    Compressor compressor{nullptr, libdeflate_free_compressor};
    Array<char> values, compressed;
    std::string_view bytes = {};
  };
  const std::size_t block_bytes = std::min(cells, block_cells) * cell_bytes;
  std::vector<std::uint64_t> sizes((cells + block_cells - 1) / block_cells);
  std::vector<Block> blocks(batch_size(sizes.size()));
  for (Block& block : blocks) {
    block.values = Array<char>(block_bytes);
    if (compression == Compression::none) continue;
    block.compressor.reset(libdeflate_alloc_compressor(level));
    if (!block.compressor) throw std::bad_alloc();
    block.compressed = Array<char>(libdeflate_zlib_compress_bound(block.compressor.get(), block_bytes));
  }
  const auto make = [&](std::size_t b, std::size_t place) {
    Block& block = blocks[place];
    const std::size_t first = b * block_cells;
    const std::size_t last = std::min(cells, first + block_cells);
    put(first, last, block.values.data());
    block.bytes = {block.values.data(), (last - first) * cell_bytes};
    if (compression == Compression::none) return;
    const std::size_t length = libdeflate_zlib_compress(block.compressor.get(), block.bytes.data(), block.bytes.size(),
                                                        block.compressed.data(), block.compressed.size());
    block.bytes = {block.compressed.data(), length};
  };
  in_batches(sizes.size(), make, [&](std::size_t b, std::size_t place) {
    sizes[b] = blocks[place].bytes.size();
    file.write(blocks[place].bytes);
  });
  return sizes;
}

void write_integers(OutputFile& file, const std::vector<std::uint64_t>& values) {
  file.write({reinterpret_cast<const char*>(values.data()), values.size() * sizeof values[0]});
}

/// One array of the appended data: its size, or the sizes of its compressed blocks, then its values.
template <class Put>
void write_array(OutputFile& file, std::size_t cells, std::size_t cell_bytes, Compression compression, const Put& put) {
  if (compression == Compression::none) {
    write_integers(file, {cells * cell_bytes});
    write_blocks(file, cells, cell_bytes, compression, put);
    return;
  }
  const std::size_t blocks = (cells + block_cells - 1) / block_cells;
  std::vector<std::uint64_t> header = {blocks, block_cells * cell_bytes, cells % block_cells * cell_bytes};
  const auto begin = file.position();
  header.resize(3 + blocks);
  write_integers(file, header);  // sizes to come
  const std::vector<std::uint64_t> sizes = write_blocks(file, cells, cell_bytes, compression, put);
  std::copy(sizes.begin(), sizes.end(), header.begin() + 3);
  const auto end = file.position();
  file.seek(begin);
  write_integers(file, header);
  file.seek(end);
}

/// The first scalar and the first vector are what viewers show at first.
template <class T>
std::string first_of(const Fields<T>& fields, std::size_t components, const char* attribute) {
  for (const Field<T>& field : fields) {
    if (field.components.size() == components) return fmt::format(" {}=\"{}\"", attribute, xml(field.name));
  }
  return "";
}

template <class T>
void write_values(OutputFile& file, const Grid& grid, Compression compression, const Field<T>& field) {
  const std::size_t components = field.components.size();
  write_array(file, grid.size(), components * sizeof(T), compression,
              [&](std::size_t first, std::size_t last, char* bytes) {
                for (std::size_t i = first; i < last; ++i) {
                  for (std::size_t c = 0; c < components; ++c, bytes += sizeof(T)) {
                    std::memcpy(bytes, &field.components[c][i], sizeof(T));
                  }
                }
              });
}

/// The coordinates of the nodes along each axis.
std::string coordinates_of(const Grid& grid) {
  std::string text = "<Coordinates>\n";
  for (std::size_t a = 0; a < 3; ++a)
    text += fmt::format("<DataArray type=\"Float64\" Name=\"{}\" format=\"ascii\">{}</DataArray>\n", "xyz"[a],
                        fmt::join(grid.nodes(a), " "));
  return text + "</Coordinates>\n";
}

template <class T>
void write_vtk(OutputFile& file, const Grid& grid, Compression compression, const Fields<T>& fields) {
  constexpr int offset_width = 20;
  const char* type = grid.graded() ? "RectilinearGrid" : "ImageData";
  const char* data = grid.centre == Centre::node ? "PointData" : "CellData";
  const std::string extent = fmt::format("0 {} 0 {} 0 {}", grid.points(0) - 1, grid.points(1) - 1, grid.points(2) - 1);
  file.write(fmt::format(
      "<?xml version=\"1.0\"?>\n<VTKFile type=\"{0}\" version=\"1.0\" byte_order=\"{1}\" "
      "header_type=\"UInt64\"{2}>\n"
      "<{0} WholeExtent=\"{3}\"{4}>\n<Piece Extent=\"{3}\">\n{5}"
      "<{6}{7}{8}>\n",
      type, vtk_byte_order, compression == Compression::zlib ? " compressor=\"vtkZLibDataCompressor\"" : "", extent,
      grid.graded()
          ? ""
          : fmt::format(" Origin=\"{}\" Spacing=\"{}\"", fmt::join(grid.origin, " "), fmt::join(grid.spacing, " ")),
      grid.graded() ? coordinates_of(grid) : "", data, first_of(fields, 1, "Scalars"), first_of(fields, 3, "Vectors")));
  std::vector<std::int64_t> offsets;  // where the offset of each array is written once it is known
  for (const Field<T>& field : fields) {
    file.write(fmt::format("<DataArray type=\"Float{}\" Name=\"{}\" NumberOfComponents=\"{}\" format=\"appended\" ",
                           8 * sizeof(T), xml(field.name), field.components.size()));
    offsets.push_back(file.position());
    file.write(fmt::format("{:{}}/>\n", "", offset_width + 9));
  }
  file.write(fmt::format("</{}>\n</Piece>\n</{}>\n<AppendedData encoding=\"raw\">\n_", data, type));
  const auto appended = file.position();
  for (std::size_t f = 0; f < fields.size(); ++f) {
    const auto here = file.position();
    file.seek(offsets[f]);
    file.write(fmt::format("offset=\"{}\"", here - appended));
    file.seek(here);
    write_values(file, grid, compression, fields[f]);
  }
  file.write("\n</AppendedData>\n</VTKFile>\n");
}

template <class T>
void write_vtkhdf(const std::filesystem::path& path, const Grid& grid, const SavedTime& saved,
                  const Fields<T>& fields) {
  VtkHdfFile file(path);
  file.image(grid);
  file.time(saved, grid.units.time);
  for (const Field<T>& field : fields) file.write(grid, field);
  file.commit();
}

}  // namespace

VtkSeries::VtkSeries(std::filesystem::path path, const Grid& grid, Compression compression, std::int64_t keep_until)
    : path_(std::move(path)), grid_(grid), compression_(compression) {
  if (is_vtkhdf(path_))
    detail::check_output(path_, ".vtkhdf", "a VTKHDF series");
  else
    detail::check_output(path_, ".pvd", "a ParaView collection");
  const PendingFile only_checked(list_of(path_));
  if (keep_until == keep_nothing || !std::filesystem::exists(list_of(path_))) return;
  times_ = read_collection(path_, extension_of(path_, grid_));
  std::erase_if(times_, [&](const SavedTime& saved) { return saved.step > keep_until; });
  last_kept_ = detail::last_step(times_);
}

template <class T>
void VtkSeries::append(std::int64_t step, double time, const Fields<T>& fields) {
  if (step >= 0 && step == last_kept_ && step == times_.back().step) return;
  detail::check_append(path_, grid_, times_, step, fields);
  const std::filesystem::path member = path_.parent_path() / member_of(path_, step, extension_of(path_, grid_));
  if (is_vtkhdf(path_)) {
    write_vtkhdf(member, grid_, {step, time}, fields);
  } else {
    OutputFile file(member);
    write_vtk(file, grid_, compression_, fields);
    file.commit();
  }
  std::vector<SavedTime> times = times_;
  times.push_back({step, time});
  write_collection(path_, times, extension_of(path_, grid_));
  times_ = std::move(times);
}

template void VtkSeries::append(std::int64_t, double, const Fields<float>&);
template void VtkSeries::append(std::int64_t, double, const Fields<double>&);

}  // namespace asterism::output

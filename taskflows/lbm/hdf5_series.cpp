// HDF5 with an XDMF 3 description: one file that grows, one group per time.
#include <algorithm>
#include <cstring>

#include "taskflows/lbm/fields_detail.hpp"
#include "taskflows/runtime/hdf5_file.hpp"

namespace asterism::lbm {
namespace {

using detail::xml;

constexpr const char* format_name = "asterism lattice series 1";
constexpr std::string_view group_mark = "step_";

std::string group_of(std::int64_t step) {
  return fmt::format("{}{:010}", group_mark, step);
}

std::filesystem::path xdmf_of(std::filesystem::path path) {
  return path.replace_extension(".xdmf");
}

Grid read_grid(const Hdf5Input& file) {
  const auto integer = [&](const char* name) { return static_cast<std::int32_t>(file.integer_attribute("/", name)); };
  const auto number = [&](const char* name) { return file.number_attribute("/", name); };
  return {.nx = integer("nx"),
          .ny = integer("ny"),
          .nz = integer("nz"),
          .origin = {number("origin_x"), number("origin_y"), number("origin_z")},
          .spacing = number("spacing")};
}

void write_grid(Hdf5Output& file, const Grid& grid) {
  file.attribute("/", "format", std::string(format_name));
  file.attribute("/", "nx", std::int64_t{grid.nx});
  file.attribute("/", "ny", std::int64_t{grid.ny});
  file.attribute("/", "nz", std::int64_t{grid.nz});
  file.attribute("/", "origin_x", grid.origin[0]);
  file.attribute("/", "origin_y", grid.origin[1]);
  file.attribute("/", "origin_z", grid.origin[2]);
  file.attribute("/", "spacing", grid.spacing);
}

std::string show(const Grid& grid) {
  return fmt::format("{} x {} x {} cells of {} from ({})", grid.nx, grid.ny, grid.nz, grid.spacing,
                     fmt::join(grid.origin, ", "));
}

/// About 2^17 cells: large enough to compress well, small enough that a slice reads little else.
std::vector<std::size_t> chunk_of(const Grid& grid) {
  const std::size_t x = std::min<std::size_t>(static_cast<std::size_t>(grid.nx), 128);
  const std::size_t y = std::min<std::size_t>(static_cast<std::size_t>(grid.ny), 64);
  const std::size_t z = std::min<std::size_t>(static_cast<std::size_t>(grid.nz), (std::size_t{1} << 17) / (x * y));
  return {z, y, x};
}

/// Calls row(cell, element): the first cell of every row of a block, and its place in the block, in cells.
template <class Row>
void for_rows(const Grid& grid, const Hdf5Block& block, const Row& row) {
  const auto nx = static_cast<std::size_t>(grid.nx);
  const auto ny = static_cast<std::size_t>(grid.ny);
  for (std::size_t z = 0; z < block.extent[0]; ++z) {
    for (std::size_t y = 0; y < block.extent[1]; ++y) {
      row(block.first[2] + nx * (block.first[1] + y + ny * (block.first[0] + z)),
          block.extent[2] * (y + block.extent[1] * z));
    }
  }
}

}  // namespace

Hdf5Series::Hdf5Series(std::filesystem::path path, const Grid& grid, std::int64_t keep_until)
    : path_(std::move(path)), grid_(grid) {
  detail::check_output(path_, ".h5", "an HDF5 series");
  const PendingFile only_checked(xdmf_of(path_));
  if (keep_until != keep_nothing && std::filesystem::exists(path_)) open_existing(keep_until);
}

void Hdf5Series::open_existing(std::int64_t keep_until) {
  Hdf5Transaction::recover(path_);
  std::vector<std::string> dropped;
  {
    const Hdf5Input file(path_);
    if (!file.has_attribute("/", "format") || file.text_attribute("/", "format") != format_name) {
      bad_input("{}: is no series of a lattice; expected one that this program wrote", file.name);
    }
    const Grid found = read_grid(file);
    if (found != grid_) bad_input("{}: holds {}; expected {}", file.name, show(found), show(grid_));
    for (const std::string& group : file.members()) {
      if (!group.starts_with(group_mark)) continue;
      const std::int64_t step = file.integer_attribute(group, "step");
      if (step > keep_until) {
        dropped.push_back(group);
        continue;
      }
      times_.push_back({step, file.number_attribute(group, "time")});
      bytes_.push_back(file.number(group + "/rho") == Hdf5Number::float64 ? 8 : 4);
    }
  }
  if (dropped.empty()) return;
  Hdf5Output file(path_, Hdf5Output::Existing::extend);
  for (const std::string& group : dropped) file.remove(group);
  file.commit();
  write_xdmf();
}

template <class T>
void Hdf5Series::append(std::int64_t step, double time, const Fields<T>& fields) {
  detail::check_append(path_, grid_, times_, step, fields);
  const bool is_new = times_.empty();
  Hdf5Output file(path_, is_new ? Hdf5Output::Existing::replace : Hdf5Output::Existing::extend);
  if (is_new) write_grid(file, grid_);
  const std::string group = group_of(step);
  std::vector<std::size_t> shape = {static_cast<std::size_t>(grid_.nz), static_cast<std::size_t>(grid_.ny),
                                    static_cast<std::size_t>(grid_.nx)};
  std::vector<std::size_t> chunk = chunk_of(grid_);
  file.write_compressed<T>(group + "/rho", shape, chunk, [&](const Hdf5Block& block, T* values) {
    for_rows(grid_, block, [&](std::size_t cell, std::size_t at) {
      std::copy_n(fields.rho.data() + cell, block.extent[2], values + at);
    });
  });
  shape.push_back(3);
  chunk.push_back(3);
  file.write_compressed<T>(group + "/velocity", shape, chunk, [&](const Hdf5Block& block, T* values) {
    for_rows(grid_, block, [&](std::size_t cell, std::size_t at) {
      for (std::size_t x = 0; x < block.extent[2]; ++x) {
        T* velocity = values + 3 * (at + x);
        velocity[0] = fields.u[cell + x];
        velocity[1] = fields.v[cell + x];
        velocity[2] = fields.w[cell + x];
      }
    });
  });
  file.attribute(group, "step", step);
  file.attribute(group, "time", time);
  file.commit();
  times_.push_back({step, time});
  bytes_.push_back(sizeof(T));
  write_xdmf();
}

void Hdf5Series::write_xdmf() const {
  OutputFile file(xdmf_of(path_));
  file.write(
      "<?xml version=\"1.0\"?>\n<Xdmf Version=\"3.0\">\n<Domain>\n"
      "<Grid Name=\"lattice\" GridType=\"Collection\" CollectionType=\"Temporal\">\n");
  const std::string data = xml(path_.filename().string());
  const std::string cells = fmt::format("{} {} {}", grid_.nz, grid_.ny, grid_.nx);
  for (std::size_t i = 0; i < times_.size(); ++i) {
    const std::string group = group_of(times_[i].step);
    const auto attribute = [&](const char* name, const char* type, const char* more) {
      file.write(
          fmt::format("<Attribute Name=\"{}\" AttributeType=\"{}\" Center=\"Cell\">\n"
                      "<DataItem Dimensions=\"{}{}\" NumberType=\"Float\" Precision=\"{}\" Format=\"HDF\">"
                      "{}:/{}/{}</DataItem>\n</Attribute>\n",
                      name, type, cells, more, bytes_[i], data, group, name));
    };
    // XDMF counts points, slowest index first
    file.write(
        fmt::format("<Grid Name=\"{}\" GridType=\"Uniform\">\n<Time Value=\"{}\"/>\n"
                    "<Topology TopologyType=\"3DCoRectMesh\" Dimensions=\"{} {} {}\"/>\n"
                    "<Geometry GeometryType=\"ORIGIN_DXDYDZ\">\n"
                    "<DataItem Dimensions=\"3\" NumberType=\"Float\" Precision=\"8\" Format=\"XML\">{} {} "
                    "{}</DataItem>\n"
                    "<DataItem Dimensions=\"3\" NumberType=\"Float\" Precision=\"8\" Format=\"XML\">{} {} "
                    "{}</DataItem>\n"
                    "</Geometry>\n",
                    group, times_[i].time, grid_.nz + 1, grid_.ny + 1, grid_.nx + 1, grid_.origin[2], grid_.origin[1],
                    grid_.origin[0], grid_.spacing, grid_.spacing, grid_.spacing));
    attribute("rho", "Scalar", "");
    attribute("velocity", "Vector", " 3");
    file.write("</Grid>\n");
  }
  file.write("</Grid>\n</Domain>\n</Xdmf>\n");
  file.commit();
}

template void Hdf5Series::append(std::int64_t, double, const Fields<float>&);
template void Hdf5Series::append(std::int64_t, double, const Fields<double>&);

}  // namespace asterism::lbm

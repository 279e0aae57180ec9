// SPDX-License-Identifier: Apache-2.0
// HDF5 with an XDMF 3 description: one file that grows, one group per time.
#include <algorithm>
#include <sstream>

#include "io/hdf5/file.hpp"
#include "io/series/hdf5_series_detail.hpp"
#include "io/series/series_detail.hpp"

namespace asterism::output {
namespace {

using detail::axes;
using detail::xml;

Grid read_grid(const Hdf5Input& file) {
  Grid grid{};
  for (std::size_t a = 0; a < 3; ++a) {
    grid.n[a] = static_cast<std::int32_t>(file.integer_attribute("/", fmt::format("n{}", axes[a])));
    grid.origin[a] = file.number_attribute("/", fmt::format("origin_{}", axes[a]));
    grid.spacing[a] = file.number_attribute("/", fmt::format("spacing_{}", axes[a]));
  }
  grid.centre = file.text_attribute("/", "centre") == "node" ? Centre::node : Centre::cell;
  grid.units = {file.text_attribute("/", "length_units"), file.text_attribute("/", "time_units")};
  return grid;
}

std::string show(const Grid& grid) {
  return fmt::format("{} {} of {} from ({}), units {} and {}", fmt::join(grid.n, " x "),
                     grid.centre == Centre::node ? "nodes" : "cells", fmt::join(grid.spacing, " x "),
                     fmt::join(grid.origin, ", "), grid.units.length, grid.units.time);
}

/// One time in an XDMF file.
class XdmfTime {
 public:
  XdmfTime(OutputFile& file, const Grid& grid, std::string data, std::string group)
      : file_(file), grid_(grid), data_(std::move(data)), group_(std::move(group)) {}

  void begin(double time) {
    const auto& o = grid_.origin;
    const auto& d = grid_.spacing;
    const auto numbers = [](double z, double y, double x) {
      return fmt::format(
          "<DataItem Dimensions=\"3\" NumberType=\"Float\" Precision=\"8\" Format=\"XML\">{} {} {}</DataItem>\n", z, y,
          x);
    };
    const auto nodes = [&](std::size_t axis) {
      return fmt::format(
          "<DataItem Dimensions=\"{}\" NumberType=\"Float\" Precision=\"8\" Format=\"XML\">{}</DataItem>\n",
          grid_.points(axis), fmt::join(grid_.nodes(axis), " "));
    };
    // XDMF counts points, slowest index first
    file_.write(fmt::format(
        "<Grid Name=\"{}\" GridType=\"Uniform\">\n<Time Value=\"{}\"/>\n"
        "<Topology TopologyType=\"{}\" Dimensions=\"{} {} {}\"/>\n"
        "<Geometry GeometryType=\"{}\">\n{}</Geometry>\n",
        group_, time, grid_.graded() ? "3DRectMesh" : "3DCoRectMesh", grid_.points(2), grid_.points(1), grid_.points(0),
        grid_.graded() ? "VXVYVZ" : "ORIGIN_DXDYDZ",
        grid_.graded() ? nodes(0) + nodes(1) + nodes(2) : numbers(o[2], o[1], o[0]) + numbers(d[2], d[1], d[0])));
  }
  void attribute(const std::string& name, std::size_t components, std::size_t bytes) {
    file_.write(
        fmt::format("<Attribute Name=\"{0}\" AttributeType=\"{1}\" Center=\"{2}\">\n"
                    "<DataItem Dimensions=\"{3} {4} {5}{6}\" NumberType=\"Float\" Precision=\"{7}\" Format=\"HDF\">"
                    "{8}:/{9}/{0}</DataItem>\n</Attribute>\n",
                    xml(name), components == 1 ? "Scalar" : "Vector", grid_.centre == Centre::node ? "Node" : "Cell",
                    grid_.n[2], grid_.n[1], grid_.n[0], components == 1 ? "" : " 3", bytes, data_, group_));
  }
  void end() { file_.write("</Grid>\n"); }

 private:
  OutputFile& file_;
  const Grid& grid_;
  std::string data_, group_;
};

}  // namespace

Hdf5Series::Hdf5Series(std::filesystem::path path, const Grid& grid, std::int64_t keep_until)
    : path_(std::move(path)), grid_(grid) {
  detail::check_output(path_, ".h5", "an HDF5 series");
  const PendingFile only_checked(xdmf_of(path_));
  if (keep_until != keep_nothing && std::filesystem::exists(path_)) open_existing(keep_until);
}

void Hdf5Series::open_existing(std::int64_t keep_until) {
  Hdf5Transaction::recover(path_);
  SavedGroups saved;
  {
    const Hdf5Input file(path_);
    if (!file.has_attribute("/", "format") || file.text_attribute("/", "format") != detail::series_format) {
      bad_input("{}: is no series of fields; expected one that this program wrote", file.name);
    }
    Grid found = read_grid(file);
    const std::string planes = file.has_attribute("/", "planes") ? file.text_attribute("/", "planes") : "";
    if (planes == detail::planes_of(grid_)) found.planes = grid_.planes;
    if (found != grid_) bad_input("{}: holds {}; expected {}", file.name, show(found), show(grid_));
    saved = saved_groups(file, keep_until);
    for (const SavedTime& kept : saved.kept) {
      const std::string group = group_of(kept.step);
      std::istringstream names(file.text_attribute(group, "fields"));
      datasets_.emplace_back();
      for (std::string field; std::getline(names, field, ',');) {
        const std::string dataset = group + "/" + field;
        datasets_.back().push_back({field, file.shape(dataset).size() == 3 ? std::size_t{1} : 3,
                                    file.number(dataset) == Hdf5Number::float64 ? sizeof(double) : sizeof(float)});
      }
    }
  }
  times_ = saved.kept;
  last_kept_ = detail::last_step(times_);
  if (saved.dropped.empty()) return;
  remove(path_, saved.dropped);
  write_xdmf();
}

template <class T>
void Hdf5Series::append(std::int64_t step, double time, const Fields<T>& fields) {
  if (step >= 0 && step == last_kept_ && step == times_.back().step) return;
  detail::check_append(path_, grid_, times_, step, fields);
  const bool is_new = times_.empty();
  Hdf5Output file(path_, is_new ? Hdf5Output::Existing::replace : Hdf5Output::Existing::extend);
  if (is_new) detail::write_grid(file, grid_);
  const std::string group = group_of(step);
  std::vector<Dataset> datasets;
  std::vector<detail::Described> described;
  for (const Field<T>& field : fields) {
    detail::write_field(file, group + "/" + field.name, grid_, field);
    described.push_back({field.name, field.components.size(), field.unit});
    datasets.push_back({field.name, field.components.size(), sizeof(T)});
  }
  detail::write_time(file, grid_, {step, time}, described);
  file.commit();
  add({step, time}, std::move(datasets));
}

void Hdf5Series::add(const SavedTime& saved, std::vector<Dataset> datasets) {
  times_.push_back(saved);
  datasets_.push_back(std::move(datasets));
  write_xdmf();
}

void Hdf5Series::write_xdmf() const {
  OutputFile file(xdmf_of(path_));
  file.write(
      "<?xml version=\"1.0\"?>\n<Xdmf Version=\"3.0\">\n<Domain>\n"
      "<Grid Name=\"fields\" GridType=\"Collection\" CollectionType=\"Temporal\">\n");
  for (std::size_t i = 0; i < times_.size(); ++i) {
    XdmfTime one(file, grid_, xml(path_.filename().string()), group_of(times_[i].step));
    one.begin(times_[i].time);
    for (const Dataset& dataset : datasets_[i]) one.attribute(dataset.name, dataset.components, dataset.bytes);
    one.end();
  }
  file.write("</Grid>\n</Domain>\n</Xdmf>\n");
  file.commit();
}

template void Hdf5Series::append(std::int64_t, double, const Fields<float>&);
template void Hdf5Series::append(std::int64_t, double, const Fields<double>&);

}  // namespace asterism::output

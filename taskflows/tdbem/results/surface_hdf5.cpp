// SPDX-License-Identifier: Apache-2.0
// HDF5 with an XDMF 3 description: one file that grows, the surface once and a group per time.
#include <utility>

#include "io/series/hdf5_groups.hpp"
#include "io/series/series_detail.hpp"
#include "taskflows/tdbem/results/surface_writer.hpp"
#include "taskflows/tdbem/results/traits.hpp"

namespace asterism::tdbem {
namespace {

using output::SavedTime;

constexpr const char* series_mark = "asterism surface series 1";
constexpr const char *points = "surface/points", *triangles = "surface/triangles";

class Hdf5Writer : public SurfaceWriter {
 public:
  Hdf5Writer(std::filesystem::path path, SavedSurface surface, std::vector<std::string> names, std::int64_t keep_until)
      : path_(std::move(path)), surface_(std::move(surface)), names_(std::move(names)) {
    output::detail::check_output(path_, ".h5", "a series of surface values");
    const PendingFile only_checked(output::xdmf_of(path_));
    if (keep_until != output::keep_nothing && std::filesystem::exists(path_)) open_existing(keep_until);
  }

  void append(const SavedTime& time, const std::vector<SavedField>& fields) override {
    const bool is_new = times.empty();
    Hdf5Output file(path_, is_new ? Hdf5Output::Existing::replace : Hdf5Output::Existing::extend);
    if (is_new) write_surface(file);
    const std::string group = output::group_of(time.step);
    for (const SavedField& field : fields)
      file.write(group + "/" + field.name, {field.values.size()}, std::span<const float>(field.values));
    file.attribute(group, "step", time.step);
    file.attribute(group, "time", time.time);
    file.commit();
    times.push_back(time);
    write_xdmf();
  }

 private:
  [[nodiscard]] Traits traits() const {
    return {{"surface", surface_.fingerprint}, {"fields", names_.front() + " to " + names_.back()}};
  }

  void open_existing(std::int64_t keep_until) {
    Hdf5Transaction::recover(path_);
    output::SavedGroups saved;
    {
      const Hdf5Input file(path_);
      check_format(file, series_mark, "surface values");
      check_same(file, traits());
      saved = output::saved_groups(file, keep_until);
    }
    times = saved.kept;
    if (!saved.dropped.empty()) output::remove(path_, saved.dropped);
    write_xdmf();  // also if the program was killed before it could
  }

  void write_surface(Hdf5Output& file) const {
    file.attribute("/", "format", std::string(series_mark));
    write(file, traits());
    file.write(points, {surface_.point_count(), 3}, std::span<const float>(surface_.points));
    file.write(triangles, {surface_.triangle_count(), 3}, std::span<const std::int32_t>(surface_.triangles));
  }

  /// A dataset of the file.
  [[nodiscard]] std::string item(const std::string& extent, const char* type, const std::string& dataset) const {
    return fmt::format(
        "<DataItem Dimensions=\"{}\" NumberType=\"{}\" Precision=\"4\" Format=\"HDF\">{}:/{}</DataItem>\n", extent,
        type, output::detail::xml(path_.filename().string()), dataset);
  }

  void write_xdmf() const {
    const std::string shape =
        fmt::format("<Topology TopologyType=\"Triangle\" NumberOfElements=\"{}\">\n{}</Topology>\n",
                    surface_.triangle_count(), item(fmt::format("{} 3", surface_.triangle_count()), "Int", triangles)) +
        fmt::format("<Geometry GeometryType=\"XYZ\">\n{}</Geometry>\n",
                    item(fmt::format("{} 3", surface_.point_count()), "Float", points));
    OutputFile file(output::xdmf_of(path_));
    file.write(
        "<?xml version=\"1.0\"?>\n<Xdmf Version=\"3.0\">\n<Domain>\n"
        "<Grid Name=\"surface\" GridType=\"Collection\" CollectionType=\"Temporal\">\n");
    for (const SavedTime& saved : times) {
      const std::string group = output::group_of(saved.step);
      file.write(
          fmt::format("<Grid Name=\"{}\" GridType=\"Uniform\">\n<Time Value=\"{}\"/>\n{}", group, saved.time, shape));
      for (const std::string& name : names_)
        file.write(fmt::format("<Attribute Name=\"{}\" AttributeType=\"Scalar\" Center=\"Node\">\n{}</Attribute>\n",
                               name, item(fmt::format("{}", surface_.point_count()), "Float", group + "/" + name)));
      file.write("</Grid>\n");
    }
    file.write("</Grid>\n</Domain>\n</Xdmf>\n");
    file.commit();
  }

  std::filesystem::path path_;
  SavedSurface surface_;
  std::vector<std::string> names_;
};

}  // namespace

std::unique_ptr<SurfaceWriter> hdf5_writer(const std::filesystem::path& path, SavedSurface surface,
                                           std::vector<std::string> names, std::int64_t keep_until) {
  return std::make_unique<Hdf5Writer>(path, std::move(surface), std::move(names), keep_until);
}

}  // namespace asterism::tdbem

// SPDX-License-Identifier: Apache-2.0
// VTK PolyData with appended raw data (VTK file formats, XML 1.0), or triangles as VTKHDF; and the list of the times.
#include <fstream>
#include <span>
#include <utility>

#include "io/series/appended.hpp"
#include "io/series/collection.hpp"
#include "io/series/series_detail.hpp"
#include "io/series/vtkhdf.hpp"
#include "taskflows/tdbem/results/surface_writer.hpp"

namespace asterism::tdbem {
namespace {

using output::Appended;
using output::SavedTime;

class VtkWriter : public SurfaceWriter {
 public:
  VtkWriter(std::filesystem::path path, SavedSurface surface, std::int64_t keep_until)
      : path_(std::move(path)), surface_(std::move(surface)), hdf_(output::is_vtkhdf(path_)) {
    output::detail::check_output(path_, hdf_ ? ".vtkhdf" : ".pvd", "a series of surface values");
    for (std::size_t t = 1; t <= surface_.triangle_count(); ++t) ends_.push_back(static_cast<std::int32_t>(3 * t));
    if (keep_until == output::keep_nothing || !std::filesystem::exists(output::list_of(path_))) return;
    times = output::read_collection(path_, extension());
    std::erase_if(times, [&](const SavedTime& saved) { return saved.step > keep_until; });
    if (!times.empty()) check_member(member(times.back().step));
  }

  void append(const SavedTime& time, const std::vector<SavedField>& fields) override {
    if (hdf_)
      write_hdf(member(time.step), time, fields);
    else
      write_vtp(member(time.step), fields);
    std::vector<SavedTime> all = times;
    all.push_back(time);
    output::write_collection(path_, all, extension());
    times = std::move(all);
  }

 private:
  [[nodiscard]] const char* extension() const { return hdf_ ? ".vtkhdf" : ".vtp"; }
  [[nodiscard]] std::filesystem::path member(std::int64_t step) const {
    return path_.parent_path() / output::member_of(path_, step, extension());
  }
  [[nodiscard]] std::string piece() const {
    return fmt::format(
        "<Piece NumberOfPoints=\"{}\" NumberOfVerts=\"0\" NumberOfLines=\"0\" NumberOfStrips=\"0\" "
        "NumberOfPolys=\"{}\">\n",
        surface_.point_count(), surface_.triangle_count());
  }

  /// A time that is kept has to be there, and to be of as many points and triangles.
  void check_member(const std::filesystem::path& path) const {
    if (!(hdf_ ? same_hdf(path) : same_vtp(path)))
      bad_input("{}: {} is no surface of {} points and {} triangles, which the run has", path_.string(), path.string(),
                surface_.point_count(), surface_.triangle_count());
  }

  [[nodiscard]] bool same_hdf(const std::filesystem::path& path) const {
    const Hdf5Input file(path);
    return file.shape(output::VtkHdfFile::points).front() == surface_.point_count() &&
           file.shape(output::VtkHdfFile::kinds).front() == surface_.triangle_count();
  }

  [[nodiscard]] bool same_vtp(const std::filesystem::path& path) const {
    constexpr std::size_t head = 1000;
    std::string begin(head, '\0');
    std::ifstream in(path, std::ios::binary);
    in.read(begin.data(), static_cast<std::streamsize>(head));
    return begin.find(piece()) != std::string::npos;
  }

  void write_hdf(const std::filesystem::path& path, const SavedTime& time,
                 const std::vector<SavedField>& fields) const {
    output::VtkHdfFile file(path);
    file.mesh<float>(output::CellKind::triangle, surface_.points, surface_.triangles, "m");
    file.time(time, "s");
    for (const SavedField& field : fields) file.write<float>(output::Centre::node, field.name, 1, "1", field.values);
    file.commit();
  }

  void write_vtp(const std::filesystem::path& path, const std::vector<SavedField>& fields) const {
    Appended data;
    std::string head = fmt::format("{}<PointData Scalars=\"{}\">\n", piece(), fields.front().name);
    for (const SavedField& field : fields) head += data.array<float>("Float32", field.name, 1, field.values);
    head += "</PointData>\n<Points>\n" + data.array<float>("Float32", "Points", 3, surface_.points);
    head += "</Points>\n<Polys>\n" + data.array<std::int32_t>("Int32", "connectivity", 1, surface_.triangles);
    head += data.array<std::int32_t>("Int32", "offsets", 1, ends_);
    data.write_file(path, "PolyData", head + "</Polys>\n</Piece>\n");
  }

  std::filesystem::path path_;
  SavedSurface surface_;
  bool hdf_;
  std::vector<std::int32_t> ends_;  ///< of triangles in the list of corners
};

}  // namespace

std::unique_ptr<SurfaceWriter> vtk_writer(const std::filesystem::path& path, SavedSurface surface,
                                          std::int64_t keep_until) {
  return std::make_unique<VtkWriter>(path, std::move(surface), keep_until);
}

}  // namespace asterism::tdbem

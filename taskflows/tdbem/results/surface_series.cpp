// SPDX-License-Identifier: Apache-2.0
#include "taskflows/tdbem/results/surface_series.hpp"

#include <utility>

#include "base/error.hpp"
#include "io/text_words.hpp"
#include "taskflows/tdbem/results/surface_writer.hpp"
#include "taskflows/tdbem/results/traits.hpp"

namespace asterism::tdbem {
namespace {

SavedSurface saved(const Surface& surface) {
  SavedSurface out;
  out.points.resize(3 * surface.vertices.size());
  for (std::size_t i = 0; i < surface.vertices.size(); ++i) {
    const Point& v = surface.vertices[i];
    float* const to = out.points.data() + 3 * static_cast<std::size_t>(surface.mesh_vertices[i]);
    to[0] = static_cast<float>(v.x);
    to[1] = static_cast<float>(v.y);
    to[2] = static_cast<float>(v.z);
  }
  out.triangles.reserve(3 * surface.triangles.size());
  for (const Triangle& t : surface.triangles)
    for (const std::int32_t corner : t.corner)
      out.triangles.push_back(surface.mesh_vertices[static_cast<std::size_t>(corner)]);
  out.fingerprint = fingerprint(surface);
  return out;
}

std::unique_ptr<SurfaceWriter> writer_of(const std::filesystem::path& path, const Problem& problem,
                                         std::int64_t keep_until) {
  const std::string extension = lower_case(path.extension().string());
  if (extension == ".pvd" || extension == ".vtkhdf") return vtk_writer(path, saved(problem.surface), keep_until);
  if (extension != ".h5")
    bad_input("{}: {} is no extension of a series of surface values; expected .pvd, .vtkhdf or .h5", path.string(),
              in_quotes(path.extension().string()));
  std::vector<std::string> names;
  for (std::size_t w = 0; w < problem.waves.size(); ++w) names.push_back(field_name(problem.boundary, w));
  return hdf5_writer(path, saved(problem.surface), std::move(names), keep_until);
}

}  // namespace

double surface_time(const Problem& problem, std::int64_t step) {
  const double middle = problem.boundary == Boundary::soft ? 0.5 : 0;
  return (static_cast<double>(problem.first_step + step) - middle) * problem.dt;
}

std::string field_name(Boundary boundary, std::size_t wave) {
  return fmt::format("{}_{}", boundary == Boundary::rigid ? "pressure" : "normal_derivative", wave);
}

SurfaceSeries::SurfaceSeries(const std::filesystem::path& path, const Problem& problem, std::int64_t keep_until)
    : path_(path),
      problem_(problem),
      writer_(writer_of(path, problem, keep_until)),
      last_kept_(times().empty() ? output::keep_nothing : times().back().step) {}

SurfaceSeries::~SurfaceSeries() = default;

const std::vector<output::SavedTime>& SurfaceSeries::times() const {
  return writer_->times;
}

void SurfaceSeries::append(std::int64_t step, std::span<const std::vector<double>> values) {
  if (step >= 0 && step == last_kept_ && step == times().back().step) return;
  if (step < 0 || (!times().empty() && step <= times().back().step))
    failed("{}: step {} after step {}; expected ascending ones", path_.string(), step,
           times().empty() ? -1 : times().back().step);
  if (values.size() != problem_.waves.size())
    failed("{}: values of {} waves; expected {}", path_.string(), values.size(), problem_.waves.size());
  const std::vector<std::int32_t>& numbers = problem_.surface.mesh_vertices;
  std::vector<SavedField> fields;
  for (std::size_t w = 0; w < values.size(); ++w) {
    if (values[w].size() != numbers.size())
      failed("{}: {} values of wave {}; expected {}", path_.string(), values[w].size(), w, numbers.size());
    SavedField& field = fields.emplace_back();
    field.name = field_name(problem_.boundary, w);
    field.values.resize(numbers.size());
    for (std::size_t i = 0; i < numbers.size(); ++i)
      field.values[static_cast<std::size_t>(numbers[i])] = static_cast<float>(values[w][i]);
  }
  writer_->append({step, surface_time(problem_, step)}, fields);
}

}  // namespace asterism::tdbem

// SPDX-License-Identifier: Apache-2.0
// Writes files as the programs do, without StarPU: for tests that let every system call fail.
//   file_writer KIND FOLDER VALUE    writes, or extends a series by the step VALUE
//   file_writer check KIND FOLDER    prints the values that are there, or fails
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "io/hdf5/checksums.hpp"
#include "io/hdf5/file.hpp"
#include "io/output_file.hpp"
#include "io/series/series.hpp"
#include "io/text_file.hpp"

namespace {

using namespace asterism;
namespace fs = std::filesystem;

output::Grid grid() {
  output::Grid grid{};
  grid.n = {5, 4, 3};
  grid.spacing = {1, 1, 1};
  return grid;
}

/// A series that goes on: at one step all values are that step.
template <class Series>
void extend(Series& series, int step) {
  const std::vector<float> values(grid().size(), static_cast<float>(step));
  series.append(step, step, output::Fields<float>{{"u", {values}}});
}

fs::path vtk_series(const std::string& kind, const fs::path& folder) {
  return folder / (kind == "vtkhdf" ? "flow.vtkhdf" : "flow.pvd");
}

/// All values are the step.
void check_step(const fs::path& path, const std::string& dataset, std::int64_t step) {
  std::vector<double> values(grid().size());
  Hdf5Input(path).read_rows(dataset, 0, values);
  for (const double value : values)
    if (value != static_cast<double>(step)) failed("{} at step {}", value, step);
  fmt::print("{}\n", step);
}

void write(const std::string& kind, const fs::path& folder, int value) {
  const std::vector<double> values(3000, value);
  if (kind == "checkpoint") {
    checkpoints_to_keep() = 2;
    Hdf5Output file(folder / "state.h5");
    file.write("values", {values.size()}, std::span<const double>(values));
    file.attribute("/", "step", std::int64_t{value});
    file.commit_checkpoint();
  } else if (kind == "text") {
    OutputFile file(folder / "page.html");
    for (int line = 0; line < 3000; ++line) file.write(fmt::format("{:8}\n", value));
    file.commit();
  } else if (kind == "hdf5") {
    output::Hdf5Series series(folder / "flow.h5", grid(), 1000);
    extend(series, value);
  } else {
    output::VtkSeries series(vtk_series(kind, folder), grid(), output::Compression::zlib, 1000);
    extend(series, value);
  }
}

void check(const std::string& kind, const fs::path& folder) {
  if (kind == "checkpoint") {
    require_checksums(folder / "state.h5");
    const Hdf5Input file(folder / "state.h5");
    std::vector<double> values(3000);
    file.read_rows("values", 0, values);
    const auto step = static_cast<double>(file.integer_attribute("/", "step"));
    for (const double value : values)
      if (value != step) failed("{} in the checkpoint of {}", value, step);
    fmt::print("{}\n", step);
  } else if (kind == "text") {
    const TextFile file(folder / "page.html", "a page");
    if (file.text.size() != 27000) failed("{} bytes", file.text.size());
    fmt::print("{}\n", std::atoi(std::string(file.text.substr(0, 8)).c_str()));
  } else if (kind == "hdf5") {
    const output::Hdf5Series series(folder / "flow.h5", grid(), 1000);
    for (const output::SavedTime& saved : series.times())
      check_step(folder / "flow.h5", fmt::format("step_{:010}/u", saved.step), saved.step);
  } else {
    const output::VtkSeries series(vtk_series(kind, folder), grid(), output::Compression::zlib, 1000);
    for (const output::SavedTime& saved : series.times()) {
      if (kind == "vtkhdf") {
        check_step(folder / fmt::format("flow_{:010}.vtkhdf", saved.step), "VTKHDF/PointData/u", saved.step);
        continue;
      }
      const TextFile file(folder / fmt::format("flow_{:010}.vti", saved.step), "a field");
      if (!file.text.ends_with("</VTKFile>\n")) failed("step {} is cut", saved.step);
      fmt::print("{}\n", saved.step);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 3;
  try {
    if (std::string(argv[1]) == "check")
      check(argv[2], argv[3]);
    else
      write(argv[1], argv[2], std::atoi(argv[3]));
  } catch (const Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return error.exit_status();
  }
  return 0;
}

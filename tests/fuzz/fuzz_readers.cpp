// SPDX-License-Identifier: Apache-2.0
// A target of libFuzzer for every reader of files: FUZZ_READER names the extension, which tells the reader. What a
// reader finds wrong is an Error; anything else that it throws, a crash, or a hang is what is looked for.
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "apps/compare/state.hpp"
#include "base/error.hpp"
#include "io/hdf5/checksums.hpp"
#include "io/hdf5/file.hpp"
#include "io/mesh/mesh.hpp"
#include "io/series/collection.hpp"
#include "io/text_file.hpp"
#include "runtime/machine/known_rates.hpp"
#include "runtime/machine/platform.hpp"
#include "taskflows/cg/matrix/gmsh_reader.hpp"
#include "taskflows/cg/matrix/matrix_market.hpp"
#include "taskflows/cg/matrix/numpy_files.hpp"
#include "taskflows/cg/structure/model.hpp"
#include "taskflows/fdtd/scene/scene.hpp"
#include "taskflows/fmm/particles/read_particles.hpp"
#include "tests/fuzz/fuzz_arguments.hpp"
#include "traces/models/platform_rec.hpp"
#include "traces/readers/read.hpp"

namespace {

namespace fs = std::filesystem;
using namespace asterism;

void read_hdf5(const fs::path& path) {
  const Hdf5Input file(path);
  for (const std::string& member : file.members()) {
    if (!file.has_dataset(member)) continue;
    std::size_t size = 1;
    for (const std::size_t extent : file.shape(member)) size *= extent;
    std::vector<double> values(size < (1 << 20) ? size : 0);
    if (!values.empty()) file.read_rows(member, 0, values);
  }
}

/// A journal of a file that has the input, too.
void apply_journal(const fs::path& path) {
  fs::path file = path;
  file.replace_extension();
  fs::copy_file(path, file, fs::copy_options::overwrite_existing);
  const auto before = fs::file_size(file);
  try {
    Hdf5Transaction::recover(file);
  } catch (const Error&) {
    if (fs::file_size(file) != before) std::abort();  // a refused journal changes nothing
    throw;
  }
}

/// The folder that FUZZ_BESIDE names has what else is recorded.
void read_recording(const fs::path& path) {
  static const bool copied = [&] {
    for (const char* const name : {"tasks.rec", "paje.trace"})
      if (std::getenv("FUZZ_BESIDE") != nullptr)
        fs::copy_file(fs::path(std::getenv("FUZZ_BESIDE")) / name, path.parent_path() / name);
    return true;
  }();
  static_cast<void>(copied);
  traces::read({path.parent_path()});
}

/// --retry removes the folders of failed runs.
void read_runs(const fs::path& path) {
  for (const apps::compare::Run& run : apps::compare::read_journal(path.parent_path()))
    if (run.folder == ".." || run.folder.find('/') != std::string::npos) std::abort();
}

void read_rates(const fs::path& path) {
  const KnownRates rates(path, {});
  for (const auto& [name, rate] : rates.all())
    if (!(rate >= 0)) std::abort();
}

using Reader = std::function<void(const fs::path& path)>;

const std::map<std::string, Reader>& readers() {
  const Reader mesh = [](const fs::path& path) { mesh::read_mesh(path); };
  const Reader particles = [](const fs::path& path) { fmm::read_particles(path); };
  const Reader trace = [](const fs::path& path) { traces::read({path}); };
  static const std::map<std::string, Reader> all{
      {"ply", mesh},
      {"stl", mesh},
      {"obj", mesh},
      {"off", mesh},
      {"msh", mesh},
      {"volume.msh", [](const fs::path& path) { cg::read_gmsh(path); }},
      {"off.gz", mesh},
      {"csv", particles},
      {"npy", particles},
      {"pqr", particles},
      {"xyz", particles},
      {"mtx", [](const fs::path& path) { cg::read_matrix_market(path); }},
      {"vector.mtx", [](const fs::path& path) { cg::read_vector(path, 4); }},
      {"npz", [](const fs::path& path) { cg::read_npz_matrix(path); }},
      {"vector.npy", [](const fs::path& path) { cg::read_vector(path, 4); }},
      {"toml", [](const fs::path& path) { read_platform(path); }},
      {"model.toml", [](const fs::path& path) { cg::read_model(path); }},
      {"scene.toml", [](const fs::path& path) { fdtd::scene::read_scene(path); }},
#ifdef ASTERISM_FUZZ_ARGUMENTS
      {"arguments", tests::parse_command_line},
#endif
      {"runs.jsonl", read_runs},
      {"rates.json", read_rates},
      {"pvd", [](const fs::path& path) { output::read_collection(path, ".vtu"); }},
      {"a.vtkhdf.series", [](fs::path path) { output::read_collection(path.replace_extension(), ".vtkhdf"); }},
      {"data.rec", read_recording},
      {"comms.rec", read_recording},
      {"clocks.rec", read_recording},
      {"prof_file", trace},
      {"tasks.rec", trace},
      {"paje.trace", trace},
      {"platform_file.rec", [](const fs::path& path) { traces::read_platform_rec(path); }},
      {"h5", read_hdf5},
      {"checkpoint", [](const fs::path& path) { require_checksums(path); }},
      {"journal", apply_journal},
  };
  return all;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const char* const kind = std::getenv("FUZZ_READER");
  if (kind == nullptr || !readers().contains(kind)) {
    fmt::print(stderr, "FUZZ_READER: expected one of");
    for (const auto& [name, ignored] : readers()) fmt::print(stderr, " {}", name);
    fmt::print(stderr, "\n");
    std::exit(2);
  }
  static const fs::path path = [] {
    const fs::path folder = fs::path("/dev/shm") / fmt::format("fuzz_{}", getpid());
    fs::create_directories(folder);
    fs::current_path(folder);
    static_cast<void>(std::freopen("/dev/null", "w", stdout));
    const bool whole_name = std::string(kind).find_first_of("._") != std::string::npos && std::string(kind) != "off.gz";
    return folder / (whole_name ? kind : std::string("f.") + kind);
  }();
  std::ofstream(path, std::ios::binary | std::ios::trunc)
      .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  try {
    readers().at(kind)(path);
  } catch (const Error& error) {
    if (std::string(error.what()).find('\n') != std::string::npos) std::abort();  // one line
  } catch (const std::bad_alloc&) {
  }
  return 0;
}

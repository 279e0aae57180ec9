// SPDX-License-Identifier: Apache-2.0
#include "apps/common/files.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "runtime/ranks/collective_try.hpp"
#include "runtime/ranks/ranks.hpp"

namespace asterism::apps {
namespace {

namespace fs = std::filesystem;

// Options of all programs by their names: an option that is not here names no single file.
constexpr std::array<std::string_view, 13> reading{"--matrix", "--mesh",    "--model",  "--rhs",       "--input",
                                                   "--body",   "--restart", "--config", "--observers", "--simulate",
                                                   "--rates",  "--models",  "--scene"};
constexpr std::array<std::string_view, 16> writing{
    "--average",  "--json",    "--csv",    "--html",     "--output", "--png",    "--chart",    "--checkpoint",
    "--solution", "--history", "--forces", "--profiles", "--probes", "--listen", "--matrices", "--write-lp"};

struct Named {
  std::string option;
  fs::path file;
};

bool is_one_of(const auto& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

void collect(const CLI::App& app, const auto& names, std::vector<Named>& files) {
  for (const CLI::Option* option : app.get_options()) {
    const std::string name = option->get_name();
    if (!is_one_of(names, name)) continue;
    for (const std::string& value : option->results())
      if (!value.empty()) files.push_back({name, value});
  }
  for (const CLI::App* group : app.get_subcommands([](const CLI::App*) { return true; })) collect(*group, names, files);
}

bool same(const fs::path& a, const fs::path& b) {
  std::error_code error;
  if (fs::equivalent(a, b, error) && !error) return true;
  return fs::weakly_canonical(fs::absolute(a), error) == fs::weakly_canonical(fs::absolute(b), error) && !error;
}

/// The description that an HDF5 series has beside it.
fs::path description_of(const fs::path& series) {
  return series.extension() == ".h5" ? fs::path(series).replace_extension(".xdmf") : fs::path();
}

std::vector<fs::path>& outputs() {
  static std::vector<fs::path> files;
  return files;
}

}  // namespace

void check_files(const CLI::App& app) {
  std::vector<Named> read;
  std::vector<Named> written;
  collect(app, reading, read);
  collect(app, writing, written);
  for (std::size_t i = 0, given = written.size(); i < given; ++i)
    if (written[i].option == "--output" && !description_of(written[i].file).empty())
      written.push_back({"--output", description_of(written[i].file)});
  outputs().clear();
  for (std::size_t i = 0; i < written.size(); ++i) {
    const Named& one = written[i];
    std::error_code ignored;
    if (fs::is_other(one.file, ignored))
      bad_input("{} {}: is a device, a pipe or a socket; expected a new or a regular file", one.option,
                one.file.string());
    for (std::size_t j = 0; j < i; ++j)
      if (same(one.file, written[j].file))
        bad_input("{} {}: {} writes the same file; expected another name", one.option, one.file.string(),
                  written[j].option);
    for (const Named& other : read) {
      const bool replaced = one.option == "--checkpoint" && other.option == "--restart";
      if (!replaced && same(one.file, other.file))
        bad_input("{} {}: {} reads this file; expected another name", one.option, one.file.string(), other.option);
    }
    outputs().push_back(one.file);
  }
  std::vector<Named> folders;  // of recordings: one program at a time writes into it
  collect(app, std::array<std::string_view, 1>{"--trace"}, folders);
  for (const Named& folder : folders) {
    const fs::path name = (folder.file / "").lexically_normal().parent_path();
    if (!name.filename().empty()) outputs().push_back(name);
  }
}

void check_numbers(const CLI::App& app) {
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_type_name().find("FLOAT") == std::string::npos) continue;
    for (const std::string& text : option->results()) {
      char* end = nullptr;
      const double value = std::strtod(text.c_str(), &end);
      if (end != text.c_str() && !std::isfinite(value))
        bad_input("{} {}: expected a finite number", option->get_name(), text);
    }
  }
  for (const CLI::App* group : app.get_subcommands([](const CLI::App*) { return true; })) check_numbers(*group);
}

std::vector<std::unique_ptr<OutputLock>> lock_outputs() {
  std::vector<std::unique_ptr<OutputLock>> locks;
  collective_try([&] {
    if (!rank_group().is_root()) return;
    for (const fs::path& file : outputs()) locks.push_back(std::make_unique<OutputLock>(file));
  });
  return locks;
}

}  // namespace asterism::apps

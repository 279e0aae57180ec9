// SPDX-License-Identifier: Apache-2.0
#include "apps/compare/analysis.hpp"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <memory>

#include "base/error.hpp"
#include "traces/readers/read.hpp"

namespace asterism::apps::compare {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using traces::Shares;
using traces::state_count;
using traces::state_names;

/// What read() looks for in a folder.
constexpr std::array<const char*, 4> text_files = {"tasks.rec", "paje.trace", "data.rec", "platform_file.rec"};

json shares_json(const Shares& shares) {
  json j = json::object();
  for (std::size_t s = 0; s < state_count; ++s) j[state_names[s]] = shares.state[s];
  return j;
}

Shares shares_of(const json& j) {
  Shares shares;
  for (std::size_t s = 0; s < state_count; ++s) j.at(state_names[s]).get_to(shares.state[s]);
  return shares;
}

/// Through a temporary file, so that a .gz is complete or absent.
void compress(const fs::path& from, const fs::path& to) {
  const fs::path temporary = to.string() + ".part";
  std::ifstream in(from, std::ios::binary);
  constexpr int fast = 1;
  const auto close = [](gzFile_s* file) { gzclose(file); };
  std::unique_ptr<gzFile_s, decltype(close)> out(gzopen(temporary.c_str(), ("wb" + std::to_string(fast)).c_str()),
                                                 close);
  if (!in || !out) failed("{}: cannot be compressed to {}", from.string(), to.string());
  std::vector<char> buffer(1 << 20);
  while (in) {
    in.read(buffer.data(), static_cast<std::streamsize>(buffer.size()));
    const auto count = static_cast<unsigned>(in.gcount());
    if (count > 0 && gzwrite(out.get(), buffer.data(), count) != static_cast<int>(count))
      failed("{}: cannot be written", temporary.string());
  }
  if (gzclose(out.release()) != Z_OK) failed("{}: cannot be written", temporary.string());
  fs::rename(temporary, to);
}

}  // namespace

void to_json(json& j, const Analysis& a) {
  j = {{"makespan", a.makespan}, {"tasks", a.tasks},         {"flops", a.flops}, {"all", shares_json(a.all)},
       {"units", a.units},       {"transfers", a.transfers}, {"bytes", a.bytes}, {"critical_path", a.critical_path}};
  for (const auto& [kind, shares] : a.kinds) j["kinds"][kind] = shares_json(shares);
}

void from_json(const json& j, Analysis& a) {
  j.at("makespan").get_to(a.makespan);
  j.at("tasks").get_to(a.tasks);
  j.at("flops").get_to(a.flops);
  j.at("units").get_to(a.units);
  j.at("transfers").get_to(a.transfers);
  j.at("bytes").get_to(a.bytes);
  j.at("critical_path").get_to(a.critical_path);
  a.all = shares_of(j.at("all"));
  for (const auto& [kind, shares] : j.at("kinds").items()) a.kinds[kind] = shares_of(shares);
}

Analysis analyse(const traces::Recording& recording, const traces::Metrics& metrics) {
  Analysis a;
  a.makespan = metrics.makespan;
  a.tasks = metrics.tasks;
  a.flops = metrics.flops;
  a.all.state = metrics.all.state;
  for (std::size_t k = 0; k < recording.kinds.size(); ++k) {
    a.kinds[recording.kinds[k].name].state = metrics.kind[k].state;
    a.units[recording.kinds[k].name] = recording.units_of(static_cast<std::uint32_t>(k));
  }
  for (const traces::LinkUse& link : metrics.links) a.transfers += link.transfers;
  a.bytes = metrics.bytes_moved;
  a.critical_path = metrics.critical_path.length;
  return a;
}

std::vector<fs::path> fxt_files(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder))
    if (entry.path().filename().string().starts_with("prof_file")) files.push_back(entry.path());
  // one per rank, in the order of their number
  std::sort(files.begin(), files.end(), [](const fs::path& a, const fs::path& b) {
    const std::string x = a.string();
    const std::string y = b.string();
    return std::pair(x.size(), x) < std::pair(y.size(), y);
  });
  return files;
}

void convert_run(const fs::path& folder, bool keep) {
  const std::vector<fs::path> files = fxt_files(folder);
  const fs::path converted = folder / "converted";
  fs::create_directories(converted);
  traces::convert_fxt(files, converted);
  for (const char* name : text_files)
    if (fs::exists(converted / name)) compress(converted / name, folder / (std::string(name) + ".gz"));
  fs::remove_all(converted);
  if (!keep)
    for (const fs::path& file : files) fs::remove(file);
}

traces::Recording read_run(const fs::path& folder, const std::string& name, const std::string& window) {
  traces::ReadOptions options;
  options.name = name;
  options.window = traces::Window::parse(window);
  return traces::read({folder}, options);
}

bool has_recording(const fs::path& folder) {
  return fs::exists(folder / (std::string(text_files.front()) + ".gz"));
}

void remove_recording(const fs::path& folder) {
  std::error_code ignored;
  for (const char* name : text_files) fs::remove(folder / (std::string(name) + ".gz"), ignored);
}

}  // namespace asterism::apps::compare

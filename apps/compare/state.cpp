// SPDX-License-Identifier: Apache-2.0
#include "apps/compare/state.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include "base/error.hpp"
#include "io/text_words.hpp"

namespace asterism::apps::compare {
namespace {

using nlohmann::json;

constexpr const char* file_name = "runs.jsonl";
constexpr std::array<const char*, 4> phase_names = {"calibration", "warm-up", "measured", "extra"};

Phase phase_of(const std::string& name) {
  for (std::size_t p = 0; p < phase_names.size(); ++p)
    if (name == phase_names[p]) return static_cast<Phase>(p);
  throw std::invalid_argument("phase " + name);
}

void sync(int descriptor, const std::filesystem::path& path) {
  if (fsync(descriptor) != 0) failed("{}: {}", path.string(), std::strerror(errno));
}

/// A file or folder, as well as can be.
void sync_file(const std::filesystem::path& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return;
  fsync(descriptor);
  close(descriptor);
}

struct Contents {
  json identity;
  std::vector<Run> runs;
  bool cut = false;  ///< the last line was not finished
};

/// A journal may come from somebody else, and --retry removes the folders of its failed runs: names of folders inside
/// "runs", as asterism-compare makes them.
void require_own_folder(const std::filesystem::path& path, int line, const std::string& folder) {
  const bool plain = folder != "." && folder != ".." && folder.find('/') == std::string::npos &&
                     folder.find('\0') == std::string::npos;
  if (!plain)
    bad_input("{}: line {}: folder {}: expected the name of a folder in runs/", path.string(), line, in_quotes(folder));
}

Contents read_file(const std::filesystem::path& path) {
  Contents contents;
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  int number = 0;
  for (std::string line; std::getline(text, line);) {
    ++number;
    if (text.eof()) {  // no newline: written while the machine or the disk gave up
      contents.cut = true;
      break;
    }
    try {
      const json record = json::parse(line);
      if (number == 1)
        contents.identity = record.at("identity");
      else
        contents.runs.push_back(record.get<Run>());
    } catch (const std::exception& error) {
      bad_input("{}: line {} is no record of asterism-compare; remove the folder to start anew", path.string(), number);
    }
    if (number > 1) require_own_folder(path, number, contents.runs.back().folder);
  }
  return contents;
}

/// A fact of the identity in a message.
std::string shown(const json& fact) {
  if (fact.is_null()) return "not set";
  const std::string text = fact.is_string() ? fact.get<std::string>() : fact.dump();
  return text.size() > 120 ? text.substr(0, 117) + "..." : text;
}

void require_same(const std::filesystem::path& folder, const json& before, const json& now) {
  json facts = now;
  facts.update(before);  // the union of the names
  for (const auto& [name, ignored] : facts.items()) {
    const json was = before.value(name, json());
    const json is = now.value(name, json());
    if (was != is)
      bad_input("{} holds another comparison: {} was {}, is now {}; take another --work, or remove that folder",
                folder.string(), name, shown(was), shown(is));
  }
}

}  // namespace

const char* name_of(Phase phase) {
  return phase_names[static_cast<std::size_t>(phase)];
}

std::optional<double> Run::time(TimeSource::Kind kind) const {
  if (!good()) return std::nullopt;
  if (kind == TimeSource::Kind::wall) return wall;
  if (kind == TimeSource::Kind::trace) return analysis ? std::optional(analysis->makespan) : std::nullopt;
  return told;
}

void to_json(json& j, const Run& run) {
  j = {{"phase", name_of(run.step.phase)},
       {"scheduler", run.step.scheduler},
       {"repetition", run.step.repetition},
       {"place", run.step.place},
       {"traced", run.step.traced},
       {"folder", run.folder},
       {"status", run.status},
       {"message", run.message},
       {"wall", run.wall},
       {"processor", run.processor},
       {"memory", run.memory},
       {"calibrating", run.calibrating}};
  if (run.told) j["told"] = *run.told;
  if (run.analysis) j["analysis"] = *run.analysis;
}

void from_json(const json& j, Run& run) {
  run.step.phase = phase_of(j.at("phase"));
  j.at("scheduler").get_to(run.step.scheduler);
  j.at("repetition").get_to(run.step.repetition);
  j.at("place").get_to(run.step.place);
  j.at("traced").get_to(run.step.traced);
  j.at("folder").get_to(run.folder);
  j.at("status").get_to(run.status);
  j.at("message").get_to(run.message);
  j.at("wall").get_to(run.wall);
  j.at("processor").get_to(run.processor);
  j.at("memory").get_to(run.memory);
  j.at("calibrating").get_to(run.calibrating);
  if (j.contains("told")) run.told = j["told"].get<double>();
  if (j.contains("analysis")) run.analysis = j["analysis"].get<Analysis>();
}

Journal::Journal(const std::filesystem::path& folder, const json& identity)
    : path_(folder / file_name), identity_(identity) {
  std::error_code error;
  std::filesystem::create_directories(folder / "runs", error);
  if (error) bad_input("--work {}: {}", folder.string(), error.message());
  if (std::filesystem::is_symlink(folder / "runs"))
    bad_input("--work {}: runs is a link; expected a folder of its own", folder.string());
  lock_ = open((folder / "lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (lock_ < 0) bad_input("--work {}: {}", folder.string(), std::strerror(errno));
  try {
    if (flock(lock_, LOCK_EX | LOCK_NB) != 0)
      bad_input("--work {}: another asterism-compare works in this folder", folder.string());
    Contents contents;
    if (std::filesystem::exists(path_)) contents = read_file(path_);
    if (!contents.identity.is_null()) require_same(folder, contents.identity, identity);
    runs_ = std::move(contents.runs);
    if (contents.identity.is_null() || contents.cut)
      rewrite();
    else
      file_ = open(path_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
    if (file_ < 0) failed("{}: {}", path_.string(), std::strerror(errno));
  } catch (...) {
    close(lock_);
    throw;
  }
}

Journal::~Journal() {
  if (file_ >= 0) close(file_);
  close(lock_);
}

void Journal::write_line(const json& line) {
  const std::string text = line.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
  for (std::size_t written = 0; written < text.size();) {
    const ssize_t count = write(file_, text.data() + written, text.size() - written);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) failed("{}: {}", path_.string(), std::strerror(errno));
    written += static_cast<std::size_t>(count);
  }
}

void Journal::rewrite() {
  const std::filesystem::path temporary = path_.string() + ".part";
  if (file_ >= 0) close(file_);
  file_ = open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
  if (file_ < 0) failed("{}: {}", temporary.string(), std::strerror(errno));
  write_line({{"identity", identity_}});
  for (const Run& run : runs_) write_line(run);
  sync(file_, temporary);
  std::filesystem::rename(temporary, path_);
  sync_file(path_.parent_path());
}

void Journal::add(Run run) {
  const std::filesystem::path folder = path_.parent_path() / "runs" / run.folder;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(folder, none))
    if (entry.is_regular_file(none)) sync_file(entry.path());
  sync_file(folder);
  write_line(run);
  sync(file_, path_);
  runs_.push_back(std::move(run));
}

void Journal::forget_failed() {
  std::vector<std::string> folders;
  for (const Run& run : runs_)
    if (!run.good()) folders.push_back(run.folder);
  if (std::erase_if(runs_, [](const Run& run) { return !run.good(); }) == 0) return;
  rewrite();
  std::error_code ignored;
  for (const std::string& folder : folders)
    if (!folder.empty()) std::filesystem::remove_all(path_.parent_path() / "runs" / folder, ignored);
}

int Journal::next_number() const {
  int last = 0;
  for (const Run& run : runs_) last = std::max(last, std::atoi(run.folder.c_str()));
  return last + 1;
}

std::vector<Run> read_journal(const std::filesystem::path& folder) {
  if (!std::filesystem::exists(folder / file_name)) return {};
  return read_file(folder / file_name).runs;
}

}  // namespace asterism::apps::compare

// SPDX-License-Identifier: Apache-2.0
#include "runtime/machine/known_rates.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/file.h>
#include <unistd.h>
#ifdef ASTERISM_CUDA
#include <cuda_runtime_api.h>
#endif

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>
#include <utility>

#include "base/version.hpp"
#include "runtime/machine/simulated_machine.hpp"

namespace asterism {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// ---------------------------------------------------------------- the machine

/// What follows `key` and a colon in the first line of `file` that begins with `key`.
std::string value_in(const char* file, const std::string& key) {
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) {
    if (!line.starts_with(key)) continue;
    const std::size_t value = line.find_first_not_of(" \t:", key.size());
    return value == std::string::npos ? std::string{} : line.substr(value);
  }
  return {};
}

int usable_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

#ifdef ASTERISM_CUDA
void describe_gpus(RatedMachine& machine) {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0) {
    static_cast<void>(cudaGetLastError());
    return;
  }
  for (int device = 0; device < count; ++device) {
    cudaDeviceProp properties{};
    if (cudaGetDeviceProperties(&properties, device) == cudaSuccess) machine.gpus.emplace_back(properties.name);
  }
  int number = 0;
  if (cudaRuntimeGetVersion(&number) == cudaSuccess) machine.runtime = std::to_string(number);
  machine.driver = value_in("/proc/driver/nvidia/version", "NVRM version");
  if (machine.driver.empty() && cudaDriverGetVersion(&number) == cudaSuccess) machine.driver = std::to_string(number);
}
#endif

RatedMachine describe_machine() {
  RatedMachine machine;
  char host[256] = {};
  gethostname(host, sizeof host - 1);
  machine.host = host;
  machine.processor = value_in("/proc/cpuinfo", "model name");
  machine.cores = usable_cores();
  machine.version = version();
#ifdef ASTERISM_CUDA
  describe_gpus(machine);
#endif
  return machine;
}

// ---------------------------------------------------------------- the file

json to_json(const RatedMachine& machine) {
  return {{"host", machine.host},      {"processor", machine.processor}, {"cores", machine.cores},
          {"gpus", machine.gpus},      {"driver", machine.driver},       {"cuda", machine.runtime},
          {"version", machine.version}};
}

/// {"machines": [{"machine": {...}, "rates": {name: value}}]}; without machines where the file holds anything else.
json read_file(const fs::path& file) {
  json all = json::parse(std::ifstream(file), nullptr, false);
  if (!all.is_object() || !all.contains("machines") || !all["machines"].is_array()) all = {{"machines", json::array()}};
  return all;
}

json* entry_of(json& all, const RatedMachine& machine) {
  const json wanted = to_json(machine);
  for (json& entry : all["machines"])
    if (entry.is_object() && entry.contains("machine") && entry["machine"] == wanted) return &entry;
  return nullptr;
}

bool is_rate(double value) {
  return std::isfinite(value) && value >= 0;
}

std::map<std::string, double> rates_in(json& all, const RatedMachine& machine) {
  std::map<std::string, double> rates;
  json* const entry = entry_of(all, machine);
  if (entry == nullptr || !entry->contains("rates") || !(*entry)["rates"].is_object()) return rates;
  for (const auto& [name, value] : (*entry)["rates"].items())
    if (value.is_number() && is_rate(value.get<double>())) rates[name] = value.get<double>();
  return rates;
}

/// Other programs that change a file of the same folder wait: without a lock two that write at once may lose a rate.
class FolderLock {
 public:
  explicit FolderLock(const fs::path& folder) : folder_(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    constexpr std::chrono::milliseconds pause(5);
    for (int tries = 0; folder_ >= 0 && flock(folder_, LOCK_EX | LOCK_NB) != 0; ++tries) {
      taken_ = errno == EWOULDBLOCK && tries * pause > longest;
      if (taken_ || (errno != EWOULDBLOCK && errno != EINTR)) break;  // or a file system without locks
      std::this_thread::sleep_for(pause);
    }
  }
  ~FolderLock() {
    if (folder_ >= 0) close(folder_);
  }
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;
  /// Somebody else has it, and keeps it.
  [[nodiscard]] bool taken() const noexcept { return taken_; }

 private:
  static constexpr std::chrono::seconds longest{10};  // a writer needs milliseconds

  int folder_;
  bool taken_ = false;
};

bool write_all(int file, const std::string& text) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t written = write(file, text.data() + done, text.size() - done);
    if (written <= 0) return false;
    done += static_cast<std::size_t>(written);
  }
  return true;
}

/// The whole file or nothing of it.
bool write_file(const fs::path& path, const std::string& text) {
  std::string temporary = path.string() + ".XXXXXX";
  const int file = mkostemp(temporary.data(), O_CLOEXEC);
  if (file < 0) return false;
  const bool written = write_all(file, text) && fsync(file) == 0;
  if (close(file) == 0 && written && std::rename(temporary.c_str(), path.c_str()) == 0) return true;
  unlink(temporary.c_str());
  return false;
}

/// Changes what the file says of `machine`, together with what other programs wrote since it was read.
template <class Change>
bool update(const fs::path& file, const RatedMachine& machine, const Change& change) {
  const fs::path folder = file.has_parent_path() ? file.parent_path() : ".";
  std::error_code ignored;
  fs::create_directories(folder, ignored);
  const FolderLock lock(folder);
  if (lock.taken()) return false;  // the rate is measured again another time; those of others are not lost
  json all = read_file(file);
  std::map<std::string, double> rates = rates_in(all, machine);
  change(rates);
  if (json* const entry = entry_of(all, machine))
    (*entry)["rates"] = rates;
  else
    all["machines"].push_back({{"machine", to_json(machine)}, {"rates", rates}});
  return write_file(file, all.dump(1, ' ', false, json::error_handler_t::replace) + "\n");
}

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::string{} : value;
}

}  // namespace

const RatedMachine& rated_machine() {
  static const RatedMachine machine = describe_machine();
  return machine;
}

KnownRates::KnownRates(fs::path file, RatedMachine machine) : file_(std::move(file)), machine_(std::move(machine)) {
  if (file_.empty()) return;
  json all = read_file(file_);
  rates_ = rates_in(all, machine_);
}

std::optional<double> KnownRates::find(const std::string& name) const {
  const auto known = rates_.find(name);
  return known == rates_.end() ? std::nullopt : std::optional(known->second);
}

double KnownRates::keep(const std::string& name, double value) {
  if (const auto known = find(name)) return *known;
  if (!is_rate(value)) return value;
  rates_[name] = std::stod(fmt::format("{:.1e}", value));
  if (!file_.empty())
    update(file_, machine_, [this](std::map<std::string, double>& kept) {
      kept.insert(rates_.begin(), rates_.end());
      rates_ = kept;
    });
  return rates_[name];
}

bool KnownRates::forget() {
  rates_.clear();
  return file_.empty() || update(file_, machine_, [](std::map<std::string, double>& kept) { kept.clear(); });
}

fs::path cache_folder() {
  if (const std::string own = variable("ASTERISM_CACHE"); !own.empty()) return own;
  if (const std::string cache = variable("XDG_CACHE_HOME"); !cache.empty()) return fs::path(cache) / "asterism";
  if (const std::string home = variable("HOME"); !home.empty()) return fs::path(home) / ".cache" / "asterism";
  return {};
}

KnownRates known_rates() {
  const std::string told = variable("ASTERISM_RATES");
  if (simulated || told == "off") return {{}, rated_machine()};
  if (!told.empty()) return {told, rated_machine()};
  const fs::path folder = cache_folder();
  return {folder.empty() ? folder : folder / "rates.json", rated_machine()};
}

}  // namespace asterism

// SPDX-License-Identifier: Apache-2.0
#include "traces/models/sampling.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <map>
#include <set>
#include <tuple>

#include "base/error.hpp"

namespace asterism::traces {
namespace {

constexpr int version = 45;

/// StarPU's numbers of device types, which its model files use (enum starpu_worker_archtype of StarPU 1.4).
std::string architecture_name(int type) {
  switch (type) {
    case 0:
      return "cpu";
    case 1:
      return "cuda";
    case 2:
      return "opencl";
    case 4:
      return "max_fpga";
    case 5:
      return "mpi_ms";
    case 6:
      return "tcpip_ms";
    case 7:
      return "hip";
    default:
      return "type" + std::to_string(type) + "_";
  }
}

/// The lines of a model file that carry numbers, split at white space.
class ModelLines {
 public:
  explicit ModelLines(const std::filesystem::path& path) : name_(path.string()), file_(path) {
    if (!file_ || std::filesystem::is_directory(path)) bad_input("{}: cannot be opened for reading", name_);
  }

  /// The next line; `what` it should hold, `fields` at least how many numbers.
  const std::vector<std::string>& next(const char* what, std::size_t fields) {
    std::string line;
    while (std::getline(file_, line)) {
      ++number_;
      words_.clear();
      for (std::size_t at = 0; at < line.size();) {
        const std::size_t first = line.find_first_not_of(" \t\r", at);
        if (first == std::string::npos) break;
        at = std::min(line.find_first_of(" \t\r", first), line.size());
        words_.push_back(line.substr(first, at - first));
      }
      if (words_.empty() || words_[0][0] == '#') continue;
      if (words_.size() < fields)
        bad_input("{}:{}: found {} fields, expected {} with {} fields", name_, number_, words_.size(), what, fields);
      return words_;
    }
    bad_input("{}:{}: the file ends, expected {}", name_, number_ + 1, what);
  }

  template <class Number>
  Number parse(const std::string& word, const char* what, int base = 10) const {
    Number value{};
    std::from_chars_result end{};
    if constexpr (std::is_floating_point_v<Number>)
      end = std::from_chars(word.data(), word.data() + word.size(), value);
    else
      end = std::from_chars(word.data(), word.data() + word.size(), value, base);
    if (end.ec != std::errc() || end.ptr != word.data() + word.size())
      bad_input("{}:{}: found '{}', expected {}", name_, number_, word, what);
    return value;
  }

  std::size_t count(const char* what) {
    const auto value = parse<std::size_t>(next(what, 1)[0], what);
    if (value > 1000000) bad_input("{}:{}: found {}, expected {} below 1000000", name_, number_, value, what);
    return value;
  }

  double quantity(const std::string& word, const char* what) const {
    const auto value = parse<double>(word, what);
    if (!(value >= 0) || std::isinf(value))
      bad_input("{}:{}: found '{}', expected {} >= 0", name_, number_, word, what);
    return value;
  }

 private:
  std::string name_;
  std::ifstream file_;
  std::size_t number_ = 0;
  std::vector<std::string> words_;
};

/// codelets/45 in or below `folder`.
std::filesystem::path models_folder(const std::filesystem::path& folder) {
  if (!std::filesystem::is_directory(folder)) bad_input("{}: is no folder", folder.string());
  for (const char* below : {".starpu/sampling/codelets/45", "sampling/codelets/45", "codelets/45", "45"})
    if (std::filesystem::is_directory(folder / below)) return folder / below;
  return folder;
}

/// SYMBOL.HOST, in their order.
std::vector<std::string> model_files(const std::filesystem::path& folder) {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    const std::size_t dot = name.rfind('.');
    if (entry.is_regular_file() && dot != std::string::npos && dot != 0) files.push_back(name);
  }
  std::sort(files.begin(), files.end());
  return files;
}

/// A square matrix of the bus, MB/s or microseconds; entry NaN where StarPU measured nothing. Empty without the file.
struct Matrix {
  std::vector<std::string> names;  ///< of the memory nodes
  std::vector<std::vector<double>> rows;
};

Matrix read_bus(const std::filesystem::path& path) {
  Matrix matrix;
  if (!std::filesystem::is_regular_file(path)) return matrix;
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);  // "# to NUMA 0<tab>to CUDA 0<tab>..."
  for (std::size_t at = line.find("to "); at != std::string::npos; at = line.find("to ", at)) {
    const std::size_t end = std::min(line.find('\t', at), line.size());
    matrix.names.push_back(line.substr(at + 3, end - at - 3));
    at = end;
  }
  if (matrix.names.empty())
    bad_input("{}:1: found '{}', expected '# to NUMA 0 ...'", path.string(), line.substr(0, 40));
  ModelLines lines(path);
  for (std::size_t i = 0; i < matrix.names.size(); ++i) {
    const auto& words = lines.next("a row of the bus matrix", matrix.names.size());
    std::vector<double> row;
    for (std::size_t j = 0; j < matrix.names.size(); ++j) row.push_back(lines.parse<double>(words[j], "a number"));
    matrix.rows.push_back(std::move(row));
  }
  return matrix;
}

}  // namespace

std::vector<Timing> read_model_file(const std::filesystem::path& path, const std::string& symbol) {
  ModelLines lines(path);
  const auto found = lines.parse<int>(lines.next("the version", 1)[0], "the version");
  if (found != version)
    bad_input("{}: performance model of version {}, expected {} (StarPU 1.4)", path.string(), found, version);
  std::map<std::tuple<std::string, std::uint32_t>, Timing> fastest;
  const std::size_t combinations = lines.count("the number of combinations");
  for (std::size_t c = 0; c < combinations; ++c) {
    const std::size_t devices = lines.count("the number of types of devices");
    bool single = devices == 1;
    std::string architecture;
    for (std::size_t d = 0; d < devices; ++d) {
      const int type = lines.parse<int>(lines.next("a device type", 1)[0], "a device type");
      const int id = lines.parse<int>(lines.next("a device id", 1)[0], "a device id");
      const int cores = lines.parse<int>(lines.next("a number of cores", 1)[0], "a number of cores");
      single = single && cores <= 1;
      architecture = architecture_name(type) + std::to_string(id);
    }
    const std::size_t implementations = lines.count("the number of implementations");
    for (std::size_t i = 0; i < implementations; ++i) {
      const std::size_t entries = lines.count("the number of entries");
      lines.next("a regression", 9);
      lines.next("a non-linear regression", 3);
      lines.next("a multiple regression", 1);
      for (std::size_t e = 0; e < entries; ++e) {
        const auto& words = lines.next("hash, size, flops, mean, deviation, sum, sum of squares, samples", 8);
        Timing t;
        t.model = symbol;
        t.architecture = architecture;
        t.footprint = lines.parse<std::uint32_t>(words[0], "a footprint", 16);
        t.size = lines.parse<std::uint64_t>(words[1], "a size");
        const auto flops = lines.parse<double>(words[2], "flops");
        if (!std::isnan(flops)) t.flops = lines.quantity(words[2], "flops");
        t.mean = lines.quantity(words[3], "a mean");
        t.deviation = lines.quantity(words[4], "a deviation");
        t.samples = lines.parse<std::uint64_t>(words[7], "a number of samples");
        if (!single || t.samples == 0) continue;
        const auto [slot, fresh] = fastest.try_emplace({architecture, t.footprint}, t);
        if (!fresh && t.mean < slot->second.mean) slot->second = std::move(t);
      }
    }
  }
  std::vector<Timing> timings;
  for (auto& [key, timing] : fastest) timings.push_back(std::move(timing));
  return timings;
}

bool has_models(const std::filesystem::path& folder) {
  return std::filesystem::is_directory(folder) && !model_files(models_folder(folder)).empty();
}

PlatformRec read_sampling(const std::filesystem::path& given, const SamplingOptions& options) {
  const std::filesystem::path folder = models_folder(given);
  const std::vector<std::string> files = model_files(folder);
  std::set<std::string> hosts;
  for (const std::string& name : files) hosts.insert(name.substr(name.rfind('.') + 1));
  if (files.empty()) bad_input("{}: holds no performance model (SYMBOL.HOST)", folder.string());
  std::string host = options.host;
  if (host.empty()) {
    if (hosts.size() > 1)
      bad_input("{}: models of {} hosts ({}); say which one", folder.string(), hosts.size(), fmt::join(hosts, ", "));
    host = *hosts.begin();
  }
  PlatformRec platform;
  const std::string ending = "." + host;
  bool any = false;
  for (const std::string& name : files) {
    if (!name.ends_with(ending)) continue;
    any = true;
    const auto timings = read_model_file(folder / name, name.substr(0, name.size() - ending.size()));
    platform.timings.insert(platform.timings.end(), timings.begin(), timings.end());
  }
  if (!any) bad_input("{}: no model of host {}; found {}", folder.string(), host, fmt::join(hosts, ", "));

  const std::filesystem::path bus = std::filesystem::absolute(folder).parent_path().parent_path() / "bus";
  const Matrix bandwidth = read_bus(bus / (host + ".bandwidth"));
  const Matrix latency = read_bus(bus / (host + ".latency"));
  for (std::size_t i = 0; i < bandwidth.names.size(); ++i)
    platform.memory_workers.push_back({static_cast<std::uint32_t>(i), bandwidth.names[i], -1, {}});
  for (std::size_t i = 0; i < bandwidth.names.size(); ++i)
    for (std::size_t j = 0; j < bandwidth.names.size(); ++j)
      if (i != j && bandwidth.rows[i][j] > 0)
        platform.memory_performance.push_back(
            {static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(j), bandwidth.rows[i][j],
             i < latency.rows.size() && j < latency.rows[i].size() ? latency.rows[i][j] : 0});
  return platform;
}

}  // namespace asterism::traces

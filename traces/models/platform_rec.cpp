// SPDX-License-Identifier: Apache-2.0
#include "traces/models/platform_rec.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <fstream>
#include <map>
#include <sstream>
#include <utility>

#include "base/error.hpp"
#include "io/output_file.hpp"

namespace asterism::traces {

std::string kind_of_architecture(const std::string& architecture) {
  std::string kind = architecture;
  while (!kind.empty() && std::isdigit(static_cast<unsigned char>(kind.back())) != 0) kind.pop_back();
  std::transform(kind.begin(), kind.end(), kind.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return kind;
}

std::string kind_of_architecture(const std::string& architecture, const Recording& recording) {
  const std::string type = kind_of_architecture(architecture);
  for (const Kind& kind : recording.kinds)
    for (const int device : kind.devices)
      if (kind.name.starts_with(type) && architecture.substr(type.size()) == std::to_string(device)) return kind.name;
  return type;
}

std::string architecture_of(const Kind& kind) {
  std::string type = kind.name.substr(0, kind.name.find(' '));
  std::transform(type.begin(), type.end(), type.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return type + std::to_string(kind.devices.empty() ? 0 : kind.devices.front());
}

namespace {

struct Field {
  std::string value;
  std::size_t line = 0;
};

/// A record while it is read: its fields, and where it began.
class Record {
 public:
  Record(const std::string& file, const std::string& type) : file_(file), type_(type) {}

  void add(const std::string& name, std::string value, std::size_t line) {
    if (fields_.empty()) first_ = line;
    last_ = &(fields_[name] = {std::move(value), line});
  }
  void clear() {
    fields_.clear();
    last_ = nullptr;
  }
  void extend(const std::string& more) { last_->value += "\n" + more; }
  [[nodiscard]] bool empty() const { return fields_.empty(); }
  [[nodiscard]] bool has(const std::string& name) const { return fields_.contains(name); }

  [[nodiscard]] const Field& at(const std::string& name) const {
    const auto found = fields_.find(name);
    if (found == fields_.end())
      bad_input("{}:{}: record of type {} without field {}", file_, first_, type_.empty() ? "(none)" : type_, name);
    return found->second;
  }
  [[nodiscard]] const std::string& text(const std::string& name) const { return at(name).value; }

  template <class Number>
  [[nodiscard]] Number number(const std::string& name, int base = 10) const {
    const Field& field = at(name);
    std::string_view text = field.value;
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    Number value{};
    std::from_chars_result end{};
    if constexpr (std::is_floating_point_v<Number>)
      end = std::from_chars(text.data(), text.data() + text.size(), value);
    else
      end = std::from_chars(text.data(), text.data() + text.size(), value, base);
    if (end.ec != std::errc() || end.ptr != text.data() + text.size())
      bad_input("{}:{}: {}: found '{}', expected {}", file_, field.line, name, text,
                std::is_floating_point_v<Number> ? "a number"
                : base == 16                     ? "a hexadecimal number"
                                                 : "a whole number");
    return value;
  }

  /// A duration or rate: finite and not negative.
  [[nodiscard]] double quantity(const std::string& name) const {
    const double value = number<double>(name);
    if (!(value >= 0 && value <= 1e300))
      bad_input("{}:{}: {}: found '{}', expected a number >= 0", file_, at(name).line, name, text(name));
    return value;
  }

 private:
  const std::string& file_;
  const std::string& type_;
  std::map<std::string, Field> fields_;
  Field* last_ = nullptr;
  std::size_t first_ = 0;
};

void store(const Record& record, const std::string& type, PlatformRec& platform) {
  if (record.empty()) return;
  if (type == "timing") {
    Timing t;
    t.model = record.text("Model");
    t.architecture = record.text("Architecture");
    t.footprint = record.number<std::uint32_t>("Footprint", 16);
    if (record.has("Size")) t.size = record.number<std::uint64_t>("Size");
    if (record.has("Flops")) t.flops = record.quantity("Flops");
    t.mean = record.quantity("Mean");
    if (record.has("Stddev")) t.deviation = record.quantity("Stddev");
    t.samples = record.has("Samples") ? record.number<std::uint64_t>("Samples") : 1;
    platform.timings.push_back(std::move(t));
  } else if (type == "worker_count") {
    platform.worker_counts.push_back({record.text("Architecture"), record.number<std::uint64_t>("NbWorkers")});
  } else if (type == "memory_workers") {
    MemoryWorkers m;
    m.node = record.number<std::uint32_t>("MemoryNode");
    if (record.has("Name")) m.name = record.text("Name");
    if (record.has("Size")) m.size = record.number<std::int64_t>("Size");
    if (record.has("Workers")) {
      std::istringstream words(record.text("Workers"));
      for (std::uint32_t worker = 0; words >> worker;) m.workers.push_back(worker);
    }
    platform.memory_workers.push_back(std::move(m));
  } else if (type == "memory_performance") {
    if (std::isnan(record.number<double>("Bandwidth"))) return;  // StarPU measured nothing there
    platform.memory_performance.push_back({record.number<std::uint32_t>("MemoryNodeSrc"),
                                           record.number<std::uint32_t>("MemoryNodeDst"), record.quantity("Bandwidth"),
                                           record.quantity("Latency")});
  }
  // Records of other types are another tool's.
}

}  // namespace

PlatformRec read_platform_rec(std::istream& in, const std::string& name) {
  PlatformRec platform;
  std::string type;
  Record record(name, type);
  const auto close = [&] {
    store(record, type, platform);
    record.clear();
  };
  std::string line;
  std::size_t number = 0;
  while (std::getline(in, line)) {
    ++number;
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (line.empty()) {
      close();
    } else if (line[0] == '#') {
      continue;
    } else if (line[0] == '+') {
      if (record.empty()) bad_input("{}:{}: a line that continues a field, and no field before it", name, number);
      record.extend(line.substr(line.starts_with("+ ") ? 2 : 1));
    } else {
      const std::size_t colon = line.find(':');
      if (colon == std::string::npos || colon == 0)
        bad_input("{}:{}: found '{}', expected 'Field: value'", name, number, line.substr(0, 40));
      const std::string field = line.substr(0, colon);
      std::size_t value = colon + 1;
      while (value < line.size() && (line[value] == ' ' || line[value] == '\t')) ++value;
      std::string text = line.substr(value);
      while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.pop_back();
      if (field == "%rec") {
        close();
        type = text;
      } else if (field[0] != '%') {
        record.add(field, text, number);
      }
    }
  }
  if (in.bad()) bad_input("{}:{}: cannot be read further", name, number);
  close();
  return platform;
}

PlatformRec read_platform_rec(const std::filesystem::path& path) {
  std::ifstream file(path);
  if (!file || std::filesystem::is_directory(path)) bad_input("{}: cannot be opened for reading", path.string());
  if (!std::filesystem::is_regular_file(path)) bad_input("{}: is not a regular file; expected models", path.string());
  return read_platform_rec(file, path.string());
}

void write_platform_rec(std::ostream& out, const PlatformRec& platform) {
  // fmt prints the shortest decimal that gives back the same double.
  out << "%rec: timing\n\n";
  for (const Timing& t : platform.timings) {
    out << fmt::format("Model: {}\nArchitecture: {}\nFootprint: {:08x}\nSize: {}\n", t.model, t.architecture,
                       t.footprint, t.size);
    if (t.flops) out << fmt::format("Flops: {}\n", *t.flops);
    out << fmt::format("Mean: {}\nStddev: {}\nSamples: {}\n\n", t.mean, t.deviation, t.samples);
  }
  out << "%rec: worker_count\n\n";
  for (const WorkerCount& w : platform.worker_counts)
    out << fmt::format("Architecture: {}\nNbWorkers: {}\n\n", w.architecture, w.count);
  out << "%rec: memory_workers\n\n";
  for (const MemoryWorkers& m : platform.memory_workers) {
    out << fmt::format("MemoryNode: {}\nName: {}\nSize: {}\n", m.node, m.name, m.size);
    if (!m.workers.empty()) out << fmt::format("Workers: {}\n", fmt::join(m.workers, " "));
    out << '\n';
  }
  out << "%rec: memory_performance\n\n";
  for (const MemoryPerformance& p : platform.memory_performance)
    out << fmt::format("MemoryNodeSrc: {}\nMemoryNodeDst: {}\nBandwidth: {}\nLatency: {}\n\n", p.from, p.to,
                       p.bandwidth, p.latency);
}

void write_platform_rec(const std::filesystem::path& path, const PlatformRec& platform) {
  OutputFile file(path);
  write_platform_rec(file.stream(), platform);
  file.commit();
}

}  // namespace asterism::traces

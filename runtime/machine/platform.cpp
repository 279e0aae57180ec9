// SPDX-License-Identifier: Apache-2.0
#include "runtime/machine/platform.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <limits>
#include <set>

#include "base/error.hpp"
#include "io/text_words.hpp"
#include "io/toml_table.hpp"

namespace asterism {
namespace {

constexpr int most_cores = 4096;
constexpr int most_gpus = 64;
constexpr int most_ports = 1024;

Link read_link(const TomlValue& value) {
  TomlTable table = value.table();
  const Link link{table.get("bandwidth", "bytes per second").positive(),
                  table.get("latency", "seconds").not_negative()};
  table.finish();
  return link;
}

/// One link for every GPU, or an array with each one's.
std::vector<Link> read_links(const TomlValue& value, int gpus) {
  if (!value.is_array()) return {static_cast<std::size_t>(gpus), read_link(value)};
  const std::vector<TomlValue> elements = value.elements();
  if (elements.size() != static_cast<std::size_t>(gpus))
    value.refuse(fmt::format("{} links", elements.size()), fmt::format("one link, or {}: one for each GPU", gpus));
  std::vector<Link> links;
  for (const TomlValue& element : elements) links.push_back(read_link(element));
  return links;
}

/// One link for every pair of GPUs, or a row for each GPU: its links to all of them, {} in its own place.
std::vector<Link> read_peers(const TomlValue& value, int gpus) {
  const auto count = static_cast<std::size_t>(gpus);
  if (!value.is_array()) return {count * count, read_link(value)};
  std::vector<Link> links;
  const std::vector<TomlValue> rows = value.elements(count, "a row for each GPU");
  for (std::size_t from = 0; from < count; ++from) {
    const std::vector<TomlValue> row = rows[from].elements(count, "a link to each GPU, {} to itself");
    for (std::size_t to = 0; to < count; ++to)
      if (from != to)
        links.push_back(read_link(row[to]));
      else {
        row[to].table().finish();
        links.emplace_back();
      }
  }
  return links;
}

std::vector<Sample> read_samples(const TomlValue& value) {
  std::vector<Sample> samples;
  for (const TomlValue& element : value.elements()) {
    const std::vector<TomlValue> pair = element.elements(2, "[size, seconds]");
    const Sample sample{pair[0].positive(), pair[1].positive()};
    if (!samples.empty() && sample.size <= samples.back().size)
      pair[0].refuse(fmt::format("a size greater than {}, the one before", samples.back().size));
    samples.push_back(sample);
  }
  if (samples.empty()) value.refuse("at least one [size, seconds]");
  return samples;
}

std::vector<SamplesAtIntensity> read_samples_at(const TomlValue& value) {
  std::vector<SamplesAtIntensity> at;
  for (const TomlValue& element : value.elements()) {
    TomlTable table = element.table();
    const TomlValue intensity = table.get("intensity", "operations per byte");
    at.push_back({intensity.positive(), read_samples(table.get("samples", "at least one [flops, seconds]"))});
    if (at.size() > 1 && at.back().intensity <= at[at.size() - 2].intensity)
      intensity.refuse(fmt::format("an intensity greater than {}, the one before", at[at.size() - 2].intensity));
    table.finish();
  }
  if (at.empty()) value.refuse("at least one intensity");
  return at;
}

/// true: StarPU's own; false: none; or a table of seconds.
Overheads read_overheads(const TomlValue& value) {
  if (value.is_boolean()) return value.boolean() ? Overheads{} : Overheads{0, 0, 0};
  TomlTable table = value.table();
  const auto seconds = [&](const char* key, const char* what) {
    const TomlValue entry = table.get(key, what);
    const double number = entry.number();
    if (number < 0 || number > 1) entry.refuse("0 to 1 seconds");
    return number;
  };
  const Overheads overheads{seconds("launch", "seconds of a task"), seconds("copy", "seconds of a copy"),
                            seconds("datum", "seconds of each datum of a task")};
  table.finish();
  return overheads;
}

/// As StarPU prints them in its files of performance models: eight hexadecimal digits.
std::uint32_t read_footprint(const TomlValue& value) {
  const std::string text = value.text();
  std::uint32_t footprint = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, footprint, 16);
  if (error != std::errc{} || stop != end) value.refuse("a footprint: up to eight hexadecimal digits in quotes");
  return footprint;
}

/// What a kind of unit takes by default: every rate is asked for.
TaskCost read_default(const TomlValue& value) {
  TomlTable table = value.table();
  TaskCost cost;
  cost.flops = table.get("flops", "floating-point operations per second").positive();
  cost.bytes = table.get("bytes", "bytes per second").positive();
  cost.seconds = table.get("seconds", "seconds that every task takes beside its work").positive();
  table.finish();
  return cost;
}

/// A codelet's cost. A rate that it names replaces both of the default's: data that a task only holds a part of say
/// nothing about its bytes. "none": it does not run there.
std::optional<TaskCost> read_cost(UnitKind kind, const std::optional<TomlValue>& value, const TaskCost& by_default) {
  if (!value) return by_default;
  if (value->is_text()) {
    if (value->text() != "none") value->refuse("a table of rates, or \"none\"");
    return std::nullopt;
  }
  TomlTable table = value->table();
  TaskCost cost = by_default;
  const auto flops = table.find("flops");
  const auto bytes = table.find("bytes");
  if (flops || bytes) {
    cost.flops = flops ? flops->positive() : std::numeric_limits<double>::infinity();
    cost.bytes = bytes ? bytes->positive() : std::numeric_limits<double>::infinity();
  }
  if (kind == UnitKind::cpu)
    if (const auto together = table.find("together")) cost.together = together->positive();
  if (const auto seconds = table.find("seconds")) cost.seconds = seconds->positive();
  if (const auto chunk = table.find("chunk")) cost.chunk = chunk->positive();
  if (const auto samples = table.find("samples")) {
    cost.samples = read_samples(*samples);
    cost.sized_by = table.get("by", R"("flops" or "bytes": what the sizes of samples count)")
                        .choice<TaskCost::Size>({{"flops", TaskCost::Size::flops}, {"bytes", TaskCost::Size::bytes}});
  }
  if (const auto at = table.find("at")) {
    if (!cost.samples.empty()) at->refuse("samples, or samples at intensities");
    cost.at = read_samples_at(*at);
    cost.sized_by = TaskCost::Size::flops;
  }
  if (const auto classes = table.find("classes"))
    for (const TomlValue& element : classes->elements()) {
      const std::vector<TomlValue> pair = element.elements(2, "[footprint, seconds]");
      if (!cost.of_class.emplace(read_footprint(pair[0]), pair[1].positive()).second)
        pair[0].refuse("each footprint once");
    }
  table.finish();
  return cost;
}

std::string read_model(TomlTable& table) {
  const auto model = table.find("model");
  return model ? model->text() : "";
}

std::optional<Watts> read_watts(const std::optional<TomlValue>& value) {
  if (!value) return std::nullopt;
  TomlTable table = value->table();
  const TomlValue idle = table.get("idle", "watts of a unit without a task");
  const TomlValue busy = table.get("busy", "watts of a unit that runs a task");
  const Watts watts{idle.number(), busy.number()};
  if (watts.idle < 0) idle.refuse("watts, not below 0");
  if (watts.busy < watts.idle) busy.refuse("at least the watts of an idle unit");
  table.finish();
  return watts;
}

GpuKind read_gpu_kind(const TomlValue& value) {
  TomlTable gpu = value.table();
  GpuKind kind;
  kind.count = static_cast<int>(gpu.get("count", "the number of GPUs").integer(1, most_gpus));
  kind.memory = gpu.get("memory", "bytes of memory of each GPU").positive();
  kind.model = read_model(gpu);
  kind.rates = read_default(gpu.get("rates", "a table of rates of one GPU"));
  kind.watts = read_watts(gpu.find("watts"));
  gpu.finish();
  return kind;
}

/// A codelet's costs on each kind of GPUs: an array, or a table for all of them.
std::vector<TaskCost> read_gpu_costs(const std::optional<TomlValue>& value, const std::vector<GpuKind>& kinds) {
  std::vector<TomlValue> each;
  if (value && value->is_array()) {
    each = value->elements();
    if (each.size() != kinds.size())
      value->refuse(fmt::format("{} tables", each.size()),
                    fmt::format("one table, or {}: one for each kind of GPU", kinds.size()));
  }
  if (kinds.empty()) static_cast<void>(read_cost(UnitKind::gpu, value, {}));  // of no use, but not nonsense either
  std::vector<TaskCost> costs;
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    if (!each.empty() && !each[k].is_table()) each[k].refuse("a table of rates");
    const std::optional<TaskCost> cost =
        read_cost(UnitKind::gpu, each.empty() ? value : std::optional(each[k]), kinds[k].rates);
    if (cost) costs.push_back(*cost);
  }
  return costs;
}

void read_bus(const TomlValue& value, Platform& platform) {
  TomlTable bus = value.table();
  platform.to_gpu = read_links(bus.get("to_gpu", "the link from main memory to a GPU"), platform.gpus());
  platform.from_gpu = read_links(bus.get("from_gpu", "the link from a GPU to main memory"), platform.gpus());
  if (const auto shared = bus.find("shared")) platform.shared = shared->positive();
  if (const auto peer = bus.find("peer")) platform.peers = read_peers(*peer, platform.gpus());
  if (const auto in_turn = bus.find("in_turn")) platform.in_turn = in_turn->boolean();
  bus.finish();
}

Network read_network(const TomlValue& value) {
  TomlTable table = value.table();
  Network network;
  network.link = read_link(table.get("link", "the link between a machine and the network: { bandwidth, latency }"));
  if (const auto levels = table.find("fat_tree"))
    for (const TomlValue& element : levels->elements()) {
      TomlTable level = element.table();
      Network::Level& own = network.fat_tree.emplace_back();
      own.down = static_cast<int>(level.get("down", "links below a switch").integer(1, most_ports));
      own.up = static_cast<int>(level.get("up", "links above what is below").integer(1, most_ports));
      if (const auto parallel = level.find("parallel"))
        own.parallel = static_cast<int>(parallel->integer(1, most_ports));
      level.finish();
    }
  table.finish();
  return network;
}

/// Those of another platform beside this file, which has its own.
auto codelets_of(const TomlValue& other, const std::filesystem::path& path, const Platform& platform) {
  const std::filesystem::path file = path.parent_path() / (other.text() + ".toml");
  std::error_code ignored;
  if (other.text() == platform.name || !std::filesystem::is_regular_file(file, ignored))
    other.refuse("another platform in the same folder");
  if (TomlFile(file).root().find("codelets_of")) other.refuse("a platform that has its own codelets");
  Platform read = read_platform(file);
  if (read.gpu_kinds.size() != platform.gpu_kinds.size())
    other.refuse(fmt::format("a platform with {} kinds of GPUs", read.gpu_kinds.size()),
                 fmt::format("one with {}", platform.gpu_kinds.size()));
  return std::move(read.codelets);
}

}  // namespace

int Network::most_nodes() const {
  if (fat_tree.empty()) return std::numeric_limits<int>::max();
  std::int64_t nodes = 1;
  for (const Level& level : fat_tree)
    nodes = std::min<std::int64_t>(nodes * level.down, std::numeric_limits<int>::max());
  return static_cast<int>(nodes);
}

int Platform::gpus() const {
  int sum = 0;
  for (const GpuKind& kind : gpu_kinds) sum += kind.count;
  return sum;
}

const Link* Platform::peer(int from, int to) const {
  return peers.empty() ? nullptr : &peers[static_cast<std::size_t>(from * gpus() + to)];
}

std::size_t Platform::kind_of_gpu(int gpu) const {
  std::size_t kind = 0;
  for (int first = 0; kind + 1 < gpu_kinds.size() && gpu >= first + gpu_kinds[kind].count; ++kind)
    first += gpu_kinds[kind].count;
  return kind;
}

const TaskCost* Platform::cost(const std::string& symbol, const std::string& codelet, UnitKind kind, int gpu,
                               std::int64_t number) const {
  auto named = number == 0 ? codelets.end() : codelets.find(fmt::format("{}/{}", codelet, number));
  if (named == codelets.end()) named = codelets.find(symbol);
  if (named == codelets.end()) named = codelets.find(codelet);
  const bool own = named != codelets.end();
  if (kind == UnitKind::cpu) return !own ? &cpu : named->second.cpu ? &*named->second.cpu : nullptr;
  if (gpu_kinds.empty() || (own && named->second.gpu.empty())) return nullptr;
  return own ? &named->second.gpu[kind_of_gpu(gpu)] : &gpu_kinds[kind_of_gpu(gpu)].rates;
}

Platform read_platform(const std::filesystem::path& path, const ExpectedCodelet& expected) {
  const TomlFile file(path);
  TomlTable root = file.root();
  Platform platform;
  platform.name = path.stem().string();
  platform.description = root.get("description", "what machine this is").text();

  TomlTable cpu = root.get("cpu", "a table with the CPU cores").table();
  platform.cores = static_cast<int>(cpu.get("cores", "their number").integer(1, most_cores));
  platform.cpu_model = read_model(cpu);
  platform.cpu = read_default(cpu.get("rates", "a table of rates of one core"));
  platform.cpu_watts = read_watts(cpu.find("watts"));
  cpu.finish();

  if (const auto value = root.find("gpu")) {
    for (const TomlValue& kind : value->one_or_more()) platform.gpu_kinds.push_back(read_gpu_kind(kind));
    if (platform.gpus() < 1 || platform.gpus() > most_gpus)
      value->refuse(fmt::format("{} GPUs", platform.gpus()), fmt::format("1 to {}", most_gpus));
    read_bus(root.get("bus", "a table with the links between main memory and GPUs"), platform);
  }

  if (const auto overheads = root.find("overheads")) platform.overheads = read_overheads(*overheads);
  if (const auto network = root.find("network")) platform.network = read_network(*network);
  if (const auto other = root.find("codelets_of")) platform.codelets = codelets_of(*other, path, platform);
  if (const auto codelets = root.find("codelets"))
    for (const auto& [name, value] : codelets->table().entries()) {
      if (const std::string other = expected ? expected(name) : ""; !other.empty())
        value.refuse(in_quotes(name), other);
      TomlTable codelet = value.table();
      Platform::Codelet& own = platform.codelets[name];
      own.cpu = read_cost(UnitKind::cpu, codelet.find("cpu"), platform.cpu);
      own.gpu = read_gpu_costs(codelet.find("gpu"), platform.gpu_kinds);
      if (!own.cpu && own.gpu.empty()) codelet.refuse("a codelet that runs nowhere", "at least one kind of unit");
      codelet.finish();
    }
  root.finish();
  platform.numbered = std::any_of(platform.codelets.begin(), platform.codelets.end(),
                                  [](const auto& codelet) { return codelet.first.find('/') != std::string::npos; });
  return platform;
}

std::filesystem::path find_platform(const std::string& asked_by, const std::string& wanted,
                                    const std::filesystem::path& program) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  if (wanted.ends_with(".toml")) {
    if (!fs::is_regular_file(wanted, ignored)) bad_input("{} {}: there is no such file", asked_by, wanted);
    return fs::absolute(wanted);
  }
  std::vector<fs::path> folders;
  if (const char* named = std::getenv("ASTERISM_PLATFORMS")) folders.emplace_back(named);
  // PREFIX/bin, PREFIX/libexec/asterism/simulated; a build tree is like an installation
  const fs::path folder = program.parent_path();
  folders.push_back(folder / "../share/asterism/machines");
  folders.push_back(folder / "../../../share/asterism/machines");
  std::set<std::string> known;
  for (const fs::path& place : folders) {
    const fs::path file = place / (wanted + ".toml");
    if (fs::is_regular_file(file, ignored)) return fs::canonical(file);
    for (const auto& entry : fs::directory_iterator(place, ignored))
      if (entry.path().extension() == ".toml") known.insert(entry.path().stem().string());
  }
  bad_input("{} {}: there is no such platform; expected a file that ends in .toml or one of: {}", asked_by, wanted,
            fmt::join(known, ", "));
}

}  // namespace asterism

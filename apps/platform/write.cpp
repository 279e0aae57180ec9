// SPDX-License-Identifier: Apache-2.0
#include "apps/platform/write.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "io/output_file.hpp"

namespace asterism::apps::platform {
namespace {

/// TOML wants a point or an exponent in floating-point numbers.
std::string number(double value) {
  std::string text = fmt::format("{:.7g}", value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return result + "\"";
}

std::string rates(const TaskCost& cost) {
  return fmt::format("{{ flops = {}, bytes = {}, seconds = {} }}", number(cost.flops), number(cost.bytes),
                     number(cost.seconds));
}

std::string link(const Link& l) {
  return fmt::format("{{ bandwidth = {}, latency = {} }}", number(l.bandwidth), number(l.latency));
}

void add_links(std::string& text, const char* key, const std::vector<Link>& links) {
  if (links.size() == 1) {
    text += fmt::format("{} = {}\n", key, link(links.front()));
    return;
  }
  text += fmt::format("{} = [\n", key);
  for (const Link& l : links) text += fmt::format("  {},\n", link(l));
  text += "]\n";
}

/// One link where all pairs of GPUs have the same.
void add_peers(std::string& text, const Platform& platform) {
  std::string rows;
  bool alike = true;
  const Link& first = *platform.peer(0, platform.gpus() > 1 ? 1 : 0);
  for (int from = 0; from < platform.gpus(); ++from) {
    rows += "  [";
    for (int to = 0; to < platform.gpus(); ++to) {
      const Link& own = *platform.peer(from, to);
      alike = alike && (from == to || (own.bandwidth == first.bandwidth && own.latency == first.latency));
      rows += (to > 0 ? ", " : "") + (from == to ? "{}" : link(own));
    }
    rows += "],\n";
  }
  text += alike ? fmt::format("peer = {}\n", link(first)) : fmt::format("peer = [\n{}]\n", rows);
}

std::string pairs(const std::vector<Sample>& samples) {
  std::string text;
  for (const Sample& s : samples)
    text += fmt::format("{}[{}, {}]", text.empty() ? "" : ", ", number(s.size), number(s.seconds));
  return "[" + text + "]";
}

/// How a cost differs from the default of its kind; empty: not at all.
std::string difference(const TaskCost& cost, const TaskCost& by_default) {
  std::vector<std::string> entries;
  if (cost.seconds != by_default.seconds) entries.push_back("seconds = " + number(cost.seconds));
  if (cost.flops != by_default.flops || cost.bytes != by_default.bytes) {
    if (std::isfinite(cost.flops)) entries.push_back("flops = " + number(cost.flops));
    if (std::isfinite(cost.bytes)) entries.push_back("bytes = " + number(cost.bytes));
  }
  if (std::isfinite(cost.together)) entries.push_back("together = " + number(cost.together));
  if (!cost.samples.empty()) {
    entries.push_back(fmt::format("by = \"{}\"", cost.sized_by == TaskCost::Size::flops ? "flops" : "bytes"));
    entries.push_back("samples = " + pairs(cost.samples));
  }
  if (!cost.at.empty()) {
    std::vector<std::string> at;
    for (const SamplesAtIntensity& s : cost.at)
      at.push_back(fmt::format("{{ intensity = {}, samples = {} }}", number(s.intensity), pairs(s.samples)));
    entries.push_back(fmt::format("at = [{}]", fmt::join(at, ", ")));
  }
  if (!cost.of_class.empty()) {
    std::string classes;
    for (const auto& [footprint, seconds] : cost.of_class)
      classes += fmt::format("{}[\"{:x}\", {}]", classes.empty() ? "" : ", ", footprint, number(seconds));
    entries.push_back(fmt::format("classes = [{}]", classes));
  }
  return entries.empty() ? "" : fmt::format("{{ {} }}", fmt::join(entries, ", "));
}

void add_cost(std::string& text, const std::optional<TaskCost>& cost, const TaskCost& by_default) {
  const std::string value = cost ? difference(*cost, by_default) : "\"none\"";
  if (!value.empty()) text += fmt::format("cpu = {}\n", value);
}

void add_cost(std::string& text, const std::vector<TaskCost>& costs, const std::vector<GpuKind>& kinds) {
  std::vector<std::string> values;
  for (std::size_t k = 0; k < costs.size(); ++k) values.push_back(difference(costs[k], kinds[k].rates));
  if (std::all_of(values.begin(), values.end(), [](const std::string& value) { return value.empty(); })) {
    if (costs.empty()) text += "gpu = \"none\"\n";
    return;
  }
  for (std::string& value : values)
    if (value.empty()) value = "{}";
  text += values.size() == 1 ? fmt::format("gpu = {}\n", values.front())
                             : fmt::format("gpu = [{}]\n", fmt::join(values, ", "));
}

std::string watts_line(const std::optional<Watts>& watts) {
  return watts ? fmt::format("watts = {{ idle = {}, busy = {} }}\n", number(watts->idle), number(watts->busy)) : "";
}

/// A table, or an array of tables where there are several kinds.
std::string gpu_table(const GpuKind& kind, bool only) {
  return fmt::format("\n{}\ncount = {}\n{}memory = {}\nrates = {}\n{}", only ? "[gpu]" : "[[gpu]]", kind.count,
                     kind.model.empty() ? "" : fmt::format("model = {}\n", quoted(kind.model)), number(kind.memory),
                     rates(kind.rates), watts_line(kind.watts));
}

}  // namespace

std::string to_toml(const Platform& platform, const std::vector<std::string>& remarks) {
  std::string text;
  for (const std::string& remark : remarks) text += "# " + remark + "\n";
  text += fmt::format("description = {}\n", quoted(platform.description));
  if (const Overheads& o = platform.overheads; o == Overheads{0, 0, 0})
    text += "overheads = false\n";
  else if (o != Overheads{})
    text += fmt::format("overheads = {{ launch = {}, copy = {}, datum = {} }}\n", number(o.launch), number(o.copy),
                        number(o.datum));
  text += fmt::format("\n[cpu]\ncores = {}\n", platform.cores);
  if (!platform.cpu_model.empty()) text += fmt::format("model = {}\n", quoted(platform.cpu_model));
  text += fmt::format("rates = {}\n{}", rates(platform.cpu), watts_line(platform.cpu_watts));
  for (const GpuKind& kind : platform.gpu_kinds) text += gpu_table(kind, platform.gpu_kinds.size() == 1);
  if (platform.gpus() > 0) {
    text += "\n[bus]\n";
    add_links(text, "to_gpu", platform.to_gpu);
    add_links(text, "from_gpu", platform.from_gpu);
    if (platform.shared) text += fmt::format("shared = {}\n", number(*platform.shared));
    if (!platform.peers.empty()) add_peers(text, platform);
    if (platform.in_turn) text += "in_turn = true\n";
  }
  for (const auto& [name, codelet] : platform.codelets) {
    std::string entries;
    add_cost(entries, codelet.cpu, platform.cpu);
    if (platform.gpus() > 0) add_cost(entries, codelet.gpu, platform.gpu_kinds);
    if (!entries.empty()) text += fmt::format("\n[codelets.{}]\n{}", quoted(name), entries);
  }
  return text;
}

void write_platform(const std::filesystem::path& file, const Platform& platform,
                    const std::vector<std::string>& remarks) {
  OutputFile out(file);
  out.write(to_toml(platform, remarks));
  out.commit();
}

}  // namespace asterism::apps::platform

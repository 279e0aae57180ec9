// SPDX-License-Identifier: Apache-2.0
#include "runtime/machine/platform_files.hpp"

#include <starpu_config.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>

#include "base/as_size.hpp"
#include "base/error.hpp"
#include "io/output_file.hpp"

namespace asterism {
namespace {

namespace fs = std::filesystem;

/// Between memories: 0 is main memory, 1 + i that of GPU i.
Link link_between(const Platform& p, int from, int to) {
  if (from == 0) return p.to_gpu[as_size(to - 1)];
  if (to == 0) return p.from_gpu[as_size(from - 1)];
  if (const Link* const peer = p.peer(from - 1, to - 1)) return *peer;
  const Link& up = p.from_gpu[as_size(from - 1)];
  const Link& down = p.to_gpu[as_size(to - 1)];
  return {1 / (1 / up.bandwidth + 1 / down.bandwidth), up.latency + down.latency};
}

/// A row for each memory it comes from, a column for each it goes to; StarPU wants STARPU_MAXNODES of both.
template <class Value>
std::string matrix(const Platform& p, Value value) {
  std::string text = "# to NUMA 0";
  for (int i = 0; i < p.gpus(); ++i) text += fmt::format("\tto CUDA {}", i);
  text += "\t\n";
  for (int from = 0; from < STARPU_MAXNODES; ++from) {
    for (int to = 0; to < STARPU_MAXNODES; ++to) {
      const bool exist = from <= p.gpus() && to <= p.gpus();
      const double shown = !exist       ? std::numeric_limits<double>::quiet_NaN()
                           : from == to ? 0
                                        : value(link_between(p, from, to));
      text += fmt::format("{}{:.9e}", to > 0 ? "\t" : "", shown);
    }
    text += '\n';
  }
  return text;
}

std::string config(const Platform& p) {
  std::string text = "# Current configuration\n";
  text += fmt::format("{} # Number of CPUs\n1 # Number of NUMA nodes\n{} # Number of CUDA nodes\n", p.cores, p.gpus());
  for (const char* kind : {"OpenCL", "FPGA", "Disk", "MPI_MS", "TCPIP_MS", "HIP"})
    text += fmt::format("0 # Number of {} nodes\n", kind);
  return text;
}

std::string affinity(const Platform& p) {
  std::string text = "# GPU\tNUMA0\t\n";
  for (int i = 0; i < p.gpus(); ++i) text += fmt::format("{}\t0\t\n", i);
  return text;
}

std::string in_xml(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    if (c == '&')
      safe += "&amp;";
    else if (c == '<')
      safe += "&lt;";
    else if (c == '"')
      safe += "&quot;";
    else
      safe += c;
  }
  return safe;
}

std::string xml_link(const std::string& id, const Link& link) {
  return fmt::format("   <link id=\"{}\" bandwidth=\"{:.3f}Bps\" latency=\"{:.9f}s\"/>\n", id, link.bandwidth,
                     link.latency);
}

constexpr const char* header =
    "<?xml version='1.0'?>\n"
    "<!DOCTYPE platform SYSTEM 'https://simgrid.org/simgrid.dtd'>\n"
    " <platform version=\"4.1\">\n"
    " <config id=\"General\">\n"
    "   <prop id=\"network/TCP-gamma\" value=\"-1\"></prop>\n"
    "   <prop id=\"network/latency-factor\" value=\"1\"></prop>\n"
    "   <prop id=\"network/bandwidth-factor\" value=\"1\"></prop>\n"
    "   <prop id=\"network/crosstraffic\" value=\"0\"></prop>\n"
    "   <prop id=\"network/weight-S\" value=\"0.0\"></prop>\n"
    " </config>\n";

/// Cores, GPUs and main memory of one machine; all names begin with `prefix`. Durations come from the performance
/// models: the hosts' speeds only convert.
std::string zone(const Platform& p, const std::string& id, const std::string& prefix) {
  std::string xml =
      fmt::format(" <zone id=\"{}\" routing=\"Full\">\n   <host id=\"{}MAIN\" speed=\"1f\"/>\n", id, prefix);
  for (int i = 0; i < p.cores; ++i) xml += fmt::format("   <host id=\"{}CPU{}\" speed=\"2000000000f\"/>\n", prefix, i);
  for (int i = 0; i < p.gpus(); ++i) {
    const GpuKind& gpu = p.gpu_kinds[p.kind_of_gpu(i)];
    xml += fmt::format(
        "   <host id=\"{}CUDA{}\" speed=\"2000000000f\">\n"
        "     <prop id=\"model\" value=\"{}\"/>\n"
        "     <prop id=\"memsize\" value=\"{:.0f}\"/>\n{}   </host>\n",
        prefix, i, in_xml(gpu.model.empty() ? p.name : gpu.model), std::floor(gpu.memory),
        p.peers.empty() ? "" : "     <prop id=\"memcpy_peer\" value=\"1\"/>\n");
  }
  xml += fmt::format("   <host id=\"{}RAM\" speed=\"1f\"/>\n", prefix);
  const std::string interconnect = prefix + "Interconnect";
  if (p.shared) xml += xml_link(interconnect, {*p.shared, 0});
  const auto route = [&](const std::string& from, const std::string& to, bool shared) {
    return fmt::format(
        "   <route src=\"{2}{0}\" dst=\"{2}{1}\" symmetrical=\"NO\"><link_ctn id=\"{2}{0}-{1}\"/>{3}</route>\n", from,
        to, prefix, shared ? fmt::format("<link_ctn id=\"{}\"/>", interconnect) : "");
  };
  for (int i = 0; i < p.gpus(); ++i) {
    const std::string gpu = fmt::format("CUDA{}", i);
    xml +=
        xml_link(prefix + "RAM-" + gpu, p.to_gpu[as_size(i)]) + xml_link(prefix + gpu + "-RAM", p.from_gpu[as_size(i)]);
    for (int j = 0; j < p.gpus() && !p.peers.empty(); ++j)
      if (j != i) xml += xml_link(fmt::format("{}{}-CUDA{}", prefix, gpu, j), *p.peer(i, j));
  }
  for (int i = 0; i < p.gpus(); ++i) {
    const std::string gpu = fmt::format("CUDA{}", i);
    xml += route("RAM", gpu, p.shared.has_value()) + route(gpu, "RAM", p.shared.has_value());
    for (int j = 0; j < p.gpus() && !p.peers.empty(); ++j)
      if (j != i) xml += route(gpu, fmt::format("CUDA{}", j), false);
  }
  return xml + " </zone>\n";
}

std::string simgrid(const Platform& p) {
  return header + zone(p, "AS0", "") + " </platform>\n";
}

/// Down, up and parallel links of each level, as SimGrid counts them: "2;16,4;1,8;1,1".
std::string topology(const std::vector<Network::Level>& levels) {
  const auto each = [&](int Network::Level::*count) {
    std::string text;
    for (const Network::Level& level : levels) text += fmt::format("{}{}", text.empty() ? "" : ",", level.*count);
    return text;
  };
  return fmt::format(" topology=\"FAT_TREE\" topo_parameters=\"{};{};{};{}\"", levels.size(),
                     each(&Network::Level::down), each(&Network::Level::up), each(&Network::Level::parallel));
}

/// A host of the network for each rank's program and messages, and a machine for its tasks (StarPU looks for zones of
/// this name). A message passes the links of both its ends, so that each has half of the latency; links are full
/// duplex.
std::string simgrid(const Platform& p, int nodes) {
  const Network& network = *p.network;
  const int hosts = network.fat_tree.empty() ? nodes : network.most_nodes();
  std::string xml = std::string(header) + " <zone id=\"cluster\" routing=\"None\">\n";
  xml += fmt::format(
      "  <cluster id=\"network\" prefix=\"node\" suffix=\"\" radical=\"0-{}\" speed=\"1f\" bw=\"{:.3f}Bps\" "
      "lat=\"{:.9f}s\" sharing_policy=\"SPLITDUPLEX\"{}/>\n",
      hosts - 1, network.link.bandwidth, network.link.latency / 2,
      network.fat_tree.empty() ? "" : topology(network.fat_tree));
  for (int node = 0; node < nodes; ++node) {
    const std::string id = fmt::format("StarPU-MPI{}", node);
    xml += zone(p, id, id + "-");
  }
  return xml + " </zone>\n </platform>\n";
}

std::string host_file(int nodes) {
  std::string text;
  for (int node = 0; node < nodes; ++node) text += fmt::format("node{}\n", node);
  return text;
}

void write(const fs::path& path, const std::string& text) {
  OutputFile file(path);
  file.write(text);
  file.commit();
}

void set_unless_given(const char* name, const std::string& value) {
  setenv(name, value.c_str(), 0);
}

}  // namespace

void write_platform_files(const Platform& p, const fs::path& folder) {
  const fs::path bus = folder / "bus";
  fs::create_directories(bus);
  const auto file = [&](const char* what) { return bus / (p.name + "." + what); };
  write(file("config"), config(p));
  write(file("affinity"), affinity(p));
  write(file("bandwidth"), matrix(p, [](const Link& link) { return link.bandwidth * 1e-6; }));  // in MB/s
  write(file("latency"), matrix(p, [](const Link& link) { return link.latency * 1e6; }));       // in microseconds
  write(file("platform.v4.xml"), simgrid(p));
}

PlatformFiles::PlatformFiles(const Platform& platform)
    : name_(platform.name), overheads_(platform.overheads), in_turn_(platform.in_turn) {
  if (platform.cores > STARPU_MAXCPUS)
    bad_input("{}: found {} cores; this StarPU was built for at most {}", platform.name, platform.cores,
              STARPU_MAXCPUS);
  if (platform.gpus() > STARPU_MAXCUDADEVS)
    bad_input("{}: found {} GPUs; this StarPU was built for at most {}", platform.name, platform.gpus(),
              STARPU_MAXCUDADEVS);
  std::string pattern = (fs::temp_directory_path() / "asterism-platform-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) failed("{}: the folder cannot be made: {}", pattern, std::strerror(errno));
  folder_ = pattern;
  write_platform_files(platform, folder_);
}

PlatformFiles::PlatformFiles(const Platform& platform, int nodes) : PlatformFiles(platform) {
  if (!platform.network) bad_input("--nodes {}: {} has no [network]", nodes, platform.name);
  if (nodes > platform.network->most_nodes())
    bad_input("--nodes {}: the network of {} has room for {}", nodes, platform.name, platform.network->most_nodes());
  write(folder_ / "cluster.xml", simgrid(platform, nodes));
  write(folder_ / "hosts", host_file(nodes));
}

PlatformFiles::~PlatformFiles() {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

void PlatformFiles::use() const {
  setenv("STARPU_HOSTNAME", name_.c_str(), 1);
  setenv("STARPU_PERF_MODEL_DIR", folder_.c_str(), 1);
  setenv("STARPU_WORKERS_NOBIND", "1", 1);  // the cores are not those of this machine
  set_unless_given("STARPU_SIMGRID_CUDA_MALLOC_COST", "0");
  // scripts/starpu-patches/simgrid/copies-in-turn.patch
  if (in_turn_) set_unless_given("STARPU_SIMGRID_COPIES_IN_TURN", "1");
  if (overheads_ == Overheads{}) return;
  // in nanoseconds, of which 1 would be StarPU's own value (scripts/starpu-patches/simgrid/overheads.patch)
  const auto set = [](const char* variable, double seconds) {
    const long nanoseconds = std::lround(seconds * 1e9);
    set_unless_given(variable, std::to_string(nanoseconds == 1 ? 0 : nanoseconds).c_str());
  };
  // who says what queueing costs means copies, too
  if (std::getenv("STARPU_SIMGRID_CUDA_QUEUE_COST") == nullptr) set("STARPU_SIMGRID_COPY_QUEUE_COST", overheads_.copy);
  set("STARPU_SIMGRID_FETCHING_INPUT_COST", overheads_.datum);
  set("STARPU_SIMGRID_CUDA_QUEUE_COST", overheads_.launch);
}

}  // namespace asterism

// SPDX-License-Identifier: Apache-2.0
// Task graphs whose makespan can be told by hand, on the machine of --simulate; prints it in seconds. Run with StarPU's
// own overheads switched off.
//
//   known_times chain N FLOPS UNIT       N tasks one after the other on worker UNIT
//   known_times free N FLOPS             N tasks that wait for nothing
//   known_times roofline N BYTES UNIT    N tasks that read and write BYTES, one after the other
//   known_times measured N FLOPS         as chain, of a codelet whose durations were measured; runs on cores only
//   known_times send FROM TO BYTES       data from a memory to another: 0 is main memory, 1 + g that of GPU g
//   known_times send FROM TO FROM TO ... BYTES   several at once, each of BYTES
#include <starpu.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "apps/common/program.hpp"
#include "runtime/clock.hpp"
#include "runtime/codelet.hpp"
#include "runtime/handle.hpp"
#include "runtime/memory/host_memory.hpp"
#include "runtime/session.hpp"
#include "runtime/submit.hpp"
#include "runtime/without_cuda.hpp"

namespace {

using namespace asterism;

void nothing(void** /*buffers*/, void* /*arguments*/) {}

Codelet& known(const char* symbol) {
  static Codelet codelet({.name = symbol, .variant = "", .cpu = nothing, .cuda = without_cuda});
  return codelet;
}

struct Graph {
  int tasks = 0;
  double flops = 0;
  std::size_t bytes = 0;
  int unit = -1;
  bool dependent = true;
};

double makespan(const char* symbol, const Graph& graph) {
  HostBuffer<char> memory(std::max<std::size_t>(graph.bytes, 1));
  const Handle datum = Handle::temporary(memory.data(), memory.size(), 1, "datum");
  const auto begin = Clock::now();
  std::vector<Access> accesses;
  if (graph.bytes > 0) accesses.push_back({datum, STARPU_RW});
  const Handle order = Handle::temporary(memory.data(), 1, 1, "order");
  if (graph.bytes == 0 && graph.dependent) accesses.push_back({order, STARPU_RW});
  for (int t = 0; t < graph.tasks; ++t)
    submit(known(symbol), 0, std::span<const Access>(accesses), {0, graph.flops, graph.unit});
  starpu_task_wait_for_all();
  return seconds_since(begin);
}

/// From where to where, alternately.
double transfers(const std::vector<int>& memories, std::size_t bytes) {
  const std::size_t count = memories.size() / 2;
  HostBuffer<char> memory(bytes * count);
  std::vector<Handle> data;
  const auto bring = [&](std::size_t i, int node) {
    starpu_data_acquire_on_node(data[i], node, STARPU_RW);
    starpu_data_release_on_node(data[i], node);
  };
  for (std::size_t i = 0; i < count; ++i) {
    data.push_back(Handle::temporary(memory.data() + i * bytes, bytes, 1, "datum"));
    bring(i, memories[2 * i]);
  }
  const auto begin = Clock::now();
  for (std::size_t i = 0; i < count && count > 1; ++i)
    starpu_data_prefetch_on_node(data[i], static_cast<unsigned>(memories[2 * i + 1]), 1);
  for (std::size_t i = 0; i < count; ++i) bring(i, memories[2 * i + 1]);
  return seconds_since(begin);
}

int run(int argc, char** argv) {
  std::vector<std::string> words;
  for (int i = 1; i < argc; ++i) {
    if (std::string(argv[i]) == "--simulate")
      ++i;
    else
      words.emplace_back(argv[i]);
  }
  if (words.size() < 3) return 2;
  const Session session({});
  const std::string& what = words[0];
  const int count = std::atoi(words[1].c_str());
  const double size = std::atof(words[2].c_str());
  const int unit = words.size() > 3 ? std::atoi(words[3].c_str()) : -1;
  double seconds = -1;
  if (what == "chain") seconds = makespan("known_chain", {count, size, 0, unit, true});
  if (what == "free") seconds = makespan("known_free", {count, size, 0, -1, false});
  if (what == "crowd") seconds = makespan("known_crowd", {count, size, 0, -1, false});
  if (what == "roofline") seconds = makespan("known_roofline", {count, 0, static_cast<std::size_t>(size), unit, true});
  if (what == "measured") seconds = makespan("known_measured", {count, size, 0, -1, true});
  if (what == "send") {
    std::vector<int> memories;
    for (std::size_t w = 1; w + 1 < words.size(); ++w) memories.push_back(std::stoi(words[w]));
    seconds = transfers(memories, std::stoul(words.back()));
  }
  std::printf("%.12e\n", seconds);
  return seconds < 0 ? 2 : 0;
}

}  // namespace

extern "C" int main(int argc, char** argv) {
  return apps::run("known_times", [&] { return run(argc, argv); });
}

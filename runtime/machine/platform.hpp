// SPDX-License-Identifier: Apache-2.0
// A machine to simulate: its units, what they are connected by, and how long they take for tasks. Read from a TOML file
// (experiments/machines/README.md describes the keys).
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "runtime/machine/task_cost.hpp"

namespace asterism {

/// A connection in one direction: a transfer takes latency + bytes / bandwidth.
struct Link {
  double bandwidth = 0;  ///< bytes per second
  double latency = 0;    ///< seconds
};

enum class UnitKind { cpu, gpu };

/// What several such machines are connected by. A level of a fat tree has switches with `down` links below and `up`
/// above, `parallel` of each; the lowest level's are to the machines. No levels: one switch that never blocks.
struct Network {
  struct Level {
    int down = 1;
    int up = 1;
    int parallel = 1;
  };
  Link link;  ///< of a machine and between switches, each way
  std::vector<Level> fat_tree;
  /// Machines that it has room for.
  [[nodiscard]] int most_nodes() const;
};

/// What one unit draws: watts while it runs a task, and otherwise.
struct Watts {
  double idle = 0;
  double busy = 0;
};

/// GPUs that are alike.
struct GpuKind {
  int count = 0;
  std::string model;
  double memory = 0;  ///< bytes of each
  TaskCost rates;     ///< of one, codelets that Platform::codelets does not name
  std::optional<Watts> watts{};
};

/// What StarPU needs for a task on a GPU beside its duration, which counts from the launch (or from the end of the task
/// before) and holds it: in seconds. While a GPU computes they pass unnoticed; where tasks wait for each other they
/// count. By default what StarPU's simulator assumes.
struct Overheads {
  double launch = 1e-5;  ///< of each task
  double copy = 1e-5;    ///< of each copy to or from a GPU, beside the link's latency
  double datum = 1e-6;   ///< of each datum of a task, on cores too
  bool operator==(const Overheads&) const = default;
};

struct Platform {
  std::string name;  ///< of the file, without folder and ending
  std::string description;

  int cores = 0;
  std::string cpu_model;
  std::optional<Watts> cpu_watts;  ///< of a core
  std::vector<GpuKind> gpu_kinds;  ///< GPUs are numbered in this order; none: there are no GPUs

  std::vector<Link> to_gpu;        ///< from main memory, by GPU
  std::vector<Link> from_gpu;      ///< to main memory, by GPU
  std::optional<double> shared;    ///< bytes per second that all transfers from and to main memory have together
  std::vector<Link> peers;         ///< from GPU i to GPU j: [i * gpus() + j]; empty: by way of main memory
  bool in_turn = false;            ///< a GPU sends one copy at a time, and receives one at a time
  std::optional<Network> network;  ///< between several such machines; none: there is only one

  Overheads overheads;  ///< of GPUs, beside the durations of tasks

  /// How a codelet runs on the kinds of units; nothing: it does not run there.
  struct Codelet {
    std::optional<TaskCost> cpu;
    std::vector<TaskCost> gpu;  ///< by kind of GPU
  };
  TaskCost cpu;  ///< one core, codelets that `codelets` does not name
  /// By the symbol of the performance model, or by name; with those of another platform that the file names.
  /// NAME/NUMBER: tasks with this CodeletSpec::number.
  std::map<std::string, Codelet, std::less<>> codelets;
  bool numbered = false;  ///< there are codelets with numbers

  [[nodiscard]] int gpus() const;
  /// Between two GPUs; null: by way of main memory.
  [[nodiscard]] const Link* peer(int from, int to) const;
  /// Index in `gpu_kinds`.
  [[nodiscard]] std::size_t kind_of_gpu(int gpu) const;
  /// The cost of tasks of a codelet: by name and number (if not 0), else by symbol, else by name, else the default.
  /// Null: it does not run there. `gpu`: the one with this number.
  [[nodiscard]] const TaskCost* cost(const std::string& symbol, const std::string& codelet, UnitKind kind, int gpu = 0,
                                     std::int64_t number = 0) const;
};

/// What is expected in place of a codelet's name; empty: nothing, there is such a codelet.
using ExpectedCodelet = std::function<std::string(const std::string&)>;

/// Throws Error (bad_input): file, line and key, what was found and what was expected. Unknown keys are refused, and
/// names of codelets that `expected` (if given) has another one for.
Platform read_platform(const std::filesystem::path& file, const ExpectedCodelet& expected = {});

/// The file of a platform: `wanted` itself when it ends in .toml, else NAME.toml in ASTERISM_PLATFORMS, in the source
/// tree or installation that the program at `program` belongs to. Throws Error (bad_input) when there is none, naming
/// the option or command `asked_by` whose value it is.
std::filesystem::path find_platform(const std::string& asked_by, const std::string& wanted,
                                    const std::filesystem::path& program);

}  // namespace asterism

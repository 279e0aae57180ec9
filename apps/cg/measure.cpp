// SPDX-License-Identifier: Apache-2.0
#include "apps/cg/measure.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "apps/common/program.hpp"
#include "codelets/cg/kernels/costs.hpp"
#include "runtime/clock.hpp"
#include "runtime/ranks/ranks.hpp"

namespace asterism::apps::cg {

using namespace asterism::cg;

std::vector<double> block_shares(const Arguments& args, const Session& session, const Bandwidth& bandwidth,
                                 int blocks) {
  std::vector<double> shares(static_cast<std::size_t>(blocks), 1.0);
  if (args.units != "all") return shares;
  // on each rank cyclic deals block-row i to unit i mod P, GPUs first; an iteration is bound by memory bandwidth
  struct Units {
    int gpus, cpus;
    double of_gpu, of_core;
  };
  const std::vector<Units> of_ranks = rank_group().all_gather(
      Units{session.gpus(), session.cpus(), bandwidth.gpu_read, bandwidth.cpu_read / std::max(1, session.cpus())});
  Partition dealt{std::vector<std::int64_t>(static_cast<std::size_t>(blocks) + 1), {}};
  deal(dealt, rank_group().ranks());
  for (int i = 0; i < blocks; ++i) {
    const Units& units = of_ranks[static_cast<std::size_t>(dealt.owner(i))];
    shares[static_cast<std::size_t>(i)] = i % (units.gpus + units.cpus) < units.gpus ? units.of_gpu : units.of_core;
  }
  return shares;
}

Solved solve_once(const Session& session, const CsrMatrix& a, std::span<const double> b, const Options& options,
                  std::span<const double> shares, const std::function<void(const Progress&)>& progress,
                  const Hierarchy* hierarchy) {
  return solve_once(session, a, b, options, partition_rows(a, shares, options.balance, uncut_rows(options)), progress,
                    {}, {}, hierarchy);
}

Solved solve_once(const Session& session, const CsrMatrix& a, std::span<const double> b, const Options& options,
                  const Partition& partition, const std::function<void(const Progress&)>& progress,
                  const Checkpoints& checkpoints, const std::function<void()>& assembled, const Hierarchy* hierarchy) {
  Solved solved;
  solved.options = options;
  const auto begin = Clock::now();
  System system(session, a, b, {}, options, partition, hierarchy);
  solved.assembly_seconds = seconds_since(begin);
  solved.preconditioner_seconds = system.preconditioner_seconds;
  if (assembled) assembled();
  for (const double entries : rank_group().all_gather(system.stored_entries())) solved.stored_entries += entries;
  solved.nonzeros = system.nonzeros();
  solved.bytes_exchanged = system.p.bytes_exchanged();
  for (int i = 0; i < system.blocks(); ++i) solved.rows.push_back(system.partition.rows(i));
  solved.result = solve(system, b, a.name, progress, checkpoints);
  solved.x = Array<double>(b.size());
  std::memcpy(solved.x.data(), system.x.memory.data(), b.size() * sizeof(double));
  return solved;
}

void calibrate(const Arguments& args, const SessionOptions& machine, const CsrMatrix& a, std::span<const double> b,
               Options options, std::span<const double> shares, const Hierarchy* hierarchy) {
  const Session session(calibration(machine, args.common.trace));
  // StarPU's schedulers trust a duration after ten samples; the class that runs once per iteration needs as many on
  // each kind
  constexpr int samples = 10;
  const int kinds = (session.cpus() > 0 ? 1 : 0) + session.gpus();  // StarPU keeps a model for each GPU
  options.max_iterations = samples * kinds + 1;
  options.tolerance = 0;
  options.task = TaskSize::operation;  // the durations that machines to simulate are made of
  ProgressLine line(!args.common.quiet);
  solve_once(
      session, a, b, options, shares,
      [&](const Progress& p) {
        line.show(static_cast<double>(p.iteration) / static_cast<double>(p.max_iterations), "calibrating");
      },
      hierarchy);
}

double seconds_per_iteration(const SolveResult& result) {
  // a few windows may be dominated by submission running ahead of execution
  constexpr std::size_t enough = 4;
  if (result.seconds_per_iteration.size() >= enough) return median(result.seconds_per_iteration);
  return result.iterations > 0 ? result.seconds / static_cast<double>(result.iterations) : 0;
}

Efficiency measure_efficiency(const Arguments& args, const CsrMatrix& a, std::span<const double> b,
                              const Solved& solved, UnitsOf kind, int units, const Hierarchy* hierarchy) {
  Efficiency e;
  e.blocks = solved.options.blocks;
  e.units = units;
  e.tb_p = seconds_per_iteration(solved.result);
  for (const bool split : {false, true}) {
    SessionOptions one = args.common.session;
    one.trace.reset();
    one.gpus = kind == UnitsOf::gpus ? 1 : 0;
    if (kind == UnitsOf::cpus) one.cpus = 1;
    const Session session(one);
    Options options = solved.options;
    options.blocks = split ? e.blocks : 1;
    if (options.task != TaskSize::operation) choose_task(options, session, false);
    const std::vector<double> shares(static_cast<std::size_t>(options.blocks), 1.0);
    const Solved single = solve_once(session, a, b, options, shares, {}, hierarchy);
    (split ? e.tb_1 : e.t1_1) = seconds_per_iteration(single.result);
  }
  return e;
}

double sum_over_ranks(double value) {
  const std::vector<double> all = rank_group().all_gather(value);
  return std::accumulate(all.begin(), all.end(), 0.0);
}

nlohmann::json performance(const Solved& solved, std::int64_t rows, const Session& session, const Bandwidth& bandwidth,
                           int units) {
  const Iteration kind = solved.options.flow == Flow::fused       ? Iteration::fused
                         : solved.options.flow == Flow::pipelined ? Iteration::pipelined
                                                                  : Iteration::separate;
  const double nnz = solved.nonzeros;
  const auto n = static_cast<double>(rows);
  const double bytes = iteration_bytes(kind, nnz, n, solved.options.preconditioner_block);
  const double fused_bytes = iteration_bytes(Iteration::fused, nnz, n, solved.options.preconditioner_block);
  const double flops = iteration_flops(kind, nnz, n, solved.options.preconditioner_block);
  const double seconds = seconds_per_iteration(solved.result);
  // what the units that work can move: the GPUs, or the CPUs, or both
  const bool on_gpus = session.gpus() > 0 && units <= session.gpus();
  const double ceiling =
      on_gpus ? bandwidth.gpu_copy * units : bandwidth.gpu_copy * session.gpus() + bandwidth.cpu_read;
  nlohmann::json json;
  json["ms_per_iteration"] = seconds * 1e3;
  std::vector<double> windows;
  for (const double s : solved.result.seconds_per_iteration) windows.push_back(s * 1e3);
  json["ms_per_iteration_windows"] = windows;
  json["gflops"] = seconds > 0 ? flops / seconds * 1e-9 : 0;
  json["flops_per_iteration"] = flops;
  json["bytes_per_iteration"] = bytes;
  json["gbytes_per_second"] = seconds > 0 ? bytes / seconds * 1e-9 : 0;
  json["bandwidth"] = {{"cpu_read", bandwidth.cpu_read},
                       {"cpu_copy", bandwidth.cpu_copy},
                       {"gpu_read", bandwidth.gpu_read},
                       {"gpu_copy", bandwidth.gpu_copy}};
  // the bytes of a fused iteration over the bandwidth of the units: the same bound for every flow
  json["bound_ms"] = ceiling > 0 ? fused_bytes / ceiling * 1e3 : 0;
  json["ratio_to_bound"] = ceiling > 0 ? seconds / (fused_bytes / ceiling) : 0;
  return json;
}

}  // namespace asterism::apps::cg

// SPDX-License-Identifier: Apache-2.0
// The experiments of the paper's Tables 2 to 5 on the GPUs of this machine, in one process per matrix:
//   bench_cg_tables OUT.json [--repeats R] [--iterations K] [--gpus 1,2,4] [--packed-only]
//                   (--stencil NAME | --mesh FILE)
// For each number of GPUs, decomposition and transfer mode: time per iteration, interleaved and repeated, and
// Definitions 1 to 5. As many block-rows as GPUs, as in the paper. Transfers are direct, GPU-GPU, or with
// STARPU_ENABLE_CUDA_GPU_GPU_DIRECT=0 through main memory, GPU-CPU-GPU.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "apps/cg/arguments.hpp"
#include "apps/cg/measure.hpp"
#include "apps/common/program.hpp"
#include "base/error.hpp"
#include "codelets/cg/kernels/costs.hpp"
#include "taskflows/cg/cases.hpp"

namespace {

using namespace asterism;
using namespace asterism::apps;
using namespace asterism::cg;

struct Case {
  int gpus;
  int blocks;
  Decomposition decomposition;
  Transfer transfer;
  Flow flow = Flow::fused;
  TaskSize task = TaskSize::operation;
  std::vector<double> ms = {};

  [[nodiscard]] std::string label() const {
    return fmt::format("{} GPU(s), {} block(s), {} {} {} {}", gpus, blocks, asterism::cg::name_of(decomposition),
                       asterism::cg::name_of(transfer), asterism::cg::name_of(flow), asterism::cg::name_of(task));
  }
};

/// One GPU, each number of them in every decomposition and transfer mode, one GPU with as many blocks, other flows.
std::vector<Case> cases_of(const std::vector<int>& gpu_counts) {
  const int most = *std::max_element(gpu_counts.begin(), gpu_counts.end());
  std::vector<Case> cases{{1, 1, Decomposition::one_d, Transfer::full}};
  for (const int gpus : gpu_counts)
    for (const auto decomposition : {Decomposition::one_d, Decomposition::two_d})
      for (const auto transfer : {Transfer::full, Transfer::packed})
        if (gpus > 1) cases.push_back({gpus, gpus, decomposition, transfer});
  for (const auto decomposition : {Decomposition::one_d, Decomposition::two_d})  // T_b(1)
    for (const auto transfer : {Transfer::full, Transfer::packed}) cases.push_back({1, most, decomposition, transfer});
  cases.push_back({most, most, Decomposition::one_d, Transfer::packed, Flow::pipelined});
  cases.push_back({most, most, Decomposition::one_d, Transfer::packed, Flow::refined});
  // the defaults: whole iterations in a task
  cases.push_back({1, 1, Decomposition::one_d, Transfer::full, Flow::fused, TaskSize::graph});
  for (const int gpus : gpu_counts)
    if (gpus > 1) cases.push_back({gpus, gpus, Decomposition::one_d, Transfer::packed, Flow::fused, TaskSize::graph});
  return cases;
}

/// What has been measured so far, with Definitions 1 to 5.
nlohmann::json records_of(const std::vector<Case>& cases) {
  nlohmann::json records = nlohmann::json::array();
  for (const Case& done : cases) {
    if (done.ms.empty()) continue;
    const double t1 = median(std::ranges::find_if(cases, [&](const Case& of) { return of.task == done.task; })->ms);
    nlohmann::json entry{{"gpus", done.gpus},
                         {"blocks", done.blocks},
                         {"decomposition", asterism::cg::name_of(done.decomposition)},
                         {"transfer", asterism::cg::name_of(done.transfer)},
                         {"flow", asterism::cg::name_of(done.flow)},
                         {"task", asterism::cg::name_of(done.task)},
                         {"ms_per_iteration", done.ms},
                         {"median_ms", median(done.ms)},
                         {"S", t1 / median(done.ms)},
                         {"e", t1 / median(done.ms) / done.gpus}};
    // e = e_granularity x e_pipeline, with T_b(1) of the same decomposition and transfer
    for (const Case& split : cases)
      if (split.gpus == 1 && split.blocks == done.blocks && done.gpus > 1 && !split.ms.empty() &&
          split.decomposition == done.decomposition && split.transfer == done.transfer && split.flow == done.flow &&
          split.task == done.task) {
        entry["e_granularity"] = t1 / median(split.ms);
        entry["e_pipeline"] = median(split.ms) / (median(done.ms) * done.gpus);
      }
    records.push_back(entry);
  }
  return records;
}

int tables(int argc, char** argv) {
  CLI::App app("The paper's tables on this machine", "bench_cg_tables");
  std::string out;
  int repeats = 3;
  int iterations = 100;
  std::vector<int> gpu_counts{1, 2, 4};
  apps::cg::Arguments args;
  app.add_option("out", out)->required();
  app.add_option("--repeats", repeats);
  app.add_option("--iterations", iterations);
  app.add_option("--gpus", gpu_counts)->delimiter(',');
  bool packed_only = false;
  app.add_flag("--packed-only", packed_only,
               "1D packed alone, of the fused flow: by operations and by whole iterations");
  app.add_option("--stencil", args.problem.stencil);
  app.add_option("--mesh", args.problem.mesh);
  if (const auto status = parse(app, argc, argv)) return *status;
  args.common.session.scheduler = "cyclic";
  args.common.session.cpus = 0;
  args.options.tolerance = 0;
  args.options.max_iterations = iterations;
  apply_flow_defaults(args.options);

  const MatrixSource matrix = open_matrix(args.problem);
  const CsrMatrix a = matrix.rows(0, matrix.counts.n);
  const Array<double> b(static_cast<std::size_t>(a.n), 1.0);
  fmt::print(stderr, "{}: {} rows, {} non-zeros\n", a.name, a.n, a.nnz());
  std::vector<Case> cases = cases_of(gpu_counts);
  if (packed_only)
    std::erase_if(cases, [](const Case& c) {
      return c.flow != Flow::fused ||
             (c.blocks > 1 && (c.transfer == Transfer::full || c.decomposition == Decomposition::two_d));
    });

  nlohmann::json record;
  double reference = 0;  // the residual all cases must end with
  for (int repeat = 0; repeat < repeats; ++repeat)
    for (Case& c : cases) {
      SessionOptions units = args.common.session;
      units.gpus = c.gpus;
      const Session session(units);
      if (record.empty()) {
        record = record_header("bench_cg_tables", argc, argv, session);
        const Bandwidth bandwidth = measure_bandwidth();
        record["bandwidth"] = {{"gpu_copy", bandwidth.gpu_copy}, {"gpu_read", bandwidth.gpu_read}};
        record["matrix"] = {{"name", a.name}, {"rows", a.n}, {"nonzeros", a.nnz()}};
        const char* direct = std::getenv("STARPU_ENABLE_CUDA_GPU_GPU_DIRECT");
        record["transfers"] = direct != nullptr && std::string(direct) == "0" ? "GPU-CPU-GPU" : "GPU-GPU";
        record["iterations"] = iterations;
        record["bytes_per_iteration"] =
            iteration_bytes(Iteration::fused, static_cast<double>(a.nnz()), static_cast<double>(a.n));
      }
      Options options = args.options;
      options.flow = c.flow;
      apply_flow_defaults(options);
      options.blocks = c.blocks;
      options.decomposition = c.decomposition;
      options.transfer = c.transfer;
      options.column_order = ColumnOrder::local_first;
      options.task = c.task;
      if (c.task != TaskSize::operation && !why_no_team(options, session).empty()) continue;
      const std::vector<double> shares(static_cast<std::size_t>(c.blocks), 1.0);
      const apps::cg::Solved run = apps::cg::solve_once(session, a, b, options, shares, {});
      // The residual of the recurrence must be the true one; 1D iterates are moreover the same for any number of
      // blocks. With another order of summation an ill-conditioned system goes another way after some dozens of
      // iterations.
      const double residual = run.result.true_residual;
      if (c.decomposition == Decomposition::one_d && c.flow == Flow::fused) {
        if (reference == 0) reference = residual;
        if (residual != reference) failed("{}: residual {:.17e}, expected {:.17e}", c.label(), residual, reference);
      }
      if (!(std::abs(residual - run.result.recurrence_residual) <= 1e-3 * residual))
        failed("{}: residual {:.6e}, the recurrence says {:.6e}", c.label(), residual, run.result.recurrence_residual);
      c.ms.push_back(apps::cg::seconds_per_iteration(run.result) * 1e3);
      fmt::print(stderr, "{:<55} {:9.4f} ms (assembly {:.1f} s)\n", c.label(), c.ms.back(), run.assembly_seconds);
      record["cases"] = records_of(cases);
      write_json(out, record);
    }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return asterism::apps::run("bench_cg_tables", [&] { return tables(argc, argv); });
}

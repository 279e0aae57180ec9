// SPDX-License-Identifier: Apache-2.0
#include "apps/cg/arguments.hpp"

#include <algorithm>
#include <map>
#include <vector>

#include "apps/common/options.hpp"
#include "apps/common/program.hpp"
#include "apps/common/simulate.hpp"
#include "apps/common/solver_options.hpp"
#include "base/error.hpp"
#include "io/series/vtu_file.hpp"
#include "runtime/machine/platform.hpp"
#include "runtime/machine/simulated_machine.hpp"
#include "runtime/ranks/ranks.hpp"
#include "taskflows/cg/checkpoint.hpp"

namespace asterism::apps::cg {

using namespace asterism::cg;
using asterism::cg::name_of;

namespace {

/// A simulated run computes no residual that could end it, and does this many iterations: enough for a steady state,
/// done in seconds.
constexpr int simulated_iterations = 100;

/// The group "System".
void add_system_options(CLI::App& app, Arguments& args) {
  CLI::Option_group* system = app.add_option_group("System");
  auto* matrix =
      system->add_option("--matrix", args.problem.matrix,
                         "Matrix Market file, .mtx or .mtx.gz (coordinate, real, symmetric or general), or .npz of\n"
                         "scipy.sparse.save_npz (csr, csc, coo, bsr)");
  auto* stencil =
      system->add_option("--stencil", args.problem.stencil,
                         "Generated: 5pts-N (2D), 7pts-N, 11pts-N (3D), or with a size per axis: 11pts-64x48x32");
  auto* mesh = system->add_option("--mesh", args.problem.mesh,
                                  "Linear elasticity on the tetrahedra of a gmsh file (MSH 2.2 or 4.1, .gz)");
  auto* model = system->add_option(
      "--model", args.problem.model,
      "Structural analysis: a TOML file that names mesh, materials, supports and loads (docs/methods/cg.md)");
  matrix->excludes(stencil)->excludes(mesh)->excludes(model);
  stencil->excludes(mesh)->excludes(model);
  mesh->excludes(model);
  system->require_option(1, 3);
  add_choice(system, "--element", args.problem.element, "Elements of --mesh", {Element::p1, Element::p2})
      ->default_str("p2")
      ->excludes(model);
  add_choice(system, "--numbering", args.problem.numbering,
             "Nodes of --mesh: as in the file, or by reverse Cuthill-McKee", {Numbering::mesh, Numbering::rcm})
      ->default_str("rcm")
      ->needs(mesh);
  system
      ->add_option(
          "--rhs", args.problem.rhs,
          "Right-hand side: ones, known (b = A times ones) or a file with a vector (Matrix Market, text, .npy)")
      ->capture_default_str()
      ->excludes(model);
}

/// How the flow is made, in the group "Method".
void add_flow_options(CLI::Option_group* method, Arguments& args) {
  Options& o = args.options;
  add_choice(method, "--flow", o.flow,
             "naive and refined: the paper's task flow before and after sections 7.2 to 7.4; fused: fewer, larger\n"
             "tasks; pipelined: dot products overlap the product (Ghysels, Vanroose)",
             {Flow::naive, Flow::refined, Flow::fused, Flow::pipelined})
      ->default_str("fused");
  add_choice(method, "--decomposition", o.decomposition, "Block-rows, or block-rows and block-columns",
             {Decomposition::one_d, Decomposition::two_d})
      ->default_str("1d");
  method->add_option("--blocks", args.blocks, "Number of block-rows (default: one per GPU, else one per CPU worker)");
  add_choice(method, "--transfer", args.transfer,
             "What of p a unit receives: all, or the elements it needs (default: packed on several GPUs)",
             {Transfer::full, Transfer::packed});
  add_choice(method, "--vector", args.vector, "How p is kept between products (default: as the flow has it)",
             {VectorMode::blocking, VectorMode::plan, VectorMode::pieces});
  add_choice(method, "--dot", args.dot, "How dot products are summed over the block-rows (default: as the flow has it)",
             {DotMode::serial, DotMode::reduction, DotMode::gather});
  add_choice(method, "--x-update", args.x_update,
             "x += alpha p before or after the second dot product (default: as the flow has it)",
             {XUpdate::early, XUpdate::late});
  add_choice(method, "--column-order", o.column_order,
             "2D: ascending is bit-identical to 1D; local-first overlaps transfers",
             {ColumnOrder::ascending, ColumnOrder::local_first})
      ->default_str("ascending");
  add_choice(method, "--balance", o.balance, "What block-rows have equal shares of",
             {Balance::nonzeros, Balance::bytes})
      ->default_str("bytes");
  add_choice(method, "--format", o.format, "Storage of A: sliced ELLPACK, or CSR (cuSPARSE on GPUs)",
             {Format::sell, Format::csr})
      ->default_str("sell");
  add_choice(
      method, "--task", args.task,
      "What a task does: an operation on a block-row; or several iterations, all block-rows at the same time, on\n"
      "a GPU with one launch per kernel or as a CUDA graph (default: graph where each unit has one block-row of\n"
      "the fused flow, unless a scheduler or --trace is asked for; else operation)",
      {TaskSize::operation, TaskSize::iterations, TaskSize::graph});
  method->add_flag("--vendor", args.options.vendor,
                   "cuBLAS for the vector operations on GPUs (flows naive and refined, --format csr)");
}

/// Preconditioner and end of the iterations, in the group "Method".
void add_iteration_options(CLI::Option_group* method, Arguments& args) {
  method
      ->add_option("--preconditioner", args.preconditioner,
                   "jacobi, block-jacobi: the diagonal, or blocks of it; ssor: symmetric Gauss-Seidel by colours;\n"
                   "amg: smoothed aggregation multigrid; auto: none, jacobi or amg by the estimated condition (with "
                   "--iterations, --simulate, several ranks: none)")
      ->check(CLI::IsMember({"auto", "none", "jacobi", "block-jacobi", "ssor", "amg"}))
      ->capture_default_str();
  method->add_option(
      "--preconditioner-block", args.preconditioner_block,
      "Rows of a diagonal block of block-jacobi (default: 3), or of a node for ssor and amg (default: as\n"
      "the matrix has them)");
  method->add_option("--tolerance", args.options.tolerance, "Stop when ||b - A x|| <= tolerance ||b||")
      ->check(not_negative_number())
      ->capture_default_str();
  method->add_option("--max-iterations", args.options.max_iterations)->capture_default_str();
  method->add_option("--iterations", args.iterations, "Run exactly N iterations, for measurements");
  method
      ->add_option("--check-every", args.options.check_every,
                   "The host reads the residual at most every so many iterations")
      ->capture_default_str();
}

/// The group "Machine".
void add_machine_options(CLI::App& app, Arguments& args) {
  CLI::Option_group* machine = add_machine_group(app);
  add_units(machine, args.common.session, "As STARPU_SCHED; cyclic is Asterism's own (default: cyclic)");
  machine
      ->add_option(
          "--units", args.units,
          "cyclic: deal block-rows to gpu, cpu, or all with shares proportional to their speed (default: gpu if any)")
      ->check(CLI::IsMember({"default", "gpu", "cpu", "all"}));

  add_calibrate(machine, args.common.calibrate);
  add_simulate(machine, args.common.platform);
}

/// The group "Results".
void add_result_options(CLI::App& app, Arguments& args) {
  CLI::Option_group* results = app.add_option_group("Results");
  results->add_option("--solution", args.solution, "Write x as a Matrix Market array, or NAME.npy as a NumPy array");
  results->add_option("--output", args.output,
                      "Displacement and stress of --model on its mesh, .vtu or .vtkhdf (ParaView)");
  results->add_option(
      "--checkpoint", args.checkpoints.write,
      "Write the state to this HDF5 file, from which a run can be resumed (flows fused and pipelined):\n"
      "every so many iterations, and at the end when they are used up");
  results->add_option("--checkpoint-every", args.checkpoints.every, "Iterations")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 40))
      ->capture_default_str();
  add_keep(results);
  results->add_option("--restart", args.checkpoints.read,
                      "Resume from a checkpoint, with the same matrix, method and --blocks:\n"
                      "results are bit-identical to those of an uninterrupted run");
  add_reports(results, args.common.json, args.common.trace, "sizes, times, convergence history");
  results->add_flag("--verify", args.common.verify,
                    "Compare with a sparse Cholesky factorisation where the size allows");
  results->add_flag("--efficiency", args.efficiency,
                    "Also run with one block and on one unit: S, e, e_granularity, e_pipeline");
  add_quiet(*results, args.common.quiet);
}

/// Throws Error (bad_input) for what each option alone allows but not together, and derives what follows from them.
void check_arguments(Arguments& args) {
  refuse_when_simulated(args.common.verify, "--verify");
  refuse_when_simulated(!args.solution.empty(), "--solution");
  refuse_when_simulated(!args.output.empty(), "--output");
  if (!args.output.empty()) {
    if (args.problem.model.empty()) bad_input("--output {}: is for --model", args.output);
    output::check_mesh_output(args.output);
  }
  refuse_when_simulated(args.common.calibrate, "--calibrate");
  refuse_when_simulated(!args.checkpoints.write.empty(), "--checkpoint");
  refuse_when_simulated(!args.checkpoints.read.empty(), "--restart");
  require_writable("--checkpoint", args.checkpoints.write);
  if (const auto block = args.preconditioner_block; block && (*block < 1 || *block > largest_diagonal_block))
    bad_input("--preconditioner-block {}: expected 1 to {}", *block, largest_diagonal_block);
  refuse_when_simulated(args.preconditioner == "ssor", "--preconditioner ssor");
  refuse_when_simulated(args.preconditioner == "amg", "--preconditioner amg");
  const Options& o = args.options;
  const bool open = o.flow == Flow::fused && !args.task && !args.iterations && !simulated && !args.efficiency &&
                    !args.common.calibrate && !rank_group().distributed();
  if (args.preconditioner == "auto" && !open) args.preconditioner = "none";
  apply_preconditioner(args);
  if (args.iterations) {
    if (*args.iterations < 1) bad_input("--iterations {}: expected at least 1", *args.iterations);
    args.options.max_iterations = *args.iterations;
    args.options.tolerance = 0;
  }
  if (args.blocks && *args.blocks < 1) bad_input("--blocks {}: expected at least 1", *args.blocks);
  refuse_over_ranks(args.efficiency, "--efficiency");
  args.common.session.ranks = Ranks::any;
  require_writable("--json", args.common.json);
  require_writable("--solution", args.solution);
  require_writable("--output", args.output);
}

}  // namespace

void apply_preconditioner(Arguments& args) {
  if (args.preconditioner == "jacobi") args.options.preconditioner_block = 1;
  if (args.preconditioner == "block-jacobi")
    args.options.preconditioner_block = args.preconditioner_block.value_or(default_diagonal_block);
  if (args.preconditioner != "ssor" && args.preconditioner != "amg") return;
  args.options.preconditioner_flow = args.preconditioner == "amg" ? PreconditionerFlow::amg : PreconditionerFlow::ssor;
  if (!args.own_pace) args.options.check_every = 1;  // an iteration is long: none is to be computed in vain
}

std::optional<int> parse_arguments(int argc, char** argv, Arguments& args) {
  CLI::App app(
      "Solves A x = b, A sparse, symmetric and positive definite, by conjugate gradient written as a flow of\n"
      "StarPU tasks on CPUs and GPUs (Agullo, Giraud, Guermouche, Nakov, Roman, RR-8192).\n\n"
      "  asterism-cg --matrix bcsstk16.mtx --preconditioner jacobi --verify\n"
      "  asterism-cg --stencil 11pts-128 --json run.json\n"
      "  asterism-cg --model bracket.toml --preconditioner block-jacobi --output bracket.vtu\n",
      "asterism-cg");
  add_general_options(app, {"--matrix", "--stencil", "--mesh", "--model", "--preconditioner", "--tolerance", "--output",
                            "--solution", "--verify", "--cpus", "--gpus", "--trace", "--simulate"});
  add_system_options(app, args);
  CLI::Option_group* method = app.add_option_group("Method");
  add_flow_options(method, args);
  add_iteration_options(method, args);
  add_machine_options(app, args);
  add_result_options(app, args);
  if (const auto status = parse(app, argc, argv)) return status;
  simulate(args.common.platform);
  args.own_pace = app.count("--check-every") > 0;
  if (simulated && app.count("--max-iterations") == 0 && !args.iterations) {
    args.options.max_iterations = simulated_iterations;
    args.default_iterations = true;
  }
  check_arguments(args);
  return std::nullopt;
}

namespace {

/// On a real machine, and on a simulated one that says how long a task of whole iterations takes.
bool whole_iterations_are_timed() {
  const Platform* const platform = simulated_platform();
  return platform == nullptr || platform->codelets.contains("cg_iterations_double");
}

}  // namespace

Options complete_options(const Arguments& args, const Session& session, std::int64_t rows) {
  Options options = args.options;
  apply_flow_defaults(options);
  if (args.vector) options.vector = *args.vector;
  if (args.dot) options.dot = *args.dot;
  if (args.x_update) options.x_update = *args.x_update;
  const bool gpus = session.gpus() > 0 && args.units != "cpu";
  const int units = args.units == "all" ? session.gpus() + session.cpus() : gpus ? session.gpus() : session.cpus();
  const std::vector<int> units_by_rank = rank_group().all_gather(units);
  const int ranks = rank_group().ranks();
  const std::int64_t most = std::max<std::int64_t>(1, rows / uncut_rows(options));
  const std::int64_t by_units = std::int64_t{ranks} * *std::min_element(units_by_rank.begin(), units_by_rank.end());
  options.blocks = args.blocks.value_or(static_cast<int>(std::min(by_units, most)));
  options.transfer = args.transfer.value_or(suited_transfer(options, gpus || ranks > 1));
  const bool open =
      rank_group().everywhere(!args.task && !args.own_scheduler && gpus == (session.gpus() > 0) && args.units != "all");
  options.task = args.task.value_or(TaskSize::operation);
  if (open && (gpus || !simulated) && args.common.trace.empty() && whole_iterations_are_timed())
    choose_task(options, session, !args.transfer);
  require_consistent(options);
  const bool asked = args.task.value_or(TaskSize::operation) != TaskSize::operation;
  const std::string why_not = asked ? why_no_team(options, session) : "";
  if (!why_not.empty()) bad_input("--task {}: found {}", name_of(options.task), why_not);
  if (!args.checkpoints.write.empty() || !args.checkpoints.read.empty()) require_checkpoints(options);
  refuse_over_ranks(session.cpus() == 0, "--cpus 0 (a core brings the sums of all ranks together)");
  if (ranks > 1 && gpus && options.blocks > max_partials)
    bad_input("--blocks {}: at most {} over several processes with GPUs", options.blocks, max_partials);
  return options;
}

}  // namespace asterism::apps::cg

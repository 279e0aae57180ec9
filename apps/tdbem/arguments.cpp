// SPDX-License-Identifier: Apache-2.0
#include "apps/tdbem/arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "apps/common/options.hpp"
#include "apps/common/program.hpp"
#include "apps/common/simulate.hpp"
#include "apps/common/solver_options.hpp"
#include "apps/tdbem/points.hpp"
#include "base/error.hpp"
#include "io/mesh/mesh.hpp"

namespace asterism::apps::tdbem {

using namespace asterism::tdbem;

namespace {

/// Options whose values are text first.
struct Texts {
  std::vector<std::string> directions, monopoles, observers;
  std::string observer_file, view;
  std::string kernel, block_shape;
};

void add_body(CLI::App& app, CaseOptions& problem) {
  CLI::Option_group* body = app.add_option_group("Body");
  auto* mesh = body->add_option("--mesh", problem.body.file,
                                std::string("A closed surface, metres:\n") + asterism::mesh::mesh_formats());
  body->add_option("--body", problem.body.name,
                   "Instead: sphere (radius 1), ellipsoid (semi-axes 1, 0.7, 0.5) or box (sides 1.4, 1, 0.7)")
      ->excludes(mesh)
      ->capture_default_str();
  body->add_option("--unknowns", problem.body.unknowns,
                   "At least so many vertices: longest edges are bisected (default: 642, or those of the mesh)")
      ->check(CLI::Range(4, 1 << 30));
  body->add_option("--length", problem.body.length,
                   "Longest side of the mesh's bounding box, m (default: as in the file)")
      ->check(positive_number());
  add_rotation(*body, problem.body.degrees,
               "Turn the body about the centre of its bounding box before anything else: degrees about x,y,z");
  body->add_flag_callback(
      "--turn-inward", [&problem] { problem.body.inward = Inward::turned; }, "Turn bodies whose triangles face inward");
  body->add_option_function<std::string>(
          "--boundary",
          [&problem](const std::string& b) { problem.boundary = b == "soft" ? Boundary::soft : Boundary::rigid; },
          "rigid: no normal velocity; soft: no pressure")
      ->check(CLI::IsMember({"rigid", "soft"}))
      ->default_str("rigid");
}

void add_wave(CLI::App& app, CaseOptions& problem, Texts& texts) {
  CLI::Option_group* wave = app.add_option_group("Incident wave and time");
  wave->add_option("--speed", problem.speed, "Of sound, m/s")->check(positive_number())->capture_default_str();
  wave->add_option_function<std::string>(
          "--pulse",
          [&problem](const std::string& shape) {
            problem.wave.shape = shape == "ricker" ? PulseShape::ricker : PulseShape::modulated_gaussian;
          },
          "gaussian: modulated by a carrier; ricker")
      ->check(CLI::IsMember({"gaussian", "ricker"}))
      ->default_str("gaussian");
  wave->add_option("--frequency", problem.wave.frequency,
                   "Of the carrier or of the Ricker pulse's peak, Hz (default: what the mesh resolves)");
  wave->add_option("--width", problem.wave.width, "Of the Gaussian, s (default: 2 / (2 pi frequency))");
  wave->add_option("--delay", problem.wave.delay,
                   "Time at which the pulse's centre passes the origin, or leaves a monopole, s (default: 0)");
  wave->add_option("--direction", texts.directions,
                   "Where the wave goes to, x,y,z (default: 0,0,1); may be repeated: each is scattered by itself")
      ->allow_extra_args(false);
  wave->add_option(
          "--monopole", texts.monopoles,
          "A point source at x,y,z instead of a plane wave, or beside those of --direction: p = f(t - r/c) / r,\n"
          "whose peak is 1 at 1 m; may be repeated: each is scattered by itself")
      ->allow_extra_args(false);
  auto* dt = wave->add_option("--dt", problem.dt, "Time step, s");
  wave->add_option("--courant", problem.courant, "Instead: c dt over the mean edge")
      ->excludes(dt)
      ->check(positive_number())
      ->capture_default_str();
  auto* steps = wave->add_option("--steps", problem.steps, "Time steps")->check(CLI::Range(1L, 1L << 40));
  wave->add_option("--duration", problem.duration,
                   "Instead: from the wave's arrival, s (default: until it has passed and what it scattered has left)")
      ->excludes(steps)
      ->check(positive_number());
  wave->add_option("--observer", texts.observers, "Where the scattered pressure is wanted, x,y,z; may be repeated")
      ->allow_extra_args(false);
  wave->add_option("--observers", texts.observer_file, "Observers from a file, a point x,y,z per line");
}

void add_stages(CLI::Option_group& method, Method& chosen, std::optional<bool>& ahead) {
  method.add_option("--group", chosen.group, "n_g: summation vectors computed at once, 1 to 16")
      ->check(CLI::Range(1, 16))
      ->capture_default_str();
  method.add_flag_function(
      "--ahead,!--no-ahead", [&ahead](std::int64_t times) { ahead = times > 0; },
      "Products for the next group go on while this one is solved, and the radiation stage reaches over two\n"
      "groups (default: where GPUs do the products, in one process, with groups of up to 8)");
  method
      .add_option_function<std::string>(
          "--radiation",
          [&chosen](const std::string& name) {
            chosen.radiation = name == "all-rows" ? Radiation::all_rows : Radiation::own_rows;
          },
          "Over several ranks: all-rows: the radiation stage of all rows on each, one exchange for a group of steps;\n"
          "own-rows: of its own rows, and an exchange before each step (default: all-rows with GPUs, own-rows without)")
      ->check(CLI::IsMember({"all-rows", "own-rows"}));
  method
      .add_option("--cluster", chosen.block_size,
                  "Block size: slices, one per unknown, that a task takes together, a multiple of 32 (default: by the\n"
                  "number of unknowns and units)")
      ->check(CLI::Range(32, 1 << 20));
}

/// "64x32".
BlockShape block_shape_of(const std::string& text) {
  std::istringstream in(text);
  BlockShape shape;
  char between = 0;
  in >> shape.rows >> between >> shape.columns;
  if (!in || between != 'x' || in.peek() != std::istringstream::traits_type::eof())
    bad_input("--block-shape {}: expected rows x columns, as 64x32", text);
  const auto is_one_of = [](std::int32_t n, std::initializer_list<std::int32_t> all) {
    return std::ranges::count(all, n) > 0;
  };
  if (!is_one_of(shape.rows, {32, 64, 128}) || !is_one_of(shape.columns, {16, 32, 64, 128}))
    bad_input("--block-shape {}: expected 32, 64 or 128 rows x 16, 32, 64 or 128 columns", text);
  return shape;
}

void add_kernel(CLI::Option_group& method, Method& chosen, Texts& texts) {
  method
      .add_option("--kernel", texts.kernel,
                  "Of the products with slices: panels; contiguous-blocking and full-blocking, the paper's ways of\n"
                  "blocking; scalar and matrix-vector, which it compares with (on CPUs only)")
      ->default_str(name_of(chosen.kernel));
  method.add_option("--block-shape", texts.block_shape,
                    "Of full-blocking: rows x columns, 32, 64 or 128 x 16, 32, 64 or 128 (default: 64x32)");
}

void add_method(CLI::App& app, Arguments& args, Texts& texts, bool& single_precision) {
  CaseOptions& problem = args.problem;
  CLI::Option_group* method = app.add_option_group("Method");
  add_stages(*method, args.method, args.ahead);
  add_kernel(*method, args.method, texts);
  method
      ->add_option_function<std::string>(
          "--ordering", [&problem](const std::string& name) { problem.body.ordering = ordering_named(name); },
          "Of the unknowns: mesh, morton, hilbert")
      ->default_str("hilbert");
  add_precision(*method, single_precision, "Of the matrices and of arithmetic; matrices are computed in double");
  method
      ->add_option_function<std::string>(
          "--solver",
          [&problem](const std::string& name) {
            problem.solver =
                name == "mumps" ? asterism::tdbem::Solver::factorisation : asterism::tdbem::Solver::conjugate_gradients;
          },
          "Of M^0: cg (conjugate gradients, on any unit), mumps (factorised once, on a core; by all processes "
          "together)")
      ->check(CLI::IsMember({"cg", "mumps"}))
      ->default_str("cg");
  method->add_option("--tolerance", problem.tolerance, "Of cg: relative residual (default: 1e-12, single 1e-6)")
      ->check(positive_number());
  const CLI::IsMember rules({1, 3, 6, 7, 12, 16});
  method->add_option("--far-points", problem.rules.far_points, "Quadrature points of a triangle")
      ->check(rules)
      ->capture_default_str();
  method->add_option("--near-points", problem.rules.near_points, "Quadrature points of a triangle beside near ones")
      ->check(rules)
      ->capture_default_str();
  method->add_option("--touching-points", problem.rules.touching_points, "Per variable, for triangles that touch")
      ->check(CLI::Range(1, 16))
      ->capture_default_str();
}

void add_sharing(CLI::Option_group& machine, SharingOptions& options) {
  machine
      .add_option_function<std::string>(
          "--sharing",
          [&options](const std::string& name) {
            options.sharing = name == "scheduler" ? Sharing::scheduler
                              : name == "gpus"    ? Sharing::gpus
                                                  : Sharing::intervals;
          },
          "Of blocks of slices: intervals, consecutive ones for all cores together and for each GPU, by measured\n"
          "times; gpus: intervals for GPUs only (default where there are GPUs); scheduler: StarPU's decides for each")
      ->check(CLI::IsMember({"intervals", "gpus", "scheduler"}));
  machine
      .add_option_function<std::string>(
          "--balance",
          [&options](const std::string& name) {
            options.target = name == "paper" ? Target::mean : Target::fixed_point;
          },
          "Of intervals: fixed-point, or paper, the heuristic as published")
      ->check(CLI::IsMember({"fixed-point", "paper"}))
      ->default_str("fixed-point");
  machine
      .add_option("--balance-groups", options.balance_groups,
                  "Groups of steps after which intervals stay; 0: equal ones")
      ->check(CLI::Range(0, 1 << 20))
      ->capture_default_str();
  machine.add_option("--intervals", options.intervals, "Blocks of each: cores,GPU,GPU,... (of one process)")
      ->delimiter(',');
}

void add_machine(CLI::App& app, Arguments& args) {
  SolverOptions& common = args.common;
  CLI::Option_group* machine = add_machine_group(app);
  add_sharing(*machine, args.sharing);
  add_units(machine, common.session);
  add_simulate(machine, common.platform);
  machine
      ->add_option("--memory", common.session.memory,
                   "For matrices in main memory, bytes or as 8GB; as STARPU_LIMIT_CPU_MEM")
      ->transform(CLI::AsSizeValue(true))
      ->check(bytes_of_a_machine());
  machine->add_option("--swap", common.session.swap,
                      "Folder for blocks of slices that do not fit there, as STARPU_DISK_SWAP");
  add_calibrate(machine, common.calibrate);
}

void add_spectrum(CLI::Option_group& results, FileOptions& files) {
  auto* spectrum = results.add_option(
      "--spectrum", files.spectrum,
      "Transfer functions at the observers, CSV: scattered and total over incident pressure in dB and\n"
      "degrees, and the target strength of far observers; the run then goes on until these have heard\n"
      "all");
  results.add_flag("--spectrum-chart", files.spectrum_chart, "Also a picture of it: NAME.png beside NAME.csv")
      ->needs(spectrum);
  results.add_option("--spectrum-count", files.spectrum_options.count, "Frequencies of --spectrum, evenly spaced")
      ->check(CLI::Range(1, 100000))
      ->needs(spectrum)
      ->capture_default_str();
  results
      .add_option_function<std::vector<double>>(
          "--spectrum-range",
          [&files](const std::vector<double>& given) {
            files.spectrum_options.range = {given[0], given[1]};
          },
          "From the first to the last of these, LOW,HIGH in Hz (default: where the pulse is above -40 dB of its\n"
          "spectrum's peak)")
      ->delimiter(',')
      ->expected(2)
      ->needs(spectrum);
}

void add_results(CLI::App& app, Arguments& args, Texts& texts) {
  FileOptions& files = args.files;
  CLI::Option_group* results = app.add_option_group("Results");
  results->add_option("--listen", files.observers, "Pressure at the observers over time, CSV");
  results->add_option("--chart", files.chart, "Pressure at the observers as a picture, PNG or SVG");
  add_spectrum(*results, files);
  results->add_option(
      "--output", files.series,
      "Values on the surface over time for ParaView: NAME.pvd (VTK), NAME.vtkhdf or NAME.h5 (HDF5, XDMF)");
  results->add_option("--png", files.picture, "Picture of the surface at each output");
  results->add_option("--view", texts.view, "Of --png: from where it is seen, x,y,z (default: -1,-1.2,0.8)");
  add_every(results, files.every);
  results->add_option("--matrices", files.matrices,
                      "Convolution matrices, HDF5: read from this file if it exists, else written to it; for any\n"
                      "number of processes");
  add_checkpoints(results, files.checkpoint, files.checkpoint_every, files.restart,
                  " (with as many processes; else to rounding)");
  add_reports(results, args.common.json, args.common.trace, "sizes, times, rates, errors");
  results->add_flag("--verify", args.common.verify,
                    "Compare with the exact series on the sphere; on other bodies with plain marching that shares the\n"
                    "matrices only, and check what these have to fulfil; exit status 1 when they differ");
  results->add_flag(
      "--statistics", args.statistics,
      "Sizes of the matrices, score of the ordering and blocks of Full-Blocking (the paper's Table 4), and\n"
      "nothing else: no values are computed");
  add_quiet(*results, args.common.quiet);
}

void refuse_in_simulation(const Arguments& args) {
  refuse_files_when_simulated({{"--listen", args.files.observers},
                               {"--chart", args.files.chart},
                               {"--spectrum", args.files.spectrum},
                               {"--output", args.files.series},
                               {"--png", args.files.picture},
                               {"--matrices", args.files.matrices},
                               {"--checkpoint", args.files.checkpoint},
                               {"--restart", args.files.restart}});
  refuse_when_simulated(args.common.verify, "--verify");
  refuse_when_simulated(args.common.calibrate, "--calibrate");
  refuse_when_simulated(args.problem.solver == asterism::tdbem::Solver::factorisation, "--solver mumps");
}

void read_points(const Texts& texts, Arguments& args) {
  std::vector<Point>& directions = args.problem.wave.directions;
  for (const std::string& text : texts.directions) directions.push_back(point_of("--direction", text));
  for (const std::string& text : texts.monopoles) args.problem.wave.monopoles.push_back(point_of("--monopole", text));
  if (directions.empty() && texts.monopoles.empty()) directions.push_back({0, 0, 1});
  std::vector<Point>& observers = args.problem.observers;
  if (!texts.observer_file.empty()) observers = points_in(texts.observer_file);
  for (const std::string& text : texts.observers) observers.push_back(point_of("--observer", text));
  if (!texts.view.empty()) args.files.view = point_of("--view", texts.view);
}

/// Kernels that GPUs do not have run on cores.
void choose_kernel(const Texts& texts, Arguments& args) {
  Method& method = args.method;
  if (!texts.kernel.empty()) method.kernel = kernel_named(texts.kernel);
  if (!texts.block_shape.empty()) {
    if (method.kernel != Kernel::full_blocking) bad_input("--block-shape: only of --kernel full-blocking");
    method.shape_of_full_blocks = block_shape_of(texts.block_shape);
  }
  if (method.kernel == Kernel::contiguous_blocking && !args.files.matrices.empty())
    bad_input("--matrices: files have panels of different widths, --kernel contiguous-blocking has not");
  if (runs_on_gpus(method.kernel)) return;
  std::optional<int>& gpus = args.common.session.gpus;
  if (gpus.value_or(0) > 0)
    bad_input("--kernel {}: on CPUs only, expected --gpus 0, not {}", name_of(method.kernel), *gpus);
  if (args.sharing.sharing == Sharing::gpus)
    bad_input("--kernel {}: on CPUs only, --sharing gpus has none", name_of(method.kernel));
  gpus = 0;
}

/// Throws Error (bad_input): options that contradict each other, files that cannot be written.
void check_arguments(const Arguments& args) {
  const WaveOptions& wave = args.problem.wave;
  const FileOptions& files = args.files;
  if (args.problem.observers.empty() && !(files.observers.empty() && files.chart.empty() && files.spectrum.empty()))
    bad_input("{}: expected observers (--observer x,y,z)",
              files.spectrum.empty() ? "--listen and --chart" : "--spectrum");
  if (wave.frequency && !(*wave.frequency > 0)) bad_input("--frequency {}: expected a positive one", *wave.frequency);
  if (wave.width && wave.shape == PulseShape::ricker) bad_input("--width: only of a gaussian; ricker has --frequency");
  if (args.ahead.value_or(false) && args.method.group > max_group / 2)
    bad_input("--ahead: expected --group of at most {}", max_group / 2);
  for (const auto& [option, path] : {std::pair{"--json", args.common.json},
                                     {"--listen", args.files.observers},
                                     {"--chart", args.files.chart},
                                     {"--spectrum", args.files.spectrum},
                                     {"--output", args.files.series},
                                     {"--png", args.files.picture},
                                     {"--checkpoint", args.files.checkpoint}})
    require_writable(option, path);
}

}  // namespace

std::optional<int> parse_arguments(int argc, char** argv, Arguments& args) {
  CLI::App app(
      "Sound scattered by closed bodies, computed in time by boundary elements with slice matrices, written as a flow "
      "of\n"
      "StarPU tasks on CPUs and GPUs (Bramas, Coulaud, Sylvand, Parallel Computing 49, 2015). SI units.\n\n"
      "  asterism-tdbem --body sphere --unknowns 642 --verify\n"
      "  asterism-tdbem --mesh airliner.off --unknowns 24000 --precision single --direction 1,0,0 --output "
      "flight.pvd\n"
      "  mpirun -n 4 asterism-tdbem --mesh airliner.off --unknowns 24000     blocks of slices shared out among "
      "four processes\n",
      "asterism-tdbem");
  add_general_options(app, {"--body", "--mesh", "--unknowns", "--boundary", "--direction", "--observer", "--listen",
                            "--output", "--verify", "--gpus", "--trace", "--simulate"});
  Texts texts;
  bool single_precision = false;
  add_body(app, args.problem);
  add_wave(app, args.problem, texts);
  add_method(app, args, texts, single_precision);
  add_machine(app, args);
  add_results(app, args, texts);
  if (const auto status = parse(app, argc, argv)) return status;
  simulate(args.common.platform);
  if (single_precision) args.problem.precision = Precision::single_precision;
  args.common.session.ranks = Ranks::any;
  refuse_in_simulation(args);
  read_points(texts, args);
  choose_kernel(texts, args);
  check_arguments(args);
  args.problem.until_observed = !args.files.spectrum.empty();
  return std::nullopt;
}

}  // namespace asterism::apps::tdbem

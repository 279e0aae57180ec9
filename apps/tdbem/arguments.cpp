#include "apps/tdbem/arguments.hpp"

#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <map>
#include <sstream>

#include "apps/common/options.hpp"
#include "apps/common/program.hpp"
#include "apps/common/simulate.hpp"
#include "apps/common/solver_options.hpp"
#include "base/error.hpp"
#include "io/mesh/mesh.hpp"

namespace asterism::apps::tdbem {

using namespace asterism::tdbem;

namespace {

Point point_of(const std::string& option, const std::string& text) {
  std::istringstream in(text);
  Point p;
  char first = 0, second = 0;
  in >> p.x >> first >> p.y >> second >> p.z;
  if (!in || first != ',' || second != ',' || in.peek() != std::istringstream::traits_type::eof() ||
      !std::isfinite(p.x) || !std::isfinite(p.y) || !std::isfinite(p.z))
    bad_input("{} {}: expected three numbers x,y,z", option, text);
  return p;
}

/// A point per line, x,y,z; '#' begins a comment.
std::vector<Point> points_in(const std::string& path) {
  std::ifstream in(path);
  if (!in) bad_input("--observers {}: cannot be read", path);
  std::vector<Point> points;
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    line.erase(std::find(line.begin(), line.end(), '#'), line.end());
    line.erase(line.find_last_not_of(" \t\r") + 1);
    if (line.empty()) continue;
    points.push_back(point_of(fmt::format("{}, line {}:", path, number), line));
  }
  if (points.empty()) bad_input("--observers {}: no point, expected lines x,y,z", path);
  return points;
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
      "  mpirun -n 4 asterism-tdbem --mesh airliner.off --unknowns 24000     blocks of slices dealt to four "
      "processes\n",
      "asterism-tdbem");
  add_general_options(app);

  CLI::Option_group* body = app.add_option_group("Body");
  auto* mesh = body->add_option("--mesh", args.body.file,
                                std::string("A closed surface, metres:\n") + asterism::mesh::mesh_formats());
  body->add_option("--body", args.body.name,
                   "Instead: sphere (radius 1), ellipsoid (semi-axes 1, 0.7, 0.5) or box (sides 1.4, 1, 0.7)")
      ->excludes(mesh)
      ->capture_default_str();
  body->add_option("--unknowns", args.body.unknowns,
                   "At least so many vertices: longest edges are bisected (default: 642, or those of the mesh)")
      ->check(CLI::Range(4, 1 << 30));
  body->add_option("--length", args.body.length, "Longest side of the mesh's bounding box, m (default: as in the file)")
      ->check(positive_number());
  body->add_flag_callback(
      "--turn-inward", [&args] { args.body.inward = Inward::turned; }, "Turn bodies whose triangles face inward");
  body->add_option_function<std::string>(
          "--boundary",
          [&args](const std::string& b) { args.boundary = b == "soft" ? Boundary::soft : Boundary::rigid; },
          "rigid: no normal velocity; soft: no pressure")
      ->check(CLI::IsMember({"rigid", "soft"}))
      ->default_str("rigid");

  CLI::Option_group* wave = app.add_option_group("Incident wave and time");
  wave->add_option("--speed", args.speed, "Of sound, m/s")->check(positive_number())->capture_default_str();
  wave->add_option("--pulse", args.wave.shape, "gaussian: modulated by a carrier; ricker")
      ->check(CLI::IsMember({"gaussian", "ricker"}))
      ->capture_default_str();
  wave->add_option("--frequency", args.wave.frequency,
                   "Of the carrier or of the Ricker pulse's peak, Hz (default: what the mesh resolves)");
  wave->add_option("--width", args.wave.width, "Of the Gaussian, s (default: 2 / (2 pi frequency))");
  wave->add_option("--delay", args.wave.delay, "Time at which the pulse's centre passes the origin, s (default: 0)");
  std::vector<std::string> directions;
  wave->add_option("--direction", directions,
                   "Where the wave goes to, x,y,z (default: 0,0,1); may be repeated: each is scattered by itself")
      ->allow_extra_args(false);
  auto* dt = wave->add_option("--dt", args.dt, "Time step, s");
  wave->add_option("--courant", args.courant, "Instead: c dt over the mean edge")
      ->excludes(dt)
      ->check(positive_number())
      ->capture_default_str();
  auto* steps = wave->add_option("--steps", args.steps, "Time steps")->check(CLI::Range(1L, 1L << 40));
  wave->add_option("--duration", args.duration,
                   "Instead: from the wave's arrival, s (default: until it has passed and what it scattered has left)")
      ->excludes(steps)
      ->check(positive_number());
  std::vector<std::string> observers;
  std::string observer_file;
  wave->add_option("--observer", observers, "Where the scattered pressure is wanted, x,y,z; may be repeated")
      ->allow_extra_args(false);
  wave->add_option("--observers", observer_file, "The same from a file, a point x,y,z per line");

  CLI::Option_group* method = app.add_option_group("Method");
  method->add_option("--group", args.method.group, "n_g: summation vectors computed at once, 1 to 16")
      ->check(CLI::Range(1, 16))
      ->capture_default_str();
  method->add_flag(
      "--ahead,!--no-ahead", args.method.ahead,
      "Products for the next group go on while this one is solved, and the radiation stage reaches over two\n"
      "groups");
  method
      ->add_option_function<std::string>(
          "--radiation",
          [&args](const std::string& name) {
            args.method.radiation = name == "all-rows" ? Radiation::all_rows : Radiation::own_rows;
          },
          "Over several ranks: all-rows: the radiation stage of all rows on each, one exchange for a group of steps;\n"
          "own-rows: of its own rows, and an exchange before each step (default: all-rows with GPUs, own-rows without)")
      ->check(CLI::IsMember({"all-rows", "own-rows"}));
  method->add_option("--cluster", args.method.cluster, "Slices of a block, a multiple of 32 (default: by their number)")
      ->check(CLI::Range(32, 1 << 20));
  method
      ->add_option_function<std::string>(
          "--ordering", [&args](const std::string& name) { args.body.ordering = ordering_named(name); },
          "Of the unknowns: mesh, morton, hilbert")
      ->default_str("hilbert");
  add_precision(*method, args.single_precision, "Of the matrices and of arithmetic; matrices are computed in double");
  method
      ->add_option_function<std::string>(
          "--solver",
          [&args](const std::string& name) {
            args.solver = name == "mumps" ? Solver::factorisation : Solver::conjugate_gradients;
          },
          "Of M^0: cg (conjugate gradients, on any unit), mumps (factorised once, on a core; by all processes "
          "together)")
      ->check(CLI::IsMember({"cg", "mumps"}))
      ->default_str("cg");
  method->add_option("--tolerance", args.tolerance, "Of cg: relative residual (default: 1e-12, single 1e-6)");
  const CLI::IsMember rules({1, 3, 6, 7, 12, 16});
  method->add_option("--far-points", args.rules.far_points, "Quadrature points of a triangle")
      ->check(rules)
      ->capture_default_str();
  method->add_option("--near-points", args.rules.near_points, "The same beside near triangles")
      ->check(rules)
      ->capture_default_str();
  method->add_option("--touching-points", args.rules.touching_points, "Per variable, for triangles that touch")
      ->check(CLI::Range(1, 16))
      ->capture_default_str();

  CLI::Option_group* machine = add_machine_group(app);
  machine
      ->add_option_function<std::string>(
          "--sharing",
          [&args](const std::string& name) {
            args.sharing = name == "scheduler" ? Sharing::scheduler
                           : name == "gpus"    ? Sharing::gpus
                                               : Sharing::intervals;
          },
          "Of blocks of slices: intervals, consecutive ones for all cores together and for each GPU, by measured\n"
          "times; gpus: the same without cores (default where there are GPUs); scheduler: StarPU's decides for each")
      ->check(CLI::IsMember({"intervals", "gpus", "scheduler"}));
  machine
      ->add_option_function<std::string>(
          "--balance",
          [&args](const std::string& name) { args.target = name == "paper" ? Target::mean : Target::fixed_point; },
          "Of intervals: fixed-point, or paper, the heuristic as published")
      ->check(CLI::IsMember({"fixed-point", "paper"}))
      ->default_str("fixed-point");
  machine
      ->add_option("--balance-groups", args.balance_groups, "Groups of steps after which intervals stay; 0: equal ones")
      ->check(CLI::Range(0, 1 << 20))
      ->capture_default_str();
  machine->add_option("--intervals", args.intervals, "Blocks of each: cores,GPU,GPU,... (of one process)")
      ->delimiter(',');
  add_units(machine, args.session);
  add_simulate(machine, args.platform);
  machine
      ->add_option("--memory", args.session.memory,
                   "For matrices in main memory, bytes or as 8GB; as STARPU_LIMIT_CPU_MEM")
      ->transform(CLI::AsSizeValue(true));
  machine->add_option("--swap", args.session.swap,
                      "Folder for blocks of slices that do not fit there, as STARPU_DISK_SWAP");
  add_calibrate(machine, args.calibrate);

  CLI::Option_group* results = app.add_option_group("Results");
  results->add_option("--listen", args.files.observers, "Pressure at the observers over time, CSV");
  results->add_option("--chart", args.files.chart, "The same as a picture, PNG");
  results->add_option("--output", args.files.series,
                      "Values on the surface over time for ParaView: NAME.pvd (VTK) or NAME.h5 (HDF5 and XDMF)");
  results->add_option("--png", args.files.picture, "Picture of the surface at each output");
  std::string view;
  results->add_option("--view", view, "Of --png: from where it is seen, x,y,z (default: -1,-1.2,0.8)");
  add_every(results, args.files.every);
  results->add_option("--matrices", args.files.matrices,
                      "Convolution matrices, HDF5: taken from this file if it is there, else written to it; for any\n"
                      "number of processes");
  add_checkpoints(results, args.files.checkpoint, args.files.checkpoint_every, args.files.restart,
                  " (with as many processes; else to rounding)");
  add_reports(results, args.json, args.trace, "sizes, times, rates, errors");
  results->add_flag("--verify", args.verify,
                    "Compare with the exact series on the sphere; on other bodies with plain marching that shares the\n"
                    "matrices only, and check what these have to fulfil; exit status 1 when they differ");
  results->add_flag(
      "--statistics", args.statistics,
      "Sizes of the matrices, score of the ordering and blocks of Full-Blocking (the paper's Table 4), and\n"
      "nothing else: no values are computed");
  add_quiet(*results, args.quiet);

  if (const auto status = parse(app, argc, argv)) return status;
  simulate(args.platform);
  refuse_files_when_simulated({{"--listen", args.files.observers},
                               {"--chart", args.files.chart},
                               {"--output", args.files.series},
                               {"--png", args.files.picture},
                               {"--matrices", args.files.matrices},
                               {"--checkpoint", args.files.checkpoint},
                               {"--restart", args.files.restart}});
  refuse_when_simulated(args.verify, "--verify");
  refuse_when_simulated(args.calibrate, "--calibrate");
  refuse_when_simulated(args.solver == Solver::factorisation, "--solver mumps");
  for (const std::string& text : directions) args.wave.directions.push_back(point_of("--direction", text));
  if (directions.empty()) args.wave.directions.push_back({0, 0, 1});
  if (!observer_file.empty()) args.observers = points_in(observer_file);
  for (const std::string& text : observers) args.observers.push_back(point_of("--observer", text));
  if (!view.empty()) args.files.view = point_of("--view", view);
  if (args.observers.empty() && !(args.files.observers.empty() && args.files.chart.empty()))
    bad_input("--listen and --chart: expected observers (--observer x,y,z)");
  if (args.wave.width && args.wave.shape == "ricker") bad_input("--width: only of a gaussian; ricker has --frequency");
  if (args.method.ahead && args.method.group > max_group / 2)
    bad_input("--ahead: expected --group of at most {}", max_group / 2);
  require_writable("--json", args.json);
  for (const auto& [option, path] : {std::pair{"--listen", args.files.observers},
                                     {"--chart", args.files.chart},
                                     {"--output", args.files.series},
                                     {"--png", args.files.picture},
                                     {"--checkpoint", args.files.checkpoint}})
    require_writable(option, path);
  return std::nullopt;
}

}  // namespace asterism::apps::tdbem

#include "apps/lbm/arguments.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <map>
#include <string_view>

#include "apps/common/options.hpp"
#include "apps/common/program.hpp"
#include "apps/common/simulate.hpp"
#include "apps/common/solver_options.hpp"
#include "base/error.hpp"
#include "io/mesh/mesh.hpp"
#include "runtime/machine/simulated_machine.hpp"

namespace asterism::apps::lbm {

using namespace asterism::lbm;

namespace {

const std::map<std::string, Quantity> quantities{{"speed", Quantity::speed},
                                                 {"u", Quantity::u},
                                                 {"v", Quantity::v},
                                                 {"w", Quantity::w},
                                                 {"rho", Quantity::rho},
                                                 {"vorticity-x", Quantity::vorticity_x},
                                                 {"vorticity-y", Quantity::vorticity_y},
                                                 {"vorticity-z", Quantity::vorticity_z}};

/// "y", the middle, or "y=12".
void read_slice(const std::string& text, const std::array<int, 3>& cells, Slice& slice) {
  const std::size_t axis = std::string_view("xyz").find(text.empty() ? '?' : text[0]);
  if (axis == std::string_view::npos || (text.size() > 1 && text[1] != '='))
    bad_input("--slice {}: expected x, y or z, or x=K", text);
  slice.axis = axis;
  slice.index = cells[axis] / 2;
  if (text.size() == 1) return;
  const auto [end, error] = std::from_chars(text.data() + 2, text.data() + text.size(), slice.index);
  if (error != std::errc{} || end != text.data() + text.size() || slice.index < 0 || slice.index >= cells[axis])
    bad_input("--slice {}: expected {}=0 to {}", text, text[0], cells[axis] - 1);
}

std::string about_cases() {
  std::string text = "Flow:";
  for (const auto& [name, about] : case_names()) text += fmt::format("\n{}: {}", name, about);
  return text;
}

/// Then packing for the neighbours of a brick goes on beside the update of another.
bool several_bricks_per_gpu(const Arguments& args) {
  const int gpus = args.session.gpus.value_or(visible_gpus());
  const int subdomains = args.subdomains[0] * args.subdomains[1] * args.subdomains[2];
  const bool with_cpus = args.session.cpus.value_or(1) > 0 && args.gpu_share.value_or(0) < 1;
  return gpus > 0 && (gpus > 1 || subdomains > 1 || args.gpu_bricks > 1 || with_cpus);
}

}  // namespace

std::optional<int> parse_arguments(int argc, char** argv, Arguments& args) {
  CLI::App app(
      "Weakly compressible flow by the lattice Boltzmann method, D3Q19 in the A-A pattern, written as a flow of "
      "StarPU\n"
      "tasks on CPUs and GPUs (Riesinger, Bakhtiari, Schreiber, Neumann, Bungartz, Computation 5, 2017).\n"
      "Lattice units: cells and time steps are 1.\n\n"
      "  asterism-lbm --case cavity --size 128 --re 1000 --steps 20000\n"
      "  asterism-lbm --case taylor-green --size 64 --steps 500 --verify\n",
      "asterism-lbm");
  add_general_options(app);

  CLI::Option_group* flow = app.add_option_group("Flow");
  flow->add_option("--case", args.flow.name, about_cases())->capture_default_str();
  std::string size = "64";
  flow->add_option("--size", size, "Cells: N or NxMxK")->capture_default_str();
  flow->add_option("--steps", args.steps, "Time steps")->check(CLI::Range(0L, 1L << 40))->capture_default_str();
  auto* reynolds = flow->add_option("--re", args.flow.reynolds, "Reynolds number: velocity x length / viscosity");
  flow->add_option("--tau", args.flow.tau, "Instead: relaxation time, 3 viscosity + 1/2 (default: 0.6152, the paper's)")
      ->excludes(reynolds);
  flow->add_option("--velocity", args.flow.velocity, "Characteristic velocity in cells per step (default: 0.05)");
  flow->add_option("--length", args.flow.length, "Characteristic length in cells (default: see --case)");

  std::vector<std::string> face_texts;
  flow->add_option(
          "--face", face_texts,
          "A face that is other than the case has it: --face=-x=wall:0.05,0,0 (an inlet), --face=+x=pressure,\n"
          "--face=-y=periodic, --face=+z=wall; may be repeated")
      ->allow_extra_args(false);
  flow->add_option("--body", args.body.file, std::string("A closed surface in the stream:\n") + mesh::mesh_formats());
  std::vector<double> degrees;
  std::vector<double> position;
  flow->add_option("--rotate", degrees, "Of the body: degrees about x,y,z")->delimiter(',')->expected(3);
  flow->add_option("--position", position, "Of the body's centre: cells x,y,z (default: a quarter of the way)")
      ->delimiter(',')
      ->expected(3);

  CLI::Option_group* method = app.add_option_group("Method");
  method
      ->add_option_function<std::string>(
          "--collision",
          [&args](const std::string& name) {
            args.flow.collision.model = name == "trt" ? Collision::Model::trt : Collision::Model::bgk;
          },
          "One relaxation time (bgk) or two (trt), which puts walls exactly between cells")
      ->check(CLI::IsMember({"bgk", "trt"}))
      ->default_str("bgk");
  method->add_option("--magic", args.flow.collision.magic, "Of trt: (tau - 1/2)(tau_odd - 1/2)")->capture_default_str();
  method->add_option("--smagorinsky", args.flow.collision.smagorinsky, "Constant of the model of turbulence; 0: none")
      ->capture_default_str();
  std::vector<double> force;
  method->add_option("--force", force, "Body force x,y,z per cell and step")->delimiter(',')->expected(3);
  add_precision(*method, args.flow.single_precision);

  CLI::Option_group* pieces = app.add_option_group("Pieces");
  std::string subdomains = "1x1x1";
  pieces->add_option("--subdomains", subdomains, "Equal parts along x, y and z")->capture_default_str();
  std::string share = "auto";
  pieces
      ->add_option(
          "--gpu-share", share,
          "Of the cells of each sub-domain, cut by an xz-plane: 0 to 1, or auto: from measured rates, corrected\n"
          "while running")
      ->capture_default_str();
  pieces
      ->add_option(
          "--gpu-bricks", args.gpu_bricks,
          "Bricks that a GPU's part of a sub-domain is cut into: while one waits for its neighbours, another is "
          "advanced (default: 1 on a single GPU without CPUs, else so many that a GPU has 4)")
      ->check(CLI::Range(1, 1024));
  pieces->add_option("--cores", args.cores, "Bricks that the rest of a sub-domain is cut into (default: one per core)")
      ->check(CLI::Range(0, 1024));
  pieces->add_flag("--scheduler-places", args.scheduler_places,
                   "Bricks have no fixed unit: the scheduler moves them as it likes");

  CLI::Option_group* machine = add_machine_group(app);
  add_units(machine, args.session);
  add_simulate(machine, args.platform);
  add_calibrate(machine, args.calibrate);

  CLI::Option_group* results = app.add_option_group("Results");
  results->add_option("--check-every", args.check_every, "Steps after which a flow that diverges is noticed")
      ->check(CLI::Range(1, 100))
      ->capture_default_str();
  results->add_option("--output", args.output.series,
                      "Density and velocity over time for ParaView: NAME.pvd (VTK) or NAME.h5 (HDF5 and XDMF)");
  add_every(results, args.output.every);
  results->add_option("--png", args.output.picture, "Picture of a slice at each output");
  std::string slice = "y";
  results->add_option("--slice", slice, "Of --png: x, y or z, or x=K")->capture_default_str();
  results->add_option("--quantity", args.output.slice.quantity, "Of --png: speed, u, v, w, rho, vorticity-x, -y, -z")
      ->transform(CLI::CheckedTransformer(quantities));
  results->add_option("--zoom", args.output.slice.zoom, "Of --png: pixels per cell")->check(CLI::Range(1, 64));
  results->add_option("--forces", args.output.forces, "Force on the body over time, CSV");
  results->add_option("--profiles", args.output.profiles,
                      "Velocity along the centre lines at the end, CSV; a cavity of Re 1000 (cubic) or 100 and 400\n"
                      "(periodic along y) is compared with published ones");
  add_checkpoints(results, args.output.checkpoint, args.output.checkpoint_every, args.output.restart);
  add_reports(results, args.json, args.trace, "pieces, times, rates, errors");
  results->add_flag("--verify", args.verify,
                    "Compare with the exact answer where there is one, else with a simple solver that shares no code;\n"
                    "exit status 1 when they differ");
  add_quiet(*results, args.quiet);

  if (const auto status = parse(app, argc, argv)) return status;
  simulate(args.platform);
  const OutputOptions& output = args.output;
  refuse_files_when_simulated({{"--output", output.series},
                               {"--png", output.picture},
                               {"--forces", output.forces},
                               {"--profiles", output.profiles},
                               {"--checkpoint", output.checkpoint},
                               {"--restart", output.restart}});
  refuse_when_simulated(args.verify, "--verify");
  refuse_when_simulated(args.calibrate, "--calibrate");
  args.flow.cells = triple("--size", size);
  args.subdomains = triple("--subdomains", subdomains);
  for (std::size_t axis = 0; axis < force.size(); ++axis) args.flow.collision.force[axis] = force[axis];
  for (std::size_t axis = 0; axis < degrees.size(); ++axis) args.body.degrees[axis] = degrees[axis];
  if (!position.empty()) args.body.position = {position[0], position[1], position[2]};
  if (args.flow.name != "stream" && (!args.body.file.empty() || !position.empty()))
    bad_input("--body and --position: only with --case stream");
  for (const std::string& text : face_texts) {
    const std::size_t face = face_of("--face", text);
    args.flow.face[face] = read_face(text.substr(3));
  }
  read_slice(slice, args.flow.cells, args.output.slice);
  check(args.output);
  args.gpu_share = share_of_gpus("--gpu-share", share);
  if (several_bricks_per_gpu(args) && std::getenv("STARPU_NWORKER_PER_CUDA") == nullptr && !simulated)
    args.session.streams = 2;
  require_writable("--json", args.json);
  return std::nullopt;
}

}  // namespace asterism::apps::lbm

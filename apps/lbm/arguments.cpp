// SPDX-License-Identifier: Apache-2.0
#include "apps/lbm/arguments.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <map>
#include <string_view>

#include "apps/common/options.hpp"
#include "apps/common/program.hpp"
#include "apps/common/simulate.hpp"
#include "apps/common/solver_options.hpp"
#include "base/error.hpp"
#include "io/mesh/mesh.hpp"

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

/// Options whose texts are read after the command line.
struct Texts {
  std::string size = "64";
  std::string subdomains = "1x1x1";
  std::string share = "auto";
  std::string slice = "y";
  std::vector<std::string> faces, probes;
  std::vector<double> position, force;
  std::optional<double> magic;
};

void add_flow_options(CLI::App& app, Arguments& args, Texts& texts) {
  CLI::Option_group* flow = app.add_option_group("Flow");
  flow->add_option("--case", args.flow.name, about_cases())->capture_default_str();
  flow->add_option("--size", texts.size, "Cells: N or NxMxK")->capture_default_str();
  flow->add_option("--steps", args.steps, "Time steps")->check(CLI::Range(0L, 1L << 40))->capture_default_str();
  auto* reynolds = flow->add_option("--re", args.flow.reynolds, "Reynolds number: velocity x length / viscosity");
  flow->add_option("--tau", args.flow.tau,
                   "Relaxation time instead of --re, 3 viscosity + 1/2 (default: 0.6152, the paper's)")
      ->excludes(reynolds);
  flow->add_option("--velocity", args.flow.velocity,
                   "Characteristic velocity in cells per step (default: 0.05, of a channel 0.005)");
  flow->add_option("--length", args.flow.length, "Characteristic length in cells (default: see --case)");
  flow->add_option(
          "--face", texts.faces,
          "Replaces a face of the case: --face=-x=wall:0.05,0,0 (an inlet), --face=-x=parabola:0.05,0,0\n"
          "(with this mean, 0 at walls), --face=+x=pressure, --face=-y=periodic, --face=+z=wall; may be repeated")
      ->allow_extra_args(false);
  flow->add_option(
          "--sponge", args.flow.sponge,
          "Cells of a layer before the outlet at +x whose viscosity and friction take the fluid to the velocity\n"
          "of the inlet, so that eddies and sound end there; 0: none")
      ->capture_default_str();
  auto* body = flow->add_option("--body", args.body.file,
                                std::string("A closed surface in the stream:\n") + mesh::mesh_formats());
  flow->add_option_function<std::string>(
          "--shape",
          [&args](const std::string& name) {
            args.body.shape = name == "cylinder" ? Shape::cylinder : Shape::sphere;
            args.shape_given = true;
          },
          "A body without a file: a sphere, or a cylinder along y from face to face; --length is the diameter")
      ->check(CLI::IsMember({"sphere", "cylinder"}))
      ->default_str("sphere")
      ->excludes(body);
  add_rotation(*flow, args.body.degrees, "Rotation of the body: degrees about x,y,z");
  flow->add_option("--position", texts.position, "Centre of the body: cells x,y,z (default: a quarter of the way)")
      ->delimiter(',')
      ->expected(3);
  flow->add_option_function<std::string>(
          "--walls", [&args](const std::string& name) { args.interpolated_walls = name == "interpolated"; },
          "Surface of the body: half-way along links (staircase), or where it is (interpolated)")
      ->check(CLI::IsMember({"staircase", "interpolated"}))
      ->default_str("staircase");
}

void add_method_options(CLI::App& app, Arguments& args, Texts& texts) {
  CLI::Option_group* method = app.add_option_group("Method");
  method
      ->add_option_function<std::string>(
          "--collision",
          [&args](const std::string& name) {
            using Model = Collision::Model;
            for (const Model model : {Model::bgk, Model::trt, Model::central_moments})
              if (name == name_of(model)) args.flow.collision.model = model;
          },
          "One relaxation time (bgk); two (trt), which put walls exactly between cells; of\n"
          "moments in the frame of the fluid, for Reynolds numbers of 10^4 and more")
      ->check(CLI::IsMember({"bgk", "trt", "central-moments"}))
      ->default_str("bgk");
  method->add_option("--magic", texts.magic,
                     "Parameter of trt, (tau - 1/2)(tau_odd - 1/2) (default: 3/16), or of the third order of\n"
                     "central-moments (default: its relaxation time is 1)");
  method
      ->add_option("--smagorinsky", args.flow.collision.smagorinsky,
                   "Smagorinsky constant of the turbulence model; 0: no model")
      ->capture_default_str();
  method->add_option("--force", texts.force, "Body force x,y,z per cell and step")->delimiter(',')->expected(3);
  add_storage_precision(*method, args.flow.precision,
                        "Of storage and arithmetic; half: 16 bits are stored, arithmetic is in single");
}

void add_pieces_options(CLI::App& app, Arguments& args, Texts& texts) {
  CLI::Option_group* pieces = app.add_option_group("Pieces");
  pieces
      ->add_option("--subdomains", texts.subdomains, "Equal parts along x, y and z (1x1x1: chosen for ranks and cores)")
      ->capture_default_str();
  pieces
      ->add_option("--gpu-share", texts.share,
                   "Share of the cells of each sub-domain that GPUs update, cut by an xz-plane: 0 to 1, or auto: from\n"
                   "measured rates, corrected while running")
      ->capture_default_str();
  pieces
      ->add_option(
          "--gpu-bricks", args.pieces.gpu_bricks,
          "Bricks that a GPU's part of a sub-domain is cut into: while one waits for its neighbours, another is "
          "updated (default: 1 on a single GPU without CPUs, else so many that a GPU has 4)")
      ->check(CLI::Range(1, 1024));
  pieces
      ->add_option("--cores", args.pieces.cores,
                   "Bricks that the rest of a sub-domain is cut into (default: one per core)")
      ->check(CLI::Range(0, 1024));
  pieces->add_flag("--scheduler-places", args.pieces.scheduler_places,
                   "Bricks have no fixed unit: the scheduler chooses one for each task");
}

void add_result_options(CLI::App& app, Arguments& args, Texts& texts) {
  OutputOptions& output = args.output;
  CLI::Option_group* results = app.add_option_group("Results");
  results->add_option("--check-every", args.check_every, "Steps between checks for a flow that diverges")
      ->check(CLI::Range(1, 100))
      ->capture_default_str();
  results->add_option(
      "--output", output.series,
      "Density and velocity over time for ParaView: NAME.pvd (VTK), NAME.vtkhdf or NAME.h5 (HDF5, XDMF)");
  add_every(results, output.every);
  results->add_option("--png", output.picture, "Picture of a slice at each output");
  results->add_option("--slice", texts.slice, "Plane of --png: x, y or z, or x=K")->capture_default_str();
  results
      ->add_option_function<std::string>(
          "--quantity", [&output](const std::string& name) { output.slice.quantity = quantities.at(name); },
          "What --png shows")
      ->check(CLI::IsMember(quantities))
      ->default_str("speed");
  output.slice.zoom = 0;
  results
      ->add_option("--zoom", output.slice.zoom, "Pixels of --png per cell (default: 640 along the longer side, about)")
      ->check(CLI::Range(1, 64));
  results->add_flag("--plain", output.plain, "--png without title, axes and colour bar: the cells alone");
  results->add_option("--profiles", output.profiles,
                      "Velocity along the centre lines at the end, CSV; a cavity of Re 1000 (cubic) or 100 and 400\n"
                      "(periodic along y) is compared with published ones");
  results->add_flag("--charts", output.charts, "Also a picture of each CSV: NAME.png beside NAME.csv");
  add_checkpoints(results, output.checkpoint, output.checkpoint_every, output.restart);
  add_reports(results, args.common.json, args.common.trace, "pieces, times, rates, errors");
  results->add_flag("--verify", args.common.verify,
                    "Compare with the exact answer where there is one, else with a simple solver that shares no code;\n"
                    "exit status 1 when they differ");
  add_quiet(*results, args.common.quiet);
}

void add_history_options(CLI::App& app, OutputOptions& output, Texts& texts) {
  CLI::Option_group* history = app.add_option_group("Forces, probes and means");
  ForceOptions& forces = output.forces;
  history->add_option("--forces", forces.file,
                      "Force and moment on the body over time and their coefficients, CSV; the summary then has their\n"
                      "means, and the Strouhal number where the flow sheds vortices");
  add_steps(history, "--forces-every", forces.every, "Steps between rows of --forces (10)");
  history->add_option("--reference-area", forces.area,
                      "Area of the coefficients in cells^2 (default: frontal area of the body)");
  history->add_option("--reference-length", forces.length,
                      "Length of moment coefficients and of the Strouhal number in cells (default: --length)");
  history->add_option("--probe", texts.probes, "Cell x,y,z whose density and velocity are recorded; may be repeated")
      ->allow_extra_args(false);
  history->add_option("--probes", output.probes.file, "Values of each --probe over time, CSV");
  add_steps(history, "--probes-every", output.probes.every, "Steps between rows of --probes (1)");
  history->add_option(
      "--average", output.average.file,
      "Mean density and velocity and the rms of its fluctuations, written at the end: NAME.pvd, .vtkhdf or .h5");
  add_steps(history, "--average-every", output.average.every, "Steps between the samples of --average (10)");
  history
      ->add_option("--average-from", output.average_from,
                   "First step of the means of --forces and --average (default: half of --steps)")
      ->check(CLI::Range(0L, 1L << 40));
}

void refuse_results_when_simulated(const Arguments& args) {
  const OutputOptions& output = args.output;
  refuse_files_when_simulated({{"--output", output.series},
                               {"--png", output.picture},
                               {"--forces", output.forces.file},
                               {"--probes", output.probes.file},
                               {"--average", output.average.file},
                               {"--profiles", output.profiles},
                               {"--checkpoint", output.checkpoint},
                               {"--restart", output.restart}});
  refuse_when_simulated(args.common.verify, "--verify");
  refuse_when_simulated(args.common.calibrate, "--calibrate");
}

void read_texts(const Texts& texts, Arguments& args) {
  CaseOptions& flow = args.flow;
  flow.cells = triple("--size", texts.size);
  args.pieces.subdomains = triple("--subdomains", texts.subdomains);
  for (std::size_t axis = 0; axis < texts.force.size(); ++axis) flow.collision.force[axis] = texts.force[axis];
  if (texts.magic) set_magic(flow.collision, *texts.magic);
  if (!texts.position.empty()) args.body.position = {texts.position[0], texts.position[1], texts.position[2]};
  if (flow.name != "stream" && (!args.body.file.empty() || !texts.position.empty()))
    bad_input("--body and --position: only with --case stream");
  if (flow.name != "stream" && args.shape_given) bad_input("--shape: only with --case stream");
  if (flow.name != "stream" && args.interpolated_walls) bad_input("--walls: only with --case stream");
  for (const std::string& text : texts.faces) {
    const std::size_t face = face_of("--face", text);
    flow.face[face] = read_face(text.substr(3));
  }
  read_slice(texts.slice, flow.cells, args.output.slice);
  if (args.output.plain && args.output.slice.zoom == 0) args.output.slice.zoom = 1;
  for (const std::string& text : texts.probes) args.output.probes.cells.push_back(read_probe(text));
  check(args.output);
  args.pieces.gpu_share = share_of_gpus("--gpu-share", texts.share);
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
  Texts texts;
  add_general_options(app, {"--case", "--size", "--re", "--steps", "--body", "--output", "--png", "--checkpoint",
                            "--verify", "--gpus", "--trace", "--simulate"});
  add_flow_options(app, args, texts);
  add_method_options(app, args, texts);
  add_pieces_options(app, args, texts);
  CLI::Option_group* machine = add_machine_group(app);
  add_units(machine, args.common.session);
  add_simulate(machine, args.common.platform);
  add_calibrate(machine, args.common.calibrate);
  add_result_options(app, args, texts);
  add_history_options(app, args.output, texts);

  if (const auto status = parse(app, argc, argv)) return status;
  simulate(args.common.platform);
  refuse_results_when_simulated(args);
  read_texts(texts, args);
  if (const auto streams = suited_streams(args.pieces, args.common.session)) args.common.session.streams = streams;
  require_writable("--json", args.common.json);
  return std::nullopt;
}

}  // namespace asterism::apps::lbm

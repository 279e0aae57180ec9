// SPDX-License-Identifier: Apache-2.0
#include "apps/fdtd/arguments.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <map>
#include <string_view>

#include "apps/common/options.hpp"
#include "apps/common/program.hpp"
#include "apps/common/simulate.hpp"
#include "apps/common/solver_options.hpp"
#include "base/error.hpp"
#include "runtime/machine/simulated_machine.hpp"
#include "taskflows/fdtd/scene/keys.hpp"

namespace asterism::apps::fdtd {

using namespace asterism::fdtd;

namespace {

/// "ez=10,20,30".
Probe entry_of(const std::string& option, const std::string& text) {
  const auto wrong = [&]() { bad_input("{} {}: expected ex, ey, ez, hx, hy or hz, and =I,J,K", option, text); };
  const std::string_view components = "exeyezhxhyhz";
  const std::size_t c = text.size() < 4 || text[2] != '=' ? std::string::npos : components.find(text.substr(0, 2));
  if (c == std::string_view::npos || c % 2 != 0) wrong();
  Probe probe{c < 6 ? Field::electric : Field::magnetic, static_cast<int>(c / 2 % 3), {}};
  const char* at = text.data() + 3;
  const char* const end = text.data() + text.size();
  for (std::size_t a = 0; a < 3; ++a) {
    const auto [next, error] = std::from_chars(at, end, probe.cell[a]);
    if (error != std::errc{} || (a < 2 ? next == end || *next != ',' : next != end)) wrong();
    at = next + 1;
  }
  return probe;
}

/// "-x=magnetic", "+y=cpml:12".
void set_face(const std::string& text, CaseOptions& problem) {
  const std::size_t face = face_of("--face", text);
  const std::string kind = text.substr(3);
  if (kind.starts_with("cpml")) {
    int cells = default_cpml_cells;
    const char* const end = kind.data() + kind.size();
    if (kind.size() > 4) {
      const auto [next, error] = std::from_chars(kind.data() + 5, end, cells);
      if (kind[4] != ':' || error != std::errc{} || next != end || cells < 0)
        bad_input("--face {}: expected cpml:N, N cells of absorbing layer", text);
    }
    problem.layer[face] = cells;
    return;
  }
  if (kind == "electric")
    problem.face[face] = Face::electric;
  else if (kind == "magnetic")
    problem.face[face] = Face::magnetic;
  else if (kind == "periodic")
    problem.face[face] = Face::neighbour;
  else
    bad_input("--face {}: expected electric, magnetic, periodic or cpml:N", text);
  problem.layer[face] = 0;
}

std::string about_cases() {
  std::string text = "Problem:";
  for (const auto& [name, about] : case_names()) text += fmt::format("\n{}: {}", name, about);
  return text;
}

/// What the texts of options are before they are understood.
struct Texts {
  std::string size = "100";
  std::vector<double> spacing;
  std::vector<int> mode;
  std::vector<std::string> faces, sources, probes;
  std::optional<int> layers;
  std::string strips, boxes, share = "auto";
  const CLI::Option* precision = nullptr;
};

void add_problem(CLI::App& app, Arguments& args, Texts& texts) {
  CLI::Option_group* group = app.add_option_group("Problem");
  CLI::Option* const scene = group->add_option(
      "--scene", args.scene,
      "A TOML file with grid, materials, geometry, sources, monitors and outputs, instead of a case;\n"
      "what monitors saw goes to NAME_monitors.h5, NAME_far_field.csv, NAME_fluxes.csv and NAME_ports.csv");
  group
      ->add_flag_callback(
          "--scene-help",
          [] {
            fmt::print("{}", asterism::fdtd::scene::scene_help());
            throw CLI::Success();
          },
          "Print all tables and keys of a scene, with units, defaults and examples, and exit")
      ->trigger_on_parse();
  group
      ->add_flag("--empty", args.empty,
                 "The scene without its bodies ([[geometry]]); results go to NAME_empty_fluxes.csv and so on")
      ->needs(scene);
  group->add_option("--case", args.problem.name, about_cases())->capture_default_str()->excludes(scene);
  group->add_option("--size", texts.size, "Cells: N or NxMxK")->capture_default_str()->excludes(scene);
  group->add_option("--spacing", texts.spacing, "Cell size in metres: D or DX,DY,DZ (default: 1)")
      ->delimiter(',')
      ->excludes(scene);
  group->add_option("--steps", args.steps, "Time steps (default: 200, or as a scene says)")
      ->check(CLI::Range(0L, 1L << 40));
  group->add_option(
      "--courant", args.problem.courant,
      "Time step in units of the largest stable one, also of a scene (default: 0.99, or as a scene says; the\n"
      "benchmark has its own)");
  group->add_option("--mode", texts.mode, "Mode of the cavity: half waves along x,y,z (default: 1,1,1)")
      ->delimiter(',')
      ->expected(3);
  group
      ->add_option("--face", texts.faces,
                   "Faces of a box: --face=-x=magnetic, --face=+y=periodic, --face=-z=cpml:12; others are electric\n"
                   "conductors; may be repeated")
      ->allow_extra_args(false);
  group->add_option("--cpml", texts.layers, "Absorbing layers of N cells before all faces (default: 10 of the dipole)")
      ->excludes(scene)
      ->check(CLI::Range(0, 1 << 20));
  group
      ->add_option("--source", texts.sources,
                   "Source in a box: a current pulse of 1 A m along an edge, --source ez=I,J,K; may be repeated")
      ->allow_extra_args(false);
  group->add_option("--pulse", args.pulse, "Width of the pulse, in seconds (default: 20 steps)")
      ->check(positive_number());
  group->add_option("--probe", texts.probes, "Record an entry: --probe ez=I,J,K, --probe hx=I,J,K; may be repeated")
      ->allow_extra_args(false);
  texts.precision = add_precision(*group, args.problem.precision, "Of storage and arithmetic, also of a scene");
}

void add_pieces(CLI::App& app, Arguments& args, Texts& texts) {
  CLI::Option_group* group = app.add_option_group("Pieces");
  group
      ->add_option(
          "--gpu-share", texts.share,
          "Share of the cells for GPUs, as strips along x: 0 to 1, or auto: from measured rates, which are\n"
          "kept (asterism-platform rates) and corrected during the run (in one process); CPUs get no cells where\n"
          "they do not help; over several processes each gets strips, or --boxes, in proportion to the speed\n"
          "of its units")
      ->capture_default_str();
  group
      ->add_option(
          "--gpu-weights", args.pieces.gpu_weights,
          "A,B,...: what each GPU of a process gets of the GPUs' cells in proportion (default: all the same, or "
          "as\n"
          "measured where they are of several models)")
      ->delimiter(',')
      ->check(positive_number());
  group
      ->add_option("--bricks-per-gpu", args.pieces.bricks_per_gpu,
                   "Strips of a GPU: the exchange of one hides behind another (default: 2 over several ranks, and "
                   "beside neighbours\n"
                   "that it does not overlap with, else 1)")
      ->check(CLI::Range(1, 64));
  group
      ->add_option(
          "--overlap", args.pieces.overlap,
          "Planes of strips that neighbours advance, too: they exchange after as many steps (default: what pays;\n"
          "0: border planes after each half of a step)")
      ->check(CLI::Range(0, 1 << 20));
  add_choice(group, "--exchange", args.pieces.exchange,
             "Border planes of strips that do not overlap go to neighbours before the other cells are updated, which\n"
             "hide the exchange (hidden), or with all cells of a strip (after-update), as in the thesis",
             {Exchange::hidden, Exchange::after_update})
      ->default_str("hidden");
  auto* strips =
      group->add_option("--strips", texts.strips, "N equal strips along x instead")->check(CLI::Range(1, 1 << 20));
  group->add_option("--boxes", texts.boxes, "Equal boxes instead, NxMxK")->excludes(strips);
  group->add_flag("--scheduler-places", args.pieces.scheduler_places,
                  "Bricks have no fixed unit: the scheduler decides for every task");
}

void add_machine(CLI::App& app, Arguments& args) {
  CLI::Option_group* group = add_machine_group(app);
  add_units(group, args.common.session);
  add_choice(group, "--transfers", args.transfers,
             "Load the fields of GPUs from main memory before the first step and unload them after the last one, GPU\n"
             "after GPU (in-turn) or all at once (at-once), and report the time with both",
             {Transfers::in_turn, Transfers::at_once});
  group->add_flag("--measure-again", args.measure_again, "Forget all rates of this machine, and measure again");
  add_simulate(group, args.common.platform);
  add_calibrate(group, args.common.calibrate);
}

void add_results(CLI::App& app, Arguments& args) {
  CLI::Option_group* group = app.add_option_group("Results");
  group->add_option("--check-every", args.check_every, "Steps after which fields that are not finite are noticed")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  group->add_option("--output", args.output.series,
                    "E and H at centres of cells: NAME.pvd (VTK), NAME.vtkhdf or NAME.h5 (HDF5, XDMF), for ParaView");
  add_every(group, args.output.every);
  group->add_option("--png", args.output.picture, "Picture of a slice at each output");
  group->add_option("--slice", args.output.slice, "Slice of --png: x, y or z, or x=K")->capture_default_str();
  group->add_option("--quantity", args.output.quantity, "Quantity of --png: Ex to Hz, or E or H for a magnitude")
      ->capture_default_str();
  group->add_option("--zoom", args.output.zoom, "Pixels per cell of --png (default: 640 along the longer side, about)")
      ->check(CLI::Range(1, 64));
  group->add_flag("--plain", args.output.plain, "--png without title, axes and colour bar: the cells alone");
  group->add_option("--probes", args.probe_file, "Values of probes over time, CSV (V/m, A/m)");
  group->add_flag("--charts", args.charts, "Also a picture of each CSV: NAME.png beside NAME.csv");
  group->add_option("--normalise", args.others.fluxes,
                    "NAME_empty_fluxes.csv of a run with --empty: NAME_fluxes.csv has each flux by that one, too");
  group->add_option("--drive", args.overrides.drive,
                    "Port of the scene that has the generator, instead of the scene's: NAME_PORT_ports.csv");
  group->add_option("--other-ports", args.others.ports,
                    "NAME_PORT_ports.csv of a run with --drive: NAME.s2p (Touchstone) of both ports of the scene");
  add_checkpoints(group, args.checkpoint, args.checkpoint_every, args.restart);
  add_reports(group, args.common.json, args.common.trace, "pieces, times, rates, errors");
  group->add_flag(
      "--verify", args.common.verify,
      "Compare with the exact or published answer where there is one, else E and H with a simple solver that\n"
      "shares no code, after as many of the steps as it can do in some seconds; exit status 1 when they\n"
      "differ");
  add_quiet(*group, args.common.quiet);
}

void override_scene(Arguments& args, const Texts& texts) {
  if (texts.precision->count() > 0) args.overrides.precision = args.problem.precision;
  args.overrides.courant = args.problem.courant;
  if (const auto courant = args.overrides.courant; courant && !(*courant > 0 && *courant <= 1))
    bad_input("--courant {}: expected more than 0 and at most 1, else it is unstable", *courant);
}

void understand(Arguments& args, const Texts& texts) {
  args.problem.cells = triple("--size", texts.size);
  if (texts.spacing.size() != 0 && texts.spacing.size() != 1 && texts.spacing.size() != 3)
    bad_input("--spacing: {} numbers; expected 1 or 3", texts.spacing.size());
  for (std::size_t a = 0; a < 3 && !texts.spacing.empty(); ++a)
    args.problem.spacing[a] = texts.spacing[texts.spacing.size() == 1 ? 0 : a];
  if (!texts.mode.empty()) {
    if (args.problem.name != "cavity") bad_input("--mode: only with --case cavity");
    args.problem.mode = {texts.mode[0], texts.mode[1], texts.mode[2]};
  }
  if (texts.layers) args.problem.layer.fill(*texts.layers);
  for (const std::string& text : texts.faces) set_face(text, args.problem);
  args.problem.pulse = args.pulse;
  for (const std::string& text : texts.sources) {
    args.sources.push_back(entry_of("--source", text));
    if (args.sources.back().field != Field::electric) bad_input("--source {}: expected ex, ey or ez", text);
  }
  if (!args.sources.empty() && (args.problem.name != "box" || !args.scene.empty()))
    bad_input("--source: only with --case box");
  for (const std::string& text : texts.probes) args.probes.push_back(entry_of("--probe", text));
  if (!args.scene.empty() && !args.probes.empty()) bad_input("--probe: not with --scene, which has its own");
  if (!args.scene.empty() && (!texts.faces.empty() || args.pulse))
    bad_input("--face and --pulse: not with --scene, which has its own");
  if (!args.scene.empty()) override_scene(args, texts);
  if (!args.others.fluxes.empty() && args.scene.empty()) bad_input("--normalise: only with --scene");
  if (!(args.overrides.drive + args.others.ports).empty() && args.scene.empty())
    bad_input("--drive and --other-ports: only with --scene");
  if (!args.probe_file.empty() && args.probes.empty() && args.scene.empty())
    bad_input("--probes {}: there is no --probe", args.probe_file);
  if (!texts.strips.empty()) args.pieces.boxes = {std::stoi(texts.strips), 1, 1};
  if (args.pieces.exchange == Exchange::after_update && args.pieces.overlap.value_or(0) > 0)
    bad_input("--exchange after-update: strips that overlap exchange after several steps");
  if (args.transfers && args.pieces.scheduler_places)
    bad_input("--transfers: bricks without a fixed unit (--scheduler-places) have no place to be loaded to");
  if (!texts.boxes.empty()) args.pieces.boxes = triple("--boxes", texts.boxes);
  args.pieces.gpu_share = share_of_gpus("--gpu-share", texts.share);
  require_writable("--json", args.common.json);
  require_writable("--probes", args.probe_file);
  require_writable("--checkpoint", args.checkpoint);
  if (args.checkpoint_every && args.checkpoint.empty()) bad_input("--checkpoint-every: there is no --checkpoint");
  if (const auto streams = suited_streams(args.pieces)) args.common.session.streams = streams;
}

/// There are none on a simulated machine.
void refuse_results(const Arguments& args) {
  refuse_files_when_simulated({{"--output", args.output.series},
                               {"--png", args.output.picture},
                               {"--probes", args.probe_file},
                               {"--checkpoint", args.checkpoint},
                               {"--restart", args.restart}});
  refuse_when_simulated(args.common.verify, "--verify");
  refuse_when_simulated(args.common.calibrate, "--calibrate");
}

}  // namespace

std::optional<int> parse_arguments(int argc, char** argv, Arguments& args) {
  CLI::App app(
      "Maxwell's equations by the finite-difference time-domain method (Yee 1966), written as a flow of StarPU tasks\n"
      "on CPUs and GPUs. SI units.\n\n"
      "  asterism-fdtd --size 100 --verify\n"
      "  asterism-fdtd --case cavity --size 60x40x50 --spacing 1e-3 --mode 2,1,0 --steps 5000 --verify\n"
      "  asterism-fdtd --case dipole --size 80 --spacing 1e-3 --png dipole.png --slice y --quantity Ez --verify\n"
      "  asterism-fdtd --scene dipole_antenna.toml\n"
      "  asterism-fdtd --case box --size 80 --spacing 1e-3 --source ez=40,40,40 --probe ez=60,40,40 --probes ez.csv\n\n"
      "Other commands: asterism-fdtd farm --help (many independent domains), asterism-fdtd plot --help\n"
      "(rates as charts)\n",
      "asterism-fdtd");
  add_general_options(app, {"--scene", "--case", "--size", "--spacing", "--steps", "--source", "--probe", "--png",
                            "--verify", "--gpus", "--trace", "--simulate"});
  app.allow_config_extras(CLI::config_extras_mode::error);
  Texts texts;
  add_problem(app, args, texts);
  add_pieces(app, args, texts);
  add_machine(app, args);
  add_results(app, args);
  if (const auto status = parse(app, argc, argv)) return status;
  simulate(args.common.platform);
  refuse_results(args);
  understand(args, texts);
  return std::nullopt;
}

}  // namespace asterism::apps::fdtd

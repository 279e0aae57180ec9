// SPDX-License-Identifier: Apache-2.0
#include "apps/fdtd/run.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "apps/common/program.hpp"
#include "apps/fdtd/charts.hpp"
#include "base/error.hpp"
#include "io/pictures/table_chart.hpp"
#include "runtime/machine/known_rates.hpp"
#include "runtime/machine/simulated_machine.hpp"
#include "runtime/ranks/ranks.hpp"
#include "taskflows/fdtd/checkpoint.hpp"
#include "taskflows/fdtd/verify.hpp"

namespace asterism::apps::fdtd {

using namespace asterism::fdtd;

namespace {

Case case_of_scene(const LoadedScene& loaded) {
  Case c;
  c.problem = loaded.problem.problem;
  c.probe_names = loaded.problem.probe_names;
  const auto& n = c.problem.cells;
  c.describe = fmt::format("{}{}, {} x {} x {} {}cells", loaded.file, loaded.empty ? " without its bodies" : "", n[0],
                           n[1], n[2], c.problem.mesh.graded() ? "graded " : "");
  return c;
}

/// The case with the sources and probes that were asked for.
Case case_of_options(const Arguments& args) {
  Case c = make_case(args.problem);
  Problem& p = c.problem;
  const double width = args.pulse.value_or(20 * p.dt);
  for (const Probe& at : args.sources) p.sources.push_back({at.component, at.cell, gaussian(width)});
  p.probes = args.probes;
  check(p);
  return c;
}

RunInput make_input(const Arguments& args) {
  RunInput input;
  if (args.scene.empty()) {
    input.problem_case = case_of_options(args);
    input.steps = args.steps.value_or(validation_steps);
  } else {
    input.scene = load_scene(args.scene, args.empty, args.others, args.overrides);
    const scene::Scene& scene = input.scene->scene;
    input.problem_case = case_of_scene(*input.scene);
    input.steps = args.steps.value_or(static_cast<long>(scene.steps));
    input.outputs = {scene.grid.origin, scene.field_outputs, scene.slice_outputs};
    if (!args.probe_file.empty() && input.problem_case.problem.probes.empty())
      bad_input("--probes {}: {} has no probes", args.probe_file, args.scene);
  }
  if (simulated)
    input.outputs = {};  // what a scene asks for by itself
  else
    add_outputs(args.output, input.problem_case.problem, input.outputs);
  return input;
}

}  // namespace

std::optional<int> Run::parse(int argc, char** argv) {
  const auto status = parse_arguments(argc, argv, args_);
  args_.common.session.ranks = Ranks::any;
  return status;
}

std::optional<int> Run::prepare() {
  if (args_.measure_again) {
    if (rank_group().is_root()) known_rates().forget();
    rank_group().barrier();
  }
  input_ = make_input(args_);
  if (input_.scene && args_.probe_file.empty() && !problem().probes.empty() && !simulated) {
    args_.probe_file = probes_file(args_.scene, args_.empty);
    require_writable("--probes", args_.probe_file);
  }
  if (!args_.restart.empty()) {
    const long step = checkpoint_step(args_.restart, problem());
    if (step > input_.steps)
      bad_input("--restart {}: at step {}, beyond --steps {}", args_.restart, step, input_.steps);
  }
  if (args_.common.verify) require_verifiable(input_.problem_case, input_.steps);
  return std::nullopt;
}

std::optional<StepWork> Run::step_work() {
  std::optional<StepWork> work = asterism::fdtd::step_work_of(args_.pieces, problem());
  if (work) work->steps = static_cast<double>(input_.steps);
  return work;
}

void Run::calibrate() {
  fdtd::calibrate(args_, problem());
}

void Run::solve(const Session& session) {
  session_ = &session;
  stepping_ = std::make_unique<TimeStepping>(args_, input_.problem_case, input_.outputs, input_.steps, session);
  stepping_->advance();
  stepping_->write_probes();
  written_ = stepping_->written();
  if (input_.scene && !simulated) write_results();
  if (!args_.charts) return;
  const std::vector<std::string> files = written_;
  for (const std::string& file : files) {
    if (!file.ends_with(".csv")) continue;
    if (rank_group().is_root()) draw_chart(file);
    written_.push_back(output::chart_file(file));
  }
}

void Run::write_results() {
  const auto is_transformed = [](const scene::Probe& probe) { return probe.ringdown || !probe.frequencies.empty(); };
  LoadedScene& loaded = *input_.scene;
  if (std::ranges::any_of(loaded.scene.probes, is_transformed)) {
    const std::vector<double> values = stepping_->all_probe_values();  // on rank 0
    if (rank_group().is_root()) {
      loaded.ringdowns = ringdowns(loaded.scene, loaded.problem, values);
      loaded.probe_spectra = probe_spectra(loaded.scene, loaded.problem, values);
    }
  }
  const std::vector<std::string> names = input_.scene->write(stepping_->simulation());
  written_.insert(written_.end(), names.begin(), names.end());
}

std::vector<Verdict> Run::verify(Report& report) {
  if (!args_.common.verify) return {};
  const Verdict verdict =
      asterism::fdtd::verify(input_.problem_case, stepping_->simulation(), stepping_->division(), input_.steps);
  add_verdict(report, "verification", verdict);
  return {verdict};
}

}  // namespace asterism::apps::fdtd

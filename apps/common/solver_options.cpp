// SPDX-License-Identifier: Apache-2.0
#include "apps/common/solver_options.hpp"

#include <algorithm>

#include "apps/common/help.hpp"
#include "base/version.hpp"
#include "io/hdf5/checksums.hpp"

namespace asterism::apps {

void add_general_options(CLI::App& app, const std::vector<std::string>& first) {
  app.set_version_flag("--version", version_text(app.get_name()));
  add_config(app);
  add_help(app, first);
}

void add_precision(CLI::App& app, bool& single, const std::string& of) {
  app.add_option_function<std::string>(
         "--precision", [&single](const std::string& name) { single = name == "single"; }, of)
      ->check(CLI::IsMember({"single", "double"}))
      ->default_str("double");
}

CLI::Option* add_precision(CLI::App& app, Precision& precision, const std::string& of) {
  return app
      .add_option_function<std::string>(
          "--precision",
          [&precision](const std::string& name) {
            precision = name == "single" ? Precision::single_precision : Precision::double_precision;
          },
          of)
      ->check(CLI::IsMember({"single", "double"}))
      ->default_str("double");
}

void add_storage_precision(CLI::App& app, Precision& precision, const std::string& of) {
  app.add_option_function<std::string>(
         "--precision",
         [&precision](const std::string& name) {
           for (const Precision p :
                {Precision::half_precision, Precision::single_precision, Precision::double_precision})
             if (name == name_of(p)) precision = p;
         },
         of)
      ->check(CLI::IsMember({"half", "single", "double"}))
      ->default_str("double");
}

CLI::Option_group* add_machine_group(CLI::App& app) {
  return app.add_option_group("Machine", "StarPU's environment variables keep their meaning");
}

void add_units(CLI::Option_group* machine, SessionOptions& session, const std::string& about_scheduler) {
  machine->add_option("--scheduler", session.scheduler, about_scheduler);
  machine->add_option("--cpus", session.cpus, "CPU workers, as STARPU_NCPU")->check(CLI::Range(0, 1024));
  machine->add_option("--gpus", session.gpus, "GPUs, as STARPU_NCUDA")->check(CLI::Range(0, 64));
}

void add_calibrate(CLI::Option_group* machine, bool& calibrate) {
  machine->add_flag("--calibrate", calibrate,
                    "First run with every codelet on every kind of unit in turn: StarPU's performance models then\n"
                    "know all durations, and so do the bounds of --trace");
}

void add_rotation(CLI::App& group, std::array<double, 3>& degrees, const std::string& about) {
  group
      .add_option_function<std::vector<double>>(
          "--rotate",
          [&degrees](const std::vector<double>& given) { std::copy_n(given.begin(), degrees.size(), degrees.begin()); },
          about)
      ->delimiter(',')
      ->expected(3);
}

void add_reports(CLI::Option_group* results, std::string& json, std::string& trace, const std::string& recorded) {
  results->add_option("--json", json, "Write a record of the run: options, " + recorded);
  results->add_option(
      "--trace", trace,
      "Record the run with FxT into this folder and analyse it: Gantt chart (trace.html), metrics, bounds");
}

void add_keep(CLI::Option_group* results) {
  results
      ->add_option("--keep", checkpoints_to_keep(),
                   "Checkpoints that stay, the newest included: the one before FILE is FILE.1, then FILE.2")
      ->check(CLI::Range(1, 100))
      ->capture_default_str();
}

void add_quiet(CLI::App& app, bool& quiet) {
  app.add_flag("--quiet", quiet, "No progress line");
}

}  // namespace asterism::apps

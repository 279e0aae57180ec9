// SPDX-License-Identifier: Apache-2.0
// Options that the solvers have in common, in the words of their --help.
#pragma once

#include <CLI/CLI.hpp>
#include <array>
#include <string>
#include <vector>

#include "base/precision.hpp"
#include "runtime/session.hpp"

namespace asterism::apps {

/// --version, --config and --help, which shows the options `first`, or all where it is empty.
void add_general_options(CLI::App& app, const std::vector<std::string>& first = {});

/// --precision single|double of a group or a command. `of`: what is stored in it.
void add_precision(CLI::App& app, bool& single, const std::string& of = "Of storage and arithmetic");
CLI::Option* add_precision(CLI::App& app, Precision& precision, const std::string& of = "Of storage and arithmetic");
/// With half precision, too.
void add_storage_precision(CLI::App& app, Precision& precision, const std::string& of);

/// The group "Machine", empty.
CLI::Option_group* add_machine_group(CLI::App& app);
/// --scheduler, --cpus and --gpus.
void add_units(CLI::Option_group* machine, SessionOptions& session,
               const std::string& about_scheduler = "As STARPU_SCHED");
/// --calibrate.
void add_calibrate(CLI::Option_group* machine, bool& calibrate);

/// --rotate of a body: degrees about x, y and z.
void add_rotation(CLI::App& group, std::array<double, 3>& degrees, const std::string& about);

/// --json and --trace. `recorded`: what the record says beside the options.
void add_reports(CLI::Option_group* results, std::string& json, std::string& trace, const std::string& recorded);
/// --quiet of a group or a command.
void add_quiet(CLI::App& app, bool& quiet);

/// An option that takes a number of steps, 1 or more: `Steps` is long or optional, and stays what it is where nothing
/// is given.
template <class Steps>
void add_steps(CLI::Option_group* results, const std::string& option, Steps& steps, const std::string& about) {
  results->add_option(option, steps, about)->check(CLI::Range(1L, 1L << 40));
}

/// --every, of outputs over time.
template <class Steps>
void add_every(CLI::Option_group* results, Steps& every) {
  add_steps(results, "--every", every, "Steps between outputs (default: at the end only)");
}

/// --keep, of the programs that write checkpoints.
void add_keep(CLI::Option_group* results);

/// --checkpoint, --checkpoint-every and --restart of time steps. `where`: the same bits come out, if not always.
template <class Steps>
void add_checkpoints(CLI::Option_group* results, std::string& checkpoint, Steps& every, std::string& restart,
                     const std::string& where = "") {
  results->add_option("--checkpoint", checkpoint, "Write the state to this HDF5 file, from which a run can be resumed");
  add_steps(results, "--checkpoint-every", every, "Steps (default: at the end only)");
  add_keep(results);
  results->add_option("--restart", restart,
                      "Go on from a checkpoint, up to --steps, to the last bit as if\nnothing had happened" + where);
}

}  // namespace asterism::apps

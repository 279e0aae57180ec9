// SPDX-License-Identifier: Apache-2.0
// --simulate: the same program on a machine that StarPU simulates, or with --nodes on a cluster of them. A program over
// SimGrid is another build of it, which the ordinary one turns into.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace asterism::apps {

/// What to simulate.
struct Simulated {
  std::string platform;  ///< empty: nothing
  int nodes = 0;         ///< machines of a cluster, each a rank; 0: the machine alone
};

/// Adds --simulate and --nodes to a group of options.
void add_simulate(CLI::Option_group* machine, Simulated& wanted);

/// What --simulate says last in a command line (or --simulate=PLATFORM); nothing when it is not there.
std::optional<std::string> platform_in(const std::vector<std::string>& arguments);

/// The simulated build of the program at `program`: in the folder ASTERISM_SIMULATED if that is set, else where
/// `cmake --install` puts it or in the build tree beside this one. Empty when there is none.
std::filesystem::path simulated_sibling(const std::filesystem::path& program);

/// After the command line was read (nothing is wanted: nothing happens). In an ordinary program: the process goes on as
/// the simulated program of the same name, with the same arguments, or runs that of clusters and ends with it; this
/// does not return. In a simulated program: returns. Throws Error (bad_input): no such platform or program, or a
/// platform's file that is not right, names a codelet that no method has or has no network for so many nodes.
void simulate(const Simulated& wanted);

/// The simulated build of a program, by its name: in the folder ASTERISM_SIMULATED if that is set, else where
/// `cmake --install` puts it or in the build tree beside this program's. Throws Error (bad_input): there is none.
std::filesystem::path simulated_program(const std::string& name);

/// A row of a simulated program's table: which machine.
std::pair<std::string, std::string> simulated_row();

/// Throws Error (bad_input) in a simulated program: what `option` asks for needs results, and nothing computes them.
void refuse_when_simulated(bool wanted, const char* option);
/// The same of options that name files, where they name one.
void refuse_files_when_simulated(const std::vector<std::pair<const char*, std::string>>& files);

}  // namespace asterism::apps

// SPDX-License-Identifier: Apache-2.0
// Options about the machine, as all sub-commands have them, and lists of numbers.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "runtime/session.hpp"

namespace asterism::apps::fdtd {

/// The group "Machine" with --scheduler, of those for farms, --cpus and --gpus.
CLI::Option_group* add_machine_options(CLI::App& app, SessionOptions& session);
/// Farms have the scheduler greedy unless --scheduler or STARPU_SCHED say another.
void choose_farm_scheduler(SessionOptions& session);

/// "80,100,120" or a range with both ends, "40:200:20"; in the order given. Throws Error (bad input) naming the option
/// for what is not such a list, or has numbers below `least` or more than 10^4 of them.
std::vector<int> whole_numbers(const std::string& option, const std::string& text, int least);
/// A list or range of shares, numbers from 0 to 1, in the order given. Throws Error (bad input) as whole_numbers().
std::vector<double> shares(const std::string& option, const std::string& text);

}  // namespace asterism::apps::fdtd

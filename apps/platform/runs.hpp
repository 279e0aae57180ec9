// SPDX-License-Identifier: Apache-2.0
// What is run to find out how long the tasks of each method take.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace asterism::apps::platform {

/// "cg", "fdtd", "fmm", "lbm", "tdbem".
const std::vector<std::string>& methods();

/// Commands, a program's name first, that between them execute every kind of task of a method in its usual forms on
/// every kind of unit; each takes seconds. `gpus`: the machine has some.
std::vector<std::vector<std::string>> standard_runs(const std::string& method, bool gpus);

/// Fewer and shorter ones, the most telling first.
std::vector<std::vector<std::string>> quick_runs(const std::string& method, bool gpus);

/// The program of a command: without a folder in its name beside `beside`, else in PATH. Throws Error (bad_input).
std::filesystem::path find(const std::string& program, const std::filesystem::path& beside);

/// With their recordings, tasks take a little longer: a second run tells how much.
enum class Recordings { once, twice };

/// Runs a solver twice, or without the second run: with --calibrate, recording into `folder` and, under the scheduler
/// "calibrate", into `folder`/calibration; then without being recorded, leaving StarPU's performance models in
/// `folder`/models. `home`: a STARPU_HOME whose measurements of buses are used. Throws Error (failed) with the
/// program's own message when it fails.
void record(const std::vector<std::string>& command, const std::filesystem::path& home,
            const std::filesystem::path& folder, Recordings recordings = Recordings::twice);

}  // namespace asterism::apps::platform

// SPDX-License-Identifier: Apache-2.0
// The end of a program that cannot go on, at any place and in any thread: temporary files are removed, one line says
// why. Files that were complete stay.
#pragma once

namespace asterism {

/// From now on an exception that nobody catches, as of a task that runs on a worker, and an error of CUDA that StarPU
/// meets end the program with status 1 in one line. `program`: its name in the line, a literal.
void end_in_one_line(const char* program) noexcept;

/// `PROGRAM: what` to standard error, without `what` when it is null. A signal's handler may call it; only the
/// first call says something.
[[noreturn]] void end_suddenly(int status, const char* what) noexcept;

}  // namespace asterism

// SPDX-License-Identifier: Apache-2.0
// The sub-command plot: rates as charts and tables, as the plotters of Skomedal have them (section 2.6.1 of the
// thesis).
#pragma once

namespace asterism::apps::fdtd {

/// `argv[0]` is the name of the sub-command. Returns the exit status.
int plot_command(int argc, char** argv);

}  // namespace asterism::apps::fdtd

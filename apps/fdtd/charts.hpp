// SPDX-License-Identifier: Apache-2.0
// --charts: a picture of each CSV that a run has written.
#pragma once

#include <string>
#include <vector>

namespace asterism::apps::fdtd {

/// Draws the tables of asterism-fdtd, by their columns: probes over time, spectra, S-parameters and fluxes over
/// frequency, directivity over the angle. Throws Error for other tables, and like output::draw_table.
void draw_chart(const std::string& csv);

}  // namespace asterism::apps::fdtd

// SPDX-License-Identifier: Apache-2.0
// Letters for charts: 5 x 7 dots, with two more rows below the line.
#pragma once

#include <string_view>

namespace asterism::output {

inline constexpr int glyph_width = 5, glyph_ascent = 7, glyph_descent = 2;
inline constexpr int glyph_advance = glyph_width + 1;

/// Rows from the top, '#' for a dot, '|' between rows, as many rows as there are dots. Of what there is no letter for:
/// a box.
std::string_view glyph(char letter);

}  // namespace asterism::output

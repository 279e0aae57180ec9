// SPDX-License-Identifier: Apache-2.0
// Points of the command line: directions, sources, observers. Throw Error (bad_input), naming the option or the line.
#pragma once

#include <string>
#include <vector>

#include "codelets/tdbem/kernels/point.hpp"

namespace asterism::apps::tdbem {

/// "x,y,z"
asterism::tdbem::Point point_of(const std::string& option, const std::string& text);

/// A point per line, x,y,z; '#' begins a comment.
std::vector<asterism::tdbem::Point> points_in(const std::string& path);

}  // namespace asterism::apps::tdbem

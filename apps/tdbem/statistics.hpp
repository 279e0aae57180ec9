// SPDX-License-Identifier: Apache-2.0
// Sizes of the convolution matrices beside those of the paper's airplane, without their values.
#pragma once

#include "apps/tdbem/arguments.hpp"

namespace asterism::apps::tdbem {

/// Prints N, Kmax, row-vectors, the score of the numbering (section 7.4.1) and, block size by block size, how many
/// blocks Full-Blocking cuts (Table 4); a JSON record as well if one is asked for.
void print_statistics(const Arguments& arguments, const asterism::tdbem::ProblemCase& problem_case);

}  // namespace asterism::apps::tdbem

// What schedulers are told about the tasks of the fast multipole method.
#pragma once

#include <string>

namespace asterism::fmm {

/// The paper's Table 3 as a table for hprio (schedulers/heteroprio_order.hpp), with GPU priorities for the operators
/// that the paper ran on CPUs only. `height`: of the tree, which decides the tasks' priorities.
std::string hprio_table(int height);

/// For SessionOptions::scheduler_set_up: StarPU's own heteroprio with the same order and, as the factor by which CPUs
/// are slower, `slow_factor` for P2P and M2L and a fifth of it for the others; its automatic mode off. The table is for
/// the next session only.
using SetUp = void (*)(unsigned context);
SetUp heteroprio_set_up(int height, double slow_factor);

}  // namespace asterism::fmm

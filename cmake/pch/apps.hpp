// SPDX-License-Identifier: Apache-2.0
// Precompiled for the programs: the parser of command lines and JSON take longer than the rest of a source.
#include "cmake/pch/starpu.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

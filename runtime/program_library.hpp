// SPDX-License-Identifier: Apache-2.0
// Shared libraries of Asterism that programs load when they need them.
#pragma once

#include <string>

namespace asterism {

/// Where the library `file` is: beside the library of Asterism that a program of others uses (or in asterism/ there),
/// or beside the program (../lib*/ or the build tree's lib/, or the program's own folder as in a bundle). Empty when
/// there is none.
std::string library_beside_program(const char* file);

}  // namespace asterism

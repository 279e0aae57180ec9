// SPDX-License-Identifier: Apache-2.0
// The functions of a C++ or CUDA file and their lengths, read from the layout that clang-format makes.
//
// What is seen: in a scope whose statements are indented by n columns, the first line that ends in '{' after the
// beginning of a statement opens a block, and the first line that has '}' in column n closes it. Namespaces and
// extern "C" do not indent (n = 0); a class, struct or union does, by two, and is searched for its members.
//
// A block is a function if its head, from the end of the statement before, has a parameter list and initialises
// nothing, or if it initialises something with a lambda: functions, members, constructors, operators, templates,
// TEST(...) and kernels, and lambdas with a name in a namespace or class. Lambdas and classes in a function count as
// its lines. Tables and other initialisers, enumerations and concepts are no functions. Preprocessor lines are read as
// if all branches were there. Macros that make functions are not seen, nor is text that clang-format has not laid out.
#pragma once

#include <string>
#include <vector>

#include "tests/structure/checker/source_text.hpp"

namespace asterism::structure {

struct Function {
  std::string name;  ///< as in its head: "Session::run", "operator()", "TEST(Area, SingleKind)"
  int line = 0;      ///< of the first line of its head (template <...> included), from 1
  int lines = 0;     ///< to its closing brace
};

std::vector<Function> functions(const std::vector<Line>& lines);

}  // namespace asterism::structure

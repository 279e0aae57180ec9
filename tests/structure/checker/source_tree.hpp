// SPDX-License-Identifier: Apache-2.0
// The text files of a source tree, as a clone or an unpacked release has them.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace asterism::structure {

/// Path from the root, with '/', to the file's text.
using SourceTree = std::map<std::string, std::string>;

/// Walks the folders below `root`. Left out: build*, bundle*, install and out in the root itself, hidden folders but
/// .ci, caches, files that CMake or its user writes, binary files. Git is not asked: a release has none.
SourceTree read_tree(const std::filesystem::path& root);

/// C++ or CUDA, header or source.
bool is_cpp(const std::string& path);

/// Written by hand in a programming language, CMake's and the shell's included.
bool is_code(const std::string& path);

/// Some file lies in this folder or below it; `folder` ends in '/'.
bool has_folder(const SourceTree& tree, const std::string& folder);

/// The numerical methods: the folders of taskflows/.
std::vector<std::string> methods(const SourceTree& tree);

/// Number of the line of text[position], from 1.
int line_of(const std::string& text, std::size_t position);

int count_lines(const std::string& text);

}  // namespace asterism::structure

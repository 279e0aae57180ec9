// SPDX-License-Identifier: Apache-2.0
// NumPy arrays as the spans that the library reads and writes, without copies: an array of another type, shape or order
// is refused.
#pragma once

#include <pybind11/numpy.h>

#include <asterism/cg.hpp>
#include <span>

namespace asterism::python {

namespace py = pybind11;

/// Numbers of 64 bits, in the order of C, of any shape. Throws Error (bad_input) naming the array.
std::span<const double> values_of(const char* name, const py::array& array);
/// A writable one.
std::span<double> results_of(const char* name, const py::array& array);
/// Whole numbers of 32 or 64 bits.
cg::Indices indices_of(const char* name, const py::array& array);

/// One line for a wrong argument.
[[noreturn]] void bad_input(const std::string& message);

/// Bytes or truth values.
std::span<const std::uint8_t> bytes_of(const char* name, const py::array& array);
/// Numbers of vertices, int32.
std::span<const std::int32_t> corners_of(const char* name, const py::array& array);

}  // namespace asterism::python

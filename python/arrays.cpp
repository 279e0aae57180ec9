// SPDX-License-Identifier: Apache-2.0
#include "python/arrays.hpp"

#include <string>

namespace asterism::python {
namespace {

std::string type_of(const py::array& array) {
  return py::str(static_cast<py::object>(array.dtype()));
}

void require_order(const char* name, const py::array& array) {
  if ((array.flags() & py::array::c_style) == 0)
    bad_input(std::string(name) + ": an array that is not in C order; numpy.ascontiguousarray makes a copy that is");
}

template <class T>
std::span<const T> as_span(const py::array& array) {
  return {static_cast<const T*>(array.data()), static_cast<std::size_t>(array.size())};
}

void require_doubles(const char* name, const py::array& array) {
  if (!py::isinstance<py::array_t<double>>(array))
    bad_input(std::string(name) + ": an array of " + type_of(array) + "; expected float64");
  require_order(name, array);
}

}  // namespace

void bad_input(const std::string& message) {
  throw Error(Error::Kind::bad_input, message);
}

std::span<const double> values_of(const char* name, const py::array& array) {
  require_doubles(name, array);
  return as_span<double>(array);
}

std::span<double> results_of(const char* name, const py::array& array) {
  require_doubles(name, array);
  if (!array.writeable()) bad_input(std::string(name) + ": an array that is read-only");
  return {static_cast<double*>(const_cast<void*>(array.data())), static_cast<std::size_t>(array.size())};
}

cg::Indices indices_of(const char* name, const py::array& array) {
  require_order(name, array);
  if (py::isinstance<py::array_t<std::int32_t>>(array)) return as_span<std::int32_t>(array);
  if (py::isinstance<py::array_t<std::int64_t>>(array)) return as_span<std::int64_t>(array);
  bad_input(std::string(name) + ": an array of " + type_of(array) + "; expected int32 or int64");
}

std::span<const std::uint8_t> bytes_of(const char* name, const py::array& array) {
  require_order(name, array);
  if (!py::isinstance<py::array_t<std::uint8_t>>(array) && !py::isinstance<py::array_t<bool>>(array))
    bad_input(std::string(name) + ": an array of " + type_of(array) + "; expected uint8 or bool");
  return as_span<std::uint8_t>(array);
}

std::span<const std::int32_t> corners_of(const char* name, const py::array& array) {
  require_order(name, array);
  if (!py::isinstance<py::array_t<std::int32_t>>(array))
    bad_input(std::string(name) + ": an array of " + type_of(array) + "; expected int32");
  return as_span<std::int32_t>(array);
}

}  // namespace asterism::python

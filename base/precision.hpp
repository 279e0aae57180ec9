// SPDX-License-Identifier: Apache-2.0
// The floating type of storage and arithmetic, chosen when a program starts.
#pragma once

#include <cstdint>
#include <utility>

namespace asterism {

enum class Precision : std::uint8_t {
  single_precision,  ///< float
  double_precision,  ///< double
};

constexpr const char* name_of(Precision precision) {
  return precision == Precision::single_precision ? "single" : "double";
}

/// Bytes of a number.
constexpr int size_of(Precision precision) {
  return precision == Precision::single_precision ? 4 : 8;
}

/// The precision of float or double.
template <class T>
inline constexpr Precision precision_of = sizeof(T) == 4 ? Precision::single_precision : Precision::double_precision;

/// Calls `body(T{})` with T = float or double, and returns what it returns.
template <class Body>
decltype(auto) with_precision(Precision precision, Body&& body) {
  if (precision == Precision::single_precision) return std::forward<Body>(body)(float{});
  return std::forward<Body>(body)(double{});
}

}  // namespace asterism

// SPDX-License-Identifier: Apache-2.0
// The floating type of storage and arithmetic, chosen when a program starts. Half precision, where a method has it, is
// storage only: its arithmetic is that of single precision.
#pragma once

#include <cstdint>
#include <utility>

namespace asterism {

enum class Precision : std::uint8_t {
  single_precision,  ///< float
  double_precision,  ///< double
  half_precision,    ///< 16 bits, computed in float
};

constexpr const char* name_of(Precision precision) {
  return precision == Precision::half_precision     ? "half"
         : precision == Precision::single_precision ? "single"
                                                    : "double";
}

/// Bytes of a stored number.
constexpr int size_of(Precision precision) {
  return precision == Precision::half_precision ? 2 : precision == Precision::single_precision ? 4 : 8;
}

/// The precision of float or double.
template <class T>
inline constexpr Precision precision_of = sizeof(T) == 4 ? Precision::single_precision : Precision::double_precision;

/// The precision of arithmetic.
constexpr Precision arithmetic_of(Precision precision) {
  return precision == Precision::half_precision ? Precision::single_precision : precision;
}

/// Calls `body(T{})` with T = float or double, the type of arithmetic, and returns what it returns.
template <class Body>
decltype(auto) with_precision(Precision precision, Body&& body) {
  if (arithmetic_of(precision) == Precision::single_precision) return std::forward<Body>(body)(float{});
  return std::forward<Body>(body)(double{});
}

}  // namespace asterism

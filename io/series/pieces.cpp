// SPDX-License-Identifier: Apache-2.0
#include "io/series/pieces.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace asterism::output {
namespace {

bool overlap(const Region& a, const Region& b) {
  bool result = true;
  for (std::size_t d = 0; d < 3; ++d) {
    result = result && a.first[d] < b.first[d] + b.n[d] && b.first[d] < a.first[d] + a.n[d];
  }
  return result;
}

std::string show(const Region& r) {
  return fmt::format("{} values from ({})", fmt::join(r.n, " x "), fmt::join(r.first, ", "));
}

std::size_t size_of(const std::array<std::int32_t, 3>& n) {
  return static_cast<std::size_t>(n[0]) * static_cast<std::size_t>(n[1]) * static_cast<std::size_t>(n[2]);
}

}  // namespace

template <class T>
Assembly<T>::Assembly(const std::array<std::int32_t, 3>& n) : n_(n), values_(size_of(n), T{0}) {}

template <class T>
void Assembly<T>::put(const Region& piece, const T* values, const std::array<std::int64_t, 3>& stride) {
  if (std::any_of(piece.n.begin(), piece.n.end(), [](std::int32_t n) { return n < 1; })) return;
  for (std::size_t d = 0; d < 3; ++d) {
    if (piece.first[d] < 0 || piece.first[d] + piece.n[d] > n_[d]) {
      failed("a piece of {} reaches out of {} values", show(piece), fmt::join(n_, " x "));
    }
  }
  for (const Region& other : pieces_) {
    if (overlap(piece, other)) failed("a piece of {} overlaps one of {}", show(piece), show(other));
  }
  pieces_.push_back(piece);
  count_ += static_cast<std::int64_t>(size_of(piece.n));
  // tiles across x and z: one of them is contiguous in the piece, x is in the whole
  constexpr std::int32_t tile = 32;
  const std::int32_t x_tiles = (piece.n[0] + tile - 1) / tile;
  const std::int32_t z_tiles = (piece.n[2] + tile - 1) / tile;
  const auto nx = static_cast<std::int64_t>(n_[0]);
  const auto ny = static_cast<std::int64_t>(n_[1]);
#pragma omp parallel for collapse(3)
  for (std::int32_t kt = 0; kt < z_tiles; ++kt) {
    for (std::int32_t j = 0; j < piece.n[1]; ++j) {
      for (std::int32_t it = 0; it < x_tiles; ++it) {
        const std::int32_t x_end = std::min(piece.n[0], (it + 1) * tile);
        const std::int32_t z_end = std::min(piece.n[2], (kt + 1) * tile);
        for (std::int32_t k = kt * tile; k < z_end; ++k) {
          T* to = values_.data() + piece.first[0] + nx * (piece.first[1] + j + ny * (piece.first[2] + k));
          const T* from = values + j * stride[1] + k * stride[2];
          for (std::int32_t i = it * tile; i < x_end; ++i) to[i] = from[i * stride[0]];
        }
      }
    }
  }
}

template class Assembly<float>;
template class Assembly<double>;

}  // namespace asterism::output

// SPDX-License-Identifier: Apache-2.0
// Pieces of a file that all threads make and one writes, in order.
#pragma once

#include <omp.h>

#include <algorithm>
#include <cstddef>

namespace asterism {

/// How many pieces are in memory at once: a few per thread, so that few wait at the end of a batch.
inline std::size_t batch_size(std::size_t pieces) {
  return std::min(pieces, 4 * static_cast<std::size_t>(omp_get_max_threads()));
}

/// make(piece, place): by any thread, into one of batch_size(pieces) places; it does not throw. write(piece, place): by
/// the calling thread, piece after piece.
template <class Make, class Write>
void in_batches(std::size_t pieces, const Make& make, const Write& write) {
  const std::size_t batch = batch_size(pieces);
  for (std::size_t begin = 0; begin < pieces; begin += batch) {
    const std::size_t end = std::min(pieces, begin + batch);
#pragma omp parallel for schedule(dynamic)
    for (std::size_t piece = begin; piece < end; ++piece) make(piece, piece - begin);
    for (std::size_t piece = begin; piece < end; ++piece) write(piece, piece - begin);
  }
}

}  // namespace asterism

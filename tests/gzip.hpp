// SPDX-License-Identifier: Apache-2.0
// Compressed text, for tests of readers.
#pragma once

#include <libdeflate.h>

#include <string>

namespace asterism::tests {

/// One member of a gzip file.
inline std::string gzip(const std::string& text) {
  libdeflate_compressor* const compressor = libdeflate_alloc_compressor(6);
  std::string packed(libdeflate_gzip_compress_bound(compressor, text.size()), '\0');
  packed.resize(libdeflate_gzip_compress(compressor, text.data(), text.size(), packed.data(), packed.size()));
  libdeflate_free_compressor(compressor);
  return packed;
}

}  // namespace asterism::tests

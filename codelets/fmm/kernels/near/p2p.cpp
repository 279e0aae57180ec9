// SPDX-License-Identifier: Apache-2.0
// What P2P needs besides its kernels: the number of pairs and the instruction sets of this machine.
#include "codelets/fmm/kernels/near/p2p.hpp"

namespace asterism::fmm {

std::int64_t p2p_pairs(const P2PSet& set) {
  std::int64_t pairs = 0;
  for (std::int32_t a = 0; a < set.own_leaves; ++a) {
    const std::int64_t n = set.begin[a + 1] - set.begin[a];
    pairs += n * (n - 1) / 2;
    for (std::int32_t u = set.upper_begin[a]; u < set.upper_begin[a + 1]; ++u)
      pairs += n * (set.begin[set.upper[u] + 1] - set.begin[set.upper[u]]);
  }
  return pairs;
}

const char* name(Isa isa) {
  return isa == Isa::avx512 ? "avx512" : isa == Isa::avx2 ? "avx2" : "portable";
}

bool supported(Isa isa) {
#if defined(__x86_64__)
  if (isa == Isa::avx512)
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
  if (isa == Isa::avx2) return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#endif
  return isa == Isa::portable;
}

Isa best_isa() {
  static const Isa best = supported(Isa::avx512) ? Isa::avx512 : supported(Isa::avx2) ? Isa::avx2 : Isa::portable;
  return best;
}

}  // namespace asterism::fmm

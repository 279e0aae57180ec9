// SPDX-License-Identifier: Apache-2.0
// Direct interactions between neighbouring leaves on the GPU: both directions of every pair, each target gathers, as
// section 3.1.1 of the FMM paper found faster than anti-symmetry. Asynchronous on the stream, no allocation.
// For the kernels of kernel_function.hpp; for a kernel of one's own, instantiate p2p_cuda_impl.cuh in a .cu file.
#pragma once

#include <cuda_runtime_api.h>

#include "codelets/fmm/kernels/near/p2p.hpp"

namespace asterism::fmm::cuda {

/// How a thread block, which takes a leaf or a piece of one, reads the sources: staged through shared memory, every
/// thread fetching one of them ahead, or directly by the threads that need them, through L1; with one or two targets
/// per thread. All give the same sums up to rounding; bench_p2p_cuda times them.
enum class Variant { shared64, shared128, shared256, shared64x2, shared128x2, direct64, direct128, direct64x2 };
inline constexpr Variant variants[] = {Variant::shared64,   Variant::shared128,   Variant::shared256,
                                       Variant::shared64x2, Variant::shared128x2, Variant::direct64,
                                       Variant::direct128,  Variant::direct64x2};
inline constexpr Variant default_variant = Variant::shared256;  // measured on H200
[[nodiscard]] const char* name(Variant variant);

/// As fmm::p2p with device pointers in `set` (of which begin, source_begin, source and item are read), `particles` and
/// `field`; the numbers of leaves and items are read on the host. Particles closer than 1.5e-154 count as coincident.
/// Results do not depend on the run. Launch errors throw asterism::Error.
template <class Kernel>
void p2p(const Kernel& kernel, const P2PSet& set, SourceView particles, FieldView field, cudaStream_t stream,
         Variant variant = default_variant);

}  // namespace asterism::fmm::cuda

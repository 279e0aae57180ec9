// SPDX-License-Identifier: Apache-2.0
// One binary, three instruction sets: functions marked ASTERISM_CLONES exist for the x86-64 baseline, AVX2 and AVX-512,
// and the one that suits the processor is chosen when the program starts.
#pragma once

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(ASTERISM_SANITIZE)
#define ASTERISM_HAS_CLONES
#define ASTERISM_CLONES __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
#else
#define ASTERISM_CLONES
#endif
/// What a clone calls must be inlined into it, or it would be compiled for the baseline.
#define ASTERISM_INLINE [[gnu::always_inline]] inline

// Hot functions marked CATENA_DISPATCH are compiled twice, for any x86-64 and for processors with AVX2, and chosen when the program
// starts. Contraction to FMA is off in both, so that both do the same operations (docs/develop/determinism.md).
// CATENA_INLINE marks what such functions are made of and must be compiled with them: what takes or returns vectors.
#pragma once

#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && !defined(CATENA_NO_DISPATCH) && \
    !defined(__AVX2__)
#define CATENA_DISPATCH __attribute__((target_clones("avx2", "default"), flatten))
#elif defined(__GNUC__) && !defined(__clang__)
#define CATENA_DISPATCH __attribute__((flatten))
#else
#define CATENA_DISPATCH
#endif

#define CATENA_INLINE __attribute__((always_inline)) inline

// Counts calls of malloc and its kin, which this header replaces for the program that includes it, once: operator new, Eigen and Bullet's
// allocator all end there. CATENA_COUNTS_ALLOCATIONS is 0 where the sanitizer has its own.
#pragma once

#include <cerrno>
#include <cstdlib>

#if defined(__SANITIZE_ADDRESS__) || !defined(__GLIBC__)
#define CATENA_COUNTS_ALLOCATIONS 0
#else
#define CATENA_COUNTS_ALLOCATIONS 1
#endif

namespace {
thread_local long allocations = 0;
}  // namespace

#if CATENA_COUNTS_ALLOCATIONS
extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* p, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);

void* malloc(std::size_t size) noexcept {
  ++allocations;
  return __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) noexcept {
  ++allocations;
  return __libc_calloc(count, size);
}
void* realloc(void* p, std::size_t size) noexcept {
  ++allocations;
  return __libc_realloc(p, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
  ++allocations;
  return __libc_memalign(alignment, size);
}
int posix_memalign(void** p, std::size_t alignment, std::size_t size) noexcept {
  ++allocations;
  *p = __libc_memalign(alignment, size);
  return *p ? 0 : ENOMEM;
}
}
#endif

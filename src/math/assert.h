// Our own promises, checked where NDEBUG is not defined, in debug and sanitizer builds: sizes, order of indices, finite numbers. What comes from
// outside is checked where it comes in, always, and throws InputError.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <type_traits>

#ifdef NDEBUG
#define CATENA_ASSERT(condition) static_cast<void>(sizeof(!(condition)))
#else
#define CATENA_ASSERT(condition) \
  ((condition) ? static_cast<void>(0) : ::catena::assertion_failed(#condition, __FILE__, __LINE__))
#endif

namespace catena {

[[noreturn]] inline void assertion_failed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "%s:%d: assertion failed: %s\n", file, line, condition);
  std::abort();
}

// A workspace that is to be filled anew: where assertions are checked its numbers are NaN until then, so that one that was left out is seen.
template <class Workspace>
void fill_unset([[maybe_unused]] Workspace& workspace) {
  static_assert(std::is_trivially_copyable_v<std::remove_reference_t<decltype(*workspace.data())>>);
#ifndef NDEBUG
  if (workspace.size() > 0)
    std::memset(static_cast<void*>(workspace.data()), 0xff,
                static_cast<std::size_t>(workspace.size()) * sizeof(*workspace.data()));
#endif
}

}  // namespace catena

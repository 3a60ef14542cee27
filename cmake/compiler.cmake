# One place for what every target is compiled with.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_CXX_FLAGS_RELEASE "-O3 -DNDEBUG")

add_library(catena_flags INTERFACE)
target_compile_options(catena_flags INTERFACE
  # -Wrestrict of gcc 12 takes string concatenation for an overlap (gcc bug 105651).
  -Wall -Wextra -Wpedantic -Werror -Wshadow -Wconversion -Wno-sign-conversion $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict> -Wnon-virtual-dtor -Woverloaded-virtual
  # gcc packs neighbouring numbers of the small blocks into vectors through memory and stalls on it (docs/speed.md).
  -ffp-contract=${CATENA_CONTRACT} -fno-math-errno -fno-semantic-interposition -fno-tree-slp-vectorize)
if(CATENA_NATIVE)
  target_compile_options(catena_flags INTERFACE -march=native)
endif()
if(CATENA_FUZZ)
  target_compile_options(catena_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()
if(CATENA_SANITIZE OR CATENA_FUZZ)
  target_compile_options(catena_flags INTERFACE -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(catena_flags INTERFACE -fsanitize=address,undefined)
  target_compile_definitions(catena_flags INTERFACE CATENA_NO_DISPATCH)
endif()

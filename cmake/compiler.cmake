# One place for what every target is compiled with.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_CXX_FLAGS_RELEASE "-O3 -DNDEBUG")

# Headers that most sources read, parsed once a target group. Not all targets can share them yet (position-independent code).
option(CATENA_PCH "Precompile the headers most sources include" OFF)

# Several sources of a target in one run of the compiler, so that the headers they share are parsed once: a build takes less than half the time.
# Whoever edits and builds again and again is better off without.
option(CATENA_UNITY "Compile the sources of a target together, eight at a time" ON)
set(CMAKE_UNITY_BUILD ${CATENA_UNITY})
set(CMAKE_UNITY_BUILD_BATCH_SIZE 8)

add_library(catena_flags INTERFACE)
target_compile_options(catena_flags INTERFACE
  # -Wrestrict of gcc 12 takes string concatenation for an overlap (gcc bug 105651).
  -Wall -Wextra -Wpedantic -Werror -Wshadow -Wconversion -Wno-sign-conversion $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict> -Wnon-virtual-dtor -Woverloaded-virtual
  # gcc packs neighbouring numbers of the small blocks into vectors through memory and stalls on it (docs/measured/speed.md).
  -ffp-contract=${CATENA_CONTRACT} -fno-math-errno -fno-semantic-interposition -fno-tree-slp-vectorize)
if(CATENA_PCH AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  # With precompiled headers gcc 12 sees reads beyond strings of fmt that are not there.
  target_compile_options(catena_flags INTERFACE -Wno-array-bounds -Wno-stringop-overread -Wno-stringop-overflow)
endif()
if(CATENA_UNITY AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  # A source that is included looks like a header, in which such members would be a mistake.
  target_compile_options(catena_flags INTERFACE -Wno-subobject-linkage)
endif()
if(CATENA_NATIVE)
  target_compile_options(catena_flags INTERFACE -march=native)
endif()
if(CATENA_FUZZ)
  target_compile_options(catena_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()
if(CATENA_SANITIZE OR CATENA_FUZZ)
  # What UndefinedBehaviorSanitizer would look for at every access through a pointer, AddressSanitizer finds too: without it a build takes a third less.
  target_compile_options(catena_flags INTERFACE -fsanitize=address,undefined -fno-sanitize=null,alignment,object-size,vptr
    -fno-sanitize-recover=all -fno-omit-frame-pointer)
  # With sanitizers gcc 12 takes the values of empty optionals for read.
  target_compile_options(catena_flags INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  target_link_options(catena_flags INTERFACE -fsanitize=address,undefined)
  target_compile_definitions(catena_flags INTERFACE CATENA_NO_DISPATCH)
endif()

# catena_cheap(TARGET): compiled for a short build rather than for speed. For what is not on the way of a step.
function(catena_cheap target)
  # At -O1 gcc takes matrices of Eigen that are filled a few lines later for uninitialised.
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1> $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
endfunction()

# catena_precompile(TARGET KIND HEADERS…): the first target of a KIND precompiles the headers, the others of it share them.
# Targets of one kind are compiled with the same flags.
function(catena_precompile target kind)
  if(NOT CATENA_PCH)
    return()
  endif()
  get_property(owner GLOBAL PROPERTY CATENA_PCH_${kind})
  if(owner)
    target_precompile_headers(${target} REUSE_FROM ${owner})
  else()
    target_precompile_headers(${target} PRIVATE ${ARGN})
    set_property(GLOBAL PROPERTY CATENA_PCH_${kind} ${target})
  endif()
endfunction()

# A compiler cache where the machine has one: a second build of the same sources takes a fraction of the first.
find_program(CATENA_CCACHE ccache)
if(CATENA_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CATENA_CCACHE})
endif()

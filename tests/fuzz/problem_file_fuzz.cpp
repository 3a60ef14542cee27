// Any bytes as a problem file: refused with an InputError, or a problem that the solvers survive.
#include "catena/scene/problem_file.h"

#include <cstdint>

#include "catena/model/error.h"
#include "fuzz_checks.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace catena::solve;
  constexpr int kRows = 40, kIterations = 10;
  try {
    const catena::ProblemFile file = catena::parse_problem({reinterpret_cast<const char*>(data), size}, "fuzzed.json");
    // One solver an input, so that a million inputs take minutes; any length will do for any of them.
    if (file.problem.size() <= kRows) fuzz::solve_with(static_cast<Solver>(size % 5), file.problem, kIterations);
  } catch (const catena::InputError&) {
  }
  return 0;
}

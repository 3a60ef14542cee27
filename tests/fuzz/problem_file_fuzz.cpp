// Any bytes as a problem file: refused with an InputError, or a problem that every solver survives.
#include "catena/scene/problem_file.h"

#include <cstdint>

#include "catena/model/error.h"
#include "fuzz_checks.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace catena::solve;
  constexpr int kRows = 40, kIterations = 20;
  try {
    const catena::ProblemFile file = catena::parse_problem({reinterpret_cast<const char*>(data), size}, "fuzzed.json");
    if (file.problem.size() > kRows) return 0;
    for (const Solver solver : {Solver::automatic, Solver::lemke, Solver::dantzig, Solver::gauss_seidel, Solver::cone})
      fuzz::solve_with(solver, file.problem, kIterations);
  } catch (const catena::InputError&) {
  }
  return 0;
}

// Complementarity problems as JSON (docs/methods/solvers.md): LCPs, mixed and bounded ones, friction.
//   {"kind": "lcp",      "M": matrix, "q": […]}
//   {"kind": "mlcp",     "M": matrix, "q": […], "free": [rows]}
//   {"kind": "box",      "M": matrix, "q": […], "lo": […], "hi": […]}                    null: no bound
//   {"kind": "friction", "dimension": 2|3, "W": matrix, "q": […], "mu": […], "facets": n_f}   without facets: the exact cone
//   {"kind": "blocks",   "M": matrix, "q": […], "blocks": [{"law", "rows", …}]}
// A matrix is a list of rows, or {"rows", "cols", "dense": [[…]]}, or {"rows", "cols", "triplets": [[i, j, value], …]}.
#pragma once

#include <string>
#include <string_view>

#include "catena/solve/problem.h"

namespace catena {

struct ProblemFile {
  std::string name;  // as the file says, or its path
  std::string kind;
  solve::Problem problem;
};

// Throws InputError: file:line:column where the text is not JSON, else the file and the path in it.
ProblemFile load_problem(const std::string& file);
ProblemFile parse_problem(std::string_view text, const std::string& file);

}  // namespace catena

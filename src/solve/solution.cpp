#include "catena/solve/solution.h"

namespace catena::solve {

std::string_view name_of(Status status) {
  switch (status) {
    case Status::exact: return "exact";
    case Status::regularised: return "regularised";
    case Status::not_converged: return "not converged";
    case Status::ray: return "ray";
  }
  return "";
}

void certify(const Problem& problem, double scale, double tolerance, Solution& solution) {
  Vector work;
  certify(problem, scale, tolerance, solution, work);
}

void certify(const Problem& problem, double scale, double tolerance, Solution& solution, Vector& work) {
  multiply(problem.A, solution.z, solution.w, work);
  solution.w += problem.b;
  const Residual residual = natural_residual(problem, solution.z, solution.w, scale);
  Certificate& c = solution.certificate;
  c.residual = residual.value;
  c.worst_row = residual.worst_row;
  c.gap = residual.gap;
  c.status = residual.value <= tolerance ? Status::exact : Status::not_converged;
}

}  // namespace catena::solve

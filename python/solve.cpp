// Complementarity problems from numpy: w = A z + b with a law for every block of rows.
#include <fmt/format.h>

#include "bindings.h"
#include "catena/solve.h"

namespace catena::python {
namespace {

using Dense = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

solve::Law law_named(const std::string& word) {
  using solve::Law;
  for (const Law law : {Law::free, Law::complementary, Law::boxed, Law::bounded_by, Law::facets, Law::cone})
    if (solve::name_of(law) == word) return law;
  throw InputError(fmt::format("law '{}': there are free, complementary, boxed, bounded_by, facets and cone", word));
}

std::vector<solve::Block> blocks_of(const py::object& given, int size) {
  if (given.is_none()) return solve::complementary_rows(size);
  std::vector<solve::Block> blocks;
  int next = 0;
  for (const py::handle& each : given) {
    const auto d = each.cast<py::dict>();
    solve::Block block;
    for (const auto& [key, value] : d) {
      const auto word = key.cast<std::string>();
      if (word == "law") block.law = law_named(value.cast<std::string>());
      else if (word == "size") block.size = value.cast<int>();
      else if (word == "lower") block.lower = value.cast<double>();
      else if (word == "upper") block.upper = value.cast<double>();
      else if (word == "parent") block.parent = value.cast<int>();
      else if (word == "facets") block.facets = value.cast<int>();
      else if (word == "friction") {
        if (py::isinstance<py::float_>(value) || py::isinstance<py::int_>(value))
          block.friction = {value.cast<double>(), value.cast<double>()};
        else block.friction = value.cast<std::array<double, 2>>();
      } else throw InputError(fmt::format("block: unknown key '{}'", word));
    }
    block.first = next;
    next += block.size;
    blocks.push_back(block);
  }
  return blocks;
}

py::dict solve_problem(const py::object& A, const Eigen::VectorXd& b, const py::object& blocks,
                       const std::string& solver, double tolerance) {
  using namespace py::literals;
  const py::object plain = py::hasattr(A, "toarray") ? A.attr("toarray")() : A;
  solve::Problem problem{Eigen::MatrixXd(plain.cast<Dense>()), b, blocks_of(blocks, static_cast<int>(b.size()))};
  solve::check(problem);
  solve::Options options;
  const auto named = solve::solver_named(solver);
  if (!named)
    throw InputError(fmt::format("solver '{}': there are auto, lemke, dantzig, gauss-seidel and cone", solver));
  options.solver = *named;
  options.tolerance = tolerance;
  if (!solve::applies(options.solver, problem))
    throw InputError(fmt::format("the solver {} does not take such a problem", solver));
  solve::Solution solution;
  {
    const py::gil_scoped_release release;
    solution = solve::solve(problem, options);
  }
  const solve::Certificate& c = solution.certificate;
  return py::dict("z"_a = solution.z, "w"_a = solution.w, "status"_a = std::string(solve::name_of(c.status)),
                  "solver"_a = std::string(c.solver), "iterations"_a = c.iterations, "residual"_a = c.residual,
                  "gap"_a = c.gap, "fallbacks"_a = c.fallbacks);
}

}  // namespace

void bind_solve(py::module_& module) {
  py::register_exception<solve::ProblemError>(module, "ProblemError", PyExc_ValueError);
  module.def("solve", &solve_problem, py::arg("A"), py::arg("b"), py::arg("blocks") = py::none(),
             py::arg("solver") = "auto", py::arg("tolerance") = 1e-10,
             "w = A z + b (A dense or scipy.sparse, (n, n); b (n,)) under a law a block: {'law': 'complementary' | "
             "'free' | 'boxed' | "
             "'bounded_by' | 'facets' | 'cone', 'size': rows, 'friction': mu, 'lower', 'upper', 'parent'}; without "
             "blocks an LCP. Returns a "
             "dict with z, w, status, residual, …");
}

}  // namespace catena::python

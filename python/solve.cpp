// Complementarity problems from numpy: w = A z + b with a law for every block of rows.
#include <fmt/format.h>

#include "bindings.h"
#include "catena/scene/problem_file.h"
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

// scipy.sparse: entry by entry, in the blocks that the laws have.
solve::BlockSparse sparse_of(const py::object& A, const std::vector<solve::Block>& blocks, int size) {
  const py::object coo = A.attr("tocoo")();
  const auto row = coo.attr("row").cast<std::vector<int>>(), column = coo.attr("col").cast<std::vector<int>>();
  const auto value = coo.attr("data").cast<std::vector<double>>();
  const auto shape = coo.attr("shape").cast<std::pair<int, int>>();
  if (shape.first != size || shape.second != size)
    throw InputError(fmt::format("A: a matrix of shape ({0}, {0}) is expected, this one has shape ({1}, {2})", size,
                                 shape.first, shape.second));
  std::vector<int> cut{0};
  for (const solve::Block& block : blocks) cut.push_back(cut.back() + block.size);
  if (cut.back() != size) throw InputError(fmt::format("blocks: they have {} rows, A has {}", cut.back(), size));
  std::vector<solve::Triplet> triplets;
  for (std::size_t i = 0; i < value.size(); ++i) triplets.push_back({row[i], column[i], value[i]});
  return solve::block_sparse(cut, triplets);
}

solve::Problem problem_of(const py::object& A, const py::object& given_b, const py::object& given) {
  if (py::isinstance<py::str>(A) || py::hasattr(A, "__fspath__"))
    return load_problem(py::str(A).cast<std::string>()).problem;
  if (given_b.is_none()) throw InputError("solve: A and b are expected, or the path of a problem file");
  const auto b = given_b.cast<Eigen::VectorXd>();
  const auto size = static_cast<int>(b.size());
  std::vector<solve::Block> blocks = blocks_of(given, size);
  for (const solve::Block& block : blocks)
    if (block.size < 1) throw InputError("block: a size of at least 1 is expected");
  if (py::hasattr(A, "tocoo")) {
    solve::BlockSparse matrix = sparse_of(A, blocks, size);
    return {std::move(matrix), b, std::move(blocks)};
  }
  return {Eigen::MatrixXd(A.cast<Dense>()), b, std::move(blocks)};
}

py::dict solve_problem(const py::object& A, const py::object& b, const py::object& blocks, const std::string& solver,
                       double tolerance) {
  using namespace py::literals;
  const solve::Problem problem = problem_of(A, b, blocks);
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
  module.def(
      "solve", &solve_problem, py::arg("A"), py::arg("b") = py::none(), py::arg("blocks") = py::none(),
      py::arg("solver") = "auto", py::arg("tolerance") = 1e-10,
      "w = A z + b under a law for each block of rows. A: (n, n), an array or of scipy.sparse; b: (n,). blocks: a "
      "list of dicts {'law': 'complementary' | 'free' | 'boxed' | 'bounded_by' | 'facets' | 'cone', 'size': rows, "
      "'friction': mu, 'lower', 'upper', 'parent', 'facets'} in the order of the rows; None: an LCP. solver: auto, "
      "lemke, dantzig, gauss-seidel or cone. Or A is the path of a problem file (docs/methods/solvers.md). Returns a "
      "dict: "
      "z and w (n,), status, residual (of the natural map), gap, solver, iterations, fallbacks.");
}

}  // namespace catena::python

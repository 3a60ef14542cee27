#include "catena/solve/gauss_seidel.h"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>

#include "solve/solve_testing.h"

namespace catena::solve {
namespace gauss_seidel_test {

using namespace testing_solve;
using Algorithm = GaussSeidelOptions::Algorithm;
using Order = GaussSeidelOptions::Order;

constexpr Algorithm kAlgorithms[] = {Algorithm::kept_residual, Algorithm::monitored, Algorithm::plain};

Vector after(const Problem& problem, const GaussSeidelOptions& options, int sweeps) {
  GaussSeidel solver(options);
  solver.begin(problem);
  for (int i = 0; i < sweeps; ++i) solver.sweep();
  return solver.z();
}

Solution solved(const Problem& problem, const GaussSeidelOptions& options) {
  GaussSeidel solver(options);
  Solution solution;
  solver.solve(problem, solution);
  return solution;
}

// The same problem as a product, by blocks and dense.
std::vector<Problem> three_forms(const Product& A, const Vector& b, const std::vector<Block>& blocks) {
  const Eigen::MatrixXd dense = to_dense(A);
  return {{A, b, blocks}, {to_block_sparse(dense, A.cut), b, blocks}, {dense, b, blocks}};
}

std::vector<Block> free_blocks(const std::vector<int>& cut) {
  std::vector<Block> blocks;
  for (std::size_t k = 0; k + 1 < cut.size(); ++k)
    blocks.push_back({.law = Law::free, .first = cut[k], .size = cut[k + 1] - cut[k]});
  return blocks;
}

void expect_same_iterates(const std::vector<Problem>& forms, GaussSeidelOptions options) {
  options.algorithm = Algorithm::plain;
  const Vector wanted = after(forms[0], options, 6);
  EXPECT_GT(wanted.norm(), 0);
  for (std::size_t form = 0; form < forms.size(); ++form)
    for (const Algorithm algorithm : kAlgorithms) {
      options.algorithm = algorithm;
      // Six sweeps of some hundred operations each on numbers of order 1: rounding, with three digits of amplification.
      EXPECT_LE((after(forms[form], options, 6) - wanted).norm(), 1e-11 * wanted.norm())
          << "form " << form << " algorithm " << static_cast<int>(algorithm);
    }
}

TEST(GaussSeidel, algorithms_and_forms_make_the_same_iterates_on_linear_systems) {
  for (const std::vector<int>& dimensions : {std::vector{6}, {3}, {6, 3, 1, 7}}) {
    Random random(3);
    const Product A = random_product(random, 8, dimensions, {3, 1, 3, 5, 2, 3, 3, 6, 3, 1}, 0.3);
    expect_same_iterates(three_forms(A, random.vector(A.size()), free_blocks(A.cut)), {});
  }
}

TEST(GaussSeidel, algorithms_and_forms_make_the_same_iterates_with_friction) {
  for (const auto method : {FrictionMethod::projection, FrictionMethod::approximate, FrictionMethod::exact})
    for (const Order order : {Order::given, Order::symmetric, Order::random})
      for (const int dimension : {6, 3}) {
        Random random(4);
        const Product A = random_product(random, 9, {dimension}, std::vector<int>(12, 3), 0.5);
        const auto blocks = friction_cones(Vector::Constant(12, 0.4), 3);
        Vector b = random.vector(36);
        for (int k = 0; k < 12; ++k) b[3 * k] -= 0.5;
        expect_same_iterates(three_forms(A, b, blocks), {.friction = method, .order = order, .relaxation = 0.8});
      }
}

// The matrix cut row by row, or all in one, and the problem by threes.
TEST(GaussSeidel, a_matrix_cut_otherwise_is_regrouped) {
  Random random(5);
  const Product A = random_product(random, 6, {6, 3}, std::vector<int>(8, 3), 0.2);
  ProductBuilder by_row, in_one;
  for (ProductBuilder* builder : {&by_row, &in_one})
    for (int n = 0; n < A.nodes(); ++n) {
      const int d = A.node_cut[n + 1] - A.node_cut[n];
      builder->node(d, {A.Minv.data() + A.inverse[n], static_cast<std::size_t>(d * d)});
    }
  in_one.rows(A.sigma);
  for (int n = 0; n < A.nodes(); ++n) {
    const int d = A.node_cut[n + 1] - A.node_cut[n];
    std::vector<double> G(static_cast<std::size_t>(24 * d), 0.0);
    for (int k = 0; k < A.blocks(); ++k)
      for (int e = A.entry_start[k]; e < A.entry_start[k + 1]; ++e)
        if (A.entries[e].node == n) std::copy_n(A.G.data() + A.entries[e].value, 3 * d, G.data() + 3 * k * d);
    in_one.entry(n, G);
  }
  for (int i = 0; i < A.size(); ++i) {
    by_row.rows({A.sigma.data() + i, 1});
    for (int e = A.entry_start[i / 3]; e < A.entry_start[i / 3 + 1]; ++e) {
      const int node = A.entries[e].node, d = A.node_cut[node + 1] - A.node_cut[node];
      by_row.entry(node, {A.G.data() + A.entries[e].value + i % 3 * d, static_cast<std::size_t>(d)});
    }
  }
  const auto blocks = friction_cones(Vector::Constant(8, 0.4), 3);
  const Vector b = random.vector(24);
  const Eigen::MatrixXd dense = to_dense(A);
  expect_same_iterates({{A, b, blocks},
                        {by_row.build(), b, blocks},
                        {in_one.build(), b, blocks},
                        {to_block_sparse(dense, every(1, 24)), b, blocks},
                        {to_block_sparse(dense, every(4, 24)), b, blocks}},
                       {});
}

// Condition numbers are below 1e4, the residual below 1e-13: errors below 1e-9 of the solution.
TEST(GaussSeidel, the_fixed_point_of_a_linear_system_is_its_solution) {
  Random random(6);
  const Product A = random_product(random, 8, {6}, {3, 3, 3, 1, 2, 6, 3, 3}, 0.5);
  const Vector b = random.vector(A.size());
  const Vector wanted = -to_dense(A).ldlt().solve(b);
  for (const Problem& problem : three_forms(A, b, free_blocks(A.cut)))
    for (const double relaxation : {0.7, 1.0, 1.3}) {
      const Solution found = solved(problem, {.relaxation = relaxation, .max_sweeps = 20000, .tolerance = 1e-13});
      EXPECT_EQ(found.certificate.status, Status::exact) << found.certificate.residual;
      EXPECT_LE((found.z - wanted).norm(), 1e-9 * wanted.norm());
    }
}

// Errors of row-wise Gauss-Seidel follow e ← T e, T = −(D + L)⁻¹ Lᵀ; their size, in the end, shrinks by T's spectral radius.
TEST(GaussSeidel, errors_follow_the_iteration_matrix_and_shrink_by_its_spectral_radius) {
  Random random(7);
  const Eigen::MatrixXd A = random.positive(6, 1.0);
  const Problem problem{A, random.vector(6), free_blocks(every(1, 6))};
  const Eigen::MatrixXd lower = A.triangularView<Eigen::Lower>();
  const Eigen::MatrixXd upper = A.triangularView<Eigen::StrictlyUpper>();
  const Eigen::MatrixXd T = -lower.triangularView<Eigen::Lower>().solve(upper);
  const Vector wanted = -A.ldlt().solve(problem.b);
  GaussSeidel solver;
  solver.begin(problem);
  Vector error = -wanted;
  double ratio = 0;
  for (int i = 0; i < 60; ++i) {
    solver.sweep();
    const Vector next = solver.z() - wanted;
    EXPECT_LE((next - T * error).norm(), 1e-14 * wanted.norm()) << i;
    if (next.norm() > 1e-8 * wanted.norm()) ratio = next.norm() / error.norm();
    error = next;
  }
  const double radius = Eigen::EigenSolver<Eigen::MatrixXd>(T).eigenvalues().cwiseAbs().maxCoeff();
  EXPECT_LT(radius, 1);
  EXPECT_NEAR(ratio, radius, 1e-3 * radius);
}

// Forward then back from 0 gives z = −B b with B symmetric (symmetric Gauss-Seidel as a preconditioner); forward alone does not.
TEST(GaussSeidel, a_symmetric_pair_of_sweeps_is_a_symmetric_operator) {
  Random random(8);
  const int n = 12;
  const Eigen::MatrixXd A = random.positive(n, 1.0);
  const auto operator_of = [&](Order order) {
    Eigen::MatrixXd B(n, n);
    for (int j = 0; j < n; ++j)
      B.col(j) = -after({A, Vector::Unit(n, j), free_blocks(every(3, n))}, {.order = order}, 2);
    return B;
  };
  const Eigen::MatrixXd B = operator_of(Order::symmetric), F = operator_of(Order::given);
  EXPECT_LE((B - B.transpose()).norm(), 1e-13 * B.norm());
  EXPECT_GT((F - F.transpose()).norm(), 1e-3 * F.norm());
}

TEST(GaussSeidel, a_random_order_is_the_seeds) {
  Random random(9);
  const Problem problem{random.positive(30, 1.0), random.vector(30), friction_cones(Vector::Constant(10, 0.5), 3)};
  const auto with_seed = [&](std::uint64_t seed) { return after(problem, {.order = Order::random, .seed = seed}, 3); };
  EXPECT_EQ(with_seed(5), with_seed(5));
  EXPECT_GT((with_seed(5) - with_seed(6)).norm(), 1e-6);
  const Solution found = solved(problem, {.order = Order::random, .max_sweeps = 5000, .tolerance = 1e-12});
  EXPECT_EQ(found.certificate.status, Status::exact);
}

TEST(GaussSeidel, a_warm_start_at_the_solution_needs_no_sweep) {
  Random random(10);
  const Problem problem{random.positive(15, 1.0), random.vector(15), friction_cones(Vector::Constant(5, 0.5), 3)};
  GaussSeidel solver({.max_sweeps = 5000, .tolerance = 1e-12});
  Solution solution;
  solver.solve(problem, solution);
  ASSERT_EQ(solution.certificate.status, Status::exact);
  EXPECT_GT(solution.certificate.iterations, 0);
  solver.options.warm_start = true;
  solver.options.tolerance = 1e-11;  // putting z on the cones again costs a rounding
  solver.solve(problem, solution);
  EXPECT_EQ(solution.certificate.iterations, 0);
  solution.z.setConstant(-3);  // far out of every cone: put back before the first sweep
  solver.solve(problem, solution);
  EXPECT_EQ(solution.certificate.status, Status::exact);
}

// Overrelaxation near its best value beats plain sweeps on a chain; the answer is the same.
TEST(GaussSeidel, overrelaxation_speeds_up_a_chain) {
  const int n = 40;
  Eigen::MatrixXd A = 2 * Eigen::MatrixXd::Identity(n, n);
  for (int i = 0; i + 1 < n; ++i) A(i, i + 1) = A(i + 1, i) = -1;
  const Problem problem{A, Vector::Constant(n, -1.0), complementary_rows(n)};
  const Solution plain = solved(problem, {.max_sweeps = 20000, .tolerance = 1e-9});
  const Solution over = solved(problem, {.relaxation = 1.85, .max_sweeps = 20000, .tolerance = 1e-9});
  EXPECT_EQ(over.certificate.status, Status::exact);
  EXPECT_LT(10 * over.certificate.iterations, plain.certificate.iterations);
  EXPECT_LE((over.z - plain.z).norm(), 1e-4 * plain.z.norm());
}

// All 2ⁿ choices of positive rows; A is positive definite, so one of them is the solution.
Vector by_enumeration(const Eigen::MatrixXd& A, const Vector& b) {
  const int n = static_cast<int>(b.size());
  for (int chosen = 0; chosen < 1 << n; ++chosen) {
    std::vector<int> rows;
    for (int i = 0; i < n; ++i)
      if ((chosen >> i & 1) != 0) rows.push_back(i);
    Vector z = Vector::Zero(n);
    if (!rows.empty()) z(rows) = -A(rows, rows).eval().ldlt().solve(b(rows).eval());
    if (z.minCoeff() >= 0 && (A * z + b).minCoeff() >= -1e-12) return z;
  }
  return Vector::Constant(n, std::numeric_limits<double>::quiet_NaN());
}

TEST(GaussSeidel, small_linear_complementarity_problems_agree_with_enumeration) {
  for (unsigned seed = 0; seed < 30; ++seed)
    for (const int block : {1, 2, 3, 4}) {
      Random random(seed);
      const int n = block == 3 ? 9 : 8;
      const Eigen::MatrixXd A = random.positive(n, 0.5);
      Problem problem{A, random.vector(n), {}};
      for (int i = 0; i < n; i += block)
        problem.blocks.push_back({.law = Law::complementary, .first = i, .size = block});
      const Solution found = solved(problem, {.max_sweeps = 20000, .tolerance = 1e-13});
      EXPECT_LE((found.z - by_enumeration(A, problem.b)).norm(), 1e-10) << seed << " " << block;
    }
}

TEST(GaussSeidel, problems_with_every_law_at_once_are_solved) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    Random random(seed);
    const Product A = random_product(random, 12, {6}, {3, 1, 5, 1, 1, 3, 3, 2, 2, 3, 3}, 1.0);
    Vector b = 2 * random.vector(A.size());
    const std::vector<Block> blocks = {
        {.law = Law::free, .first = 0, .size = 3},
        {.law = Law::complementary, .first = 3},
        {.law = Law::complementary, .first = 4, .size = 5},
        {.law = Law::boxed, .first = 9, .size = 1, .lower = -0.1, .upper = 0.2},
        {.law = Law::bounded_by, .first = 10, .size = 1, .parent = 3, .friction = {0.5, 0}},
        {.law = Law::facets, .first = 11, .size = 3, .friction = {0.6, 0.6}, .facets = 6},
        {.law = Law::cone, .first = 14, .size = 3, .friction = {0.6, 0.3}},
        {.law = Law::cone, .first = 17, .size = 2, .friction = {0.4, 0.4}},
        {.law = Law::facets, .first = 19, .size = 2, .friction = {0.4, 0.4}, .facets = 2},
        {.law = Law::cone, .first = 21, .size = 3, .friction = {0, 0}},
        {.law = Law::facets, .first = 24, .size = 3, .friction = {0.3, 0.3}, .facets = 12}};
    for (const int normal : {11, 14, 17, 19, 21, 24}) b[normal] -= 1;
    for (const Problem& problem : three_forms(A, b, blocks)) {
      check(problem);
      const Solution found = solved(problem, {.max_sweeps = 20000, .tolerance = 1e-11});
      EXPECT_EQ(found.certificate.status, Status::exact)
          << "seed " << seed << " residual " << found.certificate.residual << " row " << found.certificate.worst_row;
    }
  }
}

// As printed, ξ gains and loses only a block's own part: it is ‖r‖² where blocks do not meet, and not where they do.
TEST(GaussSeidel, the_monitored_error_is_the_residual_of_blocks_that_do_not_meet) {
  Random random(12);
  const Eigen::MatrixXd A = random.positive(9, 1.0);
  const Vector b = random.vector(9);
  const auto run = [&](const Eigen::MatrixXd& matrix) {
    const Problem problem{matrix, b, free_blocks(every(3, 9))};
    GaussSeidel solver({.algorithm = Algorithm::monitored, .relaxation = 0.5});
    solver.begin(problem);
    for (int i = 0; i < 3; ++i) solver.sweep();
    return solver.monitored() - (matrix * solver.z() + b).squaredNorm();
  };
  Eigen::MatrixXd apart = Eigen::MatrixXd::Zero(9, 9);
  for (int i = 0; i < 9; i += 3) apart.block<3, 3>(i, i) = A.block<3, 3>(i, i);
  EXPECT_LE(std::abs(run(apart)), 1e-14 * b.squaredNorm());
  EXPECT_GT(std::abs(run(A)), 1e-3 * b.squaredNorm());
}

TEST(GaussSeidel, problems_of_other_simulators_are_solved) {
  for (const char* name : {"rover1039", "rover4396", "rover9770", "nespheres-10-1", "frictioncontact3d-1c",
                           "fc2d-slidercranklagrangian00000", "confeti-ex13-4contact-fc3d-sbm"}) {
    const Problem problem = read_friction_problem(name);
    const Solution found = solved(problem, {.max_sweeps = 20000, .tolerance = 1e-8});
    EXPECT_EQ(found.certificate.status, Status::exact)
        << name << ": " << found.certificate.residual << " after " << found.certificate.iterations;
    RecordProperty(name, std::to_string(found.certificate.iterations));
  }
}

// Nodes that do not move, rows that nothing answers, blocks without nodes: finite numbers, and a certificate that says what is left.
TEST(GaussSeidel, rows_that_nothing_answers_do_no_harm) {
  ProductBuilder builder;
  const std::vector<double> still(36, 0.0), G(18, 1.0);
  std::vector<double> moves(36, 0.0);
  for (int i = 0; i < 6; ++i) moves[7 * i] = 1;
  const int a = builder.node(6, still), b = builder.node(6, moves);
  for (const int node : {a, b, -1}) {
    builder.rows(std::vector<double>(3, 0.0));
    if (node >= 0) builder.entry(node, G);
  }
  const Product A = builder.build();
  for (const auto& blocks :
       {friction_cones(Vector::Constant(3, 0.5), 3), complementary_rows(9), free_blocks(every(3, 9))}) {
    const Problem problem{A, Vector::Constant(9, -1.0), blocks};
    const Solution found = solved(problem, {.max_sweeps = 50});
    EXPECT_TRUE(found.z.allFinite());
    EXPECT_EQ(found.certificate.status, Status::not_converged);
  }
}

}  // namespace gauss_seidel_test
}  // namespace catena::solve

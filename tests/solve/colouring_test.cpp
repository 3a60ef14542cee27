#include "catena/solve/colouring.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "catena/solve/gauss_seidel.h"
#include "solve/solve_testing.h"

namespace catena::solve {
namespace colouring_test {

using namespace testing_solve;
using Order = GaussSeidelOptions::Order;

// Friction between two nodes or on one, and now and then a block that cannot be a lane, on nodes of six components.
Problem pile(Random& random, int nodes, int blocks, bool mixed) {
  ProductBuilder builder;
  for (int n = 0; n < nodes; ++n) {
    const Eigen::MatrixXd Minv = random.positive(6, 0.5);
    builder.node(6, {Minv.data(), 36});
  }
  Problem problem;
  int first = 0;
  for (int k = 0; k < blocks; ++k) {
    const bool other = mixed && random.below(5) == 0;
    Block block{.law = Law::cone, .first = first, .size = 3, .friction = {0.6, k % 3 == 0 ? 0.3 : 0.6}};
    if (other) block = {.law = k % 2 == 0 ? Law::free : Law::complementary, .first = first, .size = 1 + k % 3};
    if (k % 17 == 0) block.friction = {0, 0};
    builder.rows(std::vector<double>(static_cast<std::size_t>(block.size), k % 4 == 0 ? 0.0 : 0.1));
    const int a = random.below(nodes), b = (a + 1 + random.below(nodes - 1)) % nodes;
    for (const int node : {a, b}) {
      const Vector G = random.vector(6 * block.size);
      if (node == a || random.below(3) > 0) builder.entry(node, {G.data(), static_cast<std::size_t>(G.size())});
    }
    problem.blocks.push_back(block);
    first += block.size;
  }
  problem.b = random.vector(first);
  for (const Block& block : problem.blocks)
    if (block.law == Law::cone) problem.b[block.first] -= 0.5;
  problem.A = builder.build();
  return problem;
}

// The problem with its blocks in another order.
Problem reordered(const Problem& from, const std::vector<int>& order) {
  const auto& A = std::get<Product>(from.A);
  ProductBuilder builder;
  for (int n = 0; n < A.nodes(); ++n) builder.node(6, {A.Minv.data() + A.inverse[n], 36});
  Problem to;
  to.b.resize(from.size());
  int first = 0;
  for (const int k : order) {
    Block block = from.blocks[k];
    builder.rows({A.sigma.data() + block.first, static_cast<std::size_t>(block.size)});
    for (int e = A.entry_start[k]; e < A.entry_start[k + 1]; ++e)
      builder.entry(A.entries[e].node, {A.G.data() + A.entries[e].value, static_cast<std::size_t>(6 * block.size)});
    to.b.segment(first, block.size) = from.b.segment(block.first, block.size);
    block.first = first;
    to.blocks.push_back(block);
    first += block.size;
  }
  to.A = builder.build();
  return to;
}

std::vector<int> nodes_of(const SweepRows& rows, int k) {
  std::vector<int> nodes;
  for (int s = 0; s < rows.rows[k].strips; ++s) nodes.push_back(rows.strips[rows.rows[k].strip + s].place);
  return nodes;
}

TEST(Colouring, every_block_comes_once_and_groups_share_no_node) {
  Random random(31);
  for (const int nodes : {9, 20, 300}) {
    const Problem problem = pile(random, nodes, 2000, true);
    GaussSeidel solver({.order = Order::coloured});
    solver.begin(problem);
    const Colouring& colouring = solver.colouring();
    std::vector<int> sorted = colouring.order;
    std::sort(sorted.begin(), sorted.end());
    for (int k = 0; k < 2000; ++k) ASSERT_EQ(sorted[k], k);
    int at = 0, grouped = 0;
    for (const Colouring::Run& run : colouring.runs) {
      ASSERT_EQ(run.first, at);
      at += run.count;
      if (run.lanes == 1) continue;
      grouped += run.count;
      ASSERT_EQ(run.count % run.lanes, 0);
      for (int i = run.first; i < run.first + run.count; i += run.lanes) {
        std::vector<int> nodes_of_group;
        for (int l = 0; l < run.lanes; ++l) {
          const std::vector<int> own = nodes_of(solver.rows(), colouring.order[i + l]);
          ASSERT_EQ(static_cast<int>(own.size()), run.strips);
          nodes_of_group.insert(nodes_of_group.end(), own.begin(), own.end());
        }
        std::sort(nodes_of_group.begin(), nodes_of_group.end());
        ASSERT_EQ(std::adjacent_find(nodes_of_group.begin(), nodes_of_group.end()), nodes_of_group.end());
      }
    }
    EXPECT_EQ(at, 2000);
    // Four in five can be lanes. Where four blocks need up to eight of nine nodes they find each other rarely.
    EXPECT_GT(grouped, nodes > 9 ? 1500 : 0) << nodes;
  }
}

// What is visited by fours has the bits of blocks visited one by one in the same order.
TEST(Colouring, lanes_make_the_iterates_of_the_same_order_one_by_one) {
  for (const auto method : {FrictionMethod::projection, FrictionMethod::approximate, FrictionMethod::exact})
    for (const bool mixed : {false, true}) {
      Random random(32);
      const Problem problem = pile(random, 40, 200, mixed);
      GaussSeidel lanes({.friction = method, .order = Order::coloured});
      lanes.begin(problem);
      const std::vector<int>& order = lanes.colouring().order;
      const Problem in_order = reordered(problem, order);
      GaussSeidel single({.friction = method});
      single.begin(in_order);
      for (int sweep = 0; sweep < 60; ++sweep) {
        lanes.sweep();
        single.sweep();
        for (std::size_t i = 0; i < order.size(); ++i) {
          const Block &here = in_order.blocks[i], &there = problem.blocks[order[i]];
          for (int a = 0; a < here.size; ++a)
            ASSERT_EQ(single.z()[here.first + a], lanes.z()[there.first + a])
                << "sweep " << sweep << " block " << order[i] << " row " << a;
        }
      }
      EXPECT_GT(lanes.z().norm(), 0);
    }
}

// Relaxed sweeps and the other algorithms take the order alone.
TEST(Colouring, all_algorithms_keep_the_coloured_order) {
  using Algorithm = GaussSeidelOptions::Algorithm;
  Random random(33);
  const Problem problem = pile(random, 40, 200, true);
  GaussSeidel wanted({.order = Order::coloured});
  wanted.begin(problem);
  for (int i = 0; i < 6; ++i) wanted.sweep();
  for (const Algorithm algorithm : {Algorithm::kept_residual, Algorithm::monitored}) {
    GaussSeidel other({.algorithm = algorithm, .order = Order::coloured});
    other.begin(problem);
    for (int i = 0; i < 6; ++i) other.sweep();
    // Six sweeps of some hundred operations each on numbers of order 1: rounding, with three digits of amplification.
    EXPECT_LE((other.z() - wanted.z()).norm(), 1e-11 * wanted.z().norm());
  }
}

TEST(Colouring, matrices_and_other_laws_are_swept_in_the_order_given) {
  Random random(34);
  const Product A = random_product(random, 8, {6}, std::vector<int>(10, 3), 0.5);
  const Vector b = random.vector(30);
  const auto blocks = friction_cones(Vector::Constant(10, 0.4), 3);
  const Problem dense{to_dense(A), b, blocks}, rows{A, b, complementary_rows(30)};
  for (const Problem& problem : {dense, rows}) {
    GaussSeidel coloured({.order = Order::coloured}), given;
    for (GaussSeidel* solver : {&coloured, &given}) solver->begin(problem);
    for (int i = 0; i < 5; ++i) {
      coloured.sweep();
      given.sweep();
    }
    EXPECT_EQ(coloured.z(), given.z());
  }
}

}  // namespace colouring_test
}  // namespace catena::solve

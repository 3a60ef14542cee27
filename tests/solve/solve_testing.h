// Problems for the tests of the iterative solvers.
#pragma once

#include <Eigen/Dense>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <random>
#include <string>

#include "catena/solve/problem.h"
#include "source_dir.h"

namespace catena::solve::testing_solve {

struct Random {
  std::mt19937_64 engine;
  explicit Random(unsigned seed) : engine(seed) {}
  double operator()(double low, double high) { return std::uniform_real_distribution<double>(low, high)(engine); }
  int below(int n) { return static_cast<int>(engine() % static_cast<unsigned>(n)); }
  Vector vector(int n) {
    Vector v(n);
    for (double& x : v) x = (*this)(-1, 1);
    return v;
  }
  // Symmetric, its eigenvalues between `least` and about n.
  Eigen::MatrixXd positive(int n, double least) {
    Eigen::MatrixXd B(n, n);
    for (double& x : B.reshaped()) x = (*this)(-1, 1);
    Eigen::MatrixXd A = B * B.transpose();
    A.diagonal().array() += least;
    return A;
  }
};

// Blocks of rows between random pairs of nodes whose dimensions go round through `dimensions`.
inline Product random_product(Random& random, int nodes, const std::vector<int>& dimensions,
                              const std::vector<int>& sizes, double sigma) {
  ProductBuilder builder;
  std::vector<int> dimension;
  for (int n = 0; n < nodes; ++n) {
    dimension.push_back(dimensions[n % dimensions.size()]);
    const Eigen::MatrixXd Minv = random.positive(dimension.back(), 0.5);
    builder.node(dimension.back(), {Minv.data(), static_cast<std::size_t>(Minv.size())});
  }
  for (const int size : sizes) {
    builder.rows(std::vector<double>(size, sigma));
    const int a = random.below(nodes), b = (a + 1 + random.below(nodes - 1)) % nodes;
    for (const int n : {a, b}) {
      const Vector G = random.vector(size * dimension[n]);
      builder.entry(n, {G.data(), static_cast<std::size_t>(G.size())});
    }
  }
  return builder.build();
}

inline BlockSparse to_block_sparse(const Eigen::MatrixXd& A, const std::vector<int>& cut) {
  std::vector<Triplet> triplets;
  for (int i = 0; i < A.rows(); ++i)
    for (int j = 0; j < A.cols(); ++j)
      if (A(i, j) != 0) triplets.push_back({i, j, A(i, j)});
  return block_sparse(cut, triplets);
}

inline std::vector<int> every(int step, int size) {
  std::vector<int> cut;
  for (int i = 0; i <= size; i += step) cut.push_back(i);
  return cut;
}

// A problem of the format described in tests/data/problems/README.md.
inline Problem read_friction_problem(const std::string& name) {
  std::ifstream file(source_dir() + "/tests/data/problems/" + name + ".json");
  const nlohmann::json json = nlohmann::json::parse(file);
  const nlohmann::json& W = json["W"];
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(W["rows"].get<int>(), W["cols"].get<int>());
  if (W.contains("dense"))
    for (int i = 0; i < A.rows(); ++i)
      for (int j = 0; j < A.cols(); ++j) A(i, j) = W["dense"][i][j].get<double>();
  else
    for (const auto& t : W["triplets"]) A(t[0].get<int>(), t[1].get<int>()) += t[2].get<double>();
  const auto q = json["q"].get<std::vector<double>>(), mu = json["mu"].get<std::vector<double>>();
  return {
      A, Eigen::Map<const Vector>(q.data(), static_cast<int>(q.size())),
      friction_cones(Eigen::Map<const Vector>(mu.data(), static_cast<int>(mu.size())), json["dimension"].get<int>())};
}

}  // namespace catena::solve::testing_solve

// Lemke's method on problems with known answers and on those it is known to have trouble with.
#include "catena/solve/lemke.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cstdint>
#include <fstream>
#include <nlohmann/json.hpp>

#include "catena/solve/solve.h"
#include "solve/random_problems.h"
#include "source_dir.h"

namespace catena::solve {
namespace lemke_test {

nlohmann::json reference(const std::string& name) {
  std::ifstream in(source_dir() + "/tests/data/references/" + name);
  return nlohmann::json::parse(in);
}

Eigen::MatrixXd matrix(const nlohmann::json& rows) {
  const int n = static_cast<int>(rows.size());
  Eigen::MatrixXd M(n, n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) M(i, j) = rows[i][j];
  return M;
}
Vector vector(const nlohmann::json& list) {
  Vector v(static_cast<int>(list.size()));
  for (int i = 0; i < v.size(); ++i) v[i] = list[i];
  return v;
}

void expect_one_of(const nlohmann::json& c, const Solution& solution) {
  const std::string name = c["name"];
  EXPECT_EQ(solution.certificate.status, Status::exact) << name;
  EXPECT_LE(solution.certificate.residual, 1e-14) << name;
  if (c.contains("infinitely_many")) return;
  double nearest = 1e300;
  for (const auto& answer : c["solutions"])
    nearest = std::min(nearest, (vector(answer) - solution.z).lpNorm<Eigen::Infinity>());
  EXPECT_LE(nearest, 1e-14) << name;
}

TEST(Lemke, HandSolvedProblems) {
  const nlohmann::json all = reference("n26a_lcp_hand.json");
  for (const auto& c : all["lcp"]) {
    const Problem problem{matrix(c["M"]), vector(c["q"]), complementary_rows(static_cast<int>(c["q"].size()))};
    const Solution solution = lemke(problem);
    if (c["solutions"].empty()) {
      EXPECT_EQ(solution.certificate.status, Status::ray) << c["name"];
      EXPECT_TRUE(solution.certificate.proved) << c["name"];
    } else {
      expect_one_of(c, solution);
    }
  }
  for (const auto& c : all["mlcp"]) {
    Problem problem{matrix(c["M"]), vector(c["q"]), complementary_rows(static_cast<int>(c["q"].size()))};
    for (const int row : c["free"]) problem.blocks[row].law = Law::free;
    expect_one_of(c, lemke(problem));
  }
  for (const auto& c : all["box"]) {
    Problem problem{matrix(c["M"]), vector(c["q"]), complementary_rows(static_cast<int>(c["q"].size()))};
    for (std::size_t i = 0; i < problem.blocks.size(); ++i) {
      problem.blocks[i].law = Law::boxed;
      problem.blocks[i].lower = c["lo"][i];
      problem.blocks[i].upper = c["hi"][i];
    }
    expect_one_of(c, lemke(problem));
  }
}

// The generator of n26b, in integers: the same on every machine.
class Generator {
 public:
  explicit Generator(std::uint64_t seed) : state_(seed) {}
  int integer(int low, int high) {
    state_ += 0x9E3779B97F4A7C15ULL;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    z ^= z >> 31;
    return low + static_cast<int>((z >> 33) % static_cast<std::uint64_t>(high - low + 1));
  }
  Eigen::MatrixXd matrix(int rows, int columns, int low, int high) {
    Eigen::MatrixXd X(rows, columns);
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < columns; ++j) X(i, j) = integer(low, high);
    return X;
  }

 private:
  std::uint64_t state_;
};

Eigen::MatrixXd friction_matrix(Generator& g, int n) {
  const int contacts = n / 6, freedoms = std::max(3, 2 * contacts + 1);
  const Eigen::MatrixXd J = g.matrix(3 * contacts, freedoms, -2, 2);
  const Eigen::MatrixXd A = J * J.transpose() + Eigen::MatrixXd::Identity(3 * contacts, 3 * contacts);
  Eigen::MatrixXd E = Eigen::MatrixXd::Zero(3 * contacts, n), M;
  std::vector<int> friction(contacts);
  for (int& f : friction) f = g.integer(0, 2);
  for (int c = 0; c < contacts; ++c) {
    E(3 * c, 6 * c) = 1;
    for (int j = 0; j < 4; ++j) E(3 * c + 1 + j / 2, 6 * c + 1 + j) = j % 2 == 0 ? 1 : -1;
  }
  M = E.transpose() * A * E;
  for (int c = 0; c < contacts; ++c) {
    M(6 * c + 5, 6 * c) = friction[c];
    for (int j = 1; j <= 4; ++j) {
      M(6 * c + j, 6 * c + 5) = 1;
      M(6 * c + 5, 6 * c + j) = -1;
    }
  }
  return M;
}

Eigen::MatrixXd generated(Generator& g, const std::string& cls, int n) {
  const Eigen::MatrixXd one = Eigen::MatrixXd::Identity(n, n);
  if (cls == "spd" || cls == "p_nonsym") {
    const Eigen::MatrixXd B = g.matrix(n, n, -2, 2);
    if (cls == "spd") return B * B.transpose() + one;
    const Eigen::MatrixXd S = g.matrix(n, n, -3, 3).triangularView<Eigen::StrictlyUpper>();
    return B * B.transpose() + one + S - S.transpose();
  }
  if (cls == "k_matrix") {
    Eigen::MatrixXd B = g.matrix(n, n, -2, 0);
    B.diagonal().setZero();
    const Vector diagonal = Vector::Ones(n) - B.rowwise().sum();
    return B + Eigen::MatrixXd(diagonal.asDiagonal());
  }
  if (cls == "psd_rank") {
    const Eigen::MatrixXd B = g.matrix(n, std::max(1, n / 2), -2, 2);
    return B * B.transpose();
  }
  return friction_matrix(g, n);
}

// 200 LCPs of 1 to 200 rows whose answers are known in integers. Unique ones are met to 1e-10 of their size; of the others w (semidefinite) or
// the laws alone (friction) are.
TEST(Lemke, RandomProblemsWithKnownAnswers) {
  const nlohmann::json all = reference("n26b_lcp_random.json");
  int solved = 0;
  for (const auto& c : all["problems"]) {
    const std::string cls = c["cls"];
    const int n = c["n"];
    Generator g(c["seed"]);
    const Eigen::MatrixXd M = generated(g, cls, n);
    ASSERT_EQ(M.sum(), c["sumM"].get<double>()) << cls << n;
    Vector z = Vector::Zero(n), w = Vector::Zero(n);
    for (int i = 0; i < n; ++i) {
      const bool active = g.integer(0, 1) == 1;
      (active ? z : w)[i] = g.integer(1, 9);
    }
    const Vector q = w - M * z;
    ASSERT_EQ(q.sum(), c["sumq"].get<double>()) << cls << n;
    // The friction class draws the constants of its bounds with either sign, for which no pivoting method is bound to end well (one of the
    // 40 needs the chain); the others are Lemke's own.
    const Problem problem{M, q, complementary_rows(n)};
    const Solution solution = cls == "friction" ? solve(problem) : lemke(problem);
    EXPECT_EQ(solution.certificate.status, Status::exact) << cls << n;
    EXPECT_LE(solution.certificate.residual, cls == "friction" ? 1e-10 : 1e-12) << cls << n;
    EXPECT_LE(solution.certificate.gap, cls == "friction" ? 1e-10 : 1e-12) << cls << n;
    if (cls == "spd" || cls == "p_nonsym" || cls == "k_matrix") {
      EXPECT_LE((solution.z - z).norm(), 1e-10 * z.norm()) << cls << n;
    }
    if (cls == "psd_rank") {
      EXPECT_LE((solution.w - w).norm(), 1e-10 * (w.norm() + q.norm())) << cls << n;
    }
    ++solved;
  }
  EXPECT_EQ(solved, 200);
}

// A bimatrix game: zero diagonal, so the plain path ends on a ray at once although there are three equilibria.
TEST(Lemke, FindsAnEquilibriumWhereTheFirstPathIsARay) {
  Eigen::MatrixXd M(4, 4);
  M << 0, 0, 10, 30, 0, 0, 20, 15, 10, 30, 0, 0, 20, 15, 0, 0;
  const Solution solution = lemke({M, Vector::Constant(4, -1), complementary_rows(4)});
  EXPECT_EQ(solution.certificate.status, Status::exact);
  EXPECT_LE(solution.certificate.residual, 1e-15);
}

// w₃ = −z₀ − z₁ − z₂ − 6 can never be ≥ 0: x = e₃ has Mᵀx ≤ 0 and qᵀx < 0.
TEST(Lemke, ProvesThatThereIsNoSolution) {
  Eigen::MatrixXd M(4, 4);
  M << 11, 0, 10, 1, 0, 11, 10, 1, 10, 10, 21, 1, -1, -1, -1, 0;
  Vector q(4);
  q << 50, 50, 10, -6;
  const Solution solution = lemke({M, q, complementary_rows(4)});
  ASSERT_EQ(solution.certificate.status, Status::ray);
  ASSERT_TRUE(solution.certificate.proved);
  EXPECT_LE((M.transpose() * solution.ray).maxCoeff(), 1e-12);
  EXPECT_LT(q.dot(solution.ray), 0);
}

// Murty's family on which complementary pivoting visits 2ⁿ bases from an unlucky start: lower triangular, M_ij = 2 below the diagonal.
// Row 0 is never feasible, but what the search ends on need not show it: every row of Mᵀx must be at most zero, also beside one of 1e9.
TEST(Lemke, ProofsHoldRowByRow) {
  Eigen::MatrixXd M(2, 2);
  M << 0, 0, -1e9, 0.5;
  const Solution solution = lemke({M, Eigen::Vector2d(-2, 0), complementary_rows(2)});
  EXPECT_EQ(solution.certificate.status, Status::ray);
  if (solution.certificate.proved) {
    EXPECT_LE((M.transpose() * solution.ray).maxCoeff(), 0);
  }
}

TEST(Lemke, MurtysExponentialExample) {
  const int n = 12;
  Eigen::MatrixXd M = Eigen::MatrixXd::Identity(n, n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < i; ++j) M(i, j) = 2;
  Vector expected = Vector::Zero(n);
  expected[0] = 1;
  const Solution solution = lemke({M, Vector::Constant(n, -1), complementary_rows(n)});
  EXPECT_EQ(solution.certificate.status, Status::exact);
  EXPECT_LE((solution.z - expected).norm(), 1e-14);
}

// A pyramid of n_f facets is n_f + 2 rows a contact (Jain eq. 10), and its answer tends to the cone's as n_f grows: the polygon misses the
// circle by 1 − cos(π/n_f).
TEST(Lemke, PyramidsApproachTheCone) {
  Problem problem{Eigen::MatrixXd(Eigen::Matrix3d::Identity()), Eigen::Vector3d(-2, 3, -1), {}};
  Eigen::Vector3d exact(2, 0, 0);
  exact.tail<2>() = -0.5 * 2 * Eigen::Vector2d(3, -1).normalized();
  double before = 1e300;
  for (const int facets : {4, 8, 16, 32, 64}) {
    problem.blocks = {{.law = Law::facets, .first = 0, .size = 3, .friction = {0.5, 0}, .facets = facets}};
    EXPECT_EQ(to_lcp(problem, 8).size(), facets + 2);
    const Solution solution = lemke(problem);
    EXPECT_EQ(solution.certificate.status, Status::exact) << facets;
    const double miss = (solution.z - exact).norm();
    EXPECT_LE(miss, 2 * std::numbers::pi / facets) << facets;
    EXPECT_LE(miss, before + 1e-12) << facets;
    before = miss;
  }
}

}  // namespace lemke_test
}  // namespace catena::solve

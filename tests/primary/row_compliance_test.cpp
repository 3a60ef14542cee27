// The compliance of rows by half a solve each, against J M⁻¹ Jᵀ formed densely.
#include "catena/primary/row_compliance.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "primary/reduced_testing.h"

namespace catena {
namespace row_compliance_test {

using namespace testing_reduced;

// A row of one to three terms on different bodies; its line of J is added to `lines`.
void add_random_row(Reduced& r, unsigned seed, RowCompliance& rows, Eigen::MatrixXd& lines) {
  std::mt19937_64 engine(seed);
  const std::vector<double> numbers = random_numbers(18, seed);
  std::vector<int> nodes;
  std::vector<Spatial> J;
  Eigen::RowVectorXd line = Eigen::RowVectorXd::Zero(r.n_v());
  for (std::size_t t = 0; t < 1 + seed % 3; ++t) {
    const int node = static_cast<int>(engine() % static_cast<unsigned>(r.model.size()));
    if (std::find(nodes.begin(), nodes.end(), node) != nodes.end()) continue;
    const double* x = numbers.data() + 6 * t;
    const Spatial own{{x[0], x[1], x[2]}, {x[3], x[4], x[5]}};
    nodes.push_back(node);
    J.push_back(force_from(own, r.system.com(r.system.links()[static_cast<std::size_t>(node)])));
    line += flat({own.linear, own.angular, 0}).transpose() *
            jacobian(r.system, r.model.nodes()[static_cast<std::size_t>(node)].body);
  }
  rows.add(nodes, J);
  lines.conservativeResize(lines.rows() + 1, r.n_v());
  lines.bottomRows(1) = line;
}

TEST(RowCompliance, is_J_M_inverse_J_transposed_on_200_random_forests) {
  double worst = 0;
  for (int seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    Reduced r(workloads::random_linkage(static_cast<std::uint64_t>(seed) + 1, 1 + seed % 40, 0));
    if (r.n_v() == 0) continue;
    const Eigen::MatrixXd M = mass_matrix(r.system);
    r.system.factor();
    RowCompliance rows(r.system);
    Eigen::MatrixXd J(0, r.n_v()), W(9, 9);
    for (unsigned i = 0; i < 9; ++i) add_random_row(r, 10 * static_cast<unsigned>(seed) + i, rows, J);
    rows.fill(W.data());
    const Eigen::MatrixXd wanted = J * M.ldlt().solve(J.transpose());
    worst = std::max(worst, (W - wanted).cwiseAbs().maxCoeff() / std::max(wanted.cwiseAbs().maxCoeff(), 1e-12));
  }
  RecordProperty("worst", fmt::format("{:.1e}", worst));
  EXPECT_LE(worst, 1e-10);
}

TEST(RowCompliance, keeps_the_rows_that_are_not_truncated) {
  Reduced r(workloads::random_linkage(7, 20, 0));
  r.system.factor();
  RowCompliance whole(r.system), again(r.system);
  Eigen::MatrixXd J(0, r.n_v()), W(6, 6), W_again(6, 6);
  for (unsigned i = 0; i < 6; ++i) add_random_row(r, i, whole, J);
  for (unsigned i = 0; i < 3; ++i) add_random_row(r, i, again, J);
  for (unsigned i = 20; i < 25; ++i) add_random_row(r, i, again, J);
  again.truncate(3);
  EXPECT_EQ(again.rows(), 3);
  for (unsigned i = 3; i < 6; ++i) add_random_row(r, i, again, J);
  whole.fill(W.data());
  again.fill(W_again.data());
  EXPECT_EQ(W, W_again);
}

}  // namespace row_compliance_test
}  // namespace catena

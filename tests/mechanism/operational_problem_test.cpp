// The operational-space compliance of held rows and laws, against the forest's KKT matrix written densely.
#include "catena/mechanism/operational_problem.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mechanism/mechanism_testing.h"

namespace catena {
namespace operational_problem_test {

using namespace testing_mechanism;

struct Operational {
  Scene scene;
  Kinematics kinematics;
  ReducedModel tree;
  ReducedSystem system;
  HeldRows held;
  JointState state;
  LawRows laws;
  OperationalProblem problem;

  Operational(std::uint64_t seed, int loops)
      : scene(workloads::random_linkage(seed, 8, loops)),
        kinematics(scene.model),
        tree(scene.model),
        system(tree),
        held(tree),
        laws(random_laws(scene.model, seed, 6)),
        problem(system) {
    kinematics.update(scene.model, scene.initial);
    tree.read(kinematics, state);
    system.update(state);
    system.factor();
    held.evaluate(kinematics);
    problem.assemble(kinematics, held, laws);
  }
  // The model with the joints of the forest alone.
  Model forest() const {
    Model out = scene.model;
    out.joints.clear();
    for (const ForestNode& node : tree.forest().nodes)
      if (node.joint.valid()) out.joints.push_back(scene.model.joints[node.joint]);
    return out;
  }
  Eigen::MatrixXd J(const KktReference& reference) const {
    const Eigen::Index h = held.rows();
    Eigen::MatrixXd out(h + static_cast<Eigen::Index>(laws.rows.size()), reference.M.rows());
    for (Eigen::Index i = 0; i < h; ++i) {
      std::vector<BodyVector> f(scene.model.bodies.size());
      held.add_force(static_cast<int>(i), 1, f);
      out.row(i) = reference.flat(f).transpose();
    }
    out.bottomRows(out.rows() - h) = J_of(laws, reference, scene.model.bodies.size());
    return out;
  }
};

TEST(OperationalProblem, its_compliance_is_what_rows_answer_each_other_with_through_the_forest) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(seed);
    const Operational at(seed, static_cast<int>(seed % 3));
    const Model forest = at.forest();
    KktReference reference(forest, at.scene.initial);
    const Eigen::MatrixXd J = at.J(reference);
    const Eigen::MatrixXd wanted = compliance_of(J, reference);
    Eigen::MatrixXd got = at.problem.compliance();
    got.triangularView<Eigen::StrictlyUpper>() = got.transpose();
    for (Eigen::Index i = 0; i < got.rows(); ++i) {
      const Eigen::Index law = i - at.held.rows();
      if (law >= 0) got(i, i) -= at.laws.rows[static_cast<std::size_t>(law)].sigma;
    }
    // Its diagonal may have Σ or not: what counts is J M̂⁻¹ Jᵀ off it, and on it with one of the two.
    for (Eigen::Index i = 0; i < got.rows(); ++i)
      for (Eigen::Index j = 0; j < i; ++j) EXPECT_NEAR(got(i, j), wanted(i, j), 1e-9 * wanted.cwiseAbs().maxCoeff());
  }
}

// The laws alone, the held rows having answered: the whole mechanism's matrix.
TEST(OperationalProblem, once_the_held_rows_have_answered_the_laws_have_the_compliance_of_the_whole_mechanism) {
  int loops_held = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(seed);
    Operational at(seed, static_cast<int>(seed % 3));
    loops_held += at.problem.held();
    KktReference whole(at.scene.model, at.scene.initial);
    const Eigen::MatrixXd J = J_of(at.laws, whole, at.scene.model.bodies.size());
    Eigen::MatrixXd wanted = compliance_of(J, whole);
    for (Eigen::Index i = 0; i < wanted.rows(); ++i) wanted(i, i) += at.laws.rows[static_cast<std::size_t>(i)].sigma;
    const Eigen::MatrixXd got = solve::to_dense(at.problem.problem().A);
    EXPECT_LE((got - wanted).cwiseAbs().maxCoeff(), 1e-8 * wanted.cwiseAbs().maxCoeff());
  }
  EXPECT_GT(loops_held, 5);
}

// b of all rows in, z of all rows out: held rows end at rest, laws where their own problem says.
TEST(OperationalProblem, impulses_of_all_rows_leave_the_held_ones_at_rest) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(seed);
    Operational at(seed, 2);
    const Eigen::Index held = at.problem.held(), rows = at.problem.rows();
    if (held == 0 || at.problem.dependent() > 0) continue;
    Eigen::VectorXd b(rows), z;
    for (Eigen::Index i = 0; i < rows; ++i) b[i] = std::sin(1.0 + static_cast<double>(i));
    at.problem.load(b);
    const solve::Vector laws = solve::Vector::LinSpaced(rows - held, 0.2, 1.4);
    at.problem.complete(laws, z);
    const Model forest = at.forest();
    KktReference reference(forest, at.scene.initial);
    const Eigen::MatrixXd J = at.J(reference), W = compliance_of(J, reference);
    const Eigen::VectorXd w = W * z + b;
    EXPECT_LE(w.head(held).cwiseAbs().maxCoeff(), 1e-8 * (1 + w.norm()));
    Eigen::VectorXd own = solve::to_dense(at.problem.problem().A) * laws + at.problem.problem().b;
    for (Eigen::Index i = 0; i < own.size(); ++i)
      EXPECT_NEAR(own[i] - at.laws.rows[static_cast<std::size_t>(i)].sigma * laws[i], w[held + i],
                  1e-8 * (1 + w.norm()));
    EXPECT_LE((z.tail(rows - held) - laws).norm(), 1e-14);
  }
}

}  // namespace operational_problem_test
}  // namespace catena

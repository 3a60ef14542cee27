// One contact problem, six formulations, one answer; sizes as in the paper; reduced coordinates with loops against the dense system.
#include "catena/mechanism/formulation.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "catena/joints/tree_system.h"
#include "catena/mechanism/law_problem.h"
#include "catena/solve/lcp_form.h"
#include "catena/solve/solve.h"
#include "joints/kkt_reference.h"
#include "primary/reduced_testing.h"

namespace catena {
namespace formulation_test {

using namespace testing_reduced;

// A linkage with contacts of random bodies with the ground or each other, a dry friction and a limit.
struct ContactCase {
  Reduced reduced;
  HeldRows held;
  LawRows laws;
  std::vector<BodyVector> f;
  std::vector<double> u;
  double h = 1e-2;

  ContactCase(int seed, int loops)
      : reduced(workloads::random_linkage(static_cast<std::uint64_t>(seed) + 1, 3 + seed % 12, loops)),
        held(reduced.model) {
    held.evaluate(reduced.kinematics);
    u = held.u;
    for (const Body& body : reduced.scene.model.bodies)
      f.push_back({body.mass * reduced.scene.model.gravity, {0.1, 0.2, 0.3}, 0});
    std::mt19937_64 engine(static_cast<unsigned>(seed));
    std::uniform_real_distribution<double> uniform(-1, 1);
    const auto vector = [&] { return Vec3{uniform(engine), uniform(engine), uniform(engine)}; };
    const int bodies = static_cast<int>(reduced.scene.model.bodies.size());
    for (int k = 0; k < 1 + seed % 4; ++k) {
      LawBlock block{.kind = LawKind::contact,
                     .a = BodyId(static_cast<int>(engine() % static_cast<unsigned>(bodies))),
                     .b = kGround,
                     .first = static_cast<int>(laws.rows.size()),
                     .size = 3,
                     .across = {.friction = {0.5, 0.5}}};
      if (k % 2 == 1) block.b = BodyId((block.a.value() + 1) % bodies);
      const Mat3 frame = frame_along(normalized(vector()));
      const Vec3 arm_a = 0.3 * vector(), arm_b = 0.3 * vector();
      for (const int axis : {2, 0, 1}) {
        const Vec3 n = frame.column(axis);
        LawRow row;
        row.a = {n, cross(arm_a, n), 0};
        if (block.b.valid()) row.b = {-n, -cross(arm_b, n), 0};
        laws.rows.push_back(row);
      }
      laws.blocks.push_back(block);
    }
  }
  ContactStep step() { return {reduced.kinematics, reduced.system, held, laws, reduced.state.v, f, u, h}; }
};

constexpr int kFacets = 4;
const solve::Options kLemke{.solver = solve::Solver::lemke, .tolerance = 1e-12};

// θ̇⁺ in operational space.
std::vector<double> by_operational_space(ContactCase& c, Eigen::VectorXd& z) {
  Reduced& r = c.reduced;
  std::vector<double> v(r.state.v.size()), dv(v.size());
  r.system.update(r.state);
  r.system.forward({}, c.f, {}, v);
  for (std::size_t i = 0; i < v.size(); ++i) v[i] = r.state.v[i] + c.h * v[i];
  std::vector<BodyVector> y(c.f.size()), p(c.f.size());
  r.system.motion(v, y);
  OperationalProblem problem(r.system);
  problem.assemble(r.kinematics, c.held, c.laws, kFacets);
  Eigen::VectorXd b(problem.rows());
  for (int i = 0; i < c.held.rows(); ++i) b[i] = c.held.times(i, y) - c.u[static_cast<std::size_t>(i)];
  for (const LawBlock& block : c.laws.blocks)
    for (int i = block.first; i < block.first + block.size; ++i)
      b[c.held.rows() + i] = times(c.laws, block, c.laws.rows[static_cast<std::size_t>(i)], y);
  problem.load(b);
  const solve::Solution solution = solve::solve(problem.problem(), kLemke);
  EXPECT_EQ(solution.certificate.status, solve::Status::exact);
  problem.complete(solution.z, z);
  for (int i = 0; i < c.held.rows(); ++i) c.held.add_force(i, z[i], p);
  for (const LawBlock& block : c.laws.blocks)
    for (int i = block.first; i < block.first + block.size; ++i)
      add_force(c.laws, block, c.laws.rows[static_cast<std::size_t>(i)], z[c.held.rows() + i], p);
  r.system.respond(p, dv);
  for (std::size_t i = 0; i < v.size(); ++i) v[i] += dv[i];
  return v;
}

TEST(Formulations, lead_to_the_same_velocities_on_200_random_contact_problems) {
  double worst = 0;
  int pushing = 0;
  for (int seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    ContactCase c(seed, seed % 3 == 0 ? 1 : 0);
    if (c.reduced.n_v() == 0) continue;
    Eigen::VectorXd z;
    std::vector<double> wanted = by_operational_space(c, z);
    pushing += z.tail(static_cast<Eigen::Index>(c.laws.rows.size())).cwiseAbs().maxCoeff() > 0;
    for (const Formulation formulation :
         {Formulation::non_minimal, Formulation::minimal, Formulation::reduced_minimal, Formulation::non_minimal_os}) {
      SCOPED_TRACE(static_cast<int>(formulation));
      c.reduced.system.update(c.reduced.state);
      const FormulationProblem formulated(formulation, c.step(), kFacets);
      const solve::Solution solution = solve::solve(formulated.problem(), kLemke);
      EXPECT_EQ(solution.certificate.status, solve::Status::exact) << solution.certificate.residual;
      std::vector<double> v(wanted.size());
      Eigen::VectorXd impulses;
      formulated.read(solution.z, impulses, v);
      worst = std::max(worst, testing_kkt::relative(map(v), map(wanted)));
    }
  }
  RecordProperty("worst", fmt::format("{:.1e}", worst));
  EXPECT_GE(pushing, 100);
  EXPECT_LE(worst, 1e-9);
}

TEST(Formulations, have_the_sizes_of_the_papers_tables) {
  // The dual-arm robot: 26 links on 26 hinges, 4 contacts, n_f = 4 (Table 1); pendulums of n links (Table 2).
  const Scene robot = workloads::linkage(workloads::Shape::chain, JointKind::hinge, 26);
  const ReducedModel model(robot.model);
  EXPECT_EQ(formulation_size(Formulation::non_minimal, model, 4, 4), 310);
  EXPECT_EQ(formulation_size(Formulation::minimal, model, 4, 4), 50);
  EXPECT_EQ(formulation_size(Formulation::reduced_minimal, model, 4, 4), 24);
  EXPECT_EQ(formulation_size(Formulation::operational_space, model, 4, 4), 24);
  const int table[][4] = {{3, 24, 39, 57},   {6, 24, 54, 90},    {12, 24, 84, 156},
                          {15, 24, 99, 189}, {24, 24, 144, 288}, {30, 24, 174, 354}};
  for (const auto& [n, os, nmc_os, nmc] : table) {
    const Scene scene = workloads::linkage(workloads::Shape::chain, JointKind::hinge, n);
    const ReducedModel pendulum(scene.model);
    EXPECT_EQ(formulation_size(Formulation::operational_space, pendulum, 4, 4), os);
    EXPECT_EQ(formulation_size(Formulation::non_minimal_os, pendulum, 4, 4), nmc_os);
    EXPECT_EQ(formulation_size(Formulation::non_minimal, pendulum, 4, 4), nmc);
  }
}

// The problem itself has that size once its friction is written out.
TEST(Formulations, are_as_large_as_they_say) {
  ContactCase c(4, 0);
  const int contacts = static_cast<int>(c.laws.blocks.size());
  for (const Formulation formulation :
       {Formulation::non_minimal, Formulation::minimal, Formulation::reduced_minimal, Formulation::non_minimal_os}) {
    const FormulationProblem formulated(formulation, c.step(), kFacets);
    EXPECT_EQ(solve::to_lcp(formulated.problem(), 0).size(),
              formulation_size(formulation, c.reduced.model, contacts, kFacets));
  }
}

// Accelerations of bodies whose joints have coordinates and whose loops are held rows, against the dense KKT system of all rows.
TEST(ReducedSystem, accelerates_200_random_forests_with_loops_like_the_dense_KKT_system) {
  double worst = 0;
  for (int seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    Reduced r(workloads::random_linkage(static_cast<std::uint64_t>(seed) + 5000, 3 + seed % 30, 3));
    testing_kkt::KktReference reference(r.scene.model, r.scene.initial);
    reference.solve(reference.weight_and_gyration(), reference.minus_c());
    const std::vector<BodyVector> wanted = reference.bodies(reference.y);

    std::vector<double> vdot(static_cast<std::size_t>(r.model.n_v())), dv(vdot.size());
    r.system.forward({}, {}, r.scene.model.gravity, vdot);
    std::vector<BodyVector> y(wanted.size()), bias(wanted.size()), p(wanted.size());
    r.system.motion(vdot, y);
    bias_accelerations(r.system, bias);
    for (std::size_t i = 0; i < y.size(); ++i) y[i] += bias[i];
    HeldRows held(r.model);
    held.evaluate(r.kinematics);
    RowSet loops(r.scene.model, r.model.forest().auxiliary);
    loops.evaluate(r.scene.model, r.kinematics);
    OperationalProblem problem(r.system);
    problem.assemble(r.kinematics, held, {});
    Eigen::VectorXd b(held.rows()), z;
    for (int i = 0; i < held.rows(); ++i) b[i] = held.times(i, y) + loops.c[static_cast<std::size_t>(i)];
    problem.load(b);
    problem.complete({}, z);
    for (int i = 0; i < held.rows(); ++i) held.add_force(i, z[i], p);
    r.system.respond(p, dv);
    std::vector<BodyVector> change(y.size());
    r.system.motion(dv, change);
    for (std::size_t i = 0; i < y.size(); ++i) y[i] += change[i];
    // Relative to the largest acceleration, or to gravity: some of these mechanisms cannot move at all.
    const Eigen::VectorXd answer = reference.flat(wanted);
    worst = std::max(worst, (reference.flat(y) - answer).cwiseAbs().maxCoeff() /
                                std::max(answer.cwiseAbs().maxCoeff(), norm(r.scene.model.gravity)));
  }
  RecordProperty("worst", fmt::format("{:.1e}", worst));
  EXPECT_LE(worst, 1e-10);
}

// Q Λ Qᵀ and Baraff's Jᵃ M̂⁻¹ K are one matrix (eq. 12 and eq. 50).
TEST(OperationalProblem, has_the_compliance_of_the_maximal_system) {
  double worst = 0;
  for (int seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(seed);
    ContactCase c(seed, 0);
    c.reduced.system.update(c.reduced.state);
    c.reduced.system.factor();
    OperationalProblem problem(c.reduced.system);
    problem.assemble(c.reduced.kinematics, c.held, c.laws);
    TreeSystem maximal(c.reduced.scene.model);
    ASSERT_TRUE(maximal.factor(c.reduced.kinematics));
    LawProblem anticipated(c.reduced.scene.model);
    anticipated.assemble(c.reduced.kinematics, maximal, c.laws);
    const Eigen::MatrixXd wanted = to_dense(anticipated.problem().A);
    worst = std::max(worst, (problem.compliance() - wanted).cwiseAbs().maxCoeff() / wanted.cwiseAbs().maxCoeff());
  }
  RecordProperty("worst", fmt::format("{:.1e}", worst));
  EXPECT_LE(worst, 1e-10);
}

}  // namespace formulation_test
}  // namespace catena

// Baraff's results (§9) beyond the table of trees: the other ways to solve he compares with, and three frictionless contacts as a linear
// complementarity problem.
#include <algorithm>
#include <cmath>
#include <limits>

#include "bench/figures.h"
#include "bench/workloads.h"
#include "catena/joints/tree_system.h"
#include "catena/laws/laws.h"
#include "catena/mechanism/dynamics.h"
#include "catena/solve/solve.h"

namespace catena::bench {
namespace {

// Accelerations under contacts that push and do not pull: §8.2, with step 4 a complementarity problem
//     a = W μ + a_free,   0 ≤ μ ⟂ a ≥ 0.
// The contacts have been found: searching for them is no part of the paper's times.
class ContactAccelerations {
 public:
  ContactAccelerations(const Scene& scene, LinearSolver solver)
      : scene_(scene),
        dynamics_(scene.model, scene.initial, solver),
        laws_(scene.model, dynamics_.kinematics(), kMargin),
        load_(scene.model.bodies.size()),
        none_(static_cast<std::size_t>(dynamics_.system().rows()), 0.0) {
    dynamics_.accelerations(scene.initial);
    laws_.find(dynamics_.kinematics());
    laws_.find_bias(dynamics_.kinematics());
    for (const LawBlock& block : laws_.rows().blocks)
      if (block.kind == LawKind::contact) touching_.push_back(block);
    const auto k = static_cast<Eigen::Index>(touching_.size());
    response_.assign(touching_.size(), load_);
    W_.setZero(k, k);
    problem_.b.setZero(k);
    problem_.blocks = solve::complementary_rows(static_cast<int>(k));
  }

  void compute() {
    dynamics_.accelerations(scene_.initial);  // steps 1 and 2
    const auto k = touching_.size();
    for (std::size_t j = 0; j < k; ++j) {  // step 3
      std::vector<BodyVector>& y = response_[j];
      std::fill(y.begin(), y.end(), BodyVector{});
      push(j, 1, y);
      dynamics_.system().solve(none_, y, {});
      for (std::size_t i = 0; i < k; ++i) W_(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = along(i, y);
      problem_.b[static_cast<Eigen::Index>(j)] = along(j, dynamics_.vdot) + row(j).c;
    }
    problem_.A = W_;
    mu_ = solve::solve(problem_).z;  // step 4
    std::fill(load_.begin(), load_.end(), BodyVector{});
    for (std::size_t j = 0; j < k; ++j) push(j, mu_[static_cast<Eigen::Index>(j)], load_);
    dynamics_.push(load_);  // step 5
  }

  std::size_t contacts() const { return touching_.size(); }
  int pushing() const { return static_cast<int>((mu_.array() > 0).count()); }
  // The worst of −a, −μ and |aμ|, measured by the largest acceleration and force.
  double violation() const {
    double worst = 0, largest_a = 1e-300, largest_mu = 1e-300;
    for (std::size_t j = 0; j < touching_.size(); ++j) {
      largest_a = std::max(largest_a, std::abs(problem_.b[static_cast<Eigen::Index>(j)]));
      largest_mu = std::max(largest_mu, mu_[static_cast<Eigen::Index>(j)]);
    }
    for (std::size_t j = 0; j < touching_.size(); ++j) {
      const double a = (along(j, dynamics_.vdot) + row(j).c) / largest_a;
      const double mu = mu_[static_cast<Eigen::Index>(j)] / largest_mu;
      worst = std::max({worst, -a, -mu, std::abs(a * mu)});
    }
    return worst;
  }

 private:
  static constexpr double kMargin = 1e-6;  // m: a point in the floor is at a gap of rounding

  const LawRow& row(std::size_t j) const { return laws_.rows().rows[static_cast<std::size_t>(touching_[j].first)]; }
  double along(std::size_t j, const std::vector<BodyVector>& y) const {
    return (touching_[j].a.valid() ? dot(row(j).a, y[touching_[j].a]) : 0) +
           (touching_[j].b.valid() ? dot(row(j).b, y[touching_[j].b]) : 0);
  }
  void push(std::size_t j, double mu, std::vector<BodyVector>& f) const {
    if (touching_[j].a.valid()) f[touching_[j].a] += mu * row(j).a;
    if (touching_[j].b.valid()) f[touching_[j].b] += mu * row(j).b;
  }

  const Scene& scene_;
  Dynamics dynamics_;
  Laws laws_;
  std::vector<LawBlock> touching_;
  std::vector<BodyVector> load_;
  std::vector<double> none_;
  std::vector<std::vector<BodyVector>> response_;
  Eigen::MatrixXd W_;
  solve::Problem problem_;
  solve::Vector mu_;
};

}  // namespace

void baraff_contacts(const Sink& sink) {
  const char* const name = "3-D, 96 primary + 3 contacts";
  const Scene scene = workloads::baraff(workloads::Baraff::spatial_32_contacts_3);
  ContactAccelerations tree(scene, LinearSolver::tree), dense(scene, LinearSolver::dense);
  tree.compute();
  const auto rows = static_cast<long>(96 + tree.contacts());
  const double fast = time_of([&] { tree.compute(); }), slow = time_of([&] { dense.compute(); });
  sink({"papers", name, rows, "contacts", static_cast<double>(tree.contacts()), "1"});
  sink({"papers", name, rows, "contacts that push", static_cast<double>(tree.pushing()), "1"});
  sink({"papers", name, rows, "complementarity", tree.violation(), "relative"});
  sink({"papers", name, rows, "whole acceleration", fast * 1e6, "us"});
  sink({"papers", name, rows, "whole acceleration, dense O(n^3)", slow * 1e6, "us"});
  sink({"papers", name, rows, "speed-up", slow / fast, "1"});
}

void baraff_solvers(const Sink& sink, const std::string& name, const Scene& resting) {
  // What falls freely needs no forces: with bodies that turn there are some to find.
  Scene scene = resting;
  for (std::size_t i = 0; i < scene.initial.bodies.size(); ++i)
    scene.initial.bodies[i].angular_velocity = {0, 0, std::sin(1.0 + static_cast<double>(i))};
  Dynamics exact(scene.model, scene.initial, LinearSolver::dense);
  exact.accelerations(scene.initial);
  const auto rows = static_cast<long>(exact.system().rows());
  for (const auto& [word, solver] : {std::pair{"dense H", LinearSolver::dense_kkt},
                                     {"conjugate gradients", LinearSolver::cg},
                                     {"conjugate gradients, tree", LinearSolver::cg_tree}}) {
    Dynamics dynamics(scene.model, scene.initial, solver);
    dynamics.accelerations(scene.initial);
    double miss = 0, size = 1e-300;
    for (std::size_t i = 0; i < exact.lambda.size(); ++i) {
      miss = std::max(miss, std::abs(dynamics.lambda[i] - exact.lambda[i]));
      size = std::max(size, std::abs(exact.lambda[i]));
    }
    const std::string title = std::string("whole acceleration, ") + word;
    sink({"papers", name, rows, title, time_of([&] { dynamics.accelerations(scene.initial); }) * 1e6, "us"});
    sink({"papers", name, rows, title + ", multipliers against dense", miss / size, "relative"});
    // How the time of an iterative method depends on what is asked of it.
    if (solver == LinearSolver::cg) {
      const auto& system = dynamic_cast<const ConjugateSystem&>(dynamics.system());
      sink({"papers", name, rows, title + ", iterations", static_cast<double>(system.last().iterations), "1"});
      dynamics.system().set_accuracy(1e-4);
      sink({"papers", name, rows, title + " to 1e-4", time_of([&] { dynamics.accelerations(scene.initial); }) * 1e6,
            "us"});
    } else if (solver == LinearSolver::cg_tree) {
      const auto& system = dynamic_cast<const TreeSystem&>(dynamics.system());
      sink({"papers", name, rows, title + ", iterations", static_cast<double>(system.last().iterations), "1"});
    }
  }
}

}  // namespace catena::bench

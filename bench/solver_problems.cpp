#include "bench/solver_problems.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <random>

#include "catena/scene/problem_file.h"
#include "catena/solve/natural_map.h"

namespace catena::bench {
namespace {

using Eigen::Vector3d;

constexpr double kFriction = 0.6, kTimeStep = 0.01, kGravity = 9.81;  // s, m/s²
constexpr double kSide[3] = {0.4, 0.2, 0.2};                          // of a box, m
constexpr double kMass = 8;                                           // kg

// Boxes that stand on the floor or on others; a contact pushes the upper one up and the lower one down.
class Stack {
 public:
  explicit Stack(unsigned seed) : random_(seed) {}

  int box(double x, double y, int level) {
    place_.emplace_back(x, y, (level + 0.5) * kSide[2]);
    return static_cast<int>(place_.size()) - 1;
  }
  // Two contacts across y, at x from the middle of the upper box. `lower` −1: the floor.
  void rest(int upper, int lower, double x) {
    for (const double y : {-0.5, 0.5})
      contacts_.push_back({upper, lower, place_[upper] + Vector3d(x, y * kSide[1], -kSide[2] / 2)});
  }

  solve::Problem build() {
    solve::ProductBuilder builder;
    solve::Vector v(6 * static_cast<Eigen::Index>(place_.size()));
    for (int i = 0; i < static_cast<int>(place_.size()); ++i) {
      Eigen::Matrix<double, 6, 6> Minv = Eigen::Matrix<double, 6, 6>::Zero();
      for (int a = 0; a < 3; ++a) {
        const double p = kSide[(a + 1) % 3], q = kSide[(a + 2) % 3];
        Minv(a, a) = 1 / kMass;
        Minv(3 + a, 3 + a) = 12 / (kMass * (p * p + q * q));
      }
      builder.node(6, {Minv.data(), 36});
      for (int k = 0; k < 6; ++k) v[6 * i + k] = 0.02 * noise();
      v[6 * i + 2] -= kTimeStep * kGravity;
    }
    solve::Problem problem;
    problem.b = solve::Vector::Zero(3 * static_cast<Eigen::Index>(contacts_.size()));
    for (std::size_t c = 0; c < contacts_.size(); ++c) add(contacts_[c], v, builder, problem.b.segment<3>(3 * c));
    problem.blocks =
        solve::friction_cones(solve::Vector::Constant(static_cast<Eigen::Index>(contacts_.size()), kFriction), 3);
    problem.A = in_blocks(builder.build());
    return problem;
  }

 private:
  struct Contact {
    int upper, lower;
    Vector3d point;
  };

  double noise() { return static_cast<double>(random_() >> 11) * 0x1p-52 - 1; }  // −1 … 1, the same everywhere

  void add(const Contact& contact, const solve::Vector& v, solve::ProductBuilder& builder,
           Eigen::Ref<Vector3d> b) const {
    const double rigid[3] = {0, 0, 0};
    builder.rows(rigid);
    for (const int body : {contact.upper, contact.lower}) {
      if (body < 0) continue;
      Eigen::Matrix<double, 3, 6, Eigen::RowMajor> G;
      int row = 0;
      for (const Vector3d& direction : {Vector3d(0, 0, 1), Vector3d(1, 0, 0), Vector3d(0, 1, 0)})
        G.row(row++) << direction.transpose(), (contact.point - place_[body]).cross(direction).transpose();
      if (body == contact.lower) G = -G;
      builder.entry(body, {G.data(), 18});
      b += G * v.segment<6>(6 * body);
    }
  }

  static solve::BlockSparse in_blocks(const solve::Matrix& product) {
    const solve::SparseRows W = to_sparse(product);
    std::vector<solve::Triplet> triplets;
    for (int i = 0; i < W.outerSize(); ++i)
      for (solve::SparseRows::InnerIterator at(W, i); at; ++at)
        triplets.push_back({i, static_cast<int>(at.col()), at.value()});
    std::vector<int> cut;
    for (int i = 0; i <= W.rows(); i += 3) cut.push_back(i);
    return solve::block_sparse(cut, triplets);
  }

  std::mt19937_64 random_;
  std::vector<Vector3d> place_;
  std::vector<Contact> contacts_;
};

SolverProblem columns(int boxes, int height) {
  Stack stack(1);
  for (int i = 0; i < boxes; ++i) {
    const int level = i % height;
    const int box = stack.box(2 * kSide[0] * (i / height), 0, level);
    for (const double x : {-0.5, 0.5}) stack.rest(box, level == 0 ? -1 : box - 1, x * kSide[0]);
  }
  return {"columns of " + std::to_string(height), "friction", stack.build()};
}

}  // namespace

// A brick rests on the two beneath it; each course is one brick shorter.
SolverProblem brick_wall(int base) {
  Stack stack(2);
  std::vector<int> below, course;
  for (int level = 0; level < base; ++level) {
    course.clear();
    for (int i = 0; i < base - level; ++i) {
      const int brick = stack.box(kSide[0] * (i + 0.5 * level), 0, level);
      stack.rest(brick, level == 0 ? -1 : below[i], -0.25 * kSide[0]);
      stack.rest(brick, level == 0 ? -1 : below[i + 1], 0.25 * kSide[0]);
      course.push_back(brick);
    }
    below = course;
  }
  return {"wall", "friction", stack.build()};
}

std::vector<SolverProblem> solver_problems(const std::string& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::vector<SolverProblem> problems;
  for (const auto& file : files) {
    ProblemFile read = load_problem(file.string());
    problems.push_back({file.stem().string(), read.kind, std::move(read.problem)});
  }
  problems.push_back(columns(50, 5));
  problems.push_back(columns(100, 5));
  problems.push_back(columns(150, 10));
  problems.push_back(brick_wall(13));
  problems.push_back(brick_wall(17));
  return problems;
}

TimeTo time_to(const solve::Problem& problem, double target, const SolverCall& call) {
  TimeTo out{std::numeric_limits<double>::infinity()};
  const double scale = matrix_scale(problem.A);
  const auto residual_of = [&](const solve::Vector& z) {
    solve::Vector w;
    multiply(problem.A, z, w);
    w += problem.b;
    return natural_residual(problem, z, w, scale).value;
  };
  for (double tolerance = 100 * target; tolerance > 1e-5 * target && tolerance > 1e-15; tolerance /= 10) {
    SolverAttempt attempt = call(tolerance);
    const double residual = residual_of(attempt.z);
    if (residual < out.residual) out.residual = residual;
    if (residual <= target) {
      const double seconds = time_of([&] { attempt = call(tolerance); });
      // A solver that spoils its own input is quick, but not right, the second time.
      if (residual_of(attempt.z) <= target) out.seconds = seconds;
      return out;
    }
    if (attempt.gave_up) return out;
  }
  return out;
}

void report_times(const Sink& sink, const SolverProblem& p, const std::string& solver, const SolverCall& call) {
  for (const auto& [name, target] : {std::pair{"1e-4", 1e-4}, {"1e-8", 1e-8}}) {
    const TimeTo time = time_to(p.problem, target, call);
    if (time.seconds == 0) {
      sink({"solvers", p.name, p.size(), solver + ": residual reached", time.residual, "1"});
      return;
    }
    sink({"solvers", p.name, p.size(), solver + " to " + name, time.seconds * 1e6, "us"});
  }
}

}  // namespace catena::bench

#include "catena/joints/front_system.h"

#include <algorithm>
#include <cmath>

#include "catena/math/assert.h"

namespace catena {
namespace {

// Inside fronts both points of a joint are one. Open by more than this, relative to the length of an arm, a solve is corrected with the rows as they are.
constexpr double kOpen = 1e-11;
// Balanced less well than this, relative to the largest force, likewise: long ladders of loops lose digits.
constexpr double kUnbalanced = 1e-10;
// With pivots above this a gap changes the motion by little more than its own size.
constexpr double kClear = 0.1;
// Balanced better than this where it was planned, a mechanism needs no such corrections: its motions may be asked for without multipliers.
constexpr double kBalanced = 1e-12;
// Joints that contradict each other are never closed better than they are where the mechanism was assembled: what that costs in digits is theirs,
// and corrections begin at so many times as much.
constexpr double kBeyondContradiction = 4;

FrontPlan plan_at(const Model& model, const Kinematics* kinematics) {
  if (const std::string why = fronts_decline(model); !why.empty())
    throw InputError("the solver fronts does not apply: " + why + "; take tree or dense");
  if (!kinematics) return *plan_fronts(model);
  FrontElimination single(model, *plan_fronts(model, 1e300, false));
  RowSet rows = all_rows(model);
  rows.evaluate(model, *kinematics);
  single.factor(*kinematics, rows, true);
  return *plan_fronts(model, 1e300, true, single.handed_rows());
}

struct Digits {
  double contradiction, balance;  // what no motion closes of the joints; how well forces are balanced
};

// Of a solve for one acceleration of everything, linear and angular, without a correction.
Digits digits_at(const Model& model, const FrontPlan& plan, const Kinematics& kinematics) {
  FrontElimination trial(model, plan);
  RowSet rows = all_rows(model);
  rows.evaluate(model, kinematics);
  trial.factor(kinematics, rows, true);
  const BodyVector all{{1, 1, 1}, {1, 1, 1}, 0};
  std::vector<BodyVector> y;
  for (std::size_t i = 0; i < model.bodies.size(); ++i)
    y.push_back(restricted(model.bodies[i].kind, kinematics.M(BodyId(i)) * all));
  std::vector<double> b(static_cast<std::size_t>(rows.rows())), lambda(b.size());
  trial.solve(rows, b, y, lambda);
  Digits digits{0, trial.force_residual()};
  std::fill(y.begin(), y.end(), BodyVector{});
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = rows.holonomic[i] ? -rows.phi[i] : 0;
  trial.solve(rows, b, y, {});
  for (std::size_t i = 0; i < b.size(); ++i) {
    bool turns = true;
    for (auto t = static_cast<std::size_t>(rows.start[i]); t < static_cast<std::size_t>(rows.start[i + 1]); ++t)
      turns = turns && rows.J[t].linear == Vec3{};
    const double left = std::abs(b[i] - rows.times(static_cast<int>(i), y));
    digits.contradiction = std::max(digits.contradiction, left / (turns ? 1 : plan.length));
  }
  return digits;
}

}  // namespace

FrontSystem::FrontSystem(const Model& model, const Kinematics* at)
    : RowRhsSystem(model),
      open_(kOpen),
      unbalanced_(kUnbalanced),
      elimination_(std::make_unique<FrontElimination>(model, plan_at(model, at))),
      pose_(model.bodies.size()),
      M_(model.bodies.size()) {
  const auto rows = static_cast<std::size_t>(rows_.rows());
  correction_.f.resize(M_.size());
  correction_.dy.resize(M_.size());
  correction_.db.resize(rows);
  correction_.dl.resize(rows);
  correction_.unread.resize(rows);
  named_.reserve(rows);
  numbers_.reserve(rows);
  if (!at) return;
  const Digits digits = digits_at(model, elimination_->plan(), *at);
  const double gap = kBeyondContradiction * digits.contradiction;
  open_ = std::max(kOpen, gap);
  unbalanced_ = std::max(kUnbalanced, gap);
  balanced_ = digits.balance <= std::max(kBalanced, gap);
}

bool FrontSystem::is_factored_at(const Kinematics& kinematics) const {
  for (std::size_t i = 0; i < M_.size(); ++i) {
    const BodyState& body = kinematics.body(BodyId(i));
    const Pose& pose = pose_[i];
    if (!(body.position == pose.position && body.orientation == pose.orientation && body.scale == pose.scale &&
          kinematics.M(BodyId(i)).angular == M_[i].angular))
      return false;
  }
  return true;
}

void FrontSystem::remember(const Kinematics& kinematics) {
  for (std::size_t i = 0; i < M_.size(); ++i) {
    const BodyState& body = kinematics.body(BodyId(i));
    pose_[i] = {body.position, body.orientation, body.scale};
    M_[i] = kinematics.M(BodyId(i));
  }
}

bool FrontSystem::factor(const Kinematics& kinematics, bool closed) {
  // The end of a step is the beginning of the next one. The rows hold the velocities of then, which solves do not ask for.
  if (current_ && is_factored_at(kinematics)) return true;
  rows_.evaluate_places(*model_, kinematics);
  factored_ = kinematics.stamp();
  remember(kinematics);
  current_ = closed;
  elimination_->factor(kinematics, rows_, closed);
  names_known_ = false;
  if (!closed) return true;
  const int redundant = elimination_->redundant();
  if (redundant_before_ >= 0 && redundant != redundant_before_) ++rank_changes_;
  redundant_before_ = redundant;
  return true;
}

// At the positions of the factorisation only what depends on velocities is missing.
void FrontSystem::acceleration_rhs(const Kinematics& kinematics, std::span<double> b) {
  if (factored_ == kinematics.stamp() || (current_ && is_factored_at(kinematics))) {
    rows_.evaluate_rates(*model_, kinematics);
    factored_ = kinematics.stamp();
  }
  RowRhsSystem::acceleration_rhs(kinematics, b);
}

void FrontSystem::solve(std::span<const double> b, std::span<BodyVector> y, std::span<double> lambda) {
  solve(b, y, lambda, true);
}
void FrontSystem::solve_any(std::span<const double> b, std::span<BodyVector> y, std::span<double> lambda) {
  solve(b, y, lambda, false);
}

void FrontSystem::solve(std::span<const double> b, std::span<BodyVector> y, std::span<double> lambda, bool least) {
  CATENA_ASSERT(b.size() == static_cast<std::size_t>(rows()) && y.size() == model_->bodies.size());
  CATENA_ASSERT(lambda.empty() || lambda.size() == b.size());
  const bool open = elimination_->largest_gap() > open_;
  if (lambda.empty()) {
    if (!least || !open || elimination_->least_pivot() > kClear) return elimination_->solve(rows_, b, y, lambda, least);
    lambda = correction_.unread;
  }
  std::copy(y.begin(), y.end(), correction_.f.begin());
  elimination_->solve(rows_, b, y, lambda, least);
  if (open || elimination_->force_residual() > unbalanced_) refine(b, y, lambda, least);
}

// Where a solve would have been corrected it is the motion as well that needs it.
bool FrontSystem::multipliers(std::span<const BodyVector> f, std::span<const BodyVector> y, std::span<double> lambda) {
  if (elimination_->largest_gap() > open_) return false;
  elimination_->multipliers(rows_, f, y, lambda);
  return elimination_->force_residual() <= unbalanced_;
}

// r = (f − M y + Jᵀλ, b − J y) with the rows as they are; once more for that.
void FrontSystem::refine(std::span<const double> b, std::span<BodyVector> y, std::span<double> lambda, bool least) {
  for (std::size_t i = 0; i < y.size(); ++i)
    correction_.dy[i] = restricted(model_->bodies[i].kind, correction_.f[i] + -1.0 * (M_[i] * y[i]));
  for (int i = 0; i < rows_.rows(); ++i) {
    const auto r = static_cast<std::size_t>(i);
    correction_.db[r] = b[r];
    for (auto t = static_cast<std::size_t>(rows_.start[r]); t < static_cast<std::size_t>(rows_.start[r + 1]); ++t)
      correction_.db[r] -= dot(rows_.J[t], y[rows_.body[t]]);
    rows_.add_force(i, lambda[r], correction_.dy);
  }
  elimination_->add_inertia_forces(y, -1, correction_.dy);
  elimination_->solve(rows_, correction_.db, correction_.dy, correction_.dl, least);
  for (std::size_t i = 0; i < y.size(); ++i) y[i] += correction_.dy[i];
  for (std::size_t i = 0; i < lambda.size(); ++i) lambda[i] += correction_.dl[i];
}

bool FrontSystem::carries_inertia(JointId joint) const { return elimination_->carries_inertia(joint); }
void FrontSystem::set_freedom_inertia(std::span<const JointArray> a) {
  if (elimination_->set_freedom_inertia(a)) current_ = false;
}

bool FrontSystem::body_compliance(std::span<const BodyId> bodies, Eigen::MatrixXd& W) {
  elimination_->compliance(bodies, W);
  return true;
}

const std::vector<RowName>& FrontSystem::redundant() const {
  if (names_known_) return named_;
  elimination_->redundant_rows(rows_, numbers_);
  named_.clear();
  for (const int row : numbers_) {
    const JointId joint = rows_.joint_of[static_cast<std::size_t>(row)];
    named_.push_back({joint, row - row_start_[joint]});
  }
  names_known_ = true;
  return named_;
}

}  // namespace catena

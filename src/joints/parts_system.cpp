#include "catena/joints/parts_system.h"

#include <fmt/format.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "catena/math/elementary.h"

namespace catena {
namespace {

double largest(std::span<const double> v) {
  double size = 0;
  for (const double x : v) size = std::max(size, std::abs(x));
  return size;
}

double dot(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

// y ← x + s y.
void add_scaled(double s, std::span<const double> x, std::span<double> y) {
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = x[i] + s * y[i];
}
void add_scaled(double s, std::span<const BodyVector> x, std::span<BodyVector> y) {
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = x[i] + s * y[i];
}

}  // namespace

struct PartsSystem::Crew {
  explicit Crew(int threads) : arena(threads) {}
  tbb::task_arena arena;
};

PartsSystem::PartsSystem(const Model& model, int threads, std::unique_ptr<ConstraintSystem> direct)
    : RowRhsSystem(model),
      direct_(std::move(direct)),
      in_turn_(direct_ == nullptr),
      crew_(threads > 1 ? std::make_unique<Crew>(threads) : nullptr),
      threads_(threads),
      M_(model.bodies.size()) {
  for (auto* v : {&iterates_.x, &iterates_.r, &iterates_.z, &iterates_.p, &iterates_.q})
    v->resize(static_cast<std::size_t>(rows()));
  for (auto* v : {&iterates_.x_motion, &iterates_.z_motion, &iterates_.p_motion}) v->resize(M_.size());
}

PartsSystem::~PartsSystem() = default;

template <class F>
void PartsSystem::for_each_part(F&& f) {
  if (!crew_) {
    for (Answering& part : parts_) f(part);
    return;
  }
  crew_->arena.execute([&] { tbb::parallel_for(std::size_t{0}, parts_.size(), [&](std::size_t i) { f(parts_[i]); }); });
}

bool PartsSystem::factor(const Kinematics& kinematics, bool closed) {
  if (!tried_ && !try_parts(kinematics, closed)) return false;
  return direct_ ? direct_->factor(kinematics, closed) : factor_parts(kinematics);
}

bool PartsSystem::factor_parts(const Kinematics& kinematics) {
  rows_.evaluate(*model_, kinematics);
  factored_ = kinematics.stamp();
  for (std::size_t i = 0; i < M_.size(); ++i) M_[i] = kinematics.M(BodyId(i));
  for_each_part([&](Answering& part) { part.factored = part.system.factor(kinematics); });
  for (const Answering& part : parts_)
    if (!part.factored) {
      const JointId joint = part.system.failed_joint();
      failure_ = joint.valid() ? "the rows of joint '" + model_->joints[joint].name + "' depend on each other"
                               : "a mass block is not positive definite";
      return false;
    }
  return true;
}

void PartsSystem::split(const Kinematics& kinematics) {
  std::size_t layers = 0;
  for (Part& part : acyclic_parts(*model_, kinematics)) {
    layers = std::max(layers, part.layer + 1);
    parts_.push_back({MaximalSystem(*model_, std::move(part.forest)), part.layer});
    for (const JointId joint : part.joints)
      for (int i = 0; i < row_count(*model_, model_->joints[joint]); ++i)
        parts_.back().rows.push_back(row_start(joint) + i);
  }
  std::stable_sort(parts_.begin(), parts_.end(),
                   [](const Answering& a, const Answering& b) { return a.layer < b.layer; });
  answers_.assign(layers, std::vector<BodyVector>(M_.size()));
}

// Whether the iteration over the parts converges, for an error that every mechanism can have: that of some motion of its bodies.
bool PartsSystem::try_parts(const Kinematics& kinematics, bool closed) {
  tried_ = true;
  split(kinematics);
  if (in_turn_) return true;
  if (!direct_->factor(kinematics, closed)) {
    failure_ = direct_->failure();
    return false;
  }
  why_direct_ = "some rows depend on others";
  if (!direct_->redundant().empty() || !factor_parts(kinematics)) return true;
  why_direct_ = fmt::format("they do not converge in {} iterations", kPatience);
  for (std::size_t i = 0; i < iterates_.x_motion.size(); ++i) {
    const auto s = static_cast<double>(i);
    iterates_.x_motion[i] = restricted(
        model_->bodies[i].kind,
        {{portable::sin(s), portable::sin(2 * s + 1), portable::sin(3 * s + 2)}, {portable::cos(s), 1, 0.5}, 0});
  }
  for (int i = 0; i < rows_.rows(); ++i) iterates_.q[static_cast<std::size_t>(i)] = rows_.times(i, iterates_.x_motion);
  const std::vector<double> error = iterates_.q;
  constexpr double kTrial = 1e-6;
  const double asked = std::exchange(accuracy_, kTrial);
  iterate(error, kPatience);
  accuracy_ = asked;
  if (iterations_ < kPatience) direct_.reset();
  return true;
}

void PartsSystem::set_accuracy(double relative) {
  accuracy_ = relative;
  if (direct_) direct_->set_accuracy(relative);
}

// z = P⁻¹ r and its motion M⁻¹Jᵀz: every part answers the error of its own joints.
void PartsSystem::precondition() {
  for_each_part([this](Answering& part) {
    std::vector<BodyVector>& y = answers_[part.layer];
    for (const ForestNode& node : part.system.forest().nodes) y[node.body] = {};
    part.system.solve(iterates_.r, y, iterates_.z);
  });
  std::copy(answers_[0].begin(), answers_[0].end(), iterates_.z_motion.begin());
  for (std::size_t layer = 1; layer < answers_.size(); ++layer)
    for (std::size_t i = 0; i < iterates_.z_motion.size(); ++i) iterates_.z_motion[i] += answers_[layer][i];
}

// Conjugate gradients on A x = b; A p = J (M⁻¹Jᵀp), whose motion the parts have already found.
void PartsSystem::iterate(std::span<const double> b, int most) {
  auto& [x, r, z, p, q, x_motion, z_motion, p_motion] = iterates_;
  std::copy(b.begin(), b.end(), r.begin());
  std::fill(x.begin(), x.end(), 0.0);
  std::fill(x_motion.begin(), x_motion.end(), BodyVector{});
  const double goal = accuracy_ * largest(r);
  double rho_before = 0;
  for (iterations_ = 0; iterations_ < most && largest(r) > goal; ++iterations_) {
    precondition();
    const double rho = dot(r, z);
    const double beta = iterations_ > 0 ? rho / rho_before : 0;
    rho_before = rho;
    add_scaled(beta, z, p);
    add_scaled(beta, z_motion, p_motion);
    for (int i = 0; i < rows_.rows(); ++i) q[static_cast<std::size_t>(i)] = rows_.times(i, p_motion);
    const double curvature = dot(p, q);
    if (!(curvature > 0)) return;  // rounding is all that is left
    const double alpha = rho / curvature;
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] += alpha * p[i];
      r[i] -= alpha * q[i];
    }
    for (std::size_t i = 0; i < x_motion.size(); ++i) x_motion[i] += alpha * p_motion[i];
  }
}

// Parts of one layer are neighbours in the list.
void PartsSystem::take_turns(std::span<const double> b) {
  std::fill(iterates_.x.begin(), iterates_.x.end(), 0.0);
  std::fill(iterates_.x_motion.begin(), iterates_.x_motion.end(), BodyVector{});
  const auto take_turn = [&](Answering& part) {
    std::vector<BodyVector>& y = answers_[part.layer];
    for (const ForestNode& node : part.system.forest().nodes) y[node.body] = {};
    for (const int row : part.rows) {
      const auto i = static_cast<std::size_t>(row);
      iterates_.r[i] = b[i] - rows_.times(row, iterates_.x_motion);
    }
    part.system.solve(iterates_.r, y, iterates_.z);
    for (const int row : part.rows)
      iterates_.x[static_cast<std::size_t>(row)] += iterates_.z[static_cast<std::size_t>(row)];
    for (const ForestNode& node : part.system.forest().nodes) iterates_.x_motion[node.body] += y[node.body];
  };
  const double goal = accuracy_ * largest(b);
  for (iterations_ = 0; iterations_ < kMostTurns; ++iterations_) {
    double left = 0;
    for (int i = 0; i < rows_.rows(); ++i)
      left = std::max(left, std::abs(b[static_cast<std::size_t>(i)] - rows_.times(i, iterates_.x_motion)));
    if (left <= goal) return;
    for (std::size_t begin = 0, end = 0; begin < parts_.size(); begin = end) {
      while (end < parts_.size() && parts_[end].layer == parts_[begin].layer) ++end;
      if (crew_)
        crew_->arena.execute([&] { tbb::parallel_for(begin, end, [&](std::size_t i) { take_turn(parts_[i]); }); });
      else
        for (std::size_t i = begin; i < end; ++i) take_turn(parts_[i]);
    }
  }
}

void PartsSystem::solve(std::span<const double> b, std::span<BodyVector> y, std::span<double> lambda) {
  if (direct_) return direct_->solve(b, y, lambda);
  // What the forces do alone, and what the joints lack then.
  for (std::size_t i = 0; i < y.size(); ++i)
    iterates_.z_motion[i] = y[i] = inverse_times(model_->bodies[i].kind, M_[i], y[i]);
  for (int i = 0; i < rows_.rows(); ++i)
    iterates_.z[static_cast<std::size_t>(i)] = b[static_cast<std::size_t>(i)] - rows_.times(i, iterates_.z_motion);
  if (in_turn_) {
    std::copy(iterates_.z.begin(), iterates_.z.end(), iterates_.q.begin());
    take_turns(iterates_.q);
  } else {
    iterate(iterates_.z, kMostIterations);
  }
  for (std::size_t i = 0; i < y.size(); ++i) y[i] += iterates_.x_motion[i];
  std::copy(iterates_.x.begin(), lambda.empty() ? iterates_.x.begin() : iterates_.x.end(), lambda.begin());
}

std::string PartsSystem::remark() const {
  if (direct_) return fmt::format("{} acyclic parts solved at once instead: {}", parts_.size(), why_direct_);
  return fmt::format("{} acyclic parts in {} layers{}, {} threads", parts_.size(), answers_.size(),
                     in_turn_ ? " that take turns" : "", threads_);
}

}  // namespace catena

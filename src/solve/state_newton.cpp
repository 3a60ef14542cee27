#include "catena/solve/state_newton.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "catena/math/dispatch.h"
#include "catena/math/scalar.h"

namespace catena::solve {
namespace {

// How much the residual may rise over the best so far before a step is taken back: where states change the way down often leads up first.
constexpr double kRise = 3;

}  // namespace

bool StateNewton::takes(const Problem& problem) {
  return std::holds_alternative<Eigen::MatrixXd>(problem.A) &&
         std::all_of(problem.blocks.begin(), problem.blocks.end(), [](const Block& block) {
           return block.law == Law::free || block.law == Law::complementary || block.law == Law::boxed ||
                  block.law == Law::bounded_by ||
                  (block.law == Law::cone && (block.size == 2 || block.friction[0] == block.friction[1]));
         });
}

void StateNewton::begin(const Problem& problem, double soft, const Solution& solution) {
  A_ = std::get<Eigen::MatrixXd>(problem.A).data();
  size_ = static_cast<std::size_t>(problem.size());
  scale_ = matrix_scale(problem.A);
  const bool known = !changed_ && soft_.over_scale == soft && system_.factored_of.size() == size_ * size_ &&
                     (size_ == 0 || std::memcmp(system_.factored_of.data(), A_, size_ * size_ * sizeof(double)) == 0);
  soft_.over_scale = soft;
  if (!known) states_.role.assign(size_, Role::fixed);
  states_.block_of.resize(size_);
  states_.slip.assign(problem.blocks.size(), {});
  start_ = best_ = solution.z;
  changed_ = !known;
  system_.copied = known;
  states_.forced.assign(problem.blocks.size(), Forced::no);
}

bool StateNewton::solve(const Problem& problem, double tolerance, double acceptable, Solution& solution, double soft,
                        int most_steps) {
  begin(problem, soft, solution);
  soft_.taken_out = soft > kHard;
  double least = kInfinity, last = kInfinity;
  int k = 0;
  for (bool shortened = false;; ++k) {
    certify(problem, scale_, tolerance, solution, work_);
    double residual = solution.certificate.residual;
    const bool astray = !(residual <= kRise * least);
    if (astray && shortened) break;
    if (residual < least || shortened) {
      least = residual;
      best_ = solution.z;
    } else if (astray) {
      solution.z = best_;
      certify(problem, scale_, tolerance, solution, work_);
      residual = least;
    }
    if (residual <= tolerance || k == most_steps) break;
    const bool whole = !astray && !shortened;  // the last step was taken as it came
    if (whole) std::fill(states_.forced.begin(), states_.forced.end(), Forced::no);
    shortened = astray;
    choose(problem, solution);
    // What is asked for contradicts itself by that much.
    if ((!changed_ || residual <= acceptable) && whole && residual > 0.5 * last) break;
    last = residual;
    if (!find_step(problem, solution)) break;
    const double length = shortened ? to_first_change(problem, solution.z) : 1;
    for (std::size_t i = 0; i < size_; ++i) solution.z[static_cast<Eigen::Index>(i)] += length * dz_[i];
  }
  return finish(problem, tolerance, acceptable, least, k, solution);
}

bool StateNewton::approach(const Problem& problem, double tolerance, double acceptable, const Approach& by,
                           Solution& solution) {
  begin(problem, by.soft, solution);
  soft_.taken_out = false;
  changed_ = true;
  double least = kInfinity, last = kInfinity;
  int k = 0;
  for (;; ++k) {
    certify(problem, scale_, tolerance, solution, work_);
    const double residual = solution.certificate.residual;
    if (residual < least) {
      least = residual;
      best_ = solution.z;
    }
    if (residual <= tolerance || k == by.steps) break;
    choose(problem, solution);
    const bool hard = soft_.over_scale <= kHard;
    if (hard && !changed_ && residual > 0.5 * last) break;  // what is asked for contradicts itself by that much
    last = residual;
    changed_ = changed_ || !hard;
    if (!find_step(problem, solution)) break;
    for (std::size_t i = 0; i < size_; ++i) solution.z[static_cast<Eigen::Index>(i)] += dz_[i];
    soft_.over_scale = std::max(kHard, by.shrink * soft_.over_scale);
  }
  return finish(problem, tolerance, acceptable, least, k, solution);
}

// dz_ of one step for the states chosen.
bool StateNewton::find_step(const Problem& problem, const Solution& solution) {
  add_known(problem, solution);
  if (changed_) {
    if (!system_.copied) system_.factored_of.assign(A_, A_ + size_ * size_);
    system_.copied = true;
    const auto slides = [](const Slip& slip) { return slip.friction > 0; };
    // Where nothing slips the matrix is symmetric.
    bool factored = false;
    if (states_.followers.empty() && std::none_of(states_.slip.begin(), states_.slip.end(), slides)) {
      fill(true);
      factored = system_.factors.factor_symmetric();
    }
    if (!factored) {
      fill(false);
      if (!system_.factors.factor()) return false;
    }
    changed_ = false;
  }
  solve_step(solution);
  return true;
}

bool StateNewton::finish(const Problem& problem, double tolerance, double acceptable, double least, int steps,
                         Solution& solution) {
  const bool found = least <= std::max(tolerance, acceptable);
  solution.z = found ? best_ : start_;
  if (!found || solution.certificate.residual != least) certify(problem, scale_, tolerance, solution, work_);
  if (!found) return false;
  solution.certificate.status = Status::exact;
  solution.certificate.solver = "states";
  solution.certificate.iterations = steps;
  return true;
}

void StateNewton::choose(const Problem& problem, const Solution& solution) {
  changed_ = changed_ ||
             std::any_of(states_.slip.begin(), states_.slip.end(), [](const Slip& slip) { return slip.friction > 0; });
  dz_.assign(size_, 0.0);
  for (std::size_t k = 0; k < problem.blocks.size(); ++k) {
    const Block& block = problem.blocks[k];
    const double *z = solution.z.data() + block.first, *w = solution.w.data() + block.first;
    states_.slip[k] = {};
    if (block.law == Law::cone) {
      choose_cone(block, z, w, k);
      continue;
    }
    if (block.law == Law::bounded_by) continue;
    const bool box = block.law == Law::boxed;
    const double lower = box                    ? block.lower
                       : block.law == Law::free ? -kInfinity
                                                : 0,
                 upper = box ? block.upper : kInfinity;
    for (int i = 0; i < block.size; ++i) {
      const int row = block.first + i;
      const double answer = A_[static_cast<std::size_t>(row) * (size_ + 1)];
      choose_row(row, z[i] - w[i] / (answer > 0 ? answer : scale_), lower, upper, z[i]);
    }
  }
  states_.followers.clear();
  for (const Block& block : problem.blocks)
    if (block.law == Law::bounded_by) choose_follower(block, solution);
}

// After the rows that give the bounds have their states.
void StateNewton::choose_follower(const Block& block, const Solution& solution) {
  const auto i = static_cast<std::size_t>(block.first), parent = static_cast<std::size_t>(block.parent);
  const double own = A_[i * (size_ + 1)], z = solution.z[block.first];
  const double v = z - solution.w[block.first] / (own > 0 ? own : scale_);
  const bool open = states_.role[parent] == Role::fixed;  // its z will be zero
  const double reach = open ? 0 : block.friction[0] * std::max(solution.z[block.parent], 0.0);
  const Role role = open ? Role::fixed : v >= reach ? Role::above : v <= -reach ? Role::below : Role::held;
  changed_ = changed_ || role != states_.role[i];
  states_.role[i] = role;
  if (role == Role::held) return;
  const double sign = role == Role::above ? 1 : -1;
  dz_[i] = sign * reach - z;
  if (!open) states_.followers.push_back({i, parent, sign * block.friction[0]});
}

void StateNewton::choose_row(int row, double v, double lower, double upper, double z) {
  const auto i = static_cast<std::size_t>(row);
  const Role role = v <= lower || v >= upper ? Role::fixed : Role::held;
  changed_ = changed_ || role != states_.role[i];
  states_.role[i] = role;
  if (role == Role::fixed) dz_[i] = (v <= lower ? lower : upper) - z;
}

void StateNewton::choose_cone(const Block& block, const double* z, const double* w, std::size_t k) {
  const auto first = static_cast<std::size_t>(block.first);
  const int tangents = block.size - 1;
  double answer = 0;
  for (int i = 0; i < block.size; ++i)
    answer = std::max(answer, A_[(first + static_cast<std::size_t>(i)) * (size_ + 1)]);
  const double rho = 1 / (answer > 0 ? answer : scale_);
  const double v_n = z[0] - rho * w[0];
  double v_t[2] = {z[1] - rho * w[1], tangents == 2 ? z[2] - rho * w[2] : 0};
  const double size = std::sqrt(v_t[0] * v_t[0] + v_t[1] * v_t[1]), reach = block.friction[0] * v_n;
  const auto set = [&](int i, Role role) {
    Role& own = states_.role[first + static_cast<std::size_t>(i)];
    changed_ = changed_ || own != role;
    own = role;
  };
  for (int i = 0; i < block.size; ++i) states_.block_of[first + static_cast<std::size_t>(i)] = static_cast<int>(k);
  if (v_n <= 0 || states_.forced[k] == Forced::open) {
    for (int i = 0; i < block.size; ++i) {
      set(i, Role::fixed);
      dz_[first + static_cast<std::size_t>(i)] = -z[i];
    }
  } else if (size <= reach && !(states_.forced[k] == Forced::slip && size > 0)) {
    for (int i = 0; i < block.size; ++i) set(i, Role::held);
  } else if (!(reach > 0)) {  // without friction
    set(0, Role::held);
    for (int i = 1; i < block.size; ++i) {
      set(i, Role::fixed);
      dz_[first + static_cast<std::size_t>(i)] = -z[i];
    }
  } else {
    changed_ = true;
    Slip& slip = states_.slip[k];
    slip.friction = block.friction[0];
    for (int i = 0; i < 2; ++i) slip.e[i] = v_t[i] / size;
    const double a = std::min(reach / size, 1.0), across = tangents == 2 ? slip.e[0] * z[2] - slip.e[1] * z[1] : 0;
    slip.stiffness = (1 - a) / (a * rho);
    slip.pull = -across / (a * rho);
    // Onto the cone along e; the rest follows the normal.
    const double along = slip.e[0] * z[1] + (tangents == 2 ? slip.e[1] * z[2] : 0);
    const double miss = slip.friction * z[0] - along;
    set(0, Role::slides);
    set(1, tangents == 2 ? Role::across : Role::along);
    if (tangents == 2) set(2, Role::along);
    for (int i = 0; i < tangents; ++i) dz_[first + 1 + static_cast<std::size_t>(i)] = miss * slip.e[i];
  }
}

// How much of the step can be taken before the first contact that is held comes to slip or opens: where rows nearly depend on each other
// the whole of it may go very far along what hardly changes w.
double StateNewton::to_first_change(const Problem& problem, const Vector& z) {
  double length = 1;
  std::size_t first_to = 0;
  Forced how = Forced::no;
  for (std::size_t k = 0; k < problem.blocks.size(); ++k) {
    const Block& block = problem.blocks[k];
    const auto first = static_cast<std::size_t>(block.first);
    if (block.law != Law::cone || states_.role[first] == Role::fixed) continue;
    const double *const own = z.data() + first, *const d = dz_.data() + first;
    if (d[0] < 0 && -own[0] / d[0] < length) {
      length = -own[0] / d[0];
      first_to = k;
      how = Forced::open;
    }
    if (states_.role[first] == Role::slides || states_.role[first + 1] != Role::held) continue;
    // ‖z_t + s d_t‖² = friction² (z_n + s d_n)²
    const double squared = block.friction[0] * block.friction[0];
    double a = -squared * d[0] * d[0], b = -squared * own[0] * d[0], c = -squared * own[0] * own[0];
    for (int i = 1; i < block.size; ++i) {
      a += d[i] * d[i];
      b += own[i] * d[i];
      c += own[i] * own[i];
    }
    const double root = b * b - a * c;
    const double slips = a > 0 && root >= 0 ? (std::sqrt(root) - b) / a : kInfinity;
    if (!(slips < length)) continue;
    length = slips;
    first_to = k;
    how = Forced::slip;
  }
  if (how == Forced::no) return 0.5;
  states_.forced[first_to] = how;
  return std::max(length, 0.0);
}

// r = w after the changes that are known already, and the list of those that are not.
CATENA_DISPATCH void StateNewton::add_known(const Problem& problem, const Solution& solution) {
  r_.assign(solution.w.data(), solution.w.data() + problem.size());
  unknown_.clear();
  across_.clear();
  for (std::size_t j = 0; j < size_; ++j) {
    if (states_.role[j] == Role::held || states_.role[j] == Role::slides) unknown_.push_back({j, false, {}});
    if (states_.role[j] == Role::across) {
      const Slip& slip = states_.slip[static_cast<std::size_t>(states_.block_of[j])];
      across_.push_back(unknown_.size());
      unknown_.push_back({j, true, {slip.e[0], slip.e[1]}});
    }
    if (dz_[j] == 0) continue;
    const double *const a = A_ + j * size_, d = dz_[j];
    for (std::size_t i = 0; i < size_; ++i) r_[i] += d * a[i];
  }
}

// x ← x + σ M⁻¹x: of what σ leaves of w in a direction of stiffness λ, the part σ/λ.
void StateNewton::take_out_softness() {
  system_.full.assign(system_.x.begin(), system_.x.end());
  for (double& x : system_.x) x *= soft_.over_scale * scale_;
  system_.factors.substitute(system_.x.data());
  for (std::size_t i = 0; i < system_.x.size(); ++i) system_.x[i] += system_.full[i];
}

void StateNewton::solve_step(const Solution& solution) {
  const std::size_t n = unknown_.size();
  system_.x.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t row = unknown_[i].row;
    system_.x[i] = -row_of(i, r_.data());
    // Across the slip it is the change of w that counts.
    if (states_.role[row] == Role::across)
      system_.x[i] += row_of(i, solution.w.data()) + states_.slip[static_cast<std::size_t>(states_.block_of[row])].pull;
  }
  system_.factors.substitute(system_.x.data());
  if (soft_.taken_out) take_out_softness();
  for (std::size_t j = 0; j < n; ++j) {
    const std::size_t row = unknown_[j].row;
    for (const Follower& follower : states_.followers)
      if (follower.parent == row) dz_[follower.row] += follower.factor * system_.x[j];
    if (states_.role[row] == Role::held) {
      dz_[row] += system_.x[j];
      continue;
    }
    const Slip& slip = states_.slip[static_cast<std::size_t>(states_.block_of[row])];
    if (states_.role[row] == Role::across) {
      dz_[row] -= slip.e[1] * system_.x[j];
      dz_[row + 1] += slip.e[0] * system_.x[j];
    } else {
      dz_[row] += system_.x[j];
      const bool flat = states_.role[row + 1] == Role::along;
      dz_[row + 1] += slip.friction * slip.e[0] * system_.x[j];
      if (!flat) dz_[row + 2] += slip.friction * slip.e[1] * system_.x[j];
    }
  }
}

}  // namespace catena::solve

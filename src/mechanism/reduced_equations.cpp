#include "catena/mechanism/reduced_equations.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "catena/math/assert.h"
#include "catena/primary/coordinates.h"

namespace catena {
namespace {

// Where the quaternion of a node stands after its first coordinate; −1: it has none.
int quaternion_at(const ReducedNode& node) {
  if (node.mobility == Mobility::free) return 3;
  return node.mobility == Mobility::ball ? 0 : -1;
}

double size_of(const BodyVector& v) { return std::sqrt(dot(v, v)); }

}  // namespace

ReducedEquations::ReducedEquations(Dynamics& dynamics, double size, const JointTuning& tuning)
    : dynamics_(&dynamics),
      mechanism_(dynamics, size, true, tuning),
      qdd_(static_cast<std::size_t>(tree().n_v())),
      q_(static_cast<std::size_t>(tree().n_q())),
      f_(dynamics.model().bodies.size()),
      given_(f_.size()),
      imbalance_(f_.size()) {
  takes_rotors_ = mechanism_.take_rotors();
}

bool ReducedEquations::factor(State& state) {
  mechanism_.place(state);
  return true;
}

bool ReducedEquations::accelerations([[maybe_unused]] const State& state, const Asked& asked) {
  CATENA_ASSERT(mechanism_.is_placed(state));
  dynamics_->forces().external(dynamics_->model(), dynamics_->kinematics(), dynamics_->coordinates(), f_,
                               dynamics_->powers);
  baumgarte_ = asked.baumgarte;
  mechanism_.accelerate(f_, baumgarte_, dynamics_->vdot);
  std::copy(mechanism_.accelerations().begin(), mechanism_.accelerations().end(), qdd_.begin());
  return true;
}

void ReducedEquations::push(std::span<const BodyVector> load) {
  for (std::size_t i = 0; i < f_.size(); ++i) f_[i] += load[i];
  mechanism_.accelerate(f_, baumgarte_, dynamics_->vdot);
  std::copy(mechanism_.accelerations().begin(), mechanism_.accelerations().end(), qdd_.begin());
}

double ReducedEquations::motor_power() const {
  const HeldRows& held = mechanism_.held();
  double power = 0;
  for (int i = 0; held.drives() && i < held.rows(); ++i)
    power += mechanism_.held_forces()[i] * held.u[static_cast<std::size_t>(i)];
  return power;
}

void ReducedEquations::keep() {
  kept_.vdot.assign(dynamics_->vdot.begin(), dynamics_->vdot.end());
  kept_.qdd.assign(qdd_.begin(), qdd_.end());
}

void ReducedEquations::recall() {
  std::copy(kept_.vdot.begin(), kept_.vdot.end(), dynamics_->vdot.begin());
  std::copy(kept_.qdd.begin(), kept_.qdd.end(), qdd_.begin());
}

// ---------------------------------------------------------------------------------------------------------------- residual

// Neither uses the recursion of the articulated bodies. The accelerations of the bodies must meet the rows of all joints, those of the forest too;
// and what a link and all that hangs on it lack, M v̇ − F, must have nothing along the directions its joint leaves free.
double ReducedEquations::residual() {
  const Model& model = dynamics_->model();
  const Kinematics& kinematics = dynamics_->kinematics();
  const double imbalance = largest_imbalance();
  const RowSet& rows = dynamics_->rows();
  double scale = 1e-9, worst = 0;  // below nothing moves: rounding is not compared with rounding
  for (std::size_t i = 0; i < f_.size(); ++i) {
    const BodyKind kind = model.bodies[i].kind;
    scale =
        std::max({scale, size_of(dynamics_->vdot[i]), size_of(inverse_times(kind, kinematics.M(BodyId(i)), f_[i]))});
  }
  for (int i = 0; i < rows.rows(); ++i) {
    const double asked = -rows.c[static_cast<std::size_t>(i)];
    scale = std::max(scale, std::abs(asked));
    // Baumgarte's terms ask for something else on purpose.
    if (baumgarte_ == 0) worst = std::max(worst, std::abs(rows.times(i, dynamics_->vdot) - asked));
  }
  return std::max(imbalance, worst / scale);
}

// Relative to the largest force.
double ReducedEquations::largest_imbalance() {
  const Model& model = dynamics_->model();
  const Kinematics& kinematics = dynamics_->kinematics();
  const std::vector<ReducedSystem::Link>& links = mechanism_.system().links();
  double scale = 1e-9, worst = 0;
  std::copy(f_.begin(), f_.end(), given_.begin());
  for (int i = 0; i < mechanism_.held().rows(); ++i)
    mechanism_.held().add_force(i, mechanism_.held_forces()[i], given_);
  for (std::size_t i = 0; i < links.size(); ++i) {
    const BodyId body = tree().nodes()[i].body;
    const BodyVector inertial = kinematics.M(body) * dynamics_->vdot[body];
    const BodyVector given =
        restricted(model.bodies[body].kind, given_[body] + velocity_force(model, kinematics, body));
    scale = std::max({scale, size_of(inertial), size_of(f_[body])});
    const BodyVector lacks = inertial - given;
    imbalance_[i] = {lacks.linear, lacks.angular + cross(mechanism_.system().com(links[i]), lacks.linear)};
  }
  std::array<Spatial, 6> F;
  for (std::size_t i = links.size(); i-- > 0;) {
    const int first = tree().nodes()[i].v, count = mechanism_.system().directions(static_cast<int>(i), F);
    for (int k = 0; k < count; ++k) {
      const auto rate = static_cast<std::size_t>(first + k);
      const double rotor = mechanism_.rate_inertia()[rate] * qdd_[rate];
      worst = std::max(worst, std::abs(dot(F[static_cast<std::size_t>(k)], imbalance_[i]) + rotor));
    }
    if (links[i].parent >= 0)
      imbalance_[static_cast<std::size_t>(links[i].parent)] += force_from<double>(imbalance_[i], links[i].d);
  }
  return worst / scale;
}

// ----------------------------------------------------------------------------------------------------------------- numbers

std::size_t ReducedEquations::size() const { return q_.size() + qdd_.size(); }

double* ReducedEquations::pack(const State& state, double* y) const {
  return std::copy(state.qd.begin(), state.qd.end(), std::copy(state.q.begin(), state.q.end(), y));
}

// Quaternions are integrated as four numbers and brought back to unit length, as those of bodies are.
const double* ReducedEquations::unpack(const double* y, State& state) {
  std::copy_n(y, q_.size(), q_.begin());
  for (const ReducedNode& node : tree().nodes())
    if (const int at = quaternion_at(node); at >= 0) {
      double* const q = q_.data() + node.q + at;
      catena::put(normalized(rotation_at(q)), q);
    }
  mechanism_.put_at(q_, {y + q_.size(), qdd_.size()}, state);
  return y + size();
}

// With q̇ = ½ (0, ω) q where there are quaternions.
double* ReducedEquations::rates(const State& state, double* dy) const {
  for (const ReducedNode& node : tree().nodes()) {
    double* const to = dy + node.q;
    const double* const v = state.qd.data() + node.v;
    const int turn = quaternion_at(node);
    if (turn != 0) std::copy_n(v, turn > 0 ? turn : node.count, to);
    if (turn < 0) continue;
    const Vec3 w = vector_at(v + turn);
    catena::put(Quat{0, 0.5 * w.x, 0.5 * w.y, 0.5 * w.z} * rotation_at(state.q.data() + node.q + turn), to + turn);
  }
  return std::copy(qdd_.begin(), qdd_.end(), dy + q_.size());
}

void ReducedEquations::euler(double h, State& state) {
  q_ = state.q;
  for (std::size_t i = 0; i < qdd_.size(); ++i) state.qd[i] += h * qdd_[i];
  tree().integrate(h, state.qd, q_);
  const std::vector<double>& rates = state.qd;
  mechanism_.put_at(q_, rates, state);
}

// ------------------------------------------------------------------------------------------------------------------- close

Closing ReducedEquations::close(State& state) {
  mechanism_.place(state);
  return mechanism_.close(state);
}

Closing ReducedEquations::drift(State& state) {
  mechanism_.place(state);
  return mechanism_.open();
}

double ReducedEquations::energy(const State& state) {
  return mechanism_.is_placed(state) ? mechanism_.energy().total() : dynamics_->energy(state);
}

}  // namespace catena

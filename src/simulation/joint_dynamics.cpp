#include "catena/simulation/joint_dynamics.h"

#include <Eigen/Dense>

#include "catena/math/scalar.h"
#include "catena/primary/reduced_dynamics.h"
#include "catena/simulation/simulation_impl.h"

namespace catena {
namespace {

Eigen::Matrix<double, 6, 1> column(const BodyVector& v) {
  Eigen::Matrix<double, 6, 1> x;
  x << v.linear.x, v.linear.y, v.linear.z, v.angular.x, v.angular.y, v.angular.z;
  return x;
}

// Its model, whose joints are all attached.
const Model& jointed_model_of(const Simulation& simulation) {
  const Layout& layout = simulation.layout();
  if (!layout.is_jointed()) throw InputError("a body that changes its size has no joint coordinates");
  for (std::size_t j = 0; j < layout.model().joints.size(); ++j)
    if (const JointId joint(j); layout.is_of_forest(joint) && !simulation.joint(joint).attached())
      throw InputError("joint dynamics: joint '" + simulation.model().joints[joint].name + "' is open");
  return layout.model();
}

}  // namespace

// Ours: the order of Layout. Theirs: that of ReducedModel.
struct JointDynamics::Impl {
  explicit Impl(const Simulation& s)
      : simulation(&s),
        dynamics(&dynamics_of(s)),
        reduced(jointed_model_of(s)),
        system(reduced),
        kinematics(reduced.model()),
        state(s.state()),
        loops(dynamics->model(), reduced.forest().auxiliary),
        motors(dynamics->model(), driven_joints()) {
    const Layout& layout = s.layout();
    q_of.resize(at(reduced.n_q()));
    v_of.resize(at(reduced.n_v()));
    std::vector<std::size_t> floating(reduced.model().bodies.size());
    for (std::size_t i = 0; i < layout.floating().size(); ++i) floating[layout.floating()[i]] = i;
    for (const ReducedNode& node : reduced.nodes()) {
      const Layout::Slot& slot = node.joint.valid() ? layout.of(node.joint) : layout.of_floating(floating[node.body]);
      for (int k = 0; k < slot.n_q; ++k) q_of[at(node.q + k)] = slot.q + k;
      for (int k = 0; k < slot.n_v; ++k) v_of[at(node.v + k)] = slot.v + k;
    }
    find_offsets();
    find_rotors();
  }

  // Rotors turn with their coordinates: inertia along these alone.
  void find_rotors() {
    const Model& model = simulation->model();
    armature = Eigen::VectorXd::Zero(reduced.n_v());
    for (const ReducedNode& node : reduced.nodes()) {
      if (!node.joint.valid()) continue;
      const Joint& joint = model.joints[node.joint];
      const Layout::Slot& slot = simulation->layout().of(node.joint);
      for (int k = 0; k < slot.n_v; ++k)
        armature[slot.v + k] = coordinate_law(joint, model.extras_of(joint), k).armature;
    }
  }

  std::vector<JointId> driven_joints() const {
    std::vector<JointId> joints;
    for (const ReducedNode& node : reduced.nodes())
      if (node.joint.valid() && dynamics->model().extras_of(dynamics->model().joints[node.joint]).motor)
        joints.push_back(node.joint);
    return joints;
  }

  // What is read of the bodies has neither `start` nor whole turns in it.
  void find_offsets() {
    offset.assign(q_of.size(), 0);
    kinematics.update(reduced.model(), simulation->state());
    JointState raw;
    reduced.read(kinematics, raw);
    const std::span<const double> q = simulation->q();
    for (const ReducedNode& node : reduced.nodes()) {
      if (node.mobility == Mobility::free || node.mobility == Mobility::ball) continue;
      for (int k = 0; k < node.count; ++k) offset[at(node.q + k)] = q[at(q_of[at(node.q + k)])] - raw.q[at(node.q + k)];
    }
  }

  void update(std::span<const double> q, std::span<const double> v) {
    if (q.size() != q_of.size() || v.size() != v_of.size())
      throw InputError("joint dynamics: " + std::to_string(q_of.size()) + " coordinates and " +
                       std::to_string(v_of.size()) + " rates are expected");
    joint_state.q.resize(q.size());
    joint_state.v.resize(v.size());
    for (std::size_t i = 0; i < q.size(); ++i) joint_state.q[i] = q[at(q_of[i])] - offset[i];
    for (std::size_t i = 0; i < v.size(); ++i) joint_state.v[i] = v[at(v_of[i])];
    normalise();
    system.update(joint_state);
    system.bodies(state.bodies);
    kinematics.update(reduced.model(), state);
  }

  void normalise() {
    for (const ReducedNode& node : reduced.nodes()) {
      if (node.mobility != Mobility::free && node.mobility != Mobility::ball) continue;
      double* q = joint_state.q.data() + node.q + (node.mobility == Mobility::free ? 3 : 0);
      const double size = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
      if (!(size > 1e-6)) throw InputError("joint dynamics: a quaternion of q is zero");
      for (int k = 0; k < 4; ++k) q[k] /= size;
    }
  }

  std::vector<double> theirs(std::span<const double> ours) const {
    if (ours.size() != v_of.size())
      throw InputError("joint dynamics: " + std::to_string(v_of.size()) + " numbers are expected, " +
                       std::to_string(ours.size()) + " were given");
    std::vector<double> out(ours.size());
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = ours[at(v_of[i])];
    return out;
  }
  Eigen::VectorXd ours(const std::vector<double>& their) const {
    Eigen::VectorXd out(static_cast<Eigen::Index>(their.size()));
    for (std::size_t i = 0; i < their.size(); ++i) out[v_of[i]] = their[i];
    return out;
  }
  Eigen::MatrixXd columns(const Eigen::MatrixXd& their) const {
    Eigen::MatrixXd out(their.rows(), their.cols());
    for (std::size_t i = 0; i < v_of.size(); ++i) out.col(v_of[i]) = their.col(static_cast<Eigen::Index>(i));
    return out;
  }
  Eigen::MatrixXd jacobian(BodyId body, const Vec3& point) const {
    simulation->body(body);  // checks
    return columns(catena::jacobian(system, body, rotate(state.bodies[body].orientation, point)));
  }

  // Rows G and what G v̇ is to be.
  struct Held {
    Eigen::MatrixXd G;
    Eigen::VectorXd gamma;
  };
  Held held() {
    const Model& model = dynamics->model();
    loops.evaluate(model, kinematics);
    motors.evaluate(model, kinematics);
    if (!loops.workless())
      throw InputError("joint dynamics: a coupling pushes through other terms than it holds; that is not symmetric");
    std::vector<BodyVector> drift(state.bodies.size());
    bias_accelerations(system, drift);
    std::vector<std::pair<const RowSet*, int>> rows;
    for (int i = 0; i < loops.rows(); ++i) rows.emplace_back(&loops, i);
    for (int i = 0; i < motors.rows(); ++i)  // a joint's motor is its last row
      if (i + 1 == motors.rows() || motors.joint_of[at(i + 1)] != motors.joint_of[at(i)]) rows.emplace_back(&motors, i);
    Held out{Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(rows.size()), reduced.n_v()),
             Eigen::VectorXd::Zero(static_cast<Eigen::Index>(rows.size()))};
    for (std::size_t r = 0; r < rows.size(); ++r) {
      const auto& [set, i] = rows[r];
      const auto row = static_cast<Eigen::Index>(r);
      out.gamma[row] = -set->c[at(i)] - set->times(i, drift);
      for (auto t = at(set->start[at(i)]); t < at(set->start[at(i) + 1]); ++t)
        out.G.row(row) += column(set->J[t]).transpose() * catena::jacobian(system, set->body[t]);
    }
    out.G = columns(out.G);
    return out;
  }

  const Simulation* simulation;
  Dynamics* dynamics;
  const ReducedModel reduced;
  ReducedSystem system;
  Kinematics kinematics;
  State state;
  JointState joint_state;
  RowSet loops, motors;
  std::vector<int> q_of, v_of;  // where theirs stand in ours
  std::vector<double> offset;   // of q, their order
  Eigen::VectorXd armature;     // of the rotors, our order
};

Dynamics& JointDynamics::dynamics_of(const Simulation& simulation) {
  simulation.impl_->load_forces();
  return simulation.impl_->stepper->dynamics();
}

JointDynamics::JointDynamics(const Simulation& simulation) : impl_(std::make_unique<Impl>(simulation)) { update(); }
JointDynamics::~JointDynamics() = default;
JointDynamics::JointDynamics(JointDynamics&&) noexcept = default;

void JointDynamics::update() {
  if (impl_->dynamics != &dynamics_of(*impl_->simulation)) impl_ = std::make_unique<Impl>(*impl_->simulation);
  impl_->state = impl_->simulation->state();
  impl_->find_offsets();
  impl_->update(impl_->simulation->q(), impl_->simulation->v());
}

void JointDynamics::update(std::span<const double> q, std::span<const double> v) { impl_->update(q, v); }

int JointDynamics::n_q() const { return impl_->reduced.n_q(); }
int JointDynamics::n_v() const { return impl_->reduced.n_v(); }
const State& JointDynamics::state() const { return impl_->state; }

Eigen::MatrixXd JointDynamics::mass_matrix() const {
  Eigen::MatrixXd M = impl_->columns(impl_->columns(catena::mass_matrix(impl_->system)).transpose());
  M.diagonal() += impl_->armature;
  return M;
}

Eigen::VectorXd JointDynamics::inverse_dynamics(std::span<const double> vdot) const {
  const std::vector<double> their = impl_->theirs(vdot);
  std::vector<double> tau(their.size());
  catena::inverse_dynamics(impl_->system, their, {}, impl_->reduced.model().gravity, tau);
  return impl_->ours(tau) + impl_->armature.cwiseProduct(Eigen::Map<const Eigen::VectorXd>(vdot.data(), n_v()));
}

Eigen::VectorXd JointDynamics::bias() const { return inverse_dynamics(std::vector<double>(impl_->v_of.size(), 0.0)); }

Eigen::VectorXd JointDynamics::passive_forces() const {
  Dynamics& dynamics = *impl_->dynamics;
  const Model& model = dynamics.model();
  std::vector<BodyVector> f(impl_->state.bodies.size());
  Powers powers;
  dynamics.forces().external(model, impl_->kinematics, dynamics.coordinates(), f, powers);
  Eigen::VectorXd tau = Eigen::VectorXd::Zero(n_v());
  for (std::size_t i = 0; i < f.size(); ++i) {
    f[i] += BodyVector{-model.bodies[i].mass * model.gravity, {}, 0};
    f[i] = restricted(model.bodies[i].kind, f[i]);
    if (dot(f[i], f[i]) > 0) tau += impl_->jacobian(BodyId(i), {}).transpose() * column(f[i]);
  }
  return tau;
}

Eigen::MatrixXd JointDynamics::jacobian(BodyId body, const Vec3& point) const { return impl_->jacobian(body, point); }

Eigen::VectorXd JointDynamics::jacobian_rate_times_v(BodyId body, const Vec3& point) const {
  impl_->simulation->body(body);
  std::vector<BodyVector> drift(impl_->state.bodies.size());
  bias_accelerations(impl_->system, drift);
  const BodyState& s = impl_->state.bodies[body];
  const Vec3 arm = rotate(s.orientation, point);
  const BodyVector& own = drift[body];
  return column({own.linear + cross(own.angular, arm) + cross(s.angular_velocity, cross(s.angular_velocity, arm)),
                 own.angular, 0});
}

Eigen::MatrixXd JointDynamics::constraint_jacobian() const { return impl_->held().G; }

Eigen::VectorXd JointDynamics::forward_dynamics(std::span<const double> tau, Eigen::VectorXd* lambda) const {
  impl_->theirs(tau);  // checks
  const Eigen::LDLT<Eigen::MatrixXd> M(mass_matrix());
  const Eigen::VectorXd force = Eigen::Map<const Eigen::VectorXd>(tau.data(), n_v()) - bias();
  Eigen::VectorXd free = M.solve(force);
  const Impl::Held held = impl_->held();
  if (held.G.rows() == 0) {
    if (lambda) lambda->resize(0);
    return free;
  }
  const Eigen::MatrixXd answer = M.solve(held.G.transpose());
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> S;
  S.setThreshold(1e-9);
  S.compute(held.G * answer);
  const Eigen::VectorXd multipliers = S.solve(held.gamma - held.G * free);
  if (lambda) *lambda = multipliers;
  return free + answer * multipliers;
}

Eigen::MatrixXd JointDynamics::compliance(std::span<const BodyId> bodies) const {
  const auto rows = static_cast<Eigen::Index>(6 * bodies.size());
  Eigen::MatrixXd J(rows, n_v());
  for (std::size_t i = 0; i < bodies.size(); ++i)
    J.middleRows<6>(static_cast<Eigen::Index>(6 * i)) = impl_->jacobian(bodies[i], {});
  const Eigen::LDLT<Eigen::MatrixXd> M(mass_matrix());
  const Eigen::MatrixXd answer = M.solve(J.transpose());
  Eigen::MatrixXd W = J * answer;
  const Impl::Held held = impl_->held();
  if (held.G.rows() == 0) return W;
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> S;
  S.setThreshold(1e-9);
  S.compute(held.G * M.solve(held.G.transpose()));
  const Eigen::MatrixXd cross = held.G * answer;
  W -= cross.transpose() * S.solve(cross);
  return 0.5 * (W + W.transpose());
}

Centroidal JointDynamics::centroidal() const { return catena::centroidal(impl_->reduced, impl_->state.bodies); }

Eigen::MatrixXd JointDynamics::centroidal_momentum_matrix() const {
  return impl_->columns(catena::centroidal_momentum_matrix(impl_->system, impl_->state.bodies));
}

Eigen::VectorXd JointDynamics::integrate(std::span<const double> q, std::span<const double> v, double h) const {
  if (q.size() != impl_->q_of.size()) throw InputError("joint dynamics: integrate() needs all coordinates");
  const std::vector<double> rates = impl_->theirs(v);
  std::vector<double> their(q.size());
  for (std::size_t i = 0; i < q.size(); ++i) their[i] = q[at(impl_->q_of[i])];
  impl_->reduced.integrate(h, rates, their);
  Eigen::VectorXd out(static_cast<Eigen::Index>(q.size()));
  for (std::size_t i = 0; i < q.size(); ++i) out[impl_->q_of[i]] = their[i];
  return out;
}

void place_bodies(const Simulation& simulation, std::span<const double> q, std::span<const double> v, State& state) {
  JointDynamics dynamics(simulation);
  dynamics.update(q, v);
  state.bodies = dynamics.state().bodies;
}

}  // namespace catena

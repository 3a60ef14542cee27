#include "catena/simulation/linear_model.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "catena/simulation/joint_dynamics.h"

namespace catena {
namespace {

std::span<const double> as_span(const Eigen::VectorXd& v) { return {v.data(), static_cast<std::size_t>(v.size())}; }
Eigen::VectorXd to_vector(std::span<const double> s) {
  return Eigen::Map<const Eigen::VectorXd>(s.data(), static_cast<Eigen::Index>(s.size()));
}

// The simulation as it was, whatever happens.
class Kept {
 public:
  explicit Kept(Simulation& simulation)
      : simulation_(simulation), state_(simulation.state()), drive_(simulation.drive()) {}
  ~Kept() {
    simulation_.set_state(state_);
    simulation_.set_drive(drive_);
  }
  Kept(const Kept&) = delete;
  Kept& operator=(const Kept&) = delete;

 private:
  Simulation& simulation_;
  State state_;
  Drive drive_;
};

// v̇ of the forward dynamics at displacements from a state.
class Disturbed {
 public:
  explicit Disturbed(Simulation& simulation)
      : simulation_(simulation), dynamics_(simulation), q_(to_vector(simulation.q())), v_(to_vector(simulation.v())) {}

  const Eigen::VectorXd& v() const { return v_; }

  Eigen::VectorXd acceleration(const Eigen::VectorXd& dq, const Eigen::VectorXd& dv) {
    const Eigen::VectorXd q = dynamics_.integrate(as_span(q_), as_span(dq), 1);
    simulation_.set_coordinates(as_span(q), as_span(v_ + dv));
    return acceleration();
  }
  Eigen::VectorXd acceleration() {
    dynamics_.update();
    return dynamics_.forward_dynamics(as_span(dynamics_.passive_forces()));
  }
  // dv̇/dτ: M⁻¹ restricted to what the loops allow.
  Eigen::MatrixXd mobility() {
    dynamics_.update();
    const int n = dynamics_.n_v();
    const Eigen::VectorXd zero = dynamics_.forward_dynamics(as_span(Eigen::VectorXd::Zero(n)));
    Eigen::MatrixXd out(n, n);
    for (int k = 0; k < n; ++k) out.col(k) = dynamics_.forward_dynamics(as_span(Eigen::VectorXd::Unit(n, k))) - zero;
    return out;
  }
  void restore() { simulation_.set_coordinates(as_span(q_), as_span(v_)); }

 private:
  Simulation& simulation_;
  JointDynamics dynamics_;
  Eigen::VectorXd q_, v_;
};

// δq̇ = δv, and of rotations δθ̇ = δω + ω × δθ: they are displaced along the axes that ω is measured in.
void fill_kinematics(const Simulation& simulation, const Eigen::VectorXd& v, Eigen::MatrixXd& A) {
  const auto n = v.size();
  A.topRightCorner(n, n).setIdentity();
  const auto turn = [&](int first) {
    const Eigen::Vector3d w = v.segment<3>(first);
    A.block<3, 3>(first, first) << 0, -w.z(), w.y(), w.z(), 0, -w.x(), -w.y(), w.x(), 0;
  };
  const Layout& layout = simulation.layout();
  for (std::size_t i = 0; i < layout.floating().size(); ++i) turn(layout.of_floating(i).v + 3);
  for (std::size_t j = 0; j < simulation.model().joints.size(); ++j) {
    const Layout::Slot& slot = layout.of(JointId(j));
    if (slot.n_q == 4 && slot.n_v == 3 && slot.v + 3 <= n) turn(slot.v);
  }
}

// dv̇/du by differences: the forces of actuators may be clipped and depend on the state.
Eigen::MatrixXd by_inputs(Simulation& simulation, Disturbed& near, double h) {
  const std::size_t count = simulation.ctrl().size();
  Eigen::MatrixXd out(near.v().size(), static_cast<Eigen::Index>(count));
  for (std::size_t k = 0; k < count; ++k) {
    const double u = simulation.ctrl()[k];
    simulation.ctrl()[k] = u + h;
    const Eigen::VectorXd ahead = near.acceleration();
    simulation.ctrl()[k] = u - h;
    out.col(static_cast<Eigen::Index>(k)) = (ahead - near.acceleration()) / (2 * h);
    simulation.ctrl()[k] = u;
  }
  return out;
}

Mode mode_of(std::complex<double> eigenvalue, Eigen::VectorXcd shape) {
  Mode mode;
  mode.eigenvalue = eigenvalue;
  mode.frequency = std::abs(eigenvalue.imag()) / (2 * M_PI);
  mode.damping = std::abs(eigenvalue) > 0 ? -eigenvalue.real() / std::abs(eigenvalue) : 0;
  Eigen::Index largest = 0;
  if (shape.size() > 0 && shape.cwiseAbs().maxCoeff(&largest) > 0) shape /= shape[largest];
  mode.shape = std::move(shape);
  return mode;
}

}  // namespace

LinearModel linearise(Simulation& simulation, LinearInput input, double displacement) {
  if (!(displacement > 0) || !std::isfinite(displacement))
    throw InputError("linearise(): a displacement above 0 is expected");
  const Kept kept(simulation);
  Disturbed near(simulation);
  const Eigen::Index n = near.v().size();
  LinearModel out{Eigen::MatrixXd::Zero(2 * n, 2 * n), {}};
  fill_kinematics(simulation, near.v(), out.A);
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(n);
  for (Eigen::Index k = 0; k < n; ++k) {
    const Eigen::VectorXd d = displacement * Eigen::VectorXd::Unit(n, k);
    out.A.block(n, k, n, 1) = (near.acceleration(d, zero) - near.acceleration(-d, zero)) / (2 * displacement);
    out.A.block(n, n + k, n, 1) = (near.acceleration(zero, d) - near.acceleration(zero, -d)) / (2 * displacement);
  }
  near.restore();
  const Eigen::MatrixXd b = input == LinearInput::tau ? near.mobility() : by_inputs(simulation, near, displacement);
  out.B = Eigen::MatrixXd::Zero(2 * n, b.cols());
  out.B.bottomRows(n) = b;
  return out;
}

Eigen::MatrixXd free_rates(const Simulation& simulation) {
  constexpr double kDependent = 1e-9;  // rows that depend on each other, relative to the largest
  const JointDynamics dynamics(simulation);
  const Eigen::MatrixXd G = dynamics.constraint_jacobian();
  if (G.rows() == 0) return Eigen::MatrixXd::Identity(dynamics.n_v(), dynamics.n_v());
  Eigen::JacobiSVD<Eigen::MatrixXd> svd(G, Eigen::ComputeFullV);
  svd.setThreshold(kDependent);
  return svd.matrixV().rightCols(dynamics.n_v() - svd.rank());
}

std::vector<Mode> modes(Simulation& simulation) {
  const Kept kept(simulation);
  simulation.set_coordinates(as_span(to_vector(simulation.q())),
                             as_span(Eigen::VectorXd::Zero(simulation.layout().n_v())));
  const Eigen::MatrixXd Z = free_rates(simulation);
  const Eigen::Index n = Z.rows(), free = Z.cols();
  const Eigen::MatrixXd A = linearise(simulation).A;
  Eigen::MatrixXd own(2 * free, 2 * free);
  own << Eigen::MatrixXd::Zero(free, free), Eigen::MatrixXd::Identity(free, free),
      Z.transpose() * A.bottomLeftCorner(n, n) * Z, Z.transpose() * A.bottomRightCorner(n, n) * Z;
  std::vector<Mode> out;
  if (free == 0) return out;
  const Eigen::EigenSolver<Eigen::MatrixXd> solver(own);
  for (Eigen::Index i = 0; i < 2 * free; ++i) {
    const std::complex<double> eigenvalue = solver.eigenvalues()[i];
    if (eigenvalue.imag() < 0) continue;
    out.push_back(mode_of(eigenvalue, Z * solver.eigenvectors().col(i).head(free)));
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const Mode& a, const Mode& b) { return std::abs(a.eigenvalue) < std::abs(b.eigenvalue); });
  return out;
}

}  // namespace catena

#include "catena/simulation/equilibrium.h"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <cmath>

#include "catena/laws/laws.h"
#include "catena/mechanism/dynamics.h"
#include "catena/simulation/joint_dynamics.h"
#include "catena/simulation/linear_model.h"

namespace catena {
namespace {

std::span<const double> as_span(const Eigen::VectorXd& v) { return {v.data(), static_cast<std::size_t>(v.size())}; }

double largest(const Eigen::VectorXd& v) { return v.size() == 0 ? 0 : v.cwiseAbs().maxCoeff(); }

class Descent {
 public:
  Descent(Simulation& simulation, const EquilibriumOptions& options)
      : simulation_(simulation),
        options_(options),
        dynamics_(simulation),
        rest_(Eigen::VectorXd::Zero(dynamics_.n_v())) {
    for (const Body& body : simulation.model().bodies)
      weight_ += body.mass * norm(simulation.model().gravity) * simulation.size();
  }

  Equilibrium run() {
    Equilibrium out;
    if (!go_to(present())) {
      out.message = "a motor or a moving constraint keeps it moving";
      return out;
    }
    for (; out.iterations < options_.iterations; ++out.iterations) {
      const Eigen::MatrixXd Z = free_rates(simulation_);
      const Eigen::VectorXd q = present(), r = Z.transpose() * force_;
      out.residual = largest(r);
      out.scale = scale_;
      out.found = out.residual <= options_.tolerance * scale_;
      const bool known = decompose(q, Z);
      out.stable = known && stable();
      if (out.found) break;
      if (!known || !move(q, Z, r)) {
        out.message = "no move brings it nearer";
        break;
      }
    }
    if (!out.found && out.message.empty()) out.message = fmt::format("not after {} iterations", out.iterations);
    return out;
  }

 private:
  Eigen::VectorXd present() const {
    const std::span<const double> q = simulation_.q();
    return Eigen::Map<const Eigen::VectorXd>(q.data(), static_cast<Eigen::Index>(q.size()));
  }

  // At rest at q, loops closed: fills force_. False where they cannot be closed or something cannot rest.
  bool go_to(const Eigen::VectorXd& q) {
    constexpr double kRest = 1e-12;
    try {
      simulation_.set_coordinates(as_span(q), as_span(rest_));
    } catch (const InputError&) {
      return false;
    }
    for (const double v : simulation_.v())
      if (std::abs(v) > kRest) return false;
    dynamics_.update();
    const Eigen::VectorXd passive = dynamics_.passive_forces(), bias = dynamics_.bias();
    force_ = passive - bias;
    scale_ = std::max({weight_, largest(passive), largest(bias)});
    return true;
  }

  Eigen::VectorXd displaced(const Eigen::VectorXd& q, const Eigen::VectorXd& d) const {
    return dynamics_.integrate(as_span(q), as_span(d), 1);
  }

  // The force along the motions allowed at the present state, which are not those of the state it was displaced from.
  Eigen::VectorXd allowed_force() const {
    const Eigen::MatrixXd N = free_rates(simulation_);
    return N * (N.transpose() * force_);
  }

  // The stiffness along Z, the covariant derivative of the allowed force, and its eigenvectors.
  bool decompose(const Eigen::VectorXd& q, const Eigen::MatrixXd& Z) {
    constexpr double kMove = 6e-6;
    Eigen::MatrixXd H(Z.cols(), Z.cols());
    for (Eigen::Index k = 0; k < Z.cols(); ++k) {
      if (!go_to(displaced(q, kMove * Z.col(k)))) return false;
      const Eigen::VectorXd ahead = allowed_force();
      if (!go_to(displaced(q, -kMove * Z.col(k)))) return false;
      H.col(k) = -Z.transpose() * (ahead - allowed_force()) / (2 * kMove);
    }
    if (Z.cols() > 0) stiffness_.compute(0.5 * (H + H.transpose()));
    return go_to(q);
  }

  double stiffest() const { return largest(stiffness_.eigenvalues()); }

  bool stable() const {
    constexpr double kFlat = 1e-7;  // of the stiffest motion: what differences leave of a motion without stiffness
    return stiffness_.eigenvalues().size() == 0 || stiffness_.eigenvalues().minCoeff() >= -kFlat * stiffest();
  }

  // Newton's move with every stiffness taken for positive: downhill along all of them. Halved until the forces do work along it.
  bool move(const Eigen::VectorXd& q, const Eigen::MatrixXd& Z, const Eigen::VectorXd& r) {
    constexpr double kSoftest = 1e-10;
    constexpr int kHalvings = 30;
    const Eigen::VectorXd along = stiffness_.eigenvectors().transpose() * r;
    const double floor = std::max(kSoftest * stiffest(), 1e-300);
    Eigen::VectorXd d =
        stiffness_.eigenvectors() * along.cwiseQuotient(stiffness_.eigenvalues().cwiseAbs().cwiseMax(floor));
    const double size = largest(Z * d);
    if (size > options_.longest_move) d *= options_.longest_move / size;
    for (int i = 0; i < kHalvings; ++i, d /= 2) {
      if (!go_to(displaced(q, Z * d))) continue;
      const Eigen::VectorXd after = Z.transpose() * allowed_force();
      if ((r + after).dot(d) > 0 || largest(after) < largest(r)) return true;
    }
    go_to(q);
    return false;
  }

  Simulation& simulation_;
  const EquilibriumOptions& options_;
  JointDynamics dynamics_;
  Eigen::VectorXd rest_, force_;
  double weight_ = 0, scale_ = 0;
  Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> stiffness_;
};

State at_rest(State state) {
  for (BodyState& body : state.bodies) body.velocity = body.angular_velocity = {}, body.scale_velocity = 0;
  for (double& rate : state.qd) rate = 0;
  return state;
}

// Forces that accelerate the bodies at a state, contacts and all, by the method that finds accelerations at the state itself.
class Unbalanced {
 public:
  explicit Unbalanced(const Simulation& simulation)
      : check_(simulation.shared_model(), simulation.state(), settings_of(simulation)) {
    for (const Body& body : simulation.model().bodies)
      scale_ = std::max(scale_, body.mass * norm(simulation.model().gravity));
  }
  double operator()(const Simulation& simulation) {
    check_.set_state(at_rest(simulation.state()));
    check_.set_drive(simulation.drive());
    const Dynamics& dynamics = check_.evaluate();
    double worst = 0;
    for (std::size_t i = 0; i < dynamics.vdot.size(); ++i) {
      const Body& body = check_.model().bodies[i];
      const BodyVector a = restricted(body.kind, dynamics.vdot[i]);
      worst =
          std::max({worst, body.mass * norm(a.linear), norm(dynamics.kinematics().M(BodyId(i)).angular * a.angular)});
    }
    return worst;
  }
  double scale() const { return scale_; }

 private:
  static Settings settings_of(const Simulation& simulation) {
    Settings settings;
    settings.method = Method::lagrange;
    settings.contact_margin = simulation.settings().contact_margin;
    return settings;
  }
  Simulation check_;
  double scale_ = 0;
};

// Kinetic damping: whatever falls gains speed until it passes the bottom of its potential, and is stopped there.
Equilibrium settle(Simulation& simulation, const EquilibriumOptions& options) {
  Equilibrium out;
  out.settled = true;
  Unbalanced unbalanced(simulation);
  out.scale = unbalanced.scale();
  simulation.set_state(at_rest(simulation.state()));
  const double end = simulation.time() + options.patience;
  double before = 0;
  while (simulation.time() < end) {
    const StepReport report = simulation.step();
    if (!report.ok()) {
      out.message = report.message;
      return out;
    }
    const double now = simulation.energy().kinetic;
    if (now > before) {
      before = now;
      continue;
    }
    State stopped = at_rest(simulation.state());
    if (!simulation.close(stopped)) break;
    simulation.set_state(stopped);
    before = 0;
    out.residual = unbalanced(simulation);
    if ((out.found = out.residual <= options.settled_tolerance * out.scale)) return out;
  }
  out.message = fmt::format("it is not at rest after {} s", options.patience);
  return out;
}

}  // namespace

Equilibrium find_equilibrium(Simulation& simulation, const EquilibriumOptions& options) {
  const State begin = simulation.state();
  Equilibrium out = has_laws(simulation.model()) ? settle(simulation, options) : Descent(simulation, options).run();
  if (!out.found) {
    simulation.set_state(begin);
    return out;
  }
  State end = simulation.state();
  end.time = begin.time;
  end.clock = begin.clock;
  end.ledger = begin.ledger;
  end.impulses.clear();
  simulation.set_state(end);
  return out;
}

}  // namespace catena

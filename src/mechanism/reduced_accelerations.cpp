// reduced_mechanism.h: what the equations of motion in joint coordinates (reduced_equations.h) and flights in them (reduced_flight.h) are made of.
#include <algorithm>

#include "catena/math/assert.h"
#include "catena/mechanism/reduced_mechanism.h"
#include "catena/model/impedance.h"

namespace catena {

void ReducedMechanism::put_at(std::span<const double> q, std::span<const double> rates, State& state) {
  at_.now.q.assign(q.begin(), q.end());
  at_.now.v.assign(rates.begin(), rates.end());
  put(state);
}

void ReducedMechanism::set_rates(std::span<const double> rates, State& state) {
  CATENA_ASSERT(!here_.ahead);
  at_.now.v.assign(rates.begin(), rates.end());
  system_.update_rates(at_.now);
  show(state);
}

bool ReducedMechanism::take_rotors() {
  std::vector<JointArray> rotors(model().joints.size());
  for (std::size_t j = 0; j < rotors.size(); ++j) {
    const Joint& joint = model().joints[j];
    if (!has_armature(model(), joint)) continue;
    if (!carries_inertia(JointId(j)) || !dynamics_->system().carries_inertia(JointId(j))) return false;
    for (int k = 0; k < coordinate_count(joint); ++k)
      rotors[j][static_cast<std::size_t>(k)] = coordinate_law(joint, model().extras_of(joint), k).armature;
  }
  const bool any = std::any_of(rotors.begin(), rotors.end(), [](const JointArray& a) { return a != JointArray{}; });
  if (!any) return true;
  factor(rotors);
  dynamics_->system().set_freedom_inertia(rotors);
  dynamics_->count_rotors();
  return true;
}

// Without the held rows first; what these lack then is what their forces must make up for.
void ReducedMechanism::accelerate(std::span<const BodyVector> f, double baumgarte, std::vector<BodyVector>& out) {
  CATENA_ASSERT(f.size() == f_.size() && !here_.ahead);
  std::copy(f.begin(), f.end(), p_.begin());
  if (!here_.factored) system_.forward({}, p_, {}, rates_.vdot);
  else system_.accelerations({}, p_, {}, rates_.vdot);
  here_.factored = true;
  read_accelerations(out);
  if (held_.rows() == 0) return;
  if (!here_.assembled) {
    held_.evaluate(kinematics());
    assemble_held();
  }
  impulses_.b.resize(held_.rows());
  for (int i = 0; i < held_.rows(); ++i) {
    const auto r = static_cast<std::size_t>(i);
    impulses_.b[i] = held_.c[r] + held_.times(i, out);
    if (baumgarte > 0)
      impulses_.b[i] += 2 * baumgarte * (held_.times(i, before_) - held_.u[r]) + baumgarte * baumgarte * held_.phi[r];
  }
  problem_.solve_held(impulses_.b, impulses_.z);
  for (int i = 0; i < held_.rows(); ++i) held_.add_force(i, impulses_.z[i], p_);
  system_.accelerations({}, p_, {}, rates_.vdot);
  read_accelerations(out);
}

// Where the last sweep has left the acceleration of each link's origin.
void ReducedMechanism::read_accelerations(std::span<BodyVector> out) const {
  const std::vector<ReducedSystem::Link>& links = system_.links();
  for (std::size_t i = 0; i < links.size(); ++i) {
    const ReducedSystem::Link& link = links[i];
    const Vec3 c = system_.com(link);
    const BodyId body = tree_.nodes()[i].body;
    out[body] =
        restricted(model().bodies[body].kind,
                   {link.y.linear + cross(link.y.angular, c) + cross(link.w, cross(link.w, c)), link.y.angular, 0});
  }
}

}  // namespace catena

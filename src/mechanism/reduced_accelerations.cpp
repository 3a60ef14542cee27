// reduced_mechanism.h at acceleration level: what the equations of motion in joint coordinates are made of (reduced_equations.h).
#include <algorithm>

#include "catena/math/assert.h"
#include "catena/mechanism/reduced_mechanism.h"

namespace catena {

void ReducedMechanism::put_at(std::span<const double> q, std::span<const double> rates, State& state) {
  now_.q.assign(q.begin(), q.end());
  now_.v.assign(rates.begin(), rates.end());
  put(state);
}

// Without the held rows first; what these lack then is what their forces must make up for.
void ReducedMechanism::accelerate(std::span<const BodyVector> f, double baumgarte, std::vector<BodyVector>& out) {
  CATENA_ASSERT(f.size() == f_.size() && !here_.ahead);
  std::copy(f.begin(), f.end(), p_.begin());
  if (!here_.factored) system_.forward({}, p_, {}, vdot_);
  else system_.accelerations({}, p_, {}, vdot_);
  here_.factored = true;
  read_accelerations(out);
  if (held_.rows() == 0) return;
  if (!here_.assembled) {
    held_.evaluate(kinematics());
    assemble_held();
  }
  b_.resize(held_.rows());
  for (int i = 0; i < held_.rows(); ++i) {
    const auto r = static_cast<std::size_t>(i);
    b_[i] = held_.c[r] + held_.times(i, out);
    if (baumgarte > 0)
      b_[i] += 2 * baumgarte * (held_.times(i, before_) - held_.u[r]) + baumgarte * baumgarte * held_.phi[r];
  }
  problem_.solve_held(b_, z_);
  for (int i = 0; i < held_.rows(); ++i) held_.add_force(i, z_[i], p_);
  system_.accelerations({}, p_, {}, vdot_);
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

Closing ReducedMechanism::open() {
  if (held_.rows() == 0) return {};
  held_.evaluate(kinematics());
  const HeldRows::Gap left = held_.gap(options_.size);
  return {.closed = true, .position = left.scaled * options_.size, .angle = 0, .worst = left.worst};
}

}  // namespace catena

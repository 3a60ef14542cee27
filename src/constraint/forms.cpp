#include "catena/constraint/forms.h"

namespace catena {

AttachedPoint attach_to_form(const Placement& body, const Vec3& point) {
  const FormMotion& motion = body.form->motion;
  const FormPoint at = body.form->form->point(point, motion);
  Vec3 deforming{};
  for (std::size_t k = 0; k < at.slope.size(); ++k) deforming += motion.qd[k] * at.slope[k];
  const Vec3 arm = body.R * at.x, along = body.R * deforming, turn = cross(body.w, arm);
  return {arm, body.x + arm, body.v + turn + along, cross(body.w, turn) + 2.0 * cross(body.w, along) + body.R * at.bias,
          1};
}

Forms::Forms(const Model& model) {
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Body& body = model.bodies[i];
    if (body.kind != BodyKind::formed) continue;
    index_.resize(model.bodies.size(), -1);
    index_[i] = index_[body.partner] = static_cast<int>(all_.size());
    all_.push_back({body.form.get(), BodyId(i), body.partner, {}});
  }
  mass_.resize(all_.size());
}

void Forms::update(const State& state) {
  for (FormPlacement& at : all_) at.motion = form_motion(state.bodies[at.frame], state.bodies[at.own]);
}

void Forms::fill_masses(const Model& model, std::span<const Mat3> R, std::span<MassBlock> M) {
  for (std::size_t i = 0; i < all_.size(); ++i) {
    const FormPlacement& at = all_[i];
    const FormMass mass = at.form->mass(at.motion.q);
    mass_[i] = own_mass(*at.form, mass);
    M[at.frame] = {model.bodies[at.frame].mass, congruence(R[at.frame], mass.inertia), 0, nullptr};
    M[at.own] = {1, Sym3::diagonal(1, 1, 1), 0, &mass_[i]};
  }
}

MassBlocks::MassBlocks(const Model& model) : M_(model.bodies.size()) {
  for (std::size_t i = 0; i < model.bodies.size(); ++i)
    if (model.bodies[i].kind == BodyKind::form) of_forms_.push_back(i);
  own_.resize(of_forms_.size());
}

void MassBlocks::assign(std::span<const MassBlock> M) {
  for (std::size_t i = 0; i < M_.size(); ++i) M_[i] = M[i];
  for (std::size_t k = 0; k < own_.size(); ++k) {
    own_[k] = *M[of_forms_[k]].own;
    M_[of_forms_[k]].own = &own_[k];
  }
}

BodyVector on_form(const FormPlacement& at, const Mat3& R, const Vec3& material, const BodyVector& on_frame) {
  const FormPoint point = at.form->point(material, at.motion);
  const Vec3 n = transpose_times(R, on_frame.linear);
  OwnVector out{};
  for (std::size_t k = 0; k < out.size(); ++k) out[k] = dot(n, point.slope[k]);
  return own_vector(out);
}

BodyVector form_velocity_force(const FormPlacement& at, const Mat3& R, bool of_frame, const Vec3& angular_velocity,
                               const OwnVector& rates) {
  const FormForce force = at.form->velocity_force({at.motion.q, rates, transpose_times(R, angular_velocity)});
  return of_frame ? BodyVector{{}, R * force.torque, 0} : own_vector(force.own);
}

}  // namespace catena

// What depends on the state of each body alone: rotation and mass block, computed once a state and shared by all that follows.
#pragma once

#include <cstdint>
#include <vector>

#include "catena/constraint/forms.h"
#include "catena/constraint/placement.h"
#include "catena/model/body_kinds.h"

namespace catena {

class Kinematics {
 public:
  explicit Kinematics(const Model& model)
      : R_(model.bodies.size(), Mat3::identity()), M_(model.bodies.size()), of_(model.bodies.size()), forms_(model) {
    for (std::size_t i = 0; i < R_.size(); ++i) {
      if (model.bodies[i].kind == BodyKind::particle) M_[i] = mass_block(model.bodies[i], R_[i], 1);
      else if (model.bodies[i].kind != BodyKind::form) turning_.emplace_back(i);
    }
  }

  // POSITION: fills R and M, of bodies that have turned since the last update. Keeps a reference to `state` until the next update.
  void update(const Model& model, const State& state) {
    state_ = &state;
    ++stamp_;
    const bool kept = model_ == &model && forms_.empty();
    for (const BodyId i : turning_) {
      const BodyState& s = state.bodies[i];
      Turn& of = of_[i];
      const bool known = kept && s.orientation == of.orientation && s.scale == of.scale;
      if (known && whole_) continue;
      R_[i] = to_matrix(s.orientation);
      if (known) continue;
      M_[i] = mass_block(model.bodies[i], R_[i], s.scale);
      of = {s.orientation, s.scale};
    }
    model_ = &model;
    whole_ = true;
    if (forms_.empty()) return;
    forms_.update(state);
    forms_.fill_masses(model, R_, M_);
  }

  // POSITION: fills R alone; M stays that of the last update(). For trial states whose rows are asked for and whose forces are not.
  void update_rotations(const State& state) {
    state_ = &state;
    ++stamp_;
    whole_ = false;
    for (const BodyId i : turning_) R_[i] = to_matrix(state.bodies[i].orientation);
    if (!forms_.empty()) forms_.update(state);
  }

  // More inertia for one body, world axes, until the next update().
  void add_inertia(BodyId body, const Sym3& added) {
    M_[body].angular += added;
    of_[body] = {};
  }

  // Changes with every update: equal stamps mean the same positions and velocities.
  std::uint64_t stamp() const { return stamp_; }
  std::size_t bytes() const { return R_.size() * (sizeof(Mat3) + sizeof(MassBlock) + sizeof(Turn)); }
  const State& state() const { return *state_; }
  const Mat3& R(BodyId body) const { return R_[body]; }
  const MassBlock& M(BodyId body) const { return M_[body]; }
  std::span<const MassBlock> masses() const { return M_; }
  const BodyState& body(BodyId id) const { return state_->bodies[id]; }

  // The ground stands still at the origin.
  Placement operator[](BodyId id) const {
    return id.valid() ? place(R_[id], state_->bodies[id], forms_.of(id)) : Placement{};
  }
  // The form of a body, or none.
  const FormPlacement* form(BodyId id) const { return forms_.of(id); }
  bool has_forms() const { return !forms_.empty(); }

 private:
  struct Turn {
    Quat orientation{0, 0, 0, 0};  // of no body
    double scale = 0;
  };

  const State* state_ = nullptr;
  const Model* model_ = nullptr;  // of the last update()
  std::uint64_t stamp_ = 0;
  bool whole_ = false;           // R is that of the last update() too
  std::vector<BodyId> turning_;  // those whose R and M change: all but particles
  std::vector<Mat3> R_;          // body to world                    (n_body)
  std::vector<MassBlock> M_;     // mass blocks, world axes          (n_body)
  std::vector<Turn> of_;         // what M belongs to                (n_body)
  Forms forms_;
};

// The velocity-dependent force a body feels.
inline BodyVector velocity_force(const Model& model, const Kinematics& kinematics, BodyId body) {
  const BodyState& s = kinematics.body(body);
  if (const FormPlacement* at = kinematics.form(body)) [[unlikely]]
    return form_velocity_force(*at, kinematics.R(at->frame), body == at->frame,
                               kinematics.body(at->frame).angular_velocity, at->motion.qd);
  return velocity_force(model.bodies[body], kinematics.M(body), s);
}

}  // namespace catena

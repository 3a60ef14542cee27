// Bodies with a form (model/body_form.h) as rows and forces see them. What acts on a point of such a body acts on two blocks, those of its frame and of its
// form: a force n there pushes coordinate q_k with n·R ∂x/∂q_k.
#pragma once

#include <span>
#include <vector>

#include "catena/constraint/placement.h"
#include "catena/model/body_kinds.h"

namespace catena {

struct FormPlacement {
  const BodyForm* form = nullptr;
  BodyId frame, own;    // its two blocks
  FormMotion motion{};  // filled by Forms::update()
};

// The forms of a model, at one state.
class Forms {
 public:
  explicit Forms(const Model& model);

  bool empty() const { return all_.empty(); }
  const FormPlacement* of(BodyId body) const {
    if (all_.empty()) [[likely]]
      return nullptr;
    return !body.valid() || index_[body] < 0 ? nullptr : &all_[static_cast<std::size_t>(index_[body])];
  }
  // POSITION, VELOCITY: fills `motion`.
  void update(const State& state);
  // POSITION: the mass blocks of frames and forms, at the motion of the last update().
  void fill_masses(const Model& model, std::span<const Mat3> R, std::span<MassBlock> M);

 private:
  std::vector<FormPlacement> all_;
  std::vector<OwnMass> mass_;  //                        (n_form)
  std::vector<int> index_;     // by body; none: −1      (n_body, or 0 without forms)
};

// Mass blocks that stay what they were when the kinematics they come from move on.
class MassBlocks {
 public:
  explicit MassBlocks(const Model& model);
  void assign(std::span<const MassBlock> M);
  const MassBlock& operator[](std::size_t body) const { return M_[body]; }
  std::size_t size() const { return M_.size(); }

 private:
  std::vector<MassBlock> M_;
  std::vector<std::size_t> of_forms_;  // bodies with a block of their own
  std::vector<OwnMass> own_;           // (n_form)
};

// The block on the form of a row whose block on the frame is `on_frame` and which holds the frame at a material point.
BodyVector on_form(const FormPlacement& at, const Mat3& R, const Vec3& material, const BodyVector& on_frame);

// What a body feels of its own motion, at velocities that need not be those of the placement: world axes for a frame.
BodyVector form_velocity_force(const FormPlacement& at, const Mat3& R, bool of_frame, const Vec3& angular_velocity,
                               const OwnVector& rates);

}  // namespace catena

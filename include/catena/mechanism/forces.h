// Every force that is not a constraint's, and where its joules go.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "catena/constraint/joint_coordinates.h"

namespace catena {

// Power of the forces by their source [W], and the energy stored in springs [J].
struct Powers {
  double actuators = 0, external = 0, damping = 0;
};

class Forces {
 public:
  explicit Forces(const Model& model);

  // f = gravity + velocity-dependent forces of the bodies + springs + joint springs and dampers + actuators + loads.
  void apply(const Model& model, const Kinematics& kinematics, const JointCoordinates& coordinates,
             std::span<BodyVector> f, Powers& powers) const;

  // The same without the velocity-dependent forces of the bodies: Bender's F_ext and τ_ext.
  void external(const Model& model, const Kinematics& kinematics, const JointCoordinates& coordinates,
                std::span<BodyVector> f, Powers& powers) const;
  // Whether external() is the same at every state between two times: weight alone.
  bool constant(const Model& model, double from, double until) const;

  // Work of loads and of what the user pushes with, over h, with the bodies' mean velocities.
  void book(const Model& model, const Kinematics& kinematics, const JointCoordinates& coordinates, double h,
            const std::vector<BodyVector>& before, const std::vector<BodyVector>& after, Ledger& ledger) const;

  // −m g·x of the bodies and the energy of all springs.
  double potential(const Model& model, const Kinematics& kinematics, const JointCoordinates& coordinates) const;

  // Times at which a force begins, ends or has a kink, ascending.
  const std::vector<double>& kinks() const { return kinks_; }

  // Set by the user of the library: a force along each coordinate of a joint, and a force and torque on each body.
  std::vector<JointArray> joint_force;  //                     (n_joint)
  std::vector<BodyVector> body_force;   //                     (n_body)
  bool user_forces = false;             // whether any of them, or of point_forces, is not zero
  // Added to the set-point of each actuator, then the inputs of the model's controls.    (n_actuator + n_control)
  std::vector<double> control;
  std::vector<double> acting;  // what the forces of the controls are computed from (acting_input())   (n_control)
  std::vector<char>
      asleep;  // bodies that no force acts on for now (contact/sleep.h); empty: none                (n_body)
  // A force on a point of a body: world axes; body coordinates from the centre of mass.
  struct PointForce {
    BodyId body;
    Vec3 force{}, point{};
  };
  std::vector<PointForce> point_forces;

  // All of those as `other` has them.
  void take_inputs(const Forces& other);

 private:
  static void elasticity(const Model&, const Kinematics&, std::span<BodyVector> f);
  void springs(const Model&, const Kinematics&, std::span<BodyVector> f, Powers&) const;
  void loads(const Model&, const Kinematics&, std::span<BodyVector> f, Powers&) const;
  void joint_springs(const Model&, const Kinematics&, const JointCoordinates&, std::span<BodyVector> f, Powers&) const;
  void actuators(const Model&, const Kinematics&, const JointCoordinates&, std::span<BodyVector> f, Powers&) const;
  void user(const Model&, const Kinematics&, const JointCoordinates&, std::span<BodyVector> f, Powers&) const;

  std::vector<JointId> sprung_;  // joints with stiffness or damping
  std::vector<double> kinks_;
};

}  // namespace catena

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

// Forces along the coordinates of joints, for a mechanism that steps in them: they need not be pushed on bodies, nor their rows be known.
struct JointLoads {
  std::vector<int> first;         // the first rate of each joint; −1: its forces are pushed on its bodies   (n_joint)
  std::span<const double> rates;  // at the state that forces are evaluated at                               (n_v)
  std::vector<double> tau;        // N or N·m                                                                (n_v)

  bool has(JointId joint) const { return !first.empty() && first[joint] >= 0; }
  std::size_t at(JointId joint, std::size_t k) const { return static_cast<std::size_t>(first[joint]) + k; }
};

class Forces {
 public:
  // Keeps a reference to the curves of the model's springs.
  explicit Forces(const Model& model);

  // f = gravity + velocity-dependent forces of the bodies + springs + joint springs and dampers + actuators + loads.
  void apply(const Model& model, const Kinematics& kinematics, const JointCoordinates& coordinates,
             std::span<BodyVector> f, Powers& powers) const;

  // The same without the velocity-dependent forces of the bodies: Bender's F_ext and τ_ext. With `loads`, springs, dampers, actuators and the
  // user's forces along coordinates it has are there instead of in f.
  void external(const Model& model, const Kinematics& kinematics, const JointCoordinates& coordinates,
                std::span<BodyVector> f, Powers& powers, JointLoads* loads = nullptr) const;
  // Whether external() is the same at every state between two times: weight alone.
  bool constant(const Model& model, double from, double until) const;

  // Work of loads and of what the user pushes with, over h, with the bodies' mean velocities, and with the mean of the rates before
  // (loads.rates) and after where the joint is among `loads`.
  void book(const Model& model, const Kinematics& kinematics, const JointCoordinates& coordinates, double h,
            const std::vector<BodyVector>& before, const std::vector<BodyVector>& after, const JointLoads& loads,
            std::span<const double> rates_after, Ledger& ledger) const;

  // −m g·x of the bodies and the energy of all springs.
  double potential(const Model& model, const Kinematics& kinematics, const JointCoordinates& coordinates) const;

  // Times at which a force begins, ends or has a kink, ascending.
  const std::vector<double>& kinks() const { return kinks_; }
  // Joints with stiffness or damping of their own.
  const std::vector<JointId>& sprung() const { return sprung_; }

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
  class JointPush;
  void joint_springs(JointPush& joints, Powers&) const;
  void actuators(JointPush& joints, Powers&) const;
  void pull(JointPush& joints, Powers&) const;
  void user(JointPush& joints, Powers&) const;

  struct Sprung {
    JointId joint;
    int coordinate;
    CoordinateLaw law;  // as the model has it: its curve is the model's
  };
  std::vector<JointId> sprung_;  // joints with stiffness or damping
  std::vector<Sprung> sprung_coordinates_;
  std::vector<double> kinks_;
};

}  // namespace catena

// Baraff's whole computation at one state: forces, factorisation, accelerations and multipliers. Steppers are built on it.
#pragma once

#include <memory>
#include <vector>

#include "catena/joints/constraint_system.h"
#include "catena/mechanism/forces.h"
#include "catena/model/shared_state.h"

namespace catena {

class Dynamics {
 public:
  // `initial` must be assembled: it defines the zero of the joint coordinates.
  Dynamics(const Model& model, const SharedState& initial, LinearSolver solver, int threads = 1);

  // Accelerations and multipliers at a state. With `refactor` false the factorisation at the same positions is used again.
  // baumgarte > 0 adds −2β (J v − u) − β² phi to what the constraints ask for. False when the system cannot be factored. `motion_only`: the
  // multipliers need not be found where that costs extra and no motor works by them.
  bool accelerations(const State& state, double baumgarte = 0, bool refactor = true, bool motion_only = false);

  // The same again at the same state, with more forces on the bodies: what contacts push with, once they are known.
  void push(std::span<const BodyVector> load);

  // The residual of the last accelerations(): recomputed from all rows, independently of how it was solved.
  Residual check();

  // Power of prescribed velocities, λᵀu, at the last accelerations().
  double motor_power() const { return motor_power(lambda); }
  // The same of other multipliers; of impulses it is their work.
  double motor_power(std::span<const double> multipliers) const;
  // Wrench of a joint on its second body, at that body's anchor, from the last accelerations(). A coupling's: on its first body.
  Spatial reaction(JointId id) const;

  // Of the bodies, and of the rotors where they count: ½ a q̇² along each coordinate with armature.
  double kinetic_energy(const State& state) const;
  // The same at the state of the kinematics, with their mass blocks.
  double kinetic_energy() const;
  // The rotors of motors (armature) take part in the motion; for methods that know them.
  void count_rotors();
  const std::vector<JointId>& rotors() const { return rotors_; }
  double potential_energy(const State& state);
  // Both.
  double energy(const State& state);

  // The rows of all joints at the state of the kinematics, evaluated once for it, where the first was asked for on.
  const RowSet& rows();
  // The same, those of the system where it has just evaluated them.
  const RowSet& rows_here();

  const Model& model() const { return *model_; }
  Kinematics& kinematics() { return kinematics_; }
  const Kinematics& kinematics() const { return kinematics_; }
  // Made when it is first asked for: in joint coordinates nothing may ask.
  ConstraintSystem& system();
  int rank_changes() const { return joints_.system ? joints_.system->rank_changes() : 0; }
  int row_count() const { return joints_.row_start.back(); }  // of all joints
  int row_start(JointId joint) const { return joints_.row_start[joint]; }
  Forces& forces() { return forces_; }
  JointCoordinates& coordinates() { return coordinates_; }
  const JointCoordinates& coordinates() const { return coordinates_; }

  std::vector<BodyVector> vdot;  // accelerations                                     (n_body)
  std::vector<double> lambda;    // multipliers of all rows                           (n_row)
  Powers powers;

 private:
  double speed_of(const CouplingRow& row) const;
  double rotor_energy(JointId id, std::span<const Row> coordinates, const State& state) const;

  const Model* model_;
  Kinematics kinematics_;
  JointCoordinates coordinates_;
  Forces forces_;
  // The system of all joints, and what it is made of: `initial` is where it decides which kind costs least, and where the kinematics are at first.
  struct Joints {
    struct ToCome {
      LinearSolver solver;
      int threads;
      SharedState initial;
    };
    std::unique_ptr<ToCome> to_come;
    std::unique_ptr<ConstraintSystem> system;
    std::vector<int> row_start;
  } joints_;
  struct KeptRows {
    std::unique_ptr<RowSet> set;  // null: nobody has asked for them
    std::uint64_t at = 0;         // stamp of the kinematics they were evaluated at
  } rows_;
  std::vector<BodyVector> f_;        // applied forces                                    (n_body)
  std::vector<BodyVector> scratch_;  //                                                   (n_body)
  std::vector<double> b_, extra_;    //                                                   (n_row)
  std::vector<JointId> driven_;      // joints with prescribed velocities
  std::vector<JointId> rotors_;      // joints with armature that count
};

}  // namespace catena

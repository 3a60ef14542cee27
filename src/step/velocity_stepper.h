// Stepping at velocity level, for the methods spook (Lacoursière) and operational (Jain): everything that pushes in a step is one problem for the
// velocities at its end.
//     M v⁺ = M v + h f + Gᵀλ + Jᵀz,     G v⁺ = q,     w = J v⁺ + Σ z − target  with a law between w and z      Lacoursière eq. 1, Jain eq. 53
// Both are the same step over another mechanism: spook in maximal coordinates, operational in joint coordinates, unless others are asked
// for. Departs from the papers in three things:
//   - By default joints, contacts and forces are taken at the middle of the step, x½ = x + (h/2) v, which is of second order; the integrator
//     euler is the papers'. Joints with compliance are stepped as in the paper.
//   - A step is cut where bodies meet faster than the restitution threshold, and their impact is applied there (impacts.h), unless contacts are
//     swept.
//   - What overlaps after the step is moved apart, not pushed, and contacts never give energy (overlaps.h).
// Springs, dampers and servos are implicit (mechanism/impedance.h).
#pragma once

#include <memory>

#include "catena/mechanism/impedance.h"
#include "catena/mechanism/mechanism.h"
#include "catena/step/active_laws.h"
#include "catena/step/contact_solver.h"
#include "catena/step/formulations.h"
#include "catena/step/impacts.h"
#include "catena/step/overlaps.h"
#include "catena/step/stepper.h"

namespace catena {

class VelocityStepper final : private LawlessModel, public Stepper {
 public:
  // `always`: no step is refused. Joints that cannot be closed stay open and are pulled together in the steps that follow, and energy a step
  // would gain is taken out of all velocities; both are reported and booked. For the steps that no other scheme can take.
  VelocityStepper(const Model& model, const State& initial, const Settings& settings, bool always = false);
  ~VelocityStepper() override;

  Integrator integrator() const override { return midpoint_ ? Integrator::midpoint : Integrator::euler; }

 private:
  void move(double h, State& state) override;
  // With the forces of the last step's laws as loads.
  bool evaluate_here(const State& state) override;
  const std::vector<ContactForce>& own_forces() const override { return forces_; }
  const std::vector<Impact>& own_impacts() const override { return impacts_.list(); }
  std::span<const BodyVector> own_load() const override { return load_; }
  int most_cuts(int rows) const;
  void find_laws(double ahead);
  bool collide(State& state);
  double advance(double h, State& state);
  bool is_flight(double h) const;
  double fly(double h, State& state);
  void take(State& state);
  bool prepare(const State& state);
  bool solve_velocities(const State& state);
  bool solve_laws(const State& state);
  bool contacts_change_spin() const;
  void book(State& state);
  void report_contacts();
  void merge_contacts(double share);
  void add_impacts(std::size_t from, double h);
  void list_swept_impacts(const State& state);
  void find_mean_movers();
  void separate(double next, double taken, State& state);
  double force_scale() const;
  bool is_refused(const Closing& closing, double gain, State& state);
  double time_to_pass(double left);
  void could_not_close(const Closing& closing, const State& state);
  void finish(State& state);

  void give_nothing(double before, double h, State& state);

  VelocityTuning tuning_;
  bool always_;
  bool midpoint_;
  bool flies_ = false;  // parts in which nothing touches are of fourth order
  bool damps_ = false;  // springs, dampers and joint forces taken at the end of the step, which loses energy
  PartOfStep part_;
  std::unique_ptr<Mechanism> mechanism_;
  std::unique_ptr<Formulations> formulations_;  // where another formulation of the problem is asked for
  Laws laws_;
  std::uint64_t found_ = 0;  // the kinematics laws_ are of
  ActiveLaws active_;
  ContactSolver solver_;
  Impacts impacts_;
  Overlaps overlaps_;
  Impedance impedance_;
  double size_;                   // of the mechanism [m]
  double energy_scale_ = 0;       // that and the kinetic energy at the start of the step
  double work_ = 0;               // of everything that pushed in the part [J]
  double kinetic_ = 0;            // at the start of the part, or of the part of a flight, that is being taken [J]
  double energy_after_move_ = 0;  // before joints are closed [J]
  Mechanism::Energy energy_before_part_;
  State before_part_;
  std::vector<BodyVector> f_, load_;  // forces; what the laws of the last step pushed with [N]     (n_body)
  std::vector<int> mechanism_of_;     // of each body
  std::vector<char> by_mean_;         // swept: bodies nothing presses on                           (n_body)
  std::vector<ContactForce> forces_, part_forces_;  // of the step, of the part last taken
};

}  // namespace catena

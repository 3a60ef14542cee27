// Stepping at velocity level, for the methods spook (Lacoursière) and operational (Jain): everything that pushes in a step is one problem for the
// velocities at its end.
//     M v⁺ = M v + h f + Gᵀλ + Jᵀz,     G v⁺ = q,     w = J v⁺ + Σ z − target  with a law between w and z      Lacoursière eq. 1, Jain eq. 53
// Both are the same step over another mechanism: spook in maximal coordinates, operational in joint coordinates, unless others are asked
// for. Departs from the papers in three things:
//   - By default joints, contacts and forces are taken at the middle of the step, x½ = x + (h/2) v, which is of second order; the integrator
//     euler is the papers'. Joints with compliance are stepped as in the paper.
//   - A step is cut where bodies meet faster than the restitution threshold; they rebound there (impacts.h), unless contacts are
//     swept.
//   - What overlaps after the step is moved apart, not pushed, and contacts never give energy (overlaps.h).
// Springs, dampers and servos are implicit (mechanism/impedance.h).
#pragma once

#include <memory>

#include "catena/contact/active_laws.h"
#include "catena/contact/contact_solver.h"
#include "catena/contact/formulations.h"
#include "catena/contact/overlaps.h"
#include "catena/mechanism/impedance.h"
#include "catena/mechanism/mechanism.h"
#include "catena/step/method.h"

namespace catena {

class VelocityMethod final : public StepMethod {
 public:
  // `always`: no step is refused. Joints that cannot be closed stay open and are pulled together in the steps that follow, and energy a step
  // would gain is taken out of all velocities; both are reported and booked. For the steps that no other scheme can take.
  VelocityMethod(StepContext& context, const Model& full, const State& initial, bool always);
  ~VelocityMethod() override;

  Integrator integrator() const override { return scheme_.midpoint ? Integrator::midpoint : Integrator::euler; }
  void begin(double h, State& state) override;
  void place(State& state) override { mechanism_->place(state); }
  std::span<const CarriedCoordinate> carried() const override { return mechanism_->carried(); }
  PartOfStep plan(int number) const override;
  Mechanism& factored_mechanism(State& state) override;
  int facets() const override { return settings().facets; }
  solve::Solution answer_impact(const solve::Problem& problem) override;
  double advance(PartOfStep part, const State& before, State& state) override;
  Closing close(State& state) override;
  bool is_refused(const PartOfStep& part, double done, const Closing& closing, const State& before,
                  const State& state) override;
  void separate(double next, const State& before, State& state) override;
  void end(double h, const State& before, State& state) override;
  bool evaluate(const State& state) override;
  std::optional<PlainStep> plain_step() override;

 private:
  // What is decided once.
  struct Scheme {
    bool always = false;
    bool midpoint = false;
    bool flies = false;   // parts in which nothing touches are of fourth order
    bool lawful = false;  // there may be contacts, limits, friction, or joints that laws hold
    bool damps = false;   // springs, dampers and joint forces taken at the end of the step, which loses energy
  };
  struct Energies {       // J
    double scale = 0;     // weight times size, and the kinetic energy at the start of the step
    double at_start = 0;  // of the step, without what the ledger explains
    Mechanism::Energy before_part;
    double kinetic = 0;     // at the start of the part, or of the part of a flight, that is being taken
    double work = 0;        // of everything that pushed in the part
    double after_move = 0;  // before joints are closed
    double by_closing = 0;  // what closing them gained
  };

  const VelocityTuning& tuning() const { return context_.tuning.velocity; }
  const PartTuning& parts() const { return context_.tuning.parts; }
  int most_cuts(int rows) const;
  double march(double h, State& state);
  bool is_flight(double h) const;
  double fly(double h, const State& before, State& state);
  void take(State& state);
  bool prepare(const State& state);
  bool refine();
  bool solve_velocities(const State& state);
  // Where the solution of the contact problem begins: with the impulses of the last step, or with the answer to the same rows just found.
  enum class Begin { last_step, last_answer };
  bool solve_laws(const State& state, Begin begin);
  void book(State& state);
  void report_contacts();
  void list_swept_impacts(const State& state);
  void find_mean_movers();
  double force_scale() const;
  void give_nothing(double h, const State& before, State& state);

  Scheme scheme_;
  Energies energies_;
  PartOfStep part_;
  std::unique_ptr<Mechanism> mechanism_;
  std::unique_ptr<Formulations> formulations_;  // where another formulation of the problem is asked for
  Impedance impedance_;
  ActiveLaws active_;
  ContactSolver solver_;
  Overlaps overlaps_;
  std::vector<BodyVector> f_;      // forces                                       (n_body)
  JointLoads loads_;               // and those along joint coordinates that the mechanism steps in
  std::vector<int> mechanism_of_;  // of each body
  std::vector<char> by_mean_;      // swept: bodies nothing presses on             (n_body)
};

}  // namespace catena

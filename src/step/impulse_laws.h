// Contacts, limits, dry friction and motors of limited force in Bender's method (his §5): one more part of the constraints, solved in turn with
// the joints until both are satisfied. As for joints there are impulses at t, after which the bodies do not overlap at t + h and what
// sticks has not moved on the mean of the step, and impulses at t + h, after which the velocities obey the laws. Each half of the friction
// goes with its half of the normal impulse, which makes it of second order.
//
// What gives way, contacts and limits of compliance ε and relaxation τ and the rows of soft joints, has the force of its spring and damper at the middle
// of the part, f = −((φ + φ⁺)/2 + τ (φ⁺ − φ)/h)/ε, half of its impulse at t and half at t + h: the implicit midpoint rule, stable however stiff. With
// z = h f/2 and φ⁺ = φ + h (J v + A z) that is A z + Σ z + b = 0, Σ = 4ε/(h² (1 + 2τ/h)).
#pragma once

#include <array>
#include <vector>

#include "catena/contact/contact_solver.h"
#include "catena/mechanism/flight.h"
#include "catena/step/step_context.h"

namespace catena {

// J v of a row with the velocities of a state.
inline double speed_of(const LawRows& laws, const LawBlock& block, const LawRow& row, const State& state) {
  return times(laws, block, row, [&](BodyId body) { return velocity_of(state.bodies[body]); });
}

class ImpulseLaws {
 public:
  // `context` has laws, found at t; `full` is its model with what they hold.
  ImpulseLaws(StepContext& context, Flight& flight, const Model& full);

  // Rows solved for since the step began.
  void begin_step();
  int rows_solved() const { return effort_.rows; }

  // The laws of a part of a step of length h. Pairs that will meet fast within it are left out when it will be `cut` there. False: no law is active.
  bool begin(double h, bool cut, const State& state);
  // What the impulses at t change the velocities by, once the joints have answered; what the last change of them does.
  void respond(VelocityChange& dv) { flight_.respond(active_.laws, active_.z, dv); }
  void respond_to_change(VelocityChange& dv) { flight_.respond(active_.laws, search_.change, dv); }
  // Evaluates gaps and mean slips at the predicted end state, which the bodies reach having started dv faster, to first order in the pending joint
  // correction `more`. False: no law is active.
  bool evaluate_ahead(double h, const std::vector<BodyVector>& dv, const std::vector<BodyVector>& more,
                      const State& predicted);
  // Whether a law is active that the last assemble() left out.
  bool lacks_active_law() const;
  // Assembles the compliance of what presses, through the joints as they are factored at the state of the kinematics. Before correct_impulses(). `ahead`: that
  // is the state evaluate_ahead() saw, and the gaps change with the directions there.
  void assemble(bool ahead);
  // Better impulses for what evaluate_ahead() saw. True when they were good.
  bool correct_impulses();
  double last_change() const {
    return search_.last_change;
  }  // of what they do to the laws' motions, by the last correct_impulses()
  // Back to the impulses of begin().
  void restart() { active_.z = search_.first; }
  // When the first pair that was left out meets, if it does so before h; else h.
  double time_of_meeting(double h, const State& predicted);

  // Impulses at the end of the part: dv is what they change the velocities by. False: there are none.
  bool end(double h, VelocityChange& dv);
  // Forces of the part, by contact and on the bodies, what the next one begins with, and how well the laws were solved.
  void report(double h, State& state);

  // As exactly as the laws of a part.
  solve::Solution answer_impact(const solve::Problem& problem);

  double penetration() const;      // deepest overlap at t
  const Contact* deepest() const;  // the contact of the deepest overlap at t; null where nothing overlaps
  // Work of impulses by what does it [J].
  struct Work {
    double contacts = 0;  // and limits and friction
    double motors = 0;    // of limited force
  };
  // Of the impulses at t on bodies that go from v to v + dv.
  Work work(const State& state, const std::vector<BodyVector>& dv) const;
  // Of those of end(), which change the velocities by dv; all impulses at t + h together change them by `all`.
  Work work_at_end(const std::vector<BodyVector>& dv, const std::vector<BodyVector>& all) const;

 private:
  struct Pushing {  // laws and their impulses
    LawRows laws;
    solve::Vector z;
  };
  struct Search {                // for the impulses at t
    LawRows pressed;             // those of the active ones that correct_impulses() finds impulses for
    std::vector<char> answered;  // whether an active block is among them
    solve::Vector first;         // those of begin()
    solve::Vector change;        // by the last correct_impulses()
    solve::Vector w;             // what evaluate_ahead() saw
    double last_change = 0;      // of w by the last correct_impulses()
    bool inexact = false;        // no exact answer was found in this part
    bool indeterminate =
        false;  // the laws leave open which contact carries how much: impulses come no closer to them than the joints' tolerance
  };
  struct Fast {  // a pair that will meet
    std::uint64_t key;
    double gap, speed;
  };
  const LawRows& found() const { return context_.laws->rows(); }
  struct Effort {
    int rows = 0;           // solved for
    int long_searches = 0;  // for an exact answer that are left
  };

  // Springs (impulse_springs.cpp).
  double relaxation_of(const LawBlock& spring) const;
  void set_sigma(const LawBlock& block, LawRows& laws) const;
  void set_creep(const LawBlock& block, LawRows& laws) const;
  double spring_motion(const LawBlock& spring, int i, const LawBlock* there, double first) const;
  void gather_springs_at_end();
  bool hold_springs(VelocityChange& dv);
  void release_springs();

  solve::Problem& problem() const { return flight_.mechanism().problem(); }
  const ImpulseTuning& tuning() const { return context_.tuning.impulse; }
  const PartTuning& parts() const { return context_.tuning.parts; }
  double allowed_gap(const LawBlock& at_start) const;
  double enough() const;
  double solve(double tolerance, LawRows& laws, solve::Vector& z);
  solve::Certificate solve_once(double tolerance, const LawRows& laws, solve::Vector& z);
  solve::Solution search_patiently(const solve::Vector& from);
  bool presses(std::size_t block) const;
  void move_ahead();
  std::array<double, 3> turned(const LawBlock& first, const LawBlock& last) const;
  bool has_pushed(std::uint64_t key) const;
  bool rebounds(const LawBlock& block) const;
  bool is_of_cloth(const LawBlock& block) const;

  StepContext& context_;
  Flight& flight_;
  Laws ahead_;  // at the predicted state or t + h
  Kinematics kinematics_ahead_;
  ContactSolver exact_;      // of problems of few rows
  Pushing active_, ending_;  // at t, and at t + h
  std::vector<Fast> fast_;
  std::vector<LawRow> held_springs_;  // rows of springs at t + h, while their impulses are given
  Search search_;
  Effort effort_;                   // of the step
  double h_ = 0;                    // of the part
  solve::Certificate certificate_;  // of the worst solution of the part
};

}  // namespace catena

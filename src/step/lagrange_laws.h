// Contacts, limits, dry friction and motors of limited force at acceleration level: of each law that acts, a = J v̇ + c and its force μ have
//     a ≥ 0, μ ≥ 0, aμ = 0                                                                           Baraff §8
// with Coulomb's law across it. What touches and slips pushes obliquely, K = J_nᵀ − friction · J_tᵀ along the slip; what touches and does not
// slip has μ in the friction cone, opposite to its acceleration. The primary joints answer through M̂⁻¹ as in §8.1.
//
// Contacts and limits that give way push with what their spring and damper say; friction across them has that force for its normal. They begin and
// end to push where it is zero, or where they meet, without an impulse. Contacts that creep have the friction −v/γ of their slip v, within the cone.
//
// How each law stands at the beginning of a part of a step is its mode, and kept over the part; when modes change is in lagrange.h.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "catena/mechanism/equations_of_motion.h"
#include "catena/solve/semidefinite.h"
#include "catena/step/step_context.h"

namespace catena {

class LagrangeLaws {
 public:
  // `context` has laws. `equations`: those that the forces of the laws act in.
  LagrangeLaws(StepContext& context, EquationsOfMotion& equations);

  void begin_step() {
    modes_.clear();
    turned_.clear();
  }
  // The modes at the state the laws were found at; and what begins there, by the accelerations found with them.
  void begin(const State& state);
  void note_beginnings();

  // The rows of the laws that act at the state they were found at; the forces of those that have but one way to push are found. Returns how many.
  int select();
  // The forces of those rows, and the accelerations with all of them. `quick`: fails where they are not found in the time of a step.
  bool solve(bool quick);
  // No force obeyed the laws there.
  bool is_inconsistent() const { return inconsistent_; }
  void set_inconsistent(bool inconsistent) { inconsistent_ = inconsistent; }
  // What the laws' forces do to the bodies of the state [W].
  void add_powers(const State& state, Ledger& powers) const;

  // Painlevé's case: no force can keep a slipping contact from being pressed in, however large. The slip ends within no time: impulses bring
  // what slips to rest in all its rows, the rest obeys the laws.
  void end_slips_at_once(State& state);
  // What goes on touching is held to it as joints are: gaps onto 0, and the velocities of what touches and sticks.
  void project(State& state);

  // Positive before the first of: a gap closes that was open, a slip comes to its end. Gaps count from `open`, the least of those that have opened but are not yet clear.
  double crossing(double open) const;
  // Whether something that stuck slips, or something that touched opens, by the accelerations last found.
  bool changes() const;

  // The forces at the state last solved at, as those of the step; and as what the next step starts from.
  void report();
  void remember(State& state) const;

 private:
  // How a law that acts stands at the beginning of a part of a step, and what it was last found to do.
  struct Mode {
    std::uint64_t key = 0;
    bool unilateral = true;  // contact or limit; else dry friction or a motor
    bool gives = false;      // a contact or limit that gives way
    bool creeps = false;     // its friction is what its slip asks for, within the cone; it neither slips nor sticks
    bool slips = false;      // its velocity across the normal is not zero
    bool slow = false;       // slip begins or has just begun, or has turned
    bool starts = false;     // it is zero, and its acceleration is not: slip begins
    bool oblique = false;    // its friction is in the push of its normal row
    bool leaves = false;     // the normal acceleration is not zero
    std::array<double, 2> slip{};  // unit: direction of the slip along the tangents; a joint's: sign
    std::array<double, 3> z{};     // force along the rows
    std::array<double, 3> a{};     // acceleration along the rows
    double across() const { return creeps ? 0 : unilateral ? std::hypot(a[1], a[2]) : std::abs(a[0]); }
  };

  const LawRows& found() const { return context_.laws->rows(); }
  const LagrangeTuning& tuning() const { return context_.tuning.lagrange; }
  Mode* mode_of(std::uint64_t key);
  const Mode* mode_of(std::uint64_t key) const { return const_cast<LagrangeLaws*>(this)->mode_of(key); }
  double smallest_acceleration() const { return tuning().still_force + tuning().still_share * scale_; }
  void note_turns();
  bool turns(std::uint64_t key) const { return std::find(turned_.begin(), turned_.end(), key) != turned_.end(); }
  bool is_slow_slip(const LawBlock& contact) const;
  void select_contact(const LawBlock& contact, Mode& mode);
  double room(const LawBlock& gives_way) const;
  void push_spring(const LawBlock& gives_way, Mode& mode);
  LawBlock& select_rows(const LawBlock& contact, const Mode& mode);
  static void hold_row(double sigma, double force, LawRow& row);
  void push_along(const LawBlock& contact_or_turn, const LawRow& with, double share);
  void share_evenly();

  StepContext& context_;
  EquationsOfMotion& equations_;
  Mechanism& mechanism_;               // its joints, for impulses and for the compliance of the laws
  std::vector<Mode> modes_;            // of the laws that act, by key
  std::vector<std::uint64_t> turned_;  // contacts whose slip has turned in this step
  LawRows active_, held_;              // rows at the state last selected at; those that project() and impulses work on
  bool given_ = false;                 // some forces are known without solving for them
  bool inconsistent_ = false;
  double scale_ = 0;  // of the accelerations of the laws that act
  SemidefiniteSolver semidefinite_;
  std::vector<BodyVector> d_;  //                                                     (n_body)
};

}  // namespace catena

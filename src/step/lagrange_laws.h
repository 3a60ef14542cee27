// Contacts, limits, dry friction and motors of limited force at acceleration level: of each law that acts, a = J v̇ + c and its force μ have
//     a ≥ 0, μ ≥ 0, aμ = 0                                                                           Baraff §8
// with Coulomb's law across it. What touches and slips pushes obliquely, K = J_nᵀ − friction · J_tᵀ along the slip; what touches and does not
// slip has μ in the friction cone, opposite to its acceleration. The primary joints answer through M̂⁻¹ as in §8.1.
//
// A step is cut where a law begins or ends to act: bodies meet, a contact opens, slip begins or ends. Between these events the motion is
// smooth, and the integrator keeps its order. Meetings change velocities by impulses (impacts.h). Where friction leaves no force that
// obeys the laws (Painlevé), an impulse ends the slip, and the report says so.
#pragma once

#include <array>
#include <vector>

#include "catena/laws/contact_force.h"
#include "catena/solve/semidefinite.h"
#include "catena/step/impacts.h"
#include "catena/step/lagrange.h"

namespace catena {

class LagrangeLawsStepper final : private LawlessModel, public LagrangeStepper {
 public:
  LagrangeLawsStepper(const Model& model, const State& initial, const Settings& settings);

  // What the laws push the bodies with, at the end of the last step [N]                 (n_body)
  const std::vector<BodyVector>& load() const { return load_; }

 private:
  // How a law that acts stands at the beginning of a part of a step, and what it was last found to do.
  struct Mode {
    std::uint64_t key = 0;
    bool unilateral = true;        // contact or limit; else dry friction or a motor
    bool slips = false;            // its velocity across the normal is not zero
    bool slow = false;             // slip begins or has just begun
    bool starts = false;           // it is zero, and its acceleration is not: slip begins
    bool dragging = false;         // its friction is in the push of its normal row
    bool leaves = false;           // the normal acceleration is not zero
    std::array<double, 2> slip{};  // unit: direction of the slip along the tangents; a joint's: sign
    std::array<double, 3> z{};     // force along the rows
    std::array<double, 3> a{};     // acceleration along the rows
  };

  void move(double h, State& state) override;
  bool evaluate_here(const State& state) override;
  const std::vector<ContactForce>& own_forces() const override { return forces_; }
  const std::vector<Impact>& own_impacts() const override { return impacts_.list(); }
  bool accelerate(const State& state) override;

  bool settle(double ahead, State& state);
  void begin_modes(const State& state);
  void name_beginnings();
  void name_slow_slips();
  void shock(State& state);

  double advance(double h, bool cut, State& state);
  void retry(double h, State& state);
  double crossing(const State& state);
  double locate(double h, double beyond, State& state);
  double locate_onset(double h, State& state);
  bool onset(const State& state);
  double small_acceleration() const;

  bool select(std::vector<BodyVector>& load);
  void select_contact(const LawBlock& found, Mode& mode);
  void drag(const LawBlock& contact_or_turn, const LawRow& with, double share);
  void share_evenly();
  void solve_laws(std::vector<BodyVector>& load);
  void read_answers(const solve::Solution& solution);
  void hold(State& state);
  void report_contacts();
  void remember(State& state) const;

  Mode* mode_of(std::uint64_t key);

  Laws laws_;
  LawProblem problem_;
  Impacts impacts_;
  bool reading_ = false;       // accelerations are evaluated for somebody to read, not for a step
  double passing_ = 0;         // how long until bodies could be past each other unnoticed [s]
  std::vector<Mode> modes_;    // of the laws that act, by key
  LawRows active_;             // their rows at the state last evaluated
  bool inconsistent_ = false;  // no force obeyed the laws there
  double scale_ = 0;           // size of its accelerations
  State begin_;                // of the part of a step
  double crossing_at_begin_ = 0;
  double sunk_ = 0;  // the least gap, if negative, of what has opened but is not yet clear
  SemidefiniteSolver semidefinite_;
  std::vector<BodyVector> load_, d_;   //                              (n_body)
  std::vector<double> zero_, lambda_;  //                              (n_row)
  std::vector<ContactForce> forces_;
};

}  // namespace catena

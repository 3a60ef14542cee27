// A mechanism in maximal coordinates: joints are rows of a ConstraintSystem, closed after each step by projection.
//     M v⁺ = M v + h f + Gᵀλ + Jᵀz,     G v⁺ = q                                              Lacoursière eq. 1; Baraff §8 for M̂⁻¹
// At the middle of a step q = 2u − G v: the mean of the velocities meets the joints there.
// Where joints are not projected q also takes back a part of what they are open by (SPOOK's Υ, eq. 2).
// With `sweep_joints` nothing is factored: the rows of the joints are in the problem with those of the laws, before them (Algorithm 3.1).
#pragma once

#include <limits>
#include <memory>
#include <optional>

#include "catena/mechanism/geometric_stiffness.h"
#include "catena/mechanism/law_problem.h"
#include "catena/mechanism/mechanism.h"
#include "catena/model/tuning.h"

namespace catena {

class MaximalMechanism final : public Mechanism {
 public:
  struct Options {
    bool sweep_joints = false;
    bool project = true;  // joints are closed after the step
    bool pull = false;  // joints that are open all the same are pulled together in the step, and may stay open after it
    bool geometric_stiffness = false;  // taken implicitly (geometric_stiffness.h)
    double relaxation = 2;             // steps in which joints that are not projected close: SPOOK's τ/h
    JointTuning tuning{};
  };
  MaximalMechanism(Dynamics& dynamics, Projection& projection, const Options& options);

  void place(State& state) override;
  void look_ahead(double t, const State& state) override;
  bool carries_inertia(JointId joint) const override;
  bool factor(std::span<const JointArray> inertia) override;
  void free_motion(double h, bool middle, std::span<const BodyVector> f, std::span<const double> tau) override;
  bool refine(double h) override;
  bool refines_once() const override { return joints_.late; }
  double gyration_change(double h) const override {
    return gyration_change(h, std::numeric_limits<double>::infinity());
  }
  void answer_directly(bool direct) override { joints_.sweeps = options_.sweep_joints && !direct; }
  void assemble(const LawRows& laws, int facets) override;
  void assemble_rigid(const LawRows& laws) override;
  void load(const LawRows& laws) override;
  solve::Problem& problem() override { return problem_.problem(); }
  // Whether a body answers through joints.
  bool is_held(BodyId body) const { return problem_.is_held(body); }
  int first_row() const override { return joints_.sweeps ? dynamics_->row_count() : 0; }
  double ease(int row) const override { return problem_.ease(row); }
  void answer(const LawRows& laws, const solve::Vector& z) override;
  double motor_work() override;
  double residual(double h, std::span<const BodyVector> f, const LawRows& laws, const solve::Vector& z) override;
  void move(double h, bool middle, std::span<const char> by_mean, State& state) override;
  void strike(State& state) override;
  void nudge(State& state) override;
  void keep(const State& state) override { kept_ = state.bodies; }
  bool shift(double part, State& state) override;
  Closing close(State& state) override;

 private:
  void joint_targets(double h);
  void solve_free(double h);
  void change_spin(double h);
  void find_multipliers();
  BodyVector mean_gyration(std::size_t body) const;
  double gyration_change(double h, double enough) const;
  bool gyrates() const;
  void drop_fast_gyration(double h);
  Drift close_positions(State& state);
  bool is_moved(const State& state) const;

  Options options_;
  Projection* projection_;
  LawProblem problem_;
  std::unique_ptr<GeometricStiffness> stiffness_;
  struct Joints {
    const RowSet* swept = nullptr;  // their rows, where they are in the problem
    bool sweeps = false;            // they are in the problem now
    bool driven = false;            // some row prescribes a velocity
    bool late = false;              // multipliers are found once, when they are asked for
  } joints_;
  struct Step {
    bool middle = false;
    bool stiff = false;              // geometric stiffness acts in this step, until the next free_motion()
    bool rough = false;              // the free motion awaits refine()
    bool known = true;               // lambda belongs to motion()
    bool tried = false;              // factored ahead of the state placed, which has not moved since
    double h = 0;                    // of the free motion
    std::optional<double> moved_to;  // the time, by move(), and not closed since
  } step_;
  State ahead_;
  std::vector<BodyState> kept_;
  struct Forces {
    std::vector<BodyVector> f, spin;          // forces; velocity-dependent ones           (n_body)
    std::vector<BodyVector> scratch, pushed;  // impulses of the laws                      (n_body)
  } forces_;
  struct JointRows {
    std::vector<double> b;                    // what G dv must be                         (n_row)
    std::vector<double> lambda, lambda_free;  // impulses of the joints; without laws      (n_row)
    std::vector<double> extra, zero;          //                                           (n_row)
  } rows_;
  std::vector<JointArray> rotors_;  //                                        (n_joint)
};

}  // namespace catena

// A mechanism in joint coordinates: joints of the forest hold identically, loops and prescribed motions are held rows.
//     θ̇⁺ = θ̇ + Δt θ̈_f + M⁻¹(Gᵀλ + Jᵀ z),     w = Q Λ Qᵀ z + b                                   Jain eqs. 28, 33, 50, 53
//     θ⁺ = θ ⊕ Δt θ̇⁺     on the manifold: there is nothing to stabilise but the loops, which are closed after the step
#pragma once

#include <cmath>
#include <numbers>

#include "catena/mechanism/mechanism.h"
#include "catena/mechanism/operational_problem.h"
#include "catena/model/tuning.h"
#include "catena/primary/reduced_system.h"

namespace catena {

// The angle that differs from q by whole turns and is nearest to the last one.
template <class Real>
Real with_turns_of(const Real& q, const Real& last) {
  using std::round;
  constexpr double kTurn = 2 * std::numbers::pi;
  return q + kTurn * round((last - q) / kTurn);
}

class ReducedMechanism final : public Mechanism {
 public:
  // At the initial state as the kinematics of `dynamics` have it. `size` of the mechanism. `carries`: inertia along joint coordinates is
  // factored with the joints; formulations that do not use that factorisation have it as rows.
  ReducedMechanism(Dynamics& dynamics, double size, bool carries, const JointTuning& tuning = {});

  void place(State& state) override;
  // Whether the state is the one placed last, as it was left then.
  bool is_placed(const State& state) const;
  void look_ahead(double t, const State& state) override;
  std::span<const CarriedCoordinate> carried() const override { return carried_; }
  bool carries_inertia(JointId joint) const override;
  bool factor(std::span<const JointArray> inertia) override;
  int rate_of(JointId joint) const override { return rates_.first[joint]; }
  std::span<const double> rates_before() const override { return at_.now.v; }
  std::span<const double> rates_after() const override { return rates_.v; }
  std::span<const double> reaches() const override { return rates_.reaches; }
  void free_motion(double h, bool middle, std::span<const BodyVector> f, std::span<const double> tau) override;
  bool refine(double h) override;
  void assemble(const LawRows& laws, int facets) override;
  void assemble_rigid(const LawRows& laws) override;
  void load(const LawRows& laws) override;
  solve::Problem& problem() override { return problem_.problem(); }
  double ease(int row) const override { return problem_.ease(row); }
  void answer(const LawRows& laws, const solve::Vector& z) override;
  double motor_work() override;
  double residual(double h, std::span<const BodyVector> f, const LawRows& laws, const solve::Vector& z) override;
  void move(double h, bool middle, std::span<const char> by_mean, State& state) override;
  void strike(State& state) override;
  void nudge(State& state) override;
  void keep(const State& state) override;
  bool shift(double part, State& state) override;
  Closing close(State& state) override;

  // From the coordinates themselves where all joints have some.
  void remember_angles(State& state) const override;

  // For the equations of motion (reduced_equations.h): the state at other coordinates and rates, placed.
  void put_at(std::span<const double> q, std::span<const double> rates, State& state);
  // θ̈ at the state placed, under forces on the bodies without velocity-dependent ones, the held rows with G θ̈ = asked answering:
  //     M θ̈ + C = Jᵀf + Gᵀλ                                                                                Jain eqs. 28, 29
  // asked: −c − 2β (G v − u) − β² phi. `out`: what the bodies do, at their centres of mass.
  void accelerate(std::span<const BodyVector> f, double baumgarte, std::vector<BodyVector>& out);
  const std::vector<double>& accelerations() const { return rates_.vdot; }
  const Eigen::VectorXd& held_forces() const { return impulses_.z; }  // λ of the last accelerate()
  const std::vector<double>& rate_inertia() const { return rates_.inertia; }
  // What the held rows are open by at the state placed.
  Closing open();

  // For flights (reduced_flight.h): the state placed with other rates; what hold() has found stays good.
  void set_rates(std::span<const double> rates, State& state);
  // The forest factored, the held rows and their compliance found, at the state placed.
  void hold();
  // What impulses x of the held rows change the rates by, so that G v changes by `by`. After hold(). x may be empty.
  void move_held(std::span<const double> by, std::span<double> rates, std::span<double> x);
  bool has_dependent_rows() const { return problem_.dependent() > 0; }
  // The angles that count whole turns, of other coordinates than those placed.
  void write_angles(const JointState& from, State& state) const;

  // The rotors of motors (armature) as inertia along the rates, where every joint that has one has a coordinate, and the system that reactions are
  // read by has room for it too. False: they do not take part.
  bool take_rotors();

  // A coordinate that counts whole turns.
  struct Angle {
    JointId joint;
    int coordinate;
    int q;          // where it is among the joint coordinates
    double offset;  // from there to what people read
    bool counted;   // its turns are counted already
  };
  const ReducedModel& tree() const { return tree_; }
  // For worlds in lanes (batch/lane_step.h).
  const std::vector<Angle>& angles() const { return angles_; }

  // For the other formulations of the contact problem (formulation.h).
  ReducedSystem& system() { return system_; }
  const HeldRows& held() const { return held_; }
  const std::vector<double>& rates() const { return at_.now.v; }
  const std::vector<double>& held_targets() const { return held_speeds_.target; }
  void set_motion(std::span<const double> rates);

 private:
  void put(State& state);
  void show(State& state);
  void show_ahead();
  void close_ahead();
  void tell_coordinates(const JointState& from, const State& state);
  void answer_held();
  void factor_here();
  void answer_rows();
  void close_velocities();
  void assemble_held();
  void read_accelerations(std::span<BodyVector> out) const;

  struct Options {
    double size;
    bool carries;
    JointTuning tuning;
  } options_;
  ReducedModel tree_;
  ReducedSystem system_;
  HeldRows held_;
  OperationalProblem problem_;
  std::vector<Angle> angles_;
  std::vector<CarriedCoordinate> carried_;
  // Where the mechanism is.
  struct Places {
    JointState now, ahead, kept;
    // Coordinates that the velocities now lead to; those ahead are where loops are closed         (n_q)
    std::vector<double> led;
    bool closes_ahead = false;  // rows of loops depend on each other, some only while closed (Bennett's linkage)
    State ahead_state;
    std::vector<BodyState> placed;  // the bodies as put() left them                              (n_body)
    std::vector<BodyState> given;   // and as place() found them                                  (n_body)
    std::uint64_t stamp = 0;        // of the kinematics then
  } at_;
  struct Here {              // of the positions that system_ is at
    bool factored = false;   // it is factored there
    bool assembled = false;  // and the held rows of problem_
    bool ahead = false;      // they are those looked ahead to
    bool middle = false;     // free_motion() was asked for the middle of the step
    double h = 0;            // of the free motion
  } here_;
  struct Rates {
    std::vector<int> first;       // rate of each joint, or −1                        (n_joint)
    std::vector<double> reaches;  // how far each rate may lead: 1 rad or the size    (n_v)
    std::vector<double> tau;      // forces along them                                (n_v)
    std::vector<double> inertia;  //                                                  (n_v)
    std::vector<double> vdot;     // accelerations                                    (n_v)
    std::vector<double> free, v;  // without and with laws                            (n_v)
    std::vector<double> dv;       // change of v                                      (n_v)
  } rates_;
  struct HeldSpeeds {
    std::vector<double> target;  // G v⁺ that is asked for                            (held)
    std::vector<double> before;  // G v                                               (held)
  } held_speeds_;
  struct Impulses {
    Eigen::VectorXd b, z_free;  // of the held rows
    Eigen::VectorXd z, z_laws;  // of all rows
  } impulses_;
  std::vector<BodyVector> f_, p_;   // forces, impulses                                 (n_body)
  std::vector<BodyVector> speeds_;  // of the bodies, while close() corrects them
};

}  // namespace catena

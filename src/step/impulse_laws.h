// Contacts, limits, dry friction and motors of limited force in Bender's method (his §5): one more part of the constraints, solved in turn with
// the joints until both are satisfied. As for joints there are impulses at t, after which the bodies do not overlap at t + h and what
// sticks has not moved on the mean of the step, and impulses at t + h, after which the velocities obey the laws. Each half of the friction
// goes with its half of the normal impulse, which makes it of second order.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "catena/laws/contact_force.h"
#include "catena/model/settings.h"
#include "catena/step/impacts.h"
#include "catena/step/tuning.h"

namespace catena {

class ImpulseLaws {
 public:
  // `full`: the model with the joints that are treated as laws; `lawless`: without them, the model of `kinematics` and of the system.
  ImpulseLaws(const Model& full, const Model& lawless, const Kinematics& kinematics, const Settings& settings);

  // What touches at the state `kinematics` was updated with, or can within `ahead`.
  // How long until bodies could be past each other unnoticed; after find() with `ahead` of h.
  double time_to_pass(const Kinematics& kinematics, double h) { return laws_.time_to_pass(kinematics, h); }
  const Laws& find(const Kinematics& kinematics, double ahead);

  // The laws of a part of a step of length h from that state. Pairs that will meet fast within it are left out when it will be `cut`
  // there. False: no law is active.
  bool begin(double h, bool cut, const State& state);
  // What the impulses at t change the velocities by, once the joints have answered; what the last change of them does.
  void respond(const Kinematics& kinematics, ConstraintSystem& system, std::vector<BodyVector>& dv);
  void respond_to_change(const Kinematics& kinematics, ConstraintSystem& system, std::vector<BodyVector>& dv);
  // Evaluates gaps and mean slip at the predicted end state: bodies `predicted` at t + h, having started dv faster, to first order in the pending
  // correction `more` of the joints. False: no law is active.
  bool look(double h, const std::vector<BodyVector>& dv, const std::vector<BodyVector>& more, const State& predicted);
  // Whether a law is active that the last answer() left out.
  bool asks() const;
  // Assembles the compliance of the active laws through the joints, `system` factored at the state of `kinematics`. Call before improve(). `ahead`:
  // that is the state look() evaluated, and gaps change along the directions there.
  void answer(bool ahead, const Kinematics& kinematics, ConstraintSystem& system);
  // Better impulses for what look() saw. True when they were good.
  bool improve(double h);
  double last_change() const { return last_change_; }  // of what they do to the laws' motions, by the last improve()
  // Back to the impulses of begin().
  void restart() { z_ = z_first_; }
  // When the first pair that had no say meets, if it does so before h; else h.
  double time_of_meeting(double h, const State& predicted);

  // Impulses at the end of the part: dv is what they change the velocities by. False: there are none.
  bool end(double h, const Kinematics& kinematics, ConstraintSystem& system, std::vector<BodyVector>& dv);
  // Forces of the part, by contact and on the bodies, and what the next one begins with.
  void report(double h, State& state, std::vector<ContactForce>& forces, std::vector<BodyVector>& load) const;

  const solve::Certificate& certificate() const { return certificate_; }  // of the worst solution since begin()
  int contacts() const { return static_cast<int>(laws_.contacts().size()); }
  double penetration() const;      // deepest overlap at t
  const Contact* deepest() const;  // the contact of the deepest overlap at t; null where nothing overlaps
  // Work of impulses by what does it [J].
  struct Work {
    double contacts = 0;  // and limits and friction
    double motors = 0;    // of limited force
  };
  // Of the impulses at t on bodies that go from v to v + dv.
  Work work(const State& state, const std::vector<BodyVector>& dv) const;
  // Of the motors' impulses of end(), which change the velocities by dv [J].
  double motor_work_at_end(const std::vector<BodyVector>& dv) const;

 private:
  double allowed_gap(const LawBlock& at_start) const;
  struct Fast {  // a pair that will meet
    std::uint64_t key;
    double gap, speed;
  };
  double enough() const;
  bool holds(const solve::Vector& z, const solve::Vector& w) const;
  double solve(double tolerance, LawRows& laws, solve::Vector& z);
  bool presses(std::size_t block) const;
  void move_ahead();
  std::array<double, 3> turned(const LawBlock& first, const LawBlock& last) const;
  bool rests(std::uint64_t key) const;
  bool waits(const LawBlock& block) const;
  void push(const LawRows& laws, const solve::Vector& z, const Kinematics& kinematics, ConstraintSystem& system,
            std::vector<BodyVector>& dv);

  const Model* lawless_;
  Settings settings_;
  Laws laws_, ahead_;  // at t, and at the predicted state or t + h
  LawProblem problem_;
  Kinematics kinematics_ahead_;
  LawRows active_, ending_;
  LawRows pressed_;             // those of the active ones that improve() finds impulses for
  std::vector<char> answered_;  // whether an active block is among them
  std::vector<Fast> fast_;
  solve::Vector z_, z_first_, z_change_, z_end_;
  solve::Vector w_;         // what look() saw                                     (rows of active_)
  double last_change_ = 0;  // of w by the last improve()
  VelocityTuning tuning_;   // of overlaps
  double h_ = 0;            // of the part
  // The laws leave open which contact carries how much, so that impulses come no closer to them than the joints' tolerance.
  bool indeterminate_ = false;
  solve::Certificate certificate_;
  std::vector<double> zero_, lambda_;
  std::vector<BodyId> pushed_;
};

}  // namespace catena

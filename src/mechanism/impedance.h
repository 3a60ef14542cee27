// Springs, dampers, servos and rotors, taken implicitly over a step. Along a direction of motion J with coordinate q and speed s = J v,
//     τ = −k (q − rest) − d s
// is taken on the mean of the step (θ = ½: the implicit midpoint rule, of second order) or at its end (θ = 1: backward Euler):
//     h τ̄ = h τ(q½, s) − a (s⁺ − s),        a = θ h d + θ² h² k,   q½: where the step's forces are evaluated
// So the force at the speeds the step starts with is a load like any other, and a is inertia along J. The armature of a rotor is such an
// inertia by itself. Where J is a coordinate of a joint whose freedoms the factorisation eliminates, a goes into that elimination
// and costs nothing (primary/freedoms.h). Elsewhere (joints that close loops, springs between points) it is a row with Σ = 1/a:
//     J v⁺ + Σ z = J v
// Stable at any stiffness, damping, gain and step.
// A control along a tendon pulls at n coordinates, or straight spans of its path, with g_k p: there a is n g_k² of the tendon's, which is what the
// tendon has where all move alike, and more where they do not: n Σ g_k² s_k² ≥ (Σ g_k s_k)².
#pragma once

#include <array>
#include <functional>
#include <span>
#include <vector>

#include "catena/constraint/joint_coordinates.h"
#include "catena/laws/law_rows.h"
#include "catena/mechanism/controls.h"
#include "catena/mechanism/forces.h"

namespace catena {

class Impedance {
 public:
  // `carries(joint)`: whether the factorisation takes inertia along the coordinates of that joint.
  // `softest`: springs between points, and spans of tendons, without a damper whose a is less than this part of the inertia they move are left
  // explicit.
  // `rate_of(joint)`: where the mechanism knows the rates of its coordinates, else −1 (Mechanism).
  Impedance(const Model& model, const std::function<bool(JointId)>& carries, const std::function<int(JointId)>& rate_of,
            double softest);

  bool empty() const { return elements_.empty() && springs_.empty() && pieces_.empty(); }
  // Whether some of it is rows.
  bool has_rows() const { return has_rows_; }

  // For a step of h at the positions and velocities of `kinematics`, with the inputs of `forces`.
  void evaluate(const Model& model, const Kinematics& kinematics, const JointCoordinates& coordinates,
                const Forces& forces, double h, double theta);

  // Inertia along the coordinates of joints the factorisation carries.                          (n_joint)
  std::span<const JointArray> inertia() const { return inertia_; }
  // Adds the rows of the rest to the laws of a step.
  void append_rows(LawRows& laws) const;

  // Speeds of bodies and rates of joint coordinates before or after a step.
  struct Speeds {
    const std::vector<BodyVector>& bodies;
    std::span<const double> rates;
  };
  // Work over the step, in which the velocities changed from `before` to `after`. Returns that of the inertia terms alone, without that
  // of rotors: their energy is kinetic.
  double book(const Speeds& before, const Speeds& after, Ledger& ledger) const;

  // A span of a piece of a tendon's path.
  struct Span {
    int path = -1, piece = -1, number = 0;
  };
  // A control or tendon whose force p pushes along an element with g p.
  struct Pull {
    int control = -1, tendon = -1;
    Span span{};               // of its path, instead of a coordinate
    double g = 0, shared = 1;  // by how many coordinates or spans it pulls at
    bool acts() const { return control >= 0 || tendon >= 0; }
  };
  // J: the speed along it is row · the velocities of a and b.
  struct Direction {
    BodyId a{}, b{};
    Row row{};
  };
  // Along one coordinate of a joint, a spring between points or a span of a tendon's path.
  struct Element {
    JointId joint{};
    int coordinate = 0;
    bool sprung = false;               // by the joint's own spring, damper or rotor
    double damping = 0, armature = 0;  // of the joint itself
    int servo = -1;                    // else: an actuator of the model
    Pull pull{};                       // or a control or tendon
    bool carried = false;
    int rate = -1;  // of the mechanism, where it knows the coordinate; its row is then not needed
    // Filled by evaluate().
    Direction along{};
    double inertia = 0;  // a
    double force = 0;    // of the servo at the start; of a tendon, its damper's alone
    double damper = 0;   // d that acts
  };
  const std::vector<Element>& elements() const { return elements_; }
  // Whether all of it is along coordinates of joints whose rates the mechanism knows, and by itself or by actuators.
  bool is_along_rates() const;
  // Fills what evaluate() does of an element along a coordinate that stands and moves as `now`, for a step of h. `control` of its actuator.
  static void act(const Model& model, const JointCoordinates::Coordinate& now, double time, double control, double h,
                  double theta, Element& element);
  // Work of an element over a step of h by its source, its speed changing from s to `after`: on any scalar.
  template <class Real>
  struct Work {
    Real damping, inertia, servo;
  };
  template <class Real>
  static Work<Real> work_of(double armature, const Real& inertia, const Real& force, const Real& damper, double h,
                            double theta, const Real& s, const Real& after) {
    const Real change = after - s, mean = s + Real(0.5) * change;
    return {h * damper * (s + theta * change) * mean, (inertia - armature) * change * mean,
            (h * force - inertia * change) * mean};
  }

 private:
  static JointCoordinates::Coordinate coordinate_of(const Model& model, const Kinematics& kinematics,
                                                    const JointCoordinates& coordinates, const Element& element);
  static double speed_of(const Element& element, const Speeds& speeds);
  void evaluate_pull(Element& element) const;
  void add_pieces(const Model& model, int path, const Element& like);
  void evaluate_pieces(const Model& model, const Kinematics& kinematics);
  double mobility(const Model& model, const Kinematics& kinematics, const Element& element) const;
  void evaluate_spring(const Model& model, const Kinematics& kinematics, const Spring& spring, Element& element) const;

  double softest_;
  double h_ = 0, theta_ = 0;
  bool has_rows_ = false;
  std::vector<Element> elements_;                 // those of one joint are neighbours
  std::vector<Element> springs_;                  // of the model's springs
  std::vector<Element> pieces_;                   // of the paths of tendons: rows
  std::vector<ControlForce> controls_, tendons_;  // of the model's controls and tendons, at the start
  std::vector<JointArray> inertia_;
};

}  // namespace catena

// Articulated bodies: forward dynamics in joint coordinates, O(n), by the recursion of freedoms.h.
//     M(q) q̈ + C(q, q̇) = τ + Jᵀf                                                                         Jain eqs. 28, 59
// World axes, each body's block at its own joint point: inertias are shifted on their way to the parent, never turned.
#pragma once

#include <span>
#include <vector>

#include "catena/constraint/compound_motion.h"
#include "catena/primary/freedoms.h"
#include "catena/primary/many_freedoms.h"
#include "catena/primary/reduced_model.h"

namespace catena {

// What the model says of a body and its joint: the same for all states, and for all lanes.
struct LinkConstants {
  Mat3 P;  // joint frame on the parent's side in the parent's node frame
  Vec3 r;  // its origin there
  Vec3 c;  // centre of mass in the node frame
  Sym3 I;  // inertia about the node's origin, node frame
  double mass;
  double sign;  // −1: the body is the joint's first, its motion the negative of the joint's
  int parent, slot;
  Mobility mobility;
};

// `Real` is a double, or lanes of several worlds that share the model (primary/reduced_lanes.h): the same operations in the same order.
template <class Real>
class ReducedSystemT {
  // What the state decides. What is constant of the model is one number for all lanes, and of the types of the same names in catena.
  using Vec3 = Vec3T<Real>;
  using Mat3 = Mat3T<Real>;
  using Sym6 = Sym6T<Real>;
  using Quat = QuatT<Real>;
  using Spatial = SpatialT<Real>;
  using BodyVector = BodyVectorT<Real>;
  using BodyState = BodyStateT<Real>;
  using JointState = JointStateT<Real>;

 public:
  explicit ReducedSystemT(const ReducedModel& model);

  const ReducedModel& model() const { return *model_; }

  // POSITION and VELOCITY: rotations, arms, inertias, velocity-dependent terms.
  void update(const JointState& state);
  // VELOCITY alone: other rates at the same positions. What factor() left stays good.
  void update_rates(const JointState& state);
  // Where the bodies are and how they move, after update(). What a particle or planar body does not have is left alone.
  void bodies(std::span<BodyState> out);

  // Inertia along each rate (armature; what implicit springs and dampers add), by rate; empty: none. Takes effect with the next
  // factorisation. Rates of bodies without a joint have none.
  void set_freedom_inertia(std::span<const Real> a);

  // FACTOR: eliminates from the leaves to the roots. After update().
  void factor();
  // q̈ under joint forces tau (empty: none), forces f on the bodies at their centres of mass without velocity-dependent ones (empty: none)
  // and a uniform gravity. After factor(); any number of times.
  void accelerations(std::span<const Real> tau, std::span<const BodyVector> f, const Vec3& gravity,
                     std::span<Real> vdot);
  // factor() and accelerations() in one sweep up and one down.
  void forward(std::span<const Real> tau, std::span<const BodyVector> f, const Vec3& gravity, std::span<Real> vdot);

  // M⁻¹Jᵀp: the change of the rates by impulses on the bodies at their centres of mass. After factor().
  void respond(std::span<const BodyVector> p, std::span<Real> dv);
  // J v: the motion of every body's centre of mass under rates v. After update().
  void motion(std::span<const Real> v, std::span<BodyVector> out);

  // One body and its joint, as the sweeps see them; for the library functions on top (reduced_dynamics.h, compliance.h).
  struct Link : LinkConstants {
    // POSITION
    Mat3 R;               // node frame to world
    Vec3 d;               // from the parent's origin to this one
    Vec3 mc;              // mass times the centre of mass, world axes
    Sym3T<Real> C;        // inertia about the node's origin, world axes
    Real half_c, half_s;  // hinge: cosine and sine of half the angle
    // VELOCITY
    Vec3 w;        // angular velocity
    Spatial bias;  // acceleration without q̈ and without the parent's; angular of a ball joint: left out, it is free
    Spatial p;     // velocity-dependent force
    // FACTOR
    Sym6 D;  // block at the origin; what eliminate() leaves there
    HingeFreedom<Real> hinge;
    Spatial f, y;  // of a sweep
  };
  const std::vector<Link>& links() const { return links_; }
  Vec3 com(const Link& link) const { return Real(1 / link.mass) * link.mc; }  // from the origin, world axes
  // The directions of a body's rates at its origin; returns their number.
  int directions(int node, std::array<Spatial, 6>& F) const;
  // The acceleration of a body's origin and its angular acceleration without q̈ and without the parent's.
  Spatial bias(int node) const;
  // Carries motions and compliances from a body's parent to the body (Jain eq. 68), after factor().
  void pass(const Link& link, Spatial& x) const;
  void pass(const Link& link, Sym6& Y) const;
  // Half a solve, after factor(): z = Fᵀx of an impulse x at a link's origin and E z, by rate; x becomes what goes on to the parent's origin.
  void halve(int node, Spatial& x, Real* z, Real* Ez) const;

 private:
  struct Ball {
    Mat3 fa;     // frame A in the world
    Vec3 w_rel;  // angular velocity of B relative to A, world
    Vec3 tau;    // of a sweep, on the child
    Quat turn;   // of the child's frame in the parent's joint frame
    // With inertia along its rates S has no zeros to make use of: eliminated as any three freedoms, with
    // the part of the relative angular acceleration that does not come from q̈.
    bool heavy = false;
    Freedoms<Real> freedoms;
    Vec3 turning;
  };
  struct Other {
    Freedoms<Real> freedoms;
    Mat3 R;         // child's frame in the parent's joint frame
    Vec3 velocity;  // of the child's origin relative to the parent, without the parent's turning
  };
  struct Compound {
    ManyFreedomsT<Real> freedoms;
    CompoundPlaceT<Real> place;  // POSITION; world axes where the body is the joint's second, else those of frame A
    Mat3 R;                      // as of Other, where it is the first
    Vec3 velocity;               // as of Other
  };
  struct Pose {
    Quat turn;
    Vec3 origin, v;
  };
  struct Free {
    Spatial velocity;
    Vec3 position;
    Quat turn;
    Sym6 inverse;
  };

  void place(const ReducedNode& node, Link& link, const JointState& state);
  void turn(const ReducedNode& node, Link& link, const JointState& state);
  static void place_hinge(Link& link, const Mat3& J, const Real& angle);
  static void turn_hinge(Link& link, const Real& rate, const Vec3& w_parent);
  void turn_ball(const ReducedNode& node, Link& link, const JointState& state, const Vec3& w_parent);
  void place_ball(const ReducedNode& node, Link& link, const Mat3& J, const JointState& state);
  void place_other(const ReducedNode& node, Link& link, const Mat3& J, const JointState& state, const Vec3& w_parent);
  void place_compound_joint(const ReducedNode& node, Link& link, const Mat3& J, const JointState& state);
  void turn_compound(const ReducedNode& node, Link& link, const Mat3& J, const JointState& state, const Vec3& w_parent);
  // The parts of a joint's motion in the axes of its frame A, for place_relative().
  struct Relative {
    Mat3 R;            // frame B in frame A
    Vec3 t;            // B's anchor from A's
    Spatial velocity;  // F q̇
    Spatial bias;      // Ḟ q̇
  };
  // Places the link, and writes its turn in the parent's joint frame and its origin's velocity; returns frame A in the world.
  static Mat3 place_relative(const ReducedNode& node, Link& link, const Mat3& J, const Relative& joint,
                             const Vec3& w_parent, Mat3& R, Vec3& velocity);
  static Spatial direction(const ReducedNode& node, const Mat3& A, const Vec3& T, const Spatial& F);
  void eliminate(Link& link);
  static void set_heavy_freedoms(const ReducedNode& node, const Link& link, Ball& ball);
  template <bool kWithBias>
  void up(const ReducedNode& node, Link& link, const Real* tau);
  template <bool kWithBias>
  void down(const ReducedNode& node, Link& link, const Spatial& y_parent, Real* v) const;
  void load(std::span<const BodyVector> f);
  template <bool kFactor>
  void sweep(const Real* tau, std::span<const BodyVector> f, const Vec3& gravity, Real* vdot);
  // What the functions above do, compiled for each kind of processor (math/dispatch.h).
  void place_all(const JointState& state);
  void turn_all(const JointState& state);
  void find_bodies(std::span<BodyState> out);
  void eliminate_all();
  void answer(std::span<const BodyVector> p, Real* dv);
  void find_motion(const Real* v, std::span<BodyVector> out);
  static Spatial lift(const Link& link, const BodyVector& f) {
    return {f.linear, f.angular + Real(1 / link.mass) * cross(link.mc, f.linear)};
  }

  const ReducedModel* model_;
  std::vector<Link> links_;  //                                              (n_body)
  std::vector<Ball> balls_;
  std::vector<Other> others_;
  std::vector<Compound> compounds_;
  std::vector<Free> frees_;
  std::vector<Pose> poses_;       // of bodies()                             (n_body)
  std::vector<Spatial> motions_;  // of motion()                             (n_body)
};

using ReducedSystem = ReducedSystemT<double>;

// Compiled for each kind of processor; in reduced_system.cpp.
template <>
void ReducedSystem::update(const JointState& state);
template <>
void ReducedSystem::update_rates(const JointState& state);
template <>
void ReducedSystem::bodies(std::span<BodyState> out);
template <>
void ReducedSystem::factor();
template <>
void ReducedSystem::accelerations(std::span<const double> tau, std::span<const BodyVector> f, const Vec3& gravity,
                                  std::span<double> vdot);
template <>
void ReducedSystem::forward(std::span<const double> tau, std::span<const BodyVector> f, const Vec3& gravity,
                            std::span<double> vdot);
template <>
void ReducedSystem::respond(std::span<const BodyVector> p, std::span<double> dv);
template <>
void ReducedSystem::motion(std::span<const double> v, std::span<BodyVector> out);

}  // namespace catena

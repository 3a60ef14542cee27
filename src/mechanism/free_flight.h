// The bodies without their joints, over one step under constant forces.                                     Bender eqs. 1–4
//     v(t+h) = v + h F/m,   c(t+h) = c + h v + h² F/(2m)                                                     eqs. 1, 2
//     ω̇ = J⁻¹ (τ − ω × J ω),   q̇ = ½ (0, ω) q                                                               eqs. 3, 4
// Departs from the paper in one thing: eq. 3 is integrated as what it says of the angular momentum, L̇ = τ, which has the exact
// solution L + tτ; only the quaternion is left to the Runge–Kutta method, with ω = J(q)⁻¹ L(t). Momentum is kept to rounding, and ω
// costs nothing to integrate.
//
// Runge–Kutta methods cannot follow a body that turns by much more than half a radian in a step, and thin rods do: spun about their own axis they
// take up no energy to speak of. A body with two equal principal moments has a closed form (a symmetric top: it spins about its axis, which goes round
// the momentum), exact where there is no torque and of second order where there is. Fast tops are turned by it.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "catena/constraint/kinematics.h"
#include "catena/model/settings.h"
#include "catena/model/tuning.h"

namespace catena {

class FreeFlight {
 public:
  // `rule`: rk4 of the quaternion, or lie: the closed form for all tops, and for the other bodies the Runge–Kutta–Munthe-Kaas method of
  // order 4 on the rotation vector, which never leaves the rotations.
  // `fast_top`: rad a step, from where rk4 leaves tops to the closed form.
  FreeFlight(const Model& model, Integrator rule, double fast_top = ImpulseTuning().fast_top);

  // A flight of h from the state `kinematics` was updated with. `f`: forces without the velocity-dependent ones of the bodies, which
  // are part of the flight.
  void start(const Kinematics& kinematics, std::span<const BodyVector> f, double h);

  // Where the bodies are at t + h when they start `dv` faster than they are.
  void positions(std::span<const BodyVector> dv, std::span<BodyState> out);
  // How fast they are there. After positions() with the same dv.
  void velocities(std::span<const BodyVector> dv, std::span<BodyState> out) const;

 private:
  struct Drop {  // the centre of mass of a body of any kind
    Vec3 c, v;   // at t + h when dv = 0
  };
  // A body with two equal principal moments.
  struct Top {
    bool is_one = false;
    Vec3 axis{};                   // body axes
    double along = 0, across = 0;  // inverse moments about the axis and across it
  };
  // Rigid bodies, some at a time and number by number, so that the compiler turns them side by side.
  static constexpr std::size_t kLanes = 8;
  struct Spins {
    using Lane = std::array<double, kLanes>;
    std::array<BodyId, kLanes> body;
    std::size_t count = 0;
    std::array<Lane, 6> J, J_inverse;  // world axes, at t
    std::array<Lane, 3> w, torque;     // at t
    std::array<Lane, 4> q;             // at t
    std::array<Lane, 3> w_start;       // with what the impulses add
    std::array<Lane, 4> turn;          // from t to t + h, filled by positions()
    std::array<Top, kLanes> top;
    std::array<Vec3, kLanes> axis;   // of tops, world axes at t
    std::array<bool, kLanes> exact;  // turned by the closed form in this step
  };
  struct PlanarSpin {
    BodyId body;
    double w, dw;  // at t, and gained over h
    Quat q;
  };
  struct Scaling {  // a scalable body: eqs. 3 and 4 with the scale, by rk4 of all its numbers
    BodyId body;
    BodyState start, end;
    BodyVector force;
  };

  struct Forming {  // a body with a form: the same
    BodyId frame, own;
    BodyState frame_start, own_start, frame_end, own_end;
    FormMotions force;
  };

  static Top top_of(const Body& body);
  void turn(Spins& spins) const;
  void turn_top(Spins& spins, std::size_t lane) const;
  void fly(Scaling& body, const BodyVector& dv) const;
  void fly(Forming& body, const BodyVector& dv_frame, const BodyVector& dv_own) const;

  const Model* model_;
  Integrator rule_;
  double fast_top_;
  double h_ = 0;
  std::vector<Drop> drops_;  //                 (n_body)
  std::vector<Spins> spins_;
  std::vector<PlanarSpin> planar_;
  std::vector<Scaling> scaling_;
  std::vector<Forming> forming_;
};

}  // namespace catena

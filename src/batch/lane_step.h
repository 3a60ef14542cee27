// A plain step of several worlds of one model at once, a world in each lane (math/four.h).
//
// A step is plain where VelocityMethod in joint coordinates takes it in one part at the middle, with nothing but weight and forces along joint
// coordinates: no loops, prescribed motions, contacts or limits. Then it is a fixed sequence of operations,
//     look ahead, push, free motion, refine, book, move, energies,
// and every lane has the bits of the world stepped alone. Whether a step may stand (it is finite, it gained no energy) is decided for each lane
// as is_refused() does; a world whose lane says no takes the step by itself, from the state it had.
#pragma once

#include <memory>
#include <vector>

#include "catena/primary/reduced_lanes.h"
#include "catena/step/plain_step.h"

namespace catena {

// A bit for each lane, the first the lowest.
using LaneBits = unsigned;

class LaneStep {
  using Real = WorldLanes;
  using Mask = decltype(Real() < Real());

 public:
  // Why steps of this model are never plain; empty: they may be.
  static std::string why_never(const PlainStep& of);
  // Of a model whose steps may be plain. Keeps references to the context and the mechanism.
  explicit LaneStep(const PlainStep& of);

  // ---- Worlds, from and to their states ----
  // False: the state carries no joint coordinates.
  bool load(int lane, const State& state);
  // Everything of the lane but time and clock.
  void store(int lane, State& state) const;
  // Kinetic and potential energy of a lane [J], which place() finds. A state that store() left, and that nobody has touched, may be loaded with
  // the energies it had instead of being placed.
  Mechanism::Energy energy(int lane) const { return {now_.kinetic[lane], now_.potential[lane]}; }
  void set_energy(int lane, const Mechanism::Energy& energy) {
    now_.kinetic.set(lane, energy.kinetic);
    now_.potential.set(lane, energy.potential);
  }
  // After load(): lanes whose bodies are where their coordinates say.
  LaneBits place();

  // ---- What drives them ----
  int rate_of(JointId joint) const { return mechanism_.rate_of(joint); }
  void push(int lane, int rate, double tau) { inputs_.tau[static_cast<std::size_t>(rate)].set(lane, tau); }
  // `component` of the force (0 to 2) and torque (3 to 5) on a floating body, world axes.
  void push_body(int lane, BodyId body, int component, double value);
  void set_control(int lane, int actuator, double value) {
    inputs_.control[static_cast<std::size_t>(actuator)].set(lane, value);
  }

  // ---- Time ----
  // A step of h of all lanes. Those that may stand; next() takes all lanes there, and store() before it gives the state before the step.
  LaneBits take(double h);
  void next() { std::swap(now_, next_); }

 private:
  struct Books {
    Real motors{}, actuators{}, external{}, damping{}, contacts{}, numerical{};
  };
  // What states have, and the energies there.
  struct Worlds {
    JointStateT<Real> joints;
    std::vector<Real> angles;              // that count whole turns              (mechanism's angles)
    std::vector<BodyStateT<Real>> bodies;  //                                     (n_body)
    Books books;
    Real kinetic{}, potential{};  // J
  };
  // A coordinate of a joint by its rate: where its value is found.
  struct Value {
    int q = 0, angle = -1;
    double offset = 0;
  };
  struct Sprung {
    CoordinateLaw law;
    int rate;
  };
  struct Rotor {
    double armature;
    int rate;
  };
  // What acts along the coordinates, from the model.
  struct Coordinates {
    std::vector<Value> values;    //                                          (n_v)
    std::vector<Sprung> springs;  // with springs and dampers of their own
    std::vector<int> actuated;    // rate of each actuator                    (n_actuator)
    std::vector<Rotor> rotors;    // with rotors
  };
  struct Element {
    Impedance::Element own;
    Real inertia{}, force{}, damper{};
  };

  // The middle of the step, by the rates before it.
  struct Ahead {
    JointStateT<Real> joints;
    std::vector<Real> angles;
    std::vector<BodyStateT<Real>> bodies;
  };
  // What the user drives the worlds with.
  struct Inputs {
    std::vector<Real> tau;             // along the rates [N or N·m]        (n_v)
    std::vector<BodyVectorT<Real>> f;  // on floating bodies                (n_body)
    std::vector<Real> control;         //                                   (n_actuator)
  };
  // What a step finds on its way.
  struct Motion {
    std::vector<BodyVectorT<Real>> f, V;      // forces; velocities after the step  (n_body)
    std::vector<Real> tau, inertia, vdot, v;  //                                    (n_v)
    Real work{};                              // of all forces in the step [J]
    Books books;                              // after it
  };

  Real value_of(int rate, const JointStateT<Real>& joints, const std::vector<Real>& angles) const;
  void write_angles(const JointStateT<Real>& joints, const std::vector<Real>& last, std::vector<Real>& out) const;
  void look_ahead(double t);
  void add_forces(double h);
  void refine(double h);
  void book(double h);
  void find_energies(Worlds& worlds) const;
  Mask finite_bodies() const;
  Mask accepted() const;
  Real force_scale() const;

  const Model& model_;
  const StepContext& context_;
  const ReducedMechanism& mechanism_;
  const bool damps_;
  const std::vector<BodyVectorT<Real>> weight_;  // of the bodies [N]                            (n_body)
  LaneSystem system_;
  Worlds now_, next_;
  Ahead ahead_;
  Coordinates coordinates_;
  std::vector<Element> elements_;  // of the impedance
  Inputs inputs_;
  Motion motion_;
};

}  // namespace catena

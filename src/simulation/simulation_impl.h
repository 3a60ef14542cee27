// The inside of a Simulation.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "catena/simulation/simulation.h"
#include "catena/simulation/switching.h"
#include "catena/step/stepper.h"

namespace catena {

// Coordinates and rates of a state, read once and kept until it changes.
struct CoordinateCache {
  // For joints whose coordinates have to be read off the bodies; made when the first is.
  Kinematics& kinematics_of(const Model& model) {
    if (!kinematics) kinematics.emplace(model);
    return *kinematics;
  }
  std::optional<Kinematics> kinematics;
  std::vector<double> q, v;      // as Layout has them          (all_q, all_v)
  std::vector<JointId> to_read;  // joints whose coordinates states do not carry
  bool fresh = false;
};

// Bodies, joints and sensors in the order of their names, by which they are found.
struct NameIndex {
  explicit NameIndex(const Model& model);
  std::vector<int> bodies, joints, sensors;
};

struct Simulation::Impl {
  Impl(std::shared_ptr<const Model> shared, const State& initial, const Settings& asked);

  void check(BodyId body, const char* door) const;
  void check(JointId joint, const char* door) const;
  void check(const State& other) const;

  // The state has changed: what was read of it is stale.
  void changed() { coordinates.fresh = evaluated = false; }
  void read_coordinates();
  bool take_carried_coordinates();
  // Coordinates and rates of a state that carries them all, to q and v; false: some have to be read off its bodies. (all_q, all_v)
  bool read_carried(const State& from, double* q, double* v) const;
  void drop_stale_coordinates();  // those the state carries, where its bodies are not where they say
  // What the user set, to where the method finds it.
  void load_forces();
  void load_inputs(double h = 0);  // of the model's controls
  void follow_inputs(double h);    // activations, after a step of h
  double length_of(const Control& drive);
  void first_inputs();  // those of the keyframe the scene starts from, else 0
  void evaluate();

  // Joints that attach and let go (simulation/switching.h).
  const Model& running() const { return running_copy ? *running_copy : *model; }
  bool is_open(JointId joint) const { return !state.attachments.empty() && state.attachments[joint].attached == 0; }
  const Joint& joint_now(JointId joint) const { return (is_open(joint) ? *model : running()).joints[joint]; }
  std::span<const Row> read_joint(const Kinematics& kinematics,
                                  JointId joint) const;  // its coordinates, also where it is open
  State start_of_stepper() const;
  void build_stepper();         // for the joints that hold in the state
  void follow_state();          // the state was put there from outside
  bool open_in_forest() const;  // a joint of the layout's forest is open
  std::string set_attached(JointId joint, bool attached);
  std::string switch_joints();  // what its schedule asks for now; why it cannot be done, or nothing
  std::string switch_joint(JointId joint);
  double next_switch(double time) const;

  // Bodies that are led by hand (mocap.cpp).
  JointId guided_joint(BodyId body) const;
  std::string
  follow_guides();  // velocities where a frame begins to move or comes to rest; why they cannot be, or nothing

  double slack() const { return slack_at(state.time); }
  double slack_at(double time) const;
  // When the step of a state that is counted by its clock ends. Begins to count anew where its time is not the clock's.
  double next_counted(State& of) const;
  double next_stop(double time) const;
  double at_kink(double time, double now) const;
  StepReport take(double length);
  StepReport move_to(double stop, double h);
  StepReport step_towards(double end);

  std::shared_ptr<const Model> model;
  Settings settings;
  Warnings warnings;
  State state;
  SharedState assembled_start;  // as assembled: where the coordinates of joints have their `start`
  JointCoordinates zero;        // of all joints, open ones too
  double size = 0;
  std::unique_ptr<const Model> running_copy;     // what the stepper moves; null: the model
  std::optional<JointCoordinates> running_zero;  // of its joints, where it is another
  std::vector<Attachment> running_attachments;
  std::vector<BodyState> running_start;  // State::switched the stepper was built at
  std::unique_ptr<Stepper> stepper;
  std::vector<JointId> switching;  // joints with a schedule
  std::vector<JointEvent> joint_events;
  std::vector<JointId> guided;  // joints whose frames are led by hand
  NameIndex names;
  std::unique_ptr<const Model> layout_model;  // null: the model
  Layout layout;
  CoordinateCache coordinates;
  std::vector<double> tau;                    // set by the user                 (all_v)
  std::vector<BodyVector> body_force;         // set by the user                 (n_body)
  std::vector<double> inputs;                 // of the controls, as last loaded (n_control)
  std::vector<std::vector<double>> readings;  // of the sensors                 (n_sensor)
  bool active = false;                        // some control has an activation or a signal
  bool driven = false;                        // tau or body_force may not be zero
  std::function<void(Simulation&)> control;
  bool controlling = false;
  const std::atomic<bool>* stop_flag = nullptr;
  StepReport report;
  long steps = 0;
  bool evaluated = false;
};

}  // namespace catena

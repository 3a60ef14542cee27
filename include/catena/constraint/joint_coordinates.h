// Joint coordinates as people read them: angles that count whole turns, and the value at t = 0 that `start:` asks for.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "catena/constraint/joint_rows.h"

namespace catena {

class JointCoordinates {
 public:
  // `kinematics` at the assembled initial state, where every coordinate has its `start`.
  JointCoordinates(const Model& model, const Kinematics& kinematics);

  // The coordinates of a joint as rows: phi is the coordinate, J v its rate. Angles are the ones nearest to those the state remembers.
  // Springs, dampers, servos, rotors, limits and the energies all ask for the same rows: they are evaluated once for each update of the
  // kinematics this object was made with. The span holds until the next update of those, or the next call with others.
  std::span<const Row> evaluate(const Model& model, const Kinematics& kinematics, JointId joint) const;

  // One coordinate and its rate. Where they were told at this update of the kinematics no rows are evaluated for them.
  struct Coordinate {
    double value, rate;
  };
  Coordinate at(const Model& model, const Kinematics& kinematics, JointId joint, int coordinate) const {
    return is_told(kinematics, joint) ? told_[place(joint, coordinate)] : read(model, kinematics, joint, coordinate);
  }
  // Whoever steps in joint coordinates knows them, and tells those of a joint at the last update of the kinematics, offsets and turns included.
  void tell(JointId joint, int coordinate, const Coordinate& known) {
    if (told_.empty()) listen();
    told_[place(joint, coordinate)] = known;
    told_stamp_[static_cast<std::size_t>(joint.value())] = own_->stamp();
  }

  // Brings state.joint_angles up to date with the rest of the state, once a step.
  void remember(const Model& model, const Kinematics& kinematics, State& state) const;

  // For use after those kinematics are gone: no rows are kept.
  void part_from_kinematics() { own_ = nullptr; }

  // A coordinate where the frames coincide.
  const JointArray& offset(JointId joint) const { return offset_[joint]; }

  const std::vector<JointId>& joints() const { return joints_; }  // those that have coordinates
  bool has(JointId joint) const { return first_[joint] != first_[static_cast<std::size_t>(joint.value()) + 1]; }

 private:
  void evaluate(const Model& model, const Kinematics& kinematics, JointId joint, Rows& out) const;
  Rows& work() const;
  std::size_t place(JointId joint, int coordinate) const {
    return static_cast<std::size_t>(first_[static_cast<std::size_t>(joint.value())] + coordinate);
  }
  bool is_told(const Kinematics& kinematics, JointId joint) const {
    return &kinematics == own_ && !told_.empty() &&
           told_stamp_[static_cast<std::size_t>(joint.value())] == kinematics.stamp();
  }
  Coordinate read(const Model& model, const Kinematics& kinematics, JointId joint, int coordinate) const;
  void listen();

  const Kinematics* own_;  // that rows are kept for
  std::vector<JointId> joints_;
  std::vector<JointArray> offset_;  // start − what the geometry says at t = 0   (n_joint)
  std::vector<int> first_;          // row of each joint among those kept        (n_joint + 1)
  // Kept rows, and the stamps of the kinematics they are of; sized when the first is asked for.
  mutable std::vector<Row> kept_;             // (all coordinates)
  mutable std::vector<std::uint64_t> stamp_;  // (n_joint)
  mutable std::vector<Rows> work_;            // of one joint; empty until it is needed
  std::vector<Coordinate> told_;              // (all coordinates); empty: nobody tells
  std::vector<std::uint64_t> told_stamp_;     // (n_joint)
};

// Whether a coordinate is an angle whose turns are counted. A screw counts its own, a ball joint has none to count.
bool is_angle(JointKind kind, int coordinate);

// The rate of one coordinate row.
double rate(const Kinematics& kinematics, const Joint& joint, const Row& coordinate);

}  // namespace catena

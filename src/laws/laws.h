// What laws hold at a state: contacts, joint limits, dry friction in joints, motors of limited force, joints with compliance.
#pragma once

#include <array>
#include <limits>
#include <optional>
#include <vector>

#include "catena/collide/clearance.h"
#include "catena/collide/collider.h"
#include "catena/constraint/joint_coordinates.h"
#include "catena/laws/law_rows.h"

namespace catena {

// Whether a model has any of them: a joint with limits, dry friction, a bounded motor or compliance, or two bodies, or a body and the
// ground, whose shapes may touch (CollideFilter).
bool has_laws(const Model& model);

// Whether some friction differs forward and backward: then what pushes is not along what moves, and no product form of A is there for
// Gauss-Seidel over all rows.
bool has_grain(const Model& model);

// Whether some joint has compliance; whether some material has.
bool has_soft_joints(const Model& model);
bool has_soft_contacts(const Model& model);
// Whether contacts of some material creep while they stick.
bool has_creep(const Model& model);

// The model with what laws take over taken out of its joints: motors of limited force, joints with compliance, ropes.
Model without_lawful_joints(const Model& model);

// Holds that model, which is the model itself where nothing is to be taken out, or laws are not `enforced`: built before what refers to it.
class LawlessModel {
 public:
  explicit LawlessModel(const Model& model, bool enforced = true);
  LawlessModel(const LawlessModel&) = delete;
  LawlessModel& operator=(const LawlessModel&) = delete;

 private:
  std::optional<Model> changed_;

 public:
  const Model& lawless;
};

class Laws {
 public:
  // `kinematics` at the assembled initial state, where the joint coordinates have their `start`.
  // `margin`: gaps up to it are contacts; `facets` of friction pyramids, 0 for cones.
  Laws(const Model& model, const Kinematics& kinematics, double margin, int facets = 0);

  // Fills rows() and contacts() at the state `kinematics` was updated with. Targets are left to the method. `ahead` [s]: with contacts that
  // fast bodies can reach in that time (Collider::find). Contacts are searched for once a set of positions: where they are those of the last
  // search, and no other look ahead is asked for, the rows alone are evaluated anew.
  void find(const Kinematics& kinematics, double ahead = 0);
  // The same, but contacts only of those pairs of shapes that `which` has contacts of.
  void find_among(const std::vector<Contact>& which, const Kinematics& kinematics);

  // How long, at most h, until bodies could be past each other unnoticed (Collider::time_to_pass). After find() with `ahead` of h or more.
  double time_to_pass(const Kinematics& kinematics, double h) {
    return collider_.time_to_pass(kinematics.state(), contacts_, h);
  }

  // Fills c of all rows: of contacts by how J v changes along the motion without accelerations, which is what normals that turn and
  // points of touch that wander over curved shapes do. Central differences: two more evaluations of the pairs that have contacts; exact to
  // about 1e-9 of the centripetal acceleration.
  void find_bias(const Kinematics& kinematics);

  // Rolling friction is held along the axis of rolling and across it. With this it keeps to the contact's tangents, which do not jump
  // when the rolling ends: for methods that look for its end.
  void keep_rolling_axes() { choices_.rolling_axes_kept = true; }

  // Contacts have the compliance and the creep of their materials, limits that of their joints. Without this they are rigid.
  void let_give_way() { choices_.give_way = true; }

  // Joints that nothing but limits acts on, all of a wider gap [rad or m] than this and than is closed in four times the look ahead, are left out.
  void leave_out_far_limits(double gap) { choices_.far_limit = gap; }

  // Coordinates of joints are read from `coordinates` where it has them: rows that others ask for too are evaluated once.
  void share(const JointCoordinates& coordinates) { shared_ = &coordinates; }

  // Bodies marked in `resting` (n_body) have no laws among themselves and with the ground, nor have their joints; empty: all have.
  void leave_out(const std::vector<char>& resting);
  const std::vector<char>& left_out() const { return resting_; }

  LawRows& rows() { return rows_; }
  const LawRows& rows() const { return rows_; }
  const std::vector<Contact>& contacts() const { return contacts_; }
  // How often find() has searched for contacts, over all pairs of shapes.
  int searches() const { return search_.count; }
  // The directions of a contact's rows 1 and 2 (the second is zero in the plane).
  const std::array<Vec3, 2>& tangents(const LawBlock& contact) const {
    return tangents_[static_cast<std::size_t>(contact.source)];
  }

 private:
  // What the method has asked for, and what the materials do.
  struct Choices {
    int facets;
    bool grain = true, turns = true;  // some have a grain; rolling or torsional friction
    bool rolling_axes_kept = false, give_way = false;
    double far_limit = std::numeric_limits<double>::infinity();
  };
  // The last search for contacts.
  struct Search {
    std::vector<BodyState> at;  // empty: nowhere                                             (n_body)
    double ahead = 0;           // s
    int count = 0;              // of all searches so far
  };
  // Where rows touch bodies with a form: the material points, of a contact or of a joint.
  struct Materials {
    Vec3 a{}, b{};
  };
  void find_contacts(const State& state, double ahead);
  bool is_known(const State& state, double ahead) const;
  void fill(const Kinematics& kinematics);
  void add_contact(const Kinematics& kinematics, int index);
  void orient(const Kinematics& kinematics, const Contact& contact, LawBlock& block);
  void add_turns(const Kinematics& kinematics, const Contact& contact, const LawBlock& block);
  const Material& material(BodyId body, int shape) const;
  bool is_flat(const Contact& contact) const;
  double speed(const Kinematics& kinematics, const Contact& contact, const Vec3& direction, const Materials& at) const;
  void difference(const Kinematics& kinematics, double dt);
  // A joint with laws, and the limits of its coordinates where nothing else acts on it.
  struct Lawful {
    JointId joint;
    bool limits_only = false;
    std::size_t first = 0, count = 0;  // of stops_
  };
  struct Stop {
    int coordinate = 0;
    double lower = 0, upper = 0;
  };
  void add_lawful(JointId joint);
  void add_joint(const Kinematics& kinematics, const Lawful& lawful);
  bool is_far_from_limits(const JointCoordinates& coordinates, const Kinematics& kinematics,
                          const Lawful& lawful) const;
  void add_soft(const Kinematics& kinematics, JointId joint);
  Materials materials_of(const Kinematics& kinematics, const Contact& contact) const;
  void add_row(LawBlock& block, const Kinematics& kinematics, const BodyVector& a, const BodyVector& b,
               const Materials& at);

  const Model* model_;
  Choices choices_;
  Collider collider_;
  Clearance clearance_;
  Search search_;
  double ahead_ = 0;  // how far the rows look ahead [s]
  std::vector<char> resting_;
  JointCoordinates coordinates_;
  const JointCoordinates* shared_ = nullptr;
  std::vector<Lawful> joints_;  // those with laws
  std::vector<Stop> stops_;
  std::vector<Contact> contacts_;
  std::vector<std::array<Vec3, 2>> tangents_;  // of each contact
  LawRows rows_;
  struct Moved {  // what find_bias() has beside the state
    State state;
    Kinematics kinematics;
    std::vector<Contact> contacts;
    std::vector<char> sides;  // of the differences, for each contact
  };
  std::optional<Moved> moved_;  // none: nobody has asked for it
};

}  // namespace catena

// What the writers share: the ledger of what is lost, numbers, poses, the tree of bodies, XML.
#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "catena/convert/convert.h"
#include "catena/import/robot.h"

namespace catena {

std::string number(double x);        // shortest text that reads back as the same number
std::string numbers(const Vec3& v);  // "x y z"
std::string numbers(const Quat& q);  // "w x y z"
Vec3 roll_pitch_yaw(const Quat& q);  // of fixed axes; exact to rounding at gimbal lock too

struct Losses {
  ImportLedger& ledger;
  std::string file;
  void add(const std::string& element, const std::string& attribute, Fate fate, const std::string& why,
           bool physics = true) {
    ledger.push_back({file, 0, element, attribute, fate, why, physics});
  }
};

// Where things are at t = 0.
Pose body_pose(const State& state, BodyId body);  // of the centre of mass; the world for the ground
Pose joint_frame(const Scene& scene, const Joint& joint, bool second);  // frame A or B in the world
// The freedoms of a compound joint as they stand at t = 0: axes and anchors in the world, `zero` and `start` at the coordinates of then.
std::vector<Freedom> freedoms_now(const Scene& scene, const Joint& joint);

// The joint as hinges and slides one after the other, as above; empty of a weld, none where it is not made of such.
std::optional<std::vector<Freedom>> as_freedoms(const Scene& scene, const Joint& joint);
// The same seen from the second body, from which the first then hangs: the other way round along the opposite axes.
std::vector<Freedom> reversed(std::vector<Freedom> freedoms);
// The name of the hinge or slide that coordinate k became.
std::string coordinate_name(const Joint& joint, int k);

// A coupling of two coordinates, or of one: y − y₀ = a₀ + a₁ (x − x₀) + … + a₄ (x − x₀)⁴, x₀ and y₀ the coordinates at t = 0.
struct PolynomialCoupling {
  JointId y, x;  // x not valid(): y is constant
  int y_coordinate = 0, x_coordinate = 0;
  std::array<double, 5> a{};
};
std::optional<PolynomialCoupling> as_polynomial(const Model& model, const CouplingRow& row);
double start_of(const Model& model, JointId joint, int coordinate);

// A spanning forest of the bodies for formats that nest them: every body hangs from the first joint, in the order of the model, that can
// carry it and joins it to a body placed before; or floats.
struct BodyTree {
  struct Link {
    BodyId body, parent;    // parent: kGround for the world
    JointId joint;          // not valid(): floats
    bool reversed = false;  // the body is the joint's first
  };
  std::vector<Link> links;     // parents first, in the order of their joints
  std::vector<JointId> loops;  // joints that carry none
};
BodyTree body_tree(const Model& model);

// XML, indented.
class XmlWriter {
 public:
  using Attributes = std::vector<std::pair<std::string, std::string>>;
  void open(const std::string& name, const Attributes& attributes = {});
  void close();
  void leaf(const std::string& name, const Attributes& attributes = {});
  std::string text() const { return out_; }

 private:
  void tag(const std::string& name, const Attributes& attributes, const char* end);
  std::string out_;
  std::vector<std::string> open_;
};

// A triangle mesh as Wavefront OBJ.
std::string obj_text(const Mesh& mesh);

// What no writer but that of scenes says: forces, springs, signals and the like.
void note_unsaid(const Model& model, Losses& losses);

}  // namespace catena

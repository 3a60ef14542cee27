#include "catena/mechanism/stiffness.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "catena/constraint/basic_rows.h"
#include "catena/laws/laws.h"
#include "catena/mechanism/controls.h"
#include "catena/mechanism/dynamics.h"
#include "catena/model/body_kinds.h"
#include "catena/model/impedance.h"
#include "catena/model/joint_rules.h"
#include "catena/model/transmission.h"

namespace catena {
namespace {

// Along one coordinate of a joint, or between two points.
struct Element {
  JointId joint{};
  int coordinate = 0;
  int spring = -1;
  const Tendon::Piece* piece = nullptr;
  double a = 0;  // h d + h² k
  BodyId first{}, second{};
  Row row{};
  double ratio = 0;
};

std::string name_of(const Model& model, const Element& element) {
  const auto body = [&](BodyId id) { return id.valid() ? model.bodies[id].name : std::string("ground"); };
  return element.spring < 0 && element.piece == nullptr
           ? fmt::format("joint '{}'", model.joints[element.joint].name)
           : fmt::format("the {} between '{}' and '{}'", element.piece != nullptr ? "tendon" : "spring",
                         body(element.first), body(element.second));
}

// The stiffest a control can be along its tendon, over its inputs.
std::array<double, 2> stiffest(const Control& control) {
  std::array<double, 2> most{};  // stiffness, damping
  if (control.muscle) {
    // Of a muscle: its passive spring where that is straight, and its largest slope over the speed, at full activation.
    const Muscle& m = *control.muscle;
    const double length = std::max(1e-12, (m.length_upper - m.length_lower) / (m.range_upper - m.range_lower));
    return {m.force * m.passive / (0.5 * length * std::max(1e-12, m.longest - 1)),
            2 * m.force / (length * std::max(1e-12, m.fastest))};
  }
  for (const double bound : {control.ctrl_lower, control.ctrl_upper, 0.0}) {
    const double u = std::isfinite(bound) ? bound : 0;
    for (std::size_t i = 0; i < 2; ++i) most[i] = std::max(most[i], -(control.gain[i + 1] * u + control.bias[i + 1]));
  }
  return most;
}

class Elements {
 public:
  Elements(const Model& model, double h) : model_(&model), h_(h), by_joint_(model.joints.size()) {
    add_joints();
    add_servos();
    for (std::size_t i = 0; i < model.springs.size(); ++i) {
      const Spring& spring = model.springs[i];
      list_.push_back({.spring = static_cast<int>(i),
                       .a = impedance(spring.stiffness, spring.damping),
                       .first = spring.a,
                       .second = spring.b});
    }
  }

  // Rows and the speed of bodies without joints under a unit impulse, which no joint makes larger.
  void evaluate(const Kinematics& kinematics, const JointCoordinates& coordinates) {
    for (Element& e : list_) {
      if (e.spring >= 0) {
        const Spring& spring = model_->springs[static_cast<std::size_t>(e.spring)];
        const AttachedPoint pa = attach(kinematics[spring.a], spring.anchor_a),
                            pb = attach(kinematics[spring.b], spring.anchor_b);
        const double length = norm(pb.p - pa.p);
        const Vec3 n = length > 0 ? (pb.p - pa.p) / length : Vec3{1, 0, 0};
        if (e.first.valid()) e.row.a = negative(along(n, pa));
        if (e.second.valid()) e.row.b = along(n, pb);
      } else if (e.piece != nullptr) {
        const PathSpan span = piece_of(*model_, kinematics, *e.piece).span[0];
        e.first = span.a;
        e.second = span.b;
        e.row = span.row;
      } else {
        e.row = coordinates.evaluate(*model_, kinematics, e.joint)[static_cast<std::size_t>(e.coordinate)];
      }
      e.ratio = e.a * (mobility(kinematics, e.first, e.row.a) + mobility(kinematics, e.second, e.row.b));
    }
    std::sort(list_.begin(), list_.end(), [](const Element& x, const Element& y) { return x.ratio > y.ratio; });
  }

  std::vector<Element>& list() { return list_; }

 private:
  double impedance(double stiffness, double damping) const { return h_ * damping + h_ * h_ * stiffness; }

  double mobility(const Kinematics& kinematics, BodyId body, const BodyVector& J) const {
    if (!body.valid()) return 0;
    const BodyKind kind = model_->bodies[body].kind;
    const BodyVector own = restricted(kind, J);
    return dot(own, inverse_times(kind, kinematics.M(body), own));
  }

  void add(JointId joint, int coordinate, double a) {
    if (a > 0) by_joint_[joint][static_cast<std::size_t>(coordinate)] += a;
  }

  void add_joints() {
    for (std::size_t j = 0; j < by_joint_.size(); ++j) {
      const Joint& joint = model_->joints[j];
      for (int k = 0; k < coordinate_count(joint); ++k) {
        const CoordinateLaw law = coordinate_law(joint, model_->extras_of(joint), k);
        add(JointId(j), k, impedance(law.stiffness, law.damping));
      }
    }
  }

  void add_servos() {
    for (const Actuator& servo : model_->actuators)
      if (servo.kind != Actuator::Kind::torque)
        add(servo.joint, servo.coordinate, impedance(servo.kind == Actuator::Kind::position ? servo.kp : 0, servo.kv));
    for (const Control& control : model_->controls) {
      if (!acts_by_itself(control)) continue;
      int terms = 0;
      each_term(*model_, control, [&](JointId, int, double) { ++terms; });
      const auto [stiffness, damping] = stiffest(control);
      const double a = impedance(stiffness, damping);
      each_term(*model_, control,
                [&](JointId joint, int coordinate, double g) { add(joint, coordinate, terms * g * g * a); });
      if (control.tendon >= 0) add_path(model_->tendons[static_cast<std::size_t>(control.tendon)], control.gear, a);
    }
    for (const Tendon& tendon : model_->tendons)
      add_path(tendon, 1, impedance(tendon.stiffness + tendon.limit_stiffness, tendon.damping + tendon.limit_damping));
    for (std::size_t j = 0; j < by_joint_.size(); ++j)
      for (int k = 0; k < coordinate_count(model_->joints[j]); ++k)
        if (const double a = by_joint_[j][static_cast<std::size_t>(k)]; a > 0)
          list_.push_back({.joint = JointId(j),
                           .coordinate = k,
                           .a = a,
                           .first = model_->joints[j].a,
                           .second = model_->joints[j].b});
  }

  void add_path(const Tendon& tendon, double gear, double a) {
    if (!(a > 0)) return;
    const auto pieces = static_cast<double>(tendon.path.size());
    for (const Tendon::Piece& piece : tendon.path) {
      const double g = gear * piece.coefficient;
      list_.push_back({.piece = &piece,
                       .a = pieces * g * g * a,
                       .first = model_->sites[static_cast<std::size_t>(piece.from)].body,
                       .second = model_->sites[static_cast<std::size_t>(piece.to)].body});
    }
  }

  const Model* model_;
  double h_;
  std::vector<JointArray> by_joint_;
  std::vector<Element> list_;
};

}  // namespace

Stiffness stiffness_of_steps(const Model& model, const State& initial, double h, const StabilityTuning& tuning) {
  constexpr std::size_t kMostSolves = 100;  // beyond, the bound without joints counts
  Elements elements(model, h);
  if (elements.list().empty()) return {};
  Kinematics kinematics(model);
  kinematics.update(model, initial);
  elements.evaluate(kinematics, JointCoordinates(model, kinematics));
  const Element& first = elements.list().front();
  if (first.ratio <= tuning.stiff || model.joints.empty()) return {first.ratio, name_of(model, first)};

  const LawlessModel held(model);
  Dynamics dynamics(held.lawless, initial, LinearSolver::automatic);
  if (!dynamics.system().factor(dynamics.kinematics(), true)) return {first.ratio, name_of(model, first)};
  std::vector<BodyVector> y(model.bodies.size());
  const std::vector<double> zero(static_cast<std::size_t>(dynamics.row_count()));
  Stiffness stiffest;
  for (std::size_t i = 0; i < elements.list().size(); ++i) {
    const Element& e = elements.list()[i];
    if (e.ratio <= std::max(stiffest.ratio, tuning.stiff)) break;
    double ratio = e.ratio;
    if (i < kMostSolves) {
      std::fill(y.begin(), y.end(), BodyVector{});
      if (e.first.valid()) y[e.first] = restricted(model.bodies[e.first].kind, e.row.a);
      if (e.second.valid()) y[e.second] = restricted(model.bodies[e.second].kind, e.row.b);
      dynamics.system().solve(zero, y, {});
      ratio =
          e.a * ((e.first.valid() ? dot(e.row.a, y[e.first]) : 0) + (e.second.valid() ? dot(e.row.b, y[e.second]) : 0));
    }
    if (ratio > stiffest.ratio) stiffest = {ratio, name_of(model, e)};
  }
  return stiffest;
}

std::string why_implicit(const Model& model, const State& initial, double h, bool takes_rotors,
                         const StabilityTuning& tuning) {
  const auto has_rotor = [&](const Joint& joint) { return !takes_rotors && has_armature(model, joint); };
  const auto rotor = std::find_if(model.joints.begin(), model.joints.end(), has_rotor);
  if (rotor != model.joints.end())
    return fmt::format("joint '{}' has armature, which is taken at velocity level", rotor->name);
  const Stiffness stiffness = stiffness_of_steps(model, initial, h, tuning);
  if (stiffness.ratio <= tuning.stiff) return {};
  return fmt::format("{} is stiff for steps of {} s (stiffness ratio {:.3g}, explicit up to {})", stiffness.part, h,
                     stiffness.ratio, tuning.stiff);
}

std::string why_implicit_contacts(const Model& model, double h, double relaxation, const StabilityTuning& tuning) {
  constexpr double kCorner = 4;
  if (!has_soft_contacts(model) && !has_creep(model)) return {};
  std::vector<char> used(model.materials.size(), 0);
  const auto use = [&](const std::vector<Shape>& shapes) {
    for (const Shape& shape : shapes)
      if (shape.collide) used[static_cast<std::size_t>(shape.material)] = 1;
  };
  use(model.ground_shapes);
  for (const Body& body : model.bodies) use(body.shapes);
  Stiffness stiffest;
  for (const Body& body : model.bodies)
    for (const Shape& shape : body.shapes)
      for (std::size_t k = 0; k < used.size() && shape.collide; ++k) {
        const Material &own = model.materials[static_cast<std::size_t>(shape.material)], &other = model.materials[k];
        const double compliance = own.compliance + other.compliance, tau = std::max(own.relaxation, other.relaxation);
        const double creep = own.creep + other.creep;
        if (!used[k]) continue;
        const double spring =
            compliance > 0 ? kCorner / body.mass * (h * (tau > 0 ? tau : relaxation) + h * h) / compliance : 0;
        if (spring > stiffest.ratio) stiffest = {spring, (own.compliance > 0 ? own : other).name};
        const double damper = creep > 0 ? kCorner / body.mass * h / creep : 0;
        if (damper > stiffest.ratio) stiffest = {damper, (own.creep > 0 ? own : other).name};
      }
  if (stiffest.ratio <= tuning.stiff) return {};
  return fmt::format(
      "contacts of material '{}' are stiff for steps of {} s (stiffness ratio {:.3g}, explicit up to {})",
      stiffest.part, h, stiffest.ratio, tuning.stiff);
}

std::string why_all_implicit(const Model& model, const State& initial, const Settings& settings, bool takes_rotors,
                             double relaxation) {
  if (settings.method == Method::spook || settings.method == Method::operational) return {};
  std::string why = why_implicit(model, initial, settings.step, takes_rotors, settings.tuning.stability);
  if (why.empty() && settings.method == Method::lagrange)
    why = why_implicit_contacts(model, settings.step, relaxation, settings.tuning.stability);
  return why;
}

}  // namespace catena

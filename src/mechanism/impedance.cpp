#include "catena/mechanism/impedance.h"

#include <algorithm>
#include <cmath>

#include "catena/model/body_kinds.h"
#include "catena/model/joint_rules.h"

namespace catena {
namespace {

// Names a row from step to step; odd, as the keys of contacts are, and far from them.
std::uint64_t key_of(std::size_t index) { return ((index + 1) * 0x9E3779B97F4A7C15ULL) | 1; }

}  // namespace

Impedance::Impedance(const Model& model, const std::function<bool(JointId)>& carries,
                     const std::function<int(JointId)>& rate_of, double softest)
    : softest_(softest),
      controls_(model.controls.size()),
      tendons_(model.tendons.size()),
      inertia_(model.joints.size()) {
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    const Joint& joint = model.joints[j];
    const JointExtras& extras = model.extras_of(joint);
    for (int k = 0; k < coordinate_count(joint); ++k) {
      const CoordinateLaw law = coordinate_law(joint, extras, k);
      Element element{.joint = JointId(j), .coordinate = k};
      element.sprung = law.has_spring();
      element.damping = law.damping;
      element.armature = law.armature;
      if (element.sprung || element.damping != 0 || element.armature != 0) elements_.push_back(element);
    }
  }
  for (std::size_t i = 0; i < model.actuators.size(); ++i)
    elements_.push_back(
        {.joint = model.actuators[i].joint, .coordinate = model.actuators[i].coordinate, .servo = static_cast<int>(i)});
  const auto share = [&](std::size_t first) {
    for (std::size_t k = first; k < elements_.size(); ++k)
      elements_[k].pull.shared = static_cast<double>(elements_.size() - first);
  };
  for (std::size_t i = 0; i < model.controls.size(); ++i) {
    if (!acts_by_itself(model.controls[i])) continue;
    const std::size_t first = elements_.size();
    each_term(model, model.controls[i], [&](JointId joint, int coordinate, double g) {
      elements_.push_back({.joint = joint, .coordinate = coordinate, .pull = {.control = static_cast<int>(i), .g = g}});
    });
    share(first);
    add_pieces(model, model.controls[i].tendon,
               {.pull = {.control = static_cast<int>(i), .g = model.controls[i].gear}});
  }
  for (std::size_t i = 0; i < model.tendons.size(); ++i) {
    if (!model.tendons[i].is_passive()) continue;
    const std::size_t first = elements_.size();
    each_term(model.tendons[i], [&](JointId joint, int coordinate, double g) {
      elements_.push_back({.joint = joint, .coordinate = coordinate, .pull = {.tendon = static_cast<int>(i), .g = g}});
    });
    share(first);
    add_pieces(model, static_cast<int>(i), {.pull = {.tendon = static_cast<int>(i), .g = 1}});
  }
  // An open joint (simulation/switching.h) has no coordinates for what drives it.
  std::erase_if(elements_, [&](const Element& element) {
    return element.coordinate >= coordinate_count(model.joints[element.joint]);
  });
  elements_.shrink_to_fit();
  std::stable_sort(elements_.begin(), elements_.end(),
                   [](const Element& a, const Element& b) { return a.joint < b.joint; });
  for (Element& element : elements_) {
    element.along.a = model.joints[element.joint].a;
    element.along.b = model.joints[element.joint].b;
    element.carried = carries(element.joint);
    if (const int first = rate_of(element.joint); first >= 0) element.rate = first + element.coordinate;
    has_rows_ = has_rows_ || !element.carried;
  }
  for (const Spring& spring : model.springs) springs_.push_back({.along = {.a = spring.a, .b = spring.b}});
  has_rows_ = has_rows_ || !springs_.empty() || !pieces_.empty();
}

// An element for each straight span that a piece may have.
void Impedance::add_pieces(const Model& model, int path, const Element& like) {
  if (path < 0) return;
  const std::vector<Tendon::Piece>& pieces = model.tendons[static_cast<std::size_t>(path)].path;
  const auto body = [&](int site) { return model.sites[static_cast<std::size_t>(site)].body; };
  const std::size_t first = pieces_.size();
  for (std::size_t k = 0; k < pieces.size(); ++k) {
    const Tendon::Piece& piece = pieces[k];
    if (piece.around < 0 && body(piece.from) == body(piece.to)) continue;  // it does not change
    Element element = like;
    element.pull.g *= piece.coefficient;
    element.pull.span.path = path;
    element.pull.span.piece = static_cast<int>(k);
    for (element.pull.span.number = 0; element.pull.span.number < (piece.around < 0 ? 1 : 2);
         ++element.pull.span.number)
      pieces_.push_back(element);
  }
  for (std::size_t k = first; k < pieces_.size(); ++k)
    pieces_[k].pull.shared = static_cast<double>(pieces_.size() - first);
}

void Impedance::evaluate_pieces(const Model& model, const Kinematics& kinematics) {
  PathPiece now;
  for (Element& element : pieces_) {
    const Tendon& tendon = model.tendons[static_cast<std::size_t>(element.pull.span.path)];
    if (element.pull.span.number == 0)
      now = piece_of(model, kinematics, tendon.path[static_cast<std::size_t>(element.pull.span.piece)]);
    const PathSpan span = element.pull.span.number < now.spans
                            ? now.span[static_cast<std::size_t>(element.pull.span.number)]
                            : PathSpan{};
    element.along = {span.a, span.b, span.row};
    evaluate_pull(element);
    if (element.damper == 0 && element.inertia * mobility(model, kinematics, element) < softest_) element.inertia = 0;
  }
}

// The speed along the element that a unit of impulse gives its bodies, without joints.
double Impedance::mobility(const Model& model, const Kinematics& kinematics, const Element& element) const {
  const auto of = [&](BodyId body, const BodyVector& J) {
    return body.valid() ? dot(J, inverse_times(model.bodies[body].kind, kinematics.M(body), J)) : 0;
  };
  return of(element.along.a, element.along.row.a) + of(element.along.b, element.along.row.b);
}

void Impedance::evaluate(const Model& model, const Kinematics& kinematics, const JointCoordinates& coordinates,
                         const Forces& forces, double h, double theta) {
  h_ = h;
  theta_ = theta;
  for (std::size_t i = 0; i < controls_.size(); ++i)
    if (acts_by_itself(model.controls[i]))
      controls_[i] = control_force(model, kinematics, coordinates, model.controls[i], forces.acting[i]);
  for (std::size_t i = 0; i < tendons_.size(); ++i)
    if (model.tendons[i].is_passive()) tendons_[i] = tendon_force(model, kinematics, coordinates, model.tendons[i]);
  JointId last;
  for (Element& element : elements_) {
    if (element.joint != last) inertia_[element.joint] = {};
    last = element.joint;
    if (element.rate < 0)
      element.along.row =
          coordinates.evaluate(model, kinematics, element.joint)[static_cast<std::size_t>(element.coordinate)];
    if (element.pull.acts()) evaluate_pull(element);
    else
      act(model, coordinate_of(model, kinematics, coordinates, element), kinematics.state().time,
          element.servo < 0 ? 0 : forces.control[static_cast<std::size_t>(element.servo)], h, theta, element);
    if (element.carried) inertia_[element.joint][static_cast<std::size_t>(element.coordinate)] += element.inertia;
  }
  for (std::size_t i = 0; i < springs_.size(); ++i) evaluate_spring(model, kinematics, model.springs[i], springs_[i]);
  evaluate_pieces(model, kinematics);
}

JointCoordinates::Coordinate Impedance::coordinate_of(const Model& model, const Kinematics& kinematics,
                                                      const JointCoordinates& coordinates, const Element& element) {
  if (element.rate >= 0) return coordinates.at(model, kinematics, element.joint, element.coordinate);
  return {element.along.row.phi, rate(kinematics, model.joints[element.joint], element.along.row)};
}

// Of a control or a tendon along one of the coordinates or pieces it pulls at.
void Impedance::evaluate_pull(Element& element) const {
  const double softening = theta_ * h_, stiffening = softening * softening;
  const bool control = element.pull.control >= 0;
  const ControlForce& now = control ? controls_[static_cast<std::size_t>(element.pull.control)]
                                    : tendons_[static_cast<std::size_t>(element.pull.tendon)];
  const double shared = element.pull.shared * element.pull.g * element.pull.g;
  element.force = element.pull.g * (control ? now.force : -now.damping * now.rate);
  element.inertia = shared * (softening * now.damping + stiffening * now.stiffness);
  element.damper = control ? 0 : shared * now.damping;
}

bool Impedance::is_along_rates() const {
  return springs_.empty() && pieces_.empty() && !has_rows_ &&
         std::all_of(elements_.begin(), elements_.end(),
                     [](const Element& element) { return element.rate >= 0 && !element.pull.acts(); });
}

void Impedance::act(const Model& model, const JointCoordinates::Coordinate& now, double time, double control, double h,
                    double theta, Element& element) {
  const double softening = theta * h, stiffening = softening * softening;
  if (element.servo < 0) {
    const Joint& joint = model.joints[element.joint];
    const double slope =
        element.sprung
            ? std::max(0.0, coordinate_law(joint, model.extras_of(joint), element.coordinate).spring_slope(now.value))
            : 0;
    element.damper = element.damping;
    element.inertia = element.armature + softening * element.damping + stiffening * slope;
    return;
  }
  const Actuator& servo = model.actuators[static_cast<std::size_t>(element.servo)];
  const double force = force_of(servo, now.value, now.rate, time, control);
  // Beyond its limit a servo pushes with the limit, whatever moves.
  const bool free = std::abs(force) < servo.limit;
  element.force = std::clamp(force, -servo.limit, servo.limit);
  const bool position = servo.kind == Actuator::Kind::position;
  const double kp = position ? servo.kp : 0, kv = servo.kind == Actuator::Kind::torque ? 0 : servo.kv;
  element.inertia = free ? softening * kv + stiffening * kp : 0;
}

void Impedance::evaluate_spring(const Model& model, const Kinematics& kinematics, const Spring& spring,
                                Element& element) const {
  const AttachedPoint pa = attach(kinematics[spring.a], spring.anchor_a),
                      pb = attach(kinematics[spring.b], spring.anchor_b);
  const Vec3 d = pb.p - pa.p;
  const double length = norm(d);
  element.inertia = element.damper = 0;
  if (length == 0) return;
  const Vec3 n = d / length;
  const auto set = [&](BodyId body, const BodyVector& J, BodyVector& to) {
    if (body.valid()) to = restricted(model.bodies[body].kind, J);
  };
  set(spring.a, negative(along(n, pa)), element.along.row.a);
  set(spring.b, along(n, pb), element.along.row.b);
  const double slope = std::max(0.0, spring.slope(length));
  const double a = theta_ * h_ * (spring.damping + theta_ * h_ * slope);
  if (spring.damping == 0 && a * mobility(model, kinematics, element) < softest_) return;
  element.damper = spring.damping;
  element.inertia = a;
}

void Impedance::append_rows(LawRows& laws) const {
  std::size_t index = 0;
  const auto append = [&](const Element& element) {
    const std::uint64_t key = key_of(index++);
    if (element.carried || element.inertia == 0) return;
    laws.blocks.push_back({.kind = LawKind::inertia,
                           .a = element.along.a,
                           .b = element.along.b,
                           .first = static_cast<int>(laws.rows.size()),
                           .size = 1,
                           .source = element.joint.valid() ? static_cast<int>(element.joint.value()) : -1,
                           .key = key});
    LawRow row;
    row.a = element.along.row.a;
    row.b = element.along.row.b;
    row.sigma = 1 / element.inertia;
    laws.rows.push_back(row);
  };
  for (const Element& element : elements_) append(element);
  for (const Element& element : springs_) append(element);
  for (const Element& element : pieces_) append(element);
}

double Impedance::speed_of(const Element& element, const Speeds& speeds) {
  if (element.rate >= 0) return speeds.rates[static_cast<std::size_t>(element.rate)];
  const auto& [a, b, row] = element.along;
  return (a.valid() ? dot(row.a, speeds.bodies[a]) : 0) + (b.valid() ? dot(row.b, speeds.bodies[b]) : 0);
}

// The damper of an element pushes with −d (s + θ Δs), a servo with what it started with and its share of −(a/h) Δs.
double Impedance::book(const Speeds& before, const Speeds& after, Ledger& ledger) const {
  double inertia_work = 0;
  const auto book_one = [&](const Element& element) {
    const double s = speed_of(element, before), end = speed_of(element, after);
    const Work<double> work =
        work_of(element.armature, element.inertia, element.force, element.damper, h_, theta_, s, end);
    const double change = end - s, mean = s + 0.5 * change;
    if (element.pull.tendon >= 0) ledger.damping += h_ * (element.force - element.damper * theta_ * change) * mean;
    else ledger.damping -= work.damping;
    inertia_work -= work.inertia;  // a rotor's energy is kinetic
    if (element.servo >= 0 || element.pull.control >= 0) ledger.actuators += work.servo;
  };
  for (const Element& element : elements_) book_one(element);
  for (const Element& element : springs_) book_one(element);
  for (const Element& element : pieces_) book_one(element);
  return inertia_work;
}

}  // namespace catena

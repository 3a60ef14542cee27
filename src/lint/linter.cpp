#include "catena/lint/linter.h"

#include <Eigen/Dense>
#include <algorithm>

#include "catena/simulation/joint_dynamics.h"
#include "catena/simulation/layout.h"

namespace catena {
namespace {

constexpr int kMostRates = 400;

bool turns_along(const Joint& joint, int k) {
  switch (joint.kind) {
    case JointKind::slider:
    case JointKind::fixed_orientation: return false;
    case JointKind::cylindrical: return k == 0;
    case JointKind::planar: return k == 2;
    case JointKind::compound:
      return k < static_cast<int>(joint.freedoms.size()) && !joint.freedoms[static_cast<std::size_t>(k)].slides;
    default: return true;
  }
}

// At rest under gravity: M v̇ + h = 0 where h is the weight that the coordinates carry.
JointLoads weigh(const Simulation& simulation) {
  const Model& model = simulation.model();
  const Layout& layout = simulation.layout();
  JointDynamics dynamics(simulation);
  const std::vector<double> q(simulation.q().begin(), simulation.q().begin() + layout.n_q());
  dynamics.update(q, std::vector<double>(static_cast<std::size_t>(layout.n_v())));
  const Eigen::VectorXd h = dynamics.bias();
  const Eigen::MatrixXd W = dynamics.mass_matrix().ldlt().solve(Eigen::MatrixXd::Identity(layout.n_v(), layout.n_v()));
  JointLoads out;
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    const Layout::Slot& slot = layout.of(JointId{j});
    if (slot.n_v == 0 || slot.v + slot.n_v > layout.n_v() || model.joints[j].kind == JointKind::ball) continue;
    for (int k = 0; k < slot.n_v; ++k)
      out.coordinates.push_back({JointId{j}, k, std::abs(h[slot.v + k]), 1 / W(slot.v + k, slot.v + k)});
  }
  return out;
}

}  // namespace

const JointLoads::Coordinate* JointLoads::find(JointId joint, int coordinate) const {
  for (const Coordinate& c : coordinates)
    if (c.joint == joint && c.coordinate == coordinate) return &c;
  return nullptr;
}

Linter::Linter(const LintInput& input) : input_(input) {}

const JointLoads* Linter::loads() {
  if (weighed_) return loads_ ? &*loads_ : nullptr;
  weighed_ = true;
  const Simulation* s = simulation();
  if (s == nullptr || !s->layout().is_jointed() || s->layout().n_v() > kMostRates) return nullptr;
  loads_ = weigh(*s);
  return &*loads_;
}

bool Linter::turns(JointId joint, int coordinate) const { return turns_along(model().joints[joint], coordinate); }

std::string Linter::name(JointId joint, int coordinate) const {
  const Joint& j = model().joints[joint];
  if (j.kind == JointKind::compound)
    return fmt::format("joint '{}'", j.freedoms[static_cast<std::size_t>(coordinate)].name);
  return coordinate == 0 ? fmt::format("joint '{}'", j.name)
                         : fmt::format("joint '{}', coordinate {}", j.name, coordinate);
}

CoordinateLaw Linter::law(JointId joint, int coordinate) const {
  const Joint& j = model().joints[joint];
  return coordinate_law(j, model().extras_of(j), coordinate);
}

double Linter::start(JointId joint, int coordinate) const {
  const Joint& j = model().joints[joint];
  if (j.kind == JointKind::compound) return j.freedoms[static_cast<std::size_t>(coordinate)].start;
  return model().extras_of(j).start[static_cast<std::size_t>(coordinate)];
}

void Linter::say(std::string message) {
  found_.push_back({rule_, scene().files.empty() ? "" : scene().files.front(), std::move(message)});
}

void Linter::say(JointId joint, const std::string& message) {
  std::string place = scene().where(joint);
  if (place.ends_with(": ")) place.resize(place.size() - 2);
  found_.push_back({rule_, place, message});
}

std::vector<LintFinding> Linter::run() {
  for (const LintRule& rule : lint_rules()) {
    rule_ = rule.number;
    rule.look(*this);
  }
  return std::move(found_);
}

std::vector<LintFinding> lint(const LintInput& input) { return Linter(input).run(); }

std::vector<LintFinding> lint(const Scene& scene) {
  std::optional<Simulation> simulation;
  LintInput input{scene};
  try {
    simulation.emplace(scene);
    input.simulation = &*simulation;
  } catch (const InputError& error) {
    input.refusal = error.what();
  }
  return lint(input);
}

double reach(const Shape& shape, const Vec3& centre) {
  const double far = norm(shape.position - centre);
  const auto of_points = [&](const std::vector<Vec3>& points) {
    double most = 0;
    for (const Vec3& p : points) most = std::max(most, norm(shape.position + rotate(shape.orientation, p) - centre));
    return most;
  };
  if (const auto* s = std::get_if<Sphere>(&shape.geometry)) return far + s->radius;
  if (const auto* b = std::get_if<Box>(&shape.geometry)) return far + norm(b->sides) / 2;
  if (const auto* c = std::get_if<Capsule>(&shape.geometry)) return far + c->radius + c->length / 2;
  if (const auto* c = std::get_if<Cylinder>(&shape.geometry)) return far + std::hypot(c->radius, c->length / 2);
  if (const auto* h = std::get_if<Hull>(&shape.geometry)) return of_points(h->points);
  if (const auto* m = std::get_if<Mesh>(&shape.geometry)) return of_points(m->vertices);
  return 0;
}

double gyration(const Body& body) {
  if (body.kind == BodyKind::particle) return 0;
  if (body.kind == BodyKind::planar) return std::sqrt(body.inertia.zz / body.mass);
  return std::sqrt(trace(body.inertia) / (2 * body.mass));
}

}  // namespace catena

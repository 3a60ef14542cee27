#include "catena/record/audit.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>

#include "catena/model/form_blocks.h"
#include "catena/model/joint_rules.h"
#include "catena/record/run_info.h"
#include "catena/simulation/simulation.h"

namespace catena {
namespace {

// Columns by name.
class Columns {
 public:
  explicit Columns(const RecordedTable& table) : table_(table) {
    for (std::size_t i = 0; i < table.names.size(); ++i) places_.emplace(table.names[i], i);
  }
  const std::vector<double>* find(const std::string& name) const {
    const auto found = places_.find(name);
    return found == places_.end() ? nullptr : &table_.columns[found->second];
  }
  const std::vector<double>& need(const std::string& name) const {
    if (const std::vector<double>* column = find(name)) return *column;
    throw InputError(fmt::format("the recording has no column '{}': it is of another scene", name));
  }

 private:
  const RecordedTable& table_;
  std::unordered_map<std::string, std::size_t> places_;
};

// The worst of one check.
class Worst {
 public:
  Worst(std::string check, std::string unit) { finding_.check = std::move(check), finding_.unit = std::move(unit); }
  void take(double value, double time, const std::string& place) {
    seen_ = true;
    if (!(value <= finding_.worst)) finding_.worst = value, finding_.time = time, finding_.place = place;
  }
  void put(double bound, std::vector<AuditFinding>& into) {
    if (!seen_) return;
    finding_.bound = bound;
    into.push_back(finding_);
  }

 private:
  AuditFinding finding_;
  bool seen_ = false;
};

struct BodyColumns {
  std::array<const std::vector<double>*, 3> position{}, velocity{}, angular_velocity{};
  std::array<const std::vector<double>*, 4> orientation{};
  std::vector<const std::vector<double>*> form;  // of the coordinates of a form: q, v, q, v, …
};

struct NumberChecks {
  Worst order{"times ascend", "rows"}, finite{"numbers are finite", "numbers"}, unit{"quaternions are unit", "1"};
};

struct JointChecks {
  Worst gap{"joint gap", "m"}, angle{"joint angle gap", "rad"}, limits{"beyond a joint limit", "m or rad"};
};

struct EnergyChecks {
  Worst kinetic{"kinetic energy, computed again", "J"}, potential{"potential energy, computed again", "J"};
  Worst books{"energy that no recorded work explains", "J"};
  double scale = 0;  // J, the largest there was
};

struct ContactChecks {
  Worst pushes{"contacts pull", "N"}, cone{"outside the friction cone", "N"}, sum{"sum of the normal forces", "N"};
  Worst overlap{"penetration", "m"};
  double scale = 0, weight = 0;  // N, the largest force there was, and the weight of all bodies
};

class Audit {
 public:
  Audit(const Scene& scene, const RecordedTable& table, const AuditOptions& options)
      : table_(table), columns_(table), options_(options), simulation_(scene, options_of(table)) {
    const Model& model = scene.model;
    for (const Body& body : model.bodies) {
      BodyColumns c;
      if (body.kind == BodyKind::form) {
        for (int k = 0; k < body.form->coordinates(); ++k)
          for (const char* part : {"q", "v"})
            c.form.push_back(&columns_.need(fmt::format("{}.{}[{}]", body.name, part, k)));
        bodies_.push_back(c);
        continue;
      }
      const bool turns = body.kind != BodyKind::particle;
      for (std::size_t k = 0; k < 3; ++k) {
        c.position[k] = &columns_.need(body.name + std::array{".x", ".y", ".z"}[k]);
        c.velocity[k] = &columns_.need(body.name + std::array{".vx", ".vy", ".vz"}[k]);
        if (turns) c.angular_velocity[k] = &columns_.need(body.name + std::array{".wx", ".wy", ".wz"}[k]);
      }
      for (std::size_t k = 0; turns && k < 4; ++k)
        c.orientation[k] = &columns_.need(body.name + std::array{".qw", ".qx", ".qy", ".qz"}[k]);
      bodies_.push_back(c);
      contacts_.weight += body.mass * norm(model.gravity);
    }
  }

  std::vector<AuditFinding> run() {
    check_numbers();
    const std::vector<double>& time = columns_.need("time");
    State state = simulation_.state();
    for (std::size_t row = 0; row < time.size(); ++row) {
      if (!fill(row, time[row], state)) continue;
      check_state(row, state);
    }
    check_books(time);
    check_limits(time);
    for (std::size_t row = 0; row < table_.contacts.size() && row < time.size(); ++row) check_contacts(row, time[row]);
    return findings();
  }

 private:
  // As far as they bear on what is computed again.
  static Options options_of(const RecordedTable& table) {
    Options out;
    if (!table.run.empty()) out.contact_margin = run_info_of(table.run).settings.contact_margin;
    return out;
  }

  void check_numbers() {
    const std::vector<double>& time = columns_.need("time");
    for (std::size_t row = 1; row < time.size(); ++row)
      numbers_.order.take(time[row] > time[row - 1] ? 0 : 1, time[row], "time");
    for (std::size_t k = 0; k < table_.names.size(); ++k)
      for (std::size_t row = 0; row < time.size(); ++row)
        numbers_.finite.take(std::isfinite(table_.columns[k][row]) ? 0 : 1, time[row], table_.names[k]);
  }

  // The state of a row; false where it is none.
  bool fill(std::size_t row, double time, State& state) {
    bool good = true;
    state.time = time;
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      const auto vector = [row](const auto& c) { return Vec3{(*c[0])[row], (*c[1])[row], (*c[2])[row]}; };
      BodyState& to = state.bodies[i];
      if (const auto& form = bodies_[i].form; !form.empty()) {
        OwnVector q{}, v{};
        for (std::size_t k = 0; 2 * k < form.size(); ++k) q[k] = (*form[2 * k])[row], v[k] = (*form[2 * k + 1])[row];
        set_form(q, v, to);
        good = good && std::isfinite(norm(to.position)) && std::isfinite(norm(to.velocity));
        continue;
      }
      to.position = vector(bodies_[i].position);
      to.velocity = vector(bodies_[i].velocity);
      good = good && std::isfinite(norm(to.position)) && std::isfinite(norm(to.velocity));
      if (!bodies_[i].orientation[0]) continue;
      to.angular_velocity = vector(bodies_[i].angular_velocity);
      const auto& q = bodies_[i].orientation;
      to.orientation = {(*q[0])[row], (*q[1])[row], (*q[2])[row], (*q[3])[row]};
      const double error = std::abs(norm(to.orientation) - 1);
      numbers_.unit.take(error, time, simulation_.model().bodies[i].name);
      good = good && std::isfinite(norm(to.angular_velocity)) && error < 1e-6;
    }
    return good;
  }

  double kinetic(const State& state) const {
    double sum = 0;
    for (std::size_t i = 0; i < state.bodies.size(); ++i) {
      const Body& body = simulation_.model().bodies[i];
      const BodyState& s = state.bodies[i];
      sum += 0.5 * body.mass * dot(s.velocity, s.velocity);
      if (body.kind == BodyKind::particle) continue;
      if (body.kind == BodyKind::planar) {
        sum += 0.5 * body.inertia.zz * s.angular_velocity.z * s.angular_velocity.z;
        continue;
      }
      const Vec3 w = rotate(s.orientation.conjugate(), s.angular_velocity);
      sum += 0.5 * dot(w, body.inertia * w);
    }
    return sum;
  }

  void check_state(std::size_t row, State& state) {
    const Model& model = simulation_.model();
    simulation_.count_turns(state);
    const Drift drift = simulation_.drift_of(state);
    const std::string joint = drift.worst.valid() ? model.joints[drift.worst].name : "";
    joints_.gap.take(drift.position, state.time, joint);
    joints_.angle.take(drift.angle, state.time, joint);
    const bool scales =
        std::any_of(model.bodies.begin(), model.bodies.end(), [](const Body& body) { return changes_size(body.kind); });
    const std::vector<double>*k = columns_.find("energy.kinetic"), *p = columns_.find("energy.potential");
    if (scales || !k || !p) return;
    energies_.scale = std::max({energies_.scale, std::abs((*k)[row]), std::abs((*p)[row] - (*p)[0])});
    energies_.kinetic.take(std::abs((*k)[row] - kinetic(state)), state.time, "all bodies");
    simulation_.set_state(state);
    energies_.potential.take(std::abs((*p)[row] - simulation_.energy().potential), state.time,
                             "all bodies and springs");
  }

  // Kinetic and potential energy against the work that the run has booked.
  void check_books(const std::vector<double>& time) {
    const std::vector<double>*k = columns_.find("energy.kinetic"), *p = columns_.find("energy.potential");
    if (!k || !p) return;
    std::vector<double> books(time.size());
    for (const char* cause : {"motors", "actuators", "external", "damping", "contacts", "projection"})
      if (const std::vector<double>* work = columns_.find(fmt::format("energy.{}", cause)))
        for (std::size_t row = 0; row < time.size(); ++row) books[row] += (*work)[row];
    for (std::size_t row = 0; row < time.size(); ++row)
      energies_.books.take(std::abs((*k)[row] + (*p)[row] - (*k)[0] - (*p)[0] - (books[row] - books[0])), time[row],
                           "all bodies");
  }

  void check_limits(const std::vector<double>& time) {
    const Model& model = simulation_.model();
    for (const Joint& joint : model.joints)
      for (int k = 0; k < coordinate_count(joint); ++k) {
        const Limits* limits = coordinate_law(joint, model.extras_of(joint), k).limits;
        const std::vector<double>* q = columns_.find(fmt::format("joint.{}.q[{}]", joint.name, k));
        if (!limits || !q || joint.kind == JointKind::ball) continue;
        for (std::size_t row = 0; row < time.size(); ++row)
          joints_.limits.take(std::max({0.0, limits->lower - (*q)[row], (*q)[row] - limits->upper}), time[row],
                              fmt::format("{}[{}]", joint.name, k));
      }
  }

  void check_contacts(std::size_t row, double time) {
    const Model& model = simulation_.model();
    const auto name = [&](BodyId body) { return body.valid() ? model.bodies[body].name : std::string("ground"); };
    double sum = 0;
    for (const ContactForce& c : table_.contacts[row]) {
      const std::string pair = name(c.contact.a) + " on " + name(c.contact.b);
      const double normal = dot(c.force, c.contact.normal);
      const Vec3 tangential = c.force - normal * c.contact.normal;
      contacts_.scale = std::max(contacts_.scale, norm(c.force));
      sum += normal;
      contacts_.pushes.take(std::max(0.0, -normal), time, pair);
      contacts_.overlap.take(std::max(0.0, -c.contact.gap), time, pair);
      const auto grain = [&](BodyId body, int shape) {
        const std::vector<Shape>& shapes = body.valid() ? model.bodies[body].shapes : model.ground_shapes;
        const auto at = static_cast<std::size_t>(shape);
        return at < shapes.size() && model.materials[static_cast<std::size_t>(shapes[at].material)].grain.has_value();
      };
      if (grain(c.contact.a, c.contact.shape_a) || grain(c.contact.b, c.contact.shape_b)) continue;
      contacts_.cone.take(std::max(0.0, norm(tangential) - c.contact.friction * std::max(0.0, normal)), time, pair);
    }
    if (const std::vector<double>* recorded = columns_.find("contacts.normal"))
      contacts_.sum.take(std::abs(sum - (*recorded)[row]), time, "all contacts");
  }

  std::vector<AuditFinding> findings() {
    const double eps = options_.tolerance, size = simulation_.size(), energy = eps * std::max(energies_.scale, 1e-12);
    const double force = eps * std::max({contacts_.weight, contacts_.scale, 1e-12});
    constexpr double kTold = std::numeric_limits<double>::infinity();
    std::vector<AuditFinding> out;
    numbers_.order.put(0, out);
    numbers_.finite.put(0, out);
    numbers_.unit.put(1e-9, out);
    joints_.gap.put(eps * size, out);
    joints_.angle.put(eps, out);
    energies_.kinetic.put(energy, out);
    energies_.potential.put(energy, out);
    energies_.books.put(kTold, out);
    joints_.limits.put(kTold, out);
    contacts_.pushes.put(force, out);
    contacts_.cone.put(force, out);
    contacts_.sum.put(force, out);
    contacts_.overlap.put(kTold, out);
    return out;
  }

  const RecordedTable& table_;
  Columns columns_;
  const AuditOptions& options_;
  Simulation simulation_;
  std::vector<BodyColumns> bodies_;
  NumberChecks numbers_;
  JointChecks joints_;
  EnergyChecks energies_;
  ContactChecks contacts_;
};

}  // namespace

std::vector<AuditFinding> audit(const Scene& scene, const RecordedTable& table, const AuditOptions& options) {
  return Audit(scene, table, options).run();
}

}  // namespace catena

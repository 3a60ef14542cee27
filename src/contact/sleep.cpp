#include "catena/contact/sleep.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "catena/model/mechanisms.h"
#include "catena/model/transmission.h"

namespace catena {
namespace {

// Multiplicative hashing of the bits of numbers.
class Hash {
 public:
  explicit Hash(std::uint64_t start) : value_(start) {}
  void add(double x) { add(std::bit_cast<std::uint64_t>(x == 0 ? 0.0 : x)); }  // −0 is 0
  void add(std::uint64_t x) {
    value_ = (value_ ^ x) * 0x9E3779B97F4A7C15ULL;
    value_ ^= value_ >> 29;
  }
  void add(const Vec3& v) {
    add(v.x);
    add(v.y);
    add(v.z);
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_;
};

std::uint64_t hash_of(const Forces& forces, const Vec3& gravity) {
  Hash hash(1);
  hash.add(gravity);
  for (const double x : forces.control) hash.add(x);
  if (!forces.user_forces) return hash.value();
  for (const JointArray& joint : forces.joint_force)
    for (const double x : joint) hash.add(x);
  for (const BodyVector& f : forces.body_force) {
    hash.add(f.linear);
    hash.add(f.angular);
    hash.add(f.scale);
  }
  for (const Forces::PointForce& f : forces.point_forces) {
    hash.add(static_cast<std::uint64_t>(f.body.value()));
    hash.add(f.force);
    hash.add(f.point);
  }
  return hash.value();
}

bool is_constant(const Signal& signal) { return std::holds_alternative<Constant>(signal); }

bool changes_with_time(const Joint& joint, const JointExtras& extras) {
  const bool led = extras.moves || extras.length || extras.switching;
  const bool driven = extras.motor && !is_constant(extras.motor->velocity);
  const bool coupled = std::any_of(extras.rows.begin(), extras.rows.end(),
                                   [](const CouplingRow& row) { return row.equals || !is_constant(row.velocity); });
  return joint.extras >= 0 && (led || driven || coupled);
}

}  // namespace

Sleep::Sleep(const Model& model, const SleepTuning& tuning)
    : model_(&model),
      tuning_(tuning),
      restless_(model.bodies.size(), 0),
      tied_(mechanisms(model)),
      root_(tied_),
      asleep_(model.bodies.size(), 0),
      ready_(model.bodies.size(), 0) {
  for (const Body& body : model.bodies) {
    const double trace = body.inertia.xx + body.inertia.yy + body.inertia.zz;
    radius_.push_back(body.mass > 0 ? std::sqrt(std::max(0.0, trace) / body.mass) : 0);
  }
  for (const Spring& spring : model.springs) join(spring.a, spring.b);
  for (const Joint& joint : model.joints) {
    std::vector<BodyId> bodies = bodies_of(model, joint);
    for (const CouplingRow& row : model.extras_of(joint).rows)
      for (const CoordinateTerm& term : row.coordinates)
        for (const BodyId body : bodies_of(model, model.joints[term.joint])) bodies.push_back(body);
    tie(bodies);
  }
  for (std::size_t i = 0; i < model.bodies.size(); ++i) join(BodyId(i), model.bodies[i].partner);
  tie_controls();
  for (std::size_t i = 0; i < root_.size(); ++i) tied_[i] = find(static_cast<int>(i));
  find_restless();
}

int Sleep::find(int body) {
  const auto up = [&](int k) -> int& { return root_[static_cast<std::size_t>(k)]; };
  while (up(body) != body) body = up(body) = up(up(body));
  return body;
}

// The earlier one stands for both.
void Sleep::join(BodyId a, BodyId b) {
  if (!a.valid() || !b.valid()) return;
  const int x = find(a.value()), y = find(b.value());
  root_[static_cast<std::size_t>(std::max(x, y))] = std::min(x, y);
}

void Sleep::tie(const std::vector<BodyId>& bodies) {
  for (const BodyId body : bodies) join(bodies.front(), body);
}

void Sleep::tie_controls() {
  const Model& model = *model_;
  std::vector<BodyId> bodies;
  const auto add_joint = [&](JointId joint, int, double) {
    for (const BodyId body : bodies_of(model, model.joints[joint])) bodies.push_back(body);
  };
  const auto add_site = [&](int site) {
    if (site >= 0 && model.sites[static_cast<std::size_t>(site)].body.valid())
      bodies.push_back(model.sites[static_cast<std::size_t>(site)].body);
  };
  const auto add_piece = [&](const Tendon::Piece& piece, double) {
    for (const int site : {piece.from, piece.to, piece.around}) add_site(site);
  };
  for (const Tendon& tendon : model.tendons) {
    bodies.clear();
    each_term(tendon, add_joint);
    each_piece(tendon, add_piece);
    tie(bodies);
  }
  for (const Control& control : model.controls) {
    bodies.clear();
    each_term(model, control, add_joint);
    each_piece(model, control, add_piece);
    add_site(control.site);
    tie(bodies);
    // Activations go on by themselves.
    if (control.dynamics == Control::Dynamics::none && is_constant(control.signal)) continue;
    for (const BodyId body : bodies) restless_[body] = 1;
  }
}

void Sleep::find_restless() {
  const Model& model = *model_;
  const auto keep_awake = [&](const Joint& joint) {
    for (const BodyId body : bodies_of(model, joint)) restless_[body] = 1;
  };
  for (const Joint& joint : model.joints)
    if (changes_with_time(joint, model.extras_of(joint))) keep_awake(joint);
  for (const Actuator& actuator : model.actuators)
    if (!is_constant(actuator.signal)) keep_awake(model.joints[actuator.joint]);
  for (std::size_t i = 0; i < model.bodies.size(); ++i)
    if (changes_form(model.bodies[i].kind)) restless_[i] = 1;
}

// A load that has yet to begin or to end keeps its body awake.
bool Sleep::may_sleep(std::size_t body, double time) const {
  return restless_[body] == 0 &&
         std::none_of(model_->forces.begin(), model_->forces.end(), [&](const ExternalForce& load) {
           return load.body == BodyId(body) && (load.from > time || (std::isfinite(load.until) && load.until > time));
         });
}

bool Sleep::is_still(std::size_t body, const BodyState& s) const {
  return std::max(norm(s.velocity), radius_[body] * norm(s.angular_velocity)) < tuning_.still_speed &&
         std::abs(s.scale_velocity) * radius_[body] < tuning_.still_speed;
}

std::uint64_t Sleep::bits_of(const BodyState& s) const {
  Hash hash(loads_);
  for (const Vec3& v : {s.position, s.velocity, s.angular_velocity, s.orientation.vec()}) hash.add(v);
  for (const double x : {s.orientation.w, s.scale, s.scale_velocity}) hash.add(x);
  return hash.value();
}

void Sleep::read(const State& state) {
  count_ = 0;
  for (std::size_t i = 0; i < asleep_.size(); ++i) count_ += asleep_[i] = state.rests[i].island >= 0 ? 1 : 0;
}

void Sleep::begin(const Forces& forces, State& state) {
  if (state.rests.size() != state.bodies.size()) state.rests.assign(state.bodies.size(), {});
  loads_ = hash_of(forces, model_->gravity);
  for (std::size_t i = 0; i < state.bodies.size(); ++i) {
    const Rest& rest = state.rests[i];
    if (rest.island < 0 || rest.bits == bits_of(state.bodies[i])) continue;
    const BodyId body(i);
    wake({&body, 1}, state);
  }
  read(state);
}

void Sleep::wake(std::span<const BodyId> bodies, State& state) {
  for (const BodyId body : bodies) {
    const std::int64_t island = state.rests[body].island;
    if (island < 0) continue;
    for (Rest& rest : state.rests)
      if (rest.island == island) rest = {};
  }
  read(state);
}

bool Sleep::end(double h, const State& before, const std::vector<Contact>& contacts, State& state) {
  state.rests = before.rests;
  bool some = false;
  for (std::size_t i = 0; i < state.bodies.size(); ++i) {
    if (asleep_[i] != 0) {
      state.bodies[i] = before.bodies[i];
    } else {
      double& still = state.rests[i].still;
      still = is_still(i, state.bodies[i]) && may_sleep(i, state.time) ? still + h : 0;
      some = some || still >= tuning_.still_time;
    }
  }
  if (!some) return false;
  // Islands all of whose bodies have kept still.
  root_ = tied_;
  for (const Contact& contact : contacts)
    if (contact.gap <= tuning_.near && contact.a.valid() && contact.b.valid() && asleep_[contact.a] == 0 &&
        asleep_[contact.b] == 0)
      join(contact.a, contact.b);
  std::fill(ready_.begin(), ready_.end(), 1);
  for (std::size_t i = 0; i < ready_.size(); ++i)
    if (asleep_[i] != 0 || state.rests[i].still < tuning_.still_time)
      ready_[static_cast<std::size_t>(find(static_cast<int>(i)))] = 0;
  bool fallen = false;
  for (std::size_t i = 0; i < ready_.size(); ++i) {
    const int island = find(static_cast<int>(i));
    if (ready_[static_cast<std::size_t>(island)] == 0) continue;
    state.rests[i].island = island;
    state.bodies[i].velocity = state.bodies[i].angular_velocity = {};
    state.bodies[i].scale_velocity = 0;
    fallen = true;
  }
  read(state);
  return fallen;
}

void Sleep::seal(State& state) const {
  for (std::size_t i = 0; i < state.bodies.size(); ++i)
    if (state.rests[i].island >= 0) state.rests[i].bits = bits_of(state.bodies[i]);
}

}  // namespace catena

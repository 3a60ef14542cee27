#include "catena/contact/sleep.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <initializer_list>
#include <numeric>
#include <tuple>

#include "catena/model/mechanisms.h"
#include "catena/model/transmission.h"

namespace catena {
namespace {

// Multiplicative hashing of the bits of numbers.
class Hash {
 public:
  // `load_bits`: binary places of loads that count.
  Hash(std::uint64_t start, int load_bits) : half_(1ULL << (51 - load_bits)), value_(start) {}
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
  // To SleepTuning::load_bits: a controller that reads velocities computes a little else of what rests than of what sleeps, where they are zero.
  void add_load(double x) { add((std::bit_cast<std::uint64_t>(x == 0 ? 0.0 : x) + half_) & ~(2 * half_ - 1)); }
  void add_load(const Vec3& v) {
    add_load(v.x);
    add_load(v.y);
    add_load(v.z);
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t half_;  // of the last binary place of loads that counts
  std::uint64_t value_;
};

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
  for (const Joint& joint : model.joints) pushed_.by_joint.push_back(joint.b.valid() ? joint.b : joint.a);
  loads_.resize(model.bodies.size());
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
    pushed_.by_control.push_back(bodies.empty() ? kGround : bodies.front());
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

// What the user pushes each body with, and its joints and controls: those of a joint or control sleep and wake together, so one of them will do.
void Sleep::read_loads(const Forces& forces) {
  constexpr std::size_t kFreedoms = std::tuple_size_v<JointArray>;
  Hash gravity(1, tuning_.load_bits);
  gravity.add(model_->gravity);
  std::fill(loads_.begin(), loads_.end(), gravity.value());
  // What is zero is no load, whoever sets it.
  const auto load = [&](BodyId body, std::uint64_t place, std::initializer_list<Vec3> numbers) {
    if (!body.valid() || std::all_of(numbers.begin(), numbers.end(), [](const Vec3& v) { return dot(v, v) == 0; }))
      return;
    Hash hash(loads_[body], tuning_.load_bits);
    hash.add(place);
    for (const Vec3& v : numbers) hash.add_load(v);
    loads_[body] = hash.value();
  };
  const std::size_t actuators = model_->actuators.size();
  for (std::size_t k = 0; k < forces.control.size(); ++k)
    load(k < actuators ? pushed_.by_joint[model_->actuators[k].joint] : pushed_.by_control[k - actuators], 2 * k + 1,
         {{forces.control[k], 0, 0}});
  if (!forces.user_forces) return;
  for (std::size_t j = 0; j < forces.joint_force.size(); ++j)
    for (std::size_t k = 0; k < forces.joint_force[j].size(); ++k)
      load(pushed_.by_joint[j], 2 * (kFreedoms * j + k), {{forces.joint_force[j][k], 0, 0}});
  for (std::size_t i = 0; i < forces.body_force.size(); ++i) {
    const BodyVector& f = forces.body_force[i];
    load(BodyId(i), 0, {f.linear, f.angular, {f.scale, 0, 0}});
  }
  for (const Forces::PointForce& f : forces.point_forces) load(f.body, 0, {f.force, f.point});
}

std::uint64_t Sleep::bits_of(std::size_t body, const BodyState& s) const {
  Hash hash(loads_[body], tuning_.load_bits);
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
  read_loads(forces);
  for (std::size_t i = 0; i < state.bodies.size(); ++i) {
    const Rest& rest = state.rests[i];
    if (rest.island < 0 || rest.bits == bits_of(i, state.bodies[i])) continue;
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
    if (state.rests[i].island >= 0) state.rests[i].bits = bits_of(i, state.bodies[i]);
}

}  // namespace catena

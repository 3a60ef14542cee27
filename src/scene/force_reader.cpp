#include <fmt/format.h>

#include <algorithm>

#include "catena/scene/control_reader.h"
#include "catena/scene/coordinate_quantity.h"
#include "catena/scene/draft.h"
#include "catena/scene/relative.h"

namespace catena {
namespace {

constexpr std::array<std::pair<std::string_view, bool>, 2> kFrames = {{{"world", false}, {"body", true}}};
constexpr std::array<std::pair<std::string_view, Actuator::Kind>, 3> kActuatorKinds = {
    {{"torque", Actuator::Kind::torque},
     {"position", Actuator::Kind::position},
     {"velocity", Actuator::Kind::velocity}}};

std::vector<double> read_numbers(const Value& value, std::string_view what, const Quantity& quantity) {
  std::vector<double> out;
  for (const Value& item : read_list(value, what)) out.push_back(read_number(item, what, quantity));
  return out;
}

// [[t, v]…] or {times: […], values: […]}.
Table read_table(const Value& value, const Quantity& quantity) {
  Table table;
  if (value.is_map()) {
    const Fields fields(value, "table", {"times", "values"});
    table.times = read_numbers(fields.need("times", "[0, 1]"), "times", quantity::kTime);
    table.values = read_numbers(fields.need("values", "[0, 1]"), "values", quantity);
    if (table.times.size() != table.values.size()) {
      fail(value.at, fmt::format("table: {} times and {} values; as many of each are expected", table.times.size(),
                                 table.values.size()));
    }
  } else {
    for (const Value& pair : read_list(value, "table")) {
      const auto& items = read_list(pair, "table", 2);
      table.times.push_back(read_number(items[0], "table", quantity::kTime));
      table.values.push_back(read_number(items[1], "table", quantity));
    }
  }
  if (table.times.empty()) fail(value.at, "table: is empty; [[time, value], ...] are expected");
  for (std::size_t i = 1; i < table.times.size(); ++i) {
    if (!(table.times[i] > table.times[i - 1])) {
      fail(value.at, fmt::format("table: times must increase, but {} follows {}", table.times[i], table.times[i - 1]));
    }
  }
  return table;
}

Sine read_sine(const Value& value, const Quantity& quantity) {
  const Fields fields(value, "sine", {"amplitude", "frequency", "phase", "offset"});
  return {read_number(fields.need("amplitude", "1"), "amplitude", quantity),
          read_number(fields.need("frequency", "2 Hz"), "frequency", quantity::kFrequency),
          fields.number("phase", quantity::kAngle, 0), fields.number("offset", quantity, 0)};
}

bool read_frame(const Fields& fields) {
  const Value* frame = fields.find("frame");
  return frame != nullptr && read_choice(*frame, "frame", kFrames);
}

void read_force(const Value& value, Draft& draft) {
  const Fields fields(value, "force", {"body", "force", "torque", "point", "from", "until", "frame"});
  ExternalForce out;
  out.body = draft.moving_body(fields.need("body", "crank"), "body");
  const bool planar = draft.is_planar(out.body);
  if (!fields.has("force") && !fields.has("torque"))
    fail(value.at, "force: needs force: [x, y, z] or torque: [x, y, z]");
  if (const Value* v = fields.find("force")) out.force = read_vector(*v, "force", quantity::kForce, planar);
  if (const Value* v = fields.find("torque")) {
    out.torque = planar && v->is_scalar() ? Vec3{0, 0, read_number(*v, "torque", quantity::kTorque)}
                                          : read_vec3(*v, "torque", quantity::kTorque);
  }
  if (const Value* v = fields.find("point")) out.point = read_vector(*v, "point", quantity::kLength, planar);
  out.from = fields.number("from", quantity::kTime, out.from);
  out.until = fields.number("until", quantity::kTime, out.until);
  if (!(out.from <= out.until))
    fields.refuse("until", fmt::format("ends at {} s, before it begins at {} s", out.until, out.from));
  out.body_frame = read_frame(fields);
  draft.model().forces.push_back(out);
  draft.places.forces.push_back(value.at);
}

void read_spring(const Value& given, Draft& draft) {
  const Value value = given.is_map() ? in_world(given, draft) : given;
  const Fields fields(value, "spring", {"between", "anchors", "stiffness", "damping", "length", "force"});
  const auto& ends = read_list(fields.need("between", "[ground, crank]"), "between", 2);
  const BodyId a = draft.body(ends[0], "between"), b = draft.body(ends[1], "between");
  if (a == b) fail(ends[1].at, "spring: joins a thing to itself; two different ones are expected");
  const bool planar = draft.is_planar(a) || draft.is_planar(b);
  SpringSpec spec;
  const auto& anchors = read_list(fields.need("anchors", "[[0, 0, 1], [0, 0, 0]]"), "anchors", 2);
  for (std::size_t i = 0; i < 2; ++i) spec.anchors[i] = draft.point(anchors[i], "anchors", planar);
  spec.stiffness = fields.number("stiffness", quantity::kStiffness, 0);
  spec.damping = fields.number("damping", quantity::kDamping, 0);
  spec.length = fields.number("length", quantity::kLength);
  if (const Value* v = fields.find("force")) spec.curve = read_curve(*v, quantity::kLength, quantity::kForce);
  if (spec.curve && fields.has("stiffness"))
    fields.refuse("force", "a stiffness and a force are both given; one will do");
  append_spring(draft.model(), draft.scene.initial, spec, a, b);
  draft.places.springs.push_back(value.at);
}

void read_actuator(const Value& value, Draft& draft) {
  const Fields fields(value, "actuator", {"joint", "coordinate", "kind", "kp", "kv", "limit", "signal"});
  Actuator out;
  out.joint = draft.joint(fields.need("joint", "elbow"), "joint");
  const JointKind kind = draft.model().joints[out.joint].kind;
  if (const Value* v = fields.find("coordinate"))
    out.coordinate = static_cast<int>(std::min(read_count(*v, "coordinate", 0), 99LL));
  if (const Value* v = fields.find("kind")) out.kind = read_choice(*v, "kind", kActuatorKinds);
  const int k = out.coordinate;
  if (out.kind != Actuator::Kind::position && fields.has("kp")) fields.refuse("kp", "only position actuators have kp");
  if (out.kind == Actuator::Kind::torque && fields.has("kv"))
    fields.refuse("kv", "a torque actuator follows its signal; it has no kv");
  if (out.kind == Actuator::Kind::position) (void)fields.need("kp", "100");
  if (out.kind == Actuator::Kind::velocity) (void)fields.need("kv", "10");
  out.kp = fields.number("kp", stiffness_quantity(kind, k), 0);
  out.kv = fields.number("kv", damping_quantity(kind, k), 0);
  out.limit = fields.number("limit", force_quantity(kind, k), out.limit);
  const Quantity& quantity = out.kind == Actuator::Kind::torque   ? force_quantity(kind, k)
                           : out.kind == Actuator::Kind::position ? coordinate_quantity(kind, k)
                                                                  : velocity_quantity(kind, k);
  out.signal = read_signal(fields.need("signal", "{constant: 1}"), "signal", quantity);
  draft.model().actuators.push_back(std::move(out));
  draft.places.actuators.push_back(value.at);
}

}  // namespace

// A number, {constant: x}, {sine: {amplitude, frequency, phase, offset}} or {table: [[t, v]…]}.
Signal read_signal(const Value& value, std::string_view what, const Quantity& quantity) {
  if (!value.is_map()) return Constant{read_number(value, what, quantity)};
  const Fields fields(value, std::string(what), {"constant", "sine", "table"});
  if (value.keys.size() != 1) fail(value.at, fmt::format("{}: one of constant, sine and table is expected", what));
  if (const Value* constant = fields.find("constant")) return Constant{read_number(*constant, "constant", quantity)};
  if (const Value* sine = fields.find("sine")) return read_sine(*sine, quantity);
  return read_table(*fields.find("table"), quantity);
}

SpringCurve read_curve(const Value& value, const Quantity& stretch, const Quantity& tension) {
  const Fields fields(value, "spring", {"polynomial", "table"});
  if (value.keys.size() != 1) fail(value.at, "spring: one of polynomial: and table: is expected");
  SpringCurve out;
  if (const Value* polynomial = fields.find("polynomial")) {
    out.polynomial = read_numbers(*polynomial, "polynomial", quantity::kNumber);
    if (out.polynomial.empty() || out.polynomial.size() > 9)
      fail(polynomial->at, "polynomial: one to nine coefficients are expected, of x, x², …");
    return out;
  }
  for (const Value& pair : read_list(*fields.find("table"), "table")) {
    const auto& items = read_list(pair, "table", 2);
    out.stretches.push_back(read_number(items[0], "table", stretch));
    out.tensions.push_back(read_number(items[1], "table", tension));
  }
  if (out.stretches.size() < 2) fail(value.at, "table: two points or more are expected, each [stretch, tension]");
  for (std::size_t i = 1; i < out.stretches.size(); ++i)
    if (!(out.stretches[i] > out.stretches[i - 1]))
      fail(value.at,
           fmt::format("table: stretches must increase, but {} follows {}", out.stretches[i], out.stretches[i - 1]));
  return out;
}

void read_forces(const Value& forces, Draft& draft) {
  for (const Value& force : read_list(forces, "forces")) read_force(force, draft);
}

void read_springs(const Value& springs, Draft& draft) {
  for (const Value& spring : read_list(springs, "springs")) read_spring(spring, draft);
}

void read_actuators(const Value& actuators, Draft& draft) {
  // Where one of them is a control all are: Simulation::ctrl() has their inputs in the order written.
  const std::vector<Value>& list = read_list(actuators, "actuators");
  const bool controls = std::any_of(list.begin(), list.end(), is_control);
  for (const Value& actuator : list) controls ? read_control(actuator, draft) : read_actuator(actuator, draft);
}

}  // namespace catena

// Every struct is taken apart by a structured binding that names all of its fields: a struct with a field more does not compile here until
// somebody has decided about it.
#include "catena/model/fingerprint.h"

#include <bit>
#include <concepts>
#include <type_traits>

#include "catena/model/stretching_form.h"

namespace catena {
namespace {

// FNV-1a, 64 bits.
class Hash {
 public:
  std::uint64_t value() const { return value_; }

  template <class... Fields>
  void all(const Fields&... fields) {
    (add(fields), ...);
  }

  void add(const std::string& text) {
    add(text.size());
    for (const char c : text) byte(static_cast<unsigned char>(c));
  }
  void add(double number) { bits(std::bit_cast<std::uint64_t>(number == 0 ? 0.0 : number)); }
  void add(float number) { add(static_cast<double>(number)); }
  template <class Whole>
  requires std::integral<Whole> || std::is_enum_v<Whole>
  void add(Whole number) { bits(static_cast<std::uint64_t>(number)); }
  template <class Tag>
  void add(Index<Tag> index) {
    add(index.value());
  }
  void add(const Vec3& v) { all(v.x, v.y, v.z); }
  void add(const Quat& q) { all(q.w, q.x, q.y, q.z); }
  void add(const Sym3& m) { all(m.xx, m.yy, m.zz, m.xy, m.xz, m.yz); }
  template <class T>
  void add(const std::vector<T>& list) {
    add(list.size());
    for (const T& each : list) add(each);
  }
  template <class T, std::size_t n>
  void add(const std::array<T, n>& list) {
    for (const T& each : list) add(each);
  }
  template <class T>
  void add(const std::optional<T>& maybe) {
    add(maybe.has_value());
    if (maybe) add(*maybe);
  }
  template <class A, class B>
  void add(const std::pair<A, B>& two) {
    all(two.first, two.second);
  }
  template <class... Kinds>
  void add(const std::variant<Kinds...>& one) {
    add(one.index());
    std::visit([this](const auto& each) { this->add(each); }, one);
  }

  void add(const Constant& s) { add(s.value); }
  void add(const Sine& s) {
    const auto& [amplitude, frequency, phase, offset] = s;
    all(amplitude, frequency, phase, offset);
  }
  void add(const Table& s) {
    const auto& [times, values] = s;
    all(times, values);
  }
  void add(const Motion& m) { add(m.signal()); }
  void add(const SpringCurve& c) { all(c.polynomial, c.stretches, c.tensions); }

  void add(const Sphere& g) { add(g.radius); }
  void add(const Point&) {}
  void add(const Box& g) { add(g.sides); }
  void add(const Capsule& g) { all(g.radius, g.length); }
  void add(const Cylinder& g) { all(g.radius, g.length); }
  void add(const Plane& g) { all(g.normal, g.offset); }
  void add(const Hull& g) { add(g.points); }
  void add(const Mesh& g) { all(g.vertices, g.triangles); }
  void add(const Shape& s) {
    const auto& [geometry, position, orientation, material, collide, category, mask, color] = s;
    all(geometry, position, orientation, material, collide, category, mask);
  }
  void add(const Grain& g) {
    const auto& [along, forward, backward, sideways] = g;
    all(along, forward, backward, sideways);
  }
  void add(const Material& m) {
    const auto& [name, friction, restitution, rolling, torsion, compliance, relaxation, creep, grain, by_maximum,
                 slides, priority] = m;
    all(friction, restitution, rolling, torsion, compliance, relaxation, grain, by_maximum, slides, priority);
    if (creep != 0) all(creep);  // files written before there was any stay valid
  }
  void add(const Body& b) {
    const auto& [name, kind, mass, inertia, shapes, collide_group, origin, form, partner] = b;
    all(name, kind, mass, inertia, shapes, collide_group);
    if (form) all(form->coordinates());  // what a user's kind does is not known here
    if (const auto* stretching = dynamic_cast<const StretchingForm*>(form.get())) {
      const auto& [of_axis, stiffness, moments] = stretching->stretches();
      all(of_axis, stiffness, moments);
    }
  }

  void add(const Motor& m) {
    const auto& [velocity, max_force, coordinate] = m;
    all(velocity, max_force, coordinate);
  }
  void add(const Limits& l) {
    const auto& [lower, upper, restitution, cone] = l;
    all(lower, upper, restitution, cone);
  }
  void add(const Freedom& f) {
    const auto& [name, slides, axis, anchor, zero, start, limits, damping, stiffness, rest, friction, armature, curve] =
        f;
    all(slides, axis, anchor, zero, start, limits, damping, stiffness, rest, friction, armature, curve);
  }
  void add(const CouplingTerm& t) {
    const auto& [body, linear, angular, body_frame] = t;
    all(body, linear, angular, body_frame);
  }
  void add(const CoordinateTerm& t) {
    const auto& [joint, coordinate, polynomial, reference, offset] = t;
    all(joint, coordinate, polynomial, reference, offset);
  }
  void add(const CouplingRow& r) {
    const auto& [terms, velocity, through, coordinates, equals] = r;
    all(terms, velocity, through, coordinates, equals);
  }
  void add(const FrameMotion& m) {
    const auto& [shift, angle, axis, axes, guide] = m;
    all(shift, angle, axis, axes, guide);
  }
  void add(const Switching& s) {
    const auto& [attached, attach, detach, within, force, torque, pose, over] = s;
    all(attached, attach, detach, within, force, torque, pose, over);
  }
  void add(const JointExtras& e) {
    const auto& [motor, limits, limits2, damping, stiffness, rest, friction, armature, compliance, relaxation, start,
                 offset, rows, length, moves, switching, curve] = e;
    all(motor, limits, limits2, damping, stiffness, rest, friction, armature, compliance, relaxation, start, offset,
        rows, length, moves, switching, curve);
  }
  void add(const JointSurface& s) {
    const auto& [kind, size, columns, rows, heights, coefficients] = s;
    all(kind, size, columns, rows, heights);  // the coefficients follow from the heights
  }
  void add(const JointSurfaces& s) {
    const auto& [first, second, slides, inside] = s;
    all(first, second, slides, inside);
  }
  void add(const Joint& j) {
    const auto& [name, kind, primary, a, b, anchor_a, anchor_b, frame_a, frame_b, parameter, disc, extras, index,
                 freedoms, surfaces] = j;
    all(name, kind, primary, a, b, anchor_a, anchor_b, frame_a, frame_b, parameter, disc, extras, freedoms);
    add(surfaces != nullptr);
    if (surfaces) add(*surfaces);
  }

  void add(const ExternalForce& f) {
    const auto& [body, force, torque, point, from, until, body_frame] = f;
    all(body, force, torque, point, from, until, body_frame);
  }
  void add(const Spring& s) {
    const auto& [a, b, anchor_a, anchor_b, stiffness, damping, length, curve] = s;
    all(a, b, anchor_a, anchor_b, stiffness, damping, length, curve);
  }
  void add(const Actuator& a) {
    const auto& [joint, coordinate, kind, kp, kv, limit, signal] = a;
    all(joint, coordinate, kind, kp, kv, limit, signal);
  }
  void add(const Tendon::Term& t) {
    const auto& [joint, coordinate, coefficient] = t;
    all(joint, coordinate, coefficient);
  }
  void add(const Tendon::Piece& p) {
    const auto& [from, to, coefficient, crank, around, side] = p;
    all(from, to, coefficient, crank, around, side);
  }
  void add(const Tendon& t) {
    const auto& [name, terms, path, lower, upper, limit_stiffness, limit_damping, stiffness, damping, friction, rest,
                 rest_upper] = t;
    all(terms, path, lower, upper, limit_stiffness, limit_damping, stiffness, damping, friction, rest, rest_upper);
  }
  void add(const Muscle& m) {
    const auto& [length_lower, length_upper, range_lower, range_upper, force, shortest, longest, fastest, passive,
                 lengthening] = m;
    all(length_lower, length_upper, range_lower, range_upper, force, shortest, longest, fastest, passive, lengthening);
  }
  void add(const Control& c) {
    const auto& [name, joint, coordinate, tendon, site, push, gear, gain, bias, muscle, dynamics, time_constant,
                 release_time, smoothing, integral_gain, act_lower, act_upper, ctrl_lower, ctrl_upper, force_lower,
                 force_upper, signal, actuator] = c;
    all(joint, coordinate, tendon, site, push, gear, gain, bias, muscle, dynamics, time_constant, release_time,
        smoothing, integral_gain, act_lower, act_upper, ctrl_lower, ctrl_upper, force_lower, force_upper, signal,
        actuator);
  }
  void add(const Site& s) {
    const auto& [name, body, position, orientation, volume, size] = s;
    all(body, position, orientation);
  }
  void add(const ContactPair& p) {
    const auto& [a, b, shape_a, shape_b, material] = p;
    all(a, b, shape_a, shape_b, material);
  }
  void add(const BodyState& s) {
    const auto& [position, orientation, velocity, angular_velocity, scale, scale_velocity] = s;
    all(position, orientation, velocity, angular_velocity, scale, scale_velocity);
  }

 private:
  void byte(unsigned char b) { value_ = (value_ ^ b) * 0x100000001b3ULL; }
  void bits(std::uint64_t number) {
    for (int i = 0; i < 8; ++i, number >>= 8) byte(static_cast<unsigned char>(number & 0xFFU));
  }

  std::uint64_t value_ = 0xcbf29ce484222325ULL;
};

}  // namespace

std::uint64_t fingerprint(const Model& model, const State& initial) {
  const auto& [name, gravity, bodies, joints, extras, forces, springs, actuators, materials, ground_shapes,
               collide_adjacent, collide_jointed_ground, collide_exclude, contact_pairs, sites, tendons, controls,
               sensors, keyframes] = model;
  Hash hash;
  hash.all(gravity, bodies, joints, extras, forces, springs, actuators, materials, ground_shapes, collide_adjacent,
           collide_jointed_ground, collide_exclude, contact_pairs, sites, tendons, controls);
  hash.add(initial.bodies);
  hash.add(initial.activation);
  return hash.value();
}

}  // namespace catena

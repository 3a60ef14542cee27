#include <fmt/format.h>

#include <cmath>

#include "catena/math/elementary.h"
#include "catena/scene/generator.h"

namespace catena {
namespace {

constexpr long long kMostLinks = Draft::kMostBodies;

void read_common(const Fields& fields, const char* name, Linkage& plan) {
  plan.name = fields.text("name", name);
  plan.link = &fields.need("link", "{mass: 0.1, shapes: [{box: [0.02, 0.02, 0.1]}]}");
  plan.joint = &fields.need("joint", "{kind: ball}");
  plan.from = fields.find("from");
  plan.at = fields.at();
}

void reserve(Linkage& plan, std::size_t count) {
  plan.parent.reserve(count);
  plan.near_end.reserve(count);
  plan.far_end.reserve(count);
  plan.orientation.reserve(count);
  plan.scale.reserve(count);
}

void add_link(Linkage& plan, int parent, const Vec3& near_end, const Vec3& far_end, const Quat& orientation,
              double scale) {
  plan.parent.push_back(parent);
  plan.near_end.push_back(near_end);
  plan.far_end.push_back(far_end);
  plan.orientation.push_back(orientation);
  plan.scale.push_back(scale);
}

// What the generator decides may not be written as well.
void refuse_key(const Value& map, const char* what, std::initializer_list<const char*> keys) {
  if (!map.is_map()) return;
  for (const Key& key : map.keys) {
    for (const char* refused : keys) {
      if (key.text == refused)
        fail(key.at, fmt::format("{}: '{}' follows from the generator; leave it out", what, refused));
    }
  }
}

struct Scaled {
  double s;
  void operator()(Sphere& x) const { x.radius *= s; }
  void operator()(Point&) const {}
  void operator()(Box& x) const { x.sides *= s; }
  void operator()(Capsule& x) const {
    x.radius *= s;
    x.length *= s;
  }
  void operator()(Cylinder& x) const {
    x.radius *= s;
    x.length *= s;
  }
  void operator()(Plane& x) const { x.offset *= s; }
  void operator()(Hull& x) const {
    for (Vec3& p : x.points) p *= s;
  }
  void operator()(Mesh& x) const {
    for (Vec3& p : x.vertices) p *= s;
  }
};

// The same body, all lengths times s, of the same material: mass grows with s³, inertia with s⁵.
void scale_body(BodySpec& spec, double s) {
  if (spec.mass) *spec.mass *= s * s * s;
  if (spec.inertia) *spec.inertia = portable::pow(s, 5) * *spec.inertia;
  for (Shape& shape : spec.shapes) {
    shape.position *= s;
    std::visit(Scaled{s}, shape.geometry);
  }
}

// Directions of a joint are written in the axes of its link.
void turn_joint(JointSpec& spec, const Quat& q) {
  for (std::optional<Vec3>* direction : {&spec.axis, &spec.axis2, &spec.normal}) {
    if (*direction) **direction = rotate(q, **direction);
  }
}

// Refuses a tree of more than kMostLinks before it grows.
void check_size(long long depth, long long branch, const Position& at) {
  long long width = 1, links = 1;
  for (long long level = 1; level < depth; ++level) {
    if (branch > kMostLinks || width * branch > kMostLinks || links > kMostLinks) {
      fail(at, fmt::format("depth: at most {} links", kMostLinks));
    }
    width *= branch;
    links += width;
  }
}

}  // namespace

Linkage plan_chain(const Value& chain, const Draft& draft) {
  const Fields fields(chain, "chain",
                      {"count", "name", "link", "joint", "from", "to", "start", "offset", "orientation", "turn"});
  Linkage plan;
  read_common(fields, "link", plan);
  plan.to = fields.find("to");
  const Value& size = fields.need("count", "100");
  const long long count = read_count(size, "count", 1);
  if (count > kMostLinks) fail(size.at, fmt::format("count: at most {} links", kMostLinks));
  const Vec3 offset = read_vector(fields.need("offset", "[0, 0, -0.1]"), "offset", quantity::kLength, draft.flat);
  const Value* start = fields.find("start");
  const Value* orientation = fields.find("orientation");
  const Value* turn = fields.find("turn");
  Vec3 p = start != nullptr ? draft.point(*start, "start", false) : draft.shift;
  Quat q = orientation != nullptr ? normalized(read_rotation(*orientation, "orientation")) : Quat{};
  const Quat step = turn != nullptr ? normalized(read_rotation(*turn, "turn")) : Quat{};
  reserve(plan, static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    const Vec3 end = p + rotate(q, offset);
    add_link(plan, i - 1, p, end, q, 1);
    p = end;
    q = normalized(q * step);
  }
  return plan;
}

// Each link hangs along its own −z. Its children fan out evenly over `spread`, in a plane that turns by a right angle with each
// level (in two dimensions it stays).
Linkage plan_tree(const Value& tree, const Draft& draft) {
  const Fields fields(
      tree, "tree",
      {"depth", "branch", "name", "link", "joint", "from", "start", "orientation", "length", "ratio", "spread"});
  Linkage plan;
  read_common(fields, "link", plan);
  const Value& levels = fields.need("depth", "7");
  const long long depth = read_count(levels, "depth", 1);
  const long long branch = fields.has("branch") ? read_count(*fields.find("branch"), "branch", 1) : 2;
  check_size(depth, branch, levels.at);
  const double length = read_number(fields.need("length", "0.2"), "length", quantity::kLength);
  const double ratio = fields.number("ratio", quantity::kNumber, 1);
  if (!(length > 0)) fail(fields.find("length")->at, fmt::format("length: {} must be positive", length));
  if (!(ratio > 0)) fail(fields.find("ratio")->at, fmt::format("ratio: {} must be positive", ratio));
  const double spread = fields.number("spread", quantity::kAngle, 1.0471975511965976);
  const Value* start = fields.find("start");
  const Value* orientation = fields.find("orientation");
  const Quat root = orientation != nullptr ? normalized(read_rotation(*orientation, "orientation")) : Quat{};
  const Vec3 down = draft.flat ? Vec3{0, -1, 0} : Vec3{0, 0, -1};
  const Quat quarter = draft.flat ? Quat{} : Quat{std::sqrt(0.5), 0, 0, std::sqrt(0.5)};
  const Vec3 hinge = draft.flat ? Vec3{0, 0, 1} : Vec3{0, 1, 0};

  const Vec3 origin = start != nullptr ? draft.point(*start, "start", false) : draft.shift;
  add_link(plan, -1, origin, origin + rotate(root, length * down), root, 1);
  std::size_t first = 0;  // of the level above
  for (long long level = 1; level < depth; ++level) {
    const std::size_t last = plan.parent.size();
    for (std::size_t i = first; i < last; ++i) {
      for (long long k = 0; k < branch; ++k) {
        const double angle =
            branch == 1 ? 0 : spread * (static_cast<double>(k) / static_cast<double>(branch - 1) - 0.5);
        const Quat q = normalized(plan.orientation[i] * quarter * exp_rotation(angle * hinge));
        const Vec3 from = plan.far_end[i];
        const double scale = plan.scale[i] * ratio;
        add_link(plan, static_cast<int>(i), from, from + rotate(q, length * scale * down), q, scale);
      }
    }
    first = last;
  }
  return plan;
}

void add_links(const Linkage& plan, Draft& draft) {
  refuse_key(*plan.link, "link", {"position"});
  draft.expect_bodies(static_cast<long long>(plan.parent.size()), plan.at);
  const BodySpec link = read_body(plan.name, *plan.link, plan.link->at, draft);
  for (std::size_t i = 0; i < plan.parent.size(); ++i) {
    BodySpec spec = link;
    spec.name += std::to_string(i);
    spec.position = 0.5 * (plan.near_end[i] + plan.far_end[i]);
    spec.orientation = plan.orientation[i] * link.orientation;
    if (plan.scale[i] != 1) scale_body(spec, plan.scale[i]);
    draft.add_body(spec, plan.at);
  }
}

void join_links(const Linkage& plan, Draft& draft) {
  refuse_key(*plan.joint, "joint", {"between", "anchor", "anchors", "axes"});
  draft.expect_links(static_cast<long long>(plan.parent.size()) + 1, plan.at);
  const JointSpec joint = read_joint(plan.name, *plan.joint, plan.joint->at, draft.flat);
  const auto id = [&](std::size_t i) {
    Value word;
    word.kind = Value::Kind::scalar;
    word.text = plan.name + std::to_string(i);
    return draft.body(word, "link");
  };
  const BodyId first = id(0);
  // Bodies of one generator follow each other; each with a form has two blocks.
  const std::size_t blocks = changes_form(draft.model().bodies[first].kind) ? 2 : 1;
  const auto link = [&](std::size_t i) { return BodyId{first + blocks * i}; };
  const bool free = plan.from != nullptr && plan.from->is_scalar() && plan.from->text == "none";
  const BodyId root = plan.from != nullptr && !free ? draft.body(*plan.from, "from") : kGround;
  for (std::size_t i = 0; i < plan.parent.size(); ++i) {
    if (plan.parent[i] < 0 && free) continue;
    JointSpec spec = joint;
    spec.name += std::to_string(i);
    spec.anchor = plan.near_end[i];
    turn_joint(spec, plan.orientation[i]);
    draft.add_joint(spec, plan.parent[i] < 0 ? root : link(static_cast<std::size_t>(plan.parent[i])), link(i), plan.at);
  }
  if (plan.to == nullptr) return;
  JointSpec spec = joint;
  spec.name += "_end";
  spec.anchor = plan.far_end.back();
  turn_joint(spec, plan.orientation.back());
  draft.add_joint(spec, draft.body(*plan.to, "to"), link(plan.parent.size() - 1), plan.at);
}

}  // namespace catena

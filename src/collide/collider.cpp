#include "catena/collide/collider.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "catena/collide/collide_filter.h"
#include "catena/collide/part.h"
#include "catena/collide/vicinity.h"

namespace catena {
namespace {

// See Material: priority first, then the larger coefficient where one of them asks for it, else the geometric mean.
double pair_friction(const Material& a, const Material& b) {
  if (a.priority != b.priority) {
    const Material& first = a.priority > b.priority ? a : b;
    return first.slides_with_friction ? first.friction : 0;
  }
  if (!a.slides_with_friction && !b.slides_with_friction) return 0;
  if (a.combine_by_maximum || b.combine_by_maximum) return std::max(a.friction, b.friction);
  return std::sqrt(a.friction * b.friction);
}

// The contacts of one pair of shapes. `b` is a part or, beyond the parts, a plane.
struct Run {
  int a, b;
  std::ptrdiff_t first, count;
};

bool same_shapes(const Contact& x, const Contact& y) {
  return x.a == y.a && x.b == y.b && x.shape_a == y.shape_a && x.shape_b == y.shape_b;
}

// 64 well-mixed bits (the finaliser of a multiplicative hash), so that features of all pairs together hardly ever meet.
std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 31)) * 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 29)) * 0xd1342543de82ef95ull;
  return x ^ (x >> 32);
}

}  // namespace

struct Collider::Workspace {
  Workspace(const Model& m, double reach) : model(m), margin(reach), filter(m) {}

  const Model& model;
  double margin;
  CollideFilter filter;
  std::vector<Part> parts;  // bodies in order, the ground last; planes are apart
  std::vector<PlanePart> planes;
  std::vector<int> first_part;  // of each body, then of the ground
  BroadPhase broad;
  Vicinity vicinity;  // in place of it, where it describes the model
  NarrowPhase narrow;
  SurfacePhase surfaces;
  std::vector<std::pair<int, int>> pairs;
  Manifold manifold;
  std::vector<Vec3> vertices;  // of a shape of a body with a form
  std::vector<SurfacePoint> points;
  std::vector<Run> runs, old_runs;  // of the last search, in its order, and of the one before
  std::vector<Contact> old;
  std::vector<char> resting;    // bodies that are left out; empty: none               (n_body)
  bool resting_placed = false;  // they have been placed since they were
  bool searched_near = false;   // `pairs` are the vicinity's, which may touch and have been placed

  void add_shapes(BodyId body, const std::vector<Shape>& shapes);
  void search(const State& state, const std::vector<char>* moved, double ahead, std::vector<Contact>& out);
  void find_pairs(const State& state, const std::vector<char>* moved, double ahead);
  bool stands(const Part& part, const std::vector<char>* moved) const {
    return moved != nullptr && (!part.body.valid() || (*moved)[static_cast<std::size_t>(part.body.value())] == 0);
  }
  bool rests(const Part& part) const {
    return !resting.empty() && (!part.body.valid() || resting[static_cast<std::size_t>(part.body.value())] != 0);
  }
  Part& part_of(BodyId body, int shape);
  void collide(Part& a, Part& b);
  void collide_plane(Part& a, const PlanePart& plane);
  void flatten(const Part& a, const Part& b, Manifold& found);
  void report(const Part& a, const Part& b, std::vector<Contact>& out);
  // The pair's own entry in the model, if it has one.
  const ContactPair* pair_of(const Part& a, const Part& b) const;
  const Material& material_of(const ContactPair& pair) const {
    return model.materials[static_cast<std::size_t>(pair.material)];
  }
  bool touch(const Part& a, const Part& b) const;
};

// Only models from robot files have any.
const ContactPair* Collider::Workspace::pair_of(const Part& a, const Part& b) const {
  for (const ContactPair& p : model.contact_pairs) {
    const bool straight = p.a == a.body && p.shape_a == a.shape && p.b == b.body && p.shape_b == b.shape;
    const bool crossed = p.a == b.body && p.shape_a == b.shape && p.b == a.body && p.shape_b == a.shape;
    if (straight || crossed) return &p;
  }
  return nullptr;
}

bool Collider::Workspace::touch(const Part& a, const Part& b) const {
  const bool masks = ((a.filter.category & b.filter.mask) | (b.filter.category & a.filter.mask)) != 0;
  return (masks && filter.allowed(a.body, b.body)) || pair_of(a, b) != nullptr;
}

void Collider::Workspace::add_shapes(BodyId body, const std::vector<Shape>& shapes) {
  static const Material standard{};
  first_part.push_back(static_cast<int>(parts.size()));
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const Shape& shape = shapes[i];
    if (!shape.collide) continue;
    const Material& material = model.materials.empty() ? standard : model.materials[shape.material];
    Part part{body,      static_cast<int>(i),         shape.position, to_matrix(shape.orientation),
              &material, {shape.category, shape.mask}};
    part.planar = body.valid() && model.bodies[body].kind == BodyKind::planar;
    part.turns = body.valid() && model.bodies[body].kind != BodyKind::particle;
    if (const auto* plane = std::get_if<Plane>(&shape.geometry)) {
      planes.push_back({std::move(part), plane->normal, plane->offset});
      continue;
    }
    part.convex = make_convex(part.planar ? in_plane(shape.geometry, part.R) : shape.geometry);
    if (part.convex) {
      part.convex->sides.planar = part.planar;
    } else if (const auto* mesh = std::get_if<Mesh>(&shape.geometry)) {
      part.surface.emplace(*mesh);
    } else {
      continue;  // a hull without points
    }
    if (part.convex) part.extent.inner = inner_radius(*part.convex);
    if (body.valid() && model.bodies[body].form && part.convex) {
      part.forming.form = model.bodies[body].form.get();
      part.forming.own = model.bodies[body].partner;
      part.convex->is_box = false;
    }
    const bool ball = part.convex && part.convex->core == Core::point;
    part.extent.sweep = norm(part.position) + (ball ? 0 : part.convex ? part.convex->reach : 0);
    parts.push_back(std::move(part));
  }
}

Part& Collider::Workspace::part_of(BodyId body, int shape) {
  auto at = static_cast<std::size_t>(body.valid() ? first_part[body] : first_part.back());
  while (parts[at].shape != shape) ++at;
  return parts[at];
}

// Fills `points`; normals from b to a.
void Collider::Workspace::collide(Part& a, Part& b) {
  points.clear();
  for (Part* part : {&a, &b})
    if (part->convex) place_points(*part->convex);
  const double near = a.grow + b.grow;
  if (a.surface && b.surface) return surfaces.collide(*a.surface, *b.surface, near, points);
  if (b.surface) return surfaces.collide(*a.convex, *b.surface, near, points);
  if (a.surface) {
    surfaces.collide(*b.convex, *a.surface, near, points);
    for (SurfacePoint& p : points) p.normal = -p.normal;
    return;
  }
  narrow.collide(*a.convex, *b.convex, near, manifold);
  flatten(a, b, manifold);
  if (narrow.facing().points.empty() || a.planar || b.planar) return;
  manifold = narrow.facing();
  flatten(a, b, manifold);
}

void Collider::Workspace::collide_plane(Part& a, const PlanePart& plane) {
  points.clear();
  const double near = a.grow + 0.5 * margin;
  if (a.surface) return surfaces.collide_plane(*a.surface, plane.normal, plane.offset, near, points);
  place_points(*a.convex);
  narrow.collide_plane(*a.convex, plane.normal, plane.offset, near, manifold);
  flatten(a, plane.part, manifold);
}

// A planar body is touched in its plane: points above one another are one.
void Collider::Workspace::flatten(const Part& a, const Part& b, Manifold& found) {
  if (a.planar && (b.planar || !b.body.valid())) {
    for (ManifoldPoint& p : found.points) p.position.z = 0;
    tidy(kSame * a.convex->reach, found);
  }
  for (const ManifoldPoint& p : found.points) points.push_back({p.position, found.normal, p.gap, p.feature});
}

void Collider::Workspace::report(const Part& a, const Part& b, std::vector<Contact>& out) {
  std::sort(points.begin(), points.end(),
            [](const SurfacePoint& p, const SurfacePoint& q) { return p.feature < q.feature; });
  const ContactPair* own = pair_of(a, b);
  const Material& first = own != nullptr ? material_of(*own) : *a.material;
  const Material& second = own != nullptr ? first : *b.material;
  const double friction = pair_friction(first, second);
  const double restitution = std::max(first.restitution, second.restitution);
  const double compliance = first.compliance + (own != nullptr ? 0 : second.compliance);
  const double relaxation = std::max(first.relaxation, second.relaxation);
  const double creep = first.creep + (own != nullptr ? 0 : second.creep);
  const std::uint64_t slot_a =
      static_cast<std::uint64_t>(a.body.value() + 1) << 16 ^ static_cast<std::uint64_t>(a.shape);
  const std::uint64_t slot_b =
      static_cast<std::uint64_t>(b.body.value() + 1) << 16 ^ static_cast<std::uint64_t>(b.shape);
  const std::uint64_t pair = mixed(slot_a << 32 ^ slot_b);
  for (const SurfacePoint& p : points)
    out.push_back({a.body, b.body, a.shape, b.shape, p.position, p.normal, p.gap, friction, restitution,
                   mixed(pair ^ p.feature), compliance, relaxation, creep});
}

Collider::Collider(const Model& model, double margin) : ws_(std::make_unique<Workspace>(model, margin)) {
  for (std::size_t i = 0; i < model.bodies.size(); ++i) ws_->add_shapes(BodyId{i}, model.bodies[i].shapes);
  ws_->add_shapes(kGround, model.ground_shapes);
  for (Part& part : ws_->parts) {
    part.grow = 0.5 * margin;
    if (!part.body.valid()) {
      place_part({}, part, ws_->vertices);
      part.box = bounds(part, part.grow);
    }
    const int group = part.body.valid() ? model.bodies[part.body].collide_group : 0;
    if (group != 0) ws_->broad.add_to_group({}, group);
    else ws_->broad.add(part.body.valid() ? Aabb{} : part.box, part.body.valid());
  }
  const auto changes = [](const Body& body) { return changes_size(body.kind); };
  if (std::none_of(model.bodies.begin(), model.bodies.end(), changes))
    ws_->vicinity.describe(ws_->parts, ws_->planes, margin,
                           [&](const Part& a, const Part& b) { return ws_->touch(a, b); });
}
Collider::~Collider() = default;
Collider::Collider(Collider&&) noexcept = default;
Collider& Collider::operator=(Collider&&) noexcept = default;

void Collider::find_among(const std::vector<Contact>& which, const State& state, std::vector<Contact>& out) {
  Workspace& ws = *ws_;
  out.clear();
  const auto placed = [&](BodyId body, int shape) -> Part& {
    Part& part = ws.part_of(body, shape);
    if (body.valid()) place_part(state, part, ws.vertices);
    part.grow = 0.5 * ws.margin;
    part.box = bounds(part, part.grow);
    return part;
  };
  for (std::size_t i = 0; i < which.size(); ++i) {
    const Contact& c = which[i];
    if (i > 0 && same_shapes(c, which[i - 1])) continue;
    Part& a = placed(c.a, c.shape_a);
    const auto plane = std::find_if(ws.planes.begin(), ws.planes.end(), [&](const PlanePart& p) {
      return p.part.body == c.b && p.part.shape == c.shape_b;
    });
    if (plane != ws.planes.end()) {
      if (height_above(*plane, a.box) > 0.5 * ws.margin) continue;
      ws.collide_plane(a, *plane);
      ws.report(a, plane->part, out);
    } else {
      Part& b = placed(c.b, c.shape_b);
      if (!overlap(a.box, b.box)) continue;
      ws.collide(a, b);
      ws.report(a, b, out);
    }
  }
}

// Places the parts, as far as they are not known to stand still or to have nothing near them, and fills `pairs`.
void Collider::Workspace::find_pairs(const State& state, const std::vector<char>* moved, double ahead) {
  const bool some_left_out = std::exchange(searched_near, vicinity.is_known() && moved == nullptr && resting.empty());
  if (searched_near) return vicinity.find(state, ahead, parts, planes, vertices, pairs);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    Part& part = parts[i];
    if (!part.body.valid() || (!some_left_out && (stands(part, moved) || (resting_placed && rests(part))))) continue;
    place_part(state, part, vertices);
    part.grow = 0.5 * margin + travel(state, part, ahead);
    part.box = bounds(part, part.grow);
    broad.move(static_cast<int>(i), part.box);
  }
  resting_placed = !resting.empty();
  broad.pairs(pairs);
}

// With `moved`, pairs neither of whose bodies is marked keep what `out` has of them.
void Collider::Workspace::search(const State& state, const std::vector<char>* moved, double ahead,
                                 std::vector<Contact>& out) {
  std::swap(old, out);
  std::swap(old_runs, runs);
  out.clear();
  runs.clear();
  find_pairs(state, moved, ahead);
  std::size_t next_run = 0;
  // What the last search found of a pair; pairs are asked for in order.
  const auto keep = [&](int a, int b) {
    const auto before = [&](const Run& run) { return run.a != a ? run.a < a : run.b < b; };
    while (next_run < old_runs.size() && before(old_runs[next_run])) ++next_run;
    if (next_run == old_runs.size() || old_runs[next_run].a != a || old_runs[next_run].b != b) return;
    const auto first = old.begin() + old_runs[next_run].first;
    out.insert(out.end(), first, first + old_runs[next_run].count);
  };
  const auto end_run = [&](int a, int b, std::size_t first) {
    if (out.size() > first)
      runs.push_back({a, b, static_cast<std::ptrdiff_t>(first), static_cast<std::ptrdiff_t>(out.size() - first)});
  };
  std::size_t next = 0;
  for (int i = 0; i < static_cast<int>(parts.size()); ++i) {
    Part& a = parts[static_cast<std::size_t>(i)];
    for (; next < pairs.size() && pairs[next].first == i; ++next) {
      const int j = pairs[next].second;
      Part& b = parts[static_cast<std::size_t>(j)];
      if ((rests(a) && rests(b)) || !(searched_near || touch(a, b))) continue;
      const std::size_t first = out.size();
      if (stands(a, moved) && stands(b, moved)) {
        keep(i, j);
      } else {
        collide(a, b);
        report(a, b, out);
      }
      end_run(i, j, first);
    }
    for (std::size_t k = 0; k < planes.size() && (!searched_near || vicinity.is_near(i)); ++k) {
      const PlanePart& plane = planes[k];
      if (height_above(plane, a.box) > 0.5 * margin || rests(a)) continue;
      if (!touch(a, plane.part)) continue;
      const std::size_t first = out.size();
      const int number = static_cast<int>(parts.size() + k);
      if (stands(a, moved)) {
        keep(i, number);
      } else {
        collide_plane(a, plane);
        report(a, plane.part, out);
      }
      end_run(i, number, first);
    }
  }
}

void Collider::find(const State& state, std::vector<Contact>& out, double ahead) {
  ws_->search(state, nullptr, ahead, out);
}

void Collider::find_again(const State& state, const std::vector<char>& moved, std::vector<Contact>& out, double ahead) {
  ws_->search(state, &moved, ahead, out);
}

void Collider::leave_out(const std::vector<char>& resting) {
  ws_->resting = resting;
  ws_->resting_placed = false;
}

double Collider::time_to_pass(const State& state, const std::vector<Contact>& contacts, double h) {
  const auto is_plane = [&](const Contact& c) {
    return std::any_of(ws_->planes.begin(), ws_->planes.end(),
                       [&](const PlanePart& p) { return p.part.body == c.b && p.part.shape == c.shape_b; });
  };
  double longest = h;
  for (const Contact& c : contacts) {
    const auto closing = [&](BodyId body, int shape, double sign) {
      if (!body.valid()) return 0.0;
      const BodyState& s = state.bodies[body];
      const Part& part = ws_->part_of(body, shape);
      return sign * dot(c.normal, s.velocity) + part.extent.sweep * norm(s.angular_velocity) + part.extent.deforming;
    };
    const double speed = closing(c.a, c.shape_a, -1) + (is_plane(c) ? 0 : closing(c.b, c.shape_b, 1));
    if (!(speed * longest > std::max(c.gap, 0.0)) || is_plane(c)) continue;
    const double inner = ws_->part_of(c.a, c.shape_a).extent.inner + ws_->part_of(c.b, c.shape_b).extent.inner;
    if (inner > 0) longest = std::min(longest, (std::max(c.gap, 0.0) + 0.5 * inner) / speed);
  }
  return longest;
}

}  // namespace catena

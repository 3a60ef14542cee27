#include "catena/collide/clearance.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace catena {
namespace {

// More bodies are hardly ever all apart.
constexpr std::size_t kMostBodies = 64;

bool collides(const std::vector<Shape>& shapes) {
  return std::any_of(shapes.begin(), shapes.end(), [](const Shape& shape) { return shape.collide; });
}

// Of a shape that is no plane, where it sits in its body.
Aabb box_of(const Shape& shape) {
  const Mat3 R = to_matrix(shape.orientation);
  if (std::optional<Convex> convex = make_convex(shape.geometry)) {
    place(R, shape.position, 1, *convex);
    return bounds(*convex, 0);
  }
  constexpr double kFar = std::numeric_limits<double>::max();
  Aabb box{{kFar, kFar, kFar}, {-kFar, -kFar, -kFar}};
  if (const auto* mesh = std::get_if<Mesh>(&shape.geometry))
    for (const Vec3& v : mesh->vertices) {
      const Vec3 p = shape.position + R * v;
      for (int i = 0; i < 3; ++i) {
        box.low[i] = std::min(box.low[i], p[i]);
        box.high[i] = std::max(box.high[i], p[i]);
      }
    }
  return box;
}

// Of the farthest corner from the origin; 0 for the box of nothing. A ball's own is the ball's.
double reach_of(const Shape& shape) {
  if (const auto* sphere = std::get_if<Sphere>(&shape.geometry)) return norm(shape.position) + sphere->radius;
  const Aabb box = box_of(shape);
  if (box.low.x > box.high.x) return 0;
  Vec3 corner;
  for (int i = 0; i < 3; ++i) corner[i] = std::max(std::abs(box.low[i]), std::abs(box.high[i]));
  return norm(corner);
}

bool is_plane(const Shape& shape) { return std::holds_alternative<Plane>(shape.geometry); }

}  // namespace

Clearance::Clearance(const Model& model, double margin) : margin_(margin), known_(model.bodies.size() <= kMostBodies) {
  const CollideFilter filter(model);
  for (std::size_t i = 0; i < model.bodies.size() && known_; ++i) {
    const Body& body = model.bodies[i];
    if (!collides(body.shapes)) continue;
    known_ = known_ && !changes_size(body.kind);
    Ball ball{BodyId(i), 0, filter.may_touch(BodyId(i), kGround)};
    for (const Shape& shape : body.shapes) {
      if (!shape.collide) continue;
      known_ = known_ && !is_plane(shape);
      if (known_) ball.radius = std::max(ball.radius, reach_of(shape));
    }
    balls_.push_back(ball);
  }
  if (!known_) return;
  for (std::size_t i = 0; i < balls_.size(); ++i)
    for (std::size_t j = i + 1; j < balls_.size(); ++j)
      if (filter.may_touch(balls_[i].body, balls_[j].body))
        pairs_.emplace_back(static_cast<int>(i), static_cast<int>(j));
  for (const Shape& shape : model.ground_shapes) {
    if (!shape.collide) continue;
    if (const auto* plane = std::get_if<Plane>(&shape.geometry)) walls_.push_back({plane->normal, plane->offset});
    else boxes_.push_back(box_of(shape));
  }
  from_.resize(balls_.size());
}

// A contact is reported where a gap is at most the margin and what both can travel ahead.
bool Clearance::holds(const State& state, double ahead) const {
  if (!(room_ > 0)) return false;
  for (std::size_t i = 0; i < balls_.size(); ++i) {
    const BodyState& body = state.bodies[balls_[i].body];
    double way = norm(body.position - from_[i]);
    if (ahead > 0) way += ahead * (norm(body.velocity) + balls_[i].radius * norm(body.angular_velocity));
    if (!(way < room_)) return false;
  }
  return true;
}

void Clearance::renew(const State& state) {
  if (!known_) return;
  double apart = std::numeric_limits<double>::max(), above = apart;
  for (std::size_t i = 0; i < balls_.size(); ++i) {
    from_[i] = state.bodies[balls_[i].body].position;
    if (balls_[i].touches_ground) above = std::min(above, distance_to_ground(from_[i]) - balls_[i].radius);
  }
  for (const auto& [i, j] : pairs_) {
    const Ball &a = balls_[static_cast<std::size_t>(i)], &b = balls_[static_cast<std::size_t>(j)];
    const Vec3 between = from_[static_cast<std::size_t>(i)] - from_[static_cast<std::size_t>(j)];
    apart = std::min(apart, norm(between) - a.radius - b.radius);
  }
  room_ = std::min(0.5 * (apart - margin_), above - margin_);
}

double Clearance::distance_to_ground(const Vec3& point) const {
  double least = std::numeric_limits<double>::max();
  for (const Wall& wall : walls_) least = std::min(least, dot(wall.normal, point) - wall.offset);
  for (const Aabb& box : boxes_) {
    Vec3 out;
    for (int i = 0; i < 3; ++i) out[i] = std::max({box.low[i] - point[i], 0.0, point[i] - box.high[i]});
    least = std::min(least, norm(out));
  }
  return least;
}

}  // namespace catena

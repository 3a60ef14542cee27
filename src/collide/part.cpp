#include "catena/collide/part.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "catena/model/form_blocks.h"

namespace catena {
namespace {

// Where the form of its body takes its vertices; balls swept over them keep their radius.
void place_formed(const State& state, Part& part, std::vector<Vec3>& vertices) {
  const BodyState& frame = state.bodies[part.body];
  const FormMotion motion = form_motion(frame, state.bodies[part.forming.own]);
  const Mat3 R_WB = to_matrix(frame.orientation);
  vertices.clear();
  part.extent.deforming = part.extent.sweep = 0;
  for (const Vec3& v : part.convex->local.vertices) {
    const FormPoint at = part.forming.form->point(part.position + part.R * v, motion);
    Vec3 rate{};
    for (std::size_t k = 0; k < at.slope.size(); ++k) rate += motion.qd[k] * at.slope[k];
    part.extent.deforming = std::max(part.extent.deforming, norm(rate));
    part.extent.sweep = std::max(part.extent.sweep, norm(at.x) + part.convex->at_1.radius);
    vertices.push_back(frame.position + R_WB * at.x);
  }
  const Vec3 centre = frame.position + R_WB * part.forming.form->point(part.position, motion).x;
  place_deformed(R_WB * part.R, centre, vertices, *part.convex);
}

}  // namespace

Geometry in_plane(const Geometry& geometry, const Mat3& R) {
  const auto* cylinder = std::get_if<Cylinder>(&geometry);
  return cylinder != nullptr && std::abs(R(2, 2)) > 1 - 1e-12 ? Geometry{Sphere{cylinder->radius}} : geometry;
}

void place_part(const State& state, Part& part, std::vector<Vec3>& vertices) {
  if (part.forming.form) [[unlikely]]
    return place_formed(state, part, vertices);
  Mat3 R = part.R;
  Vec3 x = part.position;
  double scale = 1;
  if (part.body.valid()) {
    const BodyState& body = state.bodies[part.body];
    if (!part.turns) {
      x += body.position;
    } else {
      const Mat3 R_WB = to_matrix(body.orientation);
      scale = body.scale;
      R = R_WB * part.R;
      x = body.position + scale * (R_WB * part.position);
    }
  }
  if (part.convex) return place_frame(R, x, scale, *part.convex);
  part.surface->R = R;
  part.surface->centre = x;
  part.surface->scale = scale;
}

Aabb bounds(const Part& part, double margin) {
  return part.convex ? bounds(*part.convex, margin) : bounds(*part.surface, margin);
}

double height_above(const PlanePart& plane, const Aabb& box) {
  double height = -plane.offset;
  for (int i = 0; i < 3; ++i) height += plane.normal[i] * (plane.normal[i] > 0 ? box.low[i] : box.high[i]);
  return height;
}

double travel(const State& state, const Part& part, double ahead) {
  if (!(ahead > 0)) return 0;
  const BodyState& body = state.bodies[part.body];
  const double reach = norm(part.position) + (part.convex ? part.convex->reach : 0);
  return ahead * (norm(body.velocity) + reach * norm(body.angular_velocity) + part.extent.deforming);
}

double inner_radius(Convex& convex) {
  place(Mat3::identity(), {}, 1, convex);
  if (convex.core == Core::cylinder) return std::min(convex.cylinder.rim, convex.cylinder.half_length) + convex.radius;
  double half = convex.core == Core::polytope && !convex.normals.empty() ? std::numeric_limits<double>::infinity() : 0;
  for (const Vec3& n : convex.normals) half = std::min(half, 0.5 * dot(n, support(convex, n) - support(convex, -n)));
  return half + convex.radius;
}

}  // namespace catena

#include "catena/model/tendon_path.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "catena/math/elementary.h"

namespace catena {
namespace {

struct Plane2 {
  double x = 0, y = 0;
};
double dot2(const Plane2& a, const Plane2& b) { return a.x * b.x + a.y * b.y; }
double cross2(const Plane2& a, const Plane2& b) { return a.x * b.y - a.y * b.x; }
Plane2 operator-(const Plane2& a, const Plane2& b) { return {a.x - b.x, a.y - b.y}; }
Plane2 operator+(const Plane2& a, const Plane2& b) { return {a.x + b.x, a.y + b.y}; }

// Whether the straight lines from a to b and from c to d cross between their ends.
bool cross_each_other(const Plane2& a, const Plane2& b, const Plane2& c, const Plane2& d) {
  const Plane2 ab = b - a, cd = d - c, ac = c - a;
  const double det = cross2(ab, cd);
  if (det == 0) return false;
  const double s = cross2(ac, cd) / det, t = cross2(ac, ab) / det;
  return s >= 0 && s <= 1 && t >= 0 && t <= 1;
}

// A string around a circle about the origin, counted counterclockwise where `turn` is 1 and clockwise where it is −1.
struct CircleBend {
  Plane2 first, second;
  double arc = 0, merit = 0;
};
CircleBend around_circle(double r, const Plane2& a, const Plane2& b, double turn, const Plane2* side) {
  constexpr double kWholeTurn = 2 * std::numbers::pi;
  const auto tangent = [&](const Plane2& p, double sign) {
    return portable::atan2(p.y, p.x) + sign * portable::atan2(std::sqrt(std::max(0.0, dot2(p, p) - r * r)), r);
  };
  const double first = tangent(a, turn), second = tangent(b, -turn);
  double swept = std::fmod(turn * (second - first), kWholeTurn);
  if (swept < 0) swept += kWholeTurn;
  CircleBend out{{r * portable::cos(first), r * portable::sin(first)},
                 {r * portable::cos(second), r * portable::sin(second)},
                 r * swept,
                 0};
  const Plane2 sum = out.first + out.second, apart = out.first - out.second;
  const double length = std::sqrt(dot2(sum, sum));
  out.merit = side != nullptr ? (length > 0 ? dot2(sum, *side) / length : 0) : -dot2(apart, apart);
  return out;
}

std::optional<CircleBend> bend_in_plane(double r, const Plane2& a, const Plane2& b, const Plane2* side) {
  const Plane2 d = b - a;
  const double dd = dot2(d, d);
  if (dot2(a, a) < r * r || dot2(b, b) < r * r || !(dd > 0)) return {};
  const double t = std::clamp(-dot2(d, a) / dd, 0.0, 1.0);
  const Plane2 nearest{a.x + t * d.x, a.y + t * d.y};
  if (dot2(nearest, nearest) > r * r && (side == nullptr || dot2(*side, nearest) >= 0)) return {};
  std::optional<CircleBend> best;
  for (const double turn : {1.0, -1.0}) {
    const CircleBend one = around_circle(r, a, b, turn, side);
    if (cross_each_other(a, one.first, b, one.second)) continue;
    if (!best || one.merit > best->merit) best = one;
  }
  return best;
}

}  // namespace

std::optional<Bend> bend_around(double radius, bool cylinder, const Vec3& from, const Vec3& to, const Vec3* side) {
  if (!(radius > 0)) return {};
  Vec3 e0{1, 0, 0}, e1{0, 1, 0};
  if (!cylinder) {
    // The plane of both points and the centre; where all are on one line, that of the side.
    if (!(norm(from) > 0)) return {};
    e0 = normalized(from);
    Vec3 normal = cross(from, to);
    if (!(norm(normal) > 0) && side != nullptr) normal = cross(from, *side);
    e1 = norm(normal) > 0 ? cross(normalized(normal), e0) : perpendicular(e0);
  }
  const auto flat = [&](const Vec3& p) { return Plane2{dot(e0, p), dot(e1, p)}; };
  const Plane2 a = flat(from), b = flat(to), beside = side != nullptr ? flat(*side) : Plane2{};
  const std::optional<CircleBend> bend = bend_in_plane(radius, a, b, side != nullptr ? &beside : nullptr);
  if (!bend) return {};
  Bend out{bend->first.x * e0 + bend->first.y * e1, bend->second.x * e0 + bend->second.y * e1, bend->arc};
  if (!cylinder) return out;
  // Unrolled it is straight: it climbs evenly.
  const auto length = [](const Plane2& p) { return std::sqrt(dot2(p, p)); };
  const double before = length(bend->first - a), after = length(b - bend->second);
  const double whole = before + bend->arc + after, climb = (to.z - from.z) / whole;
  out.first.z = from.z + climb * before;
  out.second.z = from.z + climb * (before + bend->arc);
  out.arc = bend->arc * std::sqrt(1 + climb * climb);
  return out;
}

namespace {

// ℓ = a·d − √((a·d)² + r² − d·d), with a the axis of the slider and d from the slider's site to the crank's.
PieceShape crank_shape(const Tendon::Piece& piece, const Vec3& axis, SpanEnd from, SpanEnd to) {
  const Vec3 d = to.point - from.point;
  const double reach = dot(axis, d), inside = reach * reach + piece.crank * piece.crank - dot(d, d);
  const double root = std::sqrt(std::max(inside, 0.0)), bend = root > 0 ? reach / root : 0;
  to.along = root > 0 ? (1 - bend) * axis + d / root : axis;
  from.along = -to.along;
  from.turning = cross(axis, (1 - bend) * d);
  return {reach - root, 1, {from, to}};
}

void add_span(SpanEnd from, SpanEnd to, PieceShape& out) {
  const Vec3 d = to.point - from.point;
  const double length = norm(d);
  if (length == 0) return;
  to.along = d / length;
  from.along = -to.along;
  const auto first = static_cast<std::size_t>(2 * out.spans++);
  out.ends[first] = from;
  out.ends[first + 1] = to;
  out.length += length;
}

}  // namespace

PieceShape shape_of(const Model& model, const Tendon::Piece& piece, const PieceFrames& frames) {
  const auto site = [&](int i) -> const Site& { return model.sites[static_cast<std::size_t>(i)]; };
  const auto end = [&](int i, const BodyFrame& frame) {
    return SpanEnd{site(i).body, frame(site(i).position), {}, {}};
  };
  const SpanEnd from = end(piece.from, frames.from), to = end(piece.to, frames.to);
  if (piece.crank > 0)
    return crank_shape(piece, frames.from.R * rotate(site(piece.from).orientation, Vec3{0, 0, 1}), from, to);
  PieceShape out;
  if (piece.around >= 0) {
    const Site& object = site(piece.around);
    const Mat3 R = frames.around.R * to_matrix(object.orientation);
    const Vec3 centre = frames.around(object.position);
    const auto local = [&](const Vec3& p) { return transpose(R) * (p - centre); };
    const Vec3 side = piece.side >= 0 ? local(frames.side(site(piece.side).position)) : Vec3{};
    const auto bend = bend_around(object.size.x, object.volume == Site::Volume::cylinder, local(from.point),
                                  local(to.point), piece.side >= 0 ? &side : nullptr);
    if (bend) {
      add_span(from, {object.body, centre + R * bend->first, {}, {}}, out);
      add_span({object.body, centre + R * bend->second, {}, {}}, to, out);
      out.length += bend->arc;
      return out;
    }
  }
  add_span(from, to, out);
  return out;
}

}  // namespace catena
